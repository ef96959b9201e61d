import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PaydropError, systemCodeOf, UnreadPlaceError } from "../../errors.ts";
import type { Environment } from "../../journal/batch-record.ts";
import type { JournalStore, Mark } from "../../journal/store.ts";
import { isOperationFolder } from "../../operations/catalogue.ts";
import { printable } from "../../text/printable.ts";
import { readOwnJson } from "../disk/own.ts";

/** A file of ours that may hold a mark (I12): a summary, or the mark of an inbox. */
export interface FoundMark {
  readonly path: string;
  /** A summary of the sandbox has none. */
  readonly mark?: Mark;
  /** The batch that it speaks of; none in the mark of an inbox, which speaks for all. */
  readonly batch?: string;
  readonly environment?: string;
  /** Which process keeps it, or did; none in the summary of a batch that is not being sent. */
  readonly keeper?: string;
}

export interface MarkPolicy {
  readonly journal: Pick<JournalStore, "stateId" | "knows" | "acceptLoss">;
  readonly environment: Environment;
  /** The file, or the inbox, that a person's word is for. */
  readonly place: string;
  /** Who accepts that the journal was lost. */
  readonly lossAcceptedBy?: string;
}

/** Hidden, so that it is never taken for input. */
export const INBOX_MARK = ".paydrop";
const LOOKS_MAX = 10;

/**
 * The marks that concern a file: every summary beside it, also of earlier batches, and the mark of each folder that may
 * be its inbox. A process that `keeps` one of those marks need not look through the folder for each file, but it must
 * look at the other marks: a folder `payouts/` may have a watcher of its own and one of the folder above.
 */
export async function marksBeside(file: string, keeps: (inbox: string) => boolean): Promise<FoundMark[]> {
  const folder = dirname(file);
  const inboxes = inboxesOf(file);
  const others = inboxes.filter((inbox) => !keeps(inbox)).map((inbox) => join(inbox, INBOX_MARK));
  if (others.length < inboxes.length) return existing(await marksAt([`${file}.summary.json`, ...others]));
  const prefix = `${basename(file)}.summary.`;
  for (let look = 1; ; look += 1) {
    const names = (await namesIn(folder)) ?? [`${prefix}json`];
    const summaries = names.filter((name) => name.startsWith(prefix) && name.endsWith(".json"));
    const found = await marksAt(summaries.map((name) => join(folder, name)));
    // one that was there a moment ago has just been renamed: look again, or it would be missed under both names
    if (found.includes("gone") && look < LOOKS_MAX) continue;
    return existing([...found, ...(await marksAt(others))]);
  }
}

/**
 * The newest summary of any file in the folder that is this state directory's own: the same payments may lie there under
 * another name, and by it a journal that was restored from a backup is recognised. Newer ones, of the sandbox or of
 * another state directory, must not stand before it.
 */
export async function newestSummary(folder: string, stateId: string): Promise<FoundMark[]> {
  for await (const found of summariesIn(folder)) if (found.mark?.stateId === stateId) return [found];
  return [];
}

/** Every summary in a folder, the newest first. */
export async function* summariesIn(folder: string): AsyncGenerator<FoundMark> {
  const summaries = ((await namesIn(folder)) ?? []).filter((name) => name.endsWith(".summary.json"));
  const paths = summaries.map((name) => join(folder, name));
  const times = await Promise.all(paths.map(async (path) => (await lstat(path).catch(() => undefined))?.mtimeMs ?? 0));
  const newestFirst = paths.map((_, i) => i).sort((a, b) => (times[b] ?? 0) - (times[a] ?? 0));
  for (const i of newestFirst) {
    const found = await markAt(paths[i] ?? "");
    if (typeof found === "object") yield found;
  }
}

/** undefined: the folder may be searched but not listed: only what is asked for by its name is there. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    const code = systemCodeOf(thrown) ?? "";
    if (NOTHING_THERE.includes(code)) return [];
    if (["EACCES", "EPERM"].includes(code)) return undefined;
    throw unreadable(folder, thrown);
  }
}

function marksAt(paths: readonly string[]): Promise<(FoundMark | "gone" | "foreign")[]> {
  return Promise.all(paths.map(markAt));
}

/** The folders that a file may have been dropped into as an inbox: its own, and the one above a folder `payouts/` … */
export function inboxesOf(file: string): string[] {
  const folder = dirname(file);
  const isOperation = isOperationFolder(basename(folder));
  return isOperation ? [folder, dirname(folder)] : [folder];
}

function existing(found: readonly (FoundMark | "gone" | "foreign")[]): FoundMark[] {
  return found.filter((one) => typeof one === "object");
}

/**
 * Throws PaydropError `journal` when a mark tells of something that the journal does not know. Gives a sentence for the
 * history when a person accepts that.
 */
export async function assertKnown(found: FoundMark, policy: MarkPolicy): Promise<string | undefined> {
  const { journal, environment, place, lossAcceptedBy } = policy;
  const { mark, path } = found;
  if (!mark || (await journal.knows(mark, place))) return undefined;
  const isOurs = mark.stateId === journal.stateId;
  // what another state directory sent to a test service is not this one's business
  if (!isOurs && found.environment !== undefined && found.environment !== environment) return undefined;
  // an inbox's mark by its whole path: it may be of this inbox, of the one above or of one in it
  const name = printable(found.batch === undefined ? path : basename(path));
  const loss = isOurs
    ? `the journal is older than ${name}: it does not know attempt ${mark.lastAttempt}, which that file tells of`
    : `${name} was written with another state directory (its journal is ${printable(mark.stateId)}, this one ${journal.stateId})`;
  if (lossAcceptedBy === undefined) throw new PaydropError("journal", loss, isOurs ? OLDER_HINT : otherHint(found));
  await journal.acceptLoss(mark, place);
  return loss;
}

export const UNLESS =
  "or, once a person has looked up in the service's dashboard what went out, go on with --accept-lost-journal --by " +
  "NAME: what this journal does not know then goes again";
const OLDER_HINT = `nothing was sent; restore the newest backup of the state directory; ${UNLESS}`;
const OTHER_HINT =
  "nothing was sent; use the state directory that it was sent from (--state-dir; in a container, a volume that " +
  `outlives it); ${UNLESS}`;

/** A process that was killed before it sent anything gets its own hint: told of a loss, people would look for one. */
function otherHint({ path, mark, batch }: FoundMark): string {
  if (batch !== undefined || mark?.lastAttempt !== 0) return OTHER_HINT;
  return (
    `nothing was sent, and that state directory had sent nothing either when it wrote ${basename(path)}: use it ` +
    `(--state-dir), or, where no paydrop works with it any more, delete ${printable(path)} and do this again`
  );
}

/** I12: without the mark only the summaries beside the files remember what was sent. */
export function noMarkText(path: string): string {
  return `${path} is not a file that paydrop wrote: no mark of what was sent is kept in the folder until it is moved away`;
}

/**
 * `gone`: nothing is there; `foreign`: something that is not ours. Throws UnreadPlaceError where it cannot be read: it
 * would be taken for nothing, and all that it tells of would go again (I12).
 */
export async function markAt(path: string): Promise<FoundMark | "gone" | "foreign"> {
  try {
    if (!(await lstat(path)).isFile()) return "foreign";
    const document = await readOwnJson(path);
    return document ? asFound(path, document) : "foreign";
  } catch (thrown) {
    const code = systemCodeOf(thrown);
    if (code === undefined) throw thrown;
    if (NOTHING_THERE.includes(code)) return "gone";
    // exchanged for a link just now
    if (code === "ELOOP") return "foreign";
    throw unreadable(path, thrown);
  }
}

/** `ENAMETOOLONG`: what has a name that is too long for the disk cannot be there. */
const NOTHING_THERE: readonly string[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

function unreadable(path: string, cause: unknown): UnreadPlaceError {
  const why = systemCodeOf(cause);
  const isRight = why === "EACCES" || why === "EPERM";
  return new UnreadPlaceError(
    `${printable(path)} cannot be read (${why}): it may tell of what was sent`,
    `nothing was sent; ${isRight ? "give the user who runs paydrop the right to read it" : "check the disk or the network share"}, then do this again`,
    { cause },
  );
}

function asFound(path: string, document: Readonly<Record<string, unknown>>): FoundMark {
  const own = document["paydrop"] as Readonly<Record<string, unknown>>;
  const { state_id: stateId, last_attempt: lastAttempt, last_attempt_at: at } = own;
  const { batch, environment, keeper } = document;
  return {
    path,
    ...(typeof stateId === "string" && typeof lastAttempt === "number"
      ? { mark: { stateId, lastAttempt, lastAttemptAt: Date.parse(String(at)) } }
      : {}),
    ...(typeof batch === "string" && /^[0-9A-Za-z]{1,32}$/.test(batch) ? { batch } : {}),
    ...(typeof environment === "string" ? { environment } : {}),
    ...(typeof keeper === "string" ? { keeper } : {}),
  };
}
