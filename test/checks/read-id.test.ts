import { describe, expect, test } from "vitest";
import { inspectId, inspectIfsc, inspectLostDigits } from "../../src/checks/cells/read-id.ts";
import { inspectPeriod, inspectReference } from "../../src/checks/cells/read-own.ts";

describe("ids", () => {
  test.each([
    "50100271828001",
    "0012345",
    "1234567890123450",
    "+919800000001",
    "ACC-OPS-01",
    "2E5",
    "200000",
    "BENE 7",
    "#42",
    "1-2",
    "1.5",
    "12-345-678",
    "MAYA-01",
    "-",
  ])("%s is an id", (text) => {
    expect(inspectId(text)).toBeUndefined();
  });

  test.each([
    ["5.01002E+13", "scientific_notation"],
    ["1.23E+15", "scientific_notation"],
    ["1,23E+15", "scientific_notation"],
    ["2E+05", "scientific_notation"],
    ["1.2e10", "scientific_notation"],
    ["123456789012.0", "decimals_added"],
    ["123456789012.00", "decimals_added"],
    ["123456789012,00", "decimals_added"],
    ["123456789012,0", "decimals_added"],
    ["50,100,271", "thousands_separator"],
    ["5,01,00,271", "thousands_separator"],
    ["02-Jan", "made_a_date"],
    ["01-Mar", "made_a_date"],
    ["Jan-26", "made_a_date"],
    ["02-Jan-2026", "made_a_date"],
    ["2026-11-02 00:00:00", "made_a_date"],
    ["2026-11-02", "made_a_date"],
    ["1/2/2026", "made_a_date"],
    ["01-02-2026", "made_a_date"],
    ["#N/A", "spreadsheet_error"],
    ["TRUE", "true_or_false"],
    ["false", "true_or_false"],
    ["'0123", "leading_apostrophe"],
    ['="0123"', "formula_as_text"],
    ["１２３４", "foreign_digits"],
    ["१२३४", "foreign_digits"],
    ["1234\u00a0", "space_inside"],
    ["1234\u200d", "hidden_character"],
    ["1234\u200e", "hidden_character"],
    ["5010\u20110271\u20118280", "id_not_ascii"],
    ["BENE\u20131001", "id_not_ascii"],
    ["\uff22ENE-1001", "id_not_ascii"],
    ["\u0412ENE-1001", "id_not_ascii"],
    ["\u2019BENE-1001", "id_not_ascii"],
    ["BENE-1001\ufe0f", "id_not_ascii"],
  ])("%s is not: %s", (text, code) => {
    expect(inspectId(text)?.code).toBe(code);
  });
});

test.each([
  ["1234567890123450", true],
  ["123456789012345000", true],
  ["123456789012345", false],
  ["123456789012340", false],
  ["1234567890123456", false],
  ["1234567890123401", false],
  ["0123456789012340", false],
  ["ACC-56789012345000", false],
])("%s may have lost digits behind the 15th: %s", (text, isLost) => {
  expect(inspectLostDigits(text)?.code === "digits_lost").toBe(isLost);
});

describe("branch codes", () => {
  test.each(["HDFC0001234", "hdfc0001234", "SBIN0ABC123"])("%s has the shape", (text) => {
    expect(inspectIfsc(text)).toBeUndefined();
  });

  test.each([
    ["SBIN00123", "ifsc_malformed", "has 9 characters"],
    ["S", "ifsc_malformed", "has 1 character"],
    ["HDFCO001234", "ifsc_malformed", "has no zero as its fifth character"],
    ["1DFC0001234", "ifsc_malformed", "does not begin with 4 letters"],
    ["HDFC00012-4", "ifsc_malformed", "has a character that is neither a letter nor a digit"],
    ["#REF!", "spreadsheet_error", undefined],
  ])("%s has not: %s, %s", (text, code, found) => {
    expect(inspectIfsc(text)).toEqual(found === undefined ? { code } : { code, found });
  });
});

describe("columns of our own", () => {
  test.each(["SAL-2026-11-E042", "2026-11-02", "1-2", "12.1", "a b/c:d", "x".repeat(64)])(
    "%s is a reference",
    (text) => {
      expect(inspectReference(text)).toBeUndefined();
    },
  );

  test.each([
    ["x".repeat(65), "reference_too_long"],
    ["SАL-1", "reference_not_ascii"],
    ["SAL\u00a01", "reference_not_ascii"],
    ["a\nb", "control_character"],
    ["1.2E+15", "scientific_notation"],
    ["#N/A", "spreadsheet_error"],
    ["1001.0", "decimals_added"],
    ["1001,00", "decimals_added"],
    ["1,001", "thousands_separator"],
  ])("%j is no reference: %s", (text, code) => {
    expect(inspectReference(text)?.code).toBe(code);
  });

  test.each(["2026-11", "2026-11-15", "2026-W45", "2026-Q4", "20261106", "FY26"])("%s is a period", (text) => {
    expect(inspectPeriod(text)).toBeUndefined();
  });

  test.each([
    ["Nov-26", "period_a_date"],
    ["26-11", "period_a_date"],
    ["31-1", "period_a_date"],
    ["01-11-2026", "period_a_date"],
    ["2026/11", "period_malformed"],
    ["2026 11", "period_malformed"],
    ["2026-13", "period_malformed"],
    ["2026-00", "period_malformed"],
    ["0", "period_malformed"],
    ["202614", "period_malformed"],
    ["2026-W84", "period_malformed"],
    ["W00", "period_malformed"],
    ["Q5", "period_malformed"],
    ["2026-11-52", "period_malformed"],
    ["x".repeat(21), "period_malformed"],
  ])("%s is no period: %s", (text, code) => {
    expect(inspectPeriod(text)?.code).toBe(code);
  });
});

test("a text eight times as long costs about eight times as much, not sixty-four times", () => {
  const best = (text: string): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 7; run += 1) {
      const begin = performance.now();
      for (const inspect of [inspectId, inspectIfsc, inspectReference, inspectPeriod]) inspect(text);
      least = Math.min(least, performance.now() - begin);
    }
    return least;
  };
  for (const unit of ["1", "A", "1,", " ", "#", "=", "1.", "E+", "Jan-", "\u200d"]) {
    // a tenth of a millisecond is noise; what grows with the square is too slow every time, a busy machine is not
    const times = Array.from({ length: 5 }, () => {
      return best(unit.repeat(160_000) + "!") / Math.max(best(unit.repeat(20_000) + "!"), 0.1);
    });
    expect(Math.min(...times), unit).toBeLessThan(32);
  }
});
