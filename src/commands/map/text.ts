import { mask, maskAccountId, maskStray, maskStrayAmount, type Sensitivity } from "../../text/mask.ts";
import type { Field } from "../../operations/operation.ts";
import { printable } from "../../text/printable.ts";
import type { Proposal } from "../../reader/mapping/propose.ts";
import type { ProposalClues, ProposedColumn } from "../../reader/mapping/propose-columns.ts";
import { lookOf } from "../../reader/mapping/synonyms.ts";
import { folded } from "../../results/screen/folded.ts";
import { roomOf, type Look } from "../../results/screen/look.ts";

/** What a person looks at before they confirm a mapping: each column, what it would be, why, and its first values. */
export function proposalText(
  file: string,
  { columns, values, template }: Pick<ProposalClues, "columns" | "values" | "template">,
  proposal: Proposal,
  look: Look,
): string {
  const { operation, form } = proposal;
  const what = form.option === undefined ? operation : `${operation}, option ${form.option}`;
  const rows = columns.flatMap((column, index) => rowsOf(column, values[index] ?? [], proposal));
  const limits = template
    ? [`the template of ${template.title}:`, ...template.limits.map((limit) => `  ${limit}`)]
    : [];
  const lines = [`${file}   read as ${what}`, ...table(rows, roomOf(look)), ...othersOf(proposal), ...limits];
  return folded(lines.map((line) => `${printable(line)}\n`).join(""), look);
}

/** What in a proposal does not come from a column alone, a line each. */
function othersOf(proposal: Proposal): string[] {
  const { constants, lookups, mustBe, unit } = proposal;
  const lines = Object.entries(constants).map(([field, value]) => {
    return `${field} is the same in every row: ${masked(value, fieldOf(proposal, field))}`;
  });
  for (const { fields, file, by } of lookups) {
    lines.push(`${Object.keys(fields).join(", ")} come from the table ${file}, by "${by}"`);
  }
  for (const { column, values } of mustBe) {
    const words = values.map((value) => (value === "" ? "empty" : value));
    lines.push(`"${column}" must be ${words.join(" or ")}; other rows are faults`);
  }
  const converted = unit?.unit === "paise" ? ": a hundredth of each is sent" : "";
  if (unit) lines.push(`amounts are ${unit.unit} (${unit.why})${converted}`);
  return lines;
}

type Line = readonly [column: string, field: string, why: string, values: string];

function rowsOf(column: string, values: readonly string[], proposal: Proposal): Line[] {
  const meanings = proposal.columns.filter((one) => one.column === column);
  if (meanings.length === 0)
    return [[column, "-", roleOf(column, values, proposal), shownStrangers(column, values, proposal)]];
  return meanings.map((one, index) =>
    index === 0 ? [column, one.field, one.why, shown(values, proposal, one)] : ["", one.field, one.why, ""],
  );
}

function roleOf(column: string, values: readonly string[], { mustBe, lookups, unclear }: Proposal): string {
  if (lookups.some(({ by }) => by === column)) return "is looked up in a table";
  if (mustBe.some((one) => one.column === column)) return "is checked, not sent";
  const maybe = unclear.filter((one) => one.columns.includes(column)).map(({ field }) => field);
  if (maybe.length > 0) return `may be ${maybe.join(" or ")}, as another may; not read`;
  return isAmount(values) ? "looks like an amount; not sent" : "stays in the results, not sent";
}

function isAmount(values: readonly string[]): boolean {
  return lookOf("amount", values) !== undefined;
}

const VALUES_SHOWN = 2;
const VALUE_CHARACTERS_MAX = 20;

function shown(values: readonly string[], proposal: Proposal, { field }: ProposedColumn): string {
  const first = firstOf(values).map((value) => masked(value, fieldOf(proposal, field)));
  return first.join(", ");
}

/** The values that a guard allows are no secret: they stand in paydrop.toml. */
function shownStrangers(column: string, values: readonly string[], { mustBe }: Proposal): string {
  const allowed = mustBe.find((one) => one.column === column)?.values ?? [];
  // other columns of amounts are shown whole: a person compares them with the column that is read
  const isShown = (value: string): boolean => allowed.includes(value) || isAmount(values);
  const first = firstOf(values).map((value) => (isShown(value) ? value : maskedStranger(value)));
  return first.join(", ");
}

function firstOf(values: readonly string[]): readonly string[] {
  return [...new Set(values)].slice(0, VALUES_SHOWN);
}

function fieldOf({ form }: Proposal, name: string): Field | undefined {
  return form.fields.find((field) => field.name === name);
}

function masked(value: string, field: Field | undefined): string {
  const text = field?.sensitive === undefined ? maskedNumber(value, field) : maskedAs(value, field.sensitive);
  return printable(text, VALUE_CHARACTERS_MAX);
}

function maskedAs(value: string, sensitivity: Sensitivity): string {
  return sensitivity === "account" ? maskAccountId(value) : mask(value, sensitivity);
}

/** A value of a column without a meaning: it may be anything. */
function maskedStranger(value: string): string {
  if (value.includes("@")) return mask(value, "email");
  return /\d{5}|(?:\d[ -]?){9}/.test(value)
    ? mask(value, "account")
    : printable(/^[\d.,-]*$/.test(value) ? value : mask(value, "name"));
}

function maskedNumber(value: string, field: Field | undefined): string {
  if (field?.kind === "amount" && maskStrayAmount(value) === value) return value;
  return /\d{9}/.test(value) ? mask(value, "account") : maskStray(value);
}

const HEADING: Line = ["their column", "our field", "why", "first values"];

/** Columns side by side where there is room; else a few lines for each column of theirs, one below the other. */
function table(rows: readonly Line[], room: number): string[] {
  const widths = HEADING.map((_, at) =>
    Math.min(40, Math.max(...[HEADING, ...rows].map((row) => (row[at] ?? "").length))),
  );
  const lines = [HEADING, ...rows].map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd(),
  );
  return lines.every((line) => line.length <= room) ? lines : rows.flatMap(stacked);
}

function stacked([column, field, why, values]: Line): string[] {
  const meaning = field === "-" ? why : `${field}, ${why}`;
  return [
    ...(column === "" ? [] : [`  ${column}`]),
    `    → ${meaning}`,
    ...(values === "" ? [] : [`    first values ${values}`]),
  ];
}
