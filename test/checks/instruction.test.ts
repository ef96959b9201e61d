import fc from "fast-check";
import { expect, test } from "vitest";
import type { ZodMiniType } from "zod/mini";
import { formsInFile } from "../../src/checks/form.ts";
import { OPERATIONS } from "../../src/operations/index.ts";
import { createColumnPlan } from "../../src/reader/columns.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { check, csvOf, faultsIn, GOOD, GOOD_B, settingsOf } from "./checking.ts";

test.for(Object.entries(GOOD))(
  "%s → compact JSON in the order of the interface, numbers as written",
  async ([, row]) => {
    const { rows } = await check("rows.csv", csvOf({ reference: "R-1", ...row }));
    const instruction = rows[0]?.instruction;
    const numbers = /^(?:amount|tenure|expiry|bene_bank_id)$/;
    const members = Object.entries(row).flatMap(([name, value]) =>
      value === "" ? [] : [`"${name}":${numbers.test(name) ? value : JSON.stringify(value)}`],
    );
    expect(instruction?.payload).toBe(`{${members.join(",")}}`);
  },
);

test("empty optional cells → left out, or sent as empty text where the setting says so", async () => {
  const sent = await check("p.csv", csvOf(GOOD_B), { flags: { empty_fields: "send" } });
  expect(sent.rows[0]?.instruction?.payload).toContain('"bank_id":"",');
  const left = await check("p.csv", csvOf(GOOD_B));
  expect(left.rows[0]?.instruction?.payload).not.toContain("bank_id");
});

test("any text → the payload parses to the very text, or the row is invalid", async () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 30 }), async (texts) => {
      const json = JSON.stringify(texts.map((narration) => ({ ...GOOD_B, narration })));
      const { rows } = await check("p.json", json);
      rows.forEach(({ instruction }, at) => {
        if (!instruction) return;
        const payload = JSON.parse(instruction.payload) as Record<string, unknown>;
        expect(payload["narration"] ?? "").toBe(texts[at]?.trim() === "" ? "" : texts[at]);
        expect(Object.keys(payload)).toHaveLength(texts[at]?.trim() === "" ? 9 : 10);
      });
    }),
    { numRuns: 30 },
  );
});

const SAME: readonly (readonly [keyof typeof GOOD, Record<string, string>, boolean])[] = [
  ["payout", { amount: "52250" }, true],
  ["payout", { amount: "52250.01" }, false],
  ["payout", { bank_acc_num: "5010 0271 8280 01" }, true],
  ["payout", { bank_acc_num: "50100271828002" }, false],
  [
    "payout",
    { ifsc_code: "SBIN0001234", name: "M Das", debit_account_id: "ACC-2", narration: "x", payment_mode: "IMPS" },
    true,
  ],
  ["payoutA", { bene_bank_id: "13" }, true],
  ["payoutA", { bene_id: "BEN-78" }, false],
  ["transfer", { to_account: "5010 0314 1590 02" }, true],
  ["transfer", { to_account: "12-345" }, false],
  ["transfer", { from_account: "ACC-2" }, true],
  ["loan", { tenure: "36" }, false],
  ["collection", { vpa: "RAVI@Bank", currency: "inr" }, true],
  ["collection", { currency: "USD" }, false],
  ["collection", { expiry: "60" }, true],
];

test.for(SAME)("%s with %j → the same payment: %s", async ([kind, changes, isSame]) => {
  const paymentOf = async (row: Record<string, string>): Promise<string | undefined> =>
    (await check("rows.csv", csvOf(row), { flags: { environment: "test" } })).rows[0]?.instruction?.payment;
  const before = await paymentOf(GOOD[kind]);
  const after = await paymentOf({ ...GOOD[kind], ...changes });
  expect(before).toBeDefined();
  expect(after).toBeDefined();
  expect(after === before).toBe(isSame);
});

test("two ids that differ in their groups only, too short for an account → two payees", async () => {
  const { rows } = await check("t.csv", "from_account,to_account,amount\nA-1,12-345,5\nA-1,123-45,5\n");
  expect(new Set(rows.map(({ payee }) => payee)).size).toBe(2);
});

test("the same account by option A, option B and a transfer → never one payee", async () => {
  const id = "50100271828001";
  const all = [
    await check("a.csv", csvOf({ ...GOOD.payoutA, bene_id: id })),
    await check("b.csv", csvOf({ ...GOOD_B, bank_acc_num: id })),
    await check("t.csv", csvOf({ ...GOOD.transfer, to_account: id })),
  ];
  expect(new Set(all.map(({ rows }) => rows[0]?.payee)).size).toBe(3);
});

test("an invalid row → amount, debit account and payee as far as they can be told", async () => {
  const { rows, checked } = await check("p.csv", csvOf({ ...GOOD_B, name: "" }, { ...GOOD_B, bank_acc_num: "HOLD" }));
  expect(rows[0]).toMatchObject({ amount: "52250.00", debit: "ACC-SALARY", operation: "payout", option: "B" });
  expect(rows[0]?.payee).toContain("50100271828001");
  expect(rows[1]?.payee).toBeUndefined();
  expect(checked?.total).toEqual({ rows: 2, amount: "104500.00" });
});

test("amounts that a float cannot hold → exact in payload and sum", async () => {
  const amounts = ["0.10", "0.20", "9007199254740.93", "99999999999.99"];
  const { rows, checked } = await check("p.csv", csvOf(...amounts.map((amount) => ({ ...GOOD_B, amount }))));
  rows.forEach(({ instruction }, at) => expect(instruction?.payload).toContain(`"amount":${amounts[at]},`));
  expect(checked?.total.amount).toBe("9107199254741.22");
});

const RULES = `
[rules.payouts]
max_per_row = "60000"
max_per_file = "100000"
[rules.payouts.narration]
required = true
max_length = 20
pattern = "[A-Za-z0-9 ]*"
[rules.payouts.payment_mode]
allowed = ["NEFT", "IMPS"]
[rules.payouts.name]
required = false
[rules.payouts.purpose]
pattern = "[a-z]*"
[rules.payouts.bank_acc_num]
pattern = "[A-Z]{3}[0-9]{2}"
`;

test.for([
  [{ bank_acc_num: "ABC12", name: "" }, ""],
  [{ bank_acc_num: "ABC12", narration: "" }, "value_missing narration"],
  [{ bank_acc_num: "ABC12", narration: "more than twenty letters" }, "value_too_long narration"],
  [{ bank_acc_num: "ABC12", narration: "Salary, Nov" }, "pattern_differs narration"],
  [{ bank_acc_num: "ABC12", payment_mode: "neft" }, "value_not_allowed payment_mode"],
  [{ bank_acc_num: "ABC12", amount: "60000.01" }, "amount_over_cap amount"],
  [{ bank_acc_num: "50100271828001" }, "pattern_differs bank_acc_num"],
  [{ bank_acc_num: "ABC12", purpose: "a".repeat(1000) }, ""],
  [{ bank_acc_num: "ABC12", purpose: "a".repeat(1001) }, "pattern_differs purpose"],
] as const)("[rules]: %j → %s", async ([cells, fault]) => {
  const outcome = await check("p.csv", csvOf({ ...GOOD_B, ...cells }), { toml: RULES });
  expect(faultsIn(outcome)).toEqual(fault === "" ? [] : [`2: ${fault}`]);
});

test("amounts above max_per_file → the file is refused, the excess told", async () => {
  const row = { ...GOOD_B, bank_acc_num: "ABC12" };
  const { refused } = await check("p.csv", csvOf(row, row), { toml: RULES });
  expect(refused).toMatchObject([{ code: "file_over_cap", facts: { sum: "104500.00", over: "4500.00" } }]);
});

test("more debit accounts than can be kept → the sums of the last ones are one", async () => {
  const lines = Array.from({ length: 1100 }, (_, at) => `A-${at},B-1,1.50\n`).join("");
  const { checked } = await check("t.csv", `from_account,to_account,amount\n${lines}`);
  expect(checked?.accounts).toHaveLength(1001);
  expect(checked?.accounts.at(-1)).toMatchObject({ account: "(others)", total: { rows: 100, amount: "150.00" } });
  expect(checked).toMatchObject({ pointedOutCount: 1100, pointedOut: { length: 6 } });
});

test("what a field takes → is what its zod schema takes", () => {
  const forms = OPERATIONS.flatMap((one) => formsInFile(one, createColumnPlan()([]), settingsOf(temporaryDirectory())));
  const near = fc.stringMatching(/^[ -~]{0,4}[0-9A-Za-z .@-]{1,36}[ -~\n\u00e9\u202e]{0,3}$/);
  const text = fc.oneof(near, fc.string({ unit: "binary", minLength: 1 }), fc.nat().map(String), fc.constant("0.10"));
  fc.assert(
    fc.property(text, (value) => {
      for (const { form, fields } of forms) {
        for (const { name, takes } of fields) {
          const schema = form.schema.shape[name] as ZodMiniType;
          expect(takes(value), name).toBe(schema.safeParse(value).success);
        }
      }
    }),
    { numRuns: 500 },
  );
});
