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
/** More than Excel itself allows. */
const STYLES_MAX = 100_000;

/** For each style of cells, by its number, whether it shows numbers as dates or times. */
export async function readDateStyles(part: AsyncIterable<Buffer>): Promise<readonly boolean[]> {
  const dateFormats = new Set<number>();
  const formats: number[] = [];
  let isInCells = false;
  const scanner = new XmlScanner({
    open(name, raw) {
      if (name === "cellXfs") isInCells = true;
      if (name === "numFmt") {
        const attributes = attributesOf(raw);
        if (isDateFormat(attributes.get("formatCode") ?? "")) dateFormats.add(Number(attributes.get("numFmtId")));
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
  return formats.map(
    (format) => dateFormats.has(format) || BUILT_IN_DATES.some(([from, to]) => format >= from && format <= to),
  );
}

/** `dd-mmm-yy`, `[h]:mm`, but not `0.00" days"` or `[Red]0`: what is quoted, escaped or in brackets is no part of it. */
export function isDateFormat(code: string): boolean {
  const [positive = ""] = code.slice(0, 1000).split(";", 1);
  const bare = positive.replace(/"[^"]*"|\\.|[_*]./g, "").replace(/\[(?![hms]+\])[^\]]*\]/gi, "");
  return !/general/i.test(bare) && /[ymdhs]/i.test(bare);
}
