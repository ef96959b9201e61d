import type { FileFormat } from "../../format.ts";
import type { Field, Form, Operation } from "../../operations/operation.ts";
import { workbookOf } from "../../workbook/write.ts";

/** Two made-up rows that differ in what makes a payment. `EXAMPLE` stands in each: outside the sandbox it is refused. */
const EXAMPLES: Readonly<Record<string, readonly [string, string]>> = {
  debit_account_id: ["ACC-OPS-01", "ACC-OPS-01"],
  bene_id: ["BENE-0001", "BENE-0002"],
  bene_bank_id: ["101", "102"],
  amount: ["1250.00", "1750.00"],
  payment_mode: ["NEFT", "NEFT"],
  narration: ["EXAMPLE salary November", "EXAMPLE salary November"],
  purpose: ["salary", "salary"],
  notes: ["", ""],
  name: ["EXAMPLE Asha Rao", "EXAMPLE Ravi Nair"],
  mobile: ["9800000001", "9800000002"],
  email: ["asha@example.com", "ravi@example.com"],
  bank_id: ["", ""],
  bank_acc_num: ["501000000001", "501000000002"],
  ifsc_code: ["EXMP0000001", "EXMP0000002"],
  bank_owner_name: ["EXAMPLE Asha Rao", "EXAMPLE Ravi Nair"],
  from_account: ["EXAMPLE-OPS-01", "EXAMPLE-OPS-01"],
  to_account: ["EXAMPLE-SAVINGS-01", "EXAMPLE-SAVINGS-02"],
  borrower_id: ["EXAMPLE-BORROWER-01", "EXAMPLE-BORROWER-02"],
  tenure: ["12", "24"],
  currency: ["INR", "INR"],
  vpa: ["EXAMPLE-1@bank", "EXAMPLE-2@bank"],
  expiry: ["", ""],
};

/** A header and two example rows. `sheetName`: what the settings say a workbook's sheet is called. */
export function templateFile(
  operation: Operation,
  form: Form,
  format: FileFormat,
  sheetName: string | undefined,
): string | Uint8Array {
  const rows = [exampleRow(form, 0), exampleRow(form, 1)];
  switch (format) {
    case "csv":
      return csvFile(form, rows);
    case "json":
      return `${JSON.stringify(objectsOf(form, rows), undefined, 2)}\n`;
    case "jsonl":
      return objectsOf(form, rows)
        .map((object) => `${JSON.stringify(object)}\n`)
        .join("");
    case "xlsx":
      return workbookFile(operation, form, rows, sheetName);
    default:
      return format satisfies never;
  }
}

function exampleRow(form: Form, which: 0 | 1): string[] {
  return form.fields.map((field) => EXAMPLES[field.name]?.[which] ?? field.default ?? "");
}

/** With a byte order mark and CRLF, the only CSV that Excel takes for UTF-8 by itself. No cell needs quotes. */
function csvFile(form: Form, rows: readonly (readonly string[])[]): string {
  const header = form.fields.map((field) => field.name);
  return `\ufeff${[header, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("")}`;
}

function objectsOf(form: Form, rows: readonly (readonly string[])[]): object[] {
  return rows.map((cells) => {
    const filled = form.fields
      .map((field, index) => [field, cells[index] ?? ""] as const)
      .filter(([, cell]) => cell !== "");
    return Object.fromEntries(filled.map(([field, cell]) => [field.name, isNumber(field) ? JSON.rawJSON(cell) : cell]));
  });
}

function isNumber(field: Field): boolean {
  return field.kind === "amount" || field.kind === "number" || field.kind === "integer";
}

/** Every column is formatted as Text down to the last row, so that what is typed or pasted as values stays as it is. */
function workbookFile(
  operation: Operation,
  form: Form,
  rows: readonly (readonly string[])[],
  sheetName = operation.folder,
): Uint8Array {
  const header = form.fields.map((field) => field.name);
  const widths = form.fields.map(({ name }) => (/name|email|narration|notes/.test(name) ? 26 : 20));
  const explained = form.fields.map((field) => [field.name, field.required ? "yes" : "no", meaningOf(field)]);
  const notes = notesOn(operation, form).map((note) => ["", "", note]);
  return workbookOf([
    { name: sheetName, header, widths, rows },
    {
      name: "How to fill in",
      header: ["Column", "Required", "What stands in it"],
      widths: [22, 12, 110],
      rows: [...explained, [], ...notes],
    },
  ]);
}

function meaningOf({ name, kind, shape, default: usual }: Field): string {
  const more = usual === undefined ? "" : ` If it is empty, ${usual} is sent.`;
  if (shape === "ifsc") return "Branch code: 4 letters, a zero, 6 letters or digits.";
  if (kind === "amount") return "Digits with at most one point: 52250.00. No separators, no currency sign.";
  if (kind === "number" || kind === "integer") return `A whole number in digits.${more}`;
  if (name === "mobile") return "Digits, with + and the country in front if you like.";
  if (kind === "id") return "Exactly as it is, leading zeros too. The column is formatted as Text: leave it so.";
  return `Text.${more}`;
}

/** What a person should know who fills it in. */
export function notesOn(operation: Operation, form: Form): readonly string[] {
  const optional = form.fields.filter((field) => !field.required).map((field) => field.name);
  const unknown =
    operation.name === "payout"
      ? "payment_mode, bank_id, lengths of narration, purpose and notes: the interface shows no allowed values (§2.6); ask the service."
      : "the interface does not show which fields are required, nor units of amount, expiry and tenure (§2.6, §4); they travel as written.";
  return [
    `Replace both rows: a row that still says EXAMPLE is sent only to the sandbox.`,
    ...(optional.length > 0 ? [`May stay empty: ${optional.join(", ")}.`] : []),
    `Not known: ${unknown}`,
    "You may add the columns reference (your own id per row, never reused) and period (such as 2026-11); they are not sent.",
  ];
}
