import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currencyIn, isPlain, roundingBy, shownBy } from "../../src/workbook/styles.ts";
import {
  columnOf,
  dateOf,
  decimalOf,
  isoDateOf,
  lettersOf,
  percentageOf,
  roundedBy,
} from "../../src/workbook/value.ts";

describe("a stored number as plain decimal text", () => {
  test.each([
    ["52250", "52250"],
    ["1234.5600000000001", "1234.56"],
    ["0.30000000000000004", "0.3"],
    ["1234.5599999999999", "1234.56"],
    ["69950.5", "69950.5"],
    ["5.01002718281E+11", "501002718281"],
    ["1.5E-3", "0.0015"],
    ["1E15", "1000000000000000"],
    ["1.2345678901234567E18", "1234567890123456800"],
    ["999999999999999", "999999999999999"],
    ["123456789012345.67", "123456789012345.67"],
    ["-0", "0"],
    ["-12.50", "-12.5"],
    ["0", "0"],
    [".5", "0.5"],
  ])("%s is %s", (stored, plain) => {
    expect(decimalOf(stored)).toBe(plain);
  });

  test.each(["", "1,5", "0x10", "NaN", "Infinity", "1e999", "1 2", "12a"])("%j is none", (stored) => {
    expect(decimalOf(stored)).toBeUndefined();
  });

  test("every amount of up to 15 digits comes back from the double that a spreadsheet stores", () => {
    const amount = fc.tuple(fc.bigInt({ min: 0n, max: 9_999_999_999_999n }), fc.integer({ min: 0, max: 99 }));
    fc.assert(
      fc.property(amount, ([whole, cents]) => {
        const text = `${whole}.${String(cents).padStart(2, "0")}`.replace(/\.?0+$/, "") || "0";
        const plain = cents === 0 ? whole.toString() : text;
        expect(decimalOf(Number(plain).toPrecision(17))).toBe(plain);
        expect(decimalOf(Number(plain).toExponential())).toBe(plain);
      }),
    );
  });

  test("what a sum of amounts leaves behind is not part of it", () => {
    const cents = fc.array(fc.integer({ min: 1, max: 99_999_999 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(cents, (amounts) => {
        const exact = amounts.reduce((sum, one) => sum + one, 0);
        const inDoubles = amounts.reduce((sum, one) => sum + one / 100, 0);
        expect(decimalOf(String(inDoubles))).toBe(String(exact / 100));
      }),
    );
  });
});

describe("dates", () => {
  test.each([
    ["46328", false, "2026-11-02"],
    ["44866", true, "2026-11-02"],
    ["1", false, "1900-01-01"],
    ["59", false, "1900-02-28"],
    ["60", false, "1900-02-29"],
    ["61", false, "1900-03-01"],
    ["46328.5", false, "2026-11-02 12:00:00"],
    ["46328.999999999", false, "2026-11-03"],
    ["0.25", false, "06:00:00"],
  ])("%s (1904: %s) is %s", (stored, is1904, shown) => {
    expect(dateOf(stored, is1904)?.source).toBe(shown);
  });

  test("no calendar has the days before 0 and after 9999", () => {
    expect([dateOf("-1", false), dateOf("2958466", false), dateOf("x", false)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("a date that says itself", () => {
    expect(isoDateOf("2026-11-02")).toEqual({ token: "cell_date", source: "2026-11-02", stored: "46328" });
    expect(isoDateOf("2026-11-02T08:30:00")?.source).toBe("2026-11-02 08:30:00");
    expect(isoDateOf("tomorrow")).toBeUndefined();
  });

  test.each(["dd-mmm-yy", "yyyy\\-mm\\-dd", "[$-409]d-mmm;@", "[h]:mm:ss", "mm/dd/yyyy hh:mm AM/PM"])(
    "%s shows a date",
    (code) => {
      expect(shownBy(code)).toBe("date");
    },
  );

  test.each([
    "General",
    "0.00",
    "@",
    "#,##0.00",
    '0.00" days"',
    "[Red]0;[Black]-0",
    "[$₹-4009] #,##0",
    "0.00E+00",
    "0\\d",
    "_-* #,##0_-",
    '0.00"%"',
    "0\\%",
  ])("%s shows a number", (code) => {
    expect(shownBy(code)).toBe("number");
  });

  test.each(["0%", "0.00%", "#,##0.0 %", "[Red]0%;-0%"])("%s shows a percentage", (code) => {
    expect(shownBy(code)).toBe("percentage");
  });

  test.each([
    ["0.5", "50%"],
    ["1", "100%"],
    ["0.075", "7.5%"],
    ["1234.5", "123450%"],
    ["-0.001", "-0.1%"],
    ["0", "0%"],
  ])("%s is shown as %s", (decimal, shown) => {
    expect(percentageOf(decimal, decimal)).toEqual({ token: "cell_percentage", source: shown, stored: decimal });
  });
});

test("letters of columns", () => {
  fc.assert(fc.property(fc.nat(16_383), (index) => columnOf(lettersOf(index)) === index));
  expect([lettersOf(0), lettersOf(25), lettersOf(26), lettersOf(16_383)]).toEqual(["A", "Z", "AA", "XFD"]);
});

describe("what a sheet shows of a number", () => {
  test.each([
    ["0", "1234.5", "1235"],
    ["0", "1234.49", "1234"],
    ["#,##0", "0.4", "0"],
    ["0.0", "1234.55", "1234.6"],
    ["0.0", "99.99", "100"],
    ["#,##0.00", "1234.567", "1234.57"],
    ["0;[Red]-0.00", "12.3", "12"],
    ["[$₹-4009]\\ #,##0", "999.5", "1000"],
    ["[>=10000000]##\\,##\\,##\\,##0;[>=100000]##\\,##\\,##0;##,##0", "120000.25", "120000"],
    ['"Rs. "0', "7.8", "8"],
    ["_(* #,##0_);_(* (#,##0)", "7.8", "8"],
    ["0,", "1499", "1"],
    ["0.0,", "1500", "1.5"],
    ['0.00,,"M"', "1234567", "1.23"],
    ["0.0#", "-12.345", "-12.35"],
  ])("by %s, %s is shown as %s", (code, number, shown) => {
    const rounding = roundingBy(code);
    expect(rounding && roundedBy(number, rounding)).toBe(shown);
  });

  test.each([
    ["0.00", "1234.5"],
    ["0", "1234"],
    ["0.0#", "12.34"],
    ["#,##0", "1234567"],
    ["0,", "0"],
  ])("by %s, %s is shown as it is", (code, number) => {
    const rounding = roundingBy(code);
    expect(rounding && roundedBy(number, rounding)).toBeUndefined();
    expect(rounding).toBeDefined();
  });

  test.each(["General", "@", "0.00E+00", "# ?/?", "", '"text"', "0.00 e"])("nothing is said of %s", (code) => {
    expect(roundingBy(code)).toBeUndefined();
  });

  test.each([
    ...["General", "", "@", "0", "0.00", "#,##0.00;[Red]-#,##0.00", "00000", '"Rs. "0.00', "[$₹-4009]\\ #,##0.00"],
    ...["_(* #,##0.00_);_(* (#,##0.00)", '0.00" INR"', '#,##0"/-"', "0.0,", "0.0#;;"],
    "[>=10000000]##\\,##\\,##\\,##0.00;[>=100000]##\\,##\\,##0.00;##,##0.00;@",
  ])("%s shows the number, but for its rounding", (code) => {
    expect(isPlain(code)).toBe(true);
  });

  test.each([
    ...[";;;", ";-0", '"text"', "-0", "\\-0", "(0)", '0" lakh"', '0.00,,"M"', '0"00"', "0\\0", '0"."00', '0.00"%"'],
    ...["0.00E+00", "# ?/?", "[<1000]0;[>=1000]0.0,", '[<1000]0;0.0,"k"'],
  ])("%s may show another number, or none", (code) => {
    expect(isPlain(code)).toBe(false);
  });

  test.each([
    ["[$$-409]#,##0.00", "$"],
    ["[$€-407] #,##0.00", "€"],
    ['"$"#,##0.00', "$"],
    ["$#,##0.00;($#,##0.00)", "$"],
    ['#,##0.00\\ "USD"', "USD"],
    ["[$AED] #,##0.00", "AED"],
    ["_([$$-409]* #,##0.00_)", "$"],
    ["[$¥-411]#,##0", "¥"],
    ["[$kr.-406] 0", "kr."],
    ["[>=1000]0;[$£-809]0", "£"],
    ['0.00" eur"', "eur"],
  ])("%s shows it in %s", (code, sign) => {
    expect(currencyIn(code)).toBe(sign);
  });

  test.each([
    ...[
      "General",
      "",
      "@",
      "0.00",
      "[$-409]#,##0.00",
      "[$-4009] 0",
      "[Red]0",
      '#,##0"/-"',
      "_-* #,##0.00_-;-* 0",
      "0.0,",
    ],
    ...["[$₹-4009]\\ #,##0", "[$₹-hi-IN]0", "[$₹]0", "[$Rs.-4009]\\ 0", "[$Rs]0", '"Rs. "0.00', '0.00" INR"', '"Re."0'],
    ...["[$INR] 0", "[$रु.-439] 0", "[$ரூ-449] 0", "[$రూ-44A]0", "[$রু-445]0", "₹ #,##0", "#,##0.00\\ _€;-0\\ _€"],
    ...["0;-[$$-409]0", '0" used"'],
  ])("%s shows it in rupees, or in no currency", (code) => {
    expect(currencyIn(code)).toBeUndefined();
  });

  test("it is never further away than half of the last digit shown", () => {
    const number = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 11n }), fc.integer({ min: 0, max: 4 }));
    fc.assert(
      fc.property(number, fc.nat(3), ([units, places], decimals) => {
        const digits = units.toString().padStart(places + 1, "0");
        const at = digits.length - places;
        const decimal = places === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`.replace(/\.?0+$/, "");
        const shown = roundedBy(decimal, { decimals, groupsLeftOut: 0 }) ?? decimal;
        expect(shown.split(".")[1]?.length ?? 0).toBeLessThanOrEqual(decimals);
        expect(Math.abs(Number(shown) - Number(decimal))).toBeLessThanOrEqual(0.5 * 10 ** -decimals + 1e-4);
      }),
    );
  });
});
