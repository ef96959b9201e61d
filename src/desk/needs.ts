import { basename } from "node:path";
import { rowsIn, sumOf } from "../amount.ts";
import { minuteOf } from "../day.ts";
import { isIn } from "../inbox/at-work.ts";
import { waitsForApproval, wantedOf } from "../journal/approval.ts";
import type { BatchRecord } from "../journal/store.ts";
import { DESK_WORDS } from "../messages/desk.ts";
import { heldText } from "../messages/intake.ts";
import { counted } from "../messages/sentence.ts";
import { isToCorrect } from "../results/totals.ts";
import type { Desk } from "./desk.ts";
import { button, countTag, form, markup, said, type Html, type Shown } from "./html.ts";
import type { Inbox } from "./inboxes.ts";

/** Of each kind. */
const LINES_SHOWN = 10;
/** Whether a row was corrected is asked of so many batches, the newest, and of so many rows of each. */
export const LOOKED_AT = { batches: 12, rows: 100 };
const LONG_MS = 3_600_000;

/** A link to a batch by the name of its file. */
export const batchLink = ({ id, fileName }: Pick<BatchRecord, "id" | "fileName">): Html =>
  markup`<a href="/batch/${id}">${said(fileName)}</a> <small>${id}</small>`;

/** Rows of an open batch that are still to go. */
export const isGoing = ({ onItsWay, phase, tallies }: BatchRecord): boolean =>
  onItsWay > 0 || (phase === "open" && rowsIn(tallies, "ready", "not_sent") > 0);

/** Since when, by whom, and why nothing goes from an inbox. */
export function stoppedText({ at, reason, by }: NonNullable<Inbox["held"]>): string {
  return `Stopped since ${minuteOf(at)}${by === undefined ? "" : ` by ${by}`}. ${heldText(reason)}`;
}

/** `csrf`: of somebody who may let it go on. */
export const goOnForm = (inbox: string, csrf: string | undefined): Shown =>
  csrf !== undefined && form("/go-on", csrf, button(`Let ${basename(inbox)} go on`, ""), { hidden: { inbox } });

/** Inboxes from which nothing goes, with what waits behind: rows that were taken, and files. */
function stoppedIn(
  inboxes: readonly Inbox[],
  open: readonly BatchRecord[],
  csrf: string | undefined,
): readonly Shown[] {
  return inboxes.map(({ inbox, held, waiting = [] }) => {
    if (!held) return false;
    const tallies = open.filter(({ folder }) => isIn(folder, inbox)).map((batch) => batch.tallies);
    const rows = tallies.reduce((sum, one) => sum + rowsIn(one, "ready", "not_sent"), 0);
    const sum = sumOf(tallies.flatMap(({ ready, not_sent: unsent }) => [ready ?? [], unsent ?? []].flat()));
    const files = waiting.filter(({ isRefused }) => !isRefused).length;
    const parts = [rows > 0 && `${counted(rows)}, ${sum}`, files > 0 && counted(files, "file")].filter(Boolean);
    const behind = `Behind it: ${parts.join(", and ") || "nothing"}.`;
    return markup`<strong>${said(basename(inbox))}</strong> ${stoppedText(held)} ${behind} ${goOnForm(inbox, csrf)}`;
  });
}

/** What waits for a person, the gravest first: of each kind the newest batch first. */
export function needsPart(desk: Desk) {
  const toCorrect = toCorrectIn(desk);
  return async (newest: readonly BatchRecord[], inboxes: readonly Inbox[], csrf?: string): Promise<Html> => {
    const open = newest.filter(({ phase }) => phase !== "cancelled");
    const decide = (batches: readonly BatchRecord[], status: "unknown" | "held", todo: string): readonly Shown[] =>
      batches.map((batch) => {
        const tally = batch.tallies[status];
        const link = markup`<a href="/decide?batch=${batch.id}">${todo}</a>`;
        return tally && markup`${countTag(status, tally.rows)} ${tally.amount} in ${batchLink(batch)}: ${link}`;
      });
    const files = inboxes.flatMap(({ held, waiting = [] }) => waiting.map((file) => ({ ...file, held })));
    const long = files.filter(({ isRefused, held, since }) => !isRefused && !held && Date.now() - since > LONG_MS);
    const kinds = [
      decide(newest, "unknown", "look up and say what became of them"),
      stoppedIn(inboxes, open, csrf),
      decide(open, "held", "decide"),
      open.map((batch) => {
        const tally = batch.tallies.settled_not_done;
        const place = `/batch/${batch.id}?status=settled_not_done#may`;
        const sum = tally && markup`${countTag("settled_not_done", tally.rows)} ${tally.amount} in ${batchLink(batch)}`;
        return sum && markup`${sum}, and not sent again: <a href="${place}">send again, or cancel</a>`;
      }),
      await toCorrect(open),
      files.map(({ name, isRefused, lines: [why = ""] }) => isRefused && markup`${said(name)} was refused. ${why}`),
      await Promise.all(open.filter(({ approvers }) => approvers > 0).map((batch) => toApprove(desk, batch))),
      long.map(({ name, lines: [why = ""] }) => markup`${said(name)} has waited for more than an hour. ${why}`),
      open.map((batch) => batch.phase === "paused" && markup`${batchLink(batch)} is paused`),
    ];
    const lines = kinds.flatMap((kind) => {
      const all = kind.filter(Boolean);
      const more = all.length - LINES_SHOWN;
      return [...all.slice(0, LINES_SHOWN), ...(more > 0 ? [`and ${more} more like these`] : [])];
    });
    if (lines.length === 0) return markup`<p>${DESK_WORDS.needs_nobody}</p>`;
    return markup`<ul class="needs">${lines.map((line) => markup`<li>${line}</li>`)}</ul>`;
  };
}

/** The file, or rows that somebody let go since. */
async function toApprove({ store }: Desk, batch: BatchRecord): Promise<Shown> {
  const wanted = await wantedOf(store, batch);
  const isOpen = wanted && (wanted.proposed.length > 0 || waitsForApproval(batch));
  return isOpen && markup`${wanted.sum} in ${batchLink(batch)} waits: <a href="/approvals">approve</a>`;
}

/** Refused and invalid rows that no correction paid yet. Asked anew when a batch came, ended, or was changed by a person. */
function toCorrectIn({ store }: Desk) {
  let known: { readonly key: string; readonly lines: readonly Shown[] } = { key: "", lines: [] };
  const lineOf = async (batch: BatchRecord): Promise<Shown> => {
    const { id, tallies } = batch;
    const rows = await store.rows({ batch: id, states: ["invalid", "rejected"], limit: LOOKED_AT.rows });
    const count = rows.filter(isToCorrect).length;
    const status = tallies.invalid ? "invalid" : "rejected";
    const least = rows.length === LOOKED_AT.rows && "or more ";
    const why = markup`<a href="/batch/${id}?status=${status}#rows">see why</a>${DESK_WORDS.to_correct}`;
    return count > 0 && markup`${counted(count)} ${least}to correct in ${batchLink(batch)}: ${why}`;
  };
  return async (open: readonly BatchRecord[]): Promise<readonly Shown[]> => {
    const key = open.map((batch) => `${batch.id} ${isGoing(batch) || batch.lastAt}`).join();
    const some = open.filter(({ tallies }) => tallies.invalid ?? tallies.rejected).slice(0, LOOKED_AT.batches);
    if (key !== known.key) known = { key, lines: await Promise.all(some.map(lineOf)) };
    return known.lines;
  };
}
