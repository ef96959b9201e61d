import { realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { formatUnits } from "../amount.ts";
import type { Layout } from "../config/statement.ts";
import { dayOf } from "../day.ts";
import { FileRefusedError, PaydropError } from "../errors.ts";
import { Packed } from "../packed.ts";
import { printable } from "../printable.ts";
import { dayOrderOf, type DayOrder } from "./dates.ts";
import { directionOf, inOrder, understood, type Chain } from "./direction.ts";
import { entriesOf, type Entry } from "./entries.ts";
import type { Direction } from "./money.ts";
import { openStatement, type RefuseStatement } from "./sheet.ts";

/** One entry of a bank's statement. */
export interface Line {
  /** As a spreadsheet shows it: where the entry begins. */
  readonly line: number;
  /** When it was booked: `2026-11-03`. */
  readonly day: string;
  readonly valueDay?: string;
  /** What the bank says of it, in one line and printable. */
  readonly text: string;
  /** What stands in the columns of references and cheque numbers; not empty. */
  readonly references: readonly string[];
  /** Above 0: `25000.00`. */
  readonly amount: string;
  readonly direction: Direction;
  /** Behind this entry; may be negative. */
  readonly balance?: string;
}

export interface Statement {
  /** The bank: `HDFC`, or the name that a person gave the layout. */
  readonly layout: string;
  readonly fileName: string;
  /** In full, or as the bank masked it, where the file names one. */
  readonly account?: string;
  readonly days?: readonly [first: string, last: string];
  /**
   * Whether each balance follows from the one before it; if not, at which line one does not. `none`: there are no
   * balances, or they prove nothing, as where there is one entry only: then the columns' names say what is a debit.
   */
  readonly chain: Chain;
  /** In the order of booking, whatever the file's. */
  readonly lines: Lines;
}

/** There may be hundreds of thousands: each is made anew when it is asked for. */
export interface Lines extends Iterable<Line> {
  readonly length: number;
  at(nth: number): Line | undefined;
}

export interface StatementOptions {
  /** Whether dates such as 03/11/2026 begin with the day, where the file does not prove it. */
  readonly dayFirst?: boolean | undefined;
  /** Of a text without a byte order mark. */
  readonly encoding?: "utf-8" | "windows-1252" | "macintosh" | undefined;
  /** Of other banks, as a person confirmed them. */
  readonly layouts?: readonly Layout[];
}

/** Reads a bank's statement, or refuses it whole: FileRefusedError, or PaydropError where no file is. */
export async function readStatement(path: string, options: StatementOptions = {}): Promise<Statement> {
  const fileName = printable(basename(path), 200);
  const file = await realpath(path).catch(() => "");
  if (!(await stat(file).catch(() => undefined))?.isFile()) throw new PaydropError("file_missing", { name: fileName });
  const refuse: RefuseStatement = (code, facts, place) =>
    new FileRefusedError(fileName, [{ code, ...place, ...(facts ? { facts } : {}) }]);
  const { encoding = "utf-8", layouts = [] } = options;
  const sheet = await openStatement({ path: file, encoding, refuse }, layouts);
  const { header, above } = sheet;
  const { entries, account } = await entriesOf(sheet, refuse);
  const order = orderOf(entries, header.names[header.day] ?? "", options, refuse);
  const { chain, ...reading } = understood(entries, order);
  const lines = new PackedLines();
  for (const entry of inOrder(entries, reading))
    if (entry.units > 0n) lines.add(lineOf(entry, directionOf(entry, reading), order));
  const [first, last] = lines.days;
  const named = account ?? accountIn(above);
  return {
    layout: header.layout.bank,
    fileName,
    ...(named === undefined ? {} : { account: named }),
    ...(first === undefined || last === undefined ? {} : { days: [first, last] }),
    chain,
    lines,
  };
}

function orderOf(
  entries: readonly Entry[],
  column: string,
  { dayFirst }: StatementOptions,
  refuse: RefuseStatement,
): DayOrder {
  const dated = entries.flatMap(({ days, line }) => (days ? [{ days, line }] : []));
  const found = dayOrderOf(
    dated.map(({ days }) => days),
    dayFirst,
  );
  if ("order" in found) return found.order;
  const { line, days } = dated["mixed" in found ? found.mixed : found.unclear] ?? {};
  const place = { ...(line === undefined ? {} : { row: line }), column };
  if ("mixed" in found) throw refuse("statement_days_mixed", {}, place);
  const said = (day = ""): string => dayOf(Date.parse(day));
  throw refuse("statement_day_order", { one: said(days?.dayFirst), other: said(days?.monthFirst) }, place);
}

class PackedLines implements Lines {
  readonly #packed = new Packed();
  readonly #places: number[] = [];
  /** Not every bank's lines are in the order of their days. */
  days: readonly [first?: string, last?: string] = [];

  add({ line, day, valueDay, amount, direction, balance, text, references }: Line): void {
    const texts = [String(line), day, valueDay, amount, direction, balance, text, ...references];
    this.#places.push(this.#packed.add(texts));
    const [first = day, last = day] = this.days;
    if (this.days.length === 0 || day < first || day > last)
      this.days = [day < first ? day : first, day > last ? day : last];
  }

  get length(): number {
    return this.#places.length;
  }

  at(nth: number): Line | undefined {
    const place = this.#places[nth];
    if (place === undefined) return undefined;
    const [line, day = "", valueDay = "", amount = "", direction, balance = "", text = "", ...references] =
      this.#packed.at(place);
    return {
      ...{ line: Number(line), day },
      ...(valueDay === "" ? {} : { valueDay }),
      ...{ text, references, amount, direction: direction === "debit" ? "debit" : "credit" },
      ...(balance === "" ? {} : { balance }),
    };
  }

  *[Symbol.iterator](): Generator<Line> {
    for (let nth = 0; nth < this.length; nth += 1) {
      const line = this.at(nth);
      if (line) yield line;
    }
  }
}

function lineOf(entry: Entry, direction: Direction, order: DayOrder): Line {
  const { line, text, references, units, balance } = entry;
  const day = entry.days?.[order] ?? "";
  const valueDay = entry.valueDays?.[order];
  return {
    ...{ line, day },
    ...(valueDay === undefined ? {} : { valueDay }),
    text: printable(text),
    references,
    amount: formatUnits(units),
    direction,
    ...(balance === undefined ? {} : { balance: signed(balance) }),
  };
}

function signed(units: bigint): string {
  return units < 0n ? `-${formatUnits(-units)}` : formatUnits(units);
}

/** `Account No : 50100012344471`, `A/c Number XXXXXXXX4471`. */
const ACCOUNT =
  /\b(?:account|acct|a\/c)[\s_.]*(?:number|no|num|nr|#)?[\s.:#"'_-]*(?!\d\d?-\d\d?-)([\dx*•][\dx*• -]*\d{4})(?!\d|\/|\.\d)/i;

function accountIn(above: readonly string[]): string | undefined {
  for (const text of above) {
    const account = ACCOUNT.exec(text)?.[1]?.replaceAll(/[ -]/g, "") ?? "";
    if (account.length >= 6) return account;
  }
  return undefined;
}
