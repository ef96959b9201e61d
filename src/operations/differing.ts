import type { Form, Operation } from "./operation.ts";

/**
 * What tells two requests for the same beneficiary apart, for a sentence: `amount or tenure`, and with what `others`
 * there are, `amount, tenure or reference`.
 */
export function differing({ debitField }: Operation, form: Form | undefined, ...others: string[]): string {
  const fields = (form?.coreFields ?? []).filter((name) => form?.beneficiaryFields.includes(name) === false);
  const words = fields.map((name) => (name === debitField ? "debit account" : name));
  const amountFirst = ["amount", ...words.filter((word) => word !== "amount"), ...others];
  return listed(amountFirst);
}

function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}
