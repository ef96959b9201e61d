import type { AmountUnit } from "../../config/mapping.ts";

/**
 * One amount in the unit of its file as the text that travels. Only whole digits are converted, by moving the point:
 * `150000` paise are `1500.00`. A text with a point is no number of paise (`undefined`); any other text stays, for the
 * checks to say what is wrong with it.
 */
export function wireAmount(text: string, unit: AmountUnit): string | undefined {
  if (unit === "rupees") return text;
  if (/^[0-9]+\.[0-9]*$/.test(text)) return undefined;
  if (!/^(?:0|[1-9][0-9]*)$/.test(text)) return text;
  const digits = text.padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Without the space bar's spaces around it, as the checks read a cell. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) === SPACE) start += 1;
  while (end > start && text.charCodeAt(end - 1) === SPACE) end -= 1;
  return text.slice(start, end);
}

const SPACE = 32;
