import { createHash, randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { DamageError } from "./damage.ts";

/** 32 random bytes that key the hashes of payments, and the id of this state directory: made once, kept in the journal. */
export function readIdentity(database: DatabaseSync): { stateId: string; hashKey: Uint8Array } {
  const select = database.prepare("SELECT value FROM meta WHERE key = ?");
  if (!select.get("hash_key")) {
    if (database.prepare("SELECT 1 FROM batch").get()) throw new DamageError("the key of its hashes is gone");
    const made = randomBytes(32);
    const insert = database.prepare("INSERT OR IGNORE INTO meta (key, value) VALUES ('hash_key', ?), ('state_id', ?)");
    insert.run(made, stateIdOf(made));
  }
  const hashKey = select.get("hash_key")?.["value"] as Uint8Array;
  const stateId = stateIdOf(hashKey);
  if (select.get("state_id")?.["value"] !== stateId) throw new DamageError("the key of its hashes was changed");
  return { stateId, hashKey };
}

/** The id follows from the key of the payment hashes, so that a changed key is noticed: it would forget every payment. */
function stateIdOf(hashKey: Uint8Array): string {
  return createHash("sha256").update("paydrop state id").update(hashKey).digest("hex").slice(0, 16);
}
