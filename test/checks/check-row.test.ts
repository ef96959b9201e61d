import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Instruction } from "../../src/checks/instruction.ts";
import type { OperationName } from "../../src/operations/operation.ts";
import type { Cell } from "../../src/reader/row.ts";
import { GOOD_OPTION_A, GOOD_ROWS, checkOne } from "../support/rows.ts";
import type { CheckSetting } from "../support/rows.ts";

const PAYOUT = GOOD_ROWS.payout;
const JSON_FILE = { format: "json", fileName: "payroll.json" } as const;

type Cells = Readonly<Record<string, Cell>>;

function instructionOf(name: OperationName | undefined, cells: Cells, setting?: CheckSetting): Instruction {
  const { instruction, faults } = checkOne(name, cells, setting);
  if (!instruction) throw new Error(`invalid: ${JSON.stringify(faults)}`);
  return instruction;
}

function number(source: string): Cell {
  return { token: "number", source };
}

describe("the payload", () => {
  test("of option B has the fields of §2.5 in their order, compact, with the digits of the file", () => {
    expect(instructionOf("payout", PAYOUT).payload).toBe(
      '{"debit_account_id":"ACC-OPS-01","name":"Asha Verma","mobile":"9800000001","email":"asha@mail.example",' +
        '"bank_id":"HDFC","bank_acc_num":"50100271828001","ifsc_code":"HDFC0001234","bank_owner_name":"Asha Verma",' +
        '"amount":52250.00,"payment_mode":"NEFT","narration":"Salary November","purpose":"salary"}',
    );
  });

  test("of option A has a number for the bank", () => {
    const { payload, option } = instructionOf("payout", GOOD_OPTION_A);
    expect(option).toBe("A");
    expect(payload).toBe(
      '{"debit_account_id":"ACC-OPS-01","bene_id":"BENE-0007","bene_bank_id":12,"amount":900.10,"payment_mode":"IMPS"}',
    );
  });

  test("holds the bank's id in whatever script: it makes no other payment of a row", () => {
    const bank = "\u092d\u093e\u0930\u0924\u0940\u092f \u0938\u094d\u091f\u0947\u091f \u092c\u0948\u0902\u0915";
    expect(instructionOf("payout", { ...PAYOUT, bank_id: bank }).payload).toContain(`"bank_id":"${bank}"`);
    expect(checkOne("payout", { ...PAYOUT, bank_id: `SBI\u200b` }).faults?.[0]?.code).toBe("hidden_character");
    expect(checkOne("payout", { ...PAYOUT, bank_acc_num: "5010\u20110271" }).faults?.[0]?.code).toBe("id_not_ascii");
  });

  test.each([
    ["transfer", '{"from_account":"50100271828001","to_account":"50100314159002","amount":1200.50}'],
    ["loan", '{"borrower_id":"BRW-0042","amount":250000,"tenure":24}'],
    ["collection", '{"amount":499,"currency":"INR","vpa":"ravi@bank","expiry":30}'],
  ] as const)("of a %s has the fields of §2", (name, payload) => {
    expect(instructionOf(name, GOOD_ROWS[name]).payload).toBe(payload);
  });

  test.each([
    ["payout", PAYOUT],
    ["payout", { ...PAYOUT, mobile: "", bank_id: " ", narration: 'rent "May" \\ ₹' }],
    ["payout", { ...PAYOUT, mobile: "", bank_acc_num: '="00123456"' }],
    ["payout", GOOD_OPTION_A],
    ["transfer", GOOD_ROWS.transfer],
    ["loan", GOOD_ROWS.loan],
    ["collection", { ...GOOD_ROWS.collection, currency: "", expiry: "" }],
  ] as const)("of a %s is told field by field too: by these values an answer is masked (I10) %#", (name, cells) => {
    for (const emptyFields of ["omit", "send"] as const) {
      const { payload, form, values } = instructionOf(name, cells, { choices: { emptyFields } });
      const sent = JSON.parse(payload) as Record<string, unknown>;
      expect(values).toHaveLength(form.fields.length);
      for (const [index, field] of form.fields.entries()) {
        const isNumber = typeof sent[field.name] === "number";
        const value = isNumber ? Number(values[index]) : values[index];
        expect({ field: field.name, value }).toEqual({ field: field.name, value: sent[field.name] ?? "" });
      }
    }
  });

  test("takes the order of the interface, not that of the file", () => {
    const reversed = Object.fromEntries(Object.entries(PAYOUT).reverse());
    expect(instructionOf("payout", reversed).payload).toBe(instructionOf("payout", PAYOUT).payload);
  });

  test("holds INR where no currency is written", () => {
    expect(instructionOf("collection", { amount: "1", vpa: "a@b" }).payload).toBe(
      '{"amount":1,"currency":"INR","vpa":"a@b"}',
    );
    expect(instructionOf("collection", { amount: "1", vpa: "a@b", currency: "" }).payload).toContain('"INR"');
    expect(instructionOf("collection", { amount: "1", vpa: "a@b", currency: "USD" }).payload).toContain('"USD"');
  });

  test("leaves an empty optional cell out, or sends it as empty text where so configured", () => {
    const cells = { ...PAYOUT, narration: " ", mobile: "" };
    expect(JSON.parse(instructionOf("payout", cells).payload)).not.toHaveProperty("narration");
    const sent: unknown = JSON.parse(instructionOf("payout", cells, { choices: { emptyFields: "send" } }).payload);
    expect(sent).toMatchObject({ narration: "", mobile: "", notes: "" });
  });

  test("never sends an empty number", () => {
    const cells = { ...GOOD_ROWS.collection, expiry: "" };
    expect(instructionOf("collection", cells, { choices: { emptyFields: "send" } }).payload).not.toContain("expiry");
  });

  test("has no spaces around values, but those of narration and notes", () => {
    const cells = { ...PAYOUT, name: "  Asha  Verma ", narration: " a  b ", amount: " 5 " };
    const { payload, amount } = instructionOf("payout", cells);
    expect(JSON.parse(payload)).toMatchObject({ name: "Asha  Verma", narration: " a  b ", amount: 5 });
    expect(amount).toBe("5");
  });

  test("carries any amount with the very text of the file", () => {
    const digits = fc.integer({ min: 1, max: 10 ** 13 - 1 }).map(String);
    const decimals = fc.constantFrom("", ".0", ".00", ".10", ".5", ".05", ".99");
    fc.assert(
      fc.property(digits, decimals, fc.boolean(), (whole, rest, isJson) => {
        const text = whole + rest;
        const amount = isJson ? number(text) : text;
        const { payload } = instructionOf("transfer", { ...GOOD_ROWS.transfer, amount }, isJson ? JSON_FILE : {});
        expect(payload.endsWith(`"amount":${text}}`)).toBe(true);
      }),
    );
  });

  test("reads back as what stood in the file, with the types of §2.5", () => {
    const letters = fc.constantFrom(...Array.from("aZ09 \"\\/'<>&{}[]:,éजகഅ₹😀\u200c\u200d\u00a0"));
    const text = fc.string({ unit: letters, minLength: 1, maxLength: 30 }).map((one) => `x${one}x`);
    fc.assert(
      fc.property(text, text, text, (name, narration, notes) => {
        const cells = { ...PAYOUT, name, narration, notes };
        const expected = { ...cells, amount: 52250 };
        expect(JSON.parse(instructionOf("payout", cells).payload)).toEqual(expected);
      }),
    );
  });
});

describe("what an instruction says beside its payload", () => {
  test("its account to debit, reference and period, which are not sent", () => {
    const instruction = instructionOf("payout", { ...PAYOUT, Reference: " SAL-1 ", period: "2026-11" });
    expect(instruction).toMatchObject({ debitAccount: "ACC-OPS-01", reference: "SAL-1", period: "2026-11" });
    expect(instruction.payload).toBe(instructionOf("payout", PAYOUT).payload);
  });

  test("equal core texts for equal payments, however they are written", () => {
    const { core, beneficiary } = instructionOf("payout", PAYOUT);
    const other = { ...PAYOUT, amount: "52250", ifsc_code: " hdfc0001234", narration: "again", name: "A. Verma" };
    expect(instructionOf("payout", other).core).toBe(core);
    expect(instructionOf("payout", { ...PAYOUT, amount: "1" })).toMatchObject({ beneficiary });
    const collection = { ...GOOD_ROWS.collection, vpa: "RAVI@bank", currency: "", amount: "499.0" };
    expect(instructionOf("collection", collection).core).toBe(instructionOf("collection", GOOD_ROWS.collection).core);
  });

  test("an account written in groups is the same account, and goes as it is written", () => {
    const plain = instructionOf("transfer", GOOD_ROWS.transfer);
    const grouped = instructionOf("transfer", { ...GOOD_ROWS.transfer, to_account: "5010 0314 159002" });
    expect(grouped).toMatchObject({ core: plain.core, beneficiary: plain.beneficiary });
    expect(grouped.payload).toContain('"5010 0314 159002"');
    const named = (account: string): string => instructionOf("transfer", { ...GOOD_ROWS.transfer, to_account: account }).core; // prettier-ignore
    expect(named("BENE 7")).not.toBe(named("BENE7"));
    expect(named("5010-0314-159002")).toBe(plain.core);
    expect(named("BENE-7")).not.toBe(named("BENE7"));
    expect(named("-7")).not.toBe(named("7"));
  });

  test.each([
    ["loan", GOOD_ROWS.loan, "borrower_id"],
    ["payout", GOOD_OPTION_A, "bene_id"],
    ["payout", GOOD_OPTION_A, "debit_account_id"],
    ["transfer", GOOD_ROWS.transfer, "from_account"],
    ["transfer", GOOD_ROWS.transfer, "to_account"],
  ] as const)(
    "the signs of an id are part of it, where an account is one however it is grouped: %s",
    (name, row, field) => {
      const core = (id: string): string => instructionOf(name, { ...row, [field]: id }).core;
      expect(new Set(["12-345", "123-45", "12 345", "12345"].map(core)).size).toBe(4);
      const isId = field === "borrower_id" || field === "bene_id";
      expect(core("5010-0271-8280") === core("501002718280")).toBe(!isId);
      const account = (number: string): string => instructionOf("payout", { ...PAYOUT, bank_acc_num: number }).core;
      expect(account("12-345")).toBe(account("123 45"));
    },
  );

  test.each(["debit_account_id", "bank_acc_num", "ifsc_code", "amount"])(
    "another core text for another %s",
    (field) => {
      const other =
        { debit_account_id: "ACC-2", bank_acc_num: "1", ifsc_code: "SBIN0000001", amount: "7" }[field] ?? "";
      expect(instructionOf("payout", { ...PAYOUT, [field]: other }).core).not.toBe(
        instructionOf("payout", PAYOUT).core,
      );
    },
  );

  test("the account number as written, with its zeros", () => {
    const other = instructionOf("payout", { ...PAYOUT, bank_acc_num: "050100271828001" });
    expect(other.payload).toContain('"bank_acc_num":"050100271828001"');
  });
});

describe("a row is invalid", () => {
  test("with all its faults at once, each with its column and cell", () => {
    const { faults } = checkOne("payout", {
      ...PAYOUT,
      bank_acc_num: "5.01002E+13",
      ifsc_code: "SBIN00123",
      amount: "52,250.00",
      payment_mode: "",
    });
    expect(faults?.map(({ code, column, cell }) => [code, column, cell])).toEqual([
      ["scientific_notation", "bank_acc_num", "F2"],
      ["ifsc_malformed", "ifsc_code", "G2"],
      ["thousands_separator", "amount", "I2"],
      ["value_missing", "payment_mode", "J2"],
    ]);
  });

  test("in the words of the design", () => {
    const ofHeader = checkOne("transfer", { "From Account": "1", "To Account": "5.01002E+13", Amount: "52,250.00" });
    expect(ofHeader.faults).toEqual([
      {
        code: "scientific_notation",
        column: "To Account",
        cell: "B2",
        message: '"5.01002E+13" is an account number that Excel rounded; the digits are gone',
        hint: "Type it again with the column formatted as Text.",
      },
      {
        code: "thousands_separator",
        column: "Amount",
        cell: "C2",
        message: '"52,250.00" has a thousands separator',
        hint: 'Write 52250.00. If all amounts are written so: number_grouping = "indian" or "western" in paydrop.toml.',
      },
    ]);
  });
});
