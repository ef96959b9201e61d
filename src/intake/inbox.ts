import { defined } from "../defined.ts";
import { InboxSweep, whyAway, type Oddity, type ToldOddities } from "./inbox-sweep.ts";
import { TwoLooks, type ReadyFile, type TwoLooksOptions, type WaitingFile } from "./two-looks.ts";

interface InboxOptions extends TwoLooksOptions {
  readonly folder: string;
}

/** What one sweep of the folder found. */
export interface Sweep {
  /** Why the folder cannot be read; then nothing else is known. */
  readonly away?: string;
  /** The oldest first. */
  readonly ready: readonly ReadyFile[];
  readonly waiting: readonly WaitingFile[];
  /** Each oddity is given once, not by every sweep. */
  readonly oddities: readonly Oddity[];
  /** Files with which a person says stop. */
  readonly stops: readonly string[];
  /** The paths of all files that may be input by their name, done ones too. */
  readonly present: ReadonlySet<string>;
  /** The inbox, and those of its sub-folders that are there. */
  readonly folders: readonly string[];
  /** Milliseconds until a waiting file can have lain still for long enough. */
  readonly nextLookMs?: number;
}

/**
 * A drop folder and its sub-folders, with what is remembered about them from one sweep to the next. Only regular files
 * with the name of an input file are ever opened.
 */
export class Inbox {
  readonly #folder: string;
  readonly #looks: TwoLooks;
  readonly #told: ToldOddities = new Map();

  constructor({ folder, ...looks }: InboxOptions) {
    this.#folder = folder;
    this.#looks = new TwoLooks(looks);
  }

  async sweep(): Promise<Sweep> {
    const found = new InboxSweep(this.#looks, this.#told);
    try {
      await found.through(this.#folder);
    } catch (error) {
      const away = whyAway(error);
      this.#forgetAllBut(new Set());
      return { away, ready: [], waiting: [], oddities: [], stops: [], present: new Set(), folders: [] };
    }
    this.#forgetAllBut(found.seen);
    found.ready.sort(byAge);
    const { ready, waiting, oddities, stops, present, folders } = found;
    const { nextLookMs } = this.#looks;
    return defined({ ready, waiting, oddities, stops, present, folders, nextLookMs });
  }

  /** To be called for a file that was not as it had been seen: it is looked at from the beginning. */
  forget(path: string): void {
    this.#looks.forget(path);
  }

  /** Forgets what is gone: it may come back as something else. */
  #forgetAllBut(seen: ReadonlySet<string>): void {
    this.#looks.forgetAllBut(seen);
    for (const path of this.#told.keys()) if (!seen.has(path)) this.#told.delete(path);
  }
}

function byAge(one: ReadyFile, other: ReadyFile): number {
  const [a, b] = [BigInt(one.identity.mtimeNs), BigInt(other.identity.mtimeNs)];
  if (a !== b) return a < b ? -1 : 1;
  return one.path < other.path ? -1 : 1;
}
