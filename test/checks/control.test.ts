import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatUnits, unitsOf } from "../../src/amount.ts";
import { compareControl, createControlCounter } from "../../src/checks/control.ts";
import { GOOD_ROWS, checkOne, rowOf } from "../support/rows.ts";

function totalsOf(...amounts: readonly string[]): ReturnType<ReturnType<typeof createControlCounter>["totals"]> {
  const counter = createControlCounter();
  counter.add(amounts.map((amount) => checkOne("transfer", { ...GOOD_ROWS.transfer, amount })));
  return counter.totals();
}

test("amounts add up without rounding, however many there are", () => {
  expect(totalsOf(...Array<string>(10).fill("0.10")).total).toBe("1.00");
  expect(totalsOf("999999999999999", "0.01").total).toBe("999999999999999.01");
  const cents = fc.array(fc.integer({ min: 1, max: 10 ** 12 }), { maxLength: 20 });
  fc.assert(
    fc.property(cents, (all) => {
      const texts = all.map((one) => `${String(Math.floor(one / 100))}.${String(one % 100).padStart(2, "0")}`);
      const sum = all.reduce((total, one) => total + BigInt(one), 0n);
      expect(totalsOf(...texts).total.replace(".", "")).toBe(sum.toString().padStart(3, "0"));
    }),
  );
});

test("a sum has at least two decimals, and as many as its amounts need", () => {
  const sums = ["7", "0.5", "0.125", "1.0001", "2.3400", "0"].map((amount) => formatUnits(unitsOf(amount)));
  expect(sums).toEqual(["7.00", "0.50", "0.125", "1.0001", "2.34", "0.00"]);
});

test("an invalid row counts, with its amount where that can be read", () => {
  const counter = createControlCounter();
  counter.add([
    checkOne("transfer", { ...GOOD_ROWS.transfer, amount: "10", to_account: "" }),
    checkOne("transfer", { ...GOOD_ROWS.transfer, amount: "1,000" }),
    checkOne("transfer", { ...GOOD_ROWS.transfer, amount: "5.5" }),
  ]);
  expect(counter.totals()).toEqual({ rows: 3, total: "15.50", unreadable: 1 });
});

describe("a last row with the sum of all before it", () => {
  const remarksOf = (...all: readonly (readonly [amount: string, to?: string])[]): readonly string[] => {
    const counter = createControlCounter();
    for (const [amount, to_account = "B-1"] of all)
      counter.add([checkOne("transfer", { from_account: "3", to_account, amount })]);
    return counter.remarks();
  };

  test("is pointed out: it may be no payment", () => {
    expect(remarksOf(["100.00"], ["200.5"], ["300.50"])).toEqual([
      "row 2, the last one, has the sum of all rows before it, 300.50: make sure that it is a payment of its own",
    ]);
    expect(remarksOf(["100"], ["200", ""], ["300"])).toHaveLength(1);
  });

  test("is none where one row is before it, where it is not the last one, or where it is not sent", () => {
    expect(remarksOf(["100"], ["100"])).toEqual([]);
    expect(remarksOf(["300"], ["100"], ["200"])).toEqual([]);
    expect(remarksOf(["100"], ["200"], ["300", ""])).toEqual([]);
    expect(remarksOf(["100"], ["200"], ["300"], ["Rs 5"])).toEqual([]);
    expect(remarksOf()).toEqual([]);
  });
});

describe("control totals", () => {
  const actual = { rows: 2, total: "15.50", unreadable: 0 };

  test("are fine when everybody says the same, however it is written", () => {
    const said = [
      { source: "--expect-rows", rows: 2 },
      { source: "payroll.csv.control", rows: 2, total: "15.5" },
    ];
    expect(compareControl(said, actual, true)).toEqual([]);
  });

  test("that differ name who said what", () => {
    const faults = compareControl(
      [
        { source: "--expect-rows", rows: 3 },
        { source: "payroll.csv.control", rows: 2, total: "15.51" },
      ],
      actual,
      false,
    );
    expect(faults.map((fault) => [fault.code, fault.message])).toEqual([
      ["control_rows_differ", "--expect-rows says 3 rows, the file has 2: 1 too few"],
      ["control_total_differs", "payroll.csv.control says 15.51, the amounts of the file add up to 15.50, 0.01 less"],
    ]);
  });

  test("that differ the other way say so", () => {
    const faults = compareControl([{ source: "--expect", rows: 1, total: "5.5" }], actual, false);
    expect(faults.map((fault) => fault.message)).toEqual([
      "--expect says 1 row, the file has 2: 1 too many",
      "--expect says 5.5, the amounts of the file add up to 15.50, 10.00 more",
    ]);
  });

  test("name the rows that are no payments where these make the file longer", () => {
    const { transfer } = GOOD_ROWS;
    const said = (rows: number, ...all: readonly Readonly<Record<string, string>>[]): readonly unknown[] => {
      const counter = createControlCounter();
      counter.add(all.map((cells, at) => ({ ...checkOne("transfer", cells), row: rowOf(cells, at + 2) })));
      const noPayments = counter.noPayments();
      const faults = compareControl([{ source: "t.csv.control", rows }], counter.totals(), false, { noPayments });
      return faults.map(({ message, hint }) => [message, hint]);
    };
    const total = { from_account: "Total", to_account: "", amount: "20" };
    const header = { from_account: "from_account", to_account: "to_account", amount: "amount" };
    expect(said(2, transfer, transfer, total)).toEqual([
      [
        "t.csv.control says 2 rows, the file has 3: 1 too many; row 4 sums up others",
        "Delete row 4: no payment stands there. Save the file again.",
      ],
    ]);
    expect(said(1, transfer, header, total)).toEqual([
      [
        "t.csv.control says 1 row, the file has 3: 2 too many; row 3 repeats the header and row 4 sums up others",
        "Delete the rows 3 and 4: no payment stands there. Save the file again.",
      ],
    ]);
    expect(said(1, transfer, transfer, total)).toEqual([
      [
        "t.csv.control says 1 row, the file has 3: 2 too many; row 4 sums up others",
        "Delete row 4: no payment stands there. Save the file again, then compare the number of rows again.",
      ],
    ]);
    const [[message, hint] = []] = said(1, transfer, ...Array<typeof total>(7).fill(total)) as string[][];
    expect(message).toContain("row 7 sums up others and 2 more rows like these");
    expect(hint).toContain("Delete the rows 3, 4, 5, 6, 7 and 2 more rows like these: no payment");
    // nothing is too many
    expect(said(4, transfer, transfer, total)).toEqual([
      ["t.csv.control says 4 rows, the file has 3: 1 too few", expect.stringContaining("Copy the file again")],
    ]);
  });

  test("that differ for an amount that cannot be read say so", () => {
    const [fault] = compareControl([{ source: "--expect-total", total: "20" }], { ...actual, unreadable: 2 }, false);
    expect(fault?.message).toContain("4.50 less; there are 2 rows whose amount cannot be read");
  });

  test("are asked for only where they are required", () => {
    expect(compareControl([{ source: "the file" }], actual, false)).toEqual([]);
    expect(compareControl([{ source: "the file" }], actual, true).map((fault) => fault.code)).toEqual([
      "control_missing",
    ]);
  });
});
