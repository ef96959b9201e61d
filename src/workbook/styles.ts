import { WorkbookError } from "./fault.ts";
import { attributesOf, XmlScanner } from "./xml.ts";

/** Number formats that every workbook knows, of dates and times: ISO 29500 §18.8.30 and the East Asian ones. */
const BUILT_IN_DATES: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
  [71, 81],
];
/** `0%` and `0.00%`. */
const BUILT_IN_PERCENTAGES: readonly number[] = [9, 10];
/** More than Excel itself allows. */
const STYLES_MAX = 100_000;

/** As what a style shows numbers: dates or times, hundredfold with a percent sign, or as what they are. */
export type Shows = "date" | "percentage" | "number";

/** For each style of cells, by its number. */
export async function readStyles(part: AsyncIterable<Buffer>): Promise<readonly Shows[]> {
  const ownFormats = new Map<number, Shows>();
  const formats: number[] = [];
  let isInCells = false;
  const scanner = new XmlScanner({
    open(name, raw) {
      if (name === "cellXfs") isInCells = true;
      if (name === "numFmt") {
        const attributes = attributesOf(raw);
        ownFormats.set(Number(attributes.get("numFmtId")), shownBy(attributes.get("formatCode") ?? ""));
      }
      if (name === "xf" && isInCells) {
        if (formats.length === STYLES_MAX) throw new WorkbookError("workbook_too_large", "too many styles of cells");
        formats.push(Number(attributesOf(raw).get("numFmtId") ?? 0));
      }
    },
    close(name) {
      if (name === "cellXfs") isInCells = false;
    },
    text() {
      // styles hold no text
    },
  });
  for await (const bytes of part) scanner.write(bytes);
  scanner.end();
  return formats.map((format) => ownFormats.get(format) ?? shownByBuiltIn(format));
}

function shownByBuiltIn(format: number): Shows {
  if (BUILT_IN_DATES.some(([from, to]) => format >= from && format <= to)) return "date";
  return BUILT_IN_PERCENTAGES.includes(format) ? "percentage" : "number";
}

/**
 * `dd-mmm-yy`, `[h]:mm` and `0.0%`, but not `0.00" days"`, `[Red]0` or `0"%"`: what is quoted, escaped or in brackets is no
 * part of it.
 */
export function shownBy(code: string): Shows {
  const [positive = ""] = code.slice(0, 1000).split(";", 1);
  const bare = positive.replace(/"[^"]*"|\\.|[_*]./g, "").replace(/\[(?![hms]+\])[^\]]*\]/gi, "");
  if (!/general/i.test(bare) && /[ymdhs]/i.test(bare)) return "date";
  return bare.includes("%") ? "percentage" : "number";
}
