import type { AccountTotals, Stop } from "../events.ts";
import type { BatchRecord, ByStatus, Tally } from "../journal/batch-record.ts";
import type { Mark } from "../journal/store.ts";
import { occurringIn } from "./words/status.ts";
import { NO_ROWS } from "./sums.ts";
import type { Totals } from "./totals.ts";

/** What the run knows and neither journal nor file do. Times are milliseconds since 1970. */
export interface RunFacts {
  /** `payout, option B`; `mixed`. */
  readonly operation: string;
  readonly requests: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly stop?: Stop;
  /** I12: what the journal must still know when this file is seen again. */
  readonly mark?: Mark;
}

/** The first key of every summary: by it the file is known as ours, and the journal by its mark (I12). */
export function ownKey(mark: Mark | undefined): Record<string, unknown> {
  if (!mark) return { format: 1 };
  return {
    format: 1,
    state_id: mark.stateId,
    last_attempt: mark.lastAttempt,
    last_attempt_at: mark.lastAttempt === 0 ? undefined : new Date(mark.lastAttemptAt).toISOString(),
  };
}

/**
 * The summary while rows are being sent: nothing but the mark that a crash must leave behind. `keeper`: the process that
 * sends.
 */
export function runningSummaryJson(batch: BatchRecord, startedAt: number, mark: Mark, keeper: string): string {
  const { id, fileName: file, sha256, environment, destination } = batch;
  const started_at = new Date(startedAt).toISOString();
  const summary = { paydrop: ownKey(mark), phase: "running", batch: id, file, sha256, environment, destination };
  return `${JSON.stringify({ ...summary, started_at, keeper }, null, 2)}\n`;
}

/** The text of `payroll.csv.summary.json`. By its first key it is known as ours. */
export function summaryJson(
  batch: BatchRecord,
  totals: Totals,
  run: RunFacts,
  exitCode: number,
  files: Readonly<Record<string, string>>,
): string {
  const summary = {
    paydrop: ownKey(run.mark),
    phase: "ended",
    batch: batch.id,
    file: batch.fileName,
    sha256: batch.sha256,
    operation: run.operation,
    environment: batch.environment,
    destination: batch.destination,
    period: batch.period,
    control: {
      in: { rows: batch.rows, total: batch.total },
      out: { rows: totals.total.rows, total: totals.total.amount },
    },
    rows: rowsObject(totals.total, totals.byStatus),
    amount: amountObject(totals.total, totals.byStatus),
    by_account: totals.accounts.map(accountObject),
    requests: run.requests,
    started_at: new Date(run.startedAt).toISOString(),
    ended_at: new Date(run.endedAt).toISOString(),
    exit_code: exitCode,
    stop: run.stop,
    files,
    remarks: [...batch.remarks, ...totals.remarks],
  };
  return `${JSON.stringify(summary, null, 2)}\n`;
}

/** `{"total":240,"accepted":235,"rejected":3,"unknown":2,"not_sent":0}`: others than these four only where they occur. */
export function rowsObject(total: Tally, byStatus: ByStatus): Record<string, number> {
  return { total: total.rows, ...rowCounts(byStatus) };
}

export function rowCounts(byStatus: ByStatus): Record<string, number> {
  return eachStatus({ ...ALWAYS_TOLD, ...byStatus }, (tally) => tally.rows);
}

/** The same in amounts, as text. */
export function amountObject(total: Tally, byStatus: ByStatus): Record<string, string> {
  return { total: total.amount, ...eachStatus({ ...ALWAYS_TOLD, ...byStatus }, (tally) => tally.amount) };
}

/** Monitoring finds these in every summary. */
const ALWAYS_TOLD: ByStatus = { accepted: NO_ROWS, rejected: NO_ROWS, unknown: NO_ROWS, not_sent: NO_ROWS };

/** `{"account":"ACC-OPS-01","rows":180,"total":"…","accepted":"…",…}`. */
export function accountObject({ account, total, byStatus }: AccountTotals): Record<string, string | number> {
  const amounts = eachStatus(byStatus, (tally) => tally.amount);
  return { account, rows: total.rows, total: total.amount, ...amounts };
}

function eachStatus<T>(byStatus: ByStatus, value: (tally: Tally) => T): Record<string, T> {
  return Object.fromEntries(occurringIn(byStatus).map(([status, tally]) => [status, value(tally)]));
}
