/**
 * Rows that a person lets go while another process has the lock are left to that process (DESIGN §7), but only where it
 * sends them: to the address where their batch began, and with the keys that they need.
 */
import type { Config } from "../config/config.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { LockHolder } from "../journal/store.ts";
import { operationNamed } from "../operations/catalogue.ts";
import type { OperationName } from "../operations/operation.ts";

/** What a process with these settings sends. `takesOver`: it looks for rows that were left to it. */
export function lockHolderOf(config: Config, destination: string, takesOver: boolean): LockHolder {
  const hasKeys = config.aesKey !== undefined && config.aesIv !== undefined;
  return { destination, environment: config.environment, hasKeys, takesOver };
}

/**
 * Why the process that has the lock would not send rows of a batch; undefined: it does. Its own --accept-destination is
 * not asked: that was a person's word for another batch.
 */
export function whyNotTaken(
  holder: LockHolder,
  { id, destination, environment }: Pick<BatchRecord, "id" | "destination" | "environment">,
  operations: readonly { readonly operation: OperationName }[],
): string | undefined {
  if (!holder.takesOver) return "it sends nothing but what it was started for";
  if (holder.destination !== destination || holder.environment !== environment) {
    return `it sends to ${holder.destination} (${holder.environment}), and batch ${id} goes to ${destination} (${environment})`;
  }
  const isEncrypted = operations.some(({ operation }) => operationNamed(operation).encrypted);
  return isEncrypted && !holder.hasKeys ? "it was started without the keys for payouts" : undefined;
}
