import { counted } from "../../text/counted.ts";
import type { Tally } from "../../journal/batch-record.ts";
import { printable } from "../../text/printable.ts";
import { durationText, wrapped } from "../screen/look.ts";
import { mappingText } from "../words/mapping-words.ts";
import { outNames } from "../names.ts";
import { rowsNamed } from "../row-ranges.ts";
import { occurringIn, STATE_WORDS } from "../words/status.ts";
import { inTheFile, NO_ROWS } from "../sums.ts";
import type { Decision } from "./acts.ts";
import type { Clock } from "./clock.ts";
import { headlineOf } from "./headline.ts";
import type { Need } from "./needs.ts";
import type { Report } from "./report.ts";
import { ACCEPTED_MEANS, ACCOUNTS_SHOWN, DECISIONS_SHOWN, NEED_WORDS, SIGN_OFF, todoFor } from "./words.ts";

/** For a terminal of 60 columns, an e-mail, or a printer. */
const WIDTH = 60;
const NAME_WIDTH = 22;
const ROWS_WIDTH = 9;

const BEGINNING = "paydrop report, batch ";
/** A report is known as ours by this beginning; its batch follows. */
export const TEXT_MARK = new RegExp(`^${BEGINNING}(\\S*)\n`);

export function reportText(report: Report, clock: Clock): string {
  const { batch, operation, mapping } = report;
  const { sentence, more } = headlineOf(report);
  const period = batch.period === undefined ? "" : `, period ${batch.period}`;
  const lines = [
    `${BEGINNING}${batch.id}`,
    printable(batch.fileName),
    ...wrapped(`${operation}${period}, to ${printable(batch.destination)} (${batch.environment})`, WIDTH),
    ...(mapping ? wrapped(`columns read by ${printable(mappingText(mapping))}`, WIDTH) : []),
    `taken ${clock.stamp(batch.createdAt)}`,
    "",
    ...[sentence, ...more].flatMap((line) => wrapped(printable(line), WIDTH)),
    ...wrapped(ACCEPTED_MEANS, WIDTH),
    ...totalsLines(report),
    ...report.needs.flatMap((need) => needLines(need, report)),
    ...accountLines(report),
    ...timeLines(report, clock),
    ...actLines("WHAT PEOPLE DECIDED", report.acts.people, batch.id, clock),
    ...actLines("STOPS", report.acts.own, batch.id, clock),
    ...remarkLines(report),
    ...proofLines(report, clock),
    ...["", ...SIGN_OFF.map((name) => `${`${name} `.padEnd(NAME_WIDTH, " ")}${"_".repeat(WIDTH - NAME_WIDTH)}`)],
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function totalsLines({ batch, approved, totals }: Report): string[] {
  const { total, byStatus } = totals;
  return [
    ...heading("ROWS AND AMOUNTS, AS IN THE FILE"),
    tallyLine("in the file", inTheFile(batch)),
    tallyLine("approved to go", approved),
    "",
    ...occurringIn(byStatus).map(([status, tally]) => tallyLine(STATE_WORDS[status], tally)),
    tallyLine("total, equals the file", total),
  ];
}

function needLines({ kind, count, amount, rows }: Need, report: Report): string[] {
  const { batch } = report;
  const { title } = NEED_WORDS[kind];
  const { todo, command } = todoFor(kind, report);
  const lines = rows.flatMap(({ number, amount: sum, reference, payee, happened, todo: own }) => {
    const what = [`row ${number}`, sum, payee, reference].filter((part) => part !== undefined).join("  ");
    return [...wrapped(what, WIDTH), ...indented(happened, "  "), ...indented(own, "  → ")];
  });
  const rest = count - rows.length;
  const results = printable(outNames(batch.fileName, batch.format).results);
  return [
    ...heading(title.toUpperCase()),
    `${counted(count)}, ${amount}`,
    ...wrapped(todo, WIDTH),
    ...(command === undefined ? [] : [`  ${command}`]),
    ...lines,
    ...(rest > 0 ? wrapped(`and ${counted(rest)} more: see ${results}`, WIDTH) : []),
  ];
}

function accountLines({ totals }: Report): string[] {
  const { accounts } = totals;
  if (accounts.length === 0) return [];
  const lines = accounts
    .slice(0, ACCOUNTS_SHOWN)
    .flatMap(({ account, total, byStatus }) => [
      tallyLine(account, total),
      ...occurringIn(byStatus).map(([status, tally]) => tallyLine(`  ${STATE_WORDS[status]}`, tally)),
    ]);
  const rest = accounts.length - ACCOUNTS_SHOWN;
  return [...heading("BY DEBIT ACCOUNT"), ...lines, ...(rest > 0 ? [`and ${rest} more accounts`] : [])];
}

function timeLines({ timeline, attempts }: Report, clock: Clock): string[] {
  if (!timeline) return [];
  const { firstAt, lastAt, answered, slowest } = timeline;
  const slowestText =
    slowest === undefined ? "no answer" : `slowest ${durationText(slowest.durationMs)}, row ${slowest.row}`;
  return [
    ...heading("WHEN IT WENT"),
    `from  ${clock.stamp(firstAt)}`,
    `to    ${clock.stamp(lastAt)}`,
    `${counted(attempts, "attempt")}, ${counted(answered, "answer")}, ${slowestText}`,
  ];
}

function actLines(title: string, decisions: readonly Decision[], batchId: string, clock: Clock): string[] {
  if (decisions.length === 0) return [];
  const lines = decisions.slice(0, DECISIONS_SHOWN).flatMap(({ at, by, what, rows, note }) => {
    const which = rows.length === 0 ? "" : ` ${rowsNamed(rows)}`;
    return [clock.stamp(at), ...indented(`${by} ${what}${which}`, "  "), ...indented(note, "  ")];
  });
  const rest = decisions.length - DECISIONS_SHOWN;
  return [...heading(title), ...lines, ...(rest > 0 ? [`and ${rest} more: paydrop status ${batchId}`] : [])];
}

function remarkLines({ remarks }: Report): string[] {
  return remarks.length === 0
    ? []
    : [...heading("REMARKS"), ...remarks.flatMap((one) => indented(printable(one), "- "))];
}

function proofLines({ batch, totals, latestAt }: Report, clock: Clock): string[] {
  return [
    ...heading("CONTROL TOTALS AND IDENTITY"),
    tallyLine("in the file", inTheFile(batch)),
    tallyLine("in this report", totals.total),
    tallyLine("difference", NO_ROWS),
    ...wrapped(`folder ${printable(batch.folder)}, ${batch.sizeBytes} bytes, SHA-256`, WIDTH),
    batch.sha256.slice(0, WIDTH / 2 + 2),
    batch.sha256.slice(WIDTH / 2 + 2),
    `last entry in the journal ${clock.stamp(latestAt)}`,
    `times are in ${clock.zone}`,
  ];
}

function heading(title: string): string[] {
  return ["", ...wrapped(title, WIDTH), "-".repeat(WIDTH)];
}

/** The first line begins with `mark`, the others stand below its text. */
function indented(text: string, mark: string): string[] {
  if (text === "") return [];
  return wrapped(text, WIDTH - mark.length).map(
    (line, index) => `${index === 0 ? mark : " ".repeat(mark.length)}${line}`,
  );
}

function tallyLine(name: string, { rows, amount }: Tally): string {
  const amountWidth = WIDTH - NAME_WIDTH - ROWS_WIDTH - 2;
  return `${name.padEnd(NAME_WIDTH)} ${String(rows).padStart(ROWS_WIDTH)} ${amount.padStart(amountWidth)}`;
}
