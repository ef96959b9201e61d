/** Rows that are read from the journal in one go. */
export const PAGE_ROWS = 1000;

/**
 * Rows, or their numbers, in input order, however many there are; a page that is not full is the last one. `isAhead`: one
 * page is asked for while the one before it is worked on. That pays where another thread finds it: in the same one it only
 * costs a page that nobody may want.
 */
export async function* pages<T extends number | { readonly number: number }>(
  pageFrom: (from: number) => Promise<readonly T[]>,
  first: number,
  isAhead: boolean,
): AsyncGenerator<readonly T[]> {
  let asked: Promise<readonly T[]> | undefined;
  for (let from = first; ;) {
    const page = await (asked ?? pageFrom(from));
    const last = page.at(-1);
    if (last === undefined) return;
    from = (typeof last === "number" ? last : last.number) + 1;
    const isLast = page.length < PAGE_ROWS;
    asked = isAhead && !isLast ? pageFrom(from) : undefined;
    // it is awaited above, unless the reader has had enough
    asked?.catch(() => undefined);
    yield page;
    if (isLast) return;
  }
}
