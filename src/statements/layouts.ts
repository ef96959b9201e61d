import { spelledOut } from "../column-name.ts";

/**
 * The columns of a bank's export, by the names in its header. A file is of this layout when all of them are there, in any
 * order, with others beside them.
 */
export interface Layout {
  readonly bank: string;
  /** When it was booked. */
  readonly day: string;
  readonly valueDay?: string;
  /** What tells of an entry: joined in this order. */
  readonly text: readonly string[];
  /** More of it, which not every export has. */
  readonly moreText?: readonly string[];
  readonly references: readonly string[];
  /**
   * A column for each direction, or one amount: with a minus for debits or, in the column `side`, `DR` or `CR`. The same
   * column once more behind the balance is that of the balance.
   */
  readonly money:
    { readonly debit: string; readonly credit: string } | { readonly amount: string; readonly side?: string };
  readonly balance?: string;
  /** The account, in each entry. */
  readonly account?: string;
  /** By which word in which column an entry is known that is not booked yet. */
  readonly unbooked?: { readonly column: string; readonly word: string };
  /** The bank's other columns, which say nothing that is asked for here. */
  readonly beside?: readonly string[];
  /** Amounts are written `1.234,56`. */
  readonly hasDecimalComma?: true;
}

const KOTAK = {
  bank: "Kotak",
  day: "Transaction Date",
  valueDay: "Value Date",
  text: ["Description"],
  references: ["Chq / Ref No."],
  balance: "Balance",
  beside: ["Sl. No."],
} as const;

export const LAYOUTS: readonly Layout[] = [
  {
    bank: "HDFC",
    day: "Date",
    valueDay: "Value Dt",
    text: ["Narration"],
    references: ["Chq./Ref.No."],
    money: { debit: "Withdrawal Amt.", credit: "Deposit Amt." },
    balance: "Closing Balance",
  },
  {
    bank: "HDFC",
    day: "Date",
    valueDay: "Value Dat",
    text: ["Narration"],
    references: ["Chq/Ref Number"],
    money: { debit: "Debit Amount", credit: "Credit Amount" },
    balance: "Closing Balance",
  },
  {
    bank: "ICICI",
    day: "Transaction Date",
    valueDay: "Value Date",
    text: ["Transaction Remarks"],
    references: ["Cheque Number"],
    money: { debit: "Withdrawal Amount (INR )", credit: "Deposit Amount (INR )" },
    balance: "Balance (INR )",
    beside: ["S No."],
  },
  {
    bank: "SBI",
    day: "Txn Date",
    valueDay: "Value Date",
    text: ["Description"],
    references: ["Ref No./Cheque No."],
    money: { debit: "Debit", credit: "Credit" },
    balance: "Balance",
  },
  {
    bank: "Axis",
    day: "Tran Date",
    text: ["PARTICULARS"],
    references: ["CHQNO"],
    money: { debit: "DR", credit: "CR" },
    balance: "BAL",
    beside: ["SOL"],
  },
  { ...KOTAK, money: { debit: "Debit", credit: "Credit" } },
  { ...KOTAK, money: { amount: "Amount", side: "Dr / Cr" } },
  {
    bank: "IDFC",
    day: "Transaction Date",
    valueDay: "Payment date",
    text: ["Narrative"],
    references: ["Customer Reference No", "Cheque No"],
    money: { debit: "Debit", credit: "Credit" },
    balance: "Running Balance",
  },
  {
    bank: "Yes",
    day: "Transaction Date",
    valueDay: "Value date",
    text: ["Transaction Description"],
    references: ["Reference No"],
    money: { debit: "Debit Amount", credit: "Credit Amount" },
    balance: "Running Balance",
  },
  {
    bank: "Baroda",
    day: "Transaction Date",
    valueDay: "Value Date",
    text: ["Description"],
    references: ["Cheque Number"],
    money: { debit: "Debit", credit: "Credit" },
    balance: "Balance",
    beside: ["Serial No"],
  },
  {
    bank: "Sparkasse",
    day: "Buchungstag",
    valueDay: "Valutadatum",
    text: ["Buchungstext", "Verwendungszweck"],
    moreText: ["Beguenstigter/Zahlungspflichtiger", "Kontonummer/IBAN"],
    references: ["Kundenreferenz (End-to-End)"],
    money: { amount: "Betrag" },
    account: "Auftragskonto",
    unbooked: { column: "Info", word: "vorgemerkt" },
    beside: ["Waehrung"],
    hasDecimalComma: true,
  },
  {
    bank: "Wise",
    day: "Date",
    text: ["Description", "Payee Name", "Payee Account Number"],
    references: ["TransferWise ID", "Payment Reference"],
    money: { amount: "Amount" },
    balance: "Running Balance",
    beside: ["Currency"],
  },
];

export const BANKS: readonly string[] = [...new Set(LAYOUTS.map(({ bank }) => bank))];

/** A header, and where in it the columns of its layout stand. */
export interface Header {
  readonly layout: Layout;
  readonly names: readonly string[];
  /** Without the empty cells at its end. */
  readonly width: number;
  readonly day: number;
  readonly valueDay: number;
  readonly text: readonly number[];
  readonly references: readonly number[];
  /** With `side`, the one amount stands in `debit`; -1: no such column. */
  readonly debit: number;
  readonly credit: number;
  readonly side: number;
  readonly balance: number;
  readonly balanceSide: number;
  readonly account: number;
  readonly unbooked: number;
}

/** The header that a line of cells is, with the most columns that one can have; undefined for any other line. */
export function headerIn(cells: readonly string[]): Header | undefined {
  const names = cells.map(spelledOut);
  const fitting = NAMED.filter(({ needed }) => needed.every((name) => names.includes(name)));
  const [best] = fitting.sort((one, other) => other.needed.length - one.needed.length);
  return best && headerOf(best.layout, cells, names);
}

/** How many of these cells are called as a column of some bank is. */
export function knownNames(cells: readonly string[]): number {
  return new Set(cells.map(spelledOut)).intersection(ALL_NAMES).size;
}

const NAMED = LAYOUTS.map((layout) => {
  const { day, valueDay, text, references, money, balance, account, unbooked, beside = [] } = layout;
  const all = [day, valueDay, ...text, ...references, ...Object.values(money), balance, account, unbooked?.column];
  const needed = [...all, ...beside].filter((name) => name !== undefined).map(spelledOut);
  return { layout, needed };
});
const ALL_NAMES = new Set(NAMED.flatMap(({ needed }) => needed));

/** undefined: one of its columns stands there twice, and nobody can say which is meant. */
function headerOf(layout: Layout, cells: readonly string[], names: readonly string[]): Header | undefined {
  const { money } = layout;
  const at = (name: string | undefined): number => (name === undefined ? -1 : names.indexOf(spelledOut(name)));
  const ofMoney = "debit" in money ? [money.debit, money.credit] : [money.amount];
  const once = [layout.day, ...ofMoney, layout.balance].map(at).filter((place) => place >= 0);
  if (once.some((place) => names.lastIndexOf(names[place] ?? "") !== place)) return undefined;
  const side = "side" in money ? at(money.side) : -1;
  const balance = at(layout.balance);
  const repeated = side < 0 ? -1 : names.indexOf(names[side] ?? "", side + 1);
  return {
    layout,
    names: cells.map((name) => name.trim()),
    width: names.findLastIndex((name) => name !== "") + 1,
    day: at(layout.day),
    valueDay: at(layout.valueDay),
    text: [...layout.text, ...(layout.moreText ?? [])].map(at).filter((place) => place >= 0),
    references: layout.references.map(at),
    debit: at(ofMoney[0]),
    credit: at(ofMoney[1]),
    side,
    balance,
    balanceSide: repeated > balance ? repeated : -1,
    account: at(layout.account),
    unbooked: at(layout.unbooked?.column),
  };
}
