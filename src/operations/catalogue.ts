import { collections } from "./collections.ts";
import { loans } from "./loans.ts";
import type { Operation, OperationName } from "./operation.ts";
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
