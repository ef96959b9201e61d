import type { AccountTotals, Stop } from "../events.ts";
import type { ResultStatus } from "../journal/state.ts";
import type { BatchRecord, Tally } from "../journal/store.ts";
import { RESULT_STATUSES } from "./status.ts";
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
  readonly mark?: { readonly stateId: string; readonly lastAttempt: number };
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
    paydrop: { format: 1, state_id: run.mark?.stateId, last_attempt: run.mark?.lastAttempt },
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

type ByStatus = Readonly<Partial<Record<ResultStatus, Tally>>>;

/** `{"total":240,"accepted":235,…}`, only statuses that occur. */
export function rowsObject(total: Tally, byStatus: ByStatus): Record<string, number> {
  return { total: total.rows, ...eachStatus(byStatus, (tally) => tally.rows) };
}

/** The same in amounts, as text. */
export function amountObject(total: Tally, byStatus: ByStatus): Record<string, string> {
  return { total: total.amount, ...eachStatus(byStatus, (tally) => tally.amount) };
}

/** `{"account":"ACC-OPS-01","rows":180,"total":"…","accepted":"…",…}`. */
export function accountObject({ account, total, byStatus }: AccountTotals): Record<string, string | number> {
  const amounts = eachStatus(byStatus, (tally) => tally.amount);
  return { account, rows: total.rows, total: total.amount, ...amounts };
}

function eachStatus<T>(byStatus: ByStatus, value: (tally: Tally) => T): Record<string, T> {
  const object: Record<string, T> = {};
  for (const status of RESULT_STATUSES) {
    const tally = byStatus[status];
    if (tally) object[status] = value(tally);
  }
  return object;
}
