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
/** So many times as much as last time: a digit too many makes ten times, where the amount is not a little lower. */
const MANY_TIMES = 5n;

/**
 * What is new of a file since last time (README §16), as remarks, the gravest first: other accounts, new payees, those who are
 * gone, other amounts, amounts many times as high. Nothing of the first file ever, and of one that names the rows that it
 * corrects. The batch is written down, and need not be judged.
 */
export async function whatIsNew(store: JournalStore, id: string): Promise<readonly Fault[]> {
  const batch = await batchNamed(store, id);
  const earlier = await earlierOnes(store, batch);
  if (earlier.length === 0) return [];
  if (batch.rows > ROWS_MAX) return [{ code: "not_compared", facts: { most: ROWS_MAX } }];
  const [first] = await store.rows({ batch: id, states: ["ready", "held"], limit: 1 });
  if (first?.retryOf) return [];
  const before = await lastTime(store, batch, earlier);
  const found = new News();
  for await (const page of pagesOf(store, id, before?.id)) for (const row of page) found.add(row);
  if (!before) return found.remarks();
  // of a file with few of those people nobody asks where the others are
  const isWhole = found.rowsThere * 2 >= before.rows;
  for await (const page of isWhole ? pagesOf(store, before.id, id) : []) for (const row of page) found.addBefore(row);
  return found.remarks(before);
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

/** Rows of one kind: how many, their sum, and the first of them. */
class Kind {
  rows = 0;
  units = 0n;
  readonly first: string[] = [];

  add(amount: string, shown: string): void {
    this.rows += 1;
    this.units += unitsOf(amount);
    if (this.first.length < TOLD_MAX) this.first.push(shown);
  }

  facts() {
    const more = this.rows - this.first.length;
    const first = more > 0 ? [...this.first, `${more} more`] : this.first;
    return { rows: this.rows, sum: formatUnits(this.units), first: first.join("; ") };
  }
}

class News {
  rowsThere = 0;
  readonly #accounts = new Kind();
  readonly #new = new Kind();
  readonly #gone = new Kind();
  readonly #amounts = new Kind();
  readonly #manyTimes = new Kind();
  #unitsBefore = 0n;

  add({ row, amount, last4, there, isPayeeKnown, toPerson }: Compared): void {
    const account = last4 === undefined ? "" : ` ••${last4}`;
    if (toPerson && !toPerson.isHere) {
      const was = toPerson.last4 === null ? "" : ` ••${toPerson.last4} →`;
      this.#accounts.add(amount, `row ${row}${was}${account}`);
    } else if (!there && !isPayeeKnown && !toPerson) this.#new.add(amount, `row ${row}${account}`);
    if (!there) return;
    this.rowsThere += 1;
    const before = there.amount;
    if (before === null || isSameAmount(before, amount)) return;
    this.#unitsBefore += unitsOf(before);
    this.#amounts.add(amount, `row ${row} ${before} → ${amount}`);
    if (unitsOf(amount) >= unitsOf(before) * MANY_TIMES)
      this.#manyTimes.add(amount, `row ${row} ${before} → ${amount}`);
  }

  /** A row of last time. */
  addBefore({ state, amount, last4, there }: Compared): void {
    if (!there && GONE.includes(state)) this.#gone.add(amount, last4 === undefined ? "" : `••${last4}`);
  }

  /** `before`: the batch of last time, where there is one. */
  remarks(before?: BatchRecord): readonly Fault[] {
    const since = before ? { other: before.id, day: dayOf(before.createdAt) } : {};
    const then = formatUnits(this.#unitsBefore);
    const kinds = [
      ["other_accounts", this.#accounts, {}],
      ["new_payees", this.#new, {}],
      ["gone_payees", this.#gone, since],
      ["many_times", this.#manyTimes, since],
      ["other_amounts", this.#amounts, { ...since, then }],
    ] as const;
    const told = kinds.flatMap(([code, kind, more]): Fault[] =>
      kind.rows === 0 ? [] : [{ code, facts: { ...kind.facts(), ...more } }],
    );
    return told.length === 0 && before ? [{ code: "as_last_time", facts: since }] : told;
  }
}
