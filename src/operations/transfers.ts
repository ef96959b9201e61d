import * as z from "zod/mini";
import { amount, id, operation } from "./operation.ts";

/** Transfer between two accounts (§2.2). */
export const transfers = operation({
  name: "transfer",
  folder: "transfers",
  method: "transfer",
  path: "/v1/banking/transfer",
  encrypted: false,
  debit: "from_account",
  party: "payee",
  accepted: "Transfer initiated",
  forms: [
    {
      schema: z.object({
        from_account: id({
          sensitive: "account",
          examples: ["ACC-OPS-01", "ACC-OPS-01"],
          synonyms: "source account, debit account, sender account",
        }),
        to_account: id({
          sensitive: "account",
          examples: ["ACC-PETTY-07", "ACC-PETTY-08"],
          synonyms: "target account, destination account, credit account, receiver account",
        }),
        amount: amount({ examples: ["2500.00", "300.00"], synonyms: "transfer amount, amt" }),
      }),
      payee: "to_account",
    },
  ],
});
