import { spelledOut } from "../column-name.ts";
import { columnsOf, type Layout } from "../config/statement.ts";

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

/**
 * The header that a line of cells is, with the most columns that one can have; undefined for any other line. `own`: layouts
 * that a person confirmed, which come first where two have as many columns.
 */
export function headerIn(cells: readonly string[], own: readonly Layout[]): Header | undefined {
  const names = cells.map(spelledOut);
  const fitting = [...own.map(named), ...NAMED].filter(({ needed }) => needed.every((name) => names.includes(name)));
  const [best] = fitting.sort((one, other) => other.needed.length - one.needed.length);
  return best && headerOf(best.layout, cells, names);
}

/** How many of these cells are called as a column of some bank is. */
export function knownNames(cells: readonly string[]): number {
  return new Set(cells.map(spelledOut)).intersection(ALL_NAMES).size;
}

const named = (layout: Layout) => ({ layout, needed: columnsOf(layout) });
const NAMED = LAYOUTS.map(named);
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
