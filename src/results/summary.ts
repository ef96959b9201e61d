import type { AccountTotals, ByStatus, Stop } from "../events.ts";
import type { BatchRecord, Run, Tally } from "../journal/store.ts";
import { tellFault } from "../messages/faults.ts";
import type { Fault } from "../messages/sentence.ts";
import { NO_ROWS, occurringIn, type Totals } from "./totals.ts";

/** The run that the results tell of. Times are milliseconds since 1970. */
export interface RunFacts {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Requests that may have left the machine. */
  readonly requests: number;
  readonly stop?: Stop | undefined;
}

/** What the journal knows of the last run of a batch: results that are written again tell of that one. */
export function runFactsOf({ createdAt }: Pick<BatchRecord, "createdAt">, runs: readonly Run[]): RunFacts {
  const { startedAt = createdAt, endedAt = startedAt, requests = 0, stop } = runs.at(-1) ?? {};
  return { startedAt, endedAt, requests, stop: stop === undefined ? undefined : stopOf(stop) };
}

/** The runs with the end of this one, which the journal is told only when the results are written. */
export function runsWith(runs: readonly Run[], run: RunFacts, exitCode: number): readonly Run[] {
  const { startedAt, endedAt, requests, stop } = run;
  const ended = { endedAt, requests, exitCode, ...(stop ? { stop: keptStop(stop) } : {}) };
  return runs.map((one) => (one.endedAt === undefined && one.startedAt === startedAt ? { ...one, ...ended } : one));
}

/** A stop as the journal keeps it (`endRun`): all of it, so that results are the same when they are made again (I11). */
export function keptStop({ code, message, hint, operation }: Stop): string {
  return JSON.stringify({ code, message, hint, operation });
}

function stopOf(kept: string): Stop {
  return JSON.parse(kept) as Stop;
}

/** The text of `payroll.csv.summary.json`. By its first key it is known as ours. */
export function summaryJson(
  batch: BatchRecord,
  totals: Totals,
  { startedAt, endedAt, requests, stop }: RunFacts,
  runs: readonly Run[],
  exitCode: number,
  files: Readonly<Record<string, string>>,
): string {
  const { environment, destination, period, rows, total, fileName: file, sha256, label: operation } = batch;
  const summary = {
    ...{ paydrop: { format: 2 }, phase: "ended", batch: batch.id, file, sha256, operation },
    ...{ environment, destination, period },
    control: { in: { rows, total }, out: { rows: totals.total.rows, total: totals.total.amount } },
    ...sumsObject(totals.total, totals.byStatus, totals.accounts),
    ...{ requests, started_at: iso(startedAt), ended_at: iso(endedAt), exit_code: exitCode, stop },
    ...{ runs: runs.map(runObject), files, remarks: remarkTexts([...batch.remarks, ...totals.remarks]) },
  };
  return `${JSON.stringify(summary, null, 2)}\n`;
}

export function runObject({ startedAt, endedAt, login, host, by, exitCode, requests, stop }: Run): object {
  const code = stop === undefined ? undefined : stopOf(stop).code;
  const ended_at = endedAt === undefined ? undefined : iso(endedAt);
  return { started_at: iso(startedAt), ended_at, login, host, by, exit_code: exitCode, requests, stop: code };
}

export function remarkTexts(remarks: readonly Fault[]): string[] {
  return remarks.map((remark) => tellFault(remark).text);
}

/** Monitoring finds these in every summary; others only where they occur. */
const ALWAYS_TOLD: ByStatus = { accepted: NO_ROWS, rejected: NO_ROWS, unknown: NO_ROWS, not_sent: NO_ROWS };

/** `{"rows":{"total":240,"accepted":235,…},"amount":{…},"by_account":[{"account":"ACC-OPS-01","rows":180,…}]}`. */
export function sumsObject(total: Tally, byStatus: ByStatus, accounts: readonly AccountTotals[]) {
  return {
    rows: { total: total.rows, ...rowCounts(byStatus) },
    amount: { total: total.amount, ...eachStatus({ ...ALWAYS_TOLD, ...byStatus }, ({ amount }) => amount) },
    by_account: accounts.map((one) => ({
      ...{ account: one.account, rows: one.total.rows, total: one.total.amount },
      ...eachStatus(one.byStatus, ({ amount }) => amount),
    })),
  };
}

export function rowCounts(byStatus: ByStatus): Record<string, number> {
  return eachStatus({ ...ALWAYS_TOLD, ...byStatus }, ({ rows }) => rows);
}

function eachStatus<T>(byStatus: ByStatus, value: (tally: Tally) => T): Record<string, T> {
  return Object.fromEntries(occurringIn(byStatus).map(([status, tally]) => [status, value(tally)]));
}

export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
