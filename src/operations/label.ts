import { operationNamed } from "./catalogue.ts";
import type { OperationName } from "./operation.ts";

/** `payout, option B`; `mixed`. `ofFile`: the one of the whole file, for when none of its rows is valid. */
export function labelOf(
  found: readonly { readonly operation: OperationName; readonly option?: string }[],
  ofFile?: OperationName,
): { label: string; needsEnvelope: boolean } {
  const [first] = found;
  const names = new Set(found.map((one) => one.operation));
  const needsEnvelope = found.some((one) => operationNamed(one.operation).encrypted);
  if (!first) return { label: ofFile ?? "no valid row", needsEnvelope };
  if (names.size > 1) return { label: "mixed", needsEnvelope };
  const options = found.flatMap((one) => one.option ?? []).sort();
  if (options.length === 0) return { label: first.operation, needsEnvelope };
  return { label: `${first.operation}, option ${options.join(" and ")}`, needsEnvelope };
}
