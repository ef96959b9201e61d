import { basename } from "node:path";
import { rowsIn } from "../amount.ts";
import { minuteOf } from "../day.ts";
import type { AccountTotals, BatchReport, CheckedFile, ResultStatus, RunEvent } from "../events.ts";
import type { Tally } from "../journal/store.ts";
import { noteOfTotal, RUN_WORDS } from "../messages/results.ts";
import { counted, todoLine, told, type Told } from "../messages/sentence.ts";
import { noteOf, STATUSES } from "../messages/statuses.ts";
import { formOfPeriod } from "../period.ts";
import { printable } from "../printable.ts";
import { remarkTexts } from "../results/summary.ts";
import { occurringIn } from "../results/totals.ts";
import { faultLines } from "./error-text.ts";
import { durationText, inColumns, labelled, nextLines, SIGNS, styled, textOf, type Look, type Style } from "./look.ts";

/** The end of a run as a person reads it: what became of every row, where the files are, what to do next. */
export function summaryText(report: BatchReport, look: Look): string {
  const { batch, file, operation, destination, period, durationMs, stop, files, remarks, next } = report;
  const { elsewhere, results, retry, retryRows = 0 } = files;
  const notes = remarkTexts(remarks).map((remark) => printable(remark));
  const head = [`batch ${batch}`, operation, printable(file), ...periodPart(period), durationText(durationMs)];
  return textOf([
    head.join("   "),
    ...(stop ? [styled("yellow", printable(stop.text), look)] : []),
    ...beforeLines(report),
    ...statusTable(report, look),
    ...acceptedByAccount(report.accounts, look),
    ...faultLines(report.invalid),
    // what may be done about held rows is said once, by the next steps
    ...faultLines(report.held, "", ""),
    ...(elsewhere === undefined ? [] : labelled("attention", [printable(elsewhere)])),
    ...labelled("results", results ? [printable(results)] : []),
    ...labelled("correct", retry ? [`${printable(retry)}   ${counted(retryRows)}`] : []),
    ...labelled("note", notes),
    ...nextLines(next, destination, look),
  ]);
}

const NOT_GONE: readonly ResultStatus[] = ["cancelled", "duplicate", "invalid"];

/** Of a file that was taken before: without it the table below would read as if this run had sent the rows. */
function beforeLines({ copy, file, period, sentBefore, byStatus }: BatchReport): string[] {
  const facts = { file, period, form: formOfPeriod(period ?? "") };
  const lines: Told[] = [];
  if (copy !== undefined) lines.push(told(RUN_WORDS.copy, { ...facts, copy: basename(copy), first: basename(file) }));
  if (sentBefore !== undefined) {
    const rows = rowsIn(byStatus, "cancelled");
    const isNoneGone = rows > 0 && occurringIn(byStatus).every(([status]) => NOT_GONE.includes(status));
    const words = RUN_WORDS[isNoneGone ? "cancelled_before" : "sent_before"];
    lines.push(told(words, { ...facts, rows, at: minuteOf(sentBefore) }));
  }
  return lines.flatMap((words) => {
    const todo = todoLine(words);
    return [printable(words.text), ...(todo === "" ? [] : [printable(`  → ${todo}`)])];
  });
}

/** The one word that tells two payments of one file apart. */
export function periodPart(period: string | undefined): string[] {
  return period === undefined ? [] : [`period ${printable(period)}`];
}

type OfBatch = Pick<BatchReport, "byStatus" | "total" | "remarks"> & Partial<Pick<BatchReport, "goesAgain">>;

export function statusTable({ byStatus, total, remarks, goesAgain = 0 }: OfBatch, look: Look): string[] {
  const lines = occurringIn(byStatus).map(([status, tally]): TallyLine => {
    const [sign, style] = SIGNS[status];
    return { name: `${sign} ${status}`, tally, note: noteOf(status, tally.rows, goesAgain), style };
  });
  const note = noteOfTotal(remarks);
  return tallyTable("", [...lines, { name: "total", tally: total, note, style: "bold" }], look);
}

/** Where there are several debit accounts: what the file takes from each, and what of that was accepted. */
function acceptedByAccount(accounts: readonly AccountTotals[], look: Look): string[] {
  if (accounts.length < 2) return [];
  const noteOfAccount = ({ byStatus: { accepted } }: AccountTotals): string => `${accepted?.amount ?? "0.00"} accepted`;
  return [...tallyTable("from", linesOf(accounts, noteOfAccount), look), ...restOf(accounts)];
}

export function sumsTable(accounts: readonly AccountTotals[], total: Tally, look: Look): string[] {
  const last: TallyLine = { name: "total", tally: total, style: "bold" };
  return [...tallyTable("", [...linesOf(accounts), last], look), ...restOf(accounts)];
}

const ACCOUNTS_SHOWN = 20;

function linesOf(accounts: readonly AccountTotals[], note?: (one: AccountTotals) => string): TallyLine[] {
  return accounts.slice(0, ACCOUNTS_SHOWN).map((one) => ({ name: one.account, tally: one.total, note: note?.(one) }));
}

function restOf(accounts: readonly AccountTotals[]): string[] {
  const more = accounts.length - ACCOUNTS_SHOWN;
  return more > 0 ? [`  and ${counted(more, "more account")}`] : [];
}

interface TallyLine {
  readonly name: string;
  readonly tally: Tally;
  readonly note?: string | undefined;
  readonly style?: Style;
}

function tallyTable(title: string, lines: readonly TallyLine[], look: Look): string[] {
  const cells = lines.map(({ name, tally }) => [name, String(tally.rows), tally.amount]);
  const columns = { least: [14, 4, 14], right: [1, 2] };
  return inColumns([[title, "rows", "amount"], ...cells], columns).map((drawn, at) => {
    const { style, note } = lines[at - 1] ?? {};
    const line = `  ${drawn}`;
    const shown = style === undefined ? line : styled(style, line, look);
    return note === undefined ? shown : `${shown}   ${styled("dim", note, look)}`;
  });
}

/** What `check` tells of a file: what was read, its sums, the first complaints of each kind, the counts. */
export function checkText(checked: CheckedFile, look: Look): string {
  const { byStatus, pointedOutCount } = checked;
  const wordOf = (status: keyof typeof STATUSES): string => (status === "not_sent" ? "ready" : STATUSES[status].word);
  const counts = occurringIn(byStatus).map(([status, { rows }]) => `${rows} ${wordOf(status)}`);
  if (pointedOutCount > 0) counts.push(`${pointedOutCount} to look at`);
  const last = `${counts.join("   ") || "nothing to send"}        nothing was sent`;
  return textOf([...readLines(checked, [], [], look), styled("bold", last, look)]);
}

/** The beginning of a run: what was read, where it goes, the sums, what is pointed out and what does not go. */
export function openingText(
  { checked, batch, toSend, toSendTotal, resumed }: Extract<RunEvent, { type: "start" }>,
  look: Look,
): string {
  const { total, destination, environment } = checked;
  const to = `to ${printable(destination)} (${environment})`;
  const going = `${counted(toSend)} of ${total.rows}, ${toSendTotal}, will be sent in this run`;
  const lines = readLines(checked, [`batch ${batch}${resumed ? ", going on" : ""}`], [to], look);
  return textOf([...lines, ...(toSend === total.rows ? [] : [going])]);
}

/** The last line before a person says yes: how many, how much, from where, to where. */
export function questionText(checked: CheckedFile): string {
  const { operation, accounts, destination, environment, byStatus } = checked;
  const { rows, amount } = byStatus.not_sent ?? { rows: 0, amount: "0.00" };
  const [first] = accounts;
  // which of several accounts the rows that go are of, only the rows say
  const from = first && accounts.length === 1 ? ` from ${first.account}` : "";
  const where = `${printable(destination)}${environment === "test" ? " (test)" : ""}`;
  return `Send ${counted(rows)} (${operation}), ${amount}${from}, to ${where}? Type yes:`;
}

const HELD_ADVICE = "It waits for a person. What may be done is said when the file was run.";

/** What was read; then what stops a row, what waits, and what is only pointed out, each line to be copied alone. */
function readLines(checked: CheckedFile, more: readonly string[], below: readonly string[], look: Look): string[] {
  const { file, operation, period, mapping, control, total, accounts, remarks } = checked;
  const name = printable(basename(file));
  const read = mapping === undefined ? [] : [`mapping ${printable(mapping)}`];
  const nobody = "  control totals: nobody stated any; compare rows and amount with where the file came from";
  const noSum = checked.unreadable ? [{ code: "without_amount", facts: { rows: checked.unreadable } }] : [];
  const kinds = [
    ["", "invalid", checked.invalid, checked.invalidCount, undefined],
    // of this batch, which may come to nothing, no command is told
    ["held: ", "held", checked.held, checked.heldCount, HELD_ADVICE],
    ["look at this: ", "such", checked.pointedOut, checked.pointedOutCount, undefined],
  ] as const;
  return [
    [name, operation, ...periodPart(period), ...read, ...more].join("   "),
    ...sumsTable(accounts, total, look),
    ...(control ? [] : [nobody]),
    ...below,
    ...kinds.flatMap(([word, kind, faults, count, advice]) => {
      const others = count - new Set(faults.map(({ row }) => row)).size;
      const more = faults.length > 0 ? `and ${counted(others, `more ${kind} row`)}` : counted(others, `${kind} row`);
      const rest = others > 0 ? [`  ${more}`] : [];
      return [...faultLines(faults, `${name}: ${word}`, advice), ...rest];
    }),
    ...remarkTexts([...noSum, ...remarks]).map((text) => `${name}: ${printable(text)}`),
  ];
}
