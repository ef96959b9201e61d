import { expect, test } from "vitest";
import { match, returnsOf } from "../../src/statements/match.ts";
import { monthOf } from "../support/months.ts";

test("200 months with a known truth → no wrong pair, and nearly all that can be told", () => {
  const counted = { wrong: 0, right: 0, tellable: 0, told: 0 };
  for (let seed = 1; seed <= 200; seed += 1) {
    const { rows, lines, truth } = monthOf(seed);
    const { pairs } = match(rows, lines);
    const back = returnsOf(
      pairs.map(({ row, line }) => ({ row, day: line.day })),
      lines,
    );
    const said = [
      ...pairs.map(({ row, line }) => truth.get(row.row)?.debit === line.line),
      ...back.map(({ row, line }) => truth.get(row.row)?.credit === line.line),
    ];
    counted.wrong += said.filter((isRight) => !isRight).length;
    counted.right += said.filter((isRight) => isRight).length;
    const paired = new Set(pairs.map(({ row }) => row.row));
    const tellable = rows.filter(({ isWhole }) => isWhole);
    counted.tellable += tellable.length;
    counted.told += tellable.filter(({ row }) => paired.has(row)).length;
  }
  expect(counted.wrong).toBe(0);
  expect(counted.told / counted.tellable).toBeGreaterThanOrEqual(0.95);
});
