import { codePointOf } from "../../text/printable.ts";
import type { Finding } from "../sentences.ts";

/**
 * All characters that a sent text must not hold, and all that JSON escapes: a text without any of them is sent as it
 * is. So the usual cell needs only one linear look.
 */
const UNUSUAL = /[\u0000-\u001f"\\\u007f-\u009f\u200b\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffd]/;

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Bidi overrides and isolates, zero-width space, word joiner, byte order mark: they hide what a text says. */
const HIDING = /[\u200b\u202a-\u202e\u2060-\u2069\ufeff]/;

/** Format characters. None belongs in an id; in text, Indian scripts need ZWJ and ZWNJ. */
const FORMAT = /\p{Cf}/u;

const FOREIGN = /[^ -~]/u;

export function isUnusual(text: string): boolean {
  return UNUSUAL.test(text);
}

/** A currency as `INR`. Which ones the service takes is not shown (§2.1): another shape is only pointed out. */
export function inspectCurrency(text: string): Finding | undefined {
  return /^[A-Za-z]{3}$/.test(text) ? undefined : { code: "currency_malformed" };
}

/** What is wrong with a text that would be sent, if anything is. Nothing is ever repaired silently. */
export function inspectText(text: string): Finding | undefined {
  const control = CONTROL.exec(text)?.[0];
  if (control !== undefined) return { code: "control_character", found: nameOfControl(control) };
  const hiding = HIDING.exec(text)?.[0];
  if (hiding !== undefined) return { code: "hidden_character", found: codePointOf(hiding) };
  if (!text.isWellFormed()) return { code: "broken_character", found: "half a character" };
  if (text.includes("\ufffd")) return { code: "broken_character", found: "U+FFFD" };
  return undefined;
}

/** The first character that is not printable ASCII, if there is one. */
export function foreignIn(text: string): string | undefined {
  return FOREIGN.exec(text)?.[0];
}

/** Finds a format character in an id: with one, two ids that look alike would differ. */
export function inspectFormat(text: string): Finding | undefined {
  const hiding = FORMAT.exec(text)?.[0];
  return hiding === undefined ? undefined : { code: "hidden_character", found: codePointOf(hiding) };
}

function nameOfControl(character: string): string {
  if (character === "\n" || character === "\r" || character === "\u2028" || character === "\u2029") {
    return "a line break";
  }
  return character === "\t" ? "a tab" : `a control character (${codePointOf(character)})`;
}
