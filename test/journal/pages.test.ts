import { describe, expect, it } from "vitest";
import { PAGE_ROWS, pages } from "../../src/journal/sqlite/pages.ts";

const ROWS = Array.from({ length: 2 * PAGE_ROWS + 3 }, (_, index) => 2 + 5 * index);

/** A reader of these rows, and from where pages were asked for. */
function pagesOf(rows: readonly number[], isAhead: boolean) {
  const askedFrom: number[] = [];
  const pageFrom = (from: number): Promise<readonly number[]> => {
    askedFrom.push(from);
    return Promise.resolve(rows.filter((number) => number >= from).slice(0, PAGE_ROWS));
  };
  return { askedFrom, all: pages(pageFrom, 0, isAhead) };
}

describe.each([true, false])("pages, read ahead: %s", (isAhead) => {
  it.each([0, 1, PAGE_ROWS - 1, PAGE_ROWS, PAGE_ROWS + 1, ROWS.length])(
    "give %i rows once, in order",
    async (count) => {
      const rows = ROWS.slice(0, count);
      const found: number[] = [];
      for await (const page of pagesOf(rows, isAhead).all) found.push(...page);
      expect(found).toEqual(rows);
    },
  );

  it("ask for nothing behind a page that is not full", async () => {
    const { all, askedFrom } = pagesOf(ROWS, isAhead);
    for await (const page of all) expect(page.length).toBeGreaterThan(0);
    expect(askedFrom).toHaveLength(3);
  });
});

describe("pages of which the first one is enough", () => {
  it("are not read further in the thread that asks: the thread of the journal answers every question with one", async () => {
    const { all, askedFrom } = pagesOf(ROWS, false);
    for await (const page of all) {
      expect(page).toHaveLength(PAGE_ROWS);
      break;
    }
    expect(askedFrom).toEqual([0]);
  });

  it("are asked for one ahead where another thread finds them", async () => {
    const { all, askedFrom } = pagesOf(ROWS, true);
    for await (const page of all) {
      expect(page).toHaveLength(PAGE_ROWS);
      break;
    }
    expect(askedFrom).toHaveLength(2);
  });

  it("leave a failure of the page ahead to whoever reads on", async () => {
    const failing = pages(
      (from) => (from === 0 ? Promise.resolve(ROWS.slice(0, PAGE_ROWS)) : Promise.reject(new Error("gone"))),
      0,
      true,
    );
    expect((await failing.next()).done).toBe(false);
    await expect(failing.next()).rejects.toThrow("gone");
  });
});
