/** Rows that are read from the journal in one go. */
export const PAGE_ROWS = 1000;

/**
 * Rows in input order, however many there are. One page is asked for while the one before it is worked on; a page that is
 * not full is the last one.
 */
export async function* pages<T>(
  pageFrom: (from: number) => Promise<readonly T[]>,
  first: number,
  numberOf: (row: T) => number,
): AsyncGenerator<readonly T[]> {
  let next: Promise<readonly T[]> | undefined = pageFrom(first);
  while (next) {
    const page: readonly T[] = await next;
    const last = page.at(-1);
    if (last === undefined) return;
    next = page.length < PAGE_ROWS ? undefined : pageFrom(numberOf(last) + 1);
    // it is awaited above, unless the reader has had enough
    next?.catch(() => undefined);
    yield page;
  }
}
