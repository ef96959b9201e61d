import { mappingText } from "../words/mapping-words.ts";
import { rowRanges } from "../row-ranges.ts";
import type { Clock } from "./clock.ts";
import type { Decision } from "./acts.ts";
import { amountOf, said, stampOf, table } from "./figures.ts";
import { html, NOTHING, type Html } from "./html.ts";
import type { Report } from "./report.ts";
import { DECISIONS_SHOWN, SIGN_OFF } from "./words.ts";

/** What people decided, by name. */
export function actsSection({ acts, batch }: Report, clock: Clock): Html {
  if (acts.people.length === 0) return NOTHING;
  return html`<section aria-labelledby="people">
    <h2 id="people">What people decided</h2>
    ${actsTable("What people decided", acts.people, clock)} ${restOf(acts.people.length, batch.id)}
  </section>`;
}

/** What paydrop had to do by itself, and what it remarked. */
export function stopsSection({ acts, batch, remarks }: Report, clock: Clock): Html {
  if (acts.own.length + remarks.length === 0) return NOTHING;
  return html`<section aria-labelledby="stops">
    <h2 id="stops">Stops and remarks</h2>
    ${acts.own.length > 0 ? actsTable("Stops", acts.own, clock) : NOTHING} ${restOf(acts.own.length, batch.id)}
    ${
      remarks.length > 0
        ? html`<ul>
            ${remarks.map((remark) => html`<li>${said(remark)}</li>`)}
          </ul>`
        : NOTHING
    }
  </section>`;
}

function actsTable(name: string, decisions: readonly Decision[], clock: Clock): Html {
  const columns = [
    { title: "When" },
    { title: "Who" },
    { title: "Did what" },
    { title: "Rows" },
    { title: "Why", isProse: true },
  ];
  const lines = decisions
    .slice(0, DECISIONS_SHOWN)
    .map(({ at, by, what, rows, note }) => [
      stampOf(at, clock),
      said(by),
      html`${what}`,
      html`${rowsText(rows)}`,
      note === "" ? NOTHING : said(note),
    ]);
  return table(name, columns, lines, { isWide: true });
}

/** How many, where they are not all named. */
function rowsText(rows: readonly number[]): string {
  const shown = rows.length === 0 ? "" : rowRanges(rows);
  return shown.endsWith("…") ? `${rows.length} rows: ${shown}` : shown;
}

function restOf(count: number, batchId: string): Html {
  const rest = count - DECISIONS_SHOWN;
  return rest > 0 ? html`<p class="rest">and ${rest} more: paydrop status ${batchId}</p>` : NOTHING;
}

/** What proves which file this is about, and that nothing is missing in the report. */
export function factsSection({ batch, operation, mapping, totals, latestAt }: Report, clock: Clock): Html {
  const { total } = totals;
  const control = table(
    "Control totals",
    [{ title: "" }, { title: "Rows", isFigure: true }, { title: "Amount", isFigure: true }],
    [
      [html`In the file`, html`${batch.rows}`, amountOf(batch.total)],
      [html`In this report, all statuses`, html`${total.rows}`, amountOf(total.amount)],
      [html`Difference`, html`0`, amountOf("0.00")],
    ],
  );
  const period =
    batch.period ??
    (batch.guessedPeriod === undefined ? "none stated" : `${batch.guessedPeriod} (guessed from the file's name)`);
  const facts: readonly (readonly [string, Html])[] = [
    ["File", said(batch.fileName)],
    ["Folder", said(batch.folder)],
    ["Size", html`${batch.sizeBytes} bytes`],
    ["SHA-256 of the file", html`<code class="hash">${batch.sha256}</code>`],
    ["Batch", html`${batch.id}`],
    ["Operation", html`${operation}`],
    ...(mapping ? [["Columns read by", said(mappingText(mapping))] as const] : []),
    ["Period", html`${period}`],
    ["Destination", html`${said(batch.destination)} (${batch.environment})`],
    ["Taken", stampOf(batch.createdAt, clock)],
    ["Last entry in the journal", stampOf(latestAt, clock)],
    ["Time zone of this report", html`${clock.zone}`],
  ];
  return html`<section aria-labelledby="proof">
    <h2 id="proof">Control totals and identity</h2>
    ${control}
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div> `,
      )}
    </dl>
  </section>`;
}

export function signOffSection(): Html {
  const boxes = SIGN_OFF.map(
    (name) =>
      html`<div class="sign">
        <h3>${name}</h3>
        <p class="rule">Name</p>
        <p class="rule">Signature</p>
        <p class="rule">Date</p>
      </div>`,
  );
  return html`<section class="sign-off" aria-labelledby="sign">
    <h2 id="sign">Sign-off</h2>
    <div class="signs">${boxes}</div>
  </section>`;
}
