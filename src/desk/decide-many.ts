import { isSameAmount, sumOf } from "../amount.ts";
import { typedSum } from "../acts/act.ts";
import { changedSince, seenOf } from "../acts/as-seen.ts";
import { noteText } from "../acts/findings.ts";
import type { settleProposed } from "../acts/settle.ts";
import type { SettledAs } from "../journal/states.ts";
import type { BatchRecord, RowRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { told } from "../messages/sentence.ts";
import { STATUSES } from "../messages/statuses.ts";
import { markup } from "../pages/html.ts";
import { payments } from "../pages/parts.ts";
import { statusOf } from "../results/totals.ts";
import { note } from "./decide-forms.ts";
import { newsOfAct, type Desk } from "./desk.ts";
import { button, form, linkButton, sumField } from "./forms.ts";
import type { News } from "./frame.ts";
import { newsOf, type Pages, type Posted } from "./pages.ts";
import { batchLink } from "./todo.ts";

type Settle = typeof settleProposed;

interface Many {
  readonly batch: BatchRecord;
  readonly rows: readonly string[];
  readonly as: SettledAs;
  /** What the page showed of its rows. */
  readonly seen: readonly string[];
}

/** Of many at once: their number and sum once more, until their sum is typed; then they are settled. */
export async function onGroup(pages: Pages, posted: Posted, many: Many, settle: Settle): Promise<Response | News> {
  const { desk } = pages;
  const rows = await desk.store.rows({ batch: many.batch.id, rows: many.rows.map(Number) });
  const [changed] = changedSince(many.seen, rows);
  if (changed) return newsOf("row_changed", { row: changed.row, state: STATUSES[statusOf(changed)].word });
  const typed = posted.text("total");
  if (!isSameAmount(typedSum(typed), sumOf(rows))) return confirmPage(pages, posted, many, rows);
  const proposed = rows.map((record) => ({
    ...{ batch: many.batch.id, row: record.row, seen: seenOf(record) },
    note: [posted.text("note").trim(), lineFor(pages, many, record)].filter(Boolean).join("; "),
  }));
  return newsOfSettling(desk, posted, (who) => settle(desk, who, { rows: proposed, total: typed, as: many.as }));
}

/** The line that speaks for it stands in its note, behind what the person says. */
function lineFor({ statements }: Pages, { as }: Many, record: RowRecord): string {
  const word = as === "settled_done" ? statements.wordOn(record) : undefined;
  return word?.found.is === "proposed" ? noteText(word.found, word.in.fileName) : "";
}

function confirmPage(pages: Pages, posted: Posted, many: Many, rows: readonly RowRecord[]): Promise<Response> {
  const { desk, statements } = pages;
  const { figures } = desk;
  const { batch, seen } = many;
  const typed = posted.text("total");
  const went = many.as === "settled_done";
  const shown = rows.filter((record) => statements.wordOn(record)?.found.is === "proposed").length;
  const count = payments(rows.length, figures);
  const press = button(went ? `They went: ${count}` : `They did not go: ${count}`, went ? "main" : "stop");
  const asks = markup`${typed !== "" && markup`<p class="red" role="alert">${DESK_WORDS.group_sum_wrong}</p>`}
<p><b>${count}, ${figures.money(sumOf(rows))}.</b> ${went ? DESK_WORDS.group_went : DESK_WORDS.group_stayed}</p>
<p class="soft">${told(DESK_WORDS.group_evidence, { shown, rows: rows.length }).text}</p>
${sumField("Their sum", DESK_WORDS.proposed_sum, typed)}${note(undefined, posted.text("note"))}
<p class="acts">${press} ${linkButton(`/decide?batch=${batch.id}`, "Back", "quiet")}</p>`;
  const hidden = { batch: batch.id, as: posted.text("as"), group: "ticked", rows_ticked: many.rows.join(), seen };
  const content = form("/decide/unknown", posted.csrf, asks, { hidden, kind: "card form" });
  const title = went ? "They went?" : "They did not go?";
  return pages.framed(posted, { title, at: "/decide", crumb: batchLink(batch), content });
}

/** Hundreds of rows are told in one line; what did not go as they said is told for itself. */
export async function newsOfSettling(
  desk: Desk,
  { account }: Posted,
  settle: (who: Parameters<Settle>[1]) => ReturnType<Settle>,
): Promise<News> {
  let done: readonly string[] = [];
  const news = await newsOfAct(desk, account, async (who) => {
    const acted = await settle(who);
    const isSettled = (code: string): boolean => code === "settled_done" || code === "settled_not_done";
    const settled = acted.found.filter(({ code }) => isSettled(code));
    const sum = desk.figures.money(sumOf(settled.map(({ facts }) => ({ amount: String(facts["amount"] ?? "0") }))));
    const isDone = settled.some(({ code }) => code === "settled_done");
    const word = isDone ? DESK_WORDS.proposed_done : DESK_WORDS.proposed_not_done;
    if (settled.length > 0) done = [told(word, { rows: settled.length, by: account.name, sum }).text];
    return { ...acted, found: acted.found.filter((each) => !settled.includes(each)) };
  });
  return { isGood: news.isGood, lines: [...done, ...news.lines] };
}
