const RUNS_FIRST = new Set(["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]);

/** A plain number or a phone number: a spreadsheet computes nothing with it, and a `'` would only be in the way. */
const SIGNED_DIGITS = /^[+-][0-9]+(?:\.[0-9]+)?$/;

/** What a spreadsheet may take for the end of a cell, though it is none here: many split a file at `;` or at tabs. */
const MAY_END = /[;\t\r\n]/;
const RUNS_BEHIND_AN_END = /([;\t\r\n] *)(?='*[=+\-@＝＋－＠])(?![+-][0-9]+(?:\.[0-9]+)?(?:[;\t\r\n]|$))/g;

/**
 * Guards a cell of a CSV file, so that no spreadsheet runs it: with a leading `'` where one would (DESIGN §9, G2), and
 * with one in the middle where a spreadsheet would that takes `;` for the end of a cell. The reader takes off a `'`
 * before any of these characters, so that text read from a CSV file comes back as it was; in the middle only in a retry
 * file.
 */
export function guardCell(text: string): string {
  const inside = MAY_END.test(text) ? text.replace(RUNS_BEHIND_AN_END, "$1'") : text;
  const first = text.charAt(0);
  if (!RUNS_FIRST.has(first) || SIGNED_DIGITS.test(text)) return inside;
  return `'${inside}`;
}
