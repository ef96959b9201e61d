import type { FileFormat } from "../format.ts";
import { lookAt, type Look } from "./look.ts";
import { isUnchanged, type FileIdentity } from "./source-file.ts";

export interface TwoLooksOptions {
  /** How long a file must lie still between two looks. */
  readonly settleMs: number;
  /** Whether a file, as it lies there, was `taken`, or `refused` and nothing has changed since; else it is `new`. */
  readonly standing: (path: string, identity: FileIdentity) => Promise<"taken" | "refused" | "new">;
  /** Whether a retry file with this SHA-256, in lower-case hex, is as paydrop wrote it. */
  readonly isAsWritten: (path: string, sha256: string) => Promise<boolean>;
  /** Gives the milliseconds of a clock that nobody sets; `performance.now` unless said. */
  readonly now?: () => number;
}

/** A file as a sweep finds it. */
export interface FoundFile {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly format: FileFormat;
  /** It has the name of a retry file: it is input only once it differs from what paydrop wrote. */
  readonly isRetry: boolean;
  /** A spreadsheet program has it open. */
  readonly isOpen: boolean;
}

/** A file that lay still for long enough. */
export interface ReadyFile {
  readonly path: string;
  readonly identity: FileIdentity;
  /** What it held at both looks, in lower-case hex: nothing else may be taken in its name. */
  readonly sha256: string;
}

export interface WaitingFile {
  readonly path: string;
  /**
   * `zeros`: it holds NUL bytes, as a copy does whose size was set before its content came. `open`: a spreadsheet
   * program has it open.
   */
  readonly why: "being_written" | "zeros" | "open" | "unreadable";
  readonly forMs: number;
}

/** undefined: nothing is to be done with the file. */
type Looked = { readonly ready: ReadyFile } | { readonly waiting: WaitingFile } | undefined;

interface Watched {
  readonly firstSeenMs: number;
  readonly look: Look;
  readonly atMs: number;
  /** A second look has found the same. */
  readonly isSettled?: true;
}

/** A file without its last line end, or empty, may have been cut: it waits longer (DESIGN §6). */
const UNENDED_TIMES = 3;

/**
 * Finds out whether a file is complete. Neither events nor clocks are trusted, only two looks of our own, at least
 * `settleMs` apart, that find the same size, times and content.
 */
export class TwoLooks {
  readonly #options: TwoLooksOptions;
  readonly #now: () => number;
  readonly #watched = new Map<string, Watched>();
  readonly #unreadable = new Map<string, number>();
  readonly #open = new Map<string, number>();
  readonly #done = new Map<string, FileIdentity>();

  constructor(options: TwoLooksOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async look(file: FoundFile): Promise<Looked> {
    const { path, identity } = file;
    const done = this.#done.get(path);
    if (done && isSame(done, identity)) return undefined;
    const watched = this.#watched.get(path);
    const nowMs = this.#now();
    if (watched?.isSettled && isSame(watched.look.identity, identity)) {
      return { ready: { path, identity, sha256: watched.look.sha256 } };
    }
    if (!watched && !(await this.#isNew(path, identity))) return undefined;
    if (file.isOpen) {
      // what was saved so far may be half of what its writer means to send
      return this.#waitSince(this.#open, path, "open", nowMs);
    }
    this.#open.delete(path);
    if (watched && isSame(watched.look.identity, identity) && nowMs - watched.atMs < this.#neededMs(watched.look)) {
      return { waiting: { path, why: whyOf(watched.look), forMs: nowMs - watched.firstSeenMs } };
    }
    return this.#lookInto(file, watched, nowMs);
  }

  /** Milliseconds until a waiting file can have lain still for long enough; undefined: no file waits. */
  get nextLookMs(): number | undefined {
    let dueMs = Infinity;
    for (const one of this.#watched.values()) {
      if (!one.isSettled) dueMs = Math.min(dueMs, one.atMs + this.#neededMs(one.look));
    }
    return dueMs === Infinity ? undefined : Math.max(0, dueMs - this.#now());
  }

  /** To be called for a file that was not as it had been seen: it is looked at from the beginning. */
  forget(path: string): void {
    this.#watched.delete(path);
  }

  /** Forgets what is gone: it may come back as something else. */
  forgetAllBut(seen: ReadonlySet<string>): void {
    for (const map of [this.#watched, this.#unreadable, this.#open, this.#done]) {
      for (const path of map.keys()) if (!seen.has(path)) map.delete(path);
    }
  }

  async #isNew(path: string, identity: FileIdentity): Promise<boolean> {
    const standing = await this.#options.standing(path, identity);
    // about a refused file `standing` is asked each time: what lies beside the file may have changed
    if (standing === "taken") this.#done.set(path, identity);
    return standing === "new";
  }

  async #lookInto(file: FoundFile, watched: Watched | undefined, nowMs: number): Promise<Looked> {
    const { path } = file;
    const look = await lookAt(path, file.format);
    if (look === "gone") return undefined;
    if (look === "unreadable") return this.#waitSince(this.#unreadable, path, "unreadable", nowMs);
    this.#unreadable.delete(path);
    // a retry file that is just as we wrote it is done: nothing more of it is to come
    if (file.isRetry && (await this.#options.isAsWritten(path, look.sha256))) {
      this.#done.set(path, look.identity);
      this.#watched.delete(path);
      return undefined;
    }
    if (watched && isSame(watched.look.identity, look.identity) && watched.look.sha256 === look.sha256) {
      return this.#foundTheSame(path, { ...watched, look }, nowMs);
    }
    const firstSeenMs = watched?.firstSeenMs ?? nowMs;
    this.#watched.set(path, { firstSeenMs, look, atMs: nowMs });
    return { waiting: { path, why: whyOf(look), forMs: nowMs - firstSeenMs } };
  }

  #foundTheSame(path: string, watched: Watched, nowMs: number): Looked {
    const { look, firstSeenMs } = watched;
    if (look.end === "zeros") {
      this.#watched.set(path, { ...watched, atMs: nowMs });
      return { waiting: { path, why: "zeros", forMs: nowMs - firstSeenMs } };
    }
    this.#watched.set(path, { ...watched, isSettled: true });
    return { ready: { path, identity: look.identity, sha256: look.sha256 } };
  }

  /** The file waits without being looked into; what was seen of it before is forgotten. */
  #waitSince(since: Map<string, number>, path: string, why: "open" | "unreadable", nowMs: number): Looked {
    this.#watched.delete(path);
    const firstMs = since.get(path) ?? nowMs;
    since.set(path, firstMs);
    return { waiting: { path, why, forMs: nowMs - firstMs } };
  }

  #neededMs(look: Look): number {
    return this.#options.settleMs * (look.end === "ended" ? 1 : UNENDED_TIMES);
  }
}

function whyOf(look: Look): WaitingFile["why"] {
  return look.end === "zeros" ? "zeros" : "being_written";
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return isUnchanged(one, other) && one.ino === other.ino && one.dev === other.dev;
}
