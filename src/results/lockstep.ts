import type { RowRecord } from "../journal/row-record.ts";
import type { Row } from "../reader/row.ts";

/** What is made of a step dies young: larger steps cost memory and win no time. */
const ROWS_PER_STEP_MAX = 128;

/** Rows of the file and what the journal knows of them: as many of each, the same numbers in the same order. */
interface Step {
  readonly rows: readonly Row[];
  readonly records: readonly RowRecord[];
}

/** Walks file and journal side by side, whatever the sizes of their pieces. Throws where they disagree: a bug. */
export async function* lockstep(
  rowChunks: AsyncIterable<readonly Row[]>,
  recordPages: AsyncIterable<readonly RowRecord[]>,
): AsyncGenerator<Step> {
  const pages = recordPages[Symbol.asyncIterator]();
  let page: readonly RowRecord[] = [];
  let at = 0;
  try {
    for await (const chunk of rowChunks) {
      let from = 0;
      while (from < chunk.length) {
        if (at === page.length) {
          const next = await pages.next();
          if (next.done) throw new Error(`the journal ends before row ${chunk[from]?.number ?? "?"} of the file`);
          page = next.value;
          at = 0;
          continue;
        }
        const count = Math.min(ROWS_PER_STEP_MAX, chunk.length - from, page.length - at);
        const step = { rows: chunk.slice(from, from + count), records: page.slice(at, at + count) };
        assertSameNumbers(step);
        yield step;
        from += count;
        at += count;
      }
    }
    await assertNothingLeft(page.slice(at), pages);
  } finally {
    await pages.return?.();
  }
}

function assertSameNumbers({ rows, records }: Step): void {
  rows.forEach((row, index) => {
    const other = records[index]?.number;
    if (row.number !== other) throw new Error(`row ${row.number} of the file meets row ${other ?? "?"} of the journal`);
  });
}

async function assertNothingLeft(
  left: readonly RowRecord[],
  pages: AsyncIterator<readonly RowRecord[]>,
): Promise<void> {
  let more = left;
  while (more.length === 0) {
    const next = await pages.next();
    if (next.done) return;
    more = next.value;
  }
  throw new Error(`the file ends before row ${more[0]?.number ?? "?"} of the journal`);
}
