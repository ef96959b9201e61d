import { hash } from "node:crypto";
import type { Key } from "./seen.ts";

const KEY_BYTES = 16;
const KEYS_TOGETHER = 256;

export interface Keys {
  /** The key of a canonical text. Equal texts of different kinds have different keys. */
  of(kind: "payment" | "payee" | "reference", text: string): Key;
}

/**
 * Payments as keyed hashes: account and amount can be guessed, so a plain hash of them could be reversed by trying.
 * `secret`: 32 bytes that only the journal has. It goes first and the digest is cut, so that nobody can extend it.
 */
export function createKeys(secret: Uint8Array): Keys {
  // in hex it fills one block of SHA-256
  const block = Buffer.from(secret).toString("hex");
  // many keys share a buffer: each one of its own would cost more than its hash
  let room = new Uint8Array(0);
  return {
    of(kind, text) {
      // by way of a text: a buffer for each digest costs more than the hash
      const digest = hash("sha256", `${block}${kind}\0${text}`, "binary");
      if (room.length === 0) room = new Uint8Array(KEY_BYTES * KEYS_TOGETHER);
      const key = room.subarray(0, KEY_BYTES);
      room = room.subarray(KEY_BYTES);
      for (let at = 0; at < KEY_BYTES; at += 1) key[at] = digest.charCodeAt(at);
      return key;
    },
  };
}

/** Whether both are there and are the same. */
export function isSameKey(one: Key | undefined, other: Key | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  for (let at = 0; at < KEY_BYTES; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

/**
 * One key for all payments of a file, whatever their order, format or bytes: their sum modulo 2^128, so that two equal
 * ones do not cancel each other out.
 */
export class PaymentsDigest {
  readonly #sum = new Uint8Array(KEY_BYTES);

  add(payment: Key): void {
    let carry = 0;
    for (let at = KEY_BYTES - 1; at >= 0; at -= 1) {
      const digit = (this.#sum[at] ?? 0) + (payment[at] ?? 0) + carry;
      this.#sum[at] = digit & 0xff;
      carry = digit >> 8;
    }
  }

  value(): Key {
    return this.#sum.slice();
  }
}
