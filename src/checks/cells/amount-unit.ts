import type { AmountUnit } from "../../config/mapping.ts";

/**
 * A plain amount in the unit of its file as the text that travels: whole digits by moving the point, so that `150000`
 * paise are `1500.00`. One with a point is no number of paise (`undefined`); what is no plain decimal text stays, for
 * the checks to refuse: it never becomes an amount unconverted.
 */
export function wireAmount(text: string, unit: AmountUnit): string | undefined {
  if (unit === "rupees") return text;
  if (/^[0-9]+\.[0-9]*$/.test(text)) return undefined;
  if (!/^(?:0|[1-9][0-9]*)$/.test(text)) return text;
  const digits = text.padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
