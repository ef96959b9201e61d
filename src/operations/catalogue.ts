import { listed } from "../text/counted.ts";
import { collections } from "./collections.ts";
import { loans } from "./loans.ts";
import type { Form, Operation, OperationName } from "./operation.ts";
import { payouts } from "./payouts.ts";
import { transfers } from "./transfers.ts";

/** Every operation, in the order of §1. */
export const OPERATIONS: readonly Operation[] = [payouts, transfers, loans, collections];

export const OPERATION_NAMES: readonly OperationName[] = OPERATIONS.map((operation) => operation.name);

export function operationNamed(name: OperationName): Operation {
  const found = OPERATIONS.find((operation) => operation.name === name);
  if (!found) throw new Error(`no operation is named ${name}`);
  return found;
}

/** Whether a sub-folder of an inbox names an operation, in whatever case. */
export function isOperationFolder(name: string): boolean {
  return OPERATIONS.some((operation) => operation.folder === name.toLowerCase());
}

/** The operation that people mean by `payout`, `Payouts`, `collections` …, in a flag, a column or a folder name. */
export function operationSaid(text: string): Operation | undefined {
  const said = text.trim().toLowerCase();
  return OPERATIONS.find((operation) => said === operation.name || said === operation.folder);
}

const OF_PARTY: ReadonlySet<string> = new Set(
  OPERATIONS.flatMap(({ forms }) => forms.flatMap((form) => form.beneficiaryFields)),
);

/** Whether a field says who receives or owes the money, in any operation. */
export function isOfParty(field: string): boolean {
  return OF_PARTY.has(field);
}

/** The form with this option; where there is none, the first form. */
export function formOf({ forms }: Operation, option: string | undefined): Form | undefined {
  return forms.find((form) => form.option === option) ?? forms[0];
}

/**
 * What rows are, in words: `payout, option B`; `mixed`. `ofFile`: the operation of the whole file, which is given where
 * no row is valid.
 */
export function labelOf(
  found: readonly { readonly operation: OperationName; readonly option?: string }[],
  ofFile?: OperationName,
): string {
  const [first] = found;
  if (!first) return ofFile ?? "no valid row";
  if (found.some(({ operation }) => operation !== first.operation)) return "mixed";
  const options = found.flatMap(({ option }) => option ?? []).sort();
  return options.length === 0 ? first.operation : `${first.operation}, option ${options.join(" and ")}`;
}

/**
 * What tells two requests for the same beneficiary apart, as words for a sentence: `amount or tenure`; with `others`
 * `amount, tenure or reference`.
 */
export function differing({ debitField }: Operation, form: Form | undefined, ...others: string[]): string {
  const fields = (form?.coreFields ?? []).filter((name) => form?.beneficiaryFields.includes(name) === false);
  const words = fields.map((name) => (name === debitField ? "debit account" : name));
  const amountFirst = ["amount", ...words.filter((word) => word !== "amount"), ...others];
  return listed(amountFirst, "or");
}
