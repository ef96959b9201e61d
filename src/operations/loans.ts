import * as z from "zod/mini";
import { amount, id, operation, whole } from "./operation.ts";

/** Loan application for a borrower (§2.3). The unit of tenure is not shown (§4): it travels as written. */
export const loans = operation({
  name: "loan",
  folder: "loans",
  method: "applyForLoan",
  path: "/v1/lending/loan/apply",
  encrypted: false,
  party: "borrower",
  accepted: "Application submitted",
  forms: [
    {
      schema: z.object({
        borrower_id: id({
          sensitive: "account",
          examples: ["BRW-0001", "BRW-0002"],
          synonyms: "borrower, customer id, applicant id",
        }),
        amount: amount({ examples: ["50000.00", "75000.00"], synonyms: "loan amount, principal, amt" }),
        tenure: whole({ examples: ["12", "24"], synonyms: "term, loan tenure, months" }),
      }),
      payee: "borrower_id",
      alsoPayment: ["tenure"],
    },
  ],
});
