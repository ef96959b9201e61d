import { formatUnits, isSameAmount, unitsOf } from "../amount.ts";
import { dayOf } from "../day.ts";
import type { Fault } from "../messages/sentence.ts";
import { batchNamed, GONE } from "./circumstances.ts";
import type { BatchRecord, Compared, JournalStore } from "./store.ts";

const PAGE_ROWS = 1000;
/** Who pays so many people reads no list of them. */
const ROWS_MAX = 100_000;
/** So many earlier batches are looked at for the one of last time, by so many rows of the file. */
const BATCHES_LOOKED_AT = 12;
const SAMPLE_ROWS = 200;
const TOLD_MAX = 5;
/** So many of each kind can be shown. */
const KEPT_MAX = 100;
/** So many times as much as last time: a digit too many makes ten times, where the amount is not a little lower. */
const MANY_TIMES = 5n;

/**
 * What is new of a file since last time (README §16), as remarks, the gravest first: other accounts, new payees, those who are
 * gone, other amounts, amounts many times as high. Nothing of the first file ever, and of one that names the rows that it
 * corrects. The batch is written down, and need not be judged.
 */
export async function whatIsNew(store: JournalStore, id: string): Promise<readonly Fault[]> {
  const news = await newsOf(store, id);
  if (news === "too_many") return [{ code: "not_compared", facts: { most: ROWS_MAX } }];
  return news?.remarks() ?? [];
}

/** The same, row by row: the first of each kind. undefined: it is the first one of its kind, or corrects another one. */
export async function newsOf(store: JournalStore, id: string): Promise<News | "too_many" | undefined> {
  const batch = await batchNamed(store, id);
  const earlier = await earlierOnes(store, batch);
  if (earlier.length === 0) return undefined;
  if (batch.rows > ROWS_MAX) return "too_many";
  const [first] = await store.rows({ batch: id, states: ["ready", "held"], limit: 1 });
  if (first?.retryOf) return undefined;
  const before = await lastTime(store, batch, earlier);
  const found = new News(before);
  for await (const page of pagesOf(store, id, before?.id)) for (const row of page) found.add(row);
  if (!before) return found;
  // of a file with few of those people nobody asks where the others are
  const isWhole = found.rowsThere * 2 >= before.rows;
  for await (const page of isWhole ? pagesOf(store, before.id, id) : []) for (const row of page) found.addBefore(row);
  return found;
}

/** Of the same kind, of which something went; the newest first. */
async function earlierOnes(
  store: JournalStore,
  { id, environment, label }: BatchRecord,
): Promise<readonly BatchRecord[]> {
  const newest = await store.batches({ environment, newest: BATCHES_LOOKED_AT * 4 });
  const went = ({ tallies }: BatchRecord): boolean => GONE.some((state) => tallies[state]);
  return newest
    .filter((one) => one.id !== id && one.label === label && went(one))
    .slice(-BATCHES_LOOKED_AT)
    .reverse();
}

/** The newest one with half of the people of this one. */
async function lastTime(
  store: JournalStore,
  { id }: BatchRecord,
  earlier: readonly BatchRecord[],
): Promise<BatchRecord | undefined> {
  for (const one of earlier) {
    const sample = await store.compared(id, { after: -1, limit: SAMPLE_ROWS, other: one.id });
    if (sample.length > 0 && sample.filter(({ there }) => there).length * 2 >= sample.length) return one;
  }
  return undefined;
}

async function* pagesOf(
  store: JournalStore,
  batch: string,
  other: string | undefined,
): AsyncGenerator<readonly Compared[]> {
  for (let after = -1; ;) {
    const page = await store.compared(batch, { after, limit: PAGE_ROWS, other });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.row;
  }
}

/** One row that is not as last time. `before`: of its person, or its amount, then. */
export interface NewsRow extends Pick<Compared, "row" | "amount" | "last4"> {
  readonly before?: { readonly amount?: string; readonly last4?: string | null };
}

/** Rows of one kind: how many, their sum, and the first of them. */
class Kind {
  rows = 0;
  units = 0n;
  unitsBefore = 0n;
  readonly first: NewsRow[] = [];

  add(one: NewsRow): void {
    this.rows += 1;
    this.units += unitsOf(one.amount);
    this.unitsBefore += unitsOf(one.before?.amount ?? "0");
    if (this.first.length < KEPT_MAX) this.first.push(one);
  }

  get sum(): string {
    return formatUnits(this.units);
  }

  get sumBefore(): string {
    return formatUnits(this.unitsBefore);
  }

  facts(shown: (row: NewsRow) => string) {
    const first = this.first.slice(0, TOLD_MAX).map(shown);
    const more = this.rows - first.length;
    return { rows: this.rows, sum: this.sum, first: [...first, ...(more > 0 ? [`${more} more`] : [])].join("; ") };
  }
}

const hidden = (last4: string | null | undefined): string =>
  last4 === null || last4 === undefined ? "" : ` ••${last4}`;

/** What of a file is not as it was in the one before it. */
export class News {
  /** The batch of last time, where there is one. */
  readonly before: BatchRecord | undefined;
  rowsThere = 0;
  readonly accounts = new Kind();
  readonly payees = new Kind();
  /** Their rows are those of the batch before. */
  readonly gone = new Kind();
  readonly amounts = new Kind();
  readonly manyTimes = new Kind();

  constructor(before: BatchRecord | undefined) {
    this.before = before;
  }

  add({ row, amount, last4, there, isPayeeKnown, toPerson }: Compared): void {
    const one: NewsRow = { row, amount, ...(last4 !== undefined && { last4 }) };
    if (toPerson && !toPerson.isHere) this.accounts.add({ ...one, before: { last4: toPerson.last4 } });
    else if (!there && !isPayeeKnown && !toPerson) this.payees.add(one);
    if (!there) return;
    this.rowsThere += 1;
    const before = there.amount;
    if (before === null || isSameAmount(before, amount)) return;
    this.amounts.add({ ...one, before: { amount: before } });
    if (unitsOf(amount) >= unitsOf(before) * MANY_TIMES) this.manyTimes.add({ ...one, before: { amount: before } });
  }

  /** A row of last time. */
  addBefore({ row, state, amount, last4, there }: Compared): void {
    if (!there && GONE.includes(state)) this.gone.add({ row, amount, ...(last4 !== undefined && { last4 }) });
  }

  remarks(): readonly Fault[] {
    const { before } = this;
    const since = before ? { other: before.id, day: dayOf(before.createdAt) } : {};
    const changed = ({ row, before: then, amount }: NewsRow): string => `row ${row} ${then?.amount ?? ""} → ${amount}`;
    const moved = ({ row, before: then, last4 }: NewsRow): string =>
      `row ${row}${then?.last4 ? `${hidden(then.last4)} →` : ""}${hidden(last4)}`;
    const kinds = [
      ["other_accounts", this.accounts, moved, {}],
      ["new_payees", this.payees, ({ row, last4 }: NewsRow) => `row ${row}${hidden(last4)}`, {}],
      ["gone_payees", this.gone, ({ last4 }: NewsRow) => hidden(last4).trim(), since],
      ["many_times", this.manyTimes, changed, since],
      ["other_amounts", this.amounts, changed, { ...since, then: this.amounts.sumBefore }],
    ] as const;
    const told = kinds.flatMap(([code, kind, shown, more]): Fault[] =>
      kind.rows === 0 ? [] : [{ code, facts: { ...kind.facts(shown), ...more } }],
    );
    return told.length === 0 && before ? [{ code: "as_last_time", facts: since }] : told;
  }
}
