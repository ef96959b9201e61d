import { canonicalAmount, formatUnits, PLAIN_DECIMAL, SUMMABLE, unitsOf } from "../amount.ts";
import { wireAmount } from "./cells/amount-unit.ts";
import type { Field, Form, Operation } from "../operations/operation.ts";
import type { Row } from "../reader/row.ts";
import { withoutTextMark } from "../text/spreadsheet-text.ts";
import { cellText, fieldText, positionOf, withoutSpacesAround } from "./cells/cell.ts";
import { canonicalOf } from "./compile.ts";
import { columnOf, shownValue } from "./fault-of.ts";

/** What a row is that corrects one of an earlier batch: its `retry_of` says so, and there is such a row. */
export interface Correction {
  readonly of: RowName;
  /** How it differs from that row, masked (I10); left out where that row's file cannot be read any more. */
  readonly changes?: readonly Change[];
  /** It pays, or may pay, another payee than that row did. */
  readonly payeeChanged: boolean;
  /** The period of that row by the journal, where it is another one than was stated for this file. */
  readonly period?: string;
}

/** How a row differs from the one that it corrects. */
interface Comparison extends Required<Omit<Correction, "of" | "period">> {
  /** An id that lacks zeros which it has in front in the other row: a spreadsheet took them, no person does. */
  readonly zerosGone?: { readonly field: Field; readonly zeros: string };
  /** Fields that are written in another way, even where the value is the same: `100` and `100.00`. */
  readonly rewritten: readonly FieldInFile[];
  /** Fields whose value is as it was, and is text now where the workbook of the other row held a number. */
  readonly madeText: readonly FieldInFile[];
  /** Columns that say who is paid, and were empty in the other row: it may have had no payee that could change. */
  readonly filledIn: readonly string[];
}

/** One of our fields, and its column in the file of the row that is corrected. */
export interface FieldInFile {
  readonly name: string;
  readonly column: string;
}

export interface RowName {
  readonly batch: string;
  readonly row: number;
}

/** One field before and after, masked as faults are. */
export interface Change {
  /** The column by the file's own header; in a mapped file with our name in brackets. */
  readonly column: string;
  readonly from: string;
  readonly to: string;
}

/** The row that a text such as `K7Q29F3M:14` names, as the retry file writes it; undefined for anything else. */
export function rowNamed(text: string): RowName | undefined {
  const [, batch, row] = /^([0-9A-Z]{8}):([1-9][0-9]{0,8})$/.exec(text.toUpperCase()) ?? [];
  return batch === undefined ? undefined : { batch, row: Number(row) };
}

/** Our own columns that are not sent, and make a payment another one. */
const OWN: readonly Field[] = (["reference", "period"] as const).map((name) => ({ name, kind: "id", required: false }));

/**
 * What in a row is not as it was in the row that it corrects: in fields that are sent, and in columns by which
 * duplicates are found. Other columns are left out: nobody knows what in them must be masked. Both rows are given under
 * the names of our fields. `areValid`: both rows are, so that what stands as their amount is one.
 */
export function compareWithOrigin(
  now: Row,
  origin: Row,
  operation: Operation,
  { form, areValid }: { readonly form: Form | undefined; readonly areValid: boolean },
): Comparison {
  const changes: Change[] = [];
  const rewritten: FieldInFile[] = [];
  const madeText: FieldInFile[] = [];
  const filledIn: string[] = [];
  let payeeChanged = false;
  let zerosGone: Comparison["zerosGone"];
  for (const field of [...fieldsOf(operation), ...OWN]) {
    const from = writtenIn(origin, field);
    const to = writtenIn(now, field);
    const inFile = (): FieldInFile => ({ name: field.name, column: columnOf(origin, field) });
    if (from !== to) rewritten.push(inFile());
    else if (isTextNow(now, origin, field)) madeText.push(inFile());
    if (from === to || valueOf(from, field, origin) === valueOf(to, field, now)) continue;
    const pair =
      areValid && isHiddenAmount(field, from, to)
        ? { from: sentAs(from, origin), to: sentAs(to, now) }
        : maskedPair(field, from, to);
    changes.push({ column: columnOf(now, field), ...pair });
    const zeros = isKept(field) ? zerosTaken(from, to) : undefined;
    if (zeros !== undefined) zerosGone ??= { field, zeros };
    const isPayee = form?.beneficiaryFields.includes(field.name) ?? false;
    if (!isPayee || isOfTheTable(now, origin, field)) continue;
    const canonical = canonicalOf(field) ?? ((text: string): string => text);
    if (canonical(from) === canonical(to)) continue;
    if (from === "") filledIn.push(columnOf(origin, field));
    else payeeChanged = true;
  }
  return { changes, payeeChanged, rewritten, madeText, filledIn, ...(zerosGone ? { zerosGone } : {}) };
}

/** Whether an amount of these rows would be masked for its many digits. */
export function hidesAmount(now: Row, origin: Row, operation: Operation): boolean {
  return fieldsOf(operation).some((field) => isHiddenAmount(field, writtenIn(origin, field), writtenIn(now, field)));
}

function isHiddenAmount(field: Field, ...texts: readonly string[]): boolean {
  return field.kind === "amount" && texts.some((text) => shownValue(field, text) !== text);
}

/** The amount of a valid row as it is sent, in a form of its own: `150000000.00`. */
function sentAs(text: string, row: Row): string {
  const sent = wireAmount(text, row.mapped?.amountUnit ?? "rupees") ?? "";
  return SUMMABLE.test(sent) ? formatUnits(unitsOf(sent)) : text;
}

/** Whether zeros in front matter. They do not in a mobile number, nor in our own columns, which are not sent. */
function isKept(field: Field): boolean {
  return field.kind === "id" && field.sensitive !== "mobile" && !OWN.includes(field);
}

function fieldsOf({ forms }: Operation): readonly Field[] {
  return [...new Map(forms.flatMap(({ fields }) => fields).map((field) => [field.name, field])).values()];
}

/** A field's text without what only a spreadsheet sees; empty for a cell that the mapping could make nothing of. */
function writtenIn(row: Row, field: Field): string {
  if (row.mapped?.faults.has(positionOf(row, field.name))) return "";
  const text = withoutSpacesAround(withoutTextMark(fieldText(row, field.name), field.kind !== "text"));
  return text === "" ? (field.default ?? "") : text;
}

function isTextNow(now: Row, origin: Row, { name }: Field): boolean {
  const [cell, before] = [now.cells[positionOf(now, name)], origin.cells[positionOf(origin, name)]];
  return typeof cell === "string" && typeof before === "object" && before.token === "cell_number";
}

/** What a field is compared by: `100` and `100.00` are the same amount; the same digits in another unit are not. */
function valueOf(text: string, { kind }: Field, row: Row): string {
  if (kind !== "amount" || !PLAIN_DECIMAL.test(text)) return text;
  const sent = wireAmount(text, row.mapped?.amountUnit ?? "rupees");
  return sent === undefined ? `not an amount: ${text}` : canonicalAmount(sent);
}

/** Whether only the lookup table changed: it now has what it lacked, and the row's own cell is as it was. */
function isOfTheTable(now: Row, origin: Row, field: Field): boolean {
  if (!origin.mapped?.faults.has(positionOf(origin, field.name))) return false;
  return sourceOf(now, field) === sourceOf(origin, field);
}

function sourceOf(row: Row, field: Field): string | undefined {
  const at = row.mapped?.at[positionOf(row, field.name)] ?? -1;
  return row.mapped && at >= 0 ? withoutSpacesAround(cellText(row.mapped.from, at)) : undefined;
}

function maskedPair(field: Field, from: string, to: string): Omit<Change, "column"> {
  const pair = { from: shownValue(field, from), to: shownValue(field, to) };
  if (pair.from !== pair.to) return pair;
  const taken = zerosTaken(from, to) ?? (from === `+${to}` ? "+" : undefined);
  const how = `the ${taken} in front of it ${taken === "0" || taken === "+" ? "is" : "are"} gone`;
  return { from: pair.from, to: `${pair.to} (${taken === undefined ? "another one where it is hidden" : how})` };
}

/** The zeros in front of `from` that `to` lacks, if nothing else differs: a spreadsheet takes them off a number. */
function zerosTaken(from: string, to: string): string | undefined {
  const [, zeros = "", rest = ""] = /^(0+)([1-9][0-9]*)$/.exec(from) ?? [];
  return zeros !== "" && rest === to ? zeros : undefined;
}
