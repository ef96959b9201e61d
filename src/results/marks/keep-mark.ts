import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { PaydropError } from "../../errors.ts";
import type { Mark } from "../../journal/store.ts";
import { INBOX_MARK, markAt } from "./found-mark.ts";
import { aloneAt } from "./mark-lock.ts";
import { keeperOf, writeMark, type Claimed, type MarkInput, type MarkKeeper } from "./mark-keeper.ts";
import { nameOfBatch } from "../names.ts";
import { isUnwritable, renameDurably, wasTakenAway } from "../disk/on-disk.ts";
import { ownKey } from "../summary.ts";

const TRIES_MAX = 10;

/**
 * Puts a mark down before anything is sent, and renews it every second. Of two processes with different state
 * directories only one gets through: a mark that is there must be known, and one that is not there is made by the
 * first only. undefined: the folder cannot be written, or something stands there that is not ours; then the results
 * have to go elsewhere too.
 */
export async function keepMark(input: MarkInput): Promise<MarkKeeper | undefined> {
  const folder = dirname(input.path);
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    try {
      const claimed = await claim(input);
      if (!claimed) continue;
      await input.leftovers.remove(folder, [basename(input.path)]);
      return keeperOf(input, claimed);
    } catch (thrown) {
      if (!isUnwritable(thrown)) throw thrown;
      // a process that came first may have removed our unfinished mark as one that a crash left
      if (await wasTakenAway(folder, thrown)) continue;
      const found = await markAt(input.path);
      if (typeof found === "object") await input.assertKnown(found);
      return undefined;
    }
  }
  throw takenAwayAgain(input.path);
}

/** What `keepMark` must know of the mark of an inbox. */
export function inboxMark(folder: string): Pick<MarkInput, "path" | "text" | "keeper"> {
  const keeper = randomUUID();
  const text = (mark: Mark): string => `${JSON.stringify({ paydrop: ownKey(mark), keeper })}\n`;
  return { path: join(folder, INBOX_MARK), text, keeper };
}

/** Gives the mark that it wrote; undefined: something changed in between, look again. */
async function claim(input: MarkInput): Promise<Claimed | undefined> {
  const { path, batch } = input;
  const found = await markAt(path);
  if (found === "foreign") throw inTheWay(path);
  const mark = await input.now();
  if (found === "gone") return (await writeMark(input, mark, "new")) ? { mark, isNew: true } : undefined;
  await input.assertKnown(found);
  // another process that came at the same time may have put its own mark there, and have sent under it
  const isSame = async (): Promise<boolean> => isDeepStrictEqual(await markAt(path), found);
  if (found.batch === batch) return (await writeMark(input, mark, isSame)) ? { mark, isNew: false } : undefined;
  if (found.batch === undefined) throw inTheWay(path);
  const aside = nameOfBatch(path, found.batch);
  if ((await markAt(aside)) === "foreign") throw inTheWay(aside);
  await aloneAt(path, async (isInTime) => {
    if ((await isSame()) && isInTime()) await renameDurably(path, aside);
  });
  return undefined;
}

function inTheWay(path: string): PaydropError {
  return new PaydropError("results_unwritable", `${basename(path)} is not a file that paydrop wrote`);
}

function takenAwayAgain(path: string): PaydropError {
  return new PaydropError(
    "journal",
    `${path} is taken away each time that it is written: nothing would keep another paydrop from sending the same`,
    "nothing was sent; find out which other program writes in that folder, and run this again when it has ended",
  );
}
