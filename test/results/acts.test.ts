import { expect, test } from "vitest";
import type { Act } from "../../src/journal/store.ts";
import { actsOf, decisionsOf } from "../../src/results/report/acts.ts";

test("an archive and what came back from it are told in words, as every other act of a person", () => {
  const kinds = ["settle", "release", "archive", "restore", "cancel"];
  const { people } = actsOf(kinds.map((kind, index) => ({ at: index * 100_000, by: "asha", kind, note: "" })));
  expect(people.map(({ what }) => what)).toEqual([
    "settled",
    "released",
    "archived its details",
    "restored its details",
    "cancelled the batch",
  ]);
});

test("what a person said of many rows at once is told once for each word, in the order in which it was said", () => {
  const said = (row: number | undefined, note: string, at = 0): Act => ({
    ...{ at, by: "asha", kind: row === undefined ? "pause" : "settle", note },
    ...(row === undefined ? {} : { row }),
  });
  const told = (...acts: readonly Act[]): string[] =>
    decisionsOf(acts).map(({ note, rows }) => `${note} ${rows.join()}`);
  expect(told(said(5, "done"), said(2, "not done"), said(3, "done"), said(4, "not done"))).toEqual([
    "done 3,5",
    "not done 2,4",
  ]);
  // the last word on a row stands last
  expect(told(said(2, "done"), said(2, "not done"), said(2, "done"), said(3, "done"))).toEqual([
    "done 2",
    "not done 2",
    "done 2,3",
  ]);
  expect(told(said(2, "done"), said(undefined, "stop"), said(3, "done"))).toEqual(["done 2", "stop ", "done 3"]);
  expect(told(said(2, "done"), said(3, "done", 60_001))).toEqual(["done 2", "done 3"]);
});
