import { rowsIn } from "../amount.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import type { Fault } from "../messages/sentence.ts";

/** What a bank's statement says of a row (README §15): the line of its debit, and of the credit by which the money came back. */
export interface InStatement {
  /** A keyed hash of the line: it counts once, also where statements overlap. */
  readonly line: string;
  /** When it was booked: `2026-11-03`. */
  readonly day: string;
  readonly returned?: { readonly line: string; readonly day: string };
}

interface Kept {
  readonly rows: Readonly<Record<string, InStatement>>;
}

/** By the numbers of rows. */
export async function inStatements(
  store: Pick<JournalStore, "kept">,
  batch: string,
): Promise<ReadonlyMap<number, InStatement>> {
  const [kept] = await store.kept<Kept>("seen", batch);
  return new Map(Object.entries(kept?.value.rows ?? {}).map(([row, one]) => [Number(row), one]));
}

/** All lines that count already. */
export async function countedLines(store: Pick<JournalStore, "kept">): Promise<ReadonlySet<string>> {
  const all = await store.kept<Kept>("seen");
  const rows = all.flatMap(({ value }) => Object.values(value.rows));
  return new Set(rows.flatMap(({ line, returned }) => [line, ...(returned ? [returned.line] : [])]));
}

/** Adds to what is known of rows of the batch, one process at a time: what another one has added meanwhile stays. */
export async function keepInStatements(
  store: Pick<JournalStore, "judging" | "kept" | "keep">,
  batch: string,
  news: ReadonlyMap<number, InStatement>,
): Promise<void> {
  await store.judging(async () => {
    const rows = new Map(await inStatements(store, batch));
    for (const [row, one] of news) rows.set(row, { ...rows.get(row), ...one });
    await store.keep("seen", batch, { rows: Object.fromEntries(rows) });
    const back = [...rows].filter(([, { returned }]) => returned).map(([row]) => row);
    if (back.length > 0) await store.keep("came_back", batch, { rows: back });
  });
}

/** Rows whose money came back, as statements say, by their batches: few, so that a page need not read all that was seen. */
export async function cameBack(store: Pick<JournalStore, "kept">): Promise<ReadonlyMap<string, readonly number[]>> {
  const kept = await store.kept<{ readonly rows: readonly number[] }>("came_back");
  return new Map(kept.map(({ name, value }) => [name, value.rows]));
}

/** `2026-11-03`, `2026-11-03, returned 2026-11-05`. */
export function inStatementText(one: InStatement | undefined): string {
  if (!one) return "";
  return one.returned ? `${one.day}, returned ${one.returned.day}` : one.day;
}

/** How many of the rows that went a statement shows; nothing before the first statement. */
export function seenRemarks(
  { tallies }: Pick<BatchRecord, "tallies">,
  rows: ReadonlyMap<number, InStatement>,
): readonly Fault[] {
  if (rows.size === 0) return [];
  const returned = rows
    .values()
    .filter((one) => one.returned)
    .toArray().length;
  return [
    {
      code: "seen_in_statement",
      facts: { seen: rows.size, went: rowsIn(tallies, "accepted", "settled_done"), returned },
    },
  ];
}
