import { printable } from "../printable.ts";
import { RECORD_CHARACTERS_MAX, type Cell } from "../reader/row.ts";
import { daysOf, type Days } from "./dates.ts";
import { joined, moneyIn, sideIn, type Direction, type Money } from "./money.ts";
import { textOf, type RefuseStatement, type SheetRow, type StatementSheet } from "./sheet.ts";

/** An entry as the file writes it, before it is known what its dates and labels mean; or a line that only tells a balance. */
export interface Entry {
  readonly line: number;
  /** Undefined only where `units` are 0. */
  readonly days: Days | undefined;
  readonly valueDays: Days | undefined;
  text: string;
  readonly references: string[];
  readonly units: bigint;
  readonly label: Direction;
  readonly isNegative: boolean;
  readonly balance: bigint | undefined;
}

export interface Entries {
  readonly entries: readonly Entry[];
  /** Where each entry names it. */
  readonly account: string | undefined;
}

/** Reads the table to its end. Throws FileRefusedError for what may be an entry and cannot be read. */
export async function entriesOf(sheet: StatementSheet, refuse: RefuseStatement): Promise<Entries> {
  const reading = new EntryReading(sheet, refuse);
  for await (const page of sheet.rows()) for (const row of page) reading.add(row);
  return reading;
}

type Refused = ReturnType<RefuseStatement>;
type Cells = readonly Cell[];

const NOTHING = { units: 0n, label: "credit", isNegative: false } as const;

class EntryReading implements Entries {
  readonly entries: Entry[] = [];
  account: string | undefined;
  readonly #sheet: StatementSheet;
  readonly #refuse: RefuseStatement;
  /** The entry that a line of text alone goes on with. */
  #open: Entry | undefined;
  #lastLine = 0;
  /** What the file is refused for if an entry follows; below the last one stand sums and remarks. */
  #fault: Refused | undefined;
  /** Lines since the last entry that tell a balance and move nothing, such as `Opening balance`. */
  #still: Entry[] = [];
  #isDate: boolean | undefined;
  readonly #days = new Map<string, Days | undefined>();

  constructor(sheet: StatementSheet, refuse: RefuseStatement) {
    this.#sheet = sheet;
    this.#refuse = refuse;
  }

  add(row: SheetRow): void {
    const { header } = this.#sheet;
    const open = row.line === this.#lastLine + 1 ? this.#open : undefined;
    this.#open = undefined;
    this.#lastLine = row.line;
    if (row.cells.every((cell) => textOf(cell) === "")) return;
    const days = this.#daysIn(row.cells[header.day]);
    const cells = this.#fitted(row, days !== undefined);
    if (!cells || this.#isUnbooked(cells)) return;
    this.#open = days ? this.#addDated(row.line, days, cells) : this.#addUndated(row.line, cells, open);
  }

  #addDated(line: number, days: Days, cells: Cells): Entry | undefined {
    const { header } = this.#sheet;
    if (days.dayFirst === undefined && days.monthFirst === undefined)
      throw this.#fail("statement_day", line, header.day);
    const moved = this.#moved(line, cells);
    const balance = this.#balance(line, cells);
    const valueDays = this.#daysIn(cells[header.valueDay]);
    const text = wordsOf(header.text.map((at) => cells[at]));
    const entry = { line, days, valueDays, text, references: this.#references(cells), ...moved, balance };
    if (moved.units > 0n) return this.#take(entry, cells);
    if (balance !== undefined) this.#rest(entry);
    else if (this.entries.length > 0) this.#fault ??= this.#fail("statement_amount_missing", line, header.debit);
    return undefined;
  }

  #take(entry: Entry, cells: Cells): Entry {
    const { header } = this.#sheet;
    if (this.#fault) throw this.#fault;
    const isDate = typeof cells[header.day] !== "string";
    this.#isDate ??= isDate;
    // a spreadsheet that reads a CSV makes dates of those days alone that its own order allows
    if (this.#isDate !== isDate) throw this.#fail("statement_days_mixed", entry.line, header.day);
    const account = printable(textOf(cells[header.account])) || this.account;
    this.account ??= account;
    if (account !== this.account) throw this.#fail("statement_accounts", entry.line, header.account);
    this.entries.push(...this.#still, entry);
    this.#still = [];
    return entry;
  }

  /** Above the first entry the last such line counts: it may be the opening balance. */
  #rest(entry: Entry): void {
    if (this.entries.length === 0) this.#still = [];
    this.#still.push(entry);
  }

  #addUndated(line: number, cells: Cells, open: Entry | undefined): Entry | undefined {
    const { header } = this.#sheet;
    const amounts = [header.debit, header.credit].map((at) => this.#moneyAt(cells, at));
    const balance = this.#moneyAt(cells, header.balance);
    const moved = amounts.filter((one) => typeof one !== "string" && one.units > 0n);
    if (moved.length > 0 && !amounts.includes("wrong")) {
      const fault = this.#fail("statement_day", line, header.day);
      if (this.entries.length === 0 || (moved.length === 1 && this.#follows(moved[0], balance))) throw fault;
      this.#fault ??= fault;
      return undefined;
    }
    if ([...amounts, balance].includes("wrong")) {
      this.#assertNoOtherTable(line, cells);
      return undefined;
    }
    const text = wordsOf(header.text.map((at) => cells[at]));
    const references = this.#references(cells);
    if (typeof balance !== "string") {
      const units = this.#balance(line, cells);
      this.#rest({ line, days: undefined, valueDays: undefined, text, references, ...NOTHING, balance: units });
    } else if (open && text !== "" && textOf(cells[header.day]) === "") {
      open.text = open.text === "" ? text : `${open.text} ${text}`;
      if (open.text.length > RECORD_CHARACTERS_MAX)
        throw this.#refuse("record_too_long", { most: RECORD_CHARACTERS_MAX }, { row: open.line });
      open.references.push(...references);
      return open;
    }
    return undefined;
  }

  /** The header may stand there again, on a new page; below that of another table nothing would be read rightly. */
  #assertNoOtherTable(line: number, cells: Cells): void {
    const [header, again] = [this.#sheet.header, this.#sheet.headerIn(cells.map(textOf))];
    const isSame = again?.names.slice(0, again.width).join("\n") === header.names.slice(0, header.width).join("\n");
    if (again && !isSame) throw this.#refuse("columns_change", {}, { row: line });
  }

  /** Whether a line without a day has the balance that an entry of its amount would leave: then it is no sum. */
  #follows(moved: Money | "none" | "wrong" | undefined, balance: Money | "none" | "wrong"): boolean {
    const before = this.entries.at(-1)?.balance;
    if (typeof moved !== "object" || typeof balance !== "object" || before === undefined) return false;
    const size = before < 0n ? -before : before;
    return [size + moved.units, size - moved.units, moved.units - size].includes(balance.units);
  }

  /** The cells by the header's columns; undefined for a line that has more, and cannot be an entry. */
  #fitted({ line, cells }: SheetRow, isDated: boolean): Cells | undefined {
    const { header, delimiter } = this.#sheet;
    const { width, names, debit, credit, balance } = header;
    const filled = cells.findLastIndex((cell) => textOf(cell) !== "") + 1;
    if (delimiter === undefined || filled <= width) return cells;
    const directions = [debit, credit].filter((at) => at >= 0);
    const amounts = [...directions, balance].filter((at) => at >= 0);
    const fit = delimiter === "," && joined(cells.slice(0, filled).map(textOf), { width, amounts, directions });
    if (fit) return fit;
    if (filled <= names.length) return cells;
    if (!isDated) return undefined;
    throw this.#refuse("row_ragged", { cells: filled, columns: width, isFirst: 0 }, { row: line });
  }

  /** What an entry moves, by its labels; 0 where no amount stands. */
  #moved(line: number, cells: Cells): Pick<Entry, "units" | "label" | "isNegative"> {
    const { header } = this.#sheet;
    const [debit, credit] = [header.debit, header.credit].map((at) => {
      const money = this.#moneyAt(cells, at);
      if (money === "wrong") throw this.#fail("statement_amount", line, at);
      return money === "none" || money.units === 0n ? undefined : money;
    });
    if (debit && credit) throw this.#fail("statement_amounts_two", line, header.credit);
    const money = debit ?? credit;
    if (!money) return NOTHING;
    const { units, isNegative } = money;
    if (header.credit >= 0) {
      const label = debit ? "debit" : "credit";
      return { units, label, isNegative: isNegative !== (money.side !== undefined && money.side !== label) };
    }
    const side = header.side < 0 ? money.side : sideIn(textOf(cells[header.side]));
    if (header.side >= 0 && side === undefined) throw this.#fail("statement_side", line, header.side);
    return side === undefined
      ? { units, label: isNegative ? "debit" : "credit", isNegative: false }
      : { units, label: side, isNegative };
  }

  #balance(line: number, cells: Cells): bigint | undefined {
    const { balance, balanceSide } = this.#sheet.header;
    const money = this.#moneyAt(cells, balance);
    if (money === "wrong") throw this.#fail("statement_amount", line, balance);
    if (money === "none") return undefined;
    const side = money.side ?? sideIn(textOf(cells[balanceSide]));
    return money.isNegative || side === "debit" ? -money.units : money.units;
  }

  #moneyAt(cells: Cells, at: number): ReturnType<typeof moneyIn> {
    return at < 0 ? "none" : moneyIn(cells[at] ?? "", this.#sheet.header.layout.hasDecimalComma);
  }

  #references(cells: Cells): string[] {
    const words = this.#sheet.header.references.map((at) => printable(wordsOf([cells[at]])));
    // banks fill what is empty
    return words.filter((word) => !/^(?:[0-]*|notprovided)$/i.test(word));
  }

  #isUnbooked(cells: Cells): boolean {
    const { layout, unbooked } = this.#sheet.header;
    return (
      unbooked >= 0 &&
      textOf(cells[unbooked])
        .toLowerCase()
        .includes(layout.unbooked?.word ?? "")
    );
  }

  /** Few days stand in many lines. */
  #daysIn(cell: Cell | undefined): Days | undefined {
    if (cell === undefined || (typeof cell !== "string" && cell.token !== "date")) return undefined;
    const text = textOf(cell);
    if (!this.#days.has(text)) {
      if (this.#days.size > DAYS_KEPT_MAX) this.#days.clear();
      this.#days.set(text, daysOf(text));
    }
    return this.#days.get(text);
  }

  #fail(code: Parameters<RefuseStatement>[0], row: number, at: number): Refused {
    const { names, layout } = this.#sheet.header;
    const example = layout.hasDecimalComma ? "25.000,00" : "25,000.00";
    return this.#refuse(code, { example }, { row, column: printable(names[at] ?? "", 60) });
  }
}

const DAYS_KEPT_MAX = 10_000;

function wordsOf(cells: readonly (Cell | undefined)[]): string {
  const words = cells.map(textOf).filter(Boolean).join(" ");
  return words.replaceAll(/\s+/g, " ");
}
