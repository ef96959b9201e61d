import { withoutGroupsOfAccount } from "../account.ts";
import { unitsOf } from "../amount.ts";
import type { HoldCode } from "../checks/duplicates/duplicates.ts";
import { counted } from "../text/counted.ts";
import type { AccountTotals } from "../events.ts";
import type { ResultStatus } from "../journal/state.ts";
import type { BatchRecord, ByStatus, Tally } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import { maskAccountId } from "../text/mask.ts";
import { printable } from "../text/printable.ts";
import { isResumable } from "../reason.ts";
import { statusOf } from "./words/status.ts";
import { addInto, tallies, tally, totalOf, type Sum, type Sums } from "./sums.ts";

/** Rows and exact sums of a batch. */
export interface Totals {
  readonly total: Tally;
  readonly byStatus: ByStatus;
  /** Empty where no row names a debit account. */
  readonly accounts: readonly AccountTotals[];
  /** The first rows of each kind that a person must look at. */
  readonly rowsToLookAt: Readonly<Partial<Record<ResultStatus, readonly number[]>>>;
  /** Rejected rows that were refused for the key or the address. */
  readonly goesAgain: number;
  /**
   * Ids of the first batches that held rows may repeat, where these may be another month's; undefined: none is named.
   */
  readonly asksMonthBeside: readonly (string | undefined)[];
  /** Rows whose amount could not be read: they are in no sum. A totals row has none of its own. */
  readonly withoutAmount: number;
  /** Sentences about those, about rows with warnings, and about accepted rows whose answers were odd. */
  readonly remarks: readonly string[];
}

const LOOKED_AT: ReadonlySet<ResultStatus> = new Set(["unknown", "rejected", "invalid", "held"]);
const MAY_BE_ANOTHER_MONTHS: ReadonlySet<string | undefined> = new Set<HoldCode>(["same_file", "possible_duplicate"]);
const ROWS_TO_LOOK_AT_MAX = 20;
const BATCHES_ASKED_MAX = 20;
const ACCOUNTS_MAX = 1000;
const NO_ACCOUNT = "(none)";
const OTHER_ACCOUNTS = "(others)";

/** Adds up row by row; memory does not grow with the rows. */
export class TotalsCollector {
  readonly #accounts = new Map<string, Sums>();
  readonly #rowsToLookAt: Partial<Record<ResultStatus, number[]>> = {};
  readonly #oddAnswers: number[] = [];
  #goesAgain = 0;
  readonly #asksMonthBeside = new Set<string | undefined>();
  #corrected = 0;
  #withoutAmount = 0;
  #oddAnswersCount = 0;
  #warnedCount = 0;
  #warnedFirst = 0;

  /** `period`: of the row itself. No other one can be stated for it. */
  add(record: RowRecord, debitAccount: string | undefined, period?: string): void {
    const status = statusOf(record.state);
    const sum = this.#sumOf(debitAccount === undefined ? NO_ACCOUNT : withoutGroupsOfAccount(debitAccount), status);
    sum.rows += 1;
    if (record.amount !== undefined) sum.units += unitsOf(record.amount);
    else if (record.faults?.[0]?.code !== "totals_row") this.#withoutAmount += 1;
    if (record.warnings) this.#noteWarned(record.number);
    if (record.correctedBy) this.#corrected += 1;
    else if (LOOKED_AT.has(status)) this.#lookAt(status, record.number);
    if (isResumable(record)) this.#goesAgain += 1;
    const asksMonth = record.state === "held" && MAY_BE_ANOTHER_MONTHS.has(record.code) && period === undefined;
    if (asksMonth) this.#noteAskedMonth(record);
    if (record.code === "accepted_reports_failure" && status === "accepted") this.#noteOddAnswer(record.number);
  }

  totals(): Totals {
    const all: Sums = new Map();
    for (const sums of this.#accounts.values()) addInto(all, sums);
    const names = [...this.#accounts.keys()];
    return {
      total: tally(totalOf(all)),
      byStatus: tallies(all),
      accounts: names.every((name) => name === NO_ACCOUNT) ? [] : this.#accountTotals(),
      rowsToLookAt: this.#rowsToLookAt,
      goesAgain: this.#goesAgain,
      asksMonthBeside: [...this.#asksMonthBeside],
      withoutAmount: this.#withoutAmount,
      remarks: this.#remarks(),
    };
  }

  #sumOf(account: string, status: ResultStatus): Sum {
    const known = this.#accounts.has(account) || this.#accounts.size < ACCOUNTS_MAX;
    const name = known ? account : OTHER_ACCOUNTS;
    let sums = this.#accounts.get(name);
    if (!sums) this.#accounts.set(name, (sums = new Map<ResultStatus, Sum>()));
    let sum = sums.get(status);
    if (!sum) sums.set(status, (sum = { rows: 0, units: 0n }));
    return sum;
  }

  #lookAt(status: ResultStatus, row: number): void {
    const rows = (this.#rowsToLookAt[status] ??= []);
    if (rows.length < ROWS_TO_LOOK_AT_MAX) rows.push(row);
  }

  #noteAskedMonth({ operation, other }: RowRecord): void {
    const isFull = this.#asksMonthBeside.size >= BATCHES_ASKED_MAX;
    if (operation !== "loan" && !isFull) this.#asksMonthBeside.add(other?.batch);
  }

  #noteOddAnswer(row: number): void {
    this.#oddAnswersCount += 1;
    if (this.#oddAnswers.length < 5) this.#oddAnswers.push(row);
  }

  #noteWarned(row: number): void {
    if (this.#warnedCount === 0) this.#warnedFirst = row;
    this.#warnedCount += 1;
  }

  /** Two accounts may look the same when they are masked: the later ones get a number, in the order of the file. */
  #accountTotals(): AccountTotals[] {
    const times = new Map<string, number>();
    return [...this.#accounts].map(([name, sums]) => {
      const masked = printable(maskAccountId(name), 60);
      const time = (times.get(masked) ?? 0) + 1;
      times.set(masked, time);
      const account = time === 1 ? masked : `${masked} (${time})`;
      return { account, total: tally(totalOf(sums)), byStatus: tallies(sums) };
    });
  }

  #remarks(): string[] {
    const remarks = [remarkOnSums(this.#withoutAmount), this.#warnedRemark(), this.#oddAnswersRemark()];
    return [...remarks.flat(), ...correctedRemark(this.#corrected)];
  }

  #warnedRemark(): string[] {
    if (this.#warnedCount === 0) return [];
    const rows = this.#warnedCount === 1 ? "row" : `${this.#warnedCount} rows, first row`;
    return [`something to look at in ${rows} ${this.#warnedFirst}: see result_message`];
  }

  #oddAnswersRemark(): string[] {
    if (this.#oddAnswersCount === 0) return [];
    const more = this.#oddAnswersCount - this.#oddAnswers.length;
    const rows = `${this.#oddAnswers.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    return [`accepted, but the answer speaks of a problem: look at row ${rows} in the dashboard`];
  }
}

/** Corrected rows keep their status: the batch of the correction tells what went in their place. */
function correctedRemark(rows: number): string[] {
  if (rows === 0) return [];
  return [
    `${counted(rows)} that ${rows === 1 ? "was" : "were"} rejected or invalid went since, corrected: see result_message`,
  ];
}

/** "Equals the file" is said of what can be added up. */
export function remarkOnSums(rowsWithoutAmount: number): string[] {
  if (rowsWithoutAmount === 0) return [];
  const isOne = rowsWithoutAmount === 1;
  return [`the amount of ${counted(rowsWithoutAmount)} cannot be read: ${isOne ? "it is" : "they are"} in no sum`];
}

/** I13: what went in is what stands in the results, to the last row and paisa. Throws when it does not: a bug. */
export function assertControlTotals(totals: Totals, batch: BatchRecord): void {
  const { rows, amount } = totals.total;
  if (rows === batch.rows && unitsOf(amount) === unitsOf(batch.total)) return;
  throw new Error(`the results hold ${rows} rows, ${amount}; the file held ${batch.rows} rows, ${batch.total}`);
}
