import { counted } from "../../text/counted.ts";
import type { Tally } from "../../journal/batch-record.ts";
import { durationText } from "../screen/look.ts";
import { occurringIn, STATE_WORDS, statusNote } from "../words/status.ts";
import { inTheFile, NO_ROWS } from "../sums.ts";
import { stackedBar, swatch } from "./bars.ts";
import type { Clock } from "./clock.ts";
import { amountOf, said, table } from "./figures.ts";
import { html, NOTHING, type Html } from "./html.ts";
import type { Report } from "./report.ts";
import { timelineSvg } from "./timeline-svg.ts";
import { ACCOUNTS_SHOWN, countsIn } from "./words.ts";

/** In the file, approved to go, accepted: the three figures that an auditor compares. */
export function stepsSection({ batch, approved, totals, attempts }: Report): Html {
  const { byStatus } = totals;
  const keptBack = countsIn(byStatus, ["invalid", "held", "duplicate"]).join(", ");
  const step = (title: string, tally: Tally, note: string): Html =>
    html`<div class="step">
      <dt>${title}</dt>
      <dd>
        <span class="rows">${counted(tally.rows)}</span> <span class="amount">${amountOf(tally.amount)}</span
        ><span class="note">${note}</span>
      </dd>
    </div>`;
  return html`<dl class="steps">
    ${step("In the file", inTheFile(batch), "amounts as in the file, no currency")}
    ${step("Approved to go", approved, keptBack === "" ? "nothing was kept back" : `kept back: ${keptBack}`)}
    ${step("Accepted by the service", byStatus.accepted ?? NO_ROWS, `${counted(attempts, "attempt")} in all`)}
  </dl>`;
}

export function statusSection({ batch, totals }: Report): Html {
  const { total, byStatus } = totals;
  const label = countsIn(byStatus).join(", ");
  const lines = occurringIn(byStatus).map(([status, { rows, amount }]) => [
    html`${swatch(status)} ${STATE_WORDS[status]}`,
    html`${rows}`,
    amountOf(amount),
    html`${statusNote(status, batch.phase)}`,
  ]);
  const columns = [
    { title: "Status" },
    { title: "Rows", isFigure: true },
    { title: "Amount", isFigure: true },
    { title: "It means", isProse: true },
  ];
  return html`<section aria-labelledby="what">
    <h2 id="what">What happened to each row</h2>
    ${stackedBar(total, byStatus, `Share of the ${total.rows} rows: ${label}`)}
    ${table("Rows and amounts by status", columns, lines, {
      foot: [
        html`Total`,
        html`${total.rows}`,
        amountOf(total.amount),
        html`equals the file, to the last row and digit`,
      ],
    })}
  </section>`;
}

/** Account numbers masked, names of accounts as they are. */
export function accountsSection({ totals }: Report): Html {
  const { accounts } = totals;
  if (accounts.length === 0) return NOTHING;
  const lines = accounts.slice(0, ACCOUNTS_SHOWN).map(({ account, total, byStatus }) => {
    const { rows, amount } = byStatus.accepted ?? NO_ROWS;
    return [
      said(account),
      html`${total.rows}`,
      amountOf(total.amount),
      html`${rows}`,
      amountOf(amount),
      stackedBar(total, byStatus, countsIn(byStatus).join(", ")),
    ];
  });
  const more = accounts.length - ACCOUNTS_SHOWN;
  const columns = [
    { title: "Debit account" },
    { title: "Rows", isFigure: true },
    { title: "In the file", isFigure: true },
    { title: "Accepted", isFigure: true },
    { title: "Amount accepted", isFigure: true },
    { title: "Share of rows" },
  ];
  return html`<section aria-labelledby="accounts">
    <h2 id="accounts">By debit account</h2>
    ${table("Rows and amounts by debit account", columns, lines, { isWide: true })}
    ${more > 0 ? html`<p class="rest">and ${more} more accounts: the summary file has them all</p>` : NOTHING}
  </section>`;
}

export function timelineSection({ timeline }: Report, clock: Clock): Html {
  if (!timeline) return NOTHING;
  const { firstAt, lastAt, answered, medianMs, p95Ms, slowest } = timeline;
  const times =
    slowest === undefined
      ? "No answer came."
      : `${answered} answers: half of them within about ${about(medianMs)}, 95 of 100 within about ${about(p95Ms)}; the slowest, row ${slowest.row}, took ${durationText(slowest.durationMs)}.`;
  const label = `Rows sent over time and the time to their answers, from ${clock.stamp(firstAt)} to ${clock.stamp(lastAt)}`;
  return html`<section aria-labelledby="when">
    <h2 id="when">When it went</h2>
    <figure>
      ${timelineSvg(timeline, clock, label)}
      <figcaption>
        From ${clock.stamp(firstAt)} to ${clock.stamp(lastAt)}, ${durationText(lastAt - firstAt)}. ${times} Every row
        stands at its last request. Times are in ${clock.zone}.
      </figcaption>
    </figure>
  </section>`;
}

/** Two digits: more would say too much of a time that is right to a tenth. */
function about(ms: number): string {
  return durationText(Number(ms.toPrecision(2)));
}
