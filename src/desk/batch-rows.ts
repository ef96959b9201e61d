import type { ResultStatus } from "../events.ts";
import type { BatchRecord } from "../journal/store.ts";
import { SHOWN } from "../messages/pages.ts";
import { markup, said, tableOf, type Html } from "../pages/html.ts";
import { card, over, shownIn, tabsOf } from "../pages/parts.ts";
import { tellRow } from "../results/columns.ts";
import { detailsOf } from "../results/details.ts";
import { byStatusOf } from "../results/totals.ts";
import type { Desk } from "./desk.ts";
import { rowFields } from "./decide-forms.ts";
import { form } from "./forms.ts";
import { actOn, becameCell, moneyCell, payeeCell, tick } from "./rows.ts";

const ROWS_SHOWN = 100;
/** A page is there at once, also of the last rows of a million. */
const NAMES_MS = 100;

interface Which {
  readonly only: ResultStatus | undefined;
  readonly after: number;
  /** Of somebody who may decide. */
  readonly csrf: string | undefined;
}

/** Payments of one file, in its order, all or those of one status; of that one something may still be said. */
export async function paymentsPart(desk: Desk, batch: BatchRecord, { only, after, csrf }: Which): Promise<Html> {
  const states = only === "not_sent" ? (["ready", "not_sent"] as const) : only && [only];
  const found = await desk.store.rows({ batch: batch.id, ...(states && { states }), after, limit: ROWS_SHOWN + 1 });
  const rows = found.slice(0, ROWS_SHOWN);
  const details = await detailsOf(desk, batch, rows, NAMES_MS);
  const choice = rows.length > 0 && csrf !== undefined ? rowFields(only, batch) : undefined;
  const lines = rows.map((record) => {
    const { row } = record;
    const detail = details.of.get(row) ?? {};
    const first = choice ? tick(record, detail) : row;
    const words = tellRow(record, batch);
    const cells = [
      first,
      payeeCell(detail),
      moneyCell(desk, record.amount),
      becameCell(desk, record, words),
      actOn(batch, record),
    ];
    return { id: `row-${row}`, cells };
  });
  const last = rows.at(-1)?.row ?? 0;
  const caption = rows.length === 0 ? "No payments" : `Rows ${rows[0]?.row ?? 0} to ${last} of the file`;
  const columns = [
    choice ? (["Tick"] as const) : (["Row", "soft", "less"] as const),
    ["Payee", "head"],
    ["Amount", "n"],
    ["What became of it", "wide"],
    ["What to do", "wide", "n", "do"],
  ] as const;
  const table = tableOf({ caption, isHidden: true, columns, kind: choice ? "ticks" : "" }, lines);
  const hidden = { batch: batch.id, from: "batch", as: choice?.as ?? "" };
  const shown = choice
    ? form(`/decide/${choice.act}`, csrf ?? "", [table, markup`<div class="form say">${choice.fields}</div>`], {
        hidden,
        kind: "card after",
      })
    : card(table, "after");
  const title = only ? `Payments: ${SHOWN[only].word}` : "Payments";
  return markup`${over(title, { id: "payments", right: markup`<a href="/find">Find in all files</a>` })}${tabs(desk, batch, only)}
${details.why !== undefined && markup`<p class="card in after">${said(details.why)}</p>`}${shown}${pager(batch, { only, after, csrf }, found.length > ROWS_SHOWN ? last : undefined)}`;
}

function tabs({ figures }: Desk, { id, rows, tallies }: BatchRecord, only: ResultStatus | undefined): Html {
  const counts = shownIn(byStatusOf(tallies));
  return tabsOf("Payments by status", [
    [`/batch/${id}#payments`, `All ${figures.count(rows)}`, only === undefined],
    ...counts.map(
      ([status, tally]) =>
        [
          `/batch/${id}?status=${status}#payments`,
          `${SHOWN[status].word} ${figures.count(tally.rows)}`,
          only === status,
        ] as const,
    ),
  ]);
}

/** `last`: behind it there are more. */
function pager({ id }: BatchRecord, { only, after }: Which, last: number | undefined): Html | undefined {
  if (last === undefined && after === 0) return undefined;
  const query = only === undefined ? "" : `status=${only}&`;
  const first = after > 0 ? markup`<a href="/batch/${id}?${query}#payments">The first rows</a>` : markup`<span></span>`;
  const next =
    last !== undefined && markup`<a href="/batch/${id}?${query}after=${last}#payments">Rows after ${last}</a>`;
  return markup`<nav class="pager" aria-label="Pages of payments">${first} ${next}</nav>`;
}
