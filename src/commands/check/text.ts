import { basename } from "node:path";
import { counted } from "../../text/counted.ts";
import { printable } from "../../text/printable.ts";
import type { CheckReport } from "../../results/screen/check-report.ts";
import type { Complaint, ComplaintGroup, ComplaintLevel } from "../../results/words/complaints.ts";
import { styled, wrapped, type Look } from "../../results/screen/look.ts";
import { mappingText } from "../../results/words/mapping-words.ts";
import { accountTable } from "../../results/screen/screen.ts";
import { asInResults } from "../../results/words/status.ts";
import { repeatingFlags } from "../../results/words/told-commands.ts";

/** How the answer looks where it is read. */
export interface CheckLook extends Look {
  /** Each line begins with the name of the file, so that it can be searched and copied alone. */
  readonly namesFile: boolean;
  /** An empty line stands between what is not alike. */
  readonly isAiry: boolean;
}

/** What `check` tells a person: the file, its sums, the first complaints of each kind, the counts. */
export function checkText(report: CheckReport, look: CheckLook): string {
  const file = printable(basename(report.file));
  const lead = look.namesFile ? `${file}: ` : "";
  const blocks = [
    opening(report, file, look),
    ...[...report.control.faults, ...report.caps].map(({ message, hint }) => said(`${lead}${message}`, hint, look)),
    ...report.groups.map((group) => groupText(group, lead, look)),
    report.remarks.flatMap((remark) => said(`${lead}${remark}`, "", look)),
    closing(report, look),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .flatMap((block, index) => (look.isAiry && index > 0 ? ["", ...block] : block))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function opening(report: CheckReport, file: string, look: Look): string[] {
  const { operation, period, columnsKnown, columnsAll, rows, total, control } = report;
  const stated = period === undefined ? [] : [`period ${printable(period)}`];
  const { sources, faults } = control;
  const totals = `control totals: ${
    sources.length === 0
      ? "nobody stated any; compare rows and amount with where the file came from"
      : `${faults.length > 0 ? "DIFFER from" : "equal"} ${sources.join(", ")}`
  }`;
  return [
    ...flowing(
      [file, operation, ...stated, `${columnsKnown} of ${columnsAll} columns known`, counted(rows), total],
      look.width,
    ),
    ...(report.mapping ? wrapped(printable(mappingText(report.mapping)), look.width) : []),
    ...accountTable(report, look),
    ...wrapped(printable(totals), look.width - 2).map((line) => `  ${line}`),
  ];
}

const LEADS: Readonly<Record<ComplaintLevel, string>> = {
  invalid: "",
  held: "held: ",
  warning: "look at this: ",
  corrected: "corrects ",
};

/** The arrow line stands once below complaints that share it. */
function groupText({ level, first, rest, count }: ComplaintGroup, lead: string, look: Look): string[] {
  const lines = first.flatMap((complaint, index) => {
    const hint = first[index + 1]?.hint === complaint.hint ? "" : complaint.hint;
    return said(`${lead}${placeOf(complaint)}: ${LEADS[level]}${complaint.message}`, hint, look);
  });
  const more = count - first.length;
  if (more > 0) lines.push(...indented(`and ${more} more ${more === 1 ? "row" : "rows"}: ${rest.toString()}`, look));
  return lines;
}

function placeOf({ row, column, cell }: Complaint): string {
  if (column === undefined) return `row ${row}`;
  return `row ${row}, column ${column}${cell === undefined ? "" : ` (${cell})`}`;
}

function said(message: string, hint: string, look: Look): string[] {
  const told = (text: string): string => repeatingFlags(printable(text), look.again);
  const [head = "", ...more] = wrapped(told(message), look.width - 2);
  const lines = [head, ...more.map((line) => `  ${line}`)];
  return hint === "" ? lines : [...lines, ...indented(`→ ${told(hint)}`, look)];
}

function indented(text: string, look: Look): string[] {
  return wrapped(text, look.width - 4).map((line, index) => (index === 0 ? `  ${line}` : `    ${line}`));
}

const COUNTS = [
  ["ready", "ready"],
  ["invalid", "invalid"],
  ["held", "held"],
  ["accepted before", "duplicate"],
] as const;

function closing(report: CheckReport, look: Look): string[] {
  const counts = COUNTS.flatMap(([word, key]) => (report[key].rows > 0 ? [`${report[key].rows} ${word}`] : []));
  for (const status of ["rejected", "unknown", "settled_not_done"] as const) {
    const rows = report.taken?.byStatus[status]?.rows ?? 0;
    if (rows > 0) counts.push(`${rows} ${asInResults(status)}`);
  }
  if (report.warned > 0) counts.push(`${report.warned} to look at`);
  if (counts.length === 0) counts.push("nothing to send");
  if (report.control.faults.length + report.caps.length > 0) counts.push("the file would be refused as a whole");
  const lines = flowing([...counts, "     nothing was sent"], look.width);
  return lines.map((line) => styled("bold", line, look));
}

/** Parts side by side, as many on a line as fit. */
function flowing(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of parts) {
    if (line !== "" && line.length + 3 + part.length > width) {
      lines.push(line);
      line = `  ${part.trimStart()}`;
    } else line = line === "" ? part : `${line}   ${part}`;
  }
  return [...lines, line];
}
