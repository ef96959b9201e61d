import { posix } from "node:path";
import { EXCEL_EPOCH_MS } from "../day.ts";
import { COLUMNS_MAX, type Cell, type Refuse } from "./row.ts";
import { attributesOf, LIMITS, readElements, type Element, type Parts } from "./workbook-parts.ts";

export interface SheetEntry {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

export type Book = Awaited<ReturnType<typeof readBook>>;

/** How a style shows numbers. `shown`: missing where it shows them as they are. */
interface Style {
  readonly as: "number" | "date" | "month";
  readonly shown?: string;
  /** How many digits it shows behind the point; missing where it shows all. */
  readonly decimals?: number;
}

/** Throws FileRefusedError for a zip file that is no workbook. */
export async function readBook(parts: Parts) {
  const book = [...parts.entries.keys()].find((name) => /^xl\/workbook\d*\.xml$/.test(name));
  if (book === undefined) throw parts.refuse("format_differs", { is: "workbook" });
  const all = async (part: string | undefined, ...places: readonly string[]) => {
    const found: Element[] = [];
    const pages = part === undefined ? [] : readElements(parts, part, places, LIMITS.book);
    for await (const page of pages) found.push(...page);
    return (name: string) => found.filter((one) => one.name === name).map(attributesOf);
  };
  const related = await all(`xl/_rels/${posix.basename(book)}.rels`, "Relationships/Relationship");
  const relations = related("Relationship").map(({ Id: id, Type: type = "", Target: target = "" }) => {
    return { id, type: posix.basename(type), target: posix.resolve("/xl", target).slice(1) };
  });
  const partOf = (type: string): string | undefined => relations.find((one) => one.type === type)?.target;
  const sheetOf = new Map(relations.filter(({ type }) => type === "worksheet").map(({ id, target }) => [id, target]));
  const inBook = await all(book, "workbook/sheets/sheet", "workbook/workbookPr");
  const sheets = inBook("sheet").flatMap(({ name = "", id, state }) => {
    const part = sheetOf.get(id);
    return part === undefined ? [] : [{ name, isHidden: (state ?? "visible") !== "visible", part }];
  });
  const [properties] = inBook("workbookPr");
  const inStyles = await all(partOf("styles"), "styleSheet/numFmts/numFmt", "styleSheet/cellXfs/xf");
  const own = new Map(inStyles("numFmt").map(({ numFmtId, formatCode = "" }) => [numFmtId, formatCode]));
  return {
    sheets,
    strings: await stringsIn(parts, partOf("sharedStrings")),
    styles: inStyles("xf").map(({ numFmtId: id = "0" }) => styleOf(own.get(id) ?? builtIn(id))),
    is1904: properties !== undefined && isTrue(properties["date1904"]),
  };
}

async function stringsIn(parts: Parts, part: string | undefined): Promise<readonly string[]> {
  const strings: string[] = [];
  if (part === undefined) return strings;
  for await (const page of readElements(parts, part, ["sst/si"], LIMITS.strings)) {
    for (const element of page) strings.push(textIn(element));
  }
  return strings;
}

function isTrue(said: string | undefined): boolean {
  return said === "1" || said === "true";
}

/** The text of a cell or of a shared string, without how it is spoken (`rPh`). */
function textIn({ name, text, children }: Element): string {
  if (name === "t" || name === "v") return text;
  return children.map((child) => (child.name === "t" || child.name === "r" ? textIn(child) : "")).join("");
}

/** Formats that every workbook knows (ISO 29500 §18.8.30): dates, and those that show something else than the number. */
const BUILT_IN_DATES = /^(?:1[4-689]|2[0-2]|2[7-9]|3[0-6]|4[5-7]|5[0-8]|7[1-9]|8[01])$/;
const BUILT_IN: Readonly<Record<string, string>> = {
  ...{ 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00" },
  ...{ 9: "0%", 10: "0.00%", 11: "0.00E+00", 17: "mmm-yy" },
};

function builtIn(id: string): string {
  return BUILT_IN[id] ?? (BUILT_IN_DATES.test(id) ? "dd-mm-yyyy" : "General");
}

/** Literal text of a format, currencies, colours, conditions; `[h]` is an hour. */
const BESIDE = /"([^"]*)"|\\(.)|[_*].|\[\$([^\]-]*)[^\]]*\]|\[(?![hms]+\])[^\]]*\]/gi;
const PLAIN = /general|₹|rs\.?|inr|\/[-=]|[#0?,.@()+\s-]/gi;
/** A comma behind the last digit shows thousands. */
const SCALED = /[0#?],+(?![0#?,])/;

/** `dd-mmm-yy` and `[h]:mm` show a date; `0.0%`, `0,`, `0" lakh"` and `[$$-409]0.00` something else than the number. */
export function styleOf(code: string): Style {
  const [section = ""] = code.slice(0, 1000).split(";", 1);
  const signs = section.replace(BESIDE, "").toLowerCase();
  if (!signs.includes("general") && /[ymdhs]/.test(signs)) {
    return { as: /[dhs]/.test(signs) || !/y.*m|m.*y/.test(signs) ? "date" : "month" };
  }
  const seen = section.replace(BESIDE, (_, quoted, one, sign) => String(quoted ?? one ?? sign ?? ""));
  const isPlain = seen.replace(PLAIN, "") === "" && !SCALED.test(signs);
  if (!isPlain) return { as: "number", shown: seen };
  const [, shows] = /^[^.]*(?:\.([0#?]*))?$/.exec(signs.replaceAll(/[^0#?.]/g, "")) ?? [];
  const hasDecimals = signs.includes("general") || !/[0#?]/.test(signs);
  return { as: "number", ...(hasDecimals ? {} : { decimals: shows?.length ?? 0 }) };
}

const ROWS_MAX = 1_048_576;
/** More than a header may have. */
const CELLS_MAX = 2 * COLUMNS_MAX;

/** The rows of a sheet in order, in pages; memory is flat. Throws FileRefusedError. */
export async function* readSheet(parts: Parts, part: string, book: Book) {
  let before = 0;
  for await (const elements of readElements(parts, part, ["worksheet/sheetData/row"], LIMITS.sheet)) {
    yield elements.map((element) => {
      const row = readRow(element, before, book, parts.refuse);
      before = row.number;
      return row;
    });
  }
}

/** How nearly every program writes a cell. */
const USUAL_CELL = /^ r="([A-Z]+[0-9]+)"(?: s="([0-9]+)")?(?: t="([a-zA-Z]+)")?$/;
/** A zero as a formula gives it, whatever its format shows. */
const ZERO = /^0(?:\.0*)?$/;

/**
 * `isBlank`: nothing stands there, or formulas that give 0 or nothing, as where somebody dragged them down past the table.
 * `cells`: from column A to the last one that holds something; empty text where nothing is.
 */
function readRow(element: Element, before: number, book: Book, refuse: Refuse) {
  const { r: said, hidden } = attributesOf(element);
  const number = said === undefined ? before + 1 : Number(said);
  if (!(number > before && number <= ROWS_MAX)) throw refuse("workbook_damaged");
  const cells: Cell[] = [];
  let column = -1;
  let isBlank = true;
  for (const child of element.children) {
    if (child.name !== "c") continue;
    const usual = USUAL_CELL.exec(child.attributes);
    const { r, s, t = "n" } = usual ? { r: usual[1], s: usual[2], t: usual[3] } : attributesOf(child);
    const next = r === undefined ? column + 1 : columnOf(r, number);
    const hasFormula = child.children.some(({ name }) => name === "f");
    const value = readCell(t, book.styles[Number(s ?? 0)], hasFormula, child, book);
    if (!(next > column) || value === undefined) throw refuse("workbook_damaged", {}, { row: number });
    column = next;
    if (value === "") continue;
    // nothing is kept for a million cells before it in each row
    if (column >= CELLS_MAX) throw refuse("cell_without_header", { cell: `cell ${r ?? ""}` }, { row: number });
    isBlank &&= typeof value === "string" ? value.trim() === "" : hasFormula && ZERO.test(value.source);
    while (cells.length < column) cells.push("");
    cells.push(value);
  }
  return { number, isHidden: isTrue(hidden), isBlank, cells };
}

/** The row of a cell, `AB12`, and its column, counted from 0; undefined for anything else. */
export function cellAt(cell: string): { readonly row: number; readonly column: number } | undefined {
  const [, letters = "", digits = ""] = /^([A-Z]{1,3})([1-9][0-9]{0,6})$/.exec(cell) ?? [];
  const column = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return column < 0 ? undefined : { row: Number(digits), column };
}

/** The column, counted from 0, of a cell of this row; NaN for anything else. */
function columnOf(cell: string, row: number): number {
  const at = cellAt(cell);
  return at?.row === row ? at.column : Number.NaN;
}

/** A formula without a value: it must never pass for an empty cell, which would be left out in silence. */
const NOT_CALCULATED: Cell = { token: "error", source: "#N/A" };

/** The text or value of a cell; undefined where its type cannot hold what stands in it. */
function readCell(
  type: string,
  style: Style | undefined,
  hasFormula: boolean,
  { children }: Element,
  { strings, is1904 }: Book,
): Cell | undefined {
  const [value, another] = children.filter(({ name }) => name === "v" || name === "is");
  // two values in a cell would be read as one: 5 and 7 as 57
  if (another) return undefined;
  const text = value ? textIn(value) : "";
  const stored = text.trim();
  // a formula without a value was never calculated; an empty text was
  if (hasFormula && (type === "str" ? value === undefined : stored === "")) return NOT_CALCULATED;
  if (type === "inlineStr" || type === "str") return text;
  if (stored === "") return "";
  switch (type) {
    case "s":
      return /^[0-9]{1,9}$/.test(stored) ? strings[Number(stored)] : undefined;
    case "n":
      return readNumber(stored, style, is1904);
    case "b":
      return { token: "boolean", source: isTrue(stored) ? "TRUE" : "FALSE" };
    case "e":
      return { token: "error", source: stored };
    case "d":
      return { token: "date", source: stored.replace("T", " ").replace(/ 00:00(?::00)?Z?$/, "") };
    default:
      return undefined;
  }
}

function readNumber(
  stored: string,
  { as, shown, decimals }: Style = { as: "number" },
  is1904: boolean,
): Cell | undefined {
  const date = as === "number" ? undefined : dateOf(stored, is1904);
  // of a date that is shown as `Nov-26` a person means the month
  if (date !== undefined) return { token: "date", source: as === "month" ? date.slice(0, 7) : date };
  const source = decimalOf(stored);
  if (source === undefined) return undefined;
  const seen = shown ?? (decimals === undefined ? undefined : roundedTo(decimals, source));
  return { token: "number", source, ...(seen ? { shown: seen } : {}) };
}

/** What is shown of a number, where that is less than all of it. */
function roundedTo(decimals: number, source: string): string | undefined {
  const point = source.indexOf(".");
  return point < 0 || source.length - point - 1 <= decimals
    ? undefined
    : Number(source).toFixed(Math.min(decimals, 20));
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
