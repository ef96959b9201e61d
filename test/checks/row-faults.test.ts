import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createChecker } from "../../src/checks/check-row.ts";
import { ROW_FAULT_CODES } from "../../src/checks/sentences.ts";
import { FileRefusedError } from "../../src/errors.ts";
import { operationNamed } from "../../src/operations/catalogue.ts";
import type { OperationName } from "../../src/operations/operation.ts";
import type { Cell } from "../../src/reader/row.ts";
import { DEFAULT_CHOICES, GOOD_OPTION_A, GOOD_ROWS, checkOne, codesOf, rowOf } from "../support/rows.ts";
import type { CheckSetting } from "../support/rows.ts";

const PAYOUT = GOOD_ROWS.payout;
const BOTH_OPTIONS = { ...PAYOUT, bene_id: "", bene_bank_id: "" };
const JSON_FILE = { format: "json", fileName: "payroll.json" } as const;

type Cells = Readonly<Record<string, Cell>>;

function codes(name: OperationName | undefined, cells: Cells, setting?: CheckSetting): readonly string[] {
  return codesOf(checkOne(name, cells, setting));
}

function withCell(field: string, cell: Cell): Cells {
  return { ...PAYOUT, [field]: cell };
}

function without(cells: Cells, name: string): Cells {
  return Object.fromEntries(Object.entries(cells).filter(([key]) => key !== name));
}

describe("the option of a payout", () => {
  test("is that whose own fields hold values", () => {
    expect(checkOne("payout", BOTH_OPTIONS).instruction?.option).toBe("B");
    const emptyB = Object.fromEntries(Object.keys(PAYOUT).map((name) => [name, " "]));
    expect(checkOne("payout", { ...emptyB, ...GOOD_OPTION_A }).instruction?.option).toBe("A");
  });

  test("is a question when both have values, and the fields are named", () => {
    const { faults } = checkOne("payout", { ...BOTH_OPTIONS, bene_id: "BENE-1" });
    expect(faults?.map((fault) => fault.code)).toEqual(["option_both"]);
    expect(faults?.[0]?.message).toContain("bene_id and name, mobile, email, bank_id, bank_acc_num");
  });

  test("is a question when neither has values", () => {
    const neither = { ...BOTH_OPTIONS, name: "", mobile: "", email: "", bank_id: "", bank_acc_num: "" };
    const { faults } = checkOne("payout", { ...neither, ifsc_code: "", bank_owner_name: "" });
    expect(faults?.map((fault) => fault.code)).toEqual(["option_neither"]);
    expect(faults?.[0]?.message).toContain("bene_id, bene_bank_id, bank_acc_num, ifsc_code");
  });

  test("is the file's where it has columns of one option only: an empty cell is then just missing", () => {
    expect(codes("payout", { ...GOOD_OPTION_A, bene_id: "", bene_bank_id: "" })).toEqual([
      "value_missing",
      "value_missing",
    ]);
  });
});

describe("the operation of a row", () => {
  const loan = { operation: "loan", ...GOOD_ROWS.loan };

  test("is what its own cell says, in any file that has the column", () => {
    expect(checkOne(undefined, loan).instruction?.operation.name).toBe("loan");
    expect(checkOne(undefined, { ...loan, operation: " Loans " }).instruction?.operation.name).toBe("loan");
    expect(checkOne("loan", { ...loan, operation: "" }).instruction?.operation.name).toBe("loan");
  });

  test.each([
    ["transfer", "loan", "operation_contradicted"],
    [undefined, "salary", "operation_unknown_word"],
    [undefined, " ", "operation_cell_empty"],
    [undefined, "constructor", "operation_unknown_word"],
  ] as const)("stated as %s and written as %j is a fault: %s", (stated, operation, code) => {
    expect(codes(stated, { ...loan, operation })).toEqual([code]);
  });
});

test("a JSON row without the key operation, in a file that states none, is a fault like an empty cell", () => {
  expect(codes(undefined, GOOD_ROWS.loan, JSON_FILE)).toEqual(["operation_cell_empty"]);
});

describe("a text that is sent", () => {
  test.each([
    ["a line\nbreak", "control_character"],
    ["a\ttab", "control_character"],
    ["bell\u0007", "control_character"],
    ["c1\u009b", "control_character"],
    ["line\u2028separator", "control_character"],
    ["over\u202eride", "hidden_character"],
    ["iso\u2066late", "hidden_character"],
    ["zero\u200bwidth", "hidden_character"],
    ["mark\ufeff", "hidden_character"],
    ["half\ud83d", "broken_character"],
    ["lost\ufffd", "broken_character"],
  ])("must not hold %j", (text, code) => {
    for (const field of ["name", "narration", "notes", "debit_account_id"]) {
      expect(codes("payout", withCell(field, text))).toEqual([code]);
    }
  });

  test.each([
    "ക്‍ഷ",
    "क्‌ष",
    "José",
    "अशोक",
    '₹ & <tag> "quote" \\',
    "=cmd|'/c calc'!A1",
    "TRUE",
    "1.5E+3",
    "02-Jan",
    "😀",
  ])("may be %s", (text) => {
    expect(codes("payout", withCell("narration", text))).toEqual([]);
  });

  test("is missing when a required cell holds nothing but white space of any kind", () => {
    for (const blank of ["", "   ", "\u00a0", "\t", " \u00a0 "]) {
      expect(codes("payout", withCell("name", blank))).toEqual(["value_missing"]);
      expect(codes("payout", withCell("amount", blank))).toEqual(["value_missing"]);
    }
  });
});

test("a date for an expiry and a JSON number with an exponent are not laid to a spreadsheet", () => {
  const collection = { amount: "499.00", vpa: "asha@demobank", expiry: "2026-11-30" };
  expect(checkOne("collection", collection).faults?.map(({ message }) => message)).toEqual([
    '"2026-11-30" looks like a date, and expiry is a whole number',
  ]);
  const loan = { borrower_id: "BRW-1", amount: { token: "number", source: "1.0E7" }, tenure: "12" } as const;
  const [fault] = checkOne("loan", loan).faults ?? [];
  expect(fault).toMatchObject({ code: "json_exponent", hint: "Write all of its digits, without an exponent." });
});

describe("JSON", () => {
  const row = { ...PAYOUT, amount: { token: "number", source: "52250.00" } } as const;

  test.each([
    ["bank_acc_num", { token: "number", source: "50100271828001" }, "json_number_for_text"],
    ["narration", { token: "number", source: "7" }, "json_number_for_text"],
    ["reference", { token: "number", source: "7" }, "json_number_for_text"],
    ["amount", { token: "boolean", source: "true" }, "json_boolean"],
    ["name", { token: "boolean", source: "false" }, "json_boolean"],
    ["name", { token: "nested", source: "{}" }, "json_nested"],
    ["amount", { token: "nested", source: "[1]" }, "json_nested"],
    ["name", { token: "null", source: "null" }, "value_missing"],
    ["amount", { token: "null", source: "null" }, "value_missing"],
    ["amount", { token: "number", source: "1e3" }, "json_exponent"],
    ["amount", { token: "number", source: "-5" }, "has_sign"],
    ["amount", { token: "number", source: "0" }, "amount_not_positive"],
    ["amount", { token: "number", source: "1.005" }, "amount_too_many_decimals"],
  ] as const)("in %s: %j is a fault: %s", (field, cell, code) => {
    expect(codes("payout", { ...row, [field]: cell }, JSON_FILE)).toEqual([code]);
  });

  test("may leave a field out, write null for it, or write a number in quotes", () => {
    const cells = { ...row, amount: "7.10", narration: { token: "null", source: "null" } } as const;
    expect(checkOne("payout", cells, JSON_FILE).instruction?.payload).toContain('"amount":7.10');
    expect(codes("payout", without(row, "amount"), JSON_FILE)).toEqual(["value_missing"]);
  });

  test("has fields, no cells", () => {
    const [fault] = checkOne("payout", { ...row, name: "" }, JSON_FILE).faults ?? [];
    expect(fault).toMatchObject({ column: "name" });
    expect(fault).not.toHaveProperty("cell");
  });

  test("with a key that stands twice makes its row invalid, whatever the values are", () => {
    const checker = createChecker({
      ...JSON_FILE,
      operation: operationNamed("payout"),
      choices: DEFAULT_CHOICES,
      sandbox: false,
    });
    const checked = checker.check([{ ...rowOf(row), repeatedKey: "amount" }]);
    expect(checked.flatMap(codesOf)).toEqual(["key_repeated"]);
    expect(checked).toMatchObject([{ operation: { name: "payout" } }]);
  });

  test("with a misspelt key refuses the file, naming the row", () => {
    expect(() => checkOne("payout", { ...row, notes: "", naration: "x", narration: "y" }, JSON_FILE)).not.toThrow();
    const misspelt = { ...without(row, "narration"), naration: "x" };
    const refused = (): unknown => checkOne("payout", misspelt, JSON_FILE);
    expect(refused).toThrow(FileRefusedError);
    expect(refused).toThrow(
      'payroll.json: row 2, column naration: the column "naration" looks like a misspelt narration',
    );
  });

  test("rows of many shapes are each read by their own keys", () => {
    const checker = createChecker({
      ...JSON_FILE,
      operation: operationNamed("transfer"),
      choices: DEFAULT_CHOICES,
      sandbox: false,
    });
    const one = rowOf(GOOD_ROWS.transfer);
    const other = rowOf({ amount: "5", to_account: "2", from_account: "1", extra: "x" });
    expect(checker.check([one, other, one, other]).map((checked) => checked.instruction?.amount)).toEqual([
      "1200.50",
      "5",
      "1200.50",
      "5",
    ]);
  });
});

describe("a row says nothing of the one behind it", () => {
  test.each([
    ["transfer", "from_account", ["ACC-1", "ACC-1", "1.5E+11", "1.5E+11", "ACC-1", "", "ACC-1"]],
    ["transfer", "amount", ["5", "5", "5,00", "5,00", "5", "5 ", "0", "5"]],
    ["payout", "ifsc_code", ["HDFC0001234", "HDFC1", "HDFC1", "HDFC0001234", "HDFC0001234"]],
  ] as const)("%s: each %s is judged by itself, however often it was there before", (name, field, values) => {
    const checker = createChecker({
      fileName: "a.csv",
      format: "csv",
      operation: operationNamed(name),
      choices: DEFAULT_CHOICES,
      sandbox: false,
    });
    const rows = values.map((value) => rowOf({ ...GOOD_ROWS[name], [field]: value }));
    // of one file: their columns are the same array
    const ofOneFile = rows.map((row) => ({ ...row, columns: rows[0]?.columns ?? [] }));
    const alone = values.map((value) => codes(name, { ...GOOD_ROWS[name], [field]: value }));
    expect(new Set(alone.map(String)).size).toBeGreaterThan(1);
    expect(checker.check(ofOneFile).map(codesOf)).toEqual(alone);
  });
});

describe("rows that are none", () => {
  test.each([
    ["transfer", { from_account: "Total", to_account: "", amount: "1200.50" }],
    ["transfer", { from_account: "", to_account: "GRAND TOTAL", amount: "1200.50" }],
    ["collection", { vpa: "Total", amount: "12", currency: "INR" }],
    ["loan", { no: "Sum", borrower_id: "", amount: "12", tenure: "" }],
    ["payout", { ...Object.fromEntries(Object.keys(PAYOUT).map((name) => [name, ""])), name: "Total:", amount: "5" }],
    ["payout", { ...Object.fromEntries(Object.keys(PAYOUT).map((name) => [name, ""])), amount: "1,53,350.00" }],
    ["transfer", { from_account: "Summe", to_account: "", amount: "1.586,50" }],
    ["transfer", { from_account: "Zwischensumme", to_account: "", amount: "1" }],
    ["transfer", { from_account: "कुल योग", to_account: "", amount: "1" }],
    ["collection", { amount: "300.00", currency: "", vpa: "Total", expiry: "" }],
    ["collection", { amount: "300.00", vpa: "Grand Total" }],
    ["collection", { amount: "300.00", currency: "INR", vpa: " TOTAL: ", expiry: "30" }],
    ["loan", { borrower_id: "Total", amount: "90000", tenure: "36" }],
    ["loan", { no: "3", borrower_id: "Total (2)", amount: "90000", tenure: "36" }],
    ["transfer", { from_account: "TOTAL", to_account: "2", amount: "300.00" }],
    ["transfer", { no: "Total", from_account: "", to_account: "240", amount: "300.00" }],
    ["transfer", { no: "Grand total 2", from_account: "1", to_account: "2", amount: "300.00" }],
    ["payout", { ...PAYOUT, bank_acc_num: "Sum" }],
  ] as const)("a totals row of a %s is never sent: %j", (name, cells) => {
    const checked = checkOne(name, cells);
    expect(codesOf(checked)).toEqual(["totals_row"]);
    expect(checked).not.toHaveProperty("amount");
  });

  test("the header once more is named as such, and is no row of an account", () => {
    const checked = checkOne("transfer", { from_account: "from_account", to_account: "to_account", amount: "amount" });
    expect(codesOf(checked)).toEqual(["header_again"]);
    expect(checked).not.toHaveProperty("operation");
    expect(codes("transfer", { from_account: "from_account", to_account: "B-1", amount: "amount" })).toEqual([
      "not_a_number",
    ]);
  });

  test("an object without keys repeats no header", () => {
    expect(codes("transfer", {}, JSON_FILE)).toEqual(["value_missing", "value_missing", "value_missing"]);
  });

  test("a payment to somebody called Total is a payment", () => {
    expect(codes("payout", { ...PAYOUT, debit_account_id: "TOTAL-01" })).toEqual([]);
    expect(codes("transfer", { from_account: "Summit-1", to_account: "", amount: "1" })).toEqual(["value_missing"]);
    expect(codes("transfer", { from_account: "", to_account: "B-1", amount: "1" })).toEqual(["value_missing"]);
    for (const vpa of ["total.energies@okicici", "sum@ybl", "total@upi", "gesamt-1@bank"]) {
      expect(codes("collection", { vpa, amount: "250.00" })).toEqual([]);
      expect(codes("collection", { amount: "250.00", vpa })).toEqual([]);
    }
    for (const name of ["Total", "Total Energies", "Sum Ting", "कुलदीप सिंह"]) {
      expect(codes("payout", { ...PAYOUT, name, bank_owner_name: name })).toEqual([]);
      expect(codes("transfer", { name, ...GOOD_ROWS.transfer })).toEqual([]);
    }
    expect(codes("loan", { name: "Total Energies", borrower_id: "1042", amount: "5", tenure: "12" })).toEqual([]);
    expect(codes("loan", { borrower_id: "TOTAL-01", amount: "5", tenure: "12" })).toEqual([]);
  });

  test("an example row of a template goes to the sandbox only", () => {
    expect(codes("payout", withCell("narration", "EXAMPLE salary"))).toEqual(["example_row"]);
    expect(codes("payout", withCell("narration", "EXAMPLE salary"), { sandbox: true })).toEqual([]);
    expect(codes("payout", withCell("narration", "for example"))).toEqual([]);
  });
});

describe("a fault", () => {
  test("gives no account, mobile, address or name away", () => {
    const secrets = { bank_acc_num: "1234\u200b567890123", mobile: "98765\u200b43210" };
    const { faults } = checkOne("payout", {
      ...PAYOUT,
      ...secrets,
      email: "asha.verma\u200b@mail.example",
      name: "Asha\u200bVerma",
    });
    const text = JSON.stringify(faults);
    expect(faults).toHaveLength(4);
    for (const secret of ["567890", "98765", "asha.verma", "Verma", "1234"]) expect(text).not.toContain(secret);
  });

  test("shows a third of an amount as it is, and an account that stands there masked", () => {
    const shown = (text: string): string => checkOne("payout", withCell("amount", text)).faults?.[0]?.message ?? "";
    expect(shown("33333.3333333333")).toMatch(/^"33333\.3333333333" has 10 digits after the point/);
    for (const text of ["501000011101.001", "5.01000011101E+11", "-501000011101"])
      expect(shown(text)).toMatch(/••[^"]*1101/);
  });

  const ACCOUNT = "50100271828001";
  test.each([
    ["a mobile among the amounts", { amount: "+919812345678" }, "9812345678"],
    ["an account with a zero in front", { amount: `0${ACCOUNT}` }, ACCOUNT],
    ["an account in groups of four", { amount: "5010 0271 8280" }, "0271"],
    ["a mobile in its two halves", { amount: "98123 45678" }, "98123"],
    ["an account where the operation stands", { operation: ACCOUNT }, ACCOUNT],
    ["a title with an account where the operation stands", { operation: `Total ${ACCOUNT}` }, ACCOUNT],
    ["an account behind an address", { narration: `ask a@b about\n${ACCOUNT}` }, ACCOUNT],
    ["a second address in the cell", { email: "asha@mail.example\nravi@mail.example" }, "ravi"],
  ])("shows nothing that stands in another column than its own: %s", (_, change, secret) => {
    const { faults = [] } = checkOne(undefined, { operation: "payout", ...PAYOUT, ...change });
    expect(faults).toHaveLength(1);
    expect(JSON.stringify(faults)).not.toContain(secret);
  });

  test("shows what Excel left of an account, and of many digits the last four", () => {
    const shown = (text: string): string =>
      checkOne("payout", withCell("bank_acc_num", text)).faults?.[0]?.message ?? "";
    expect(shown("5.01002E+13")).toContain('"5.01002E+13"');
    expect(shown("1.23456789012345E+15")).toContain('"••45E+15"');
    expect(shown("501002718281.0")).toContain('"••281.0"');
    expect(shown("=50100271828001")).toContain('"=••8001"');
  });

  test("of any account number never holds more than four digits in a row of it", () => {
    const damage = fc.constantFrom(".0", "\u00a0", "\u200b", "E+15", "१");
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{8,17}$/), damage, (account, after) => {
        const text = JSON.stringify(checkOne("payout", withCell("bank_acc_num", account + after)).faults);
        expect(text.includes(account.slice(0, 6)) || text.includes(account.slice(-6))).toBe(false);
      }),
    );
  });

  test("shows at most forty characters, and none that a terminal obeys", () => {
    const [fault] = checkOne("payout", withCell("payment_mode", `NE\u001b[31m${"x".repeat(200)}`)).faults ?? [];
    expect(fault?.message).toContain('"NE\\u{1b}[31mxxx');
    expect(fault?.message.length).toBeLessThan(110);
  });

  test("has a sentence without a gap and a hint for every code", () => {
    expect(ROW_FAULT_CODES.length).toBeGreaterThan(35);
    expect(ROW_FAULT_CODES.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  });
});
