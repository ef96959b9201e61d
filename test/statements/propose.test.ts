import { expect, test } from "vitest";
import type { Layout } from "../../src/config/statement.ts";
import { LAYOUTS } from "../../src/statements/layouts.ts";
import { proposeLayout } from "../../src/statements/propose.ts";

/** Two entries of a bank, a debit and a credit, below its header. */
function entriesOf(layout: Layout): readonly { readonly line: number; readonly cells: readonly string[] }[] {
  const { day, valueDay, text, references, money, balance, account, beside = [], hasDecimalComma } = layout;
  const amounts: readonly (readonly [string, string, string])[] =
    "debit" in money
      ? [
          [money.debit, "5.00", ""],
          [money.credit, "", "7.00"],
        ]
      : [
          [money.amount, money.side ? "5.00" : hasDecimalComma ? "-5,00" : "-5.00", "7"],
          [money.side ?? "", money.side ? "DR" : "", money.side ? "CR" : ""],
        ];
  const columns = [
    ...[day, valueDay].map((name) => [name, "13/11/2026", "14/11/2026"]),
    ...text.map((name) => [name, "Asha", "Ravi"]),
    ...references.map((name) => [name, "R1", "R2"]),
    ...amounts,
    [balance, "100", "107"],
    [account, "DE1", "DE1"],
    ...beside.map((name) => [name, "1", "2"]),
  ].filter(([name]) => name);
  return [0, 1, 2].map((at) => ({ line: at + 1, cells: columns.map((column) => column[at] ?? "") }));
}

test.each(LAYOUTS.map((layout) => [layout.bank, layout.money, layout] as const))(
  "%s, %j: if it were not known → its columns are proposed",
  (_, money, layout) => {
    const found = proposeLayout([[{ line: 1, cells: ["Account 1", "Date 2"] }], entriesOf(layout)], {});
    const columnOf = (key: string): string | undefined => found?.columns.find((one) => one.key === key)?.column;
    const { day, balance, account, text, hasDecimalComma = false } = layout;
    expect({
      ...{ day: columnOf("day"), balance: columnOf("balance"), account: columnOf("account") },
      money: Object.fromEntries(Object.keys(money).map((key) => [key, columnOf(key)])),
      text: found?.columns.filter(({ key }) => key === "text").map(({ column }) => column),
    }).toEqual({ day, balance, account, money, text });
    expect(found).toMatchObject({ unclear: [], missing: [], isStatement: true, hasDecimalComma });
  },
);

test.each([
  [["1.234", "56"], true],
  [["1,234", "56"], false],
  [["1.234,5", "1.234.567,00"], true],
  [["1,234.50", "12,34,567.00"], false],
  [["100", "200"], false],
])("amounts %j → a decimal comma: %s", (amounts, hasComma) => {
  const rows = amounts.map((amount, at) => ({ line: at + 2, cells: [`1${at + 3}.11.2026`, "x", amount, "1"] }));
  const header = { line: 1, cells: ["Date", "Description", "Debit", "Credit"] };
  expect(proposeLayout([[header, ...rows]], {})).toMatchObject({ hasDecimalComma: hasComma, missing: [] });
});

test.each([
  [["Trade Date", "Value Date"], "Trade Date", "Value Date"],
  [["Value Date", "Post Date", "Txn Date"], "Post Date", "Value Date"],
  [["Value Date"], "Value Date", undefined],
])("days %j → booked on %s, value day %s", (days, day, valueDay) => {
  const header = { line: 1, cells: [...days, "Description", "Debit", "Credit"] };
  const entry = { line: 2, cells: [...days.map(() => "13/11/2026"), "x", "5.00", ""] };
  const found = proposeLayout([[header, entry]], {})?.columns ?? [];
  const columnOf = (key: string): string | undefined => found.find((one) => one.key === key)?.column;
  expect([columnOf("day"), columnOf("value_day")]).toEqual([day, valueDay]);
});
