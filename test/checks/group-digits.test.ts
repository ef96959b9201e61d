import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AmountWriting } from "../../src/checks/cells/group-digits.ts";
import { GOOD_ROWS, checkOne } from "../support/rows.ts";

type Grouping = AmountWriting["numberGrouping"];

/** The amount as it is sent, or the code of what is wrong with it. */
function read(text: string, numberGrouping: Grouping, decimalSign: AmountWriting["decimalSign"] = "point"): string {
  const cells = { ...GOOD_ROWS.transfer, amount: text };
  const { instruction, faults } = checkOne("transfer", cells, { choices: { numberGrouping, decimalSign } });
  return instruction ? (/"amount":([^}]*)}/.exec(instruction.payload)?.[1] ?? "") : String(faults[0]?.code);
}

/** What a person is told to do about an amount. */
function hintOf(amount: string, choices: Partial<AmountWriting> = {}): string {
  const { faults } = checkOne("transfer", { ...GOOD_ROWS.transfer, amount }, { choices });
  return faults?.[0]?.hint ?? "";
}

describe("groups of digits", () => {
  test.each([
    ["indian", "1,00,000.00", "100000.00"],
    ["indian", "12,34,567", "1234567"],
    ["indian", "1,000", "1000"],
    ["indian", "10,000.5", "10000.5"],
    ["indian", "100000.00", "100000.00"],
    ["western", "100,000.00", "100000.00"],
    ["western", "1,234,567.8", "1234567.8"],
    ["western", "1234567.8", "1234567.8"],
    ["space", "100 000.00", "100000.00"],
    ["space", "1\u202f234\u202f567", "1234567"],
    ["space", "1\u00a0234.5", "1234.5"],
    ["apostrophe", "1'234'567.80", "1234567.80"],
    ["apostrophe", "1’234", "1234"],
  ] as const)("%s: %s is %s", (grouping, text, plain) => {
    expect(read(text, grouping)).toBe(plain);
  });

  test.each([
    ["point", "1.234.567,89", "1234567.89"],
    ["point", "1.234", "1234"],
    ["point", "1234,5", "1234.5"],
    ["none", "1234,50", "1234.50"],
    ["none", "1234", "1234"],
    ["space", "1 234,50", "1234.50"],
    ["apostrophe", "1'234,50", "1234.50"],
  ] as const)("%s with a decimal comma: %s is %s", (grouping, text, plain) => {
    expect(read(text, grouping, "comma")).toBe(plain);
  });

  test.each([
    ["indian", "100,000.00", "thousands_separator"],
    ["indian", "1,0000", "decimal_comma"],
    ["indian", "0,100", "thousands_separator"],
    ["western", "1,00,000.00", "thousands_separator"],
    ["western", "10,00", "decimal_comma"],
    ["western", "1,234,56", "thousands_separator"],
    ["western", "1.234,00", "thousands_separator"],
    ["western", "1,234.567,00", "thousands_separator"],
    ["western", ",100", "not_a_number"],
    ["space", "1 234\u00a0567", "space_inside"],
    ["space", "1  234", "space_inside"],
    ["apostrophe", "1'23", "thousands_separator"],
    ["none", "1,000.00", "thousands_separator"],
    ["none", "1000,00", "decimal_comma"],
  ] as const)("%s: %s is refused: %s", (grouping, text, code) => {
    expect(read(text, grouping)).toBe(code);
  });

  test.each([
    ["none", "1234.50", "decimal_point"],
    ["none", "1.234", "decimal_point"],
    ["point", "1234.50", "decimal_point"],
    ["point", "1.23", "decimal_point"],
    ["space", "1 234.50", "space_inside"],
    ["point", "1,234.50", "thousands_separator"],
    ["point", "1.234,567", "amount_too_many_decimals"],
  ] as const)("%s with a decimal comma: %s is refused: %s", (grouping, text, code) => {
    expect(read(text, grouping, "comma")).toBe(code);
  });

  test.each([
    ["52,250.00", 'number_grouping = "indian" or "western"'],
    ["1,00,000.00", 'number_grouping = "indian"'],
    ["100,000.00", 'number_grouping = "western"'],
    ["1'234.50", 'number_grouping = "apostrophe"'],
    ["1 234.50", 'number_grouping = "space"'],
    ["100,50", 'decimal_sign = "comma"'],
    ["1.234,56", 'number_grouping = "point" and decimal_sign = "comma"'],
    ["1 234,56", 'number_grouping = "space" and decimal_sign = "comma"'],
  ])("%s: the hint names the setting that reads it: %s", (text, lines) => {
    expect(hintOf(text)).toMatch(/^Write [0-9.]+\. If all amounts are written so: /);
    expect(hintOf(text)).toContain(`: ${lines} in paydrop.toml.`);
    const named = /number_grouping = "(\w+)"/.exec(lines)?.[1] ?? "none";
    const sign = lines.includes("comma") ? "comma" : "point";
    expect(read(text, named as Grouping, sign)).toBe(/Write ([0-9.]+)\./.exec(hintOf(text))?.[1]);
  });

  test.each([
    ["1,0000", {}],
    ["1_234", {}],
    ["₹52,250.00", {}],
    ["1,2,3", {}],
    ["0,100.00", {}],
    // who set one writing meant it: a row in another one is the mistake
    ["100,000.00", { numberGrouping: "indian" }],
    ["10,00", { numberGrouping: "western" }],
    ["1,234.50", { decimalSign: "comma" }],
  ] as const)("%s with %j: no setting would help, and none is named", (text, choices) => {
    expect(hintOf(text, choices)).not.toBe("");
    expect(hintOf(text, choices)).not.toContain("paydrop.toml");
  });

  test("what is set already is not named again", () => {
    expect(hintOf("1.234,56", { decimalSign: "comma" })).toContain(': number_grouping = "point" in paydrop.toml.');
    expect(hintOf("1 234,56", { numberGrouping: "space" })).toContain(': decimal_sign = "comma" in paydrop.toml.');
  });

  test("what is proposed is in the user's own writing", () => {
    const cells = { ...GOOD_ROWS.transfer, amount: "₹1234,50" };
    const { faults } = checkOne("transfer", cells, { choices: { decimalSign: "comma" } });
    expect(faults?.[0]?.hint).toBe("Write 1234,50.");
  });

  test("a number of JSON is a number, whatever a text would be", () => {
    const cells = { ...GOOD_ROWS.transfer, amount: { token: "number", source: "1234.50" } } as const;
    const setting = { format: "json", fileName: "t.json", choices: { decimalSign: "comma" } } as const;
    expect(checkOne("transfer", cells, setting).instruction?.amount).toBe("1234.50");
  });

  test("an invalid row counts with the amount that was meant", () => {
    const cells = { ...GOOD_ROWS.transfer, to_account: "", amount: "1,00,000.50" };
    expect(checkOne("transfer", cells, { choices: { numberGrouping: "indian" } })).toMatchObject({
      amount: "100000.50",
    });
  });

  test("every amount, grouped in its way, is read back; moved by one place it is not", () => {
    const groupings = fc.constantFrom<Exclude<Grouping, "none">>("indian", "western", "point", "space", "apostrophe");
    fc.assert(
      fc.property(
        fc.bigInt(1000n, 9_999_999_999_999n),
        fc.stringMatching(/^[0-9]{1,2}$/),
        groupings,
        (whole, decimals, grouping) => {
          const sign = { indian: ",", western: ",", point: ".", space: " ", apostrophe: "'" }[grouping];
          const decimalSign = grouping === "point" ? "comma" : "point";
          const digits = whole.toString();
          const places = grouping === "indian" ? /\B(?=(?:\d{2})*\d{3}$)/g : /\B(?=(?:\d{3})+$)/g;
          const point = decimalSign === "comma" ? "," : ".";
          const written = digits.replace(places, sign) + point + decimals;
          expect(read(written, grouping, decimalSign)).toBe(`${digits}.${decimals}`);
          const moved = written.replace(new RegExp(`\\${sign}([0-9])`), `$1${sign}`);
          expect(read(moved, grouping, decimalSign)).toMatch(/^[a-z_]+$/);
        },
      ),
    );
  });
});
