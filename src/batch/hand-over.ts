/**
 * Rows that a person lets go while another process has the lock are left to that process (DESIGN §7), but only where it
 * sends them: to the address where their batch began, and with the keys that they need.
 */
import type { BatchRecord } from "../journal/batch-record.ts";
import type { LockHolder } from "../journal/store.ts";
import { operationNamed } from "../operations/catalogue.ts";
import type { OperationName } from "../operations/operation.ts";
import type { Services } from "../processor.ts";
import { destinationOf, type Ground } from "./ground.ts";

/** What a process with these settings sends. */
export function lockHolderOf({ config, sandbox = false, takesOver = false }: Services): LockHolder {
  const hasKeys = config.aesKey !== undefined && config.aesIv !== undefined;
  return { destination: destinationOf(config, sandbox), environment: config.environment, hasKeys, takesOver };
}

export class HandOver {
  readonly #ground: Ground;
  /** The last act that was seen. At first 0: rows that were left to a process that crashed go with the next one. */
  #lastAct = 0;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** Batches that were left since this was last asked, and that this process sends. */
  async taken(): Promise<readonly string[]> {
    const { journal, services } = this.#ground;
    const { lastAct, batches } = await journal.handedOver(this.#lastAct);
    this.#lastAct = lastAct;
    const self = lockHolderOf({ ...services, takesOver: true });
    const going: string[] = [];
    for (const id of batches) {
      const batch = await this.#ground.known(id);
      if (whyNot(self, batch, await journal.operations(id)) !== undefined) continue;
      if (!(await this.#ground.heldFolder([batch.folder]))) going.push(id);
    }
    return going;
  }

  /** Why the process that has the lock would not send rows of a batch that goes on at this one's address. */
  async whyNotTaken(batchId: string): Promise<string | undefined> {
    const { destination, journal } = this.#ground;
    const holder = await journal.lockHolder();
    const batch = { ...(await this.#ground.known(batchId)), destination };
    return holder && whyNot(holder, batch, await journal.operations(batchId));
  }
}

/** The holder's own --accept-destination is not asked: that was a person's word for another batch. */
function whyNot(
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
