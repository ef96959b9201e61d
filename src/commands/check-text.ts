import type { Fault } from "../checks/fault.ts";
import type { CheckReport } from "../results/check-report.ts";
import { basename } from "node:path";
import { printable } from "../printable.ts";
import { mappingObject, mappingText } from "../results/mapping-words.ts";
import { rowRanges } from "../results/row-ranges.ts";

/** One thing to say about one row. */
interface Complaint {
  readonly row: number;
  /** What is alike is told together. */
  readonly kind: string;
  readonly place: string;
  readonly message: string;
  readonly hint: string;
}

const SHOWN_OF_A_KIND = 5;

/** What `check` tells a person: the file, the first five complaints of each kind, the counts. */
export function checkText(report: CheckReport): string {
  const file = printable(basename(report.file));
  const columns = `${report.columnsKnown} of ${report.columnsAll} columns known`;
  const lines = [`${file}   ${report.operation}   ${columns}   ${rowsOf(report.rows)}   ${report.total}`];
  if (report.mapping) lines.push(printable(mappingText(report.mapping)));
  for (const alike of grouped(complaintsOf(report))) lines.push(...told(file, alike));
  lines.push(...capText(report));
  lines.push(...report.remarks.map((remark) => `${file}: ${printable(remark)}`));
  const counts = COUNTS.flatMap(([word, key]) => (report[key].rows > 0 ? [`${report[key].rows} ${word}`] : []));
  if (report.warned > 0) counts.push(`${report.warned} to look at`);
  lines.push(`${counts.length > 0 ? counts.join("   ") : "nothing to send"}        nothing was sent`);
  return lines.map((line) => `${line}\n`).join("");
}

/** The report lists the first rows of a long list of complaints; the counts are of all. */
function capText({ faults, holds, warnings, invalid, held, warned }: CheckReport): string[] {
  const left = invalid.rows - faults.length + (held.rows - holds.length) + (warned - warnings.length);
  return left > 0 ? [`  and ${left} more rows that are not listed; correct these first`] : [];
}

const COUNTS = [
  ["ready", "ready"],
  ["invalid", "invalid"],
  ["held", "held"],
  ["accepted before", "duplicate"],
] as const;

/** One object per row that is not ready, one per warning, the last one the summary. Amounts are strings. */
export function checkObjects(report: CheckReport): Record<string, unknown>[] {
  const invalid = report.faults.map(({ row, faults }) => ({ type: "row", row, status: "invalid", faults }));
  const held = report.holds.map(({ row, code, message, hint }) => ({
    type: "row",
    row,
    status: "held",
    code,
    message,
    hint,
  }));
  const warnings = report.warnings.flatMap((one) =>
    one.warnings.map(({ code, column, cell, message, hint }) => ({
      type: "warning",
      row: one.row,
      code,
      column,
      cell,
      message,
      hint,
    })),
  );
  const tallies = COUNTS.map(([, key]) => [key, report[key]] as const);
  const summary = {
    type: "summary",
    file: report.file,
    operation: report.operation,
    exit_code: report.exitCode,
    rows: { total: report.rows, ...Object.fromEntries(tallies.map(([key, tally]) => [key, tally.rows])) },
    warned: report.warned,
    amount: { total: report.total, ...Object.fromEntries(tallies.map(([key, tally]) => [key, tally.amount])) },
    remarks: report.remarks,
    ...(report.mapping ? { mapping: mappingObject(report.mapping) } : {}),
  };
  return [...invalid, ...held, ...warnings, summary];
}

function complaintsOf(report: CheckReport): Complaint[] {
  const invalid = report.faults.flatMap(({ row, faults }) => faults.map((fault) => complaintOf(row, fault)));
  const held = report.holds.map(({ row, code, message, hint }) => ({
    row,
    kind: `held ${code}`,
    place: `row ${row}`,
    message: `held: ${message}`,
    hint,
  }));
  const warned = report.warnings.flatMap(({ row, warnings }) => warnings.map((warning) => complaintOf(row, warning)));
  return [...invalid, ...held, ...warned];
}

function complaintOf(row: number, fault: Fault): Complaint {
  const cell = fault.cell === undefined ? "" : ` (${fault.cell})`;
  const column = fault.column === undefined ? "" : `, column ${fault.column}${cell}`;
  return {
    row,
    kind: `${fault.level ?? ""} ${fault.code} ${fault.column ?? ""}`,
    place: `row ${row}${column}`,
    message: fault.level === "warning" ? `look at this: ${fault.message}` : fault.message,
    hint: fault.hint,
  };
}

function grouped(complaints: readonly Complaint[]): Complaint[][] {
  return [...Map.groupBy(complaints, (complaint) => complaint.kind).values()];
}

/** The arrow line stands once below complaints that share it. */
function told(file: string, alike: readonly Complaint[]): string[] {
  const shown = alike.slice(0, SHOWN_OF_A_KIND);
  const lines = shown.flatMap(({ place, message, hint }, index) => {
    const line = `${file}: ${printable(place)}: ${printable(message)}`;
    return hint === "" || shown[index + 1]?.hint === hint ? [line] : [line, `  → ${printable(hint)}`];
  });
  const rest = alike.slice(SHOWN_OF_A_KIND).map((complaint) => complaint.row);
  if (rest.length > 0)
    lines.push(`  and ${rest.length} more ${rest.length === 1 ? "row" : "rows"}: ${rowRanges(rest)}`);
  return lines;
}

function rowsOf(count: number): string {
  return `${count} ${count === 1 ? "row" : "rows"}`;
}
