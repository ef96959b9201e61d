import { isSameAmount, sumOf } from "../amount.ts";
import { changedSince } from "../acts/as-seen.ts";
import { settledAs } from "../acts/settle.ts";
import { typedSum } from "../acts/act.ts";
import { askRelease, type Release } from "../journal/release.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { told } from "../messages/sentence.ts";
import { namedRows, STATUSES } from "../messages/statuses.ts";
import { markup, type Html } from "../pages/html.ts";
import { alertOf, payments, tabsOf } from "../pages/parts.ts";
import { SHOWN } from "../messages/pages.ts";
import { statusOf } from "../results/totals.ts";
import { mayDo, type Account } from "../acts/accounts.ts";
import { actAt, newsOfAct, newsOfLetting, type Desk } from "./desk.ts";
import { onGroup } from "./decide-many.ts";
import { tallyText, waitingPart, type Waiting } from "./decide-groups.ts";
import { button, form, linkButton, sumField } from "./forms.ts";
import type { News } from "./frame.ts";
import { newsOf, type Asked, type Pages, type Posted } from "./pages.ts";
import type { ActOf } from "./rights.ts";
import { batchLink } from "./todo.ts";

/** Files whose private copies are read for one page. */
const GROUPS_SHOWN = 4;

type Word = "unknown" | "settled" | "held" | "release";
type Carry<Of extends Word> = (posted: Posted, chosen: Chosen, act: ActOf<`/decide/${Of}`>) => Promise<News | Response>;

/** Held and unknown rows over all batches: why, and what may be said of them, the harmless thing first. */
export function decidePages(pages: Pages): void {
  const { desk } = pages;

  pages.page("/decide", (asked) => decidePage(pages, asked));

  const act = <Of extends Word>(word: Of, carry: Carry<Of>): void =>
    pages.act(`/decide/${word}`, (posted, called) =>
      onChosen(pages, word, posted, (chosen) => carry(posted, chosen, called)),
    );

  /** What went, and is said not to have gone, may be paid twice: the act asks for the sum. */
  const settleRows: Carry<"unknown" | "settled"> = async (posted, chosen, { settle, settleProposed }) => {
    const { account, text } = posted;
    const { batch, rows, seen, isGroup } = chosen;
    const as = settledAs(text("as"));
    if (!as) return newsOf("no_choice");
    const total = text("total").trim();
    if (isGroup) return onGroup(pages, posted, { batch, rows, seen, as }, settleProposed);
    const values = { batch: batch.id, rows: rows.map(Number), as, note: text("note"), total, seen };
    return newsOfAct(desk, account, (who) => settle(desk, who, values));
  };
  act("unknown", settleRows);
  act("settled", settleRows);

  act("held", async (posted, chosen, { cancel, settle }) => {
    const { batch, rows, isAll, seen } = chosen;
    const [what, reason] = [posted.text("what"), posted.text("reason")];
    if (what === "cancel") {
      const values = { batch: batch.id, which: isAll ? "held" : rows.map(Number), reason, seen } as const;
      return newsOfAct(desk, posted.account, (who) => cancel(desk, who, values));
    }
    // each is looked up for itself
    if (what === "done" && isAll) return newsOf("no_rows");
    if (what === "done")
      return newsOfAct(desk, posted.account, (who) =>
        settle(desk, who, { batch: batch.id, rows: rows.map(Number), as: "settled_done", note: reason, seen }),
      );
    if (what !== "release") return newsOf("no_choice");
    return lookOnceMore(pages, posted, chosen);
  });

  act("release", async ({ account, text }, chosen, release) => {
    const { batch, rows, isAll, seen } = chosen;
    const total = typedSum(text("total"));
    const { acceptedBefore } = await ask(desk, account, chosen);
    // of one payment, too: whoever releases it has seen what it is
    if (acceptedBefore.rows > 0 && !isSameAmount(total, acceptedBefore.amount)) return newsOf("sum_differs");
    const which = isAll ? "all" : rows.map(Number);
    const values = { batch: batch.id, which, total, reason: text("reason"), seen } as const;
    return newsOfLetting(desk, account, (who) => release(desk, who, values));
  });
}

interface Chosen {
  readonly batch: BatchRecord;
  readonly rows: readonly string[];
  readonly isAll: boolean;
  /** Some were ticked as a group: they are shown once more. */
  readonly isGroup: boolean;
  /** What the page showed of its rows. */
  readonly seen: readonly string[];
}

/** Gives what is said of it, or a page that asks once more. */
async function onChosen(
  pages: Pages,
  word: Word,
  posted: Posted,
  carry: (chosen: Chosen) => Promise<News | Response>,
): Promise<Response> {
  // as it is written: acts take the beginning of an id as well
  const [batch] = await pages.desk.store.batches({ id: posted.text("batch") });
  const groups = word === "unknown" ? posted.texts("group") : [];
  const named = groups.flatMap((group) => posted.text(`rows_${group}`).split(","));
  const rows = [...new Set([...posted.texts("row"), ...named])].filter((row) => /^\d{1,9}$/.test(row));
  const isAll = ["held", "release"].includes(word) && posted.text("all") === "yes";
  const back = batch && posted.text("from") === "batch" ? `/batch/${batch.id}` : "/decide";
  if (!batch || (!isAll && rows.length === 0)) return pages.goTo(posted, back, newsOf("no_rows"));
  if (isAll && posted.text("all_seen") !== tallyText(batch)) return pages.goTo(posted, back, newsOf("all_changed"));
  const said = await carry({ batch, rows, isAll, isGroup: groups.length > 0, seen: posted.texts("seen") });
  return said instanceof Response ? said : pages.goTo(posted, back, said);
}

async function decidePage(pages: Pages, asked: Asked): Promise<Response> {
  const { desk, statements } = pages;
  const { figures } = desk;
  await desk.endOfDead();
  const only = asked.c.req.query("batch");
  const groups = groupsIn(
    await desk.store.batches(only === undefined ? { states: ["unknown", "held"] } : { id: only }),
  );
  const csrf = mayDo(asked.account.role, "decide") ? asked.csrf : undefined;
  const shown = await Promise.all(
    groups.slice(0, GROUPS_SHOWN).map((group) => waitingPart(desk, group, { statements, csrf })),
  );
  const rows = groups.reduce((sum, { tally }) => sum + tally.rows, 0);
  const sum = figures.money(sumOf(groups.map(({ tally }) => tally)));
  const tabs = tabsOf(
    "Files that wait",
    groups.map(({ batch, state, tally }, at) => [
      at < GROUPS_SHOWN ? `#${state}-${batch.id}` : `/decide?batch=${batch.id}`,
      `${SHOWN[state].word}: ${batch.fileName} ${tally.rows}`,
    ]),
  );
  const none = markup`<p class="card in">${DESK_WORDS.nothing_to_decide}</p>`;
  const hasUnknown = groups.some(({ state }) => state === "unknown");
  const content = markup`${groups.length === 0 ? none : groups.length > 1 && tabs}${hasUnknown && markup`<div class="after">${statementsPart(pages)}</div>`}${shown}
${only !== undefined && markup`<p class="after"><a href="/decide">All that waits</a></p>`}`;
  const sub = groups.length === 0 ? "" : told(DESK_WORDS.decide_sub, { payments: payments(rows, figures), sum }).text;
  return pages.framed(asked, { title: "Decide", at: "/decide", sub, content, foot: DESK_WORDS.decide_foot });
}

/** Which statements stand beside the payments. */
function statementsPart({ desk, statements }: Pages): Html {
  const read = statements.newest.map(
    ({ debit, until, fileName }) =>
      told(DESK_WORDS.statement_read, { debit, fileName, until: desk.figures.day(Date.parse(until), desk.store.now()) })
        .text,
  );
  const lines = read.length === 0 ? [DESK_WORDS.no_statement] : read.slice(0, 4);
  const acts = linkButton("/reconcile", "Read a statement");
  return alertOf({ label: "Bank statements", lines, acts, kind: "plain" });
}

/** The gravest first, of each the oldest batch first; what was cancelled waits for nobody. */
function groupsIn(batches: readonly BatchRecord[]): readonly Waiting[] {
  const of = (state: Waiting["state"]): readonly Waiting[] =>
    batches.flatMap((batch) => {
      const tally = batch.tallies[state];
      return tally && (state === "unknown" || batch.phase !== "cancelled") ? [{ batch, state, tally }] : [];
    });
  return [...of("unknown"), ...of("held")];
}

/** Before rows go that were held. */
async function lookOnceMore(pages: Pages, posted: Posted, chosen: Chosen): Promise<Response | News> {
  const { desk } = pages;
  const { batch, rows, isAll, seen } = chosen;
  const [changed] = isAll ? [] : changedSince(seen, await desk.store.rows({ batch: batch.id, rows: rows.map(Number) }));
  if (changed) return newsOf("row_changed", { row: changed.row, state: STATUSES[statusOf(changed)].word });
  const content = await confirmPart(desk, chosen, posted);
  return pages.framed(posted, { title: "Let them go?", at: "/decide", crumb: batchLink(batch), content });
}

/** What would be let go now. Nothing is changed by asking. */
function ask(desk: Desk, by: Account, { batch, rows, isAll }: Chosen): Promise<Release> {
  const { store, config } = desk;
  const asked = { rules: config, now: store.now(), act: actAt(desk, by, "release") };
  return store.judging(() => askRelease(store, batch, isAll ? "all" : rows.map(Number), asked));
}

/** One more look before money moves: how many rows, their sum, and what of it would go a second time. */
async function confirmPart(desk: Desk, chosen: Chosen, posted: Posted): Promise<Html> {
  const { batch } = chosen;
  const { figures } = desk;
  const { moves, refused, acceptedBefore } = await ask(desk, posted.account, chosen);
  const numbers = moves.map(({ row }) => row);
  const rows = numbers.length === 0 ? [] : await desk.store.rows({ batch: batch.id, rows: numbers });
  const { text, todo } = told(DESK_WORDS.twice, { rows: acceptedBefore.rows });
  const total = acceptedBefore.rows > 0 && markup`<p class="red">${text}</p>${sumField("Their sum", todo)}`;
  const rowsThatStay = refused.map(({ row }) => row);
  const stays = refused.length > 0 && markup`<p>${namedRows(rowsThatStay, refused.length)} cannot go now.</p>`;
  const said = Object.fromEntries(
    ["batch", "all", "all_seen", "reason", "from"].map((name) => [name, posted.text(name)]),
  );
  const sum = figures.money(sumOf(rows));
  const go = markup`${total}<p class="acts">${button(`Let ${payments(rows.length, figures)} go: ${sum}`, "stop")} ${linkButton(`/decide?batch=${batch.id}`, "Back: nothing goes", "quiet")}</p>`;
  const hidden = { ...said, row: chosen.rows, seen: chosen.seen };
  const what = markup`<p><b>${namedRows(numbers.slice(0, 20), numbers.length)} of ${batchLink(batch)}, ${sum}</b></p>${stays}`;
  if (rows.length === 0)
    return markup`<div class="card in">${what}<p><a href="/decide?batch=${batch.id}">Back: nothing goes</a></p></div>`;
  return form("/decide/release", posted.csrf, [what, go], { hidden, kind: "card form" });
}
