import { listed } from "../../text/counted.ts";
import { OPERATION_NAMES, operationSaid } from "../../operations/catalogue.ts";
import type { Form, Operation } from "../../operations/operation.ts";
import type { Row } from "../../reader/row.ts";
import { cellText, isFilled } from "./cell.ts";
import { positionIn, type ColumnPlan } from "../columns.ts";
import type { Finding } from "../sentences.ts";

const WORDS = listed(OPERATION_NAMES, "or");

/** The operation of a row by its own cell, where the file has a column for it; otherwise the stated one. */
export function operationOfRow(row: Row, plan: ColumnPlan, stated: Operation | undefined): Operation | Finding {
  const said = cellText(row, positionIn(plan, "operation")).trim();
  if (said === "") return stated ?? { code: "operation_cell_empty", found: WORDS };
  const operation = operationSaid(said);
  if (!operation) return { code: "operation_unknown_word", found: WORDS };
  return stated && operation !== stated ? { code: "operation_contradicted", found: stated.folder } : operation;
}

/** A form, and the file's columns for fields that only this form has. */
export interface FormInFile {
  readonly form: Form;
  readonly own: readonly { readonly name: string; readonly index: number }[];
}

/** The forms of an operation that a file has own columns for; all forms where it has none. */
export function formsInFile(operation: Operation, plan: ColumnPlan): readonly FormInFile[] {
  const forms = operation.forms.map((form) => {
    const others = operation.forms.filter((other) => other !== form).flatMap((other) => other.fields);
    const own = form.fields
      .filter((field) => !others.some((other) => other.name === field.name))
      .map((field) => ({ name: field.name, index: positionIn(plan, field.name) }))
      .filter(({ index }) => index >= 0);
    return { form, own };
  });
  const inFile = forms.filter(({ own }) => own.length > 0);
  return inFile.length > 0 ? inFile : forms;
}

/** Of several forms the one whose own fields hold values. A finding where both do, or neither: a person must say. */
export function formOfRow<F extends FormInFile>(row: Row, forms: readonly F[]): F | Finding {
  const [only] = forms;
  if (only && forms.length === 1) return only;
  let found: F | undefined;
  for (const one of forms) {
    if (!one.own.some(({ index }) => isFilled(row, index))) continue;
    if (found) return { code: "option_both", found: filledNames(row, forms) };
    found = one;
  }
  return found ?? { code: "option_neither", found: neitherNames(forms) };
}

function filledNames(row: Row, forms: readonly FormInFile[]): string {
  return forms
    .map(({ own }) => own.filter(({ index }) => isFilled(row, index)).map(({ name }) => name))
    .map((names) => names.join(", "))
    .join(" and ");
}

function neitherNames(forms: readonly FormInFile[]): string {
  return forms.flatMap(({ form }) => form.beneficiaryFields).join(", ");
}
