import { expect, test } from "vitest";
import * as z from "zod/mini";
import { fieldsOf, OPERATIONS } from "../../src/operations/index.ts";
import { amount, id, operation, text, type Operation } from "../../src/operations/operation.ts";
import { assertSound } from "../../src/operations/sound.ts";

const shape = {
  shop_payee: id({ examples: ["C-1", "C-2"], synonyms: "customer" }),
  amount: amount({ examples: ["1.00", "2.00"], synonyms: "amt" }),
};
const form = { schema: z.object(shape), payee: "shop_payee" };
const VOUCHER: Operation = operation({
  ...{ name: "voucher", folder: "vouchers", method: "giveVoucher", path: "/v1/shop/voucher", encrypted: false },
  ...{ party: "payee", accepted: "Voucher taken", forms: [form] },
});
const withField = (fields: z.core.$ZodLooseShape) =>
  [{ ...form, schema: z.object({ ...shape, ...fields }) }] as unknown as Operation["forms"];

test("an operation that is like no other one → nothing is said", () => {
  expect(() => assertSound([...OPERATIONS, VOUCHER])).not.toThrow();
});

test.for<[told: string, wrong: Partial<Operation>]>([
  ["the operations loan and loan both have the name or folder loan", { name: "loan" }],
  ["the operations loan and voucher both have the name or folder loans", { folder: "loans" }],
  ["the operations loan and voucher both have the name or folder loan", { folder: "loan" }],
  ["the operations transfer and voucher both have the method transfer", { method: "transfer" }],
  ["the operations transfer and voucher both have the path /v1/banking/transfer", { path: "/v1/banking/transfer" }],
  ["the operation voucher: name and folder are small letters, digits, - and _", { folder: "Vouchers" }],
  ["the operation voucher: close is the client's own method", { method: "close" }],
  ["the operation voucher: its path v1/shop begins with no /", { path: "v1/shop" }],
  ["the operation voucher: debit needs a field from, and it has none of that name", { debit: "from" }],
  [
    "the operation voucher: payee needs a field customer, and it has none of that name",
    { forms: [{ ...form, payee: "customer" }] },
  ],
  [
    "the operation voucher: alsoPayment needs a field order, and it has none of that name",
    { forms: [{ ...form, alsoPayment: ["order"] }] },
  ],
  [
    "the operation voucher, option B: amount needs a field amount, and it has none of that name",
    { forms: [{ ...form, option: "B", schema: z.object({ shop_payee: shape.shop_payee }) }] },
  ],
  ["the operation voucher: each of several forms needs an option", { forms: [form, form] }],
  [
    "the operation voucher: its field amount is made by text, not by amount",
    { forms: withField({ amount: text({ examples: ["1", "2"], synonyms: "amt" }) }) },
  ],
  [
    "the operation voucher: its field reason is made by none of text, id, amount and whole",
    { forms: withField({ reason: z.string() }) },
  ],
  [
    "the operation voucher: its field Bank_AccNum is bank_acc_num elsewhere, and a column could be either",
    { forms: withField({ Bank_AccNum: id({ examples: ["1", "2"], synonyms: "account" }) }) },
  ],
])("%s", ([told, wrong]) => {
  expect(() => assertSound([...OPERATIONS, { ...VOUCHER, ...wrong }])).toThrow(new Error(told));
});

test.for(OPERATIONS.flatMap(({ name, forms }) => forms.map((one) => [name, one] as const)))(
  "%s → takes its own examples",
  ([, one]) => {
    for (const { name, examples } of fieldsOf(one)) {
      for (const example of examples.filter((text) => text !== "")) {
        expect(z.safeParse(one.schema.shape[name] as z.ZodMiniType, example).success, `${name}: ${example}`).toBe(true);
      }
    }
  },
);
