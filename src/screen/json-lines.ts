import { isoSecond } from "../day.ts";
import type { BatchReport, CheckedFile, RunEvent } from "../events.ts";
import { wordsOf } from "../messages/faults.ts";
import type { Fault, Told } from "../messages/sentence.ts";
import { printable } from "../printable.ts";
import { iso, messageObject, remarkTexts, rowCounts, stopObject, sumsObject } from "../results/summary.ts";
import { commandsOf, stepLines, type Look } from "./look.ts";

/** A line of `--json`: amounts as text, times in UTC. Keys are only ever added. */
export type JsonLine = Readonly<Record<string, unknown>>;

export function asLine(line: JsonLine): string {
  return `${JSON.stringify(line)}\n`;
}

export function jsonLine(event: RunEvent): JsonLine {
  const { type, batch } = event;
  if (type === "waiting") return { type, batch, reason: event.reason, wait_ms: event.waitMs };
  if (type === "stopped") return { type, batch, ...stopObject(event.stop), remaining: event.remaining };
  if (type === "row") {
    const { row, status, reason, httpStatus: http_status, amount, attempts, sentAt, durationMs } = event;
    const sent_at = sentAt === undefined ? undefined : iso(sentAt);
    const duration_ms = durationMs === undefined ? undefined : Math.round(durationMs);
    return { type, batch, row, status, reason, http_status, amount, attempts, sent_at, duration_ms };
  }
  const { file, operation, destination, period, mapping, total, accounts } = event.checked;
  return {
    ...{ type, batch, file, operation, destination, period, mapping, rows: total.rows, total: total.amount },
    ...{ to_send: event.toSend, to_send_total: event.toSendTotal, resumed: event.resumed },
    by_account: sumsObject(total, {}, accounts).by_account,
  };
}

export function jsonSummary(report: BatchReport, look: Pick<Look, "again">): JsonLine {
  const { batch, file, operation, destination, period, total, byStatus, accounts, requests, stop, next } = report;
  const { results, retry, retryRows, summary, elsewhere } = report.files;
  return {
    ...{ type: "summary", batch, file, operation, destination, period, exit_code: report.exitCode },
    ...sumsObject(total, byStatus, accounts),
    ...{ requests, started_at: iso(report.startedAt), duration_ms: Math.round(report.durationMs) },
    stop: stop && stopObject(stop),
    copy: report.copy,
    sent_before: report.sentBefore === undefined ? undefined : iso(report.sentBefore),
    ...{ remarks: remarkTexts(report.remarks), rows_to_look_at: report.rowsToLookAt },
    ...{ files: { results, retry, retry_rows: retryRows, summary, elsewhere } },
    ...nextObject(next, destination, look),
  };
}

/** What to do next as a person reads it, and its commands with all that they need. */
export function nextObject(next: readonly Told[], destination: string, look: Pick<Look, "again">) {
  return { next: next.flatMap(stepLines), commands: commandsOf(next, destination, look) };
}

/** What `check` found: one object per complaint, and last the summary. */
export function checkObjects(checked: CheckedFile, exitCode: number): JsonLine[] {
  const { file, operation, period, mapping, control, total, byStatus, accounts } = checked;
  const objectOf = ({ code, row, column, cell, ...fault }: Fault): JsonLine => {
    return { code, row, column, cell, ...messageObject(wordsOf({ code, ...fault })) };
  };
  return [
    ...checked.invalid.map((fault) => ({ type: "row", status: "invalid", ...objectOf(fault) })),
    ...checked.held.map((fault) => ({ type: "row", status: "held", ...objectOf(fault) })),
    ...checked.pointedOut.map((fault) => ({ type: "warning", ...objectOf(fault) })),
    {
      ...{ type: "summary", file, operation, period, mapping, exit_code: exitCode },
      ...sumsObject(total, byStatus, accounts),
      ...{ warned: checked.pointedOutCount, control, remarks: remarkTexts(checked.remarks) },
    },
  ];
}

/** What a log says of an event: never a name of a person, an account, a mobile or an e-mail. */
export function logFields(event: RunEvent): JsonLine {
  const {
    type: _,
    batch: _batch,
    amount: _amount,
    by_account: _accounts,
    hint: _hint,
    commands: _commands,
    ...fields
  } = jsonLine(event);
  return fields;
}

/** An event as one line where there is no terminal; undefined for one that is not worth it. */
export function plainLine(event: RunEvent, nowMs: number): string | undefined {
  const isNews = event.type !== "row" || event.alone || event.status === "unknown";
  return isNews ? plain(nowMs, event.batch, event.type, logFields(event)) : undefined;
}

export function plainEnd({ batch, byStatus, exitCode }: BatchReport, nowMs: number): string {
  const accepted = byStatus.accepted?.amount ?? "0.00";
  return plain(nowMs, batch, "end", { ...rowCounts(byStatus), amount_accepted: accepted, exit: exitCode });
}

/** `2026-11-26T15:00:00Z K7Q29F3M row row=2 status=accepted`. */
export function plain(nowMs: number, batch: string, word: string, values: JsonLine): string {
  return [isoSecond(nowMs), batch, word, fieldsText(values)].filter(Boolean).join(" ");
}

/** `row=2 status=accepted`. A value with spaces is quoted. */
export function fieldsText(values: JsonLine): string {
  const told = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [`${name}=${printable(/[\s"=]/.test(text) ? JSON.stringify(text) : text)}`];
  });
  return told.join(" ");
}
