import { basename } from "node:path";
import { rowsIn, sumOf } from "../amount.ts";
import { mayDo } from "../acts/accounts.ts";
import { startOfDay } from "../day.ts";
import { waitsIn, type Waits } from "../inbox/at-work.ts";
import { isUnapproved } from "../journal/approval.ts";
import type { BatchRecord, Tally } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { counted, told } from "../messages/sentence.ts";
import { markup, said, type Html, type Shown } from "../pages/html.ts";
import { card, over, payments, tilesOf } from "../pages/parts.ts";
import { newsOfAct, type Desk } from "./desk.ts";
import { button, form } from "./forms.ts";
import { filesTable } from "./files.ts";
import { inboxesOf, lookedAt, type Inbox } from "./inboxes.ts";
import { newsOf, type Asked, type Pages } from "./pages.ts";
import { yearPicture } from "./pictures.ts";
import { isGoing, LOOKED_AT, Todos, batchLink } from "./todo.ts";

const BATCHES_SHOWN = 20;

/** What needs a person, what is sent now, what waits in the inboxes, and the newest files. */
export function todayPages(pages: Pages): void {
  const { desk } = pages;
  const todos = new Todos(desk);
  const part = async (asked: Asked): Promise<Html> => {
    const newest = await newestOf(desk);
    const inboxes = await lookedAt(desk);
    return markup`${tilesPart(desk, newest)}${over("To do", { right: "the gravest first" })}${await todos.list(newest, inboxes, asked)}
${goingPart(desk, newest, await waitsIn(desk))}${waitingPart(inboxes)}${over("Files", { right: allFiles })}${filesPart(desk, newest)}`;
  };

  pages.page("/", async (asked) => {
    await desk.endOfDead();
    const now = desk.store.now();
    const inboxes = inboxesOf(desk, await desk.store.folders());
    const content = markup`<div id="live">${await part(asked)}</div>`;
    return pages.framed(asked, {
      ...{ title: "Today", heading: desk.figures.longDay(now), at: "/", live: "/live/today", content },
      sub: markup`<span class="live">Up to date, <span id="now">${desk.figures.second(now)}</span></span> · <span id="watched">${await watchedText(desk, inboxes)}</span>`,
      acts: await stopForm(desk, inboxes, asked),
      foot: DESK_WORDS.accepted_means,
    });
  });
  pages.live("/live/today", async (asked) => ({
    live: await part(asked),
    watched: await watchedText(desk, inboxesOf(desk, await desk.store.folders())),
  }));

  pages.page("/year", async (asked) => {
    const { environment } = desk.config;
    const content = card(yearPicture(desk, await desk.store.batches({ environment }), desk.store.now()));
    return pages.framed(asked, { title: "By month", at: "/find", crumb: markup`<a href="/find">Files</a>`, content });
  });

  for (const path of ["/stop", "/go-on"] as const)
    pages.act(path, async (posted, act) => {
      // only what is known: nobody holds any other folder of this machine from here, or removes a STOP file there
      const known = inboxesOf(desk, await desk.store.folders());
      const inboxes = known.filter((one) => posted.texts("inbox").includes(one));
      if (inboxes.length === 0) return pages.goTo(posted, "/", newsOf("no_inbox"));
      const all = [];
      for (const inbox of inboxes) all.push(await newsOfAct(desk, posted.account, (who) => act(desk, who, { inbox })));
      const lines = all.flatMap((news) => news.lines);
      return pages.goTo(posted, "/", { isGood: all.every(({ isGood }) => isGood), lines });
    });

  pages.act("/put-away", async (posted, act) => {
    const [inbox, name] = [posted.text("inbox"), posted.text("name")];
    const file = (await lookedAt(desk))
      .find((one) => one.inbox === inbox)
      ?.waiting?.find((one) => one.isRefused && one.name === name);
    if (!file) return pages.goTo(posted, "/", newsOf("not_refused"));
    return pages.goTo(posted, "/", await newsOfAct(desk, posted.account, (who) => act(desk, who, { inbox, name })));
  });
}

const allFiles = markup`<a href="/find">All files</a> · <a href="/year">By month</a>`;

function filesPart(desk: Desk, newest: readonly BatchRecord[]): Html {
  if (newest.length === 0) return markup`<p class="card in">${DESK_WORDS.no_batches}</p>`;
  return card(filesTable(desk, newest.slice(0, BATCHES_SHOWN), "The newest files"));
}

/** The newest batches, and whatever else waits for somebody or goes, the newest first: nothing else that has ended. */
async function newestOf({ store }: Desk): Promise<readonly BatchRecord[]> {
  const found = await Promise.all([
    store.batches({ newest: BATCHES_SHOWN }),
    store.batches({ states: ["ready", "held", "unknown", "not_sent", "settled_not_done"] }),
    store.batches({ states: ["invalid", "rejected"], newest: LOOKED_AT.batches }),
    store.batches({ isPaused: true }),
  ]);
  const all = new Map(found.flat().map((batch) => [batch.id, batch]));
  // no batch has a time before that of an earlier one
  return [...all.values()].sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? -1 : 1));
}

/** When each inbox was last looked at, where this process knows it, else which host has it. */
async function watchedText({ store, lastLook }: Desk, inboxes: readonly string[]): Promise<Html> {
  if (inboxes.length === 0) return markup`${DESK_WORDS.no_inboxes}`;
  const hosts = store.hosts.others ? await store.hosts.all() : [];
  const texts = inboxes.map((inbox) => {
    const at = lastLook?.(inbox);
    const host = hosts.find(({ leases }) => leases.includes(`inbox ${inbox}`));
    const seconds = Math.max(0, Math.round((store.now() - (at ?? 0)) / 1000));
    const how =
      at !== undefined
        ? told(DESK_WORDS.last_look, { seconds })
        : host && told(DESK_WORDS.watched_by, { host: host.name, seconds: Math.round(host.silentMs / 1000) });
    return markup`<b>${said(basename(inbox))}</b>${how && ` ${how.text}`}`;
  });
  return markup`${inboxes.length === 1 ? "the folder" : "the folders"} ${texts.map((text, nth) => markup`${nth > 0 && ", "}${text}`)}`;
}

/** Of those that go: what is stopped stays as it was stopped, and by whom. */
async function stopForm({ store }: Desk, inboxes: readonly string[], { account, csrf }: Asked): Promise<Shown> {
  const stopped = (await store.heldFolders()).map(({ folder }) => folder);
  const going = inboxes.filter((inbox) => !stopped.includes(inbox));
  if (going.length === 0 || !mayDo(account.role, "decide")) return undefined;
  return form("/stop", csrf, button("Stop all sending", "stop"), { hidden: { inbox: going } });
}

function tilesPart({ figures, store, config }: Desk, newest: readonly BatchRecord[]): Html {
  const start = startOfDay(store.now(), config.time_zone);
  const open = newest.filter(({ phase }) => phase !== "cancelled");
  const sums = (tallies: readonly (Tally | undefined)[]) => {
    const all = tallies.filter((tally) => tally !== undefined);
    return { rows: all.reduce((sum, { rows }) => sum + rows, 0), sum: figures.money(sumOf(all)) };
  };
  const today = newest.filter(({ createdAt }) => createdAt >= start);
  const accepted = sums(today.map(({ tallies }) => tallies.accepted));
  const unknown = sums(newest.map(({ tallies }) => tallies.unknown));
  const stayed = sums(open.flatMap(({ tallies }) => [tallies.rejected, tallies.invalid, tallies.settled_not_done]));
  const asked = open.filter(isUnapproved);
  return tilesOf([
    [
      "Accepted of today’s files",
      accepted.sum,
      `${payments(accepted.rows, figures)}, ${counted(today.length, "file")}`,
    ],
    ["May have gone", unknown.sum, `${payments(unknown.rows, figures)} without a clear answer`],
    ["Did not go", stayed.sum, `${payments(stayed.rows, figures)} to correct or send again`],
    [
      "Waits for approval",
      figures.money(sumOf(asked.map(({ total: amount }) => ({ amount })))),
      `${counted(asked.length, "file")}, ${payments(
        asked.reduce((sum, { rows }) => sum + rows, 0),
        figures,
      )}`,
    ],
  ]);
}

/** Batches of which rows are still to go. */
function goingPart(
  desk: Desk,
  newest: readonly BatchRecord[],
  waitsOf: (batch: BatchRecord) => Waits | undefined,
): Shown {
  const { figures } = desk;
  const going = newest.filter((batch) => isGoing(batch) && !isUnapproved(batch));
  if (going.length === 0) return undefined;
  const lines = going.slice(0, BATCHES_SHOWN).map((batch) => {
    const left = rowsIn(batch.tallies, "ready", "not_sent");
    const done = `${figures.count(batch.rows - left)} of ${figures.count(batch.rows)}`;
    const bar = markup`<progress value="${batch.rows - left}" max="${Math.max(1, batch.rows)}" aria-label="${batch.fileName}: ${done}"></progress>`;
    const way = batch.onItsWay > 0 ? `${batch.onItsWay} at this moment` : waitsOf(batch)?.text;
    return markup`<li><span>${batchLink(batch)} <small>${way}</small></span> <span>${bar} <span class="n">${done}</span></span></li>`;
  });
  return markup`${over("On the way")}<ul class="card list">${lines}</ul>`;
}

/** Files that are no batch yet, and were not refused. */
function waitingPart(inboxes: readonly Inbox[]): Shown {
  const lines = inboxes.flatMap(({ inbox, waiting }) => {
    if (waiting === undefined)
      return [markup`<li><span>${said(inbox)} <small>${DESK_WORDS.not_here}</small></span></li>`];
    const files = waiting.filter(({ isRefused }) => !isRefused);
    return files.map(
      ({ name, lines: said_ }) => markup`<li><span>${said(name)} <small>${said_.join(" ")}</small></span></li>`,
    );
  });
  return lines.length > 0 && markup`${over("In the folders")}<ul class="card list">${lines}</ul>`;
}
