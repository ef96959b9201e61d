import { isSameAmount, sumOf } from "../amount.ts";
import { changedSince, seenOf } from "../acts/as-seen.ts";
import { settledAs } from "../acts/settle.ts";
import { sentOf, sentText } from "../commands/status-lists.ts";
import { askRelease, type Release } from "../journal/release.ts";
import type { ResultStatus } from "../events.ts";
import type { BatchRecord, RowRecord, Tally } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { counted, told } from "../messages/sentence.ts";
import { namedRows, STATUSES } from "../messages/statuses.ts";
import { tellRow } from "../results/columns.ts";
import { detailsOf, referenceText, whoText } from "../results/details.ts";
import { statusOf } from "../results/totals.ts";
import { mayDo, type Account } from "../acts/accounts.ts";
import { actAt, newsOfAct, newsOfLetting, type Desk } from "./desk.ts";
import {
  button,
  choices,
  countTag,
  field,
  form,
  markup,
  nothing,
  said,
  statusTag,
  sumField,
  tableOf,
  type Html,
  type News,
} from "./html.ts";
import { batchLink } from "./needs.ts";
import { todoShown } from "./places.ts";
import type { ActOf } from "./rights.ts";
import { newsOf, type Asked, type Pages, type Posted } from "./pages.ts";

/** Files whose private copies are read for one page, and rows of each. */
const GROUPS_SHOWN = 4;
const ROWS_SHOWN = 50;

type State = "unknown" | "held";

interface Group {
  readonly batch: BatchRecord;
  readonly state: State;
  readonly tally: Tally;
}

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
  const settleRows: Carry<"unknown" | "settled"> = async ({ account, text }, { batch, rows, seen }, settle) => {
    const as = settledAs(text("as"));
    if (!as) return newsOf("no_choice");
    const total = text("total").trim();
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
    const total = text("total").trim();
    const { acceptedBefore } = await ask(desk, account, chosen);
    // of one payment, too: whoever releases it has seen what it is
    if (acceptedBefore.rows > 0 && !isSameAmount(total, acceptedBefore.amount)) return newsOf("sum_differs");
    const which = isAll ? "all" : rows.map(Number);
    const values = { batch: batch.id, which, total, reason: text("reason"), seen } as const;
    return newsOfLetting(desk, account, (who) => release(desk, who, values));
  });
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
  const rows = posted.texts("row").filter((row) => /^\d{1,9}$/.test(row));
  const isAll = ["held", "release"].includes(word) && posted.text("all") === "yes";
  const back = batch && posted.text("from") === "batch" ? `/batch/${batch.id}` : "/decide";
  if (!batch || (!isAll && rows.length === 0)) return pages.goTo(posted, back, newsOf("no_rows"));
  if (isAll && posted.text("all_seen") !== tallyOf(batch)) return pages.goTo(posted, back, newsOf("all_changed"));
  const said = await carry({ batch, rows, isAll, seen: posted.texts("seen") });
  return said instanceof Response ? said : pages.goTo(posted, back, said);
}

async function decidePage(pages: Pages, asked: Asked): Promise<Response> {
  const { desk } = pages;
  await desk.endOfDead();
  const only = asked.c.req.query("batch");
  const groups = groupsIn(
    await desk.store.batches(only === undefined ? { states: ["unknown", "held"] } : { id: only }),
  );
  const csrf = mayDo(asked.account.role, "decide") ? asked.csrf : undefined;
  const shown = await Promise.all(groups.slice(0, GROUPS_SHOWN).map((group) => groupPart(desk, group, csrf)));
  const others = groups.slice(GROUPS_SHOWN).map((group) => markup`<li>${linkTo(group)}</li>`);
  const content = markup`${groups.length === 0 && markup`<p>${DESK_WORDS.nothing_to_decide}</p>`}${shown}
${others.length > 0 && markup`<h2>More</h2><ul>${others}</ul>`}
${only !== undefined && markup`<p><a href="/decide">All batches</a></p>`}`;
  return pages.framed(asked, { title: "Decide", at: "/decide", content });
}

/** Before rows go that were held. */
async function lookOnceMore(pages: Pages, posted: Posted, chosen: Chosen): Promise<Response | News> {
  const { desk } = pages;
  const { batch, rows, isAll, seen } = chosen;
  const [changed] = isAll ? [] : changedSince(seen, await desk.store.rows({ batch: batch.id, rows: rows.map(Number) }));
  if (changed) return newsOf("row_changed", { row: changed.row, state: STATUSES[statusOf(changed)].word });
  const content = await confirmPart(desk, chosen, posted);
  return pages.framed(posted, { title: "Let them go?", at: "/decide", content });
}

/** The gravest first, of each the oldest batch first; what was cancelled waits for nobody. */
function groupsIn(batches: readonly BatchRecord[]): readonly Group[] {
  const of = (state: State): readonly Group[] =>
    batches.flatMap((batch) => {
      const tally = batch.tallies[state];
      return tally && (state === "unknown" || batch.phase !== "cancelled") ? [{ batch, state, tally }] : [];
    });
  return [...of("unknown"), ...of("held")];
}

const linkTo = ({ batch, state, tally }: Group): Html =>
  markup`<a href="/decide?batch=${batch.id}">${said(batch.fileName)}</a>: ${countTag(state, tally.rows)} ${tally.amount}`;

interface Chosen {
  readonly batch: BatchRecord;
  readonly rows: readonly string[];
  readonly isAll: boolean;
  /** What the page showed of its rows. */
  readonly seen: readonly string[];
}

/** What a page says of all that are held. */
const tallyOf = ({ tallies: { held } }: BatchRecord): string => `${held?.rows ?? 0} ${held?.amount ?? ""}`;

/** `csrf`: of somebody who may decide. */
async function groupPart(desk: Desk, group: Group, csrf: string | undefined): Promise<Html> {
  const { batch, state, tally } = group;
  const rows = await desk.store.rows({ batch: batch.id, states: [state], limit: ROWS_SHOWN });
  const details = await detailsOf(desk, batch, rows);
  const sent = state === "unknown" ? await sentTexts(desk, batch, rows) : undefined;
  const lines = rows.map((record) => {
    const { row, amount, lateAnswer } = record;
    const detail = details.of.get(row) ?? {};
    const texts = [detail.debit ?? "", whoText(detail), referenceText(detail)].map(said);
    const words = tellRow(record, batch);
    const late = lateAnswer && markup`<br>Its host heard later: ${lateAnswer}`;
    const last = sent ? (sent.get(row) ?? "") : todoShown(words, "/decide");
    const happened = markup`${words.text}${late}`;
    const known = amount ?? "not known";
    return [csrf === undefined ? row : tick(record), known, ...texts, happened, last];
  });
  const titles = ["Row", "Amount#", "From", "To", "Reference", "What happened", sent ? "Sent (UTC)" : "What is right"];
  const caption = `${counted(rows.length)} of ${tally.rows} ${STATUSES[state].word}, ${tally.amount} in all`;
  const table = tableOf({ caption, titles }, lines);
  const means = state === "unknown" ? DESK_WORDS.look_up : DESK_WORDS.held_means;
  const heading = markup`<h2>${statusTag(state)} in ${batchLink(batch)}</h2><p>${means}</p>${details.why && markup`<p>${details.why}</p>`}`;
  if (csrf === undefined) return markup`${heading}${table}`;
  const isContradicted = rows.some(({ code }) => code === "contradiction");
  const fields = state === "unknown" ? settleFields() : [allHeld(tally.rows), heldFields(isContradicted)];
  const hidden = { batch: batch.id, all_seen: tallyOf(batch) };
  return markup`${heading}${form(`/decide/${state}`, csrf, [table, fields], { hidden })}`;
}

async function sentTexts({ store }: Desk, { id }: BatchRecord, rows: readonly RowRecord[]) {
  const [acts, runs] = await Promise.all([store.acts({ batch: id }), store.runs(id)]);
  return new Map(rows.map((record) => [record.row, sentText({ record, sent: sentOf(record, acts, runs) })]));
}

/** With the row as it is shown: what is said of it counts for nothing else. */
export const tick = (record: RowRecord): Html =>
  markup`<label><input type="checkbox" name="row" value="${record.row}"> ${record.row}</label><input type="hidden" name="seen" value="${seenOf(record)}">`;

/** What may still be said of ticked rows on the page of their batch, by their status. */
export function rowFields(status: ResultStatus | undefined, { phase }: BatchRecord) {
  if (status === "duplicate" && phase !== "cancelled")
    return { act: "held", as: "", fields: markup`<p>${DESK_WORDS.duplicate_means}</p>${heldFields()}` };
  const wentAfterAll = markup`${note()}<p>${button("They went after all")}</p>`;
  if (status === "settled_not_done") return { act: "settled", as: "done", fields: wentAfterAll };
  if (status !== "accepted" && status !== "settled_done") return undefined;
  const fields = markup`<details><summary>The money came back</summary><p class="bad">${DESK_WORDS.back_means}</p>
${note("bank statement 3 Nov, returned")}${sumField("Their sum", DESK_WORDS.back_sum)}<p>${button("They came back", "stop")}</p></details>`;
  return { act: "settled", as: "not-done", fields };
}

const note = (such = "dashboard 1 Nov 10:12, no entry"): Html =>
  field("note", "Where you looked, and what you found", {
    required: true,
    maxlength: "1000",
    hint: `such as: ${such}`,
  });

const settleFields = (): Html =>
  markup`${choices("as", "What became of the ticked rows", {
    done: "They went. They are never sent again.",
    "not-done": "They did not go. They may be sent again.",
  })}${note()}<p>${button("Say so")}</p>`;

const allHeld = (rows: number): Html =>
  markup`<p><label><input type="checkbox" name="all" value="yes"> All that are held of this batch: ${counted(rows)}</label></p>`;
const heldFields = (isContradicted = false): Html =>
  markup`${choices("what", "What is to become of them", {
    ...(isContradicted && { done: "They went. They are never sent again." }),
    cancel: "Nothing is to be sent for them.",
    release: "They are meant as well. They go after one more look.",
  })}${field("reason", "Why, for the history", { required: true, maxlength: "1000" })}<p>${button("Go on")}</p>`;

/** What would be let go now. Nothing is changed by asking. */
function ask(desk: Desk, by: Account, { batch, rows, isAll }: Chosen): Promise<Release> {
  const { store, config } = desk;
  const asked = { rules: config, now: store.now(), act: actAt(desk, by, "release") };
  return store.judging(() => askRelease(store, batch, isAll ? "all" : rows.map(Number), asked));
}

/** One more look before money moves: how many rows, their sum, and what of it would go a second time. */
async function confirmPart(desk: Desk, chosen: Chosen, posted: Posted): Promise<Html> {
  const { batch } = chosen;
  const { moves, refused, acceptedBefore } = await ask(desk, posted.account, chosen);
  const numbers = moves.map(({ row }) => row);
  const rows = numbers.length === 0 ? [] : await desk.store.rows({ batch: batch.id, rows: numbers });
  const { text, todo } = told(DESK_WORDS.twice, { rows: acceptedBefore.rows });
  const total = acceptedBefore.rows > 0 && markup`<p class="bad">${text}</p>${sumField("Their sum", todo)}`;
  const rowsThatStay = refused.map(({ row }) => row);
  const stays = refused.length > 0 && markup`<p>${namedRows(rowsThatStay, refused.length)} cannot go now.</p>`;
  const said = Object.fromEntries(
    ["batch", "all", "all_seen", "reason", "from"].map((name) => [name, posted.text(name)]),
  );
  const go = markup`${total}<p>${button(`Let ${counted(rows.length)} go: ${sumOf(rows)}`, "stop")}</p>`;
  const hidden = { ...said, row: chosen.rows, seen: chosen.seen };
  return markup`<p>${namedRows(numbers.slice(0, 20), numbers.length)} of ${batchLink(batch)}, ${sumOf(rows)} in all.</p>${stays}
${rows.length > 0 ? form("/decide/release", posted.csrf, go, { hidden }) : nothing}<p><a href="/decide?batch=${batch.id}">Back: nothing goes</a></p>`;
}
