import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { PaydropError } from "../errors.ts";
import type { Mark } from "../journal/store.ts";
import { makingFile } from "./atomic.ts";
import { isUnwritable, renameDurably } from "./on-disk.ts";
import { INBOX_MARK, markAt, type FoundMark } from "./found-mark.ts";
import type { Leftovers } from "./leftovers.ts";
import { nameOfBatch } from "./names.ts";
import { ownKey } from "./summary.ts";

/** Keeps a mark up to date while rows are sent (I12). */
export interface MarkKeeper {
  /** The mark of this moment is on stable storage when it resolves, if the folder can still be written. */
  renew(): Promise<void>;
  /** Whether it is still there, and not another's. */
  isStanding(): Promise<boolean>;
  /**
   * Throws where another process has put its own mark there since: with a journal that this one does not know, or with a
   * copy of this very one, since with this one it would not have got the lock (I9). Both would send every file.
   */
  assertOwn(): Promise<void>;
  close(): Promise<void>;
}

export interface MarkInput {
  readonly path: string;
  readonly text: (mark: Mark) => string;
  /** Permission bits of the file. */
  readonly mode: number;
  readonly now: () => Promise<Mark>;
  /** Throws when the journal does not know the mark that stands there. */
  readonly assertKnown: (found: FoundMark) => Promise<unknown>;
  readonly leftovers: Leftovers;
  /** Whose summary it is; that of another batch makes way under its batch id. */
  readonly batch?: string;
  /** Which process keeps it. */
  readonly keeper?: string;
}

const RENEWED_EVERY_MS = 1000;
const TRIES_MAX = 10;

/**
 * Puts a mark down before anything is sent, and renews it every second. Of two processes with different state
 * directories only one gets through: a mark that is there must be known, and one that is not there is made by the
 * first only. undefined: the folder cannot be written, or something stands there that is not ours; then the results
 * have to go elsewhere too.
 */
export async function keepMark(input: MarkInput): Promise<MarkKeeper | undefined> {
  try {
    for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
      const claimed = await claim(input);
      if (!claimed) continue;
      await input.leftovers.remove(dirname(input.path), [basename(input.path)]);
      return keeperOf(input, claimed);
    }
  } catch (thrown) {
    if (!isUnwritable(thrown)) throw thrown;
    // a process that came first may have removed our unfinished mark as one that a crash left
    const found = await markAt(input.path);
    if (typeof found === "object") await input.assertKnown(found);
  }
  return undefined;
}

/** What `keepMark` must know of the mark of an inbox. */
export function inboxMark(folder: string): Pick<MarkInput, "path" | "text" | "keeper"> {
  const keeper = randomUUID();
  const text = (mark: Mark): string => `${JSON.stringify({ paydrop: ownKey(mark), keeper })}\n`;
  return { path: join(folder, INBOX_MARK), text, keeper };
}

/** Gives the mark that it wrote; undefined: something changed in between, look again. */
async function claim(input: MarkInput): Promise<Mark | undefined> {
  const { path, batch } = input;
  const found = await markAt(path);
  if (found === "foreign") throw inTheWay(path);
  const writes = async (how: "new" | "replace"): Promise<Mark | undefined> => {
    const mark = await input.now();
    return (await write(input, mark, how)) ? mark : undefined;
  };
  if (found === "gone") return writes("new");
  await input.assertKnown(found);
  if (found.batch === batch) return writes("replace");
  if (found.batch === undefined) throw inTheWay(path);
  const aside = nameOfBatch(path, found.batch);
  if ((await markAt(aside)) === "foreign") throw inTheWay(aside);
  await renameDurably(path, aside);
  return undefined;
}

function write(input: MarkInput, mark: Mark, how: "new" | "replace"): Promise<boolean> {
  return makingFile(input.path, input.mode, async (file) => {
    await file.write(input.text(mark));
    await file.finish();
    if (how === "new") return file.publishNew();
    await file.publish();
    return true;
  });
}

function keeperOf(input: MarkInput, claimed: Mark): MarkKeeper {
  let written = claimed.lastAttempt;
  let last = Promise.resolve();
  let isBusy = false;
  const renewOnce = async (): Promise<void> => {
    isBusy = true;
    try {
      const mark = await input.now();
      if (mark.lastAttempt === written || (await isAnothers(input.path, mark))) return;
      await write(input, mark, "replace");
      written = mark.lastAttempt;
    } catch {
      // a folder that cannot be written shows at the end with the results, a journal that fails at the next attempt
    } finally {
      isBusy = false;
    }
  };
  const renew = (): Promise<void> => (last = last.then(renewOnce));
  const timer = setInterval(() => {
    if (!isBusy) void renew();
  }, RENEWED_EVERY_MS).unref();
  return {
    renew,
    isStanding: async () => {
      // what cannot be read at this moment may be ours: each file asks again before it goes
      const found = await markAt(input.path).catch(() => undefined);
      if (found === undefined) return true;
      return typeof found === "object" && found.mark?.stateId === (await input.now()).stateId;
    },
    assertOwn: async () => {
      const found = await markAt(input.path);
      if (typeof found !== "object" || found.keeper === input.keeper) return;
      await input.assertKnown(found);
      if (found.keeper !== undefined && found.mark?.stateId === (await input.now()).stateId)
        throw keptByCopy(input.path);
    },
    close: () => {
      clearInterval(timer);
      return renew();
    },
  };
}

/** Another folder was put in the place of ours, with the mark of another state directory: it must stay to be seen. */
async function isAnothers(path: string, own: Mark): Promise<boolean> {
  const found = await markAt(path);
  return typeof found === "object" && found.mark !== undefined && found.mark.stateId !== own.stateId;
}

function inTheWay(path: string): PaydropError {
  return new PaydropError("results_unwritable", `${basename(path)} is not a file that paydrop wrote`);
}

function keptByCopy(path: string): PaydropError {
  return new PaydropError(
    "journal",
    `another paydrop takes the files of ${dirname(path)} since, with a copy of this state directory: both would send them`,
    "nothing was sent by this one; let only one of the two state directories be used: the one that sent last",
  );
}
