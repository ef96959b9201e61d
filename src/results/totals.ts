import { join } from "node:path";
import { formatUnits, unitsOf } from "../amount.ts";
import { ACCOUNTS_MAX, OTHER_ACCOUNTS } from "../checks/check-file.ts";
import { NO_PAYMENT } from "../checks/check-row.ts";
import type { AccountTotals, ByStatus, ResultStatus } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import type { BatchRecord, RowRecord, Tallies, Tally } from "../journal/store.ts";
import { maskAccountId } from "../mask.ts";
import type { Fault } from "../messages/sentence.ts";
import { nextSteps, type SomeRows, STATUSES, type StepFacts } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { goesAgainAsItIs } from "../submission/again.ts";

/** Every status of a results file, in the order in which people are told of them. */
const RESULT_STATUSES = Object.keys(STATUSES) as readonly (keyof typeof STATUSES)[];
export const NO_ROWS: Tally = { rows: 0, amount: "0.00" };

/** What results call a state of the journal: a row whose answer is awaited has no clear answer yet (I4). */
export function statusOf({ state, onItsWay }: Pick<RowRecord, "state" | "onItsWay">): ResultStatus {
  if (state !== "ready") return state;
  return onItsWay ? "unknown" : "not_sent";
}

/** Of these statuses those that occur, with what is counted of each, in the order of people. */
export function occurringIn<T>(counts: Readonly<Partial<Record<ResultStatus, T>>>): readonly [ResultStatus, T][] {
  return RESULT_STATUSES.flatMap((status) => {
    const count = counts[status];
    return count === undefined ? [] : [[status, count]];
  });
}

export function rowsIn(byStatus: ByStatus, ...statuses: readonly ResultStatus[]): number {
  return statuses.reduce((sum, status) => sum + (byStatus[status]?.rows ?? 0), 0);
}

/** A batch by the statuses that results show, from what the journal counts; rows on their way count as not sent. */
export function byStatusOf({ ready, ...others }: Tallies): ByStatus {
  if (!ready) return others;
  const { rows, amount } = others.not_sent ?? NO_ROWS;
  const sum = { rows: rows + ready.rows, amount: formatUnits(unitsOf(amount) + unitsOf(ready.amount)) };
  return { ...others, not_sent: sum };
}

/** Rows and exact sums of a batch, and what of its rows a person must know. */
export interface Totals {
  readonly total: Tally;
  readonly byStatus: ByStatus;
  /** Empty where no row names a debit account. */
  readonly accounts: readonly AccountTotals[];
  /** The first rows of each status that a person must look at. */
  readonly rowsToLookAt: Readonly<Partial<Record<ResultStatus, readonly number[]>>>;
  /** Rejected rows that were refused for the key or the address. */
  readonly goesAgain: number;
  readonly remarks: readonly Fault[];
}

interface Sum {
  rows: number;
  units: bigint;
}

type Sums = Map<ResultStatus, Sum>;

const LOOKED_AT: ReadonlySet<ResultStatus> = new Set(["unknown", "rejected", "invalid", "held"]);
const ROWS_TO_LOOK_AT_MAX = 20;
const NO_ACCOUNT = "(none)";

/** Adds up row by row; memory does not grow with the rows. */
export class TotalsCollector {
  readonly #accounts = new Map<string, Sums>();
  readonly #all: Sums = new Map();
  readonly #rowsToLookAt: Partial<Record<ResultStatus, number[]>> = {};
  readonly #remarked = { without_amount: 0, noticed: 0, corrected_since: 0 };
  #noticedFirst: number | undefined;
  #goesAgain = 0;

  add(record: RowRecord, debitAccount: string | undefined): void {
    const { amount, row, notices, correctedBy } = record;
    const status = statusOf(record);
    const units = amount === undefined ? 0n : unitsOf(amount);
    addTo(this.#all, status, units);
    addTo(this.#sumsOf(debitAccount ?? NO_ACCOUNT), status, units);
    if (amount === undefined && record.code !== NO_PAYMENT) this.#remarked.without_amount += 1;
    if (notices.length > 0) this.#remarked.noticed += 1;
    if (notices.length > 0) this.#noticedFirst ??= row;
    if (correctedBy) this.#remarked.corrected_since += 1;
    else if (LOOKED_AT.has(status)) this.#lookAt(status, row);
    if (goesAgainAsItIs(record)) this.#goesAgain += 1;
  }

  totals(): Totals {
    const isNamed = [...this.#accounts.keys()].some((name) => name !== NO_ACCOUNT);
    const remarks = Object.entries(this.#remarked).filter(([, rows]) => rows > 0);
    return {
      total: totalOf(this.#all),
      byStatus: talliesOf(this.#all),
      accounts: isNamed ? this.#accountTotals() : [],
      rowsToLookAt: this.#rowsToLookAt,
      goesAgain: this.#goesAgain,
      remarks: remarks.map(([code, rows]) => ({ code, facts: { rows, first: this.#noticedFirst } })),
    };
  }

  #sumsOf(account: string): Sums {
    const isKnown = this.#accounts.has(account) || this.#accounts.size < ACCOUNTS_MAX;
    const name = isKnown ? account : OTHER_ACCOUNTS;
    const sums = this.#accounts.get(name) ?? new Map<ResultStatus, Sum>();
    this.#accounts.set(name, sums);
    return sums;
  }

  #lookAt(status: ResultStatus, row: number): void {
    const rows = (this.#rowsToLookAt[status] ??= []);
    if (rows.length < ROWS_TO_LOOK_AT_MAX) rows.push(row);
  }

  /** Two accounts may look the same when they are masked: the later ones get a number, in the order of the file. */
  #accountTotals(): AccountTotals[] {
    const times = new Map<string, number>();
    return [...this.#accounts].map(([name, sums]) => {
      const masked = printable(maskAccountId(name), 60);
      const time = (times.get(masked) ?? 0) + 1;
      times.set(masked, time);
      const account = time === 1 ? masked : `${masked} (${time})`;
      return { account, total: totalOf(sums), byStatus: talliesOf(sums) };
    });
  }
}

function addTo(sums: Sums, status: ResultStatus, units: bigint): void {
  const sum = sums.get(status) ?? { rows: 0, units: 0n };
  sum.rows += 1;
  sum.units += units;
  sums.set(status, sum);
}

function totalOf(sums: Sums): Tally {
  const all = [...sums.values()];
  const units = all.reduce((sum, one) => sum + one.units, 0n);
  return { rows: all.reduce((sum, one) => sum + one.rows, 0), amount: formatUnits(units) };
}

function talliesOf(sums: Sums): ByStatus {
  return Object.fromEntries([...sums].map(([status, sum]) => [status, totalOf(new Map([[status, sum]]))]));
}

/** What a person should do about a batch now. `stopHint`: what the stop of its run says to do. */
export function nextOf(
  batch: BatchRecord,
  totals: Totals,
  { stopHint, owesResults }: Pick<StepFacts, "stopHint" | "owesResults"> = {},
): string[] {
  const { byStatus, rowsToLookAt, goesAgain } = totals;
  const rowsOf = (status: ResultStatus): SomeRows => ({
    count: rowsIn(byStatus, status),
    rows: rowsToLookAt[status] ?? [],
  });
  return nextSteps({
    ...{
      batch: batch.id,
      file: join(batch.folder, batch.fileName),
      phase: batch.phase,
      period: batch.period,
      stopHint,
      owesResults,
    },
    ...{ unknown: rowsOf("unknown"), held: rowsOf("held"), notDone: rowsIn(byStatus, "settled_not_done") },
    // while rows are on their way its run sends the others
    unsent: batch.onItsWay > 0 ? 0 : rowsIn(byStatus, "not_sent") + goesAgain,
  });
}

/** I13: what went in is what stands in the results, to the last row and paisa. Throws when it does not: a bug. */
export function assertControlTotals(
  { total: out }: Totals,
  { rows, total }: Pick<BatchRecord, "rows" | "total">,
): void {
  if (out.rows === rows && unitsOf(out.amount) === unitsOf(total)) return;
  throw new Error(`the results hold ${out.rows} rows, ${out.amount}; the file held ${rows} rows, ${total}`);
}

/** DESIGN §10: what a batch means for whoever ran it. What a person cancelled waits for nobody. */
export function exitCodeOfBatch(
  { byStatus, goesAgain }: Pick<Totals, "byStatus" | "goesAgain">,
  { stop, isElsewhere, isCancelled }: { stop?: object | undefined; isElsewhere?: boolean; isCancelled?: boolean },
): number {
  const isUnsent = stop !== undefined || byStatus.not_sent !== undefined || goesAgain > 0;
  return gravest([
    isElsewhere ? 74 : 0,
    byStatus.unknown ? 4 : 0,
    isUnsent && !isCancelled ? 7 : 0,
    rowsIn(byStatus, "rejected", "invalid") > (isCancelled ? goesAgain : 0) ? 3 : 0,
    byStatus.held && !isCancelled ? 6 : 0,
  ]);
}
