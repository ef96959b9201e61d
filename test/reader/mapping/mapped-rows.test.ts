import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalAmount, unitsOf } from "../../../src/amount.ts";
import type { AmountWriting } from "../../../src/checks/cells/group-digits.ts";
import { createChecker } from "../../../src/checks/check-row.ts";
import type { CheckedRow } from "../../../src/checks/instruction.ts";
import { operationNamed } from "../../../src/operations/catalogue.ts";
import { wireAmount } from "../../../src/checks/cells/amount-unit.ts";
import { createRowMapper } from "../../../src/reader/mapping/mapped-rows.ts";
import type { LookupTable } from "../../../src/reader/mapping/lookup.ts";
import type { Cell } from "../../../src/reader/row.ts";
import { mappingsOf, transferToml } from "../../support/mappings.ts";
import { DEFAULT_CHOICES, rowOf } from "../../support/rows.ts";

function check(
  rows: Parameters<ReturnType<typeof createChecker>["check"]>[0],
  name: "payout" | "transfer",
  writing: Partial<AmountWriting> = {},
): CheckedRow[] {
  const choices = { ...DEFAULT_CHOICES, ...writing };
  const options = { fileName: "pay.csv", format: "csv", choices, sandbox: false } as const;
  return createChecker({ ...options, operation: operationNamed(name) }).check(rows);
}

function mapped(
  toml: string,
  cells: Readonly<Record<string, Cell>>,
  tables: readonly LookupTable[] = [],
  writing: Partial<AmountWriting> = {},
): CheckedRow {
  const [mapping] = mappingsOf(toml);
  if (!mapping) throw new Error("no mapping");
  const row = createRowMapper(mapping, tables)(rowOf(cells, 7));
  const [checked] = check([row], mapping.operation as "payout", writing);
  if (!checked) throw new Error("no row came back");
  return checked;
}

const text = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9 ,;"'=+@.-]{0,14}$/),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("", " ", "NEFT", "5.01E+13", "50100271828001", "HDFC0001234"),
);
const amountText = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 14n }).map(String),
  fc.constantFrom("0", "007", "1,00,000", "-5", "1e5", "₹100", "", " 100 ", "12345678901234567890"),
);

const PAYOUT = ["debit_account_id", "name", "mobile", "email", "bank_id", "bank_acc_num", "ifsc_code", "bank_owner_name", "amount", "payment_mode", "narration", "purpose", "notes", "reference", "period"]; // prettier-ignore

describe("a mapped row is the same row in our columns", () => {
  const header = PAYOUT.map((_, index) => `Their ${index}`);
  const toml = (unit: string): string =>
    `[mapping.m]\noperation="payout"\noption="B"\namount_unit="${unit}"\nheader=${JSON.stringify(header)}\n[mapping.m.columns]\n` +
    PAYOUT.map((field, index) => `"Their ${index}"="${field}"\n`).join("");

  test("any cells give the same instruction, or the same faults in the same cells", () => {
    const cells = fc.tuple(...PAYOUT.map((field) => (field === "amount" ? amountText : text)));
    fc.assert(
      fc.property(cells, (values) => {
        const [ours] = check([rowOf(Object.fromEntries(PAYOUT.map((field, index) => [field, values[index] ?? ""])), 7)], "payout"); // prettier-ignore
        const theirs = mapped(toml("rupees"), Object.fromEntries(header.map((name, index) => [name, values[index] ?? ""]))); // prettier-ignore
        expect(theirs.instruction).toEqual(ours?.instruction);
        const plain = ({ faults = [] }: CheckedRow): unknown[] =>
          faults.map(({ code, cell, message }) => [code, cell, message]);
        expect(plain(theirs)).toEqual(ours && plain(ours));
      }),
    );
  });

  test("and paise give the same instruction as the rupees they are", () => {
    const values = PAYOUT.map((field) => (field === "ifsc_code" ? "HDFC0001234" : field === "reference" ? "R-1" : field === "period" ? "2026-11" : "50100271828001")); // prettier-ignore
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 14n }), (paise) => {
        const rupees = `${paise / 100n}.${String(paise % 100n).padStart(2, "0")}`;
        const amountAt = PAYOUT.indexOf("amount");
        const [ours] = check([rowOf(Object.fromEntries(PAYOUT.map((field, index) => [field, index === amountAt ? rupees : (values[index] ?? "")])))], "payout"); // prettier-ignore
        const theirs = mapped(toml("paise"), Object.fromEntries(header.map((name, index) => [name, index === amountAt ? String(paise) : (values[index] ?? "")]))); // prettier-ignore
        expect(ours?.instruction).toBeDefined();
        expect(theirs.instruction).toEqual(ours?.instruction);
      }),
    );
  });
});

describe("amounts in paise", () => {
  test("any whole number is divided by a hundred, exactly; nothing else ever becomes an amount", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (paise) => {
        const sent = wireAmount(String(paise), "paise") ?? "";
        expect(unitsOf(sent)).toBe(paise * 100n);
        expect(sent).toMatch(/^(?:0|[1-9]\d*)\.\d\d$/);
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.stringMatching(/^\d{0,4}$/), (whole, decimals) => {
        expect(wireAmount(`${whole}.${decimals}`, "paise")).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(text, (any) => {
        if (!/^\d/.test(any)) expect(wireAmount(any, "paise")).toBe(any);
      }),
    );
  });

  const writings = fc.record({
    numberGrouping: fc.constantFrom("none", "indian", "western", "point", "space", "apostrophe"),
    decimalSign: fc.constantFrom("point", "comma"),
  });
  const digits = fc.bigInt({ min: 0n, max: 10n ** 13n }).map(String);
  const anyWriting = fc.oneof(
    digits,
    fc.tuple(fc.constantFrom("", " ", "'", '="', "\u00a0"), digits, fc.constantFrom("", " ", '"', ".", ".00", ",00", ".5")).map((all) => all.join("")), // prettier-ignore
    fc.tuple(digits, fc.constantFrom(",", ".", " ", "'", "\u00a0"), fc.constantFrom(/\B(?=(\d{3})+$)/g, /\B(?=(?:\d{2})*\d{3}$)/g)).map(([all, sign, at]) => all.replace(at, sign)), // prettier-ignore
    amountText,
  );

  test("however an amount is written, and whatever the settings read: a hundredth of it travels, or nothing", () => {
    let converted = 0;
    fc.assert(
      fc.property(anyWriting, writings, (value, writing) => {
        const row = { Ref: "", "Payee Account": "1", "Net Pay": value };
        const [paise, rupees] = ["paise", "rupees"].map((unit) => mapped(transferToml("m", unit as "paise"), row, [], writing)); // prettier-ignore
        const counted = (one: CheckedRow | undefined): string | undefined =>
          one?.instruction?.amount ?? (one?.faults && "amount" in one ? one.amount : undefined);
        const sent = counted(paise);
        if (sent === undefined) return;
        converted += 1;
        expect(unitsOf(sent) * 100n).toBe(unitsOf(counted(rupees) ?? ""));
      }),
      { numRuns: 2000 },
    );
    expect(converted).toBeGreaterThan(200);
  });

  test.each([
    ["'5225000", {}],
    ['="5225000"', {}],
    ["52,25,000", { numberGrouping: "indian" }],
    ["5.225.000", { numberGrouping: "point", decimalSign: "comma" }],
  ] as const)("%s is read first and converted then", (value, writing) => {
    const row = { Ref: "", "Payee Account": "1", "Net Pay": value };
    expect(mapped(transferToml("m", "paise"), row, [], writing).instruction?.amount).toBe("52250.00");
  });

  test.each(["1250.00", "1250.", "0.5"])("%s is a fault in the file's own cell", (value) => {
    const { faults = [], ...row } = mapped(transferToml("m", "paise"), { Ref: "", "Payee Account": "1", "Net Pay": value }); // prettier-ignore
    expect(faults.map(({ code, column, cell }) => [code, column, cell])).toEqual([["paise_with_point", "Net Pay (amount)", "C7"]]); // prettier-ignore
    expect("amount" in row).toBe(false);
  });

  test.each([
    ["1,25,000", "thousands_separator"],
    ["0125", "leading_zeros"],
    ["1.25E+05", "scientific_notation"],
    ["", "value_missing"],
    ["0", "amount_not_positive"],
  ])("%s is named for what it is", (value, code) => {
    const { faults = [] } = mapped(transferToml("m", "paise"), { Ref: "", "Payee Account": "1", "Net Pay": value });
    expect(faults.map((fault) => fault.code)).toEqual([code]);
  });

  test("a JSON number keeps its digits, a text of digits is one too", () => {
    const sent = (value: Cell): string | undefined =>
      mapped(transferToml("m", "paise"), { "Payee Account": "1", "Net Pay": value }).instruction?.amount;
    expect([sent({ token: "number", source: "900719925474093" }), sent("5")]).toEqual(["9007199254740.93", "0.05"]); // prettier-ignore
    expect(canonicalAmount(sent("100") ?? "")).toBe("1");
    expect([sent({ token: "number", source: "1e5" }), sent({ token: "boolean", source: "true" })]).toEqual([undefined, undefined]); // prettier-ignore
  });
});

describe("what is not a column", () => {
  const PAY = [
    '[mapping.m]\noperation="payout"\noption="A"\namount_unit="rupees"\nheader=["Employee","Net Pay","Mode","Curr"]',
    '[mapping.m.columns]\n"Net Pay"="amount"\nMode="payment_mode"',
    '[mapping.m.constants]\ndebit_account_id="ACC-OPS-01"',
    '[mapping.m.values.payment_mode]\n"Bank transfer"="NEFT"',
    '[mapping.m.must_be]\nCurr=["INR",""]',
    '[[mapping.m.lookup]]\nfile="b.csv"\nby="Employee"\nfields={bene_id="id",bene_bank_id="bank"}',
  ].join("\n");
  const TABLE: LookupTable = {
    fields: ["bene_id", "bene_bank_id"],
    rows: new Map<string, readonly string[] | "ambiguous">([
      ["Asha Rao", ["BENE-1", "101"]],
      ["Ravi Nair", "ambiguous"],
    ]),
  };
  const good = { Employee: "Asha Rao", "Net Pay": "10.00", Mode: " Bank transfer ", Curr: "INR" };

  test("constants, translations and lookups fill the payload", () => {
    expect(mapped(PAY, good, [TABLE]).instruction?.payload).toBe(
      '{"debit_account_id":"ACC-OPS-01","bene_id":"BENE-1","bene_bank_id":101,"amount":10.00,"payment_mode":"NEFT"}',
    );
  });

  test.each([
    ["a key that the table lacks", { Employee: "Asha R" }, [["lookup_missing", "Employee (bene_id)", "A7"]]],
    ["a key with two lines", { Employee: "Ravi Nair" }, [["lookup_ambiguous", "Employee (bene_id)", "A7"]]],
    ["a value without translation", { Mode: "Cheque" }, [["value_not_mapped", "Mode (payment_mode)", "C7"]]],
    ["a value that is not taken", { Curr: "USD" }, [["value_not_taken", "Curr", "D7"]]],
    ["an empty key", { Employee: " " }, [["value_missing", "Employee (bene_id)", "A7"], ["value_missing", "Employee (bene_bank_id)", "A7"]]], // prettier-ignore
    ["a key that a spreadsheet marked as text", { Employee: '="Asha Rao"', Curr: "'INR", Mode: "'Bank transfer" }, []],
    ["several at once", { Employee: "X", Curr: "USD" }, [["lookup_missing", "Employee (bene_id)", "A7"], ["value_not_taken", "Curr", "D7"]]], // prettier-ignore
  ])("%s is a fault of that row, in the file's own cell", (_, change, expected) => {
    const { faults = [] } = mapped(PAY, { ...good, ...change }, [TABLE]);
    expect(faults.map(({ code, column, cell }) => [code, column, cell])).toEqual(expected);
  });

  test("what is looked up is shown as a name, and an account number as an account number", () => {
    const messages = ["Sunita Menon", "50100271828001"].map((Employee) => mapped(PAY, { ...good, Employee }, [TABLE]).faults?.[0]?.message); // prettier-ignore
    expect(messages[0]).toBe('"S••" is not in the lookup table b.csv');
    expect(messages[1]).toBe('"••8001" is not in the lookup table b.csv');
  });

  test("what is wrong in the table is shown, not the key that it was found by", () => {
    const rows = new Map([["Asha Rao", ["#N/A", "12"]]]);
    const [fault] = mapped(PAY, good, [{ ...TABLE, rows }]).faults ?? [];
    expect(fault).toMatchObject({ code: "spreadsheet_error", column: "Employee (bene_id)", cell: "A7" });
    expect(fault?.message).toBe('in the lookup table b.csv: "#N/A" is an error of the spreadsheet, not an id');
  });

  test("accounts that the mapping itself names are shown to nobody", () => {
    const account = "2323230062893455";
    const toml = PAY.replace('"INR",""', `"${account}"`).replace('"Bank transfer"', `"${account}"`);
    const { faults = [] } = mapped(toml, { ...good, Mode: "2323230062893456" }, [TABLE]);
    expect(faults.map(({ code }) => code)).toEqual(["value_not_mapped", "value_not_taken"]);
    expect(JSON.stringify(faults)).not.toContain(account);
  });

  test("a totals row is known by its word, whatever the mapping adds to it", () => {
    const { faults = [] } = mapped(transferToml("m", "paise"), { Ref: "Total", "Payee Account": "", "Net Pay": "125000" }); // prettier-ignore
    expect(faults.map(({ code }) => code)).toEqual(["totals_row"]);
  });

  test("a JSON row may leave out a key, and not bring one that nobody confirmed", () => {
    const row = { "Payee Account": "5010", "Net Pay": "10" };
    expect(mapped(transferToml("m", "rupees"), row).instruction?.amount).toBe("10");
    const { faults = [] } = mapped(transferToml("m", "rupees"), { ...row, Bonus: "500" });
    expect(faults.map(({ code, column }) => [code, column])).toEqual([["column_not_confirmed", "Bonus"]]);
  });
});
