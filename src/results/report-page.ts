import { REPORT_WORDS } from "../messages/results.ts";
import { counted } from "../messages/sentence.ts";
import { noteOf, STATUSES } from "../messages/statuses.ts";
import { asIs, markup, PAGE_STYLE, tableHtml, type Html } from "./html.ts";
import { historyOf, NEED_COLUMNS, type Report } from "./report.ts";
import { nextOf, occurringIn } from "./totals.ts";

const BEGINNING = '<!doctype html>\n<html lang="en" data-paydrop-report="';
/** By its beginning a report is known as ours, and its batch by what follows. */
export const REPORT_MARK: RegExp = new RegExp(`^${BEGINNING}([^"]*)">`);

const LINES_SHOWN = 200;

/**
 * One self-contained page: no script, no address, nothing to fetch, everything that was read escaped. The same report
 * and time zone give the same bytes. `zone`: a name that `Intl` knows, such as `Asia/Kolkata`.
 */
export function reportPage(report: Report, zone: string): string {
  const { batch } = report;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "medium", timeStyle: "medium" });
  const stamp: Stamp = (atMs) => format.format(atMs);
  const head = markup`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${batch.fileName}: what happened (batch ${batch.id})</title>
<style>${asIs(PAGE_STYLE)}@page{@top-right{content:"batch ${batch.id}"}}</style>
</head>`;
  const rules = ["Name", "Signature", "Date"].map((rule) => markup`<p class="rule">${rule}</p>`);
  const parts = [
    headerOf(report, stamp),
    section("What became of the rows", ...sumsOf(report)),
    section("What needs a person", ...needsOf(report)),
    section("Who did what", ...doneOf(report, stamp)),
    section("Control totals and identity", ...factsOf(report, stamp, zone)),
    markup`<section class="signs">${REPORT_WORDS.signedBy.map((name) => markup`<div><h3>${name}</h3>${rules}</div>`)}</section>`,
  ];
  return `${BEGINNING}${batch.id}">\n${head.text}\n${markup`<body><main>${parts}</main></body>`.text}\n</html>\n`;
}

type Stamp = (atMs: number) => string;

/** What somebody else wrote: its direction is its own. */
function said(text: string): Html {
  return markup`<bdi>${text}</bdi>`;
}

function section(title: string, ...parts: readonly Html[]): Html {
  return markup`<section><h2>${title}</h2>\n${parts}</section>\n`;
}

function headerOf({ batch, headline, needs, totals }: Report, stamp: Stamp): Html {
  const { fileName, id, label, destination, environment, createdAt, phase, period } = batch;
  const tone = totals.byStatus.unknown ? "urgent" : needs.length > 0 ? "attention" : "calm";
  const isOver = phase === "paused" || phase === "cancelled";
  const about = [
    `batch ${id}`,
    label,
    ...(period === undefined ? [] : [`period ${period}`]),
    ...(isOver ? [phase] : []),
  ];
  return markup`<header><p class="verdict ${tone}">${headline}</p>
<h1>${said(fileName)}</h1>
<p class="soft">${about.join(" · ")} · to ${said(destination)} (${environment}) · taken ${stamp(createdAt)}</p>
<p class="soft">${REPORT_WORDS.acceptedMeans}</p></header>
`;
}

function sumsOf({ totals: { total, byStatus, goesAgain, accounts } }: Report): Html[] {
  const lines = occurringIn(byStatus).map(([status, { rows, amount }]) => [
    ...[STATUSES[status].word, rows, amount, noteOf(status, rows, goesAgain)],
  ]);
  const byAccount = accounts
    .slice(0, LINES_SHOWN)
    .map(({ account, total: all, byStatus: { accepted } }) => [
      ...[said(account), all.rows, all.amount, accepted?.rows ?? 0, accepted?.amount ?? "0.00"],
    ]);
  const titles = ["Debit account", "Rows#", "Amount#", "Rows accepted#", "Amount accepted#"];
  return [
    tableHtml(["Status", "Rows#", "Amount#", "What it means"], [...lines, ["total", total.rows, total.amount, ""]]),
    ...(byAccount.length > 0 ? [tableHtml(titles, byAccount)] : []),
    ...restOf(accounts.length - LINES_SHOWN, "account", "see the summary file"),
  ];
}

/** The rows that need a person, the gravest kind first, and what to do about them. */
function needsOf({ needs, batch, totals }: Report): Html[] {
  if (needs.length === 0) return [markup`<p>${REPORT_WORDS.nothing}</p>`];
  const steps = nextOf(batch, totals).map((step) =>
    step.startsWith("paydrop ") ? markup`<p><code>${step}</code></p>` : markup`<p>${step}</p>`,
  );
  const groups = needs.map(({ status, count, rows }) => {
    const lines = rows.map((cells) => cells.map((cell) => (typeof cell === "number" ? cell : said(cell))));
    const rest = restOf(count - rows.length, "row", "the results file lists every row");
    return markup`<h3>${counted(count)} ${STATUSES[status].word}</h3>\n${tableHtml(NEED_COLUMNS, lines)}${rest}`;
  });
  return [...steps, ...groups];
}

function doneOf({ acts, runs, batch }: Report, stamp: Stamp): Html[] {
  const done = historyOf(acts, runs);
  const lines = done
    .slice(0, LINES_SHOWN)
    .map(({ at, who, what, why }) => [stamp(at), said(who), said(what), said(why)]);
  return [
    tableHtml(["When", "Who", "Did what", "Why"], lines),
    ...restOf(done.length - LINES_SHOWN, "line", `paydrop status ${batch.id}`),
  ];
}

/** What proves which file this is about, and that nothing is missing in the report. */
function factsOf({ batch, totals: { total } }: Report, stamp: Stamp, zone: string): Html[] {
  const { fileName, folder, sizeBytes, sha256, period = "none stated", createdAt } = batch;
  const control = [
    ["In the file", batch.rows, batch.total],
    ["In this report, all statuses", total.rows, total.amount],
  ];
  const facts = { File: fileName, Folder: folder, Size: `${sizeBytes} bytes`, "SHA-256": sha256, Period: period };
  const lines = Object.entries({ ...facts, Taken: stamp(createdAt), "Times are in": zone }).map(
    ([name, text]) => markup`<dt>${name}</dt><dd>${said(text)}</dd>\n`,
  );
  return [tableHtml(["Control totals", "Rows#", "Amount#"], control), markup`<dl>${lines}</dl>`];
}

function restOf(more: number, what: string, where: string): Html[] {
  return more > 0 ? [markup`<p class="soft">and ${counted(more, `more ${what}`)}: ${where}</p>`] : [];
}
