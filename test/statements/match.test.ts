import { expect, test } from "vitest";
import { match, returnsOf, type Entry, type WentRow } from "../../src/statements/match.ts";
import { monthOf, type Month } from "../support/months.ts";

/** How much of what is said is right, and how much of what can be told is said. */
function judged({ rows, lines, truth }: Month) {
  const { pairs } = match(rows, lines);
  const back = returnsOf(
    pairs.map(({ row, line }) => ({ row, day: line.day })),
    lines,
  );
  const said = [
    ...pairs.map(({ row, line }) => truth.get(row.row)?.debit === line.line),
    ...back.map(({ row, line }) => truth.get(row.row)?.credit === line.line),
  ];
  const paired = new Set(pairs.map(({ row }) => row.row));
  const tellable = rows.filter(({ isWhole }) => isWhole);
  const told = tellable.filter(({ row }) => paired.has(row)).length;
  return { wrong: said.filter((isRight) => !isRight).length, tellable: tellable.length, told };
}

test("200 months with a known truth → no wrong pair, and nearly all that can be told", () => {
  const all = Array.from({ length: 200 }, (_, at) => judged(monthOf(at + 1)));
  const sum = (of: (one: (typeof all)[number]) => number): number => all.reduce((total, one) => total + of(one), 0);
  expect(sum(({ wrong }) => wrong)).toBe(0);
  expect(sum(({ told }) => told) / sum(({ tellable }) => tellable)).toBeGreaterThanOrEqual(0.95);
});

test("3,000 equal salaries → looked up by their words, and none is wrong", () => {
  const { wrong, tellable, told } = judged(monthOf(7, 3000));
  expect(wrong).toBe(0);
  expect(told / tellable).toBeGreaterThanOrEqual(0.95);
});

const ROW: WentRow = { batch: "B", row: 2, state: "unknown", amount: "100", day: "2026-11-03", name: "Asha Rao" };
const LINE: Entry = {
  ...{ line: 9, day: "2026-11-04", text: "NEFT ASHA RAO", references: [], amount: "100.00" },
  direction: "debit",
};

test.each<readonly [string, Partial<WentRow>, Partial<Entry>, string | undefined]>([
  ["two words of the name", {}, {}, "name"],
  ["one word of the name", {}, { text: "NEFT ASHA" }, undefined],
  ["the amount alone", {}, { text: "NEFT" }, undefined],
  ["a paisa more", {}, { amount: "100.01" }, undefined],
  ["a day before it was sent", {}, { day: "2026-11-02" }, undefined],
  ["five days later", {}, { day: "2026-11-08" }, "name"],
  ["six days later", {}, { day: "2026-11-09" }, undefined],
  ["a credit", {}, { direction: "credit" }, undefined],
  ["its reference within a word of parts", { reference: "INV-42" }, { text: "UPI-SBI-INV-42-OK" }, "reference"],
  ["a longer reference that begins alike", { reference: "INV-42", name: "" }, { text: "INV-421" }, undefined],
  [
    "its reference in a column of its own",
    { reference: "INV-42" },
    { text: "X", references: ["INV42X", "INV-42"] },
    "reference",
  ],
  ["a narration that all have", { narration: "Salary November", name: "" }, { text: "SALARY NOVEMBER" }, undefined],
  ["a narration of its own", { narration: "Sal Nov E7", name: "" }, { text: "NEFT SAL NOV E7" }, "narration"],
  ["the account in full", { payee: "0090010000008901", name: "" }, { text: "90010000008901" }, "payee"],
  ["the last four behind what hides the others", { payee: "90018901", name: "" }, { text: "XXXX8901" }, "payee"],
  ["the last four of nothing", { payee: "90018901", name: "" }, { text: "CHQ 8901" }, undefined],
  ["the UPI id", { payee: "asha@okbank", name: "" }, { text: "UPI/asha@okbank/1" }, "payee"],
])("%s → by evidence, or not at all", (_name, row, line, by) => {
  const { pairs } = match([{ ...ROW, ...row }], [{ ...LINE, ...line }]);
  expect(pairs[0]?.by).toBe(by);
});

test("equal rows and lines → counted, and nobody chooses among them", () => {
  const rows = (
    [
      ["unknown", 2],
      ["accepted", 3],
    ] as const
  ).map(([state, row]) => ({ ...ROW, state, row }));
  const { pairs, equals, strange } = match(rows, [LINE, { ...LINE, line: 10 }, { ...LINE, line: 11, amount: "5" }]);
  expect(pairs).toEqual([]);
  expect(equals).toMatchObject([{ lines: [{ line: 9 }, { line: 10 }], accepted: [{ row: 3 }], unknown: [{ row: 2 }] }]);
  expect(strange).toMatchObject([{ line: 11 }]);
});
