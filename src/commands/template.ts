import { OPERATION_NAMES, operationSaid } from "../operations/catalogue.ts";
import type { Field, Form, Operation } from "../operations/operation.ts";
import { loadConfig } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import type { Call } from "./command.ts";

/** A file to fill in on stdout, and nothing else there; what the interface leaves open goes to stderr. */
export function run(call: Call): Promise<number> {
  const config = loadConfig({ flags: call.flags, env: call.env, secrets: "ignore" });
  const operation = operationOf(call.operands[0] ?? "");
  const form = formOf(operation, call.flags["option"]);
  const rows = [exampleRow(form, 0), exampleRow(form, 1)];
  call.stdout.write(config.json ? jsonFile(form, rows) : csvFile(form, rows));
  if (!config.quiet)
    call.stderr.write(
      notes(operation, form)
        .map((note) => `${note}\n`)
        .join(""),
    );
  return Promise.resolve(0);
}

function operationOf(said: string): Operation {
  const found = operationSaid(said);
  if (found) return found;
  throw new PaydropError("usage", `there is no operation "${said}"`, `write one of ${OPERATION_NAMES.join(", ")}`);
}

function formOf(operation: Operation, option: unknown): Form {
  const options = operation.forms.flatMap((form) => form.option ?? []);
  if (option !== undefined && options.length === 0) {
    throw new PaydropError("usage", `a ${operation.name} has no options`, "leave out --option");
  }
  const wanted = typeof option === "string" ? option.toUpperCase() : options.at(-1);
  const found = operation.forms.find((form) => form.option === wanted);
  if (found) return found;
  throw new PaydropError("usage", `there is no option "${String(option)}"`, `write --option ${options.join(" or ")}`);
}

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

function exampleRow(form: Form, which: 0 | 1): string[] {
  return form.fields.map((field) => EXAMPLES[field.name]?.[which] ?? field.default ?? "");
}

/** With a byte order mark and CRLF, the only CSV that Excel takes for UTF-8 by itself. No cell needs quotes. */
function csvFile(form: Form, rows: readonly (readonly string[])[]): string {
  const header = form.fields.map((field) => field.name);
  return `\ufeff${[header, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("")}`;
}

function jsonFile(form: Form, rows: readonly (readonly string[])[]): string {
  const objects = rows.map((cells) => {
    const filled = form.fields
      .map((field, index) => [field, cells[index] ?? ""] as const)
      .filter(([, cell]) => cell !== "");
    return Object.fromEntries(filled.map(([field, cell]) => [field.name, isNumber(field) ? JSON.rawJSON(cell) : cell]));
  });
  return `${JSON.stringify(objects, undefined, 2)}\n`;
}

function isNumber(field: Field): boolean {
  return field.kind === "amount" || field.kind === "number" || field.kind === "integer";
}

function notes(operation: Operation, form: Form): string[] {
  const optional = form.fields.filter((field) => !field.required).map((field) => field.name);
  const open =
    operation.name === "payout"
      ? "payment_mode, bank_id, lengths of narration, purpose and notes: the interface shows no allowed values (§2.6); ask the service."
      : "the interface does not show which fields are required, nor units of amount, expiry and tenure (§2.6, §4); they travel as written.";
  return [
    `Replace both rows: a row that still says EXAMPLE is sent only to the sandbox.`,
    ...(optional.length > 0 ? [`May stay empty: ${optional.join(", ")}.`] : []),
    `Not known: ${open}`,
    "You may add the columns reference (your own id per row, never reused) and period (such as 2026-11); they are not sent.",
  ];
}
