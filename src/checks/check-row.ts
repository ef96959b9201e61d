import { isMoneyBack, SUMMABLE } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import { FileRefusedError } from "../errors.ts";
import { maskStrayAmount } from "../mask.ts";
import type { Fault } from "../messages/sentence.ts";
import { OPERATION_NAMES, operationNamed, operationSaid, type OperationName } from "../operations/index.ts";
import { printable } from "../printable.ts";
import { OWN_COLUMNS, type Columns } from "../reader/columns.ts";
import type { Row } from "../reader/row.ts";
import { headerAgain, underTable } from "../reader/lines.ts";
import { contentOf, contentOfCells, type Content } from "./as-it-was.ts";
import { ownReader, type Own } from "./beside.ts";
import { faultAt, readAt, wordsAt, type FileKind } from "./cells.ts";
import {
  canonical,
  formsInFile,
  paymentText,
  pointThousands,
  readAmount,
  refusal,
  TAKES_BACK,
  writtenAs,
  zerosOf,
} from "./form.ts";
import type { FormInFile, Values } from "./form.ts";
import { isNothing } from "./not-a-value.ts";
import type { OpenedFile } from "./open-file.ts";
import { faultBeside, otherColumns } from "./other-columns.ts";
import { personReader, type Person } from "./person.ts";
import { lookAtRow, type FileLook } from "./point-out.ts";
import { rivalsOf, type Questions } from "./questions.ts";

/** What the checks say of one row. Its texts are in clear: they are never logged, and stored only in the spool. */
export interface CheckedRow extends Readonly<Own> {
  readonly row: Row;
  /** Only of a valid row. */
  readonly instruction?: {
    /** Compact JSON (§5.2 step 1) with the fields in the order of §2; amounts keep the very digits of the file. */
    readonly payload: string;
    /** What makes it the same payment as another (README §2), canonical. */
    readonly payment: string;
  };
  /** Why it is invalid; empty for a valid one. */
  readonly faults: readonly Fault[];
  /** What a person should look at; the row goes all the same. */
  readonly notices: readonly Fault[];
  /** A column says that it is not to go now (`not_now`). */
  readonly notNow?: Fault;
  /** These also of an invalid row, as far as they can be told. */
  readonly operation?: OperationName;
  readonly option?: "A" | "B";
  /** Plain decimal text, as it is sent. */
  readonly amount?: string;
  readonly debit?: string;
  /** Who receives or owes the money, canonical; and how many zeros stand in front of it, where any do. */
  readonly payee?: string;
  readonly zeros?: number;
  /** How the payee is written, where otherwise than in that one spelling (README §7). */
  readonly payeeAs?: string;
  /** The last four of its account or id. */
  readonly last4?: string;
  /** Whom it speaks of. */
  readonly person?: Person;
  /** Of a valid row: what is sent. Of an invalid one, or one that may correct one: what stands in its cells. */
  readonly sent?: Content;
  readonly cells?: Content;
}

/** What is the same for all rows of a file. */
export interface FileCheck extends FileKind {
  readonly opened: OpenedFile;
  readonly config: Config;
  /** The day of now, `2026-11-27`. */
  readonly today: string;
  /** The day of a moment, in the zone of the settings. */
  readonly inZone: (atMs: number) => string;
  /** Is told of every valid row. */
  readonly look: FileLook;
  /** What the file says in two ways. */
  readonly questions: Questions;
}

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
  const whenOf = (name: OperationName): string[] => checkOf(name).others.told.map(({ name: column }) => column);
  const [first = [], ...others] = (operation ? [operation] : OPERATION_NAMES).map(whenOf);
  return {
    /** Columns that say when or whether a row is to be paid, whatever operation it is. */
    whenColumns: first.filter((column) => others.every((columns) => columns.includes(column))),
    check(row: Row): CheckedRow {
      const said = operationOfRow(row, columns, file);
      const checked: CheckedRow =
        typeof said === "string"
          ? checkRow(row, checkOf(said), file)
          : { row, faults: [said], notices: [], ...(operation === undefined ? {} : { operation }) };
      if (checked.instruction && !checked.retryOf) return checked;
      return { ...checked, cells: contentOfCells(row, file.isTable) };
    },
  };
}

export type RowCheck = ReturnType<typeof createRowCheck>;

function operationOfRow(row: Row, { sources }: Columns, { opened, isTable }: FileCheck): OperationName | Fault {
  if (row.repeatedKey !== undefined) {
    return { code: KEY_REPEATED, row: row.number, facts: { key: printable(row.repeatedKey, 40) } };
  }
  const { operation } = opened;
  const source = sources.get("operation");
  if (!source && operation) return operation;
  const text = wordsAt(row, source?.at);
  const said = operationSaid(text)?.name;
  const found = operation ?? said;
  if (found !== undefined && (found === said || text === "")) return found;
  const facts = { known: operation ?? OPERATION_NAMES.join(", ") };
  return faultAt(row, { name: "operation", kind: "text", source }, { code: "operation_unclear", facts }, isTable);
}

type OperationCheck = ReturnType<typeof operationCheck>;

function operationCheck(name: OperationName, columns: Columns, file: FileCheck) {
  const { opened, config } = file;
  const { option, mustBe = [] } = opened.mapping ?? {};
  const forms = formsInFile(operationNamed(name), columns, config);
  const fields = forms.flatMap((form) => form.fields.map((field) => field.name));
  const used = new Set([...fields, ...OWN_COLUMNS].flatMap((field) => columns.sources.get(field)?.at ?? []));
  const own = [...config.own_columns, ...mustBe.map(({ column }) => column)];
  const others = otherColumns(columns.names, used, own);
  // who owes money is told by other things, and loses nothing by another account
  const isPaying = operationNamed(name).party === "payee";
  const days = others.when.filter(({ meaning }) => meaning === "day").map(({ source }) => source.at);
  const taken = new Set([...used, ...days]);
  return {
    ...{
      name,
      readOwn: ownReader(columns, file),
      personOf: isPaying ? personReader(columns) : undefined,
      faultsOf: columns.faultsOf,
    },
    forms: forms.filter(({ form }) => option === undefined || form.option === option),
    rivals: new Map(forms.map((form) => [form, opened.mapping ? [] : rivalsOf(columns, form, taken, own)])),
    amount: columns.sources.get("amount"),
    ...{ others, amountUnit: columns.amountUnit },
  };
}

function checkRow(row: Row, check: OperationCheck, file: FileCheck): CheckedRow {
  const operation = check.name;
  const form = formOfRow(row, check.forms);
  if ("code" in form)
    return noPayment(row, file) ?? { row, operation, faults: [...backOf(row, check, file), form], notices: [] };
  const { values, faults } = readFields(row, form, file);
  const own = check.readOwn(row, faults);
  if (check.faultsOf) faults.push(...check.faultsOf(row));
  const amount = values[form.amount.nth];
  file.questions.compare(row, check.rivals.get(form) ?? [], values, file.isTable);
  const { isTable, today, inZone } = file;
  const beside = { isTable, today, inZone, amount, amountUnit: check.amountUnit };
  const money = faultBeside(row, check.others.money, beside);
  if (money) faults.push(money);
  const payee = values[form.payee.nth];
  const other = faults.length > 0 && !/[0-9]/.test(payee ?? "") ? noPayment(row, file) : undefined;
  if (other) return other;
  // by the first one the journal finds it again
  if (faults.length > 1) faults.sort((one, two) => Number(two.code === TAKES_BACK) - Number(one.code === TAKES_BACK));
  const { option } = form.form;
  const debit = form.debit && values[form.debit.nth];
  const checked: Writable<CheckedRow> = { row, operation, faults, notices: lookAtRow(row, form, values, file), ...own };
  if (option !== undefined) checked.option = option;
  // the journal adds up in 64 bits: what has more digits than any setting allows is no amount
  if (amount !== undefined && SUMMABLE.test(amount) && amount.length <= 19) checked.amount = amount;
  if (debit !== undefined) checked.debit = debit;
  if (check.personOf) checked.person = check.personOf(row);
  if (payee === undefined || faults.some(({ facts }) => facts?.["field"] === form.payee.name)) return checked;
  const spelled = canonical(form.payee, payee);
  checked.payee = form.payees + spelled;
  if (form.payee.shape !== "vpa" && spelled.length > 4) checked.last4 = spelled.slice(-4);
  const zeros = zerosOf(form.payee, payee);
  if (zeros > 0) checked.zeros = zeros;
  const payeeAs = writtenAs(form.payee, payee, spelled, zeros);
  if (payeeAs !== undefined) checked.payeeAs = payeeAs;
  if (faults.length > 0 || amount === undefined) return checked;
  const later = faultBeside(row, check.others.when, beside);
  if (later?.code === TAKES_BACK) return { ...checked, faults: [later] };
  if (later) checked.notNow = later;
  file.questions.period(row, own.period ?? file.opened.period);
  file.look.add(row, form, checked.payee, values);
  // who loses or gets zeros in front may be another payee: that is asked about
  checked.sent = contentOf(values, `${form.payees}${zeros}.`);
  checked.instruction = { payload: payloadOf(form, values), payment: paymentText(form, checked.payee, values) };
  return checked;
}

/** Of a row that says nobody to pay: it may take from somebody all the same. */
function backOf(row: Row, { amount: source }: OperationCheck, { isTable }: FileCheck): readonly Fault[] {
  const isBack = isMoneyBack(wordsAt(row, source?.at));
  return isBack ? [faultAt(row, { name: "amount", kind: "amount", source }, { code: TAKES_BACK }, isTable)] : [];
}

/** Of several forms the one whose own fields hold values. A fault where both do, or neither: a person must say. */
function formOfRow(row: Row, forms: readonly FormInFile[]): FormInFile | Fault {
  const [only] = forms;
  if (only && forms.length === 1) return only;
  const isFilled = (at: number): boolean => !isNothing(wordsAt(row, at));
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
function readFields(row: Row, form: FormInFile, { opened, config, isWorkbook, isTable }: FileCheck) {
  const values: (string | undefined)[] = [];
  const faults: Fault[] = [];
  for (const field of form.fields) {
    const { source } = field;
    const read = readAt(row, field, isWorkbook);
    const isAmount = field === form.amount && typeof read === "string" && read !== "";
    const sent = isAmount ? readAmount(read, typeof row.cells[source?.at ?? -1] !== "object", form) : read;
    let value = sent === "" ? field.default : sent;
    let finding = typeof value === "object" ? value : undefined;
    if (typeof value === "string") finding = refusal(value, field, form);
    else if (value === undefined && field.required) finding = { code: "value_missing" };
    const merged = row.merged?.get(source?.at ?? -1);
    if (merged === "columns" || (merged && isAmount)) finding = { code: "merged_cell" };
    // where a semicolon stands between cells, a comma is more often a decimal sign, and a point separates thousands
    const isAsked = isAmount && /^(?:not_a_number|amount_too_many_decimals)$/.test(finding?.code ?? "");
    if (isAsked && opened.table.reading.delimiter === ";")
      finding = pointThousands(read, config.amount_decimals_max) ?? finding;
    // an export's word for nothing, where nothing may stand
    const isLeftOut = finding?.code === "placeholder" && !field.required && typeof read === "string" && isNothing(read);
    if (isLeftOut) [value, finding] = [field.default, undefined];
    // of an amount that may be a thousand times as much no sum is made
    values.push(typeof value === "string" && finding?.code !== "point_thousands" ? value : undefined);
    if (!finding) continue;
    // what stands there, where another text is sent
    const written = typeof read === "string" && (source?.give || sent !== read) ? read : undefined;
    faults.push(faultAt(row, field, finding, isTable, written));
  }
  return { values, faults };
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
  const fault = { code: NO_PAYMENT, row: row.number, facts: { what, value: maskStrayAmount(first) } };
  return { row, faults: [fault], notices: [] };
}

/** The fault of a row of JSON that says something twice. */
export const KEY_REPEATED = "key_repeated";
/** The fault of a row under the table that is no payment: nobody misses its amount. */
export const NO_PAYMENT = "no_payment";

/** All characters that JSON escapes. */
const ESCAPED = /["\\\u0000-\u001f\u2028\u2029\ud800-\udfff]/;

/** Compact JSON (§5.2 step 1) with the fields in the order of §2; numbers keep the very digits of the file. */
function payloadOf({ fields }: FormInFile, values: Values): string {
  // put together once: of a text that grows bit by bit every step would be kept
  const pieces = ["{"];
  for (const { nth, key, isText, sendsEmpty } of fields) {
    const value = values[nth] ?? (sendsEmpty ? "" : undefined);
    if (value === undefined) continue;
    if (pieces.length > 1) pieces.push(",");
    if (!isText) pieces.push(key, value);
    else if (ESCAPED.test(value)) pieces.push(key, JSON.stringify(value));
    else pieces.push(key, '"', value, '"');
  }
  pieces.push("}");
  return pieces.join("");
}
