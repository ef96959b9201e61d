import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { PaymentTexts } from "../../../checks/payment-texts.ts";
import type { OperationName } from "../../../operations/operation.ts";
import type { Environment } from "../../batch-record.ts";
import type { PaymentKeys } from "./keys.ts";
import { Meta, META_KEY } from "../meta.ts";

const DIGITS_MAX = 20;

/**
 * Keys that an earlier build made otherwise: it took `0001` and `1` for two references, or two accounts. Today both
 * have the key of `1`, under which what was sent as `0001` would not be found, and would go again (I1). No key can be
 * made anew, since its text is forgotten: so where such rows may be, the key by which they are known goes on.
 */
export class EarlierKeys {
  readonly #keys: PaymentKeys;
  readonly #seen: readonly StatementSync[];

  /** `past`: name under which another journal is attached that knows earlier rows as well. */
  constructor(database: DatabaseSync, keys: PaymentKeys, past?: string) {
    this.#keys = keys;
    const schemas = past === undefined ? ["main"] : ["main", past];
    const hasSome = schemas.some((schema) => new Meta(database, schema).has(META_KEY.earlierKeys));
    this.#seen = hasSome
      ? schemas.map((schema) => database.prepare(`SELECT 1 FROM ${schema}.seen WHERE key = ? LIMIT 1`))
      : [];
  }

  /** The key by which a reference, as it is compared, has been known; undefined: today's is the one. */
  reference(environment: Environment, reference: string): Uint8Array | undefined {
    if (this.#seen.length === 0) return undefined;
    const digitsMax = /^[0-9]+$/.test(reference) ? DIGITS_MAX : reference.length;
    for (let digits = reference.length; digits <= digitsMax; digits += 1) {
      const key = this.#keys.referenceAsWritten(environment, reference.padStart(digits, "0"));
      if (this.#isSeen(key)) return key;
    }
    return undefined;
  }

  /** The key by which the core fields of a row have been known; undefined: today's is the one. */
  core(environment: Environment, operation: OperationName, texts: PaymentTexts): Uint8Array | undefined {
    if (this.#seen.length === 0) return undefined;
    return this.#keys.coresAsWritten(environment, operation, texts).find((key) => this.#isSeen(key));
  }

  #isSeen(key: Uint8Array): boolean {
    return this.#seen.some((seen) => seen.get(key) !== undefined);
  }
}
