import { hash } from "node:crypto";
import type { PaymentTexts } from "../../../checks/payment-texts.ts";
import type { OperationName } from "../../../operations/operation.ts";
import { VALUE_SEPARATOR } from "../../../text/value-separator.ts";
import type { Environment } from "../../batch-record.ts";

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
    return this.referenceAsWritten(environment, reference.toLowerCase().replaceAll(/ +/g, " "));
  }

  /** As it was made by a build that took `INV-9` and `inv-9` for two references. */
  referenceAsWritten(environment: Environment, reference: string): Uint8Array {
    return this.#hash("reference", environment, reference);
  }

  core(environment: Environment, operation: OperationName, { core }: PaymentTexts): Uint8Array {
    const text = withValues(withoutZeros(core), (values) => values.toLowerCase());
    return this.#hash("core", environment, `${operation}\0${text}`);
  }

  /** As they were made by builds that took `ACC-1` and `acc-1`, and earlier `0050` and `50` too, for two accounts. */
  coresAsWritten(environment: Environment, operation: OperationName, { core }: PaymentTexts): Uint8Array[] {
    return [withoutZeros(core), core].map((text) => this.#hash("core", environment, `${operation}\0${text}`));
  }

  beneficiary(environment: Environment, operation: OperationName, { beneficiary }: PaymentTexts): Uint8Array {
    // branch codes are in capitals nearly everywhere: so most keys are those that an earlier build made
    const text = withValues(withoutZeros(beneficiary), (values) => values.toUpperCase());
    return this.#hash("beneficiary", environment, `${operation}\0${text}`);
  }

  /** The key of the beneficiary without its branch; null where no field says that alone. */
  account(environment: Environment, operation: OperationName, { account }: PaymentTexts): Uint8Array | null {
    if (account === undefined) return null;
    const text = withValues(withoutZeros(account), (values) => values.toUpperCase());
    return this.#hash("account", environment, `${operation}\0${text}`);
  }

  #hash(kind: string, environment: Environment, said: string): Uint8Array {
    // by way of a text: a buffer for each digest costs more than the hash, and stands outside the heap
    const digest = hash("sha256", `${this.#secret}\0${kind}\0${environment}\0${said}`, "binary");
    const key = new Uint8Array(KEY_BYTES);
    for (let at = 0; at < KEY_BYTES; at += 1) key[at] = digest.charCodeAt(at);
    return key;
  }
}

/** Leading zeros, which a spreadsheet takes from an account or an id, make no other payment of it. */
function withoutZeros(texts: string): string {
  return texts.includes(`${VALUE_SEPARATOR}0`) ? texts.replaceAll(ZEROS_OF_EACH, VALUE_SEPARATOR) : texts;
}

/** The case in which somebody typed the values makes no other payment either. What stands before them is ours. */
function withValues(texts: string, inOneCase: (values: string) => string): string {
  const at = texts.indexOf(VALUE_SEPARATOR);
  return at < 0 ? texts : texts.slice(0, at) + inOneCase(texts.slice(at));
}

const ZEROS_OF_EACH = new RegExp(`${VALUE_SEPARATOR}0+(?=[0-9]+(?:${VALUE_SEPARATOR}|$))`, "g");
