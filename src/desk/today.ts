import { basename } from "node:path";
import { rowsIn, sumOf } from "../amount.ts";
import { atWork, waitsIn, type Waits } from "../inbox/at-work.ts";
import { dayOf } from "../day.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { HOST_WORDS } from "../messages/hosts.ts";
import { counted, told, type Told } from "../messages/sentence.ts";
import { byStatusOf, occurringIn } from "../results/totals.ts";
import { mayDo } from "../acts/accounts.ts";
import { newsOfAct, type Desk } from "./desk.ts";
import { button, countTag, form, markup, progressOf, said, tableOf, type Html } from "./html.ts";
import { inboxesOf, lookedAt, type Inbox } from "./inboxes.ts";
import { batchLink, goOnForm, isGoing, LOOKED_AT, needsPart, stoppedText } from "./needs.ts";
import { todoShown } from "./places.ts";
import { livePart, newsOf, type Asked, type Pages } from "./pages.ts";
import { yearPicture } from "./pictures.ts";

const BATCHES_SHOWN = 30;

/** What needs a person, what runs, what waits in the inboxes, and the newest batches. */
export function todayPages(pages: Pages): void {
  const { desk } = pages;
  const needs = needsPart(desk);
  const part = async ({ account, csrf }: Asked): Promise<Html> => {
    const newest = await newestOf(desk);
    const inboxes = await lookedAt(desk);
    const mayAct = mayDo(account.role, "decide") ? csrf : undefined;
    return markup`${await unwatchedPart(desk, inboxes)}<h2>What needs a person</h2>${await needs(newest, inboxes, mayAct)}
<h2>On the way</h2>${runningOf(newest, await waitsIn(desk))}
<h2>Inboxes</h2>${inboxesPart(inboxes, mayAct)}
<h2>Batches</h2><p><a href="/year">A year of batches</a></p>${batchesOf(newest)}`;
  };

  pages.page("/", async (asked) => {
    await desk.endOfDead();
    const content = livePart("/live", await part(asked));
    return pages.framed(asked, { title: "Today", at: "/", content });
  });
  pages.live("/live", part);

  pages.page("/year", async (asked) => {
    const { environment } = desk.config;
    const content = yearPicture(await desk.store.batches({ environment }), environment, desk.store.now());
    return pages.framed(asked, { title: "A year of batches", content });
  });

  for (const path of ["/stop", "/go-on"] as const)
    pages.act(path, async (posted, act) => {
      // only what is known: nobody holds any other folder of this machine from here, or removes a STOP file there
      const inbox = inboxesOf(desk, await desk.store.folders()).find((one) => one === posted.text("inbox"));
      if (inbox === undefined) return pages.goTo(posted, "/", newsOf("no_inbox"));
      return pages.goTo(posted, "/", await newsOfAct(desk, posted.account, (who) => act(desk, who, { inbox })));
    });
}

/** The newest batches, and whatever else waits for somebody or goes, the newest first: nothing else that has ended. */
async function newestOf({ store }: Desk): Promise<readonly BatchRecord[]> {
  const found = await Promise.all([
    store.batches({ newest: BATCHES_SHOWN + 1 }),
    store.batches({ states: ["ready", "held", "unknown", "not_sent", "settled_not_done"] }),
    store.batches({ states: ["invalid", "rejected"], newest: LOOKED_AT.batches }),
    store.batches({ isPaused: true }),
  ]);
  const all = new Map(found.flat().map((batch) => [batch.id, batch]));
  // no batch has a time before that of an earlier one
  return [...all.values()].sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? -1 : 1));
}

const shown = (one: Told): Html => markup`${one.text} → ${todoShown(one)}`;

/** The first thing on the page: of what nobody looks at nothing is taken, and nothing goes. */
async function unwatchedPart(desk: Desk, inboxes: readonly Inbox[]): Promise<Html | undefined> {
  const loss = await desk.store.hosts.loss();
  const waits = await desk.store.hosts.waitsFor();
  const { isAny, watches } = await atWork(desk);
  const unwatched = inboxes.filter(({ inbox }) => !watches(inbox));
  const lines = [
    loss !== undefined && shown(told(HOST_WORDS.loss, { found: loss })),
    waits.length > 0 && shown(told(HOST_WORDS.waits, { hosts: waits.join(", ") })),
    !isAny && inboxes.length > 0 && DESK_WORDS.nobody_works,
    ...(isAny ? unwatched.map(({ inbox: folder }) => told(DESK_WORDS.nobody_watches, { folder }).text) : []),
  ].filter((line) => line !== false);
  if (lines.length === 0) return undefined;
  const parts = lines.map((line) => markup`<p>${line}</p>`);
  return markup`<section class="news bad" aria-label="Nothing goes">${parts}</section>`;
}

function runningOf(batches: readonly BatchRecord[], waitsOf: (batch: BatchRecord) => Waits | undefined): Html {
  const running = batches.filter(isGoing);
  if (running.length === 0) return markup`<p>${DESK_WORDS.nothing_goes}</p>`;
  const lines = running.slice(0, BATCHES_SHOWN).map((batch) => {
    const left = rowsIn(batch.tallies, "ready", "not_sent");
    const way = batch.onItsWay > 0 ? `${batch.onItsWay} at this moment` : waitsOf(batch)?.text;
    const done = progressOf(batch.rows - left, batch.rows, batch.fileName);
    return [batchLink(batch), done, batch.tallies.accepted?.amount ?? "0.00", batch.total, way];
  });
  const titles = ["File", "Rows", "Accepted#", "Sum#", "Now"];
  return tableOf({ caption: "Batches of which rows are still to go", titles }, lines);
}

/** `csrf`: of somebody who may stop and let go on. */
function inboxesPart(inboxes: readonly Inbox[], csrf: string | undefined): Html {
  const parts = inboxes.map(({ inbox, held, waiting }) => {
    const stop = held
      ? markup`<p class="bad">${stoppedText(held)} Nothing goes from here.</p>${goOnForm(inbox, csrf)}`
      : csrf !== undefined && form("/stop", csrf, button(`STOP ${basename(inbox)}`, "stop"), { hidden: { inbox } });
    const files = waiting?.map(
      ({ name, lines }) => markup`<li>${said(name)}${lines.map((line) => markup`<br>${line}`)}</li>`,
    );
    const list = files?.length === 0 ? markup`<p>No file waits.</p>` : markup`<ul>${files}</ul>`;
    return markup`<section class="inbox" aria-label="${inbox}"><h3>${said(inbox)}</h3>${stop}${files ? list : markup`<p>${DESK_WORDS.not_here}</p>`}</section>`;
  });
  return parts.length === 0 ? markup`<p>${DESK_WORDS.no_inboxes}</p>` : markup`${parts}`;
}

function batchesOf(newest: readonly BatchRecord[]): Html {
  const shown = newest.slice(0, BATCHES_SHOWN);
  if (shown.length === 0) return markup`<p>${DESK_WORDS.no_batches}</p>`;
  const lines = shown.map((batch) => {
    const found = occurringIn(byStatusOf(batch.tallies));
    const counts = found.map(([status, { rows }]) => markup`${countTag(status, rows)} `);
    return [batchLink(batch), dayOf(batch.createdAt), batch.label, batch.rows, batch.total, counts];
  });
  const sum = sumOf(shown.flatMap(({ tallies }) => tallies.accepted ?? []));
  const all = newest.length > shown.length ? ", the newest" : "";
  const caption = `${counted(shown.length, "batch|batches")}${all}; ${sum} accepted`;
  return tableOf({ caption, titles: ["File", "Taken", "Operation", "Rows#", "Sum#", "What became of them"] }, lines);
}
