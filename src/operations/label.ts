import { operationNamed } from "./catalogue.ts";
import type { OperationName } from "./operation.ts";

/** `payout, option B`; `mixed`. */
export function labelOf(found: readonly { readonly operation: OperationName; readonly option?: string }[]): {
  label: string;
  needsEnvelope: boolean;
} {
  const [first] = found;
  const names = new Set(found.map((one) => one.operation));
  const needsEnvelope = found.some((one) => operationNamed(one.operation).encrypted);
  if (!first) return { label: "no valid row", needsEnvelope };
  if (names.size > 1) return { label: "mixed", needsEnvelope };
  const options = found.flatMap((one) => one.option ?? []).sort();
  if (options.length === 0) return { label: first.operation, needsEnvelope };
  return { label: `${first.operation}, option ${options.join(" and ")}`, needsEnvelope };
}
