import type { Row } from "../reader/row.ts";
import type { CompiledForm } from "./compile.ts";
import { faultOfCell } from "./fault-of.ts";
import type { Fault } from "./fault.ts";

/** What a comma cuts off an amount: its decimals, or its thousands. */
const CUT_OFF = /^(?:[0-9]{2}|[0-9]{3}(?:\.[0-9]+)?)$/;
/** These are no words that a service asks for, such as a payment mode; a purpose may well be the code 00. */
const NO_WORD = /^(?:00|000|[0-9]{3}\.[0-9]+)$/;
const NO_TEXT = /^[0-9]{3}\.[0-9]+$/;
const WHOLE = /^[0-9]+$/;

/**
 * `100,50` outside quotes in a CSV file is two cells: 100 would be sent, and what follows stands one column too far. A row
 * tells of it that had more cells than the header, the last ones empty, or that has such digits where a word is required.
 * In a text that may be left out, or in a column that is not ours, they may be meant: there they are only pointed out.
 */
export function lookForCut(row: Row, { fields, amountAt }: CompiledForm): Fault | undefined {
  const { field: amount, index = -1 } = fields[amountAt] ?? {};
  const from = row.mapped?.from ?? row;
  const at = row.mapped ? (row.mapped.at[index] ?? -1) : index;
  const next = from.cells[at + 1];
  if (amount === undefined || at < 0 || typeof next !== "string") return undefined;
  const rest = next.trim();
  const isLonger = from.wasLonger?.delimiter === ",";
  if (!CUT_OFF.test(rest)) return undefined;
  const cell = from.cells[at];
  const begin = typeof cell === "string" ? cell.trim() : "";
  if (!WHOLE.test(begin)) return undefined;

  const position = row.mapped ? row.mapped.at.indexOf(at + 1) : at + 1;
  const field = fields.find((one) => one.index === position)?.field;
  const isText = field?.kind === "text" || field?.kind === "id";
  if (field ? !isText : !isLonger) return undefined;
  const isRequired = field?.required === true;
  if (!isLonger && !(isRequired ? NO_WORD : NO_TEXT).test(rest)) return undefined;
  const more = rest.length === 2 ? `${begin}.${rest}` : begin + rest;
  const fault = faultOfCell(row, amount, index, begin, { code: "amount_cut", found: `"${rest}"`, more }, true);
  const isSure = isLonger ? field !== undefined : isRequired;
  return isSure ? fault : { ...fault, level: "warning" };
}
