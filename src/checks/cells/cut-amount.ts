import type { Field } from "../../operations/operation.ts";
import type { Row } from "../../reader/row.ts";
import { cellText } from "./cell.ts";
import type { CompiledForm } from "../compile.ts";
import { faultOfCell } from "../fault-of.ts";
import type { Fault } from "../fault.ts";

/** What a comma cuts off an amount: its decimals, or its thousands. */
const CUT_OFF = /^(?:[0-9]{1,2}|[0-9]{3}(?:\.[0-9]+)?)$/;
const THOUSANDS = /^[0-9]{3}(?:\.[0-9]+)?$/;
/** No word that a service requires, such as a payment mode, looks so; a purpose may well be the code 00. */
const NO_WORD = /^(?:00|000|[0-9]{3}\.[0-9]+)$/;
const NO_TEXT = /^[0-9]{3}\.[0-9]+$/;
const ROUND = /^(?:[0-9]{2})?000(?:\.0+)?$/;
const WHOLE = /^[0-9]+$/;
/** What may stand before a comma of thousands. */
const FEW = /^[1-9][0-9]{0,2}$/;
const HUNDREDS = /^[0-9]{2}$/;

/**
 * `100,50` outside quotes in a CSV file is two cells: 100 would be sent, and what follows stands one column too far to
 * the right. It shows where a row had more cells than the header, the last ones empty, or has such digits where a word
 * is required. Where `50,000` was cut, and the last cell of the row left off, only the digits show it. Digits that may
 * be meant are only pointed out.
 */
export function lookForCut(row: Row, { fields, amountAt }: CompiledForm): Fault | undefined {
  const { field: amount, index = -1 } = fields[amountAt] ?? {};
  const from = row.mapped?.from ?? row;
  const at = row.mapped ? (row.mapped.at[index] ?? -1) : index;
  const next = from.cells[at + 1];
  if (amount === undefined || at < 0 || typeof next !== "string") return undefined;
  const first = next.trim();
  if (!CUT_OFF.test(first)) return undefined;
  const cell = from.cells[at];
  const begin = typeof cell === "string" ? cell.trim() : "";
  if (!WHOLE.test(begin)) return undefined;

  const isLonger = from.wasLonger?.delimiter === ",";
  const position = row.mapped ? row.mapped.at.indexOf(at + 1) : at + 1;
  const field = fields.find((one) => one.index === position)?.field;
  // an amount of a lakh or more has two commas: 1,50,000
  const second = cellText(from, at + 2).trim();
  const isLakh = !isLonger && HUNDREDS.test(first) && THOUSANDS.test(second);
  const rest = isLakh ? first + second : first;
  const cut = { begin, rest, isLonger };
  const told = field ? toldByField(cut, field) : toldByColumn(cut, from.columns[at + 1] ?? "");
  if (told === undefined) return undefined;
  const more = rest.length <= 2 ? `${begin}.${rest}` : begin + rest;
  const found = isLakh ? `"${first},${second}"` : `"${first}"`;
  const fault = faultOfCell({ row, place: amount, index, hasCells: true }, begin, { code: "amount_cut", found, more });
  return told === "surely" ? fault : { ...fault, level: "warning" };
}

interface Cut {
  readonly begin: string;
  readonly rest: string;
  readonly isLonger: boolean;
}

type Told = "surely" | "perhaps" | undefined;

/** The field whose words may be codes. */
const CODED = "purpose";

function toldByField({ begin, rest, isLonger }: Cut, { name, kind, required }: Field): Told {
  if (kind !== "text" && kind !== "id") return undefined;
  // a single digit may be a code
  if (isLonger) return required || rest.length > 1 ? "surely" : "perhaps";
  if (required && NO_WORD.test(rest)) return "surely";
  const isThousands = rest.length > 2 && FEW.test(begin) && kind === "text";
  if (isThousands && name !== CODED && ROUND.test(rest)) return "surely";
  if (!required && NO_TEXT.test(rest)) return "perhaps";
  return isThousands && (name !== CODED || ROUND.test(rest)) ? "perhaps" : undefined;
}

const NUMBER_COLUMN = /code|num|(?:^|[^a-z])(?:no|nr|id|pin|ext)(?:$|[^a-z])|ref|branch|dept/i;
const TEXT_COLUMN = /remark|note|narration|descri|detail|particular|comment|memo|message|text|reason|status|name/i;

/** What digits behind the amount tell in a column of the user's own. */
function toldByColumn({ begin, rest, isLonger }: Cut, column: string): Told {
  const isThousands = rest.length > 2 && FEW.test(begin);
  if (isThousands && ROUND.test(rest)) return NUMBER_COLUMN.test(column) ? "perhaps" : "surely";
  if (isLonger) return rest.length > 1 ? "perhaps" : undefined;
  return isThousands && TEXT_COLUMN.test(column) ? "perhaps" : undefined;
}
