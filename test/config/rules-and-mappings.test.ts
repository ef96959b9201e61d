import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import { mappingNamed } from "../../src/config/mapping.ts";
import type { Config } from "../../src/config/schema.ts";
import { temporaryFolder } from "../support/paydrop.ts";

function read(text: string): { readonly config: Config; readonly folder: string } {
  const path = join(temporaryFolder(), "paydrop.toml");
  writeFileSync(path, text, { mode: 0o600 });
  const { config } = loadSettings({ flags: { config: path }, env: { HOME: "/nonexistent" } });
  return { config, folder: dirname(path) };
}

describe("rules", () => {
  test("caps, and the rules of fields", () => {
    const { config } = read(`[rules.payouts]
max_per_row = 200000
max_per_day = "8000000.50"
[rules.payouts.narration]
required = true
max_length = 30
pattern = "[A-Za-z0-9 ]*"
[rules.transfers.to_account]
allowed = ["A-1", "A-2"]
`);
    expect(config.rules).toEqual({
      payouts: {
        max_per_row: "200000",
        max_per_day: "8000000.50",
        fields: { narration: { required: true, max_length: 30, pattern: "[A-Za-z0-9 ]*" } },
      },
      transfers: { fields: { to_account: { allowed: ["A-1", "A-2"] } } },
    });
  });

  test.each([
    ["[rules.payout]", 'rules: there is no "payout": did you mean payouts?'],
    ["[rules.payouts]\nmax_perrow = 1", "did you mean max_per_row?"],
    ["[rules.payouts.narratoin]\nrequired = true", "did you mean narration?"],
    ["[rules.payouts.narration]\nmax_lenght = 3", "rules.payouts.narration: there is no"],
    ["[rules.payouts.amount]\nrequired = true", 'there is no "amount"'],
    ["[rules.payouts]\nmax_per_row = 5000.5", "rules.payouts.max_per_row: 5000.5 is not a plain amount"],
    ["[rules.payouts]\nmax_per_row = -1", "is not a plain amount"],
    ["[rules.payouts.narration]\nmax_length = 0", "0 is not a whole number from 1 to 10000"],
    ['[rules.payouts.narration]\npattern = "("', "is not a regular expression"],
    [`[rules.payouts.narration]\npattern = "${"a".repeat(501)}"`, "at most 500 characters"],
    ["[rules.payouts.narration]\nallowed = [5]", "a list of texts"],
    ['[rules]\npayouts = "all"', "is not a table"],
    ["rules = 5", "is not a table"],
  ])("%j is refused", (text, told) => {
    expect(() => read(text)).toThrow(told);
  });

  test("an account in a wrong rule is masked", () => {
    expect(() => read('[rules.payouts.bank_acc_num]\nmax_length = "50100234567890"')).toThrow(/••7890/);
  });
});

const HRMS = `[mapping.hrms]
operation = "payouts"
option = "B"
amount_unit = "rupees"
header = ["Emp No", "Employee Name", "Account No", "IFSC", "Net Pay", "Mode", "Currency"]
[mapping.hrms.columns]
"employee name" = ["name", "bank_owner_name"]
"Account No" = "bank_acc_num"
"IFSC" = "ifsc_code"
"Net Pay" = "amount"
"Mode" = "payment_mode"
[mapping.hrms.constants]
debit_account_id = "ACC-OPS-01"
[mapping.hrms.values.payment_mode]
"Bank transfer" = "NEFT"
[mapping.hrms.must_be]
Currency = ["INR"]
[[mapping.hrms.lookup]]
file = "employees.csv"
by = "emp no"
key = "Employee number"
fields = { mobile = "Phone" }
`;

describe("mappings", () => {
  test("one is read with columns as the header spells them and tables beside the file", () => {
    const { config, folder } = read(HRMS);
    expect(config.mappings).toMatchObject([
      {
        name: "hrms",
        operation: "payout",
        option: "B",
        amountUnit: "rupees",
        columns: [{ column: "Employee Name", fields: ["name", "bank_owner_name"] }, {}, {}, {}, {}],
        constants: { debit_account_id: "ACC-OPS-01" },
        values: { payment_mode: { "Bank transfer": "NEFT" } },
        mustBe: [{ column: "Currency", values: ["INR"] }],
        lookups: [
          { file: join(folder, "employees.csv"), by: "Emp No", key: "Employee number", fields: { mobile: "Phone" } },
        ],
      },
    ]);
    expect(mappingNamed("hrms", config.mappings).name).toBe("hrms");
    expect(() => mappingNamed("hr", config.mappings)).toThrow('there is no mapping "hr"');
  });

  test.each([
    ["a column that is not in the header", ['"IFSC" =', '"IFSCC" ='], 'there is no "IFSCC": did you mean IFSC?'],
    ["a field that is not ours", ['"bank_acc_num"', '"bank_acc_no"'], "did you mean bank_acc_num?"],
    ["a field of the other option", ['"payment_mode"', '"bene_id"'], 'there is no "bene_id"'],
    ["two sources", ['debit_account_id = "ACC', 'amount = "5"\ndebit_account_id = "ACC'], '"amount" has two places'],
    ["values without a column", ["values.payment_mode", "values.purpose"], 'there is no "purpose"'],
    ["a field without a source", ['"IFSC" = "ifsc_code"\n', ""], "nothing gives ifsc_code"],
    ["rupees in a column, paise said", ['= "rupees"', '= "paise"'], 'the column "Net Pay (Rs)" says rupees'],
    ["no unit", ['amount_unit = "rupees"\n', ""], "mapping.hrms.amount_unit is missing"],
    ["a column twice", ['"Emp No",', '"Emp No", "emp_no",'], '"empno" has two places'],
    ["a name that is a word of ours", ["[mapping.hrms]", "[mapping.none]"], "mapping.none: "],
    ["a key that is not ours", ["option =", "optoin ="], "did you mean option?"],
    ["an operation without options", ['"payouts"', '"transfer"'], "a transfer has no options"],
  ])("%s is refused", (_, [from = "", to = ""], told) => {
    const text = (told.includes("(Rs)") ? HRMS.replaceAll("Net Pay", "Net Pay (Rs)") : HRMS).replace(from, to);
    const renamed = to === "[mapping.none]" ? text.replaceAll("mapping.hrms", "mapping.none") : text;
    expect(() => read(renamed)).toThrow(told);
  });
});

const COSMOS = `[statement.cosmos]
day = "Posting Date"
text = ["Particulars", "Remarks"]
references = "Instrument No"
debit = "Withdrawals"
credit = "Deposits"
balance = "Balance"
`;

describe("layouts of statements", () => {
  test("one is read, with what it leaves out", () => {
    expect(read(COSMOS).config.statements).toEqual([
      {
        ...{ bank: "cosmos", day: "Posting Date", text: ["Particulars", "Remarks"], references: ["Instrument No"] },
        ...{ money: { debit: "Withdrawals", credit: "Deposits" }, balance: "Balance" },
        ...{ beside: [], hasDecimalComma: false },
      },
    ]);
  });

  test.each([
    [
      "a key that is not ours",
      ["balance =", "blance ="],
      'statement.cosmos: there is no "blance": did you mean balance?',
    ],
    ["no day", ['day = "Posting Date"\n', ""], "statement.cosmos.day is missing"],
    ["no text", ['["Particulars", "Remarks"]', "[]"], "statement.cosmos.text: "],
    ["a debit alone", ['credit = "Deposits"\n', ""], "which columns hold the amounts is not clear"],
    ["an amount beside them", ["balance =", 'amount = "Amt"\nbalance ='], "write debit and credit, or amount alone"],
    ["a column as two things", ['"Deposits"', '"withdrawals"'], 'the column "withdrawals" is read as two things'],
    [
      "the same columns twice",
      ["[statement", `${COSMOS.replace("cosmos", "other")}[statement`],
      "other has the very same",
    ],
    ["no table", [COSMOS, 'statement = "cosmos"'], "is not a table"],
  ])("%s is refused", (_, [from = "", to = ""], told) => {
    expect(() => read(COSMOS.replace(from, to))).toThrow(told);
  });
});
