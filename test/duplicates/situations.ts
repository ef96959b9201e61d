import { keyOf, personKeysOf } from "../../src/duplicates/keys.ts";
import type { Circumstances } from "../../src/duplicates/rules.ts";
import type { Judged, Key, Seen } from "../../src/duplicates/seen.ts";

const DAY = 86_400_000;
export const NOW: number = Date.UTC(2026, 10, 27, 9);
export const OWN = "OWNOWNOW";

export const key = (kind: "payment" | "payee" | "reference", text: string): Key => keyOf("07".repeat(32), kind, text);

/** A row in words: `asha 100`, `Asha 100` with its payee written in another way, `… ref inv-1` so with its reference, `00asha 100` with zeros in front of the number, `asha 100 ref INV-1 of 2026-11 corrects EARLIER1:3`. */
interface Said {
  readonly payment: Key;
  readonly payee: Key;
  readonly zeros?: number;
  readonly reference?: Key;
  readonly payeeAs?: string;
  readonly referenceAs?: string;
  readonly period?: string;
  readonly employee?: Key;
  readonly mobile?: Key;
  readonly email?: Key;
  readonly named?: Key;
  readonly retryOf?: { readonly batch: string; readonly row: number };
}

export function read(words: string): Said {
  const [, zeros = "", written = "", amount = "", rest = ""] = /^(0*)(\S+) (\S+)(.*)$/.exec(words) ?? [];
  const payee = written.toLowerCase();
  const reference = / ref (\S+)/.exec(rest)?.[1];
  const period = / of ([\d-]\S*(?: \(\w+\))?)/.exec(rest)?.[1]?.replaceAll(/[()]/g, "");
  const [, batch, row] = / corrects (\w+):(\d+)/.exec(rest) ?? [];
  return {
    payment: key("payment", `${payee} ${amount}`),
    payee: key("payee", payee),
    ...(zeros === "" ? {} : { zeros: zeros.length }),
    ...(written === payee ? {} : { payeeAs: written }),
    ...(reference === undefined ? {} : { reference: key("reference", reference.toUpperCase()) }),
    ...(reference === reference?.toUpperCase() ? {} : { referenceAs: reference ?? "" }),
    ...(period === undefined ? {} : { period }),
    ...personOf(rest),
    ...(batch === undefined ? {} : { retryOf: { batch, row: Number(row) } }),
  };
}

/** `emp E7 mob 98 mail a@b name ravi` behind a payment. */
function personOf(words: string): Partial<Record<"employee" | "mobile" | "email" | "named", Key>> {
  const said = new Map(Array.from(words.matchAll(/ (emp|mob|mail|name) (\S+)/g), ([, what, text]) => [what, text]));
  const [employee, mobile, email, name] = ["emp", "mob", "mail", "name"].map((what) => said.get(what));
  const keys = personKeysOf("07".repeat(32), { employee, mobile, email, name });
  return Object.fromEntries(Object.entries(keys).filter(([, one]) => one !== undefined));
}

/** The row that is judged: row 9 of its file. */
export function rowOf(words: string): Judged {
  return { row: 9, ...read(words) };
}

/**
 * Another row: `EARLIER1:3 accepted 5d ago asha 100`; a row of the same file is `:3 ready asha 100`. `~` instead of a
 * payee and an amount: it is invalid and has none.
 */
export function seenOf(words: string): Seen {
  const [, batch = "", row, state, ago, rest = ""] = /^(\w*):(\d+) (\w+)(?: ([\d.]+)d ago)? (.*)$/.exec(words) ?? [];
  const name = { batch: batch === "" ? OWN : batch, row: Number(row), state: state as Seen["state"] };
  const when = ago === undefined ? {} : { wentAt: NOW - Number(ago) * DAY };
  if (!rest.startsWith("~")) return { ...name, ...when, ...read(rest) };
  const { retryOf } = read(rest.replace("~", "nobody 0"));
  return { ...name, ...when, ...(retryOf ? { retryOf } : {}) };
}

export const KNOWN: Circumstances = {
  batch: OWN,
  now: NOW,
  recentMs: 20 * DAY,
  allowRepeats: false,
  holdsOtherAccount: true,
  corrected: new Set(["CORRECTD"]),
  isEarlier: (batch) => batch !== "LATER123",
};
