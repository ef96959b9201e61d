import { expect, test } from "vitest";
import { rowRanges } from "../../src/results/row-ranges.ts";

test.each([
  [[], ""],
  [[61], "61"],
  [[61, 62], "61, 62"],
  [[61, 62, 64, 65, 66, 92], "61, 62, 64-66, 92"],
  [[2, 3, 4], "2-4"],
  [[7, 7, 8, 9], "7-9"],
])("rows %j are told as %s", (rows, told) => {
  expect(rowRanges(rows)).toBe(told);
});
