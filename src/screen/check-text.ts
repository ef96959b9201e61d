import { basename } from "node:path";
import type { CheckedFile } from "../events.ts";
import { counted } from "../messages/sentence.ts";
import { STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { remarkTexts } from "../results/summary.ts";
import { occurringIn } from "../results/totals.ts";
import { styled, textOf, type Look } from "./look.ts";
import { faultLines, periodPart, sumsTable } from "./summary-text.ts";

/** What goes in a run. */
interface Going {
  readonly toSend: number;
  readonly toSendTotal: string;
  readonly resumed: boolean;
}

/** What `check` tells of a file: what was read, its sums, the first complaints of each kind, the counts. */
export function checkText(checked: CheckedFile, look: Look): string {
  const { byStatus, pointedOutCount } = checked;
  const wordOf = (status: keyof typeof STATUSES): string => (status === "not_sent" ? "ready" : STATUSES[status].word);
  const counts = occurringIn(byStatus).map(([status, { rows }]) => `${rows} ${wordOf(status)}`);
  if (pointedOutCount > 0) counts.push(`${pointedOutCount} to look at`);
  const last = `${counts.join("   ") || "nothing to send"}        nothing was sent`;
  return textOf([...linesOf(checked, [], [], look), styled("bold", last, look)]);
}

/** The beginning of a run: what was read, where it goes, the sums, what is pointed out and what does not go. */
export function openingText(
  checked: CheckedFile,
  batch: string,
  { toSend, toSendTotal, resumed }: Going,
  look: Look,
): string {
  const { total, destination, environment } = checked;
  const to = `to ${printable(destination)} (${environment})`;
  const going = `${counted(toSend)} of ${total.rows}, ${toSendTotal}, will be sent in this run`;
  const lines = linesOf(checked, [`batch ${batch}${resumed ? ", going on" : ""}`], [to], look);
  return textOf([...lines, ...(toSend === total.rows ? [] : [going])]);
}

/** The last line before a person says yes: how many, how much, from where, to where. */
export function questionText(checked: CheckedFile, { toSend, toSendTotal }: Omit<Going, "resumed">): string {
  const { operation, accounts, destination, environment } = checked;
  const [first] = accounts;
  const from = first ? ` from ${accounts.length === 1 ? first.account : counted(accounts.length, "account")}` : "";
  const where = `${printable(destination)}${environment === "test" ? " (test)" : ""}`;
  return `Send ${counted(toSend)} (${operation}), ${toSendTotal}${from}, to ${where}? Type yes:`;
}

/** What was read; then what stops a row, what waits, and what is only pointed out, each line to be copied alone. */
function linesOf(checked: CheckedFile, more: readonly string[], below: readonly string[], look: Look): string[] {
  const { file, operation, period, mapping, control, total, accounts, remarks } = checked;
  const name = printable(basename(file));
  const read = mapping === undefined ? [] : [`mapping ${printable(mapping)}`];
  const stated = [control?.rows === undefined ? "" : counted(control.rows), control?.total ?? ""].filter(Boolean);
  const nobody = "nobody stated any; compare rows and amount with where the file came from";
  const said = stated.length > 0 ? `equal ${stated.join(" and ")}, as stated` : nobody;
  const kinds = [
    ["", "invalid", checked.invalid, checked.invalidCount],
    ["held: ", "held", checked.held, checked.heldCount],
    ["look at this: ", "such", checked.pointedOut, checked.pointedOutCount],
  ] as const;
  return [
    [name, operation, ...periodPart(period), ...read, ...more].join("   "),
    ...sumsTable(accounts, total, look),
    `  control totals: ${said}`,
    ...below,
    ...kinds.flatMap(([word, kind, faults, count]) => {
      const others = count - new Set(faults.map(({ row }) => row)).size;
      const rest = others > 0 ? [`  and ${counted(others, `more ${kind} row`)}`] : [];
      return [...faultLines(faults, `${name}: ${word}`), ...rest];
    }),
    ...remarkTexts(remarks).map((text) => `${name}: ${printable(text)}`),
  ];
}
