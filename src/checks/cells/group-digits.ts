import type { Choices, Grouping } from "../../config/config.ts";
import type { Finding } from "../sentences.ts";

/** How amounts are written, where the user said so. */
export type AmountWriting = Pick<Choices, "numberGrouping" | "decimalSign">;

/** Gives plain decimal text; the text as it is where it is not written so; or what is wrong with it. */
export type ReadAmount = (text: string) => string | Finding;

/**
 * Reads amounts in the one writing that the configuration names, with groups at their exact places: `1,00,000.00` is
 * not read as western. undefined where amounts are plain decimal text anyway. Nothing is guessed (DESIGN §6).
 */
export function amountReaderOf({ numberGrouping, decimalSign }: AmountWriting): ReadAmount | undefined {
  const isComma = decimalSign === "comma";
  if (numberGrouping === "none" && !isComma) return undefined;
  const decimals = `(?:\\${isComma ? "," : "."}([0-9]+))?`;
  const plain = new RegExp(`^([0-9]+)${decimals}$`);
  const grouped = numberGrouping === "none" ? undefined : new RegExp(`^(${WHOLE[numberGrouping]})${decimals}$`);
  return (text) => {
    const found = plain.exec(text) ?? grouped?.exec(text);
    if (found) return joined(found[1] ?? "", found.at(-1));
    // a point may stand between groups or before decimals: here it does neither
    return isComma && /^[0-9]*\.[0-9]+$/.test(text) ? { code: "decimal_point" } : text;
  };
}

/** Whole numbers in groups, all with the same sign between them. */
const WHOLE: Readonly<Record<Exclude<Grouping, "none">, string>> = {
  western: "[1-9][0-9]{0,2}(?:,[0-9]{3})+",
  indian: "[1-9][0-9]?(?:,[0-9]{2})*,[0-9]{3}",
  point: "[1-9][0-9]{0,2}(?:\\.[0-9]{3})+",
  space: "[1-9][0-9]{0,2}(?:(?: [0-9]{3})+|(?:\\u00a0[0-9]{3})+|(?:\\u202f[0-9]{3})+|(?:\\u2009[0-9]{3})+)",
  apostrophe: "[1-9][0-9]{0,2}(?:(?:'[0-9]{3})+|(?:’[0-9]{3})+)",
};

function joined(whole: string, decimals: string | undefined): string {
  const digits = whole.replace(/[^0-9]/g, "");
  return decimals === undefined ? digits : `${digits}.${decimals}`;
}
