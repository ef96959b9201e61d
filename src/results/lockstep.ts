import type { JournalStore, RowFilter, RowRecord } from "../journal/store.ts";
import type { Row } from "../reader/row.ts";

const ROWS_PER_PAGE = 250;

/** All rows of a batch in input order, in pages. */
export async function* recordsOf(
  store: Pick<JournalStore, "rows">,
  batch: string,
  only: Pick<RowFilter, "states" | "codes"> = {},
): AsyncGenerator<readonly RowRecord[], void> {
  const pageAfter = (after: number): Promise<readonly RowRecord[]> => {
    const page = store.rows({ batch, ...only, after, limit: ROWS_PER_PAGE });
    // it is asked for while the one before it is worked on, and perhaps not wanted any more
    page.catch(() => undefined);
    return page;
  };
  for (let next: ReturnType<typeof pageAfter> | undefined = pageAfter(-1); next;) {
    const page: readonly RowRecord[] = await next;
    const last = page.at(-1);
    next = last && page.length === ROWS_PER_PAGE ? pageAfter(last.row) : undefined;
    if (last) yield page;
  }
}

/** A row of the file, and what the journal knows of it. */
interface Pair {
  readonly row: Row;
  readonly record: RowRecord;
}

/** Walks file and journal side by side, whatever the sizes of their pages. Throws where they disagree: a bug (I3). */
export async function* lockstep(
  filePages: AsyncIterable<readonly Row[]>,
  journalPages: AsyncGenerator<readonly RowRecord[], void>,
): AsyncGenerator<readonly Pair[], void> {
  let page: readonly RowRecord[] = [];
  let at = 0;
  try {
    for await (const rows of filePages) {
      const pairs: Pair[] = [];
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
