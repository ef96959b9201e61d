import { hash } from "node:crypto";
import type { PaymentTexts } from "../checks/duplicates.ts";
import type { OperationName } from "../operations/operation.ts";
import type { Environment } from "./store.ts";

const KEY_BYTES = 16;

/**
 * Payments as keyed hashes: account, branch and amount can be guessed, so a plain hash of them could be reversed by
 * trying. The secret goes first and the digest is cut, so that nobody can extend or guess it without the journal.
 */
export class PaymentKeys {
  readonly #secret: string;

  constructor(secret: Uint8Array) {
    this.#secret = Buffer.from(secret).toString("hex");
  }

  /** The same payment for sure: by reference, else by period, core fields and the how-manieth equal row (DESIGN §7). */
  payment(environment: Environment, operation: OperationName, texts: PaymentTexts, ordinal: number): Uint8Array {
    return texts.reference === undefined
      ? this.#hash("payment", environment, operation, texts.period ?? "", texts.core, String(ordinal))
      : this.#hash("reference", environment, texts.reference);
  }

  core(environment: Environment, operation: OperationName, texts: PaymentTexts): Uint8Array {
    return this.#hash("core", environment, operation, texts.core);
  }

  beneficiary(environment: Environment, operation: OperationName, texts: PaymentTexts): Uint8Array {
    return this.#hash("beneficiary", environment, operation, texts.beneficiary);
  }

  #hash(...parts: readonly string[]): Uint8Array {
    return hash("sha256", `${this.#secret}\0${parts.join("\0")}`, "buffer").subarray(0, KEY_BYTES);
  }
}
