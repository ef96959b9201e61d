import { safeParse } from "zod/mini";
import { SUMMABLE } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import { FileRefusedError } from "../errors.ts";
import { maskStrayAmount } from "../mask.ts";
import type { Fault } from "../messages/sentence.ts";
import { OPERATION_NAMES, operationNamed, operationSaid, type OperationName } from "../operations/index.ts";
import { printable } from "../printable.ts";
import { OWN_COLUMNS, type Columns } from "../reader/columns.ts";
import type { Row } from "../reader/row.ts";
import { headerAgain, underTable } from "../reader/lines.ts";
import { faultBeside, otherColumns, readOwn, type OtherColumn } from "./beside.ts";
import { cellOf, faultAt, isFinding, readCell, wordsAt } from "./cells.ts";
import type { CheckedRow } from "./checked-row.ts";
import {
  formsInFile,
  payeeText,
  paymentText,
  readAmount,
  refusal,
  schemaFinding,
  type FieldInFile,
  type FormInFile,
} from "./form.ts";
import type { Finding } from "./not-a-value.ts";
import type { OpenedFile } from "./open-file.ts";
import { lookAtRow, type FileLook } from "./point-out.ts";

/** What is the same for all rows of a file. */
export interface FileCheck {
  readonly opened: OpenedFile;
  readonly config: Config;
  /** A table's rows stand below a header, and its cells have names (`G14`). */
  readonly isTable: boolean;
  readonly isWorkbook: boolean;
  /** The day of now, `2026-11-27`. */
  readonly today: string;
  /** Is told of every valid row. */
  readonly look: FileLook;
}

/** How rows of one operation are checked. */
interface OperationCheck {
  readonly name: OperationName;
  readonly forms: readonly FormInFile[];
  readonly others: readonly OtherColumn[];
}

type Values = Record<string, string | undefined>;
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Makes the checks for all rows with one set of columns: what depends on these alone is worked out once. */
export function createRowCheck(names: readonly string[], file: FileCheck) {
  const { operation, plan } = file.opened;
  const columns = plan(names);
  const checks = new Map<OperationName, OperationCheck>();
  const checkOf = (name: OperationName): OperationCheck => {
    const found = checks.get(name) ?? operationCheck(name, columns, file);
    checks.set(name, found);
    return found;
  };
  const { others } = checkOf(operation ?? "payout");
  return {
    /** Columns that say when or whether a row is to be paid. */
    whenColumns: others.filter(({ meaning }) => meaning !== "currency").map(({ column }) => column),
    check(row: Row): CheckedRow {
      const said = operationOfRow(row, columns, file);
      if (typeof said === "string") return checkRow(row, checkOf(said), columns, file);
      return { row, faults: [said], notices: [], ...(operation === undefined ? {} : { operation }) };
    },
  };
}

export type RowCheck = ReturnType<typeof createRowCheck>;

function operationOfRow(row: Row, { sources }: Columns, { opened, isTable }: FileCheck): OperationName | Fault {
  if (row.repeatedKey !== undefined) {
    return { code: "key_repeated", row: row.number, facts: { key: printable(row.repeatedKey, 40) } };
  }
  const source = sources.get("operation");
  const text = wordsAt(row, source?.at);
  const said = operationSaid(text)?.name;
  const { operation } = opened;
  const found = operation ?? said;
  if (found !== undefined && (found === said || text === "")) return found;
  const facts = { known: operation ?? OPERATION_NAMES.join(", ") };
  return faultAt(row, { name: "operation", kind: "text", source }, { code: "operation_unclear", facts }, isTable);
}

function operationCheck(name: OperationName, columns: Columns, { opened, config }: FileCheck): OperationCheck {
  const { option, mustBe = [] } = opened.mapping ?? {};
  const forms = formsInFile(operationNamed(name), columns, config);
  const fields = forms.flatMap((form) => form.fields.map((field) => field.name));
  const used = new Set([...fields, ...OWN_COLUMNS].flatMap((field) => columns.sources.get(field)?.at ?? []));
  return {
    name,
    forms: forms.filter(({ form }) => option === undefined || form.option === option),
    others: otherColumns(columns.names, used, [...config.own_columns, ...mustBe.map(({ column }) => column)]),
  };
}

function checkRow(row: Row, check: OperationCheck, columns: Columns, file: FileCheck): CheckedRow {
  const operation = check.name;
  const form = formOfRow(row, check.forms);
  if ("code" in form) return noPayment(row, file) ?? { row, operation, faults: [form], notices: [] };
  const { values, faults: ofFields } = readFields(row, form, file);
  const { own, faults: ofOwn } = readOwn(row, columns, file);
  const beside = columns.faultsOf?.(row) ?? [];
  const currency = faultBeside(row, check.others, "currency_other", file);
  const faults = [...ofFields, ...ofOwn, ...beside, ...(currency ? [currency] : [])];
  const amount = values[form.amount.name];
  const payee = values[form.payee.name];
  if (faults.length > 0 && !/[0-9]/.test(payee ?? "")) {
    const other = noPayment(row, file);
    if (other) return other;
  }
  const { option } = form.form;
  const debit = form.debit && values[form.debit.name];
  const notices = lookAtRow(row, form, values, file.isTable);
  const checked: Writable<CheckedRow> = { row, operation, faults, notices, ...own };
  if (option !== undefined) checked.option = option;
  if (amount !== undefined && SUMMABLE.test(amount)) checked.amount = amount;
  if (debit !== undefined) checked.debit = debit;
  if (payee !== undefined && !faults.some(({ facts }) => facts?.["field"] === form.payee.name)) {
    checked.payee = payeeText(form, payee);
  }
  if (faults.length > 0 || amount === undefined || checked.payee === undefined) return checked;
  const later = faultBeside(row, check.others, "not_now", file);
  if (later) checked.notNow = later;
  file.look.add(row, form, checked.payee, values);
  checked.instruction = { payload: payloadOf(form, values), payment: paymentText(form, checked.payee, values) };
  return checked;
}

/** Of several forms the one whose own fields hold values. A fault where both do, or neither: a person must say. */
function formOfRow(row: Row, forms: readonly FormInFile[]): FormInFile | Fault {
  const [only] = forms;
  if (only && forms.length === 1) return only;
  const isFilled = (at: number): boolean => wordsAt(row, at) !== "";
  const filled = forms.filter(({ own }) => own.some(isFilled));
  if (filled[0] && filled.length === 1) return filled[0];
  const payees = forms.map(({ payee }) => payee.name).join(", ");
  if (filled.length === 0) return { code: "option_neither", row: row.number, facts: { fields: payees } };
  const names = forms.flatMap(({ own }) => own.filter(isFilled).map((at) => row.columns[at]));
  return { code: "option_both", row: row.number, facts: { filled: printable(names.join(", "), 200) } };
}

/**
 * What goes, or would: also of fields that are wrong, as far as they were text. The schema decides it, and the settings;
 * only where one of them says no, is it found out why.
 */
function readFields(
  row: Row,
  form: FormInFile,
  { isWorkbook, isTable }: FileCheck,
): { readonly values: Values; readonly faults: readonly Fault[] } {
  const values: Values = {};
  const written: Values = {};
  const broken: Record<string, Finding> = {};
  for (const field of form.fields) {
    const read = readField(row, field, form, isWorkbook, written);
    if (typeof read === "string") values[field.name] = read === "" ? field.default : read;
    else broken[field.name] = read;
  }
  const refused = safeParse(form.schema, values).error?.issues.map(({ path }) => path[0]);
  const faults: Fault[] = [];
  for (const field of form.fields) {
    const { name } = field;
    const value = values[name];
    const isRefused = refused?.includes(name) === true;
    let finding = broken[name];
    if (value === undefined) finding ??= isRefused ? { code: "value_missing" } : undefined;
    else finding ??= isRefused ? schemaFinding(value, field) : refusal(value, field, form);
    if (finding) faults.push(faultAt(row, field, finding, isTable, written[name]));
  }
  return { values, faults };
}

/** The text to send; empty where there is none. `written`: is told what stands there, where another text is sent. */
function readField(
  row: Row,
  field: FieldInFile,
  form: FormInFile,
  isWorkbook: boolean,
  written: Values,
): string | Finding {
  const { source, name } = field;
  if (!source) return "";
  const given = cellOf(row, source);
  if (isFinding(given)) return given;
  const text = readCell(given, field, isWorkbook);
  if (typeof text !== "string" || text === "") return text;
  const sent = field === form.amount ? readAmount(text, typeof given === "string", form) : text;
  if (source.give || sent !== text) written[name] = text;
  return sent;
}

/** A row that is no payment at all is told as that, and as nothing else. Throws where another table begins with it. */
function noPayment(row: Row, { opened, isTable }: FileCheck): CheckedRow | undefined {
  const texts = row.cells.map((_, at) => wordsAt(row, at));
  const again = headerAgain(row.columns, texts);
  if (again === "moved" && isTable) {
    throw new FileRefusedError(opened.snapshot.fileName, [{ code: "columns_change", row: row.number }]);
  }
  const what = again === "again" ? "header" : underTable(texts);
  if (what === undefined) return undefined;
  const first = printable(texts.find((text) => text !== "") ?? "", 40);
  return {
    row,
    faults: [{ code: NO_PAYMENT, row: row.number, facts: { what, value: maskStrayAmount(first) } }],
    notices: [],
  };
}

/** The fault of a row under the table that is no payment: nobody misses its amount. */
export const NO_PAYMENT = "no_payment";

/** All characters that JSON escapes. */
const ESCAPED = /["\\\u0000-\u001f\u2028\u2029\ud800-\udfff]/;

/** Compact JSON (§5.2 step 1) with the fields in the order of §2; numbers keep the very digits of the file. */
function payloadOf({ fields }: FormInFile, values: Values): string {
  const members: string[] = [];
  for (const { name, key, isText, sendsEmpty } of fields) {
    const value = values[name];
    if (value === undefined) {
      if (sendsEmpty) members.push(`${key}""`);
    } else if (!isText) members.push(key + value);
    else members.push(key + (ESCAPED.test(value) ? JSON.stringify(value) : `"${value}"`));
  }
  return `{${members.join(",")}}`;
}
