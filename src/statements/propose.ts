import { spelledOut } from "../column-name.ts";
import { STATEMENT_KEYS, type StatementKey } from "../config/statement.ts";
import type { Cell } from "../reader/row.ts";
import { daysOf } from "./dates.ts";
import { moneyIn, sideIn } from "./money.ts";
import { HEADER_LINES_MAX, textOf, type SheetRow } from "./sheet.ts";

/** Lines at the top of a file that a proposal is made from. */
export const LINES_LOOKED_AT = 500;

export interface LayoutProposal {
  /** The names in the header, without empty ones. */
  readonly names: readonly string[];
  readonly columns: readonly { readonly column: string; readonly key: StatementKey; readonly why: string }[];
  /** Keys that more than one column may be meant for: none of them is read before somebody says which. */
  readonly unclear: readonly { readonly key: StatementKey; readonly columns: readonly string[] }[];
  /** What a statement cannot be read without. */
  readonly missing: readonly string[];
  readonly hasDecimalComma: boolean;
  /** Whether it looks like a statement: days, and amounts in two directions or with a balance. */
  readonly isStatement: boolean;
  /** What stands in a column in lines with a day, without empty cells. */
  readonly valuesOf: (column: string) => readonly string[];
}

/** What a person said: key → columns. */
export type SaidColumns = Readonly<Partial<Record<StatementKey, readonly string[]>>>;

/** What columns are called in exports, as `spelledOut` gives them; the likeliest first. */
const WORDS: Readonly<Record<StatementKey, readonly RegExp[]>> = {
  day: [
    /^(?:post|book)(?:ed|ing)?(?:date|day)$|^buchung(?:s?tag|sdatum)$/,
    /^(?:transaction|trans?|entry)(?:date|day)(?:andtime|time)?$/,
    /^(?:date|datum|day)$/,
    /(?:date|datum|day|tag|time)$/,
  ],
  value_day: [/^val(?:ue|uta)?(?:da?te?|day|datum)?$|valuta|wertstellung|^effectivedate$/],
  debit: [/debit|withdraw|paidout|moneyout|^dr(?:amount)?$|amountdr$|^soll|belastung|lastschrift|ausgang/],
  credit: [/credit|deposit|paidin|moneyin|^cr(?:amount)?$|amountcr$|^haben|gutschrift|eingang/],
  amount: [/^(?:transaction)?(?:amount|betrag|umsatz)(?:in)?(?:eur)?$/, /amount|betrag|umsatz|^sum$/],
  balance: [/^(?:running|closing|account|book|ledger)?balance(?:amount)?$|^bal$|saldo|kontostand/, /balance|^bal/],
  side: [/^(?!.*bal)/, /./],
  account: [/^(?:own|my|your|eigenes|auftrags)?(?:account(?:number)?|konto(?:nummer)?)$/],
  references: [/referen[cz]|cheque|check|^chq|utr|rrn|instrument|voucher|transaction(?:id|number)$|endtoend/],
  text: [
    /narrati|particula|description|remark|detail|memo|purpose|zweck|buchungstext|name|payee|beneficiary|beg[uü]e?nstigt|empf[aä]e?nger|zahlung|counterpart|account|konto|iban/,
  ],
};
/** Amounts in these columns are no entry's. */
const NO_AMOUNT = /account|number|referen|card|type|indicator|flag|limit|ursprung|currency|fee|charge/;
const NO_TEXT = /bank|branch|currency|type/;
const NAME_CHARACTERS_MAX = 60;
/** Fewer of them stand in many a line of text. */
const KNOWN_MIN = 3;

interface Column {
  readonly name: string;
  readonly word: string;
  /** In lines with a day; without empty cells. */
  readonly cells: readonly Cell[];
}

/**
 * How the file could be read as a statement: by the line that has the most names of such columns, and by what stands below.
 * `heads`: its first lines, as each way to take it as a table gives them. undefined: no line is like such a header.
 */
export function proposeLayout(heads: readonly (readonly SheetRow[])[], said: SaidColumns): LayoutProposal | undefined {
  const sought = Object.values(said).flat().map(spelledOut);
  const lines = heads.flatMap((rows) =>
    rows.flatMap(({ line, cells }, at) => {
      if (line > HEADER_LINES_MAX) return [];
      const names = cells.map(textOf);
      return [{ names, below: rows.slice(at + 1), known: knownIn(names, sought) }];
    }),
  );
  const [best] = lines.sort((one, other) => other.known - one.known);
  return best && best.known >= KNOWN_MIN ? proposalOf(best.names, best.below, said) : undefined;
}

/** How many columns a line names: each key counts once, and each that a person named. */
function knownIn(names: readonly string[], sought: readonly string[]): number {
  const words = names.filter((name) => name.length <= NAME_CHARACTERS_MAX && !/\d{3}/.test(name)).map(spelledOut);
  const keys = words.map((word) => STATEMENT_KEYS.find((key) => key !== "side" && isCalled(word, key)));
  return new Set(keys.filter(Boolean)).size + sought.filter((word) => words.includes(word)).length * KNOWN_MIN;
}

function isCalled(word: string, key: StatementKey): boolean {
  return word !== "" && WORDS[key].some((pattern) => pattern.test(word));
}

function proposalOf(header: readonly string[], below: readonly SheetRow[], said: SaidColumns): LayoutProposal {
  const picking = new Picking(header, below, said);
  picking.pick();
  const { columns, unclear, hasDecimalComma } = picking;
  const has = (key: StatementKey): boolean => [...columns, ...unclear].some((one) => one.key === key);
  const isTwo = has("debit") && has("credit");
  const missing = [
    ...(has("day") ? [] : ["day"]),
    ...(has("text") ? [] : ["text"]),
    ...(isTwo || has("amount") ? [] : ["debit and credit, or amount"]),
  ];
  const amounts = columns.flatMap(({ key, column }) => (key === "amount" ? picking.cellsOf(column) : []));
  const isSigned = amounts.some((cell) => isNegative(cell, hasDecimalComma));
  const isOne = has("amount") && (has("side") || has("balance") || isSigned);
  return {
    ...{ names: picking.names, columns, unclear, missing, hasDecimalComma },
    isStatement: has("day") && (isTwo || isOne),
    valuesOf: (column) => picking.cellsOf(column).map(textOf),
  };
}

function isNegative(cell: Cell, hasDecimalComma: boolean): boolean {
  const money = moneyIn(cell, hasDecimalComma);
  return typeof money === "object" && money.isNegative;
}

/** Gives each key the columns that are called so and hold such values; no column to two keys. */
class Picking {
  readonly names: readonly string[];
  readonly columns: LayoutProposal["columns"][number][] = [];
  readonly unclear: LayoutProposal["unclear"][number][] = [];
  hasDecimalComma = false;
  #open: readonly Column[];
  readonly #all: readonly Column[];
  readonly #said: SaidColumns;

  constructor(header: readonly string[], below: readonly SheetRow[], said: SaidColumns) {
    const words = header.map(spelledOut);
    const places = [...words.keys()].filter((at) => words[at] !== "" && words.indexOf(words[at] ?? "") === at);
    const filled = (at: number, rows: readonly SheetRow[]): readonly Cell[] =>
      rows.flatMap(({ cells }) => (textOf(cells[at]) === "" ? [] : (cells[at] ?? [])));
    const of = (at: number, rows: readonly SheetRow[]): Column => {
      return { name: header[at]?.trim() ?? "", word: words[at] ?? "", cells: filled(at, rows) };
    };
    const dated = places.filter((at) => isMostly(filled(at, below), isDay));
    const entries = below.filter(({ cells }) => dated.some((at) => isDay(cells[at])));
    this.#all = places.map((at) => of(at, entries));
    this.#open = this.#all;
    this.names = this.#all.map(({ name }) => name);
    this.#said = said;
  }

  cellsOf(column: string): readonly Cell[] {
    return this.#all.find(({ name }) => name === column)?.cells ?? [];
  }

  pick(): void {
    for (const key of STATEMENT_KEYS)
      for (const column of this.#said[key] ?? []) this.#take(column, key, "you said so");
    const days = this.#open.filter(({ cells }) => cells.length > 0 && cells.every(isDay));
    const booked = days.filter(({ word }) => !isCalled(word, "value_day"));
    this.#one("day", booked.length > 0 ? booked : days);
    this.#one("value_day", days);
    this.hasDecimalComma = this.#isWithComma();
    this.#money();
    const isSameThroughout = ({ cells }: Column): boolean => cells.length > 0 && new Set(cells.map(textOf)).size === 1;
    this.#one("account", this.#open.filter(isSameThroughout), "the same in every line");
    this.#several("references", () => true);
    this.#several("text", ({ word }) => !NO_TEXT.test(word));
  }

  #several(key: "references" | "text", is: (column: Column) => boolean): void {
    if (this.#said[key] !== undefined) return;
    const called = this.#open.filter(({ word, cells }) => isCalled(word, key) && !isMostly(cells, isDay));
    for (const { name } of called.filter(is)) this.#take(name, key, BY_NAME);
  }

  /** A column for each direction, or one amount; what a person said of the one leaves no room for the other. */
  #money(): void {
    const isSaid = (...keys: readonly StatementKey[]): boolean => keys.some((key) => this.#said[key] !== undefined);
    const open = (): readonly Column[] => this.#open.filter((one) => this.#holdsMoney(one));
    const only = (key: StatementKey, other: StatementKey): readonly Column[] =>
      open().filter(({ word }) => isCalled(word, key) && !isCalled(word, other) && !NO_AMOUNT.test(word));
    const [debits, credits] = [only("debit", "credit"), only("credit", "debit")];
    const isTwo = isSaid("debit", "credit") || (debits.length > 0 && credits.length > 0);
    if (isTwo && !isSaid("amount", "side")) {
      this.#one("debit", debits, BY_NAME);
      this.#one("credit", credits, BY_NAME);
    } else {
      this.#one(
        "amount",
        open().filter(({ word, cells }) => cells.length > 0 && !NO_AMOUNT.test(word) && !isCalled(word, "balance")),
      );
      const sides = this.#open.filter(({ cells }) => cells.length > 0 && cells.every((cell) => sideIn(textOf(cell))));
      this.#one("side", sides, "DR and CR stand there");
    }
    this.#one("balance", open());
  }

  #holdsMoney({ cells }: Column): boolean {
    return cells.length === 0 || isMostly(cells, (cell) => isMoney(cell, this.hasDecimalComma));
  }

  /** By the columns that are called so: a comma only where more of them can be read with it than with a point. */
  #isWithComma(): boolean {
    const isSaid = (name: string): boolean =>
      this.columns.some(({ column, key }) => column === name && OF_MONEY.some((one) => one === key));
    const isCalledSo = (word: string): boolean => !NO_AMOUNT.test(word) && OF_MONEY.some((key) => isCalled(word, key));
    const amounts = this.#all.filter(
      ({ name, word, cells }) => isSaid(name) || (isCalledSo(word) && isMostly(cells, isAnyMoney)),
    );
    const readable = (withComma: boolean): number =>
      amounts.flatMap(({ cells }) => cells.filter((cell) => isMoney(cell, withComma))).length;
    return readable(true) > readable(false);
  }

  /** The likeliest by its name; none where two are equally likely. */
  #one(key: StatementKey, candidates: readonly Column[], why = BY_NAME): void {
    if (this.#said[key] !== undefined) return;
    const open = candidates.filter((one) => this.#open.includes(one));
    const fitting = WORDS[key].map((pattern) => open.filter(({ word }) => pattern.test(word)));
    const [only, ...rivals] = fitting.find((some) => some.length > 0) ?? [];
    if (only && rivals.length > 0) this.unclear.push({ key, columns: [only, ...rivals].map(({ name }) => name) });
    else if (only) this.#take(only.name, key, why);
  }

  #take(column: string, key: StatementKey, why: string): void {
    this.columns.push({ column, key, why });
    this.#open = this.#open.filter(({ name }) => name !== column);
  }
}

const BY_NAME = "its name and its values";
const OF_MONEY = ["debit", "credit", "amount", "balance"] as const;

function isMostly(cells: readonly Cell[], is: (cell: Cell) => boolean): boolean {
  return cells.length > 0 && cells.filter(is).length * 2 >= cells.length;
}

function isDay(cell: Cell | undefined): boolean {
  if (cell === undefined || (typeof cell !== "string" && cell.token !== "date")) return false;
  return daysOf(textOf(cell)) !== undefined;
}

const isAnyMoney = (cell: Cell): boolean => isMoney(cell, false) || isMoney(cell, true);

/** No amount of money has three decimals: `1.234` is a thousand and more, or is not written with a point. */
function isMoney(cell: Cell, hasDecimalComma: boolean): boolean {
  const money = moneyIn(cell, hasDecimalComma);
  if (typeof money === "string") return money === "none";
  return typeof cell !== "string" || money.units % CENT === 0n;
}

const CENT = 100n;
