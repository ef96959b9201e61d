import { fieldsToFill } from "../../config/mapping.ts";
import { saysRupeesAlone } from "../../currency.ts";
import { PaydropError } from "../../errors.ts";
import { isOfParty } from "../../operations/catalogue.ts";
import type { Proposal } from "../../reader/mapping/propose.ts";
import type { ProposalClues } from "../../reader/mapping/propose-columns.ts";
import { printable, quotedNames } from "../../text/printable.ts";
import { normalizeName } from "../../text/names.ts";

/** `--set bank_acc_num=COLUMN`, as one word of a shell. */
export function setFlag(field: string, column: string): string {
  const pair = `${field}=${printable(column)}`;
  return `--set ${/^[\w./=-]+$/.test(pair) ? pair : `"${pair}"`}`;
}

/** What gives a field that must differ from row to row. */
export function wayToColumn(field: string): string {
  // the ids of beneficiaries are the service's: files of other systems seldom have them
  if (field.startsWith("bene_")) return `--lookup ${field}=TABLE.csv:COLUMN --lookup-by COLUMN`;
  return `--set ${field}=COLUMN`;
}

/** What somebody said to be the same in every row. */
interface SaidConstant {
  /** Where they said it: `--const bank_acc_num`, or the question for a field. */
  readonly from: string;
  readonly field: string;
  readonly value: string;
}

/**
 * Throws `usage` for a value that cannot be meant for every row of every file: it would pay everybody to one account, or
 * be wrong in the next month. `sayColumn`: how the column is named there.
 */
export function assertConstant(
  { from, field, value }: SaidConstant,
  columns: readonly string[],
  sayColumn: (field: string, column: string) => string,
): void {
  const name = normalizeName(value);
  const column = columns.find((one) => name !== "" && normalizeName(one) === name);
  if (column !== undefined) {
    const message = `${from}: ${quotedNames([column])} is a column of the file; as a value it would be the ${field} of every row`;
    throw new PaydropError("usage", message, `write ${sayColumn(field, column)}`);
  }
  const why = whyNot(field);
  if (why) throw new PaydropError("usage", `${from}: ${why.message}`, why.hint);
}

/**
 * Throws `usage` for a field that somebody filled and that the rows do not have: what they said would be dropped without
 * a word, and with the currency of the amounts another amount would be sent.
 */
export function assertHasFields({ operation, form }: Proposal, { constants, set }: ProposalClues): void {
  const fields = fieldsToFill([form]);
  const isRupees = (field: string): boolean => field === "currency" && saysRupeesAlone(constants[field] ?? "?");
  const constant = Object.keys(constants).find((field) => !fields.includes(field) && !isRupees(field));
  const field = constant ?? Object.keys(set).find((one) => !fields.includes(one));
  if (field === undefined) return;
  const option = form.option === undefined ? "" : ` of option ${form.option}`;
  const flag = constant === undefined ? "--set" : "--const";
  const message = `${flag} ${field}: a ${operation}${option} has no ${field}`;
  if (field !== "currency") throw new PaydropError("usage", message, "leave it out");
  const column = set[field];
  const hint =
    column === undefined
      ? "pay what is in another currency another way"
      : `leave it out; with ${quotedNames([column])} = ["INR"] under must_be of the mapping other rows are faults`;
  throw new PaydropError("usage", `${message}: amounts are sent as they stand, as rupees`, hint);
}

function whyNot(field: string): { readonly message: string; readonly hint: string } | undefined {
  if (isOfParty(field)) {
    const message = `${field} says who receives or owes the money, and one value would be that of every row`;
    return { message, hint: `name what differs from row to row: ${wayToColumn(field)}` };
  }
  if (field === "period") {
    const message = "a mapping is used again for later files, and would call them by this period too";
    return { message, hint: `state it for each file with --period, or name a column: ${wayToColumn(field)}` };
  }
  return undefined;
}
