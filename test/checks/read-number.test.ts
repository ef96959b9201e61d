import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inspectAmount, inspectWhole, readableAmount } from "../../src/checks/cells/read-number.ts";
import { checkOne, GOOD_ROWS } from "../support/rows.ts";

const LIMITS = { digitsMax: 15, decimalsMax: 2 };

describe("amounts", () => {
  test.each(["100", "100.0", "100.00", "0.1", "0.30", "8.41", "99999999999.99", "999999999999999", "0.01"])(
    "%s is an amount",
    (text) => {
      expect(inspectAmount(text, LIMITS)).toBeUndefined();
    },
  );

  test.each([
    ["0", "amount_not_positive", undefined],
    ["0.00", "amount_not_positive", undefined],
    ["-0", "has_sign", undefined],
    ["-5", "has_sign", undefined],
    ["−5", "has_sign", undefined],
    ["+5", "has_sign", "5"],
    ["1e3", "scientific_notation", undefined],
    ["1.23457E+11", "scientific_notation", undefined],
    ["1,2E+05", "scientific_notation", undefined],
    ["0x10", "not_a_number", undefined],
    ["NaN", "not_a_number", undefined],
    ["Infinity", "not_a_number", undefined],
    ["abc", "not_a_number", undefined],
    ["12abc", "not_a_number", undefined],
    ["1,000", "thousands_separator", "1000"],
    ["52,250.00", "thousands_separator", "52250.00"],
    ["1,00,000.00", "thousands_separator", "100000.00"],
    ["12,34,56,789", "thousands_separator", "123456789"],
    ["1.234,56", "thousands_separator", "1234.56"],
    ["1.000,00", "thousands_separator", "1000.00"],
    ["1.234.567", "thousands_separator", "1234567"],
    ["1'000.50", "thousands_separator", "1000.50"],
    ["1_000", "thousands_separator", "1000"],
    ["1,2,3", "thousands_separator", undefined],
    ["1.234.56", "thousands_separator", undefined],
    ["100,50", "decimal_comma", "100.50"],
    ["7,5", "decimal_comma", "7.5"],
    ["₹100", "currency_sign", "100"],
    ["₹ 1,00,000.00", "currency_sign", "100000.00"],
    ["Rs. 1,500", "currency_sign", "1500"],
    ["Rs.1500/-", "currency_sign", "1500"],
    ["INR 100", "currency_sign", "100"],
    ["100 INR", "currency_sign", "100"],
    ["$100", "amount_other_currency", undefined],
    ["USD 100", "amount_other_currency", undefined],
    ["100.00 EUR", "amount_other_currency", undefined],
    ["US$100", "amount_other_currency", undefined],
    ["£1,000", "amount_other_currency", undefined],
    ["(100)", "in_parentheses", undefined],
    ["100\u00a0", "space_inside", "100"],
    ["1\u00a0000", "space_inside", "1000"],
    ["1 00 000", "space_inside", "100000"],
    ["100 50", "space_inside", undefined],
    ["30 days", "not_a_number", undefined],
    ["30days", "not_a_number", undefined],
    ["٣", "foreign_digits", undefined],
    ["１００", "foreign_digits", undefined],
    ["१००", "foreign_digits", undefined],
    ["007", "leading_zeros", "7"],
    ["00.50", "leading_zeros", "0.50"],
    ["5.", "bare_point", "5"],
    [".5", "bare_point", "0.5"],
    [".", "bare_point", undefined],
    ["100.00005", "amount_too_many_decimals", undefined],
    ["1.234", "amount_too_many_decimals", undefined],
    ["12345678901234567890", "amount_too_many_digits", undefined],
    ["99999999999999.99", "amount_too_many_digits", undefined],
    ["#N/A", "spreadsheet_error", undefined],
    ["#REF!", "spreadsheet_error", undefined],
    ["#VALUE!", "spreadsheet_error", undefined],
    ["#DIV/0!", "spreadsheet_error", undefined],
    ["#NAME?", "spreadsheet_error", undefined],
    ["########", "spreadsheet_error", undefined],
    ["TRUE", "true_or_false", undefined],
    ["'100", "leading_apostrophe", "100"],
    ['="100"', "formula_as_text", "100"],
    ["=SUM(I2:I9)", "formula_as_text", undefined],
    ["02-Jan", "made_a_date", undefined],
    ["1/2/2026", "made_a_date", undefined],
  ])("%s is not: %s, and %s may be proposed", (text, code, plain) => {
    const finding = inspectAmount(text, LIMITS);
    expect({ code: finding?.code, plain: finding?.plain }).toEqual({ code, plain });
  });

  test("what is proposed is itself plain decimal text", () => {
    const characters = fc.constantFrom(...Array.from("0123456789.,' _₹()+-Rs\u00a0"));
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 20 }), (text) => {
        const plain = inspectAmount(text, LIMITS)?.plain;
        expect(plain === undefined || /^(0|[1-9]\d*)(\.\d+)?$/.test(plain)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test("limits are those of the configuration", () => {
    expect(inspectAmount("1.2345", { digitsMax: 5, decimalsMax: 4 })).toBeUndefined();
    expect(inspectAmount("12.2345", { digitsMax: 5, decimalsMax: 4 })?.code).toBe("amount_too_many_digits");
  });
});

describe("whole numbers", () => {
  test.each(["0", "12", "999999999999999"])("%s is a whole number", (text) => {
    expect(inspectWhole(text)).toBeUndefined();
  });

  test.each([
    ["12.0", "number_not_whole", "12"],
    ["12.5", "number_not_whole", undefined],
    ["-1", "has_sign", undefined],
    ["012", "leading_zeros", "12"],
    ["1e2", "scientific_notation", undefined],
    ["1,200", "thousands_separator", "1200"],
    ["1234567890123456", "number_too_many_digits", undefined],
    ["Jan-26", "date_for_number", undefined],
    ["twelve", "not_a_number", undefined],
  ])("%s is not: %s", (text, code, plain) => {
    const finding = inspectWhole(text);
    expect({ code: finding?.code, plain: finding?.plain }).toEqual({ code, plain });
  });
});

test("an amount is readable for the totals when it adds up exactly, also where it breaks a limit", () => {
  expect(["5", " 5.10 ", "0", "1.2345", "12345678901234567890"].map(readableAmount)).toEqual([
    "5",
    "5.10",
    "0",
    "1.2345",
    "12345678901234567890",
  ]);
  expect(["", "1,000", "1.23456", "-1", "1".repeat(100)].map(readableAmount)).toEqual(Array(5).fill(undefined));
});

test.each([
  ["collection", "expiry", "30 days"],
  ["loan", "tenure", "12 months"],
] as const)("a number with a word behind it is to be written alone: %s, %s", (operation, field, text) => {
  const [fault] = checkOne(operation, { ...GOOD_ROWS[operation], [field]: text }).faults ?? [];
  expect(fault).toMatchObject({ message: `"${text}" is not a number`, hint: expect.stringMatching(/^Write a number alone/) as string }); // prettier-ignore
});
