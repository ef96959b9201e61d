import type { AmountUnit } from "../../config/mapping.ts";

/**
 * An amount in the unit of its file as the text that is sent: `150000` paise become `1500.00` by moving the point. An
 * amount in paise with a point is wrong (undefined). What is no plain decimal text stays as it is, for the checks to
 * refuse: it never becomes an amount that was not converted.
 */
export function wireAmount(text: string, unit: AmountUnit): string | undefined {
  if (unit === "rupees") return text;
  if (/^[0-9]+\.[0-9]*$/.test(text)) return undefined;
  if (!/^(?:0|[1-9][0-9]*)$/.test(text)) return text;
  const digits = text.padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
