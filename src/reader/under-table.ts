import { normalizeName } from "../column-name.ts";

/** What a line is that stands among or under the payments and is none. */
export type UnderTable = "total" | "remark" | "signature" | "end_marks";

const TOTAL =
  /^(?:(?:grand|sub|net|control|batch)[ _-]*)?(?:total|sum)s?\b|^(?:no|number|count) of (?:rows|records|payments|entries|transactions)\b|^(?:trl|trailer|filetrl|eof)\b/i;
const SIGNATURE =
  /^(?:prepared|checked|verified|approved|authori[sz]ed|passed|signed|entered|maker|checker|signature|seal)\b(?: by|\b)|\b(?:authori[sz]ed )?signator(?:y|ies)\b|^for (?:and )?on behalf of\b/i;
const IN_WORDS = /^(?:in words|rupees|rs\.?|inr|amount in words)\b.*\b(?:only|hundred|thousand|lakhs?|crores?)\b/i;
const REMARK =
  /^(?:notes?|remarks?|n\.?b\.?|please|kindly|end of (?:file|report|list|data)|report|generated|printed|page|date|\*|#|--)(?:$|[\s:.*#-])/i;
const END_MARKS = /^[\u001a\u0000\u0004]+$/;
const AMOUNT = /^(?:(?:rs\.?|inr|₹)\s*)?[0-9][0-9,]*(?:\.[0-9]+)?(?:\/-)?$/i;

/**
 * What a row without a payment is; undefined for a row that may be one. `cells`: the texts of a row, by the file's own
 * columns or, in a ragged one, as they stand. A row is a payment until its words say otherwise: one of several filled
 * cells is a total or a remark only by its first word.
 */
export function underTable(cells: readonly string[]): UnderTable | undefined {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const [first = ""] = filled;
  if (filled.length > 0 && filled.every((cell) => END_MARKS.test(cell))) return "end_marks";
  const words = filled.filter((cell) => !AMOUNT.test(cell));
  if (filled.length > 3 || (words.length > 2 && words.length !== filled.length)) return undefined;
  if (words.some((cell) => SIGNATURE.test(cell))) return "signature";
  if (words.length === 0) return cells.length > 3 && filled.length < 3 ? "total" : undefined;
  if (words.length > 1) return undefined;
  if (TOTAL.test(first)) return "total";
  if (IN_WORDS.test(first) || REMARK.test(first)) return "remark";
  return filled.length === 1 && first.split(/\s+/).length > 3 ? "remark" : undefined;
}

/**
 * Whether a row is the header once more, as where two files were put together: each name in its own column (`again`), or
 * not (`moved`): each row below would be read by the wrong columns.
 */
export function headerAgain(columns: readonly string[], cells: readonly string[]): "again" | "moved" | undefined {
  const names = columns.map(normalizeName);
  let filled = 0;
  const found: boolean[] = [];
  cells.forEach((cell, at) => {
    const name = normalizeName(cell);
    if (name === "") return;
    filled += 1;
    const place = names.indexOf(name);
    if (place >= 0) found.push(place === at);
  });
  // one name alone, such as `Name`, may be a value; some may be new: another table may have columns of its own
  if (found.length < (found.length === filled ? 2 : 3) || found.length * 2 < filled) return undefined;
  if (found.includes(false)) return "moved";
  return found.length === filled ? "again" : undefined;
}
