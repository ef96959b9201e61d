import type { BatchReport, RunEvent, WrittenFiles } from "../events.ts";
import { correctionsObject } from "./words/correction-words.ts";
import { mappingObject } from "./words/mapping-words.ts";
import { accountObject, amountObject, rowsObject } from "./summary.ts";

/** A line of `--json`: amounts as text, times in UTC. Keys are only ever added. */
export type JsonLine = Readonly<Record<string, unknown>> & { readonly type: string };

/** What a run tells, one object per event. */
export function jsonLine(event: RunEvent): JsonLine {
  switch (event.type) {
    case "start":
      return {
        type: "start",
        batch: event.batch,
        file: event.file,
        operation: event.operation,
        destination: event.destination,
        rows: event.rows,
        total: event.total,
        by_account: event.accounts.map(accountObject),
        to_send: event.toSend,
        resumed: event.resumed,
        ...(event.period === undefined ? {} : { period: event.period }),
        ...(event.corrections ? { corrections: correctionsObject(event.corrections) } : {}),
        ...(event.mapping ? { mapping: mappingObject(event.mapping) } : {}),
      };
    case "row":
      return {
        type: "row",
        batch: event.batch,
        row: event.row,
        status: event.status,
        reason: event.reason,
        http_status: event.httpStatus,
        amount: event.amount,
        attempts: event.attempts,
        sent_at: event.sentAt === undefined ? undefined : new Date(event.sentAt).toISOString(),
        duration_ms: event.durationMs === undefined ? undefined : Math.round(event.durationMs),
      };
    case "waiting":
      return { type: "waiting", batch: event.batch, reason: event.reason, wait_ms: event.waitMs };
    case "stopped":
      return { type: "stopped", batch: event.batch, ...event.stop, remaining: event.remaining };
    default:
      return event satisfies never;
  }
}

/** The last line of a batch. */
export function jsonSummary(report: BatchReport): JsonLine {
  return {
    type: "summary",
    batch: report.batch,
    file: report.file,
    operation: report.operation,
    destination: report.destination,
    exit_code: report.exitCode,
    rows: rowsObject(report.total, report.byStatus),
    amount: amountObject(report.total, report.byStatus),
    by_account: report.accounts.map(accountObject),
    requests: report.requests,
    sent_before: report.sentBefore === undefined ? undefined : new Date(report.sentBefore).toISOString(),
    started_at: new Date(report.startedAt).toISOString(),
    duration_ms: Math.round(report.durationMs),
    stop: report.stop,
    remarks: report.remarks,
    rows_to_look_at: report.rowsToLookAt,
    files: filesObject(report.files),
  };
}

/** Where the files out lie. */
export function filesObject(files: WrittenFiles): Readonly<Record<string, unknown>> {
  return {
    results: files.results,
    retry: files.retry,
    retry_rows: files.retryRows,
    summary: files.summary,
    kept: files.kept,
    elsewhere: files.elsewhere,
  };
}
