const RUNS_FIRST = new Set(["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]);

/** A plain number or a phone number: a spreadsheet computes nothing with it, and a `'` would only be in the way. */
const SIGNED_DIGITS = /^[+-][0-9]+(?:\.[0-9]+)?$/;

/** Where a spreadsheet may end a cell that is none of its ends here: many of them split a file at `;` or at tabs. */
const MAY_END = /[;\t\r\n]/;
const RUNS_BEHIND_AN_END = /([;\t\r\n] *)(?='*[=+\-@＝＋－＠])(?![+-][0-9]+(?:\.[0-9]+)?(?:[;\t\r\n]|$))/g;

/**
 * A cell of a CSV file that no spreadsheet runs: a leading `'` where one would (DESIGN §9, G2), and one in the middle where
 * one would that takes `;` for the end of a cell. The reader takes off a `'` before any of these characters, so that text
 * read from a CSV file comes back as it was; in the middle only in a retry file.
 */
export function guardCell(text: string): string {
  const inside = MAY_END.test(text) ? text.replace(RUNS_BEHIND_AN_END, "$1'") : text;
  const first = text.charAt(0);
  if (!RUNS_FIRST.has(first) || SIGNED_DIGITS.test(text)) return inside;
  return `'${inside}`;
}
