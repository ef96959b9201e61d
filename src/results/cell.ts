const RUNS_FIRST = new Set(["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]);

/** A plain number or a phone number: a spreadsheet computes nothing with it, and a `'` would only be in the way. */
const SIGNED_DIGITS = /^[+-][0-9]+(?:\.[0-9]+)?$/;

/**
 * A cell of a CSV file that no spreadsheet runs: a leading `'` where one would (DESIGN §9, G2). The reader takes off a
 * `'` before any of these characters, so that text read from a CSV file comes back as it was.
 */
export function guardCell(text: string): string {
  const first = text.charAt(0);
  if (!RUNS_FIRST.has(first) || SIGNED_DIGITS.test(text)) return text;
  return `'${text}`;
}
