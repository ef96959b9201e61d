import type { AccountTotals, BatchReport, RunEvent } from "../events.ts";
import type { ResultStatus } from "../journal/state.ts";
import type { Tally } from "../journal/store.ts";
import { printable } from "../printable.ts";
import { durationText, inLook, signOf, SIGNS, styled, wrapped, type Look } from "./look.ts";
import { correctionLines } from "./correction-words.ts";
import { mappingText } from "./mapping-words.ts";
import { counted, nextSteps } from "./next-steps.ts";
import { RESULT_STATUSES, STATUS_NOTES } from "./status.ts";

const ACCOUNTS_SHOWN = 20;
const LABEL_WIDTH = 11;

/** The end of a run as a person reads it: what became of every row, where the files are, what to do next. */
export function summaryText(report: BatchReport, look: Look): string {
  const { batch, file, durationMs, stop, remarks } = report;
  const lines = [`batch ${batch}   ${printable(file)}   ${durationText(durationMs)}`];
  if (stop) lines.push(styled("yellow", `stopped before the end: ${printable(stop.message)}`, look));
  lines.push(...statusTable(report, look), ...accountLines(report), ...fileLines(report));
  for (const remark of remarks) lines.push(...labelled("note", wrapped(printable(remark), look.width - LABEL_WIDTH)));
  lines.push(...labelled("next", nextSteps(report)));
  return `${inLook(lines.join("\n"), look)}\n`;
}

/** The beginning of a run: what was read, and the sum per debit account. */
export function openingText(start: Extract<RunEvent, { type: "start" }>, look: Look): string {
  const lines = [
    `${printable(start.file)}   ${start.operation}   batch ${start.batch}${start.resumed ? ", going on" : ""}`,
    `to ${printable(start.destination)}`,
    ...(start.mapping ? [printable(mappingText(start.mapping))] : []),
    ...accountTable(start, look),
  ];
  if (start.corrections) lines.push(...correctionLines(start.corrections).map((line) => printable(line)));
  if (start.toSend !== start.rows) lines.push(`${counted(start.toSend)} of ${start.rows} will be sent in this run`);
  return `${inLook(lines.join("\n"), look)}\n`;
}

/** A row that was refused for the key or the address needs no correction: the next run sends it. */
function noteOf(status: ResultStatus, { stop, byStatus, files }: BatchReport): string {
  const isForTheKey = stop?.code === "key_refused" || stop?.code === "address_refused";
  const toCorrect = (files.retryRows ?? 0) - (byStatus.invalid?.rows ?? 0);
  return status === "rejected" && isForTheKey && toCorrect <= 0
    ? "not for its own sake: goes again with the next run"
    : STATUS_NOTES[status];
}

function statusTable(report: BatchReport, look: Look): string[] {
  const { total, byStatus } = report;
  const present = RESULT_STATUSES.filter((status) => (byStatus[status]?.rows ?? 0) > 0);
  const names = present.map((status) => `${signOf(status, look)} ${status}`);
  const columns = columnsOf("amount", [...names, "total"], [total, ...present.map((status) => byStatus[status])]);
  const lines = [columns.line("", "rows", "amount")];
  for (const [index, status] of present.entries()) {
    const tally = byStatus[status] ?? NONE;
    const line = columns.line(names[index] ?? "", String(tally.rows), tally.amount);
    lines.push(...withNote(styled(SIGNS[status].style, line, look), line.length, noteOf(status, report), look));
  }
  const line = columns.line("total", String(total.rows), total.amount);
  return [...lines, ...withNote(styled("bold", line, look), line.length, "equals the file", look)];
}

/** Where there are several debit accounts: what the file takes from each, and what of that was accepted. */
function accountLines({ accounts }: BatchReport): string[] {
  if (accounts.length < 2) return [];
  const shown = accounts.slice(0, ACCOUNTS_SHOWN);
  const more = accounts.length - shown.length;
  const names = shown.map(({ account }) => account);
  const columns = columnsOf(
    "amount",
    names,
    shown.map(({ total }) => total),
  );
  return [
    columns.line("from", "rows", "amount"),
    ...shown.map(({ account, total, byStatus }) => {
      const line = columns.line(account, String(total.rows), total.amount);
      return `${line}   ${byStatus.accepted?.amount ?? "0.00"} accepted`;
    }),
    ...(more > 0 ? [`  and ${more} more accounts`] : []),
  ];
}

/** Rows and amount per debit account, and of the whole file. */
export function accountTable(
  start: Pick<Extract<RunEvent, { type: "start" }>, "rows" | "total" | "accounts" | "mapping">,
  look: Look,
): string[] {
  const total: Tally = { rows: start.rows, amount: start.total };
  const shown: readonly AccountTotals[] = start.accounts.slice(0, ACCOUNTS_SHOWN);
  const heading = start.mapping?.amount ? AS_SENT : IN_THE_FILE;
  const columns = columnsOf(heading, ["total", ...shown.map(({ account }) => account)], [total]);
  const more = start.accounts.length - shown.length;
  const totalLine = columns.line("total", String(total.rows), total.amount);
  return [
    columns.line("", "rows", heading),
    ...shown.map((account) => columns.line(account.account, String(account.total.rows), account.total.amount)),
    ...(more > 0 ? [`  and ${more} more accounts`] : []),
    styled("bold", totalLine, look),
  ];
}

/** The interface shows no unit of an amount (§4). */
const IN_THE_FILE = "amount, as in the file";
const AS_SENT = "amount, as it is sent";

const NONE: Tally = { rows: 0, amount: "0.00" };

/** Three columns, as narrow as their widest values allow. */
function columnsOf(
  heading: string,
  names: readonly string[],
  tallies: readonly (Tally | undefined)[],
): { line: (name: string, rows: string, amount: string) => string } {
  const all = tallies.flatMap((tally) => tally ?? []);
  const nameWidth = Math.max(14, ...names.map((name) => name.length));
  const rowsWidth = Math.max("rows".length, ...all.map(({ rows }) => String(rows).length));
  const amountWidth = Math.max(heading.length, 14, ...all.map(({ amount }) => amount.length));
  return {
    line: (name, rows, amount) =>
      `  ${name.padEnd(nameWidth)}  ${rows.padStart(rowsWidth)}  ${amount.padStart(amountWidth)}`.trimEnd(),
  };
}

/** The note beside the line, or below it where the terminal is narrow. */
function withNote(line: string, lineWidth: number, note: string, look: Look): string[] {
  if (lineWidth + 3 + note.length <= look.width) return [`${line}   ${styled("dim", note, look)}`];
  return [line, ...wrapped(note, look.width - 4).map((part) => `    ${styled("dim", part, look)}`)];
}

function fileLines({ files }: BatchReport): string[] {
  const lines: string[] = [];
  if (files.elsewhere !== undefined) lines.push(...labelled("attention", [printable(files.elsewhere)]));
  if (files.results !== undefined) lines.push(...labelled("results", [printable(files.results)]));
  if (files.retry !== undefined) {
    const rows = files.retryRows === undefined ? "" : `   ${counted(files.retryRows)}`;
    lines.push(...labelled("correct", [`${printable(files.retry)}${rows}`]));
  }
  return lines;
}

/** The label before the first line, the others below it. */
function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? label : "").padEnd(LABEL_WIDTH)}${line}`);
}
