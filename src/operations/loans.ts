import type { Operation } from "./operation.ts";

/** Loan application for a borrower (§2.3). The unit of tenure is not shown (§4): it travels as written. */
export const loans: Operation = {
  name: "loan",
  folder: "loans",
  path: "/v1/lending/loan/apply",
  encrypted: false,
  party: "borrower",
  acceptedMessage: "Application submitted",
  forms: [
    {
      fields: [
        { name: "borrower_id", kind: "id", required: true, sensitive: "account" },
        { name: "amount", kind: "amount", required: true },
        { name: "tenure", kind: "integer", required: true },
      ],
      coreFields: ["borrower_id", "amount", "tenure"],
      beneficiaryFields: ["borrower_id"],
    },
  ],
};
