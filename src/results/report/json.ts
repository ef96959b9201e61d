import { mappingObject } from "../words/mapping-words.ts";
import { accountObject, amountObject, rowsObject } from "../summary.ts";
import type { Decision } from "./acts.ts";
import type { Clock } from "./clock.ts";
import { headlineOf } from "./headline.ts";
import type { Report } from "./report.ts";

/** A report is known as ours by its first key, which also tells its batch. */
export const JSON_MARK = /^\{\s*"paydrop": \{\s*"format": 1,\s*"report": "([^"]*)"/;

/** The report for programs: amounts as text, times in UTC whatever the zone. */
export function reportJson(report: Report, clock: Clock): string {
  const { batch, operation, mapping, totals, approved, needs, acts, timeline } = report;
  const object = {
    paydrop: { format: 1, report: batch.id },
    batch: batch.id,
    file: batch.fileName,
    folder: batch.folder,
    sha256: batch.sha256,
    size_bytes: batch.sizeBytes,
    operation,
    mapping: mapping && mappingObject(mapping),
    environment: batch.environment,
    destination: batch.destination,
    period: batch.period,
    guessed_period: batch.guessedPeriod,
    phase: batch.phase,
    taken_at: iso(batch.createdAt),
    latest_at: iso(report.latestAt),
    time_zone: clock.zone,
    headline: headlineOf(report).sentence,
    control: {
      in: { rows: batch.rows, total: batch.total },
      out: { rows: totals.total.rows, total: totals.total.amount },
    },
    approved: { rows: approved.rows, total: approved.amount },
    rows: rowsObject(totals.total, totals.byStatus),
    amount: amountObject(totals.total, totals.byStatus),
    rows_without_amount: totals.withoutAmount,
    by_account: totals.accounts.map(accountObject),
    attempts: report.attempts,
    answers: timeline && {
      first_sent_at: iso(timeline.firstAt),
      last_end_at: iso(timeline.lastAt),
      count: timeline.answered,
      median_ms: Math.round(timeline.medianMs),
      p95_ms: Math.round(timeline.p95Ms),
      slowest_ms: timeline.slowest && Math.round(timeline.slowest.durationMs),
      slowest_row: timeline.slowest?.row,
    },
    needs: needs.map(({ kind, count, amount, rows }) => ({
      ...{ kind, rows: count, amount },
      first: rows.map(({ number: row, sentAt, ...rest }) => ({
        row,
        ...rest,
        sent_at: sentAt === undefined ? undefined : iso(sentAt),
      })),
    })),
    decisions: acts.people.map(decisionObject),
    stops: acts.own.map(decisionObject),
    remarks: report.remarks,
    exit_code: report.exitCode,
  };
  return `${JSON.stringify(object, null, 2)}\n`;
}

function decisionObject({ at, by, kind, what, note, rows }: Decision): Record<string, unknown> {
  return { at: iso(at), by, kind, what, note, rows };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
