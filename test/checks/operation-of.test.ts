import { describe, expect, test } from "vitest";
import { operationOf } from "../../src/checks/operation-of.ts";
import type { OperationClues } from "../../src/checks/operation-of.ts";
import { GOOD_OPTION_A, GOOD_ROWS } from "../support/rows.ts";

const PAYOUT = Object.keys(GOOD_ROWS.payout);
const TRANSFER = Object.keys(GOOD_ROWS.transfer);

function said(clues: Partial<OperationClues>): string {
  const found = operationOf({ filePath: "/inbox/november.csv", columns: ["a", "b"], ...clues });
  if ("code" in found) return found.code;
  return `${found.operation?.name ?? "none"}${found.mixed ? ", mixed" : ""}`;
}

describe("the operation of a file", () => {
  test.each([
    ["the flag", { operation: "transfer", filePath: "/inbox/loans/x.csv", columns: TRANSFER }, "transfer"],
    ["the wrapper", { wrapperOperation: "Transfers", filePath: "/inbox/loans/x.csv", columns: TRANSFER }, "transfer"],
    ["its folder", { filePath: "/inbox/transfers/x.csv", columns: TRANSFER }, "transfer"],
    ["its folder in capitals", { filePath: "/inbox/Payouts/x.csv", columns: PAYOUT }, "payout"],
    ["the columns of a payout", { columns: PAYOUT }, "payout"],
    ["the columns of option A", { columns: Object.keys(GOOD_OPTION_A) }, "payout"],
    ["the columns of a transfer", { columns: ["From Account", "TO-ACCOUNT", "amount"] }, "transfer"],
    ["the columns of a loan", { columns: ["borrower_id", "amount", "tenure", "name"] }, "loan"],
    ["the columns of a collection", { columns: ["vpa", "amount"] }, "collection"],
    ["one telling column", { columns: ["borrower_id", "amount"] }, "loan"],
    ["a column of its own", { columns: ["operation", "amount", "vpa"] }, "none, mixed"],
    ["a column beside a folder", { filePath: "/in/loans/x.csv", columns: ["operation", "amount"] }, "loan, mixed"],
  ] as const)("is what %s says", (_, clues, expected) => {
    expect(said(clues)).toBe(expected);
  });

  test.each([
    ["nothing says it", {}, "operation_unknown"],
    ["only an amount is there", { columns: ["amount", "currency"] }, "operation_unknown"],
    ["the wrapper has an unknown word", { wrapperOperation: "salary" }, "operation_unknown"],
    ["two are complete", { columns: [...TRANSFER, "vpa"] }, "operation_ambiguous"],
    ["two are begun", { columns: ["borrower_id", "ifsc_code"] }, "operation_ambiguous"],
    ["the folder is another's", { filePath: "/in/payouts/x.csv", columns: TRANSFER }, "operation_mismatch"],
    ["the flag is another's", { operation: "loan", columns: ["from_account", "amount"] }, "operation_mismatch"],
  ] as const)("is a question when %s", (_, clues, code) => {
    expect(said(clues)).toBe(code);
  });

  test("is answered first in a way that needs no command line", () => {
    const ways = [{ columns: ["amount"] }, { columns: [...TRANSFER, "vpa"] }].map((clues) => operationOf({ filePath: "/in/x.csv", ...clues })); // prettier-ignore
    expect(ways).toMatchObject([
      {
        hint: expect.stringMatching(
          /^Put the file into a folder named payouts, transfers, loans or collections, or /,
        ) as string,
      },
      { hint: expect.stringMatching(/^Move the file to the folder transfers or collections, or /) as string },
    ]);
  });

  test("of which the columns are only incomplete is left to the columns' own check", () => {
    expect(said({ operation: "transfer", columns: ["from_account", "amount"] })).toBe("transfer");
  });

  test("that its columns contradict is said in the words of the folder", () => {
    const fault = operationOf({ filePath: "/in/payouts/x.csv", columns: TRANSFER });
    expect(fault).toMatchObject({
      message: "these columns look like transfers; the folder is for payouts",
      hint: "Move the file to the folder transfers, or state its operation with --operation transfer.",
    });
  });

  test.each([
    ["payouts", PAYOUT],
    ["wages without the account to debit", ["name", "ifsc_code", "bank_acc_num", "amount"]],
    ["transfers", TRANSFER],
  ])(
    "is a question where %s with a VPA lie among the collections: it would take money from who waits for it",
    (_, has) => {
      const columns = [...has, "vpa", "amount"];
      expect(said({ filePath: "/in/collections/x.csv", columns })).toBe("operation_mismatch");
      expect(said({ columns })).toBe("operation_ambiguous");
      expect(said({ operation: "collection", columns })).toBe("collection");
      expect(said({ filePath: "/in/collections/x.csv", columns, ownColumns: has })).toBe("collection");
    },
  );

  test("stays a collection in their folder where instalments are told with borrower and tenure", () => {
    const columns = ["borrower_id", "tenure", "vpa", "amount"];
    expect(said({ filePath: "/in/collections/x.csv", columns })).toBe("collection");
    expect(said({ columns })).toBe("operation_ambiguous");
  });

  test("stays a collection by the columns that a list of customers has as well", () => {
    const columns = ["vpa", "amount", "name", "mobile", "email", "payment_mode", "notes", "borrower_id", "Employee ID"];
    expect(said({ filePath: "/in/collections/x.csv", columns })).toBe("collection");
    expect(said({ columns })).toBe("collection");
  });

  test("that pays is not asked about for a VPA beside its own columns", () => {
    expect(said({ filePath: "/in/payouts/x.csv", columns: [...PAYOUT, "vpa"] })).toBe("payout");
  });

  test("that may take money instead of paying it names the columns and both ways out", () => {
    const columns = ["vpa", "amount", "ifsc_code", "bank_acc_num"];
    expect(operationOf({ filePath: "/in/collections/x.csv", columns })).toMatchObject({
      message:
        "the folder is for collections, which take money from people; the columns bank_acc_num and ifsc_code look like payouts",
      hint: 'To pay them move the file to the folder payouts. To collect from them state it with --operation collection, or list these columns in paydrop.toml: own_columns = ["bank_acc_num", "ifsc_code"].',
    });
  });
});
