import { hash } from "node:crypto";
import type { PaymentTexts } from "../checks/duplicates.ts";
import type { OperationName } from "../operations/operation.ts";
import type { Environment } from "./batch-record.ts";

const KEY_BYTES = 16;

/**
 * Payments as keyed hashes: account, branch and amount can be guessed, so a plain hash of them could be reversed by
 * trying. The secret goes first and the digest is cut, so that nobody can extend or guess it without the journal.
 * The payment key of DESIGN §7 is the reference's key; without one, the core key with period and ordinal.
 */
export class PaymentKeys {
  readonly #secret: string;

  constructor(secret: Uint8Array) {
    this.#secret = Buffer.from(secret).toString("hex");
  }

  reference(environment: Environment, reference: string): Uint8Array {
    return this.#hash("reference", environment, reference);
  }

  core(environment: Environment, operation: OperationName, { core }: PaymentTexts): Uint8Array {
    return this.#hash("core", environment, operation, compared(core));
  }

  /** As a build made it that took `0050` and `50` for two accounts; undefined: as today's. */
  coreWithZeros(environment: Environment, operation: OperationName, { core }: PaymentTexts): Uint8Array | undefined {
    return compared(core) === core ? undefined : this.#hash("core", environment, operation, core);
  }

  beneficiary(environment: Environment, operation: OperationName, { beneficiary }: PaymentTexts): Uint8Array {
    return this.#hash("beneficiary", environment, operation, compared(beneficiary));
  }

  #hash(...parts: readonly string[]): Uint8Array {
    // by way of a text: a buffer for each digest costs more than the hash, and stands outside the heap
    const digest = hash("sha256", `${this.#secret}\0${parts.join("\0")}`, "binary");
    const key = new Uint8Array(KEY_BYTES);
    for (let at = 0; at < KEY_BYTES; at += 1) key[at] = digest.charCodeAt(at);
    return key;
  }
}

/** The zeros that a spreadsheet takes from an account or an id make no other payment of it. */
function compared(texts: string): string {
  return texts.replaceAll(ZEROS_OF_EACH, "");
}

const ZEROS_OF_EACH = /(?<=\u001f)0+(?=[0-9]+(?:\u001f|$))/g;
