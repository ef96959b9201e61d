import * as z from "zod/mini";
import { amount, id, operation, text, whole } from "./operation.ts";

const debit = {
  debit_account_id: id({
    sensitive: "account",
    examples: ["ACC-OPS-01", "ACC-OPS-01"],
    synonyms: "debit account, source account, from account, debit account number, account id",
  }),
};

const shared = {
  amount: amount({
    examples: ["1250.00", "980.50"],
    synonyms: "net pay, net salary, net amount, payout amount, transaction amount, amt, salary",
  }),
  payment_mode: text({
    examples: ["NEFT", "NEFT"],
    synonyms: "mode, mode of payment, payout mode, transfer mode, transaction type, payment method, payment type",
  }),
  narration: z.optional(
    text({
      isLong: true,
      examples: ["Salary E001", "Salary E002"],
      synonyms: "remarks, payout narration, description",
    }),
  ),
  purpose: z.optional(text({ examples: ["salary", "salary"], synonyms: "payout purpose, purpose code" })),
  notes: z.optional(text({ isLong: true, examples: ["", ""], synonyms: "note, comments, comment" })),
};

/** Payout to an existing (option A) or an inline beneficiary (option B), §2.5; the payload travels encrypted, §2.4. */
export const payouts = operation({
  name: "payout",
  folder: "payouts",
  method: "payout",
  path: "/v1/tech/product/payouts/pay",
  encrypted: true,
  debit: "debit_account_id",
  party: "payee",
  accepted: "Accepted by the service",
  forms: [
    {
      option: "A",
      schema: z.object({
        ...debit,
        bene_id: id({
          sensitive: "account",
          examples: ["BENE-0001", "BENE-0002"],
          synonyms: "beneficiary id, fund account id, recipient id, payee id",
        }),
        bene_bank_id: whole({ examples: ["1", "1"], synonyms: "beneficiary bank id" }),
        ...shared,
      }),
      payee: "bene_id",
    },
    {
      option: "B",
      schema: z.object({
        ...debit,
        name: text({
          sensitive: "name",
          examples: ["Asha Rao", "Ravi Kumar"],
          synonyms: "payee name, employee name, beneficiary name, contact name, recipient name, vendor name",
        }),
        mobile: z.optional(
          id({
            sensitive: "mobile",
            shape: "mobile",
            examples: ["9811100001", "9811100002"],
            synonyms: "phone, mobile number, contact number, phone number, contact phone",
          }),
        ),
        email: z.optional(
          text({
            sensitive: "email",
            shape: "email",
            examples: ["asha@example.com", "ravi@example.com"],
            synonyms: "email address, e mail, email id, contact email",
          }),
        ),
        bank_id: z.optional(id({ examples: ["", ""], synonyms: "bank code" })),
        bank_acc_num: id({
          sensitive: "account",
          shape: "account",
          examples: ["00012345678901", "00012345678902"],
          synonyms: "account number, account no, bank account, bank account number, beneficiary account number",
        }),
        ifsc_code: id({
          shape: "ifsc",
          examples: ["SBIN0001234", "HDFC0004321"],
          synonyms: "ifsc, bank ifsc, beneficiary ifsc, branch code, ifsc number",
        }),
        bank_owner_name: text({
          sensitive: "name",
          examples: ["Asha Rao", "Ravi Kumar"],
          synonyms: "account holder, account holder name, account name, name as per bank",
        }),
        ...shared,
      }),
      payee: "bank_acc_num",
    },
  ],
});
