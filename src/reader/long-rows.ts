import { counted } from "../text/counted.ts";
import { defined } from "../defined.ts";
import type { Dialect } from "./records.ts";
import type { SheetSource } from "./source.ts";

/**
 * Rows of another length than the header. A spreadsheet may add empty cells at the end of a row, and other programs a
 * delimiter to every row; any other such row is ragged. So is a row whose cells were moved aside by `4,000.00` outside
 * quotes: its last cells are empty too, and 4 would be paid. A row that looks moved aside, as one with `12,500,` does,
 * counts as ragged unless all rows of the file are as long and some of them have no such number.
 */
export class LongRows {
  readonly #width: number;
  readonly #dialect: Dialect;
  readonly #source: SheetSource;
  #doubt: Error | undefined;
  #length: number | undefined;
  #isEven = true;
  #isUsual = false;

  /** `width`: cells of the header. */
  constructor(width: number, dialect: Dialect, source: SheetSource) {
    this.#width = width;
    this.#dialect = dialect;
    this.#source = source;
  }

  /** Notes a row of the header's length. */
  pass(): void {
    this.#isEven = false;
  }

  /** The record without its empty cells at the end. Throws FileRefusedError for a ragged one. */
  fit(record: string[], row: number): string[] {
    const { refuse, limits } = this.#source;
    if (record.length > limits.columnsMax) throw refuse("too_many_columns", { row, found: `${limits.columnsMax}` });
    const cut = this.#dialect.delimiter === "," ? cutNumberOf(record) : undefined;
    const isLong = record.length > this.#width && record.slice(this.#width).every((cell) => cell.trim() === "");
    if (!isLong) throw this.#ragged(record, row, cut);
    this.#isEven &&= record.length === (this.#length ?? record.length);
    this.#length ??= record.length;
    if (cut === undefined) this.#isUsual = true;
    else this.#doubt ??= this.#ragged(record, row, cut);
    return record.slice(0, this.#width);
  }

  /** To be called at the end of the file. Throws FileRefusedError for the first row that counts as moved aside. */
  judge(): void {
    if (this.#doubt && !(this.#isEven && this.#isUsual)) throw this.#doubt;
  }

  #ragged(record: readonly string[], row: number, cut: string | undefined): Error {
    const one = cut === undefined ? "" : `; "${cut.trim()}" was taken for several cells`;
    const found = `${counted(record.length, "cell")}, the header has ${counted(this.#width, "column")}${one}`;
    const hint = cut === undefined ? this.#hint(record) : undefined;
    return this.#source.refuse("row_ragged", defined({ row, found, hint }));
  }

  #hint({ length }: readonly string[]): string | undefined {
    if (length < this.#width) return SHORT_ROW;
    const isFirst = this.#isEven && this.#length === undefined;
    return isFirst || this.#width === 1 ? UNDER_A_TITLE : undefined;
  }
}

/** A row without its empty cells looks like one that was cut off: only its writer knows which of the two it is. */
const SHORT_ROW =
  'Look for a missing cell. Excel leaves out empty cells at the end of a row: save the file as "Excel Workbook (.xlsx)" instead.';

/** The hint for the first row that does not fit, or where the header has one cell: the "header" may be a title. */
const UNDER_A_TITLE =
  'If a title stands above the names of the columns, delete it, so that they stand in row 1; otherwise look for an extra cell: one with the comma (or ;) in it that separates the columns stands in double quotes, "52,000.00".';

/** A number in groups of thousands, or of lakhs, that was cut into cells at its commas: `4,000.00`, `₹ 1,04,000`. */
const CUT_NUMBER = /(?<=^|,)(\s*(?:\p{Sc}|rs\.?|inr)?\s*[1-9]\d{0,2}(?:,\d\d)*,\d{3}(?:\.\d+)?)(?=\s*(?:,|$))/iu;

function cutNumberOf(record: readonly string[]): string | undefined {
  return CUT_NUMBER.exec(record.map((cell) => cell.replaceAll(",", ";")).join())?.[1];
}
