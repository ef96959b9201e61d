import type { Operation } from "./operation.ts";

/** Transfer between two accounts (§2.2). */
export const transfers: Operation = {
  name: "transfer",
  folder: "transfers",
  path: "/v1/banking/transfer",
  encrypted: false,
  debitField: "from_account",
  party: "payee",
  acceptedMessage: "Transfer initiated",
  forms: [
    {
      fields: [
        { name: "from_account", kind: "id", required: true, sensitive: "account", account: "number_or_id" },
        { name: "to_account", kind: "id", required: true, sensitive: "account", account: "number_or_id" },
        { name: "amount", kind: "amount", required: true },
      ],
      coreFields: ["from_account", "to_account", "amount"],
      beneficiaryFields: ["to_account"],
    },
  ],
};
