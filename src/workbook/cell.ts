import type { SharedStrings } from "./strings.ts";
import type { Style } from "./styles.ts";
import { cellText } from "./text.ts";
import { dateOf, decimalOf, isoDateOf, percentageOf, roundedBy, type SheetCell } from "./value.ts";
import { isTrue } from "./xml.ts";

/** What is needed to read the cells of a workbook. */
export interface CellContext {
  readonly strings: SharedStrings | undefined;
  /** By the number of a style. */
  readonly styles: readonly Style[];
  readonly is1904: boolean;
  readonly columnsMax: number;
}

/** A cell as it stands in the XML of its sheet. */
export interface StoredCell {
  type: string;
  /** The number of its style. */
  style: number;
  hasFormula: boolean;
  hasValue: boolean;
  raw: string;
}

/** The text or value of a cell; undefined where its type cannot hold what stands in it. */
export function readCell(
  { type, style, hasFormula, hasValue, raw }: StoredCell,
  context: CellContext,
): SheetCell | undefined {
  // a formula without a value was never calculated; an empty value was
  if (type === "str" && hasFormula && !hasValue) return UNCALCULATED;
  if (type === "inlineStr" || type === "str") return cellText(raw);
  const stored = raw.trim();
  if (stored === "") return hasFormula ? UNCALCULATED : "";
  switch (type) {
    case "s":
      return /^[0-9]{1,9}$/.test(stored) ? context.strings?.get(Number(stored)) : undefined;
    case "n":
      return readNumber(stored, context.styles[style], context.is1904);
    case "b":
      return { token: "cell_boolean", source: isTrue(stored) ? "TRUE" : "FALSE", stored: isTrue(stored) ? "1" : "0" };
    case "e":
      return { token: "cell_error", source: cellText(stored), stored: cellText(stored) };
    case "d":
      return isoDateOf(stored) ?? cellText(stored);
    default:
      return undefined;
  }
}

/** A formula without a value: it must never pass for an empty cell, which would be left out in silence. */
const UNCALCULATED: SheetCell = { token: "cell_uncalculated", source: "#N/A", stored: "#N/A" };

function readNumber(stored: string, style: Style | undefined, is1904: boolean): SheetCell | undefined {
  const date = style?.shows === "date" ? dateOf(stored, is1904) : undefined;
  if (date) return date;
  const source = decimalOf(stored);
  if (source === undefined) return undefined;
  if (style?.shows === "percentage") return percentageOf(source, stored);
  const cell = { token: "cell_number", source, stored } as const;
  if (style === undefined) return cell;
  const { oddFormat, currency, rounding } = style;
  const shown = rounding && roundedBy(source, rounding);
  if (oddFormat === undefined && currency === undefined && shown === undefined) return cell;
  return {
    ...cell,
    ...(oddFormat === undefined ? {} : { oddFormat }),
    ...(currency === undefined ? {} : { currency }),
    ...(shown === undefined ? {} : { shown }),
  };
}
