import { tellFault } from "../messages/faults.ts";
import { isNews, REPORT_WORDS } from "../messages/results.ts";
import { commandLine, counted, leadOf } from "../messages/sentence.ts";
import { noteOf, STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { actTexts, type Report } from "./report.ts";
import { nextOf, occurringIn } from "./totals.ts";

/** Text that is HTML already. Only `markup` makes it: what came from a file or a person cannot be one. */
interface Html {
  readonly html: string;
}

type Shown = Html | string | number | readonly Html[];

/** A template whose values are escaped, and whose control and bidi characters become visible. */
function markup(strings: TemplateStringsArray, ...values: readonly Shown[]): Html {
  return { html: String.raw({ raw: strings }, ...values.map(htmlOf)) };
}

function htmlOf(value: Shown): string {
  if (typeof value !== "object") {
    return printable(String(value)).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  }
  return "html" in value ? value.html : value.map(({ html }) => html).join("");
}

/** What somebody else wrote: its direction is its own. */
function said(text: string): Html {
  return markup`<bdi>${text}</bdi>`;
}

/** Columns whose title ends with `#` hold figures. */
function tableOf(titles: readonly string[], rows: readonly (readonly Shown[])[]): Html {
  const side = (at: number): string => (titles[at]?.endsWith("#") ? "figure" : "text");
  const head = titles.map((title, at) => markup`<th scope="col" class="${side(at)}">${title.replace("#", "")}</th>`);
  const lineOf = (row: readonly Shown[]): Html =>
    markup`<tr>${row.map((value, at) => markup`<td class="${side(at)}">${value}</td>`)}</tr>\n`;
  return markup`<table><thead><tr>${head}</tr></thead><tbody>${rows.map(lineOf)}</tbody></table>\n`;
}

/** On a phone and on A4, in black and white. Nothing is fetched. */
const STYLE = markup`
body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem}
h2{font-size:1.1rem;margin-top:2rem;padding-top:.75rem;border-top:2px solid}
.verdict{padding:.7rem 1rem;border:1px solid;border-left-width:6px;font-size:1.2rem;font-weight:600}
table{width:100%;border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .9rem .4rem 0;border-bottom:1px solid #bbb;font-weight:400}
.figure{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:minmax(8rem,13rem) 1fr;gap:.3rem 1.5rem}
dd{margin:0}
.signs{display:grid;grid-template-columns:repeat(3,1fr);gap:2rem;margin-top:2rem}
.rule{border-bottom:1px solid;padding-top:1.9rem;font-size:.8rem}
@page{size:A4;margin:18mm 14mm 16mm;@bottom-right{font:8pt sans-serif;content:counter(page) " of " counter(pages)}}
@media print{body{margin:0;padding:0;font-size:9.5pt}h2,h3{break-after:avoid}tr,.signs{break-inside:avoid}}
`;

const BEGINNING = '<!doctype html>\n<html lang="en" data-paydrop-report="';
/** By its beginning a report is known as ours, and its batch by what follows. */
export const REPORT_MARK: RegExp = new RegExp(`^${BEGINNING}([^"]*)">`);

const LINES_SHOWN = 200;

type Stamp = (atMs: number) => string;

/**
 * One self-contained page: no script, no address, nothing to fetch, everything that was read escaped. The same report
 * and time zone give the same bytes. `zone`: a name that `Intl` knows, such as `Asia/Kolkata`.
 */
export function reportPage(report: Report, zone: string): string {
  const { batch } = report;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "medium", timeStyle: "medium" });
  const stamp: Stamp = (atMs) => format.format(atMs);
  const rules = ["Name", "Signature", "Date"].map((rule) => markup`<p class="rule">${rule}</p>`);
  const signs = REPORT_WORDS.signedBy.map((name) => markup`<div><h3>${name}</h3>${rules}</div>`);
  const { html } = markup`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${batch.fileName}: what happened (batch ${batch.id})</title>
<style>${STYLE}</style>
</head>
<body>
${headerOf(report, stamp)}
<h2>What became of the rows</h2>
${sumsOf(report)}
${report.seen.map((one) => markup`<p>${tellFault(one).text}</p>\n`)}
${newsOf(report)}
<h2>What needs a person</h2>
${needsOf(report)}
<h2>Who did what</h2>
${doneOf(report, stamp)}
<h2>Control totals and identity</h2>
${factsOf(report, stamp, zone)}
<section class="signs">${signs}</section>
</body>
</html>
`;
  return `${BEGINNING}${batch.id}">\n${html}`;
}

function headerOf({ batch, headline }: Report, stamp: Stamp): Html {
  const { fileName, id, label, destination, environment, createdAt, phase, period } = batch;
  const isOver = phase === "paused" || phase === "cancelled";
  const about = [`batch ${id}`, label, period && `period ${period}`, isOver && phase].filter(Boolean).join(" · ");
  return markup`<p class="verdict">${headline}</p>
<h1>${said(fileName)}</h1>
<p>${about} · to ${said(destination)} (${environment}) · taken ${stamp(createdAt)}</p>
<p>${REPORT_WORDS.acceptedMeans}</p>`;
}

function sumsOf({ totals: { total, byStatus, goesAgain } }: Report): Html {
  const lines = occurringIn(byStatus).map(([status, { rows, amount }]) => [
    ...[STATUSES[status].word, rows, amount, noteOf(status, rows, goesAgain)],
  ]);
  return tableOf(["Status", "Rows#", "Amount#", "What it means"], [...lines, ["total", total.rows, total.amount, ""]]);
}

function newsOf({ batch }: Report): Html[] {
  const news = batch.remarks.filter(isNews).map((one) => markup`<p>${tellFault(one).text}</p>\n`);
  return news.length === 0 ? [] : [markup`<h2>What is new since last time</h2>\n`, ...news];
}

/** The rows that need a person, the gravest kind first, and what to do about them. */
function needsOf({ needs, batch, totals }: Report): Html[] {
  if (needs.length === 0) return [markup`<p>${REPORT_WORDS.nothing}</p>`];
  const steps = nextOf(batch, totals).flatMap(({ text, commands }) => [
    markup`<p>${text}</p>`,
    ...commands.map((command) => markup`<p>${leadOf(command)} <code>${commandLine(command)}</code></p>`),
  ]);
  const titles = ["Row#", "Amount#", "To or from", "Reference", "What happened", "What to do"];
  const groups = needs.flatMap(({ status, count, rows }) => [
    markup`<h3>${counted(count)} ${STATUSES[status].word}</h3>\n`,
    tableOf(
      titles,
      rows.map(([row, ...texts]) => [row, ...texts.map(said)]),
    ),
    restOf(count - rows.length, "the results file lists every row"),
  ]);
  return [...steps, ...groups];
}

function doneOf({ history, batch }: Report, stamp: Stamp): Html[] {
  const lines = history.map((act) => [stamp(act.at), ...actTexts(act).map(said)]);
  const table = tableOf(["When", "Who", "Did what", "Why"], lines.slice(0, LINES_SHOWN));
  return [table, restOf(lines.length - LINES_SHOWN, commandLine({ name: "status", batch: batch.id, flags: {} }))];
}

/** What proves which file this is about, and that nothing is missing in the report. */
function factsOf({ batch, totals: { total } }: Report, stamp: Stamp, zone: string): Html[] {
  const { fileName, folder, sizeBytes, sha256, period = "none stated", createdAt } = batch;
  const control = [
    ["In the file", batch.rows, batch.total],
    ["In this report, all statuses", total.rows, total.amount],
  ];
  const stated = batch.remarks.find(({ code }) => code === "control_stated");
  const Stated = stated ? tellFault(stated).text : "no control totals";
  const facts = { File: fileName, Folder: folder, Size: `${sizeBytes} bytes`, "SHA-256": sha256, Period: period };
  const lines = Object.entries({ ...facts, Stated, Taken: stamp(createdAt), "Times are in": zone }).map(
    ([name, text]) => markup`<dt>${name}</dt><dd>${said(text)}</dd>\n`,
  );
  return [tableOf(["Control totals", "Rows#", "Amount#"], control), markup`<dl>${lines}</dl>`];
}

function restOf(more: number, where: string): Html {
  return more > 0 ? markup`<p>and ${more} more: ${where}</p>` : markup``;
}
