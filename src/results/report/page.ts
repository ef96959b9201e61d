import { printable } from "../../text/printable.ts";
import { barPatterns } from "./bars.ts";
import type { Clock } from "./clock.ts";
import { stampOf } from "./figures.ts";
import { headlineOf } from "./headline.ts";
import { asIs, cssText, html, type Html } from "./html.ts";
import { actsSection, factsSection, signOffSection, stopsSection } from "./page-facts.ts";
import { needsSection } from "./page-needs.ts";
import { accountsSection, statusSection, stepsSection, timelineSection } from "./page-totals.ts";
import type { Report } from "./report.ts";
import { PAGE_STYLE, PRINT_STYLE } from "./style.ts";
import { ACCEPTED_MEANS } from "./words.ts";

const BEGINNING = '<!doctype html>\n<html lang="en" data-paydrop-report="';
/** By its beginning a report is known as ours, and its batch by what follows. */
export const PAGE_MARK = new RegExp(`^${BEGINNING}([^"]*)">`);

/**
 * One self-contained page: no script, no address, nothing to fetch, everything that was read escaped. The same report
 * and time zone give the same bytes.
 */
export function reportPage(report: Report, clock: Clock): string {
  const { batch } = report;
  const title = `${batch.fileName}: what happened (batch ${batch.id})`;
  const sections = [
    statusSection(report),
    needsSection(report, clock),
    accountsSection(report),
    timelineSection(report, clock),
    actsSection(report, clock),
    stopsSection(report, clock),
    factsSection(report, clock),
    signOffSection(),
  ];
  const head = html`<head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <meta name="robots" content="noindex" />
    <meta name="generator" content="paydrop report" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <style>
      ${asIs(PAGE_STYLE)}${asIs(PRINT_STYLE)}${pageMargins(report)}
    </style>
  </head>`;
  const body = html`<body>
    ${barPatterns()}
    <main>${header(report, clock)} ${sections}</main>
  </body>`;
  return `${BEGINNING}${batch.id}">\n${head.text}\n${body.text}\n</html>\n`;
}

function header(report: Report, clock: Clock): Html {
  const { batch, operation } = report;
  const { sentence, more, tone } = headlineOf(report);
  const period = batch.period === undefined ? "" : ` · period ${batch.period}`;
  return html`<header>
    <p class="kicker">paydrop report <span class="id">batch ${batch.id}</span></p>
    <h1><bdi>${batch.fileName}</bdi></h1>
    <p class="about">
      ${operation}${period} · to <bdi>${batch.destination}</bdi> (${batch.environment}) · taken
      ${stampOf(batch.createdAt, clock)}
    </p>
    <div class="verdict ${tone}">
      <p class="sentence">${sentence}</p>
      ${more.map((line) => html`<p>${line}</p>`)}
    </div>
    ${stepsSection(report)}
    <p class="honest">${ACCEPTED_MEANS}</p>
  </header>`;
}

/** Page headers on paper. A name stands in a style sheet only as the numbers of its characters. */
function pageMargins({ batch }: Report): Html {
  const name = cssText(printable(batch.fileName, 60));
  return html`@page{@top-left{content:"${name}"}@top-right{content:"batch ${batch.id}"}@bottom-left{content:"paydrop
  report"}}`;
}
