import { expect, test } from "vitest";
import { actsOf } from "../../src/results/report/acts.ts";

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
