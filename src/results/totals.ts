import { join } from "node:path";
import { formatUnits, rowsIn, Sums, unitsOf } from "../amount.ts";
import { AccountSums } from "../checks/check-file.ts";
import { KEY_REPEATED, NO_PAYMENT } from "../checks/check-row.ts";
import type { ByStatus, ResultStatus, Stop } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import { PROPOSED, waitsForApproval } from "../journal/approval.ts";
import type { BatchRecord, FoundBy, JournalStore, RowFilter, RowRecord, Tallies } from "../journal/store.ts";
import { listed, type Fault } from "../messages/sentence.ts";
import { nextSteps, STATUSES, type SomeRows, type Step, type StepFacts } from "../messages/statuses.ts";
import { formOfPeriod } from "../period.ts";
import type { Row } from "../reader/row.ts";
import { goesAgainAsItIs } from "../submission/again.ts";

const ROWS_PER_PAGE = 500;

/** All rows of a batch in input order, in pages; or those behind one. */
export async function* recordsOf(
  store: Pick<JournalStore, "rows">,
  batch: string,
  only: Pick<RowFilter, "states" | "codes" | "foundBy"> = {},
  behind = -1,
): AsyncGenerator<readonly RowRecord[], void> {
  const pageAfter = (after: number): Promise<readonly RowRecord[]> => {
    const page = store.rows({ batch, ...only, after, limit: ROWS_PER_PAGE });
    // it is asked for while the one before it is worked on, and perhaps not wanted any more
    page.catch(() => undefined);
    return page;
  };
  for (let next: ReturnType<typeof pageAfter> | undefined = pageAfter(behind); next;) {
    const page: readonly RowRecord[] = await next;
    const last = page.at(-1);
    next = last && page.length === ROWS_PER_PAGE ? pageAfter(last.row) : undefined;
    if (last) yield page;
  }
}

/** So many batches are asked for what is found in them at once. */
const BATCHES_AT_ONCE = 100;

/** The rows of these batches that have one of the keys, in their order, in pages. */
export async function* recordsBy(
  store: Pick<JournalStore, "rows">,
  foundBy: readonly FoundBy[],
  batches: readonly string[],
): AsyncGenerator<readonly RowRecord[], void> {
  for (let at = 0; at < batches.length;) {
    const some = batches.slice(at, at + BATCHES_AT_ONCE);
    const page = await store.rows({ batches: some, foundBy, limit: ROWS_PER_PAGE });
    if (page.length > 0) yield page;
    const last = page.length < ROWS_PER_PAGE ? undefined : page.at(-1);
    if (last) yield* recordsOf(store, last.batch, { foundBy }, last.row);
    at += last ? some.indexOf(last.batch) + 1 : some.length;
  }
}

/** Walks file and journal side by side, whatever the sizes of their pages. Throws where they disagree: a bug (I3). */
export async function* lockstep(
  filePages: AsyncIterable<readonly Row[]>,
  journalPages: AsyncGenerator<readonly RowRecord[], void>,
) {
  let page: readonly RowRecord[] = [];
  let at = 0;
  try {
    for await (const rows of filePages) {
      const pairs = [];
      for (const row of rows) {
        if (at === page.length) [page, at] = [(await journalPages.next()).value ?? [], 0];
        const record = page[at++];
        if (record?.row !== row.number)
          throw new Error(`row ${row.number} of the file is ${record?.row} in the journal`);
        pairs.push({ row, record });
      }
      yield pairs;
    }
    const left = page[at] ?? (await journalPages.next()).value?.[0];
    if (left) throw new Error(`the file ends before row ${left.row} of the journal`);
  } finally {
    await journalPages.return();
  }
}

/** What results call a state of the journal: a row whose answer is awaited has no clear answer yet (I4). */
export function statusOf({ state, onItsWay }: Pick<RowRecord, "state" | "onItsWay">): ResultStatus {
  if (state !== "ready") return state;
  return onItsWay ? "unknown" : "not_sent";
}

/**
 * Whether a row stands in the retry file. Unknown rows are left out on purpose, and so is one with a key that stands twice:
 * whichever of the two is written, nobody would have chosen it.
 */
export function isInRetryFile(record: RowRecord): boolean {
  return isToCorrect(record) && record.code !== KEY_REPEATED;
}

/** Whether a corrected file is to send it. */
export function isToCorrect(record: RowRecord): boolean {
  if (record.correctedBy) return false;
  return record.state === "invalid" || (record.state === "rejected" && !goesAgainAsItIs(record));
}

/** Of all statuses those that occur, with what is counted of each, in the order in which people are told of them. */
export function occurringIn<T>(counts: Readonly<Partial<Record<ResultStatus, T>>>): readonly [ResultStatus, T][] {
  const statuses = Object.keys(STATUSES) as readonly ResultStatus[];
  return statuses.flatMap((status) => {
    const count = counts[status];
    return count === undefined ? [] : [[status, count]];
  });
}

/** `: 13 accepted (523750.00), 1 cancelled (41900.00)`, behind a sum of rows that did not all fare alike. */
export function splitText({ tallies }: Sums<ResultStatus>): string {
  const all = occurringIn(Object.fromEntries(tallies) as ByStatus);
  const texts = all.map(([status, { rows, amount }]) => `${rows} ${STATUSES[status].word} (${amount})`);
  return texts.length < 2 ? "" : `: ${texts.join(", ")}`;
}

/** A batch by the statuses that results show, from what the journal counts; rows on their way count as not sent. */
export function byStatusOf({ ready, ...others }: Tallies): ByStatus {
  if (!ready) return others;
  const { rows, amount } = others.not_sent ?? { rows: 0, amount: "0.00" };
  const sum = formatUnits(unitsOf(amount) + unitsOf(ready.amount));
  return { ...others, not_sent: { rows: rows + ready.rows, amount: sum } };
}

/** Rows and exact sums of a batch, and what of its rows a person must know. */
export type Totals = ReturnType<TotalsCollector["totals"]>;

const LOOKED_AT: ReadonlySet<ResultStatus> = new Set(["unknown", "rejected", "invalid", "held"]);
const ROWS_TO_LOOK_AT_MAX = 20;

/** Adds up row by row; memory does not grow with the rows. */
export class TotalsCollector {
  readonly #accounts = new AccountSums<ResultStatus>();
  readonly #byStatus = new Sums<ResultStatus>();
  readonly #rowsToLookAt: Partial<Record<ResultStatus, number[]>> = {};
  readonly #lookedAt: Partial<Record<ResultStatus, number>> = {};
  readonly #remarked = { without_amount: 0, noticed: 0, corrected_since: 0 };
  readonly #correctedIn = new Set<string>();
  #noticedFirst: number | undefined;
  #toCorrect = 0;
  #goesAgain = 0;
  #otherForm: StepFacts["otherForm"];
  #heldFirst: StepFacts["heldFirst"];
  #proposed = 0;
  #otherAccount: number | undefined;

  add(record: RowRecord, debitAccount?: string): void {
    const { amount, row, notices, correctedBy, onItsWay } = record;
    const status = statusOf(record);
    const units = amount === undefined ? 0n : unitsOf(amount);
    this.#byStatus.add(status, units);
    const isPayment = record.code !== NO_PAYMENT;
    if (isPayment) this.#accounts.add(debitAccount, status, units);
    if (isPayment && amount === undefined) this.#remarked.without_amount += 1;
    if (notices.length > 0) {
      this.#remarked.noticed += 1;
      this.#noticedFirst ??= row;
    }
    if (isToCorrect(record)) this.#toCorrect += 1;
    if (correctedBy) {
      this.#remarked.corrected_since += 1;
      this.#correctedIn.add(correctedBy.batch);
    } else if (LOOKED_AT.has(status) && !onItsWay) {
      const rows = (this.#rowsToLookAt[status] ??= []);
      this.#lookedAt[status] = (this.#lookedAt[status] ?? 0) + 1;
      if (rows.length < ROWS_TO_LOOK_AT_MAX) rows.push(row);
    }
    if (goesAgainAsItIs(record)) this.#goesAgain += 1;
    if (status === "held" && record.code === PROPOSED) this.#proposed += 1;
    const isOtherAccount = status === "held" && record.reasons.some(({ code }) => code === "other_account");
    if (isOtherAccount) this.#otherAccount ??= row;
    if (status === "held") this.#heldFirst ??= record.reasons.find(({ isHeld }) => isHeld)?.other;
    const period = status === "held" ? record.reasons.find((reason) => reason.period)?.period : undefined;
    if (period !== undefined) this.#otherForm ??= formOfPeriod(period);
  }

  /**
   * `accounts`: empty where no row names a debit account. `rowsToLookAt`: the first rows of each status that a person must
   * look at, `lookedAt`: how many they are; what is on its way nobody can look up yet. `goesAgain`: rejected rows that
   * were refused for the key or the address. `toCorrect`: rows that a corrected file is to send, and none did.
   * `otherAccount`: the first row that is held because its person was paid to another account.
   * `otherForm`: held rows may be of another period, and only those before them state one, of this form.
   */
  totals() {
    const batches = listed([...this.#correctedIn]) || undefined;
    const remarks = Object.entries(this.#remarked).filter(([, rows]) => rows > 0);
    return {
      total: this.#byStatus.total,
      byStatus: Object.fromEntries(occurringIn(Object.fromEntries(this.#byStatus.tallies))) as ByStatus,
      accounts: this.#accounts.totals(),
      rowsToLookAt: this.#rowsToLookAt as Readonly<Partial<Record<ResultStatus, readonly number[]>>>,
      lookedAt: this.#lookedAt as Readonly<Partial<Record<ResultStatus, number>>>,
      ...{ goesAgain: this.#goesAgain, toCorrect: this.#toCorrect, heldFirst: this.#heldFirst },
      ...{ proposed: this.#proposed, otherAccount: this.#otherAccount, otherForm: this.#otherForm },
      remarks: remarks.map(([code, rows]): Fault => ({ code, facts: { rows, first: this.#noticedFirst, batches } })),
    };
  }
}

/** What a person should do about a batch now. `stopHint`: what the stop of its run says to do. */
export function nextOf(
  batch: BatchRecord,
  { byStatus, rowsToLookAt, lookedAt, goesAgain, otherForm, otherAccount, heldFirst, proposed }: Totals,
  more: Pick<StepFacts, "stop" | "owesResults"> = {},
): readonly Step[] {
  const { id, folder, fileName, phase, onItsWay } = batch;
  const some = (status: ResultStatus): SomeRows => ({
    count: lookedAt[status] ?? 0,
    rows: rowsToLookAt[status] ?? [],
  });
  return nextSteps({
    ...{
      batch: id,
      file: join(folder, fileName),
      phase,
      otherForm,
      ...{ heldFirst, proposed, otherAccount },
      isUnapproved: waitsForApproval(batch),
      ...more,
    },
    ...{ unknown: some("unknown"), held: some("held"), notDone: rowsIn(byStatus, "settled_not_done") },
    // while rows are on their way its run sends the others
    unsent: onItsWay > 0 ? 0 : rowsIn(byStatus, "not_sent") + goesAgain,
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

/** README §10: what a batch means for whoever ran it. What a person cancelled waits for nobody. */
export function exitCodeOfBatch(
  { byStatus, goesAgain }: Pick<Totals, "byStatus" | "goesAgain">,
  {
    stop,
    isElsewhere,
    isCancelled,
  }: { stop?: Pick<Stop, "code"> | undefined; isElsewhere?: boolean; isCancelled?: boolean },
): number {
  const unsentCode = stop?.code === "approval_wanted" ? 6 : 7;
  const isUnsent = stop !== undefined || byStatus.not_sent !== undefined || goesAgain > 0;
  return gravest([
    isElsewhere ? 74 : 0,
    byStatus.unknown ? 4 : 0,
    isUnsent && !isCancelled ? unsentCode : 0,
    rowsIn(byStatus, "rejected", "invalid") > (isCancelled ? goesAgain : 0) ? 3 : 0,
    byStatus.held && !isCancelled ? 6 : 0,
  ]);
}
