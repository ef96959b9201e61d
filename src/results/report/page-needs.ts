import { counted } from "../../text/counted.ts";
import { outNames } from "../names.ts";
import type { Clock } from "./clock.ts";
import { amountOf, said, stampOf, table, type TableColumn } from "./figures.ts";
import { html, NOTHING, type Html } from "./html.ts";
import type { Need, NeedKind, NeedRow } from "./needs.ts";
import type { Report } from "./report.ts";
import { NEED_WORDS, todoFor } from "./words.ts";

/** The rows that need a person, the gravest kind first, each with what to do. */
export function needsSection(report: Report, clock: Clock): Html {
  const groups = report.needs.map((need) => groupOf(need, report, clock));
  return html`<section aria-labelledby="needs">
    <h2 id="needs">What needs a person</h2>
    ${groups.length > 0 ? groups : html`<p>Nothing. No row waits for a decision, a correction or a look into the dashboard.</p>`}
  </section>`;
}

function groupOf(need: Need, report: Report, clock: Clock): Html {
  const { fileName, format } = report.batch;
  const { results } = outNames(fileName, format);
  const { title } = NEED_WORDS[need.kind];
  const { todo, command } = todoFor(need.kind, report);
  const rest = need.count - need.rows.length;
  return html`<section class="need need-${need.kind}" aria-labelledby="need-${need.kind}">
    <h3 id="need-${need.kind}">${title} <span class="count">${counted(need.count)}, ${amountOf(need.amount)}</span></h3>
    <p>${todo}</p>
    ${command === undefined ? NOTHING : html`<p><code>${command}</code></p>`} ${rowsTable(need, title, clock)}
    ${rest > 0 ? html`<p class="rest">and ${counted(rest)} more: see ${said(results)}, which lists every row</p>` : NOTHING}
  </section>`;
}

/**
 * Kinds whose rows each say what to do; for other kinds the sentence above the table says it, unless its rows differ.
 */
const OWN_TODO: ReadonlySet<NeedKind> = new Set(["held", "invalid", "warned"]);

function rowsTable({ kind, rows }: Need, title: string, clock: Clock): Html {
  const hasTodo = OWN_TODO.has(kind) || new Set(rows.map(({ todo }) => todo)).size > 1;
  const columns = [
    ROW,
    AMOUNT,
    ...(rows.some(({ payee }) => payee !== undefined) ? [PAYEE] : []),
    ...(rows.some(({ reference }) => reference !== undefined) ? [REFERENCE] : []),
    HAPPENED,
    ...(hasTodo ? [WHAT_TO_DO] : []),
    ...(rows.some(({ sentAt }) => sentAt !== undefined) ? [SENT] : []),
  ];
  const lines = rows.map((row) => columns.map(({ cell }) => cell(row, clock)));
  return table(title, columns, lines, { isWide: true });
}

interface NeedColumn extends TableColumn {
  readonly cell: (row: NeedRow, clock: Clock) => Html;
}

const ROW: NeedColumn = { title: "Row", isFigure: true, cell: ({ number }) => html`${number}` };
const AMOUNT: NeedColumn = {
  title: "Amount",
  isFigure: true,
  cell: ({ amount }) => (amount === undefined ? html`<span class="none">not readable</span>` : amountOf(amount)),
};
const PAYEE: NeedColumn = { title: "To or from", cell: ({ payee }) => (payee ? said(payee) : NOTHING) };
const REFERENCE: NeedColumn = { title: "Reference", cell: ({ reference }) => (reference ? said(reference) : NOTHING) };
const HAPPENED: NeedColumn = { title: "What happened", isProse: true, cell: ({ happened }) => said(happened) };
const WHAT_TO_DO: NeedColumn = { title: "What to do", isProse: true, cell: ({ todo }) => said(todo) };
const SENT: NeedColumn = {
  title: "Sent",
  cell: ({ sentAt }, clock) => (sentAt === undefined ? NOTHING : stampOf(sentAt, clock)),
};
