import { mask, maskAccountId, maskStray, maskStrayAmount } from "../mask.ts";
import { fieldsOf } from "../operations/index.ts";
import { printable } from "../printable.ts";
import { inColumns } from "./look.ts";
import type { Proposal, ProposalClues } from "../reader/propose.ts";

/** What a person looks at before they confirm a mapping: each column, what it would be, why, and its first values. */
export function proposalText(file: string, { columns, values }: ProposalClues, proposal: Proposal): string {
  const { operation, form, unit } = proposal;
  const heading = ["their column", "our field", "why", "first values"];
  const rows = [heading, ...columns.flatMap((column, at) => linesOf(column, values[at] ?? [], proposal))];
  const counted =
    unit && `amounts are ${unit.unit} (${unit.why})${unit.unit === "paise" ? ": a hundredth is sent" : ""}`;
  const lines = [
    `${file}   read as ${form.option === undefined ? operation : `${operation}, option ${form.option}`}`,
    ...inColumns(rows).map((line) => `  ${line}`),
    ...(counted ? [counted] : []),
  ];
  return lines.map((line) => `${printable(line)}\n`).join("");
}

function linesOf(column: string, values: readonly string[], proposal: Proposal): string[][] {
  const first = [...new Set(values)].slice(0, 2);
  const shown = (field: string): string => first.map((value) => masked(value, field, proposal)).join(", ");
  const [meaning, ...more] = proposal.columns.filter((one) => one.column === column);
  if (meaning) {
    const { field, why } = meaning;
    return [[column, field, why, shown(field)], ...more.map((one) => ["", one.field, one.why, ""])];
  }
  const unclear = proposal.unclear.find((one) => one.columns.includes(column))?.field;
  if (unclear !== undefined) return [[column, "-", `may be ${unclear}, as another may; not read`, shown(unclear)]];
  const used = [...proposal.mustBe.map((one) => one.column), ...proposal.lookups.map(({ by }) => by)];
  const what = used.includes(column) ? "is looked at, not sent" : "stays in the results, not sent";
  return [[column, "-", what, shown("")]];
}

function masked(value: string, name: string, { form, mustBe }: Proposal): string {
  const field = fieldsOf(form).find((one) => one.name === name);
  if (field?.sensitive === "account") return maskAccountId(value);
  if (field?.sensitive) return mask(value, field.sensitive);
  if (field?.kind === "amount" || AMOUNT.test(value)) return maskStrayAmount(value);
  const isTaken = mustBe.some(({ values }) => values.includes(value));
  const isKnown = field !== undefined || isTaken || /^[0-9.,-]*$/.test(value);
  return printable(isKnown ? maskStray(value) : mask(value, value.includes("@") ? "email" : "name"), 20);
}

/** Other columns of amounts are shown whole: a person compares them with the column that is read. */
const AMOUNT = /^[0-9]{1,12}\.[0-9]{2}$/;
