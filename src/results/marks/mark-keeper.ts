import { unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { PaydropError } from "../../errors.ts";
import type { Begun, Mark } from "../../journal/store.ts";
import { makingFile } from "../disk/atomic.ts";
import { markAt, type FoundMark } from "./found-mark.ts";
import type { Leftovers } from "../disk/leftovers.ts";
import { aloneAt } from "./mark-lock.ts";

/** Keeps a mark up to date while rows are sent (I12). */
export interface MarkKeeper {
  /** The mark of this moment is on stable storage when it resolves, if the folder can still be written. */
  renew(): Promise<void>;
  /** The same before the first byte leaves. Throws as `assertOwn`: of two that came together one at most goes on. */
  renewFirst(): Promise<void>;
  /** Whether it is still there, and not another's. */
  isStanding(): Promise<boolean>;
  /**
   * Throws where another process has put its own mark there since: with a journal that is unknown here, or with a copy
   * of this very journal (with this one it would not have got the lock, I9). Both would send every file.
   */
  assertOwn(): Promise<void>;
  /** To be called where nothing was sent under it: a new mark is removed, so that nobody has to be afraid of it. */
  withdraw(): Promise<void>;
  close(): Promise<void>;
}

/** The mark under which rows of a file go. */
export type SendMark = Pick<MarkKeeper, "renewFirst" | "close">;

export interface MarkInput {
  readonly path: string;
  readonly text: (mark: Mark) => string;
  /** Permission bits of the file. */
  readonly mode: number;
  readonly now: () => Promise<Mark>;
  /** Throws when the journal does not know the mark that stands there. */
  readonly assertKnown: (found: FoundMark) => Promise<unknown>;
  readonly leftovers: Leftovers;
  /** The batch whose summary it is; the summary of another batch makes way, under the id of that one. */
  readonly batch?: string;
  /** Which process keeps it. */
  readonly keeper: string;
}

/** What was put down, and whether nothing stood there before. */
export interface Claimed {
  readonly mark: Mark;
  readonly isNew: boolean;
}

const RENEWED_EVERY_MS = 1000;

/** Asked at the last moment: whether what stands there may be replaced. */
type MayReplace = () => Promise<boolean>;

export function writeMark(input: MarkInput, mark: Mark, how: "new" | MayReplace): Promise<boolean> {
  return makingFile(input.path, input.mode, async (file) => {
    await file.write(input.text(mark));
    await file.finish();
    for (;;) {
      const isWritten = await aloneAt(input.path, async (isInTime) => {
        if (how === "new") return file.publishNew();
        if (!(await how())) return false;
        if (!isInTime()) return "late";
        await file.publish();
        return true;
      });
      if (isWritten !== "late") return isWritten;
    }
  });
}

export function keeperOf(input: MarkInput, claimed: Claimed): MarkKeeper {
  return new Keeper(input, claimed);
}

class Keeper implements MarkKeeper {
  readonly #input: MarkInput;
  readonly #isNew: boolean;
  /** The attempt that the mark tells of. */
  #written: number;
  #last = Promise.resolve();
  #isBusy = false;
  readonly #timer: NodeJS.Timeout;

  constructor(input: MarkInput, { mark, isNew }: Claimed) {
    this.#input = input;
    this.#isNew = isNew;
    this.#written = mark.lastAttempt;
    this.#timer = setInterval(() => {
      if (!this.#isBusy) void this.renew();
    }, RENEWED_EVERY_MS).unref();
  }

  /**
   * Also replaces the mark of a copy of this state directory: its process meets an attempt it does not know, and stops.
   */
  renew(): Promise<void> {
    return this.#renewNext(async (mark) => !(await isAnothers(this.#input.path, mark)));
  }

  async renewFirst(): Promise<void> {
    await this.#renewNext(() => this.assertOwn().then(() => true));
    await this.assertOwn();
  }

  async isStanding(): Promise<boolean> {
    // what cannot be read at this moment may be ours: each file asks again before it goes
    const found = await markAt(this.#input.path).catch(() => undefined);
    if (found === undefined) return true;
    return typeof found === "object" && found.mark?.stateId === (await this.#input.now()).stateId;
  }

  async assertOwn(): Promise<void> {
    const { path, keeper, assertKnown, now } = this.#input;
    const found = await markAt(path);
    if (typeof found !== "object" || found.keeper === keeper) return;
    await assertKnown(found);
    if (found.keeper !== undefined && found.mark?.stateId === (await now()).stateId) throw keptByCopy(path);
  }

  async withdraw(): Promise<void> {
    const { path, keeper } = this.#input;
    clearInterval(this.#timer);
    await this.#last;
    if (!this.#isNew) return;
    const removeOwn = async (): Promise<void> => {
      const found = await markAt(path);
      if (typeof found === "object" && found.keeper === keeper) await unlink(path);
    };
    await aloneAt(path, removeOwn).catch(() => undefined);
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.renew();
  }

  /** Renewals come one after the other, in the order they were asked for. */
  #renewNext(mayReplace: (mark: Mark) => Promise<boolean>): Promise<void> {
    return (this.#last = this.#last.then(() => this.#renewOnce(mayReplace)));
  }

  async #renewOnce(mayReplace: (mark: Mark) => Promise<boolean>): Promise<void> {
    this.#isBusy = true;
    try {
      const mark = await this.#input.now();
      if (mark.lastAttempt === this.#written) return;
      if (await writeMark(this.#input, mark, () => mayReplace(mark))) this.#written = mark.lastAttempt;
    } catch {
      // a folder that cannot be written shows at the end with the results, a journal that fails at the next attempt
    } finally {
      this.#isBusy = false;
    }
  }
}

/** Whether another state directory's mark is there: that of a folder put in the place of ours must stay to be seen. */
async function isAnothers(path: string, own: Mark): Promise<boolean> {
  const found = await markAt(path);
  return typeof found === "object" && found.mark !== undefined && found.mark.stateId !== own.stateId;
}

function keptByCopy(path: string): PaydropError {
  return new PaydropError(
    "journal",
    `another paydrop takes the files of ${dirname(path)} since, with a copy of this state directory: both would send them`,
    "nothing was sent by this one; let only one of the two state directories be used: the one that sent last",
  );
}

/** The first attempt is in the mark before its first byte leaves; those after it within a second. */
export function markedFirst<Row>(mark: SendMark | undefined, begin: (row: Row) => Promise<Begun>): typeof begin {
  let isMarked = mark === undefined;
  return (row) => {
    if (isMarked) return begin(row);
    return begin(row).then(async (begun) => {
      // a row that does not go after all leaves nothing to mark
      if (begun.attempt === undefined) return begun;
      await mark?.renewFirst();
      isMarked = true;
      return begun;
    });
  };
}
