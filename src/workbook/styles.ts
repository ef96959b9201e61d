import { isRupee, MONEY_BESIDE, otherCurrencyIn } from "../currency.ts";
import { WorkbookError } from "./fault.ts";
import { attributesOf, XmlScanner } from "./xml.ts";

/** Number formats of dates and times that every workbook knows: ISO 29500 §18.8.30 and the East Asian ones. */
const BUILT_IN_DATES: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
  [71, 81],
];
/** `0%` and `0.00%`. */
const BUILT_IN_PERCENTAGES: readonly number[] = [9, 10];
/** Formats by their number of decimals: `0`, `#,##0` and those of money, which show none, one or two. */
const BUILT_IN_DECIMALS: readonly (readonly number[])[] = [
  [1, 3, 5, 6, 37, 38, 41, 42],
  [],
  [2, 4, 7, 8, 39, 40, 43, 44],
];
/** The other formats of every workbook that show something else than the number. */
const BUILT_IN_ODD: Readonly<Record<number, string>> = { 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 48: "##0.0E+0" };
/** More than Excel itself allows. */
const STYLES_MAX = 100_000;

/** How a style shows numbers: as dates or times, a hundredfold with a percent sign, or as they are. */
type Shows = "date" | "percentage" | "number";

/** How many decimals of a number a style shows, and how many groups of three digits it leaves out in front of the point. */
export interface Rounding {
  readonly decimals: number;
  readonly groupsLeftOut: number;
}

export interface Style {
  readonly shows: Shows;
  /** Left out where a number is shown as it is. */
  readonly rounding?: Rounding;
  /** The format, where what it shows may be taken for another number, or is none: `-0`, `0" lakh"`, `0.00E+00`, `;;;`. */
  readonly oddFormat?: string;
  /** What stands beside the number, where that is a currency other than the rupee: `$`, `AED`. */
  readonly currency?: string;
}

/** The styles of cells, by their number. */
export async function readStyles(part: AsyncIterable<Buffer>): Promise<readonly Style[]> {
  const ownFormats = new Map<number, Style>();
  const formats: number[] = [];
  let isInCells = false;
  let isInFormats = false;
  const scanner = new XmlScanner({
    open(name, raw) {
      if (name === "cellXfs") isInCells = true;
      if (name === "numFmts") isInFormats = true;
      // formats of conditional formatting (`dxf`) have numbers of their own, which may be other formats' numbers as
      // well
      if (name === "numFmt" && isInFormats) {
        const attributes = attributesOf(raw);
        ownFormats.set(Number(attributes.get("numFmtId")), styleOf(attributes.get("formatCode") ?? ""));
      }
      if (name === "xf" && isInCells) {
        if (formats.length === STYLES_MAX) throw new WorkbookError("workbook_too_large", "too many styles of cells");
        formats.push(Number(attributesOf(raw).get("numFmtId") ?? 0));
      }
    },
    close(name) {
      if (name === "cellXfs") isInCells = false;
      if (name === "numFmts") isInFormats = false;
    },
    text() {
      // styles hold no text
    },
  });
  for await (const bytes of part) scanner.write(bytes);
  scanner.end();
  return formats.map((format) => ownFormats.get(format) ?? builtInStyle(format));
}

function builtInStyle(format: number): Style {
  if (BUILT_IN_DATES.some(([from, to]) => format >= from && format <= to)) return { shows: "date" };
  if (BUILT_IN_PERCENTAGES.includes(format)) return { shows: "percentage" };
  const oddFormat = BUILT_IN_ODD[format];
  if (oddFormat !== undefined) return { shows: "number", oddFormat };
  const decimals = BUILT_IN_DECIMALS.findIndex((ids) => ids.includes(format));
  return decimals < 0 ? { shows: "number" } : { shows: "number", rounding: { decimals, groupsLeftOut: 0 } };
}

function styleOf(code: string): Style {
  const shows = shownBy(code);
  if (shows !== "number") return { shows };
  const currency = currencyIn(code);
  const beside = currency === undefined ? {} : { currency };
  if (!isPlain(code)) return { shows, oddFormat: code, ...beside };
  const rounding = roundingBy(code);
  return rounding ? { shows, rounding, ...beside } : { shows, ...beside };
}

/**
 * Whether a format shows digits and at most a currency beside them: a reader of the cell sees the number, perhaps
 * rounded.
 */
export function isPlain(code: string): boolean {
  return code === "" || sectionsOf(code).every((one) => PLAIN.test(textOf(one)) && sameRounding(one, code));
}

/** The sections of a format for amounts above zero: where sections have conditions, that may be any of them. */
function sectionsOf(code: string): readonly string[] {
  const sections = code.slice(0, 1000).split(";");
  return /\[[<>=]/.test(code) ? sections.filter((section) => !section.includes("@")) : sections.slice(0, 1);
}

/** `$` of `[$$-409]#,##0.00`, `USD` of `0.00" USD"`; undefined for a language alone (`[$-409]`), and for the rupee. */
export function currencyIn(code: string): string | undefined {
  for (const section of sectionsOf(code)) {
    const stated = [...section.matchAll(STATED_CURRENCY)].map(([, sign = ""]) => sign.trim());
    const foreign = stated.find((sign) => sign !== "" && !isRupee(sign)) ?? otherCurrencyIn(textOf(section));
    if (foreign !== undefined) return foreign;
  }
  return undefined;
}

const STATED_CURRENCY = /\[\$([^\]-]*)(?:-[^\]]*)?\]/g;

const PLAIN = new RegExp(
  String.raw`^(?:\s|${MONEY_BESIDE})*(?:general|@|[0#?][0#?,]*(?:\.[0#?,]*)?)(?:\s|\/-|\/=|${MONEY_BESIDE})*$`,
  "iu",
);

/**
 * A section as it looks beside the number: quoted digits and points, which are not part of the number, become letters.
 */
function textOf(section: string): string {
  const quoted = (literal: string): string =>
    literal === "." ? "x" : literal.replace(/[.,]/g, "").replace(/[0-9#?@]/g, "x");
  return section
    .replace(/"([^"]*)"|\\(.)|[_*]./g, (_, text?: string, one?: string) => quoted(text ?? one ?? ""))
    .replace(/\[(?![hms]+\])[^\]]*\]/gi, "");
}

function sameRounding(section: string, code: string): boolean {
  return JSON.stringify(roundingBy(section)) === JSON.stringify(roundingBy(code));
}

/**
 * `dd-mmm-yy` and `[h]:mm` show a date, `0.0%` a percentage, but `0.00" days"`, `[Red]0` and `0"%"` a number: what is
 * quoted, escaped or in brackets does not count.
 */
export function shownBy(code: string): Shows {
  const bare = bareOf(code);
  if (!/general/i.test(bare) && /[ymdhs]/i.test(bare)) return "date";
  return bare.includes("%") ? "percentage" : "number";
}

/**
 * The rounding of `0.0`, `#,##0` or `[$₹-4009] #,##0.00`; in `0,` the last comma leaves out the thousands. undefined
 * for any other kind of format.
 */
export function roundingBy(code: string): Rounding | undefined {
  const [, whole = "", decimals = ""] =
    /^[^0#?.,E/]*([0#?][0#?,]*)(?:\.([0#?,]*))?[^0#?.,E/]*$/i.exec(bareOf(code)) ?? [];
  if (whole === "") return undefined;
  const leftOut = (digits: string): number => /,*$/.exec(digits)?.[0].length ?? 0;
  return {
    decimals: decimals.replaceAll(",", "").length,
    groupsLeftOut: leftOut(whole) + leftOut(decimals),
  };
}

/** What a format says of numbers above zero. */
function bareOf(code: string): string {
  const [positive = ""] = code.slice(0, 1000).split(";", 1);
  return positive.replace(/"[^"]*"|\\.|[_*]./g, "").replace(/\[(?![hms]+\])[^\]]*\]/gi, "");
}
