import { isSameAmount, sumOf } from "../amount.ts";
import { cancel } from "../commands/pause-cancel.ts";
import { release } from "../commands/release-retry-resume.ts";
import { run as settle } from "../commands/settle.ts";
import { sentOf, sentText } from "../commands/status-lists.ts";
import { askRelease, type Release } from "../journal/release.ts";
import type { BatchRecord, RowRecord, Tally } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { counted, told } from "../messages/sentence.ts";
import { namedRows, STATUSES } from "../messages/statuses.ts";
import { tellRow } from "../results/columns.ts";
import { mayDo } from "./accounts.ts";
import { carryOut, withoutCommands, type Desk } from "./desk.ts";
import { detailsOf } from "./details.ts";
import {
  choices,
  field,
  markup,
  nothing,
  said,
  statusTag,
  tableOf,
  tokenField,
  type Html,
  type Shown,
} from "./html.ts";
import { newsOf, type Pages, type Posted } from "./pages.ts";
import { batchLink } from "./today.ts";

/** Files whose private copies are read for one page, and rows of each. */
const GROUPS_SHOWN = 4;
const ROWS_SHOWN = 50;

type State = "unknown" | "held";

interface Group {
  readonly batch: BatchRecord;
  readonly state: State;
  readonly tally: Tally;
}

/** Held and unknown rows over all batches: why, and what may be said of them, the harmless thing first. */
export function decidePages(pages: Pages): void {
  const { desk } = pages;
  // as it is written: commands take the beginning of an id as well
  const isBatch = async (id: string): Promise<boolean> => (await desk.store.batches({ id })).length > 0;

  pages.page("/decide", async (asked) => {
    await desk.endOfDead();
    const only = asked.c.req.query("batch");
    const groups = groupsIn(await desk.store.batches(only === undefined ? {} : { id: only }));
    const csrf = mayDo(asked.account.role, "decide") ? asked.csrf : undefined;
    const shown = await Promise.all(groups.slice(0, GROUPS_SHOWN).map((group) => groupPart(desk, group, csrf)));
    const others = groups.slice(GROUPS_SHOWN).map((group) => markup`<li>${linkTo(group)}</li>`);
    const content = markup`${groups.length === 0 && markup`<p>${DESK_WORDS.nothing_to_decide}</p>`}${shown}
${others.length > 0 && markup`<h2>More</h2><ul>${others}</ul>`}
${only !== undefined && markup`<p><a href="/decide">All batches</a></p>`}`;
    return pages.framed(asked, { title: "Decide", at: "/decide", content });
  });

  pages.act("/decide/unknown", "decide", async (posted) => {
    const { id, rows, back } = chosen(posted);
    if (rows.length === 0 || !(await isBatch(id))) return pages.goTo(posted, back, newsOf("no_rows"));
    const as = posted.text("as");
    if (as === "") return pages.goTo(posted, back, newsOf("no_choice"));
    const flags = { row: rows, as, note: posted.text("note"), only_unknown: true };
    return pages.goTo(posted, back, await carryOut(desk, posted.account, settle, [id], flags));
  });

  pages.act("/decide/held", "decide", async (posted) => {
    const { id, rows, back, isAll } = chosen(posted);
    if ((rows.length === 0 && !isAll) || !(await isBatch(id))) return pages.goTo(posted, back, newsOf("no_rows"));
    const which = isAll ? { held: true } : { row: rows };
    const flags = { ...which, reason: posted.text("reason") };
    if (posted.text("what") === "cancel")
      return pages.goTo(posted, back, await carryOut(desk, posted.account, cancel, [id], flags));
    if (posted.text("what") !== "release") return pages.goTo(posted, back, newsOf("no_choice"));
    const [batch] = await desk.store.batches({ id });
    if (!batch) return pages.goTo(posted, "/decide", newsOf("no_rows"));
    const content = await confirmPart(desk, batch, posted);
    return pages.framed(posted, { title: "Let them go?", at: "/decide", content });
  });

  pages.act("/decide/release", "decide", async (posted) => {
    const { id, rows, back, isAll } = chosen(posted);
    const [batch] = await desk.store.batches({ id });
    if (!batch || (rows.length === 0 && !isAll)) return pages.goTo(posted, back, newsOf("no_rows"));
    const total = posted.text("total").trim();
    const { acceptedBefore } = await ask(desk, batch, posted);
    // of one payment, too: whoever releases it has seen what it is
    if (acceptedBefore.rows > 0 && !isSameAmount(total, acceptedBefore.amount))
      return pages.goTo(posted, back, newsOf("sum_differs"));
    const which = isAll ? { all: true } : { row: rows };
    const flags = { ...which, reason: posted.text("reason"), ...(total !== "" && { total }) };
    return pages.goTo(posted, back, await carryOut(desk, posted.account, release, [id], flags));
  });
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
  markup`<a href="/decide?batch=${batch.id}">${said(batch.fileName)}</a>: ${statusTag(state, `${tally.rows} ${STATUSES[state].word}`)} ${tally.amount}`;

function chosen({ text, texts }: Posted) {
  const id = text("batch");
  const rows = texts("row").filter((row) => /^\d{1,9}$/.test(row));
  const back = text("only") === "yes" ? `/decide?batch=${encodeURIComponent(id)}` : "/decide";
  return { id, rows, back, isAll: text("all") === "yes" };
}

/** `csrf`: of somebody who may decide. */
async function groupPart(desk: Desk, group: Group, csrf: string | undefined): Promise<Html> {
  const { batch, state, tally } = group;
  const rows = await desk.store.rows({ batch: batch.id, states: [state], limit: ROWS_SHOWN });
  const details = await detailsOf(desk, batch, rows.map(({ row }) => row)); // prettier-ignore
  const sent = state === "unknown" ? await sentTexts(desk, batch, rows) : undefined;
  const lines = rows.map((record) => {
    const { row, amount, lateAnswer } = record;
    const { from = "", payee = "", reference = "" } = details.of.get(row) ?? {};
    const { text, todo } = tellRow(record, batch);
    const late = lateAnswer && markup`<br>Its host heard later: ${lateAnswer}`;
    const tick = markup`<label><input type="checkbox" name="row" value="${row}"> ${row}</label>`;
    const last = sent ? (sent.get(row) ?? "") : withoutCommands(todo);
    return [
      csrf === undefined ? row : tick,
      amount ?? "not known",
      said(from),
      said(payee),
      said(reference),
      markup`${text}${late}`,
      last,
    ];
  });
  const titles = ["Row", "Amount#", "From", "To", "Reference", "What happened", sent ? "Sent (UTC)" : "What is right"];
  const caption = `${counted(rows.length)} of ${tally.rows} ${STATUSES[state].word}, ${tally.amount} in all`;
  const table = tableOf({ caption, titles }, lines);
  const heading = markup`<h2>${statusTag(state)} in ${batchLink(batch)}</h2><p>${state === "unknown" ? DESK_WORDS.look_up : DESK_WORDS.held_means}</p>${details.why && markup`<p>${details.why}</p>`}`;
  if (csrf === undefined) return markup`${heading}${table}`;
  return markup`${heading}<form method="post" action="/decide/${state}">${tokenField(csrf)}<input type="hidden" name="batch" value="${batch.id}">
${table}${state === "unknown" ? settleFields() : heldFields(tally)}</form>`;
}

async function sentTexts(
  desk: Desk,
  { id }: BatchRecord,
  rows: readonly RowRecord[],
): Promise<ReadonlyMap<number, string>> {
  const [acts, runs] = await Promise.all([desk.store.acts({ batch: id }), desk.store.runs(id)]);
  return new Map(rows.map((record) => [record.row, sentText({ record, sent: sentOf(record, acts, runs) })]));
}

const settleFields = (): Html => markup`${choices("as", "What became of the ticked rows", [
  ["done", "They went. They are never sent again."],
  ["not-done", "They did not go. They may be sent again."],
])}${field("note", "Where you looked, and what you found", { required: true, maxlength: "1000", hint: "such as: dashboard 1 Nov 10:12, no entry" })}
<p><button class="main">Say so</button></p>`;

const heldFields = ({
  rows,
}: Tally): Html => markup`<p><label><input type="checkbox" name="all" value="yes"> All that are held of this batch: ${counted(rows)}</label></p>
${choices("what", "What is to become of them", [
  ["cancel", "Nothing is to be sent for them."],
  ["release", "They are meant as well. They go after one more look."],
])}${field("reason", "Why, for the history", { required: true, maxlength: "1000" })}
<p><button class="main">Go on</button></p>`;

/** What would be let go now. Nothing is changed by asking. */
function ask(desk: Desk, batch: BatchRecord, posted: Posted): Promise<Release> {
  const { rows, isAll } = chosen(posted);
  const { store, config } = desk;
  return store.judging(() => askRelease(store, batch, isAll ? "all" : rows.map(Number), config, Date.now()));
}

/** One more look before money moves: how many rows, their sum, and what of it would go a second time. */
async function confirmPart(desk: Desk, batch: BatchRecord, posted: Posted): Promise<Html> {
  const { moves, refused, acceptedBefore } = await ask(desk, batch, posted);
  const numbers = moves.map(({ row }) => row);
  const rows = numbers.length === 0 ? [] : await desk.store.rows({ batch: batch.id, rows: numbers });
  const { text = "", todo = "" } = acceptedBefore.rows > 0 ? told(DESK_WORDS.twice, { rows: acceptedBefore.rows }) : {};
  const hidden = (name: string, value: string): Shown => markup`<input type="hidden" name="${name}" value="${value}">`;
  const total =
    text !== "" &&
    markup`<p class="bad">${text}</p>${field("total", "Their sum", { required: true, inputmode: "decimal", autocomplete: "off", hint: todo })}`;
  const stays = refused.length > 0 && markup`<p>${namedRows(refused.map(({ row }) => row), refused.length)} cannot go now.</p>`; // prettier-ignore
  const form = markup`<form method="post" action="/decide/release">${tokenField(posted.csrf)}
${["batch", "all", "reason", "only"].map((name) => hidden(name, posted.text(name)))}${chosen(posted).rows.map((row) => hidden("row", row))}
${total}<p><button class="stop">Let ${counted(rows.length)} go: ${sumOf(rows)}</button></p></form>`;
  return markup`<p>${namedRows(numbers.slice(0, 20), numbers.length)} of ${batchLink(batch)}, ${sumOf(rows)} in all.</p>${stays}
${rows.length > 0 ? form : nothing}<p><a href="/decide?batch=${batch.id}">Back: nothing goes</a></p>`;
}
