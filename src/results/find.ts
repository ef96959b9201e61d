import { openKept } from "../checks/open-kept.ts";
import type { Config } from "../config/schema.ts";
import { DAY_MS } from "../day.ts";
import type { ResultStatus } from "../events.ts";
import type { Act, BatchRecord, FoundBy, JournalStore, RowRecord } from "../journal/store.ts";
import { detailIn, detailsOf, type Detail } from "./details.ts";
import { inStatements, type InStatement } from "./in-statement.ts";
import { holding, keysOf, meantIn, sameAs, SOUGHT_DAYS, type Sought } from "./sought.ts";
import { textOf } from "./table.ts";
import { byStatusOf, lockstep, recordsBy, recordsOf } from "./totals.ts";

/** With what its file says, as it may be shown; nothing of that where its private copy is gone. */
export interface FoundRow extends Detail {
  readonly batch: BatchRecord;
  readonly record: RowRecord;
  readonly status: ResultStatus;
  readonly at: number;
  /** Who decided about it last, by name, and why. */
  readonly decided?: Act | undefined;
  /** What the bank's statement says of it. */
  readonly inStatement?: InStatement | undefined;
}

interface Place {
  readonly config: Config;
  readonly store: JournalStore;
  /** Copies of files are read, of rows since then. */
  readonly since?: (at: number) => void;
  /** Before each file that is read. */
  readonly reading?: (at: number, of: number) => void;
  /** A file's private copy could not be read: its rows are told without what only that has. */
  readonly lacks?: (batch: BatchRecord, why: unknown) => void;
}

/**
 * Rows over all batches, the oldest first, one file at a time: memory stays flat. What has a number is found by the journal,
 * however long ago; where it finds nothing, and for a name, the copies of files are read (`SOUGHT_DAYS`).
 */
export async function* find(place: Place, sought: Sought): AsyncGenerator<FoundRow> {
  let of: { readonly batch: string; readonly seen: ReadonlyMap<number, InStatement> } | undefined;
  for await (const one of findRows(place, sought)) {
    const { id } = one.batch;
    if (of?.batch !== id) of = { batch: id, seen: await inStatements(place.store, id) };
    const inStatement = of.seen.get(one.record.row);
    yield inStatement ? { ...one, inStatement } : one;
  }
}

async function* findRows(place: Place, sought: Sought): AsyncGenerator<FoundRow> {
  const { keySecret } = await place.store.facts();
  const keys = keysOf(sought, keySecret);
  let isFound = false;
  if (keys) {
    for await (const one of findByKeys(place, sought, keys)) {
      isFound = true;
      yield one;
    }
  }
  if (isFound || (keys && sought.text === undefined)) return;
  const since = sought.since ?? place.store.now() - SOUGHT_DAYS * DAY_MS;
  place.since?.(since);
  yield* findInFiles(place, { ...sought, since });
}

async function* findByKeys(place: Place, sought: Sought, foundBy: readonly FoundBy[]): AsyncGenerator<FoundRow> {
  const { store, reading } = place;
  const batches = (await store.batches({ foundBy, ...sinceOf(sought) })).filter((batch) => mayHave(batch, sought));
  const meant = new Map(batches.map((batch, at) => [batch.id, { batch, at }]));
  for await (const page of recordsBy(store, foundBy, [...meant.keys()])) {
    const ofBatches = Map.groupBy(page, (record) => meant.get(record.batch));
    const decided = await decisionsIn(store, ...Array.from(ofBatches.keys(), (one) => one?.batch.id ?? ""));
    for (const [one, records] of ofBatches) {
      if (!one) continue;
      reading?.(one.at + 1, batches.length);
      yield* withDetails(place, one.batch, records, sought, decided);
    }
  }
}

/** Those of these rows of a batch that are meant, with what its file says of them. */
async function* withDetails(
  place: Place,
  batch: BatchRecord,
  records: readonly RowRecord[],
  sought: Sought,
  decided: Decisions,
): AsyncGenerator<FoundRow> {
  const rows = records.flatMap((record) => foundIn(batch, record, sought, decided) ?? []);
  const { of, why } = await detailsOf(
    place,
    batch,
    rows.map(({ record }) => record),
  );
  if (why !== undefined) place.lacks?.(batch, why);
  const isDebit = sought.debit === undefined ? undefined : sameAs(sought.debit);
  for (const row of rows) {
    const detail = of.get(row.record.row) ?? { payee: row.record.last4 && `••${row.record.last4}` };
    if (!isDebit || isDebit(detail.debit ?? "")) yield { ...row, ...detail };
  }
}

async function* findInFiles(place: Place, sought: Sought): AsyncGenerator<FoundRow> {
  const { store, reading } = place;
  const batches = (await store.batches(sinceOf(sought))).filter((batch) => mayHave(batch, sought));
  for (const [at, batch] of batches.entries()) {
    reading?.(at + 1, batches.length);
    yield* findInFile(place, batch, sought);
  }
}

const sinceOf = ({ since }: Sought) => (since === undefined ? {} : { since });

function mayHave({ createdAt, tallies }: BatchRecord, { statuses, until = Infinity }: Sought): boolean {
  const isThere = !statuses || statuses.some((status) => byStatusOf(tallies)[status] ?? status === "unknown");
  return createdAt < until && isThere;
}

async function* findInFile(place: Place, batch: BatchRecord, sought: Sought): AsyncGenerator<FoundRow> {
  const { store, config, lacks } = place;
  const decided = await decisionsIn(store, batch.id);
  const records = recordsOf(store, batch.id);
  let kept: Awaited<ReturnType<typeof openKept>>;
  try {
    kept = await openKept({ store, config }, batch);
  } catch (error) {
    lacks?.(batch, error);
    // what is in the file is not known any more
    if (sought.text !== undefined || sought.debit !== undefined) return;
    for await (const page of records) yield* page.flatMap((record) => foundIn(batch, record, sought, decided) ?? []);
    return;
  }
  const isSought = sought.text === undefined ? undefined : holding(sought.text);
  const isDebit = sought.debit === undefined ? undefined : sameAs(sought.debit);
  for await (const page of lockstep(kept.table.rows(), records)) {
    for (const { row, record } of page) {
      const found = foundIn(batch, record, sought, decided);
      if (!found || (isSought && !row.cells.some((cell) => isSought(textOf(cell))))) continue;
      const own = kept.own(row);
      if (isDebit && !isDebit(own.debit ?? "")) continue;
      yield { ...found, ...detailIn(own) };
    }
  }
}

function foundIn(batch: BatchRecord, record: RowRecord, sought: Sought, decided: Decisions): FoundRow | undefined {
  const meant = meantIn(batch, record, sought);
  return meant && { batch, record, ...meant, decided: decided.get(nameOf(record)) };
}

/** The last word on each row that a person decided about; who only sends again what another one settled says nothing. */
type Decisions = ReadonlyMap<string, Act>;

const nameOf = ({ batch, row }: Pick<RowRecord, "batch" | "row">): string => `${batch}:${row}`;

async function decisionsIn(store: JournalStore, ...batches: readonly string[]): Promise<Decisions> {
  const acts = await store.acts({ batches });
  return new Map(
    acts
      .filter(({ kind, by, note }) => by !== undefined && (kind !== "retry" || note !== undefined))
      .flatMap((act) => (act.rows ?? []).map((row): [string, Act] => [nameOf({ batch: act.batch ?? "", row }), act])),
  );
}
