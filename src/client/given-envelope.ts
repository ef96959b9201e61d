import { Secret } from "../config/secret.ts";
import { USUAL } from "../config/usual.ts";
import { createEnvelope, type Envelope, type EnvelopeOptions } from "./envelope.ts";
import { readAesIv, readAesKey, type KeyEncoding } from "./keys.ts";

/** Keys and choices of §5.2 as a person or a caller gave them. */
interface Given {
  readonly aesKey?: string | Secret;
  readonly aesIv?: string | Secret;
  readonly keyEncoding?: KeyEncoding;
  readonly padding?: NonNullable<EnvelopeOptions["padding"]>;
  readonly hexCase?: NonNullable<EnvelopeOptions["hexCase"]>;
}

/**
 * The envelope of every payout; undefined where key or IV is missing. Throws PaydropError "config" for a malformed key
 * or IV, which it calls by the name (`names`) under which it was given.
 */
export function envelopeFrom(given: Given, names: { readonly key: string; readonly iv: string }): Envelope | undefined {
  const { aesKey, aesIv, keyEncoding } = given;
  if (aesKey === undefined || aesIv === undefined) return undefined;
  const key = readAesKey(textOf(aesKey), keyEncoding, names.key);
  const iv = readAesIv(textOf(aesIv), keyEncoding, names.iv);
  return createEnvelope({
    key,
    iv,
    padding: given.padding ?? USUAL.padding,
    hexCase: given.hexCase ?? USUAL.hex_case,
  });
}

function textOf(secret: string | Secret): string {
  return secret instanceof Secret ? secret.reveal() : secret;
}
