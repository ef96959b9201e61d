import type { AccountTotals, ByStatus, Stop } from "../events.ts";
import type { BatchRecord, Run, Tally } from "../journal/store.ts";
import { tellFault } from "../messages/faults.ts";
import { isNews } from "../messages/results.ts";
import { todoLine, type Fault, type Told } from "../messages/sentence.ts";
import { occurringIn, type Totals } from "./totals.ts";

/** The run that the results tell of. Times are milliseconds since 1970. */
export interface RunFacts extends Required<Pick<Run, "startedAt" | "endedAt" | "requests">> {
  readonly stop?: Stop | undefined;
}

/** What the journal knows of the last run of a batch: results that are written again tell of that one. */
export function runFactsOf({ createdAt }: Pick<BatchRecord, "createdAt">, runs: readonly Run[]): RunFacts {
  const { startedAt = createdAt, endedAt = startedAt, requests = 0, stop } = runs.at(-1) ?? {};
  return { startedAt, endedAt, requests, stop: stopOf(stop) };
}

/** The runs with the end of this one, which the journal is told only when the results are written. */
export function runsWith(runs: readonly Run[], { startedAt, stop, ...run }: RunFacts, exitCode: number): Run[] {
  const ended = { ...run, exitCode, ...(stop ? { stop: keptStop(stop) } : {}) };
  return runs.map((one) => (one.endedAt === undefined && one.startedAt === startedAt ? { ...one, ...ended } : one));
}

/** A stop as the journal keeps it (`endRun`): all of it, so that results are the same when they are made again (I11). */
export function keptStop(stop: Stop): string {
  return JSON.stringify(stop);
}

function stopOf(kept: string | undefined): Stop | undefined {
  return kept === undefined ? undefined : (JSON.parse(kept) as Stop);
}

/** The text of `payroll.csv.summary.json`. By its first key it is known as ours. `totals`: with all remarks. */
export function summaryJson(
  batch: BatchRecord,
  totals: Totals,
  { startedAt, endedAt, requests, stop }: RunFacts,
  runs: readonly Run[],
  exitCode: number,
  files: Readonly<Record<string, string>>,
): string {
  const { environment, destination, period, rows, total, fileName: file, sha256, label: operation } = batch;
  const news = batch.remarks.filter(isNews).map(({ code, facts }) => ({ code, ...facts }));
  const summary = {
    ...{ paydrop: { format: 2 }, phase: "ended", batch: batch.id, file, sha256, operation },
    ...{ environment, destination, period },
    control: { in: { rows, total }, out: { rows: totals.total.rows, total: totals.total.amount } },
    ...sumsObject(totals.total, totals.byStatus, totals.accounts),
    ...{ requests, started_at: iso(startedAt), ended_at: iso(endedAt), exit_code: exitCode },
    stop: stop && stopObject(stop),
    since_last_time: news.length > 0 ? news : undefined,
    ...{ runs: runs.map(runObject), files, remarks: remarkTexts(totals.remarks) },
  };
  return `${JSON.stringify(summary, null, 2)}\n`;
}

/** For a program: what people read, and the commands in it as data. */
export function messageObject(words: Told) {
  return { message: words.text, hint: todoLine(words), commands: words.commands };
}

export function stopObject({ code, operation, ...words }: Stop) {
  return { code, ...messageObject(words), operation };
}

export function runObject({ startedAt, endedAt, login, host, by, exitCode, requests, stop }: Run): object {
  const ended_at = endedAt === undefined ? undefined : iso(endedAt);
  const { code } = stopOf(stop) ?? {};
  return { started_at: iso(startedAt), ended_at, login, host, by, exit_code: exitCode, requests, stop: code };
}

export function remarkTexts(remarks: readonly Fault[]): string[] {
  return remarks.map((remark) => tellFault(remark).text);
}

/** `{"rows":{"total":240,"accepted":235,…},"amount":{…},"by_account":[{"account":"ACC-OPS-01","rows":180,…}]}`. */
export function sumsObject(total: Tally, byStatus: ByStatus, accounts: readonly AccountTotals[]) {
  return {
    rows: { total: total.rows, ...rowCounts(byStatus) },
    amount: { total: total.amount, ...amountsOf({ ...ALWAYS_TOLD, ...byStatus }) },
    by_account: accounts.map((one) => ({
      ...{ account: one.account, rows: one.total.rows, total: one.total.amount },
      ...amountsOf(one.byStatus),
    })),
  };
}

const NO_ROWS: Tally = { rows: 0, amount: "0.00" };
/** Monitoring finds these in every summary; others only where they occur. */
const ALWAYS_TOLD: ByStatus = { accepted: NO_ROWS, rejected: NO_ROWS, unknown: NO_ROWS, not_sent: NO_ROWS };

export function rowCounts(byStatus: ByStatus): Record<string, number> {
  const told = occurringIn({ ...ALWAYS_TOLD, ...byStatus });
  return Object.fromEntries(told.map(([status, { rows }]) => [status, rows]));
}

function amountsOf(byStatus: ByStatus): Record<string, string> {
  return Object.fromEntries(occurringIn(byStatus).map(([status, { amount }]) => [status, amount]));
}

export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
