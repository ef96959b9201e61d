import { basename } from "node:path";
import { formatUnits, rowsIn, unitsOf } from "../amount.ts";
import { resume } from "../commands/release-retry-resume.ts";
import { dayOf, minuteOf } from "../day.ts";
import { isToApprove, waitsForApproval } from "../journal/approval.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { heldLines } from "../messages/intake.ts";
import { counted } from "../messages/sentence.ts";
import { byStatusOf, occurringIn } from "../results/totals.ts";
import { mayDo } from "./accounts.ts";
import { carryOut, type Desk } from "./desk.ts";
import { button, countTag, form, markup, progressOf, said, tableOf, type Html, type News, type Shown } from "./html.ts"; // prettier-ignore
import { inboxesOf, waitingIn } from "./inboxes.ts";
import { livePart, newsOf, type Asked, type Pages, type Posted } from "./pages.ts";

const BATCHES_SHOWN = 30;

/** What needs a person, what runs, what waits in the inboxes, and the newest batches. */
export function todayPages(pages: Pages): void {
  const { desk } = pages;
  const part = async ({ account, csrf }: Asked): Promise<Html> => {
    const [batches, holds] = await Promise.all([desk.store.batches({}), desk.store.heldFolders()]);
    const newest = batches.toReversed();
    const mayAct = mayDo(account.role, "decide");
    return markup`<h2>What needs a person</h2>${needsOf(newest)}
<h2>On the way</h2>${runningOf(newest)}
<h2>Inboxes</h2>${await inboxesPart(desk, batches, holds, mayAct ? csrf : undefined)}
<h2>Batches</h2>${batchesOf(newest)}`;
  };

  pages.page("/", async (asked) => {
    await desk.endOfDead();
    const content = livePart("/live", await part(asked));
    return pages.framed(asked, { title: "Today", at: "/", content });
  });
  pages.live("/live", part);

  /** Only what is known: nobody holds any other folder of this machine from here, or removes a STOP file there. */
  const inboxSaid = async ({ text }: Posted): Promise<string | undefined> => {
    const inboxes = inboxesOf(desk, await desk.store.batches({}));
    return inboxes.find((inbox) => inbox === text("inbox"));
  };

  const act = (path: string, carry: (posted: Posted, inbox: string) => Promise<News>): void =>
    pages.act(path, "decide", async (posted) => {
      const inbox = await inboxSaid(posted);
      return pages.goTo(posted, "/", inbox === undefined ? newsOf("no_inbox") : await carry(posted, inbox));
    });
  act("/stop", async ({ account }, folder) => {
    await desk.store.holdFolder(folder, "desk_stop", desk.act(account, "hold_folder"));
    return newsOf("stopped", true, { folder });
  });
  act("/go-on", ({ account }, inbox) => carryOut(desk, account, resume, [], { inbox }));
}

/** A link to a batch by the name of its file. */
export const batchLink = ({ id, fileName }: Pick<BatchRecord, "id" | "fileName">): Html =>
  markup`<a href="/batch/${id}">${said(fileName)}</a> <small>${id}</small>`;

function needsOf(batches: readonly BatchRecord[]): Html {
  const lines = batches.flatMap((batch) => {
    const { id, tallies, phase } = batch;
    const decide = (status: "unknown" | "held", todo: string): Shown => {
      const tally = tallies[status];
      return tally && markup`<li>${countTag(status, tally.rows)} ${tally.amount} in ${batchLink(batch)}: <a href="/decide?batch=${id}">${todo}</a></li>`; // prettier-ignore
    };
    return [
      decide("unknown", "look up and say what became of them"),
      phase !== "cancelled" && decide("held", "decide"),
      isToApprove(batch) &&
        waitsForApproval(batch) &&
        markup`<li>${batch.total} in ${batchLink(batch)} waits: <a href="/approvals">approve</a></li>`,
      phase === "paused" && markup`<li>${batchLink(batch)} is paused</li>`,
    ].filter(Boolean);
  });
  if (lines.length === 0) return markup`<p>${DESK_WORDS.needs_nobody}</p>`;
  const more = lines.length - BATCHES_SHOWN;
  return markup`<ul class="needs">${lines.slice(0, BATCHES_SHOWN)}</ul>${more > 0 && markup`<p><a href="/decide">and ${more} more</a></p>`}`;
}

/** Ready rows of an open batch go, if whoever watches is at work. */
function runningOf(batches: readonly BatchRecord[]): Html {
  const running = batches.filter(({ onItsWay, phase, tallies }) => onItsWay > 0 || (phase === "open" && tallies.ready));
  if (running.length === 0) return markup`<p>${DESK_WORDS.nothing_goes}</p>`;
  const lines = running.slice(0, BATCHES_SHOWN).map((batch) => {
    const left = rowsIn(batch.tallies, "ready", "not_sent");
    const turn = waitsForApproval(batch) ? "waits for approval" : "waits for its turn";
    const way = batch.onItsWay > 0 ? `${batch.onItsWay} at this moment` : turn;
    const done = progressOf(batch.rows - left, batch.rows, batch.fileName);
    return [batchLink(batch), done, batch.tallies.accepted?.amount ?? "0.00", batch.total, way];
  });
  const titles = ["File", "Rows", "Accepted#", "Sum#", "Now"];
  return tableOf({ caption: "Batches that are being sent", titles }, lines);
}

type Held = Awaited<ReturnType<Desk["store"]["heldFolders"]>>;

/** `csrf`: of somebody who may stop and let go on. */
async function inboxesPart(
  desk: Desk,
  batches: readonly BatchRecord[],
  holds: Held,
  csrf: string | undefined,
): Promise<Html> {
  const parts = inboxesOf(desk, batches).map(async (inbox) => {
    const held = holds.find(({ folder }) => folder === inbox);
    const waiting = await waitingIn(desk, inbox);
    const act = (path: string, text: string, kind: string): Shown =>
      csrf !== undefined && form(path, csrf, button(text, kind), { hidden: { inbox } });
    const [why = ""] = held ? heldLines(held.reason, "") : [];
    const stop = held
      ? markup`<p class="bad">Held since ${minuteOf(held.at)}. ${why} Nothing goes from here.</p>${act("/go-on", `Let ${basename(inbox)} go on`, "")}`
      : act("/stop", `STOP ${basename(inbox)}`, "stop");
    const files = waiting?.map(
      ({ name, lines }) => markup`<li>${said(name)}${lines.map((line) => markup`<br>${line}`)}</li>`,
    );
    const list = files?.length === 0 ? markup`<p>No file waits.</p>` : markup`<ul>${files}</ul>`;
    return markup`<section class="inbox" aria-label="${inbox}"><h3>${said(inbox)}</h3>${stop}${files ? list : markup`<p>${DESK_WORDS.not_here}</p>`}</section>`;
  });
  return parts.length === 0 ? markup`<p>${DESK_WORDS.no_inboxes}</p>` : markup`${await Promise.all(parts)}`;
}

function batchesOf(newest: readonly BatchRecord[]): Html {
  const shown = newest.slice(0, BATCHES_SHOWN);
  if (shown.length === 0) return markup`<p>${DESK_WORDS.no_batches}</p>`;
  const lines = shown.map((batch) => {
    const counts = occurringIn(byStatusOf(batch.tallies)).flatMap(([status, { rows }]) => [
      countTag(status, rows),
      " ",
    ]);
    return [batchLink(batch), dayOf(batch.createdAt), batch.label, batch.rows, batch.total, counts];
  });
  const sum = formatUnits(shown.reduce((units, { tallies }) => units + unitsOf(tallies.accepted?.amount ?? "0"), 0n));
  const all = newest.length > shown.length ? `, the newest ${shown.length} of ${newest.length}` : "";
  const caption = `${counted(shown.length, "batch|batches")}${all}; ${sum} accepted`;
  return tableOf({ caption, titles: ["File", "Taken", "Operation", "Rows#", "Sum#", "What became of them"] }, lines);
}
