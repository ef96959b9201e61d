import { hash } from "node:crypto";
import type { Key } from "./seen.ts";

export const KEY_CHARACTERS = 22;

/**
 * The key of a canonical text; equal texts of different kinds have different ones. Account and amount can be guessed, so a
 * plain hash of them could be reversed by trying. `secret`: 32 bytes in hex, that only the journal has; they fill one block
 * of SHA-256. It goes first and the digest is cut, so that nobody can extend it.
 */
export function keyOf(
  secret: string,
  kind: "payment" | "payee" | "reference" | "written" | "content" | "employee" | "mobile" | "email" | "name",
  text: string,
): Key {
  return hash("sha256", `${secret}${kind}\0${text}`, "base64url").slice(0, KEY_CHARACTERS);
}

const WRITTEN_CHARACTERS = 8;

/** How a text is written, hidden; it is only compared where the keys of the one spelling are equal. */
export function writtenKeyOf(secret: string, text: string): string {
  return keyOf(secret, "written", text).slice(0, WRITTEN_CHARACTERS);
}

const PERSON_CHARACTERS = 12;
/** Fewer than of a person: by its length it is seen whether a mobile stands behind it. */
export const NAME_CHARACTERS = 8;

/**
 * By what a person is known again (README §16), hidden. `named`: the name, and behind it the mobile, where both are there; a
 * name alone only tells who shares a number or an address.
 */
export function personKeysOf(
  secret: string,
  { employee, mobile, email, name }: Readonly<Partial<Record<PersonKey, string | undefined>>>,
) {
  const hidden = (kind: PersonKey, text: string | undefined, characters = PERSON_CHARACTERS): Key | undefined =>
    text === undefined ? undefined : keyOf(secret, kind, text).slice(0, characters);
  const [mobileKey, nameKey] = [hidden("mobile", mobile), hidden("name", name, NAME_CHARACTERS)];
  return {
    employee: hidden("employee", employee),
    mobile: mobileKey,
    email: hidden("email", email),
    named: nameKey && nameKey + (mobileKey ?? ""),
  };
}

type PersonKey = "employee" | "mobile" | "email" | "name";

/** What stood in a row, hidden (`checks/as-it-was.ts`). `of`: all its cells, or what was sent. */
export function contentKeyOf(
  secret: string,
  of: "cells" | "sent",
  { text, zeros }: { readonly text: string; readonly zeros: number },
): string {
  return `${of}:${keyOf(secret, "content", text)}:${zeros}`;
}

/** Whether a row is as it was: a spreadsheet may have taken zeros in front since, and none came. */
export function isAsItWas(now: string, before: string): boolean {
  const [, is, zeros] = /^(.+):(\d+)$/.exec(now) ?? [];
  const [, was, zerosBefore] = /^(.+):(\d+)$/.exec(before) ?? [];
  return is !== undefined && is === was && Number(zeros) <= Number(zerosBefore);
}

/** Whether both are there and are the same. */
export function isSameKey(one: Key | undefined, other: Key | undefined): boolean {
  return one !== undefined && one === other;
}

/**
 * One key for all payments of a file, whatever their order, format or bytes: the sums of their parts, so that two equal
 * ones do not cancel each other out.
 */
export class PaymentsDigest {
  readonly #sums = new Uint32Array(4);
  readonly #bytes = Buffer.alloc(16);

  add(payment: Key): void {
    this.#bytes.write(payment, "base64url");
    for (let at = 0; at < 4; at += 1) this.#sums[at] = (this.#sums[at] ?? 0) + this.#bytes.readUInt32LE(at * 4);
  }

  value(): Key {
    return Buffer.from(this.#sums.buffer).toString("base64url");
  }
}
