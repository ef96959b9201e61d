import { basename } from "node:path";
import { formatUnits, rowsIn, unitsOf } from "../amount.ts";
import { resume } from "../commands/release-retry-resume.ts";
import { dayOf, minuteOf } from "../day.ts";
import type { BatchRecord, Tally } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { heldLines } from "../messages/intake.ts";
import { counted } from "../messages/sentence.ts";
import { STATUSES } from "../messages/statuses.ts";
import { byStatusOf, occurringIn } from "../results/totals.ts";
import { mayDo } from "./accounts.ts";
import { carryOut, type Desk } from "./desk.ts";
import { markup, nothing, progressOf, said, statusTag, tableOf, tokenField, type Html } from "./html.ts";
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
    return markup`<h2>What needs a person</h2>
      ${needsOf(newest)}
      <h2>On the way</h2>
      ${runningOf(newest)}
      <h2>Inboxes</h2>
      ${await inboxesPart(desk, batches, holds, mayAct ? csrf : undefined)}
      <h2>Batches</h2>
      ${batchesOf(newest)}`;
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

  pages.act("/stop", "decide", async (posted) => {
    const folder = await inboxSaid(posted);
    if (folder === undefined) return pages.goTo(posted, "/", newsOf("no_inbox"));
    await desk.store.holdFolder(folder, "desk_stop", desk.act(posted.account, "hold_folder"));
    return pages.goTo(posted, "/", newsOf("stopped", true, { folder }));
  });

  pages.act("/go-on", "decide", async (posted) => {
    const inbox = await inboxSaid(posted);
    if (inbox === undefined) return pages.goTo(posted, "/", newsOf("no_inbox"));
    return pages.goTo(posted, "/", await carryOut(desk, posted.account, resume, [], { inbox }));
  });
}

/** A link to a batch by the name of its file. */
export const batchLink = ({ id, fileName }: Pick<BatchRecord, "id" | "fileName">): Html =>
  markup`<a href="/batch/${id}">${said(fileName)}</a> <small>${id}</small>`;

function needsOf(batches: readonly BatchRecord[]): Html {
  const lines = batches.flatMap((batch) => {
    const { id, tallies, phase } = batch;
    const held = phase === "cancelled" ? undefined : tallies.held;
    const decide = (tally: Tally | undefined, status: "unknown" | "held", todo: string): readonly Html[] =>
      tally
        ? [
            markup`<li>
              ${statusTag(status, `${tally.rows} ${STATUSES[status].word}`)} ${tally.amount} in ${batchLink(batch)}:
              <a href="/decide?batch=${id}">${todo}</a>
            </li>`,
          ]
        : [];
    return [
      ...decide(tallies.unknown, "unknown", "look up and say what became of them"),
      ...decide(held, "held", "decide"),
      ...(phase === "paused" ? [markup`<li>${batchLink(batch)} is paused</li>`] : []),
    ];
  });
  if (lines.length === 0) return markup`<p>${DESK_WORDS.needs_nobody}</p>`;
  const more = lines.length - BATCHES_SHOWN;
  return markup`<ul class="needs">
      ${lines.slice(0, BATCHES_SHOWN)}
    </ul>
    ${more > 0 && markup`<p><a href="/decide">and ${more} more</a></p>`}`;
}

/** Ready rows of an open batch go, if whoever watches is at work. */
function runningOf(batches: readonly BatchRecord[]): Html {
  const running = batches.filter(({ onItsWay, phase, tallies }) => onItsWay > 0 || (phase === "open" && tallies.ready));
  if (running.length === 0) return markup`<p>${DESK_WORDS.nothing_goes}</p>`;
  const lines = running.slice(0, BATCHES_SHOWN).map((batch) => {
    const left = rowsIn(batch.tallies, "ready", "not_sent");
    const way = batch.onItsWay > 0 ? `${batch.onItsWay} at this moment` : "waits for its turn";
    const done = progressOf(batch.rows - left, batch.rows, batch.fileName);
    return [batchLink(batch), done, batch.tallies.accepted?.amount ?? "0.00", batch.total, way];
  });
  return tableOf(
    { caption: "Batches that are being sent", titles: ["File", "Rows", "Accepted#", "Sum#", "Now"] },
    lines,
  );
}

type Held = Awaited<ReturnType<Desk["store"]["heldFolders"]>>;

/** `csrf`: of somebody who may stop and let go on. */
async function inboxesPart(
  desk: Desk,
  batches: readonly BatchRecord[],
  holds: Held,
  csrf: string | undefined,
): Promise<Html> {
  const parts: Html[] = [];
  for (const inbox of inboxesOf(desk, batches)) {
    const held = holds.find(({ folder }) => folder === inbox);
    const waiting = await waitingIn(desk, inbox);
    const button = (path: string, text: string, kind: string): Html =>
      csrf === undefined
        ? nothing
        : markup`<form method="post" action="${path}">
            ${tokenField(csrf)}<input type="hidden" name="inbox" value="${inbox}"><button class="${kind}">
              ${text}
            </button>
          </form>`;
    const [why = ""] = held ? heldLines(held.reason, "") : [];
    const files = waiting?.map(
      ({ name, lines }) => markup`<li>${said(name)}${lines.map((line) => markup`<br>${line}`)}</li>`,
    );
    parts.push(
      markup`<section class="inbox" aria-label="${inbox}">
        <h3>${said(inbox)}</h3>
        ${
          held
            ? markup`<p class="bad">Held since ${minuteOf(held.at)}. ${why} Nothing goes from here.</p>
                ${button("/go-on", `Let ${basename(inbox)} go on`, "")}`
            : button("/stop", `STOP ${basename(inbox)}`, "stop")
        }
        ${
          waiting === undefined
            ? markup`<p>${DESK_WORDS.not_here}</p>`
            : waiting.length === 0
              ? markup`<p>No file waits.</p>`
              : markup`<ul>
                  ${files}
                </ul>`
        }
      </section>`,
    );
  }
  return parts.length === 0 ? markup`<p>${DESK_WORDS.no_inboxes}</p>` : markup`${parts}`;
}

function batchesOf(newest: readonly BatchRecord[]): Html {
  const shown = newest.slice(0, BATCHES_SHOWN);
  const lines = shown.map((batch) => {
    const counts = occurringIn(byStatusOf(batch.tallies)).map(([status, { rows }]) =>
      statusTag(status, `${rows} ${STATUSES[status].word}`),
    );
    return [
      batchLink(batch),
      dayOf(batch.createdAt),
      batch.label,
      batch.rows,
      batch.total,
      counts.flatMap((one) => [one, " "]),
    ];
  });
  const sum = formatUnits(shown.reduce((units, { tallies }) => units + unitsOf(tallies.accepted?.amount ?? "0"), 0n));
  const all = newest.length > shown.length ? `, the newest ${shown.length} of ${newest.length}` : "";
  const caption = `${counted(shown.length, "batch|batches")}${all}; ${sum} accepted`;
  return shown.length === 0
    ? markup`<p>${DESK_WORDS.no_batches}</p>`
    : tableOf({ caption, titles: ["File", "Taken", "Operation", "Rows#", "Sum#", "What became of them"] }, lines);
}
