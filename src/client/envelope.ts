import { createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import type { Choices } from "../config/config.ts";
import { USUAL } from "../config/usual.ts";
import { PaydropError } from "../errors.ts";
import type { Operation } from "../operations/operation.ts";

export type Padding = Choices["padding"];

/** What §5.2 encrypts with. §5.2 shows neither padding nor the case of hex: PKCS#7 and lower case unless chosen. */
export interface EnvelopeOptions {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** 16 bytes. */
  readonly iv: Uint8Array;
  readonly padding?: Padding;
  readonly hexCase?: Choices["hexCase"];
}

/** The plaintext payload in, the request body `{"body":"<hex>"}` out (§2.4). */
export type Envelope = (payload: string) => string;

/** The envelope of every payout. The returned function throws only for a payload that padding "none" cannot take. */
export function createEnvelope(options: EnvelopeOptions): Envelope {
  const encrypt = createEncryption(options);
  // hex needs no escaping
  return (payload) => `{"body":"${encrypt(payload)}"}`;
}

/**
 * One payload (compact JSON, or its bytes) as the HEX string of its AES-256-CBC ciphertext (§5.2, steps 2 and 3).
 * Throws PaydropError "usage" for a string with half a character: UTF-8 has none, and another text would be encrypted.
 */
export function encryptPayload(payload: string | Uint8Array, options: EnvelopeOptions): string {
  if (typeof payload === "string" && !payload.isWellFormed()) {
    throw new PaydropError("usage", "the payload has half a character (a lone surrogate)", "give well-formed text");
  }
  return createEncryption(options)(payload);
}

/**
 * The body to send for a payload: enveloped for an operation that is encrypted (§2.4), the payload itself otherwise.
 * Without an envelope an encrypted operation throws PaydropError "config".
 */
export function createRequestBody(envelope: Envelope | undefined): (operation: Operation, payload: string) => string {
  return (operation, payload) => {
    if (!operation.encrypted) return payload;
    if (envelope) return envelope(payload);
    throw noEnvelope(`a ${operation.name}`);
  };
}

/** The error for a caller of the library, whose keys are options. */
export function noEnvelope(what: string): PaydropError {
  return new PaydropError(
    "config",
    `${what} travels encrypted, and there is no AES key and IV`,
    "give the options aesKey and aesIv",
  );
}

/** Opens envelopes, for the sandbox: the payload of a HEX string, or undefined where it does not decrypt to UTF-8. */
export function createOpener(options: EnvelopeOptions): (hex: string) => string | undefined {
  const key = createSecretKey(options.key);
  const padding = options.padding ?? USUAL.padding;
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (hex) => {
    if (!/^(?:[0-9a-fA-F]{32})+$/.test(hex)) return undefined;
    try {
      const decipher = createDecipheriv("aes-256-cbc", key, options.iv).setAutoPadding(padding === "pkcs7");
      const plain = Buffer.concat([decipher.update(hex, "hex"), decipher.final()]);
      const length = unpaddedLength(plain, padding);
      return length === undefined ? undefined : text.decode(plain.subarray(0, length));
    } catch {
      return undefined;
    }
  };
}

const BLOCK_BYTES = 16;
const ISO7816_MARK = 0x80;

/**
 * One cipher for all payloads: to make one for each costs more than to encrypt with it. CBC xors the first block with
 * the block that it encrypted last, where a new cipher would take the IV. So the first block is xored with both before:
 * the last block cancels out, and the IV is in.
 */
function createEncryption({ key, iv, padding = USUAL.padding, hexCase = USUAL.hex_case }: EnvelopeOptions) {
  const cipher = createCipheriv("aes-256-cbc", createSecretKey(key), iv).setAutoPadding(false);
  let lastBlock = iv;
  return (payload: string | Uint8Array): string => {
    const plain = padded(payload, padding);
    if (plain.length === 0) return "";
    for (let at = 0; at < BLOCK_BYTES; at += 1) plain[at] = byteOf(plain, at) ^ byteOf(iv, at) ^ byteOf(lastBlock, at);
    const encrypted = cipher.update(plain);
    lastBlock = encrypted.subarray(-BLOCK_BYTES);
    const hex = encrypted.toString("hex");
    return hexCase === "upper" ? hex.toUpperCase() : hex;
  };
}

function byteOf(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** A copy of the payload, padded to whole blocks. Throws PaydropError "config" where padding `none` cannot be. */
function padded(payload: string | Uint8Array, padding: Padding): Buffer {
  const length = typeof payload === "string" ? Buffer.byteLength(payload, "utf8") : payload.length;
  const over = length % BLOCK_BYTES;
  const missing = BLOCK_BYTES - over;
  if (over > 0 && padding === "none") throw notInBlocks(length);
  const isWhole = over === 0 && (padding === "none" || padding === "zero");
  const bytes = Buffer.allocUnsafe(isWhole ? length : length + missing);
  if (typeof payload === "string") bytes.write(payload, "utf8");
  else bytes.set(payload);
  if (isWhole) return bytes;
  // pkcs7 writes the number of padding bytes into each of them, ansix923 into the last; iso7816 marks the first
  bytes.fill(padding === "pkcs7" ? missing : 0, length);
  if (padding === "iso7816") bytes[length] = ISO7816_MARK;
  if (padding === "ansix923") bytes[bytes.length - 1] = missing;
  return bytes;
}

function notInBlocks(length: number): PaydropError {
  return new PaydropError(
    "config",
    `padding "none" needs a payload of a multiple of 16 bytes, and this one has ${length}`,
    'Choose the padding that the service expects, such as padding = "pkcs7"',
  );
}

/** How many bytes are payload; undefined when the padding is not there. */
function unpaddedLength(plain: Buffer, padding: Padding): number | undefined {
  let end = plain.length;
  switch (padding) {
    case "pkcs7":
    case "none":
      return end;
    case "zero":
    case "iso7816":
      while (end > 0 && plain[end - 1] === 0) end -= 1;
      if (padding === "zero") return end;
      return plain[end - 1] === ISO7816_MARK ? end - 1 : undefined;
    case "ansix923": {
      const count = plain[end - 1] ?? 0;
      const tail = plain.subarray(end - count, end - 1);
      return count >= 1 && count <= BLOCK_BYTES && tail.every((byte) => byte === 0) ? end - count : undefined;
    }
    default:
      return padding satisfies never;
  }
}
