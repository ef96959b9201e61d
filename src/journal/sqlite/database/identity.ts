import { createHash, randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { DamageError } from "./damage.ts";
import { Meta, META_KEY } from "../meta.ts";

/**
 * The id of this state directory, and the 32 random bytes that key the hashes of payments. Made once, kept in the
 * journal. Throws DamageError where they are gone or changed.
 */
export function readIdentity(database: DatabaseSync): { stateId: string; hashKey: Uint8Array } {
  const meta = new Meta(database);
  if (!meta.has(META_KEY.hashKey)) {
    if (database.prepare("SELECT 1 FROM batch").get()) throw new DamageError("the key of its hashes is gone");
    const made = randomBytes(32);
    meta.putIfAbsent([META_KEY.hashKey, made], [META_KEY.stateId, stateIdOf(made)]);
  }
  const hashKey = meta.get(META_KEY.hashKey) as Uint8Array;
  const stateId = stateIdOf(hashKey);
  if (meta.get(META_KEY.stateId) !== stateId) throw new DamageError("the key of its hashes was changed");
  return { stateId, hashKey };
}

/** The id is made from the key of the payment hashes: a changed key, which forgets every payment, is noticed by it. */
function stateIdOf(hashKey: Uint8Array): string {
  return createHash("sha256").update("paydrop state id").update(hashKey).digest("hex").slice(0, 16);
}
