import type { Field, Operation } from "./operation.ts";

const DEBIT_ACCOUNT: Field = {
  name: "debit_account_id",
  kind: "id",
  required: true,
  sensitive: "account",
  account: "number_or_id",
};

const SHARED: readonly Field[] = [
  { name: "amount", kind: "amount", required: true },
  { name: "payment_mode", kind: "text", required: true },
  { name: "narration", kind: "text", required: false, keepsSpaces: true },
  { name: "purpose", kind: "text", required: false },
  { name: "notes", kind: "text", required: false, keepsSpaces: true },
];

/** Payout to an existing (option A) or an inline beneficiary (option B), §2.5; the payload travels encrypted, §2.4. */
export const payouts: Operation = {
  name: "payout",
  folder: "payouts",
  path: "/v1/tech/product/payouts/pay",
  encrypted: true,
  debitField: "debit_account_id",
  party: "payee",
  acceptedMessage: "Accepted by the service",
  forms: [
    {
      option: "A",
      fields: [
        DEBIT_ACCOUNT,
        { name: "bene_id", kind: "id", required: true, sensitive: "account" },
        { name: "bene_bank_id", kind: "number", required: true },
        ...SHARED,
      ],
      coreFields: ["debit_account_id", "bene_id", "bene_bank_id", "amount"],
      beneficiaryFields: ["bene_id", "bene_bank_id"],
      accountFields: ["bene_id"],
    },
    {
      option: "B",
      fields: [
        DEBIT_ACCOUNT,
        { name: "name", kind: "text", required: true, sensitive: "name" },
        { name: "mobile", kind: "id", required: false, sensitive: "mobile" },
        { name: "email", kind: "text", required: false, sensitive: "email" },
        { name: "bank_id", kind: "id", required: false },
        { name: "bank_acc_num", kind: "id", required: true, sensitive: "account", account: "number" },
        { name: "ifsc_code", kind: "id", required: true, shape: "ifsc" },
        { name: "bank_owner_name", kind: "text", required: true, sensitive: "name" },
        ...SHARED,
      ],
      coreFields: ["debit_account_id", "bank_acc_num", "ifsc_code", "amount"],
      beneficiaryFields: ["bank_acc_num", "ifsc_code"],
      accountFields: ["bank_acc_num"],
    },
  ],
};
