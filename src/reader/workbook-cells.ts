import { posix } from "node:path";
import { EXCEL_EPOCH_MS } from "../day.ts";
import type { Cell } from "./row.ts";
import { attributesOf, cellText, isTrue, readXml, type Parts } from "./workbook-parts.ts";

export interface SheetEntry {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

/** What a workbook holds beside its rows. */
export interface Book {
  /** In the order of the tabs; charts are not among them. */
  readonly sheets: readonly SheetEntry[];
  /** The texts that its cells share. */
  readonly strings: readonly string[];
  readonly styles: readonly Style[];
  readonly is1904: boolean;
}

/** How a style shows numbers. */
interface Style {
  readonly isDate: boolean;
  /** Missing: as they are. */
  readonly shown?: string;
}

/** Throws FileRefusedError for a zip file that is no workbook. */
export async function readBook(parts: Parts): Promise<Book> {
  const names = [...parts.entries.keys()];
  const book = names.find((name) => /^xl\/workbook\d*\.xml$/.test(name));
  if (book === undefined) {
    const isOther = names.some((name) => name === "xl/workbook.bin" || name === "content.xml");
    throw parts.refuse("format_differs", { is: isOther ? "workbook" : "packed" });
  }
  const relations: { readonly id: string; readonly type: string; readonly target: string }[] = [];
  await readXml(parts, `xl/_rels/${posix.basename(book)}.rels`, {
    open(element, raw) {
      const { Id: id = "", Type: type = "", Target: target = "" } = attributesOf(raw);
      if (element !== "Relationship") return;
      relations.push({ id, type: posix.basename(type), target: posix.resolve("/xl", target).slice(1) });
    },
  });
  const partOf = (type: string): string | undefined => relations.find((one) => one.type === type)?.target;
  const sheets: SheetEntry[] = [];
  let is1904 = false;
  await readXml(parts, book, {
    open(element, raw) {
      const { name = "", id, state = "visible", date1904 } = attributesOf(raw);
      if (element === "workbookPr") is1904 = isTrue(date1904);
      const relation = element === "sheet" ? relations.find((one) => one.id === id) : undefined;
      if (relation?.type === "worksheet") sheets.push({ name, isHidden: state !== "visible", part: relation.target });
    },
  });
  const strings = await readStrings(parts, partOf("sharedStrings"));
  return { sheets, is1904, strings, styles: await readStyles(parts, partOf("styles")) };
}

async function readStrings(parts: Parts, part: string | undefined): Promise<readonly string[]> {
  const strings: string[] = [];
  let raw = "";
  let isText = false;
  if (part === undefined) return strings;
  await readXml(parts, part, {
    open(name) {
      isText = name === "t";
    },
    text(more) {
      if (isText) raw += more;
    },
    close(name) {
      isText = false;
      if (name !== "si") return;
      strings.push(cellText(raw));
      raw = "";
    },
  });
  return strings;
}

/** Formats that every workbook knows (ISO 29500 §18.8.30): dates, and those that show something else than the number. */
const BUILT_IN_DATES = /^(?:1[4-9]|2[0-2]|2[7-9]|3[0-6]|4[5-7]|5[0-8]|7[1-9]|8[01])$/;
const BUILT_IN: Readonly<Record<number, string>> = { 9: "0%", 10: "0.00%", 11: "0.00E+00" };

async function readStyles(parts: Parts, part: string | undefined): Promise<readonly Style[]> {
  const own = new Map<number, string>();
  const styles: Style[] = [];
  let inside = "";
  if (part === undefined) return styles;
  await readXml(parts, part, {
    open(name, raw) {
      if (name === "cellXfs" || name === "numFmts") inside = name;
      // formats of conditional formatting have numbers of their own, which may be other formats' numbers as well
      if (inside === "" || (name !== "numFmt" && name !== "xf")) return;
      const { numFmtId, formatCode = "" } = attributesOf(raw);
      const id = Number(numFmtId ?? 0);
      const isDate = BUILT_IN_DATES.test(String(id)) && !own.has(id);
      if (name === "numFmt") own.set(id, formatCode);
      else styles.push(isDate ? { isDate } : styleOf(own.get(id) ?? BUILT_IN[id] ?? "General"));
    },
    close(name) {
      if (name === inside) inside = "";
    },
  });
  return styles;
}

/** Literal text of a format, currencies, colours, conditions; `[h]` is an hour. */
const BESIDE = /"([^"]*)"|\\(.)|[_*].|\[\$([^\]-]*)[^\]]*\]|\[(?![hms]+\])[^\]]*\]/gi;
const PLAIN = /general|₹|rs\.?|inr|\/[-=]|[#0?,.@()+\s-]/gi;
/** A comma behind the last digit shows thousands. */
const SCALED = /[0#?],+(?![0#?,])/;

/** `dd-mmm-yy` and `[h]:mm` show a date; `0.0%`, `0,`, `0" lakh"` and `[$$-409]0.00` something else than the number. */
export function styleOf(code: string): Style {
  const [section = ""] = code.slice(0, 1000).split(";", 1);
  const signs = section.replace(BESIDE, "");
  if (!/general/i.test(signs) && /[ymdhs]/i.test(signs)) return { isDate: true };
  const seen = section.replace(BESIDE, (_, quoted, one, sign) => String(quoted ?? one ?? sign ?? ""));
  const isPlain = seen.replace(PLAIN, "") === "" && !SCALED.test(signs);
  return isPlain ? { isDate: false } : { isDate: false, shown: seen };
}

/** A cell as it stands in the XML of its sheet. */
export interface StoredCell {
  type: string;
  style: number;
  hasFormula: boolean;
  hasValue: boolean;
  raw: string;
}

/** A formula without a value: it must never pass for an empty cell, which would be left out in silence. */
const NOT_CALCULATED: Cell = { token: "error", source: "#N/A" };

/** The text or value of a cell; undefined where its type cannot hold what stands in it. */
export function readCell({ type, style, hasFormula, hasValue, raw }: StoredCell, book: Book): Cell | undefined {
  // a formula without a value was never calculated; an empty value was
  if (type === "str" && hasFormula && !hasValue) return NOT_CALCULATED;
  if (type === "inlineStr" || type === "str") return cellText(raw);
  const stored = raw.trim();
  if (stored === "") return hasFormula ? NOT_CALCULATED : "";
  switch (type) {
    case "s":
      return /^[0-9]{1,9}$/.test(stored) ? book.strings[Number(stored)] : undefined;
    case "n":
      return readNumber(stored, book.styles[style], book.is1904);
    case "b":
      return { token: "boolean", source: isTrue(stored) ? "TRUE" : "FALSE" };
    case "e":
      return { token: "error", source: cellText(stored) };
    case "d":
      return { token: "date", source: stored.replace("T", " ").replace(/ 00:00(?::00)?Z?$/, "") };
    default:
      return undefined;
  }
}

function readNumber(stored: string, style: Style | undefined, is1904: boolean): Cell | undefined {
  const date = style?.isDate ? dateOf(stored, is1904) : undefined;
  if (date !== undefined) return { token: "date", source: date };
  const source = decimalOf(stored);
  return source === undefined
    ? undefined
    : { token: "number", source, ...(style?.shown ? { shown: style.shown } : {}) };
}

const NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$/;
/** Spreadsheets calculate in doubles, and show at most so many digits. */
const DIGITS_SHOWN = 15;
/** Below this 15 digits leave three decimals: rounding to them cannot change an amount. */
const ROUNDED_BELOW = 1e12;

/**
 * The decimal text of a stored number; undefined for what is no number. Spreadsheets store a double, and write the
 * outcome of a sum with 17 digits: 1234.56 as `1234.5600000000001`. Nobody ever sees more than 15, and every decimal of
 * up to 15 digits has a double of its own: so the 15 digits are what the person means. From `ROUNDED_BELOW` on they
 * might change an amount: there all digits are given, for the checks to name.
 */
export function decimalOf(stored: string): string | undefined {
  const value = Number(stored);
  if (!NUMBER.test(stored) || !Number.isFinite(value)) return undefined;
  return String(Math.abs(value) < ROUNDED_BELOW ? Number(value.toPrecision(DIGITS_SHOWN)) : value);
}

const DAYS_MAX = 2_958_466;
/** Days between the first days of the calendars of 1900 and 1904. */
const DAYS_TO_1904 = 1462;

/** A stored number that its format shows as a date or time. undefined where no calendar has that day. */
export function dateOf(stored: string, is1904: boolean): string | undefined {
  const days = Number(stored) + (is1904 ? DAYS_TO_1904 : 0);
  if (!NUMBER.test(stored) || !(days >= 0 && days < DAYS_MAX)) return undefined;
  const seconds = Math.round(days * 86_400) * 1000;
  return new Date(EXCEL_EPOCH_MS + seconds).toISOString().slice(0, 19).replace("T", " ").replace(" 00:00:00", "");
}
