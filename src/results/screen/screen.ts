import { counted } from "../../text/counted.ts";
import { minuteOf } from "../../day.ts";
import type { AccountTotals, BatchReport, RunEvent } from "../../events.ts";
import type { ResultStatus } from "../../journal/state.ts";
import { printable } from "../../text/printable.ts";
import { correctionLines } from "../words/correction-words.ts";
import { folded, foldedLine } from "./folded.ts";
import { durationText, inLook, roomOf, signOf, SIGNS, styled, type Look } from "./look.ts";
import { mappingText } from "../words/mapping-words.ts";
import { nextSteps } from "../words/next-steps.ts";
import { isLeftUnsent, rejectedNote, occurringIn, rowsIn, statusNote } from "../words/status.ts";
import { tallyTable, type TallyLine } from "./tally-table.ts";
import { repeatingFlags } from "../words/told-commands.ts";

const ACCOUNTS_SHOWN = 20;
const LABEL_WIDTH = 11;

/** The end of a run as a person reads it: what became of every row, where the files are, what to do next. */
export function summaryText(report: BatchReport, look: Look): string {
  const { batch, file, period, durationMs, requests, stop, phase, remarks } = report;
  const lines = [`batch ${batch}   ${printable(file)}${periodText(period)}   ${durationText(durationMs)}`];
  const hadStopped = isLeftUnsent(phase, requests) ? "nothing was sent" : "stopped before the end";
  if (stop) lines.push(styled("yellow", `${hadStopped}: ${printable(stop.message)}`, look));
  if (report.sentBefore !== undefined) lines.push(styled("bold", sentBeforeText(report, report.sentBefore), look));
  lines.push(...statusTable(report, look), ...accountLines(report, look));
  const below = [
    ...fileLines(report, look),
    ...remarks.flatMap((remark) => labelled("note", [printable(remark)], look)),
    ...labelled("next", nextSteps(report), look),
  ];
  return [folded(lines.join("\n"), look), ...below.map((line) => inLook(line, look))]
    .map((line) => `${line}\n`)
    .join("");
}

/** The one word that tells two payments of one file apart. */
function periodText(period: string | undefined): string {
  return period === undefined ? "" : `   period ${printable(period)}`;
}

/** Without it the table below would read as if this run had sent the rows. */
function sentBeforeText({ total, byStatus }: BatchReport, takenAt: number): string {
  const settled = rowsIn(byStatus, "settled_done");
  const isAll = settled + rowsIn(byStatus, "accepted", "duplicate") === total.rows;
  const how = settled === 0 ? "accepted" : settled === total.rows ? "settled as done" : "accepted or settled as done";
  const hadNone = rowsIn(byStatus, "invalid", "held", "duplicate") === total.rows;
  const some = hadNone ? "no row of it can go as it is" : "what could go had gone before";
  const what = isAll ? `every row was ${how} before` : some;
  return `nothing was sent in this run: ${what}; the file was taken in on ${minuteOf(takenAt)}`;
}

/** The beginning of a run: what was read, and the sum per debit account. */
export function openingText(start: Extract<RunEvent, { type: "start" }>, look: Look): string {
  const lines = [
    `${printable(start.file)}${periodText(start.period)}   ${start.operation}   batch ${start.batch}${start.resumed ? ", going on" : ""}`,
    `to ${printable(start.destination)}`,
    ...(start.mapping ? [printable(mappingText(start.mapping))] : []),
    ...accountTable(start, look),
  ];
  if (start.corrections) lines.push(...correctionLines(start.corrections).map((line) => printable(line)));
  if (start.toSend !== start.rows) lines.push(`${counted(start.toSend)} of ${start.rows} will be sent in this run`);
  return `${folded(lines.join("\n"), look)}\n`;
}

function noteOf(status: ResultStatus, { byStatus, goesAgain = 0, phase }: BatchReport): string {
  if (status !== "rejected") return statusNote(status, phase);
  return rejectedNote(byStatus.rejected?.rows ?? 0, goesAgain, phase);
}

function statusTable(report: BatchReport, look: Look): string[] {
  const { total, byStatus } = report;
  const lines = occurringIn(byStatus).map(([status, tally]): TallyLine => {
    const name = `${signOf(status, look)} ${status}`;
    return { name, tally, note: noteOf(status, report), style: SIGNS[status].style };
  });
  const last: TallyLine = { name: "total", tally: total, note: "equals the file", style: "bold" };
  return tallyTable([...lines, last], { heading: { name: "", amount: "amount" }, notesWithin: look.width }, look);
}

/** Where there are several debit accounts: what the file takes from each, and what of that was accepted. */
function accountLines({ accounts }: BatchReport, look: Look): string[] {
  if (accounts.length < 2) return [];
  const shown = accounts.slice(0, ACCOUNTS_SHOWN);
  const lines = shown.map(({ account, total, byStatus }) => ({
    name: account,
    tally: total,
    note: `${byStatus.accepted?.amount ?? "0.00"} accepted`,
  }));
  const more = accounts.length - shown.length;
  const table = tallyTable(lines, { heading: { name: "from", amount: "amount" } }, look);
  return more > 0 ? [...table, moreAccounts(more)] : table;
}

/** Rows and amount per debit account, and of the whole file. */
export function accountTable(
  start: Pick<Extract<RunEvent, { type: "start" }>, "rows" | "total" | "accounts" | "mapping">,
  look: Look,
): string[] {
  const shown: readonly AccountTotals[] = start.accounts.slice(0, ACCOUNTS_SHOWN);
  const lines: TallyLine[] = shown.map(({ account, total }) => ({ name: account, tally: total }));
  const more = start.accounts.length - shown.length;
  const last: TallyLine = { name: "total", tally: { rows: start.rows, amount: start.total }, style: "bold" };
  const heading = { name: "", amount: start.mapping?.amount ? AS_SENT : IN_THE_FILE };
  return tallyTable([...lines, more > 0 ? { ...last, above: moreAccounts(more) } : last], { heading }, look);
}

function moreAccounts(more: number): string {
  return `  and ${more} more accounts`;
}

/** The interface shows no unit of an amount (§4). */
const IN_THE_FILE = "amount, as in the file";
const AS_SENT = "amount, as it is sent";

function fileLines({ files }: BatchReport, look: Look): string[] {
  const lines: string[] = [];
  if (files.elsewhere !== undefined) lines.push(...labelled("attention", [printable(files.elsewhere)], look));
  if (files.results !== undefined) lines.push(...labelled("results", [printable(files.results)], look));
  if (files.kept !== undefined) lines.push(...labelled("kept", [`${printable(files.kept)}   changed by hand`], look));
  if (files.retry !== undefined) {
    const rows = files.retryRows === undefined ? "" : `   ${counted(files.retryRows)}`;
    lines.push(...labelled("correct", [`${printable(files.retry)}${rows}`], look));
  }
  return lines;
}

/** The label before the first line, the others below it; where that leaves too little room, the label stands alone. */
function labelled(label: string, texts: readonly string[], look: Look): string[] {
  const room = roomOf(look);
  const lines = texts.map((text) => repeatingFlags(text, look.again));
  const beside = lines.flatMap((line) => foldedLine(line, room - LABEL_WIDTH));
  if (beside.every((line) => line.length + LABEL_WIDTH <= room)) {
    return beside.map((line, index) => `${(index === 0 ? label : "").padEnd(LABEL_WIDTH)}${line}`);
  }
  return [label, ...lines.flatMap((line) => foldedLine(`  ${line}`, room))];
}
