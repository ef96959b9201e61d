import { listed } from "../counted.ts";
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

/** `payout`, `Payouts`, `collections` …: what people write for an operation, in a flag, a column or a folder name. */
export function operationSaid(text: string): Operation | undefined {
  const said = text.trim().toLowerCase();
  return OPERATIONS.find((operation) => said === operation.name || said === operation.folder);
}

/** The form that a row was made of; the first one of a row that was made of none. */
export function formOf({ forms }: Operation, option: string | undefined): Form | undefined {
  return forms.find((form) => form.option === option) ?? forms[0];
}

/** `payout, option B`; `mixed`. `ofFile`: the one of the whole file, for when none of its rows is valid. */
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
 * What tells two requests for the same beneficiary apart, for a sentence: `amount or tenure`, and with what `others`
 * there are, `amount, tenure or reference`.
 */
export function differing({ debitField }: Operation, form: Form | undefined, ...others: string[]): string {
  const fields = (form?.coreFields ?? []).filter((name) => form?.beneficiaryFields.includes(name) === false);
  const words = fields.map((name) => (name === debitField ? "debit account" : name));
  const amountFirst = ["amount", ...words.filter((word) => word !== "amount"), ...others];
  return listed(amountFirst, "or");
}
