import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, systemCodeOf } from "../errors.ts";
import { formatOfName, isOtherWorkbook, type FileFormat } from "../format.ts";
import { isOperationFolder } from "../operations/catalogue.ts";
import { printable } from "../printable.ts";
import { lookAt, type Look } from "./look.ts";
import { inputName, isStopName, openMarks } from "./names.ts";
import { identityOf, isUnchanged, kindOf } from "./source-file.ts";
import type { FileIdentity } from "./source-file.ts";

export interface InboxOptions {
  readonly folder: string;
  /** How long a file must lie still between two looks. */
  readonly settleMs: number;
  /** Whether nothing is left to do with a file as it lies there: it was taken; or refused, and nothing has changed. */
  readonly standing: (path: string, identity: FileIdentity) => Promise<"taken" | "refused" | "new">;
  /** Whether paydrop itself wrote what has this SHA-256, in lower-case hex. */
  readonly wrote: (sha256: string) => Promise<boolean>;
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number;
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

/** Something that will never be taken, and that a person should hear of. */
export interface Oddity {
  readonly path: string;
  /** Goes on after the name: `is a link`. */
  readonly why: string;
  /** A person surely meant it to be sent, but for its kind, or its name. */
  readonly meant?: "workbook" | "name";
}

/** What one sweep of the folder found. */
export interface Sweep {
  /** Why the folder cannot be read; then nothing else is known. */
  readonly away?: string;
  /** The oldest first. */
  readonly ready: readonly ReadyFile[];
  readonly waiting: readonly WaitingFile[];
  /** Each is given once. */
  readonly oddities: readonly Oddity[];
  /** Files with which a person says stop. */
  readonly stops: readonly string[];
  /** Every file by its name that may be input, done ones too. */
  readonly present: ReadonlySet<string>;
  /** The inbox, and those of its sub-folders that are there. */
  readonly folders: readonly string[];
  /** How long until a file that waits can have lain still for long enough. */
  readonly nextLookMs?: number;
}

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
 * A drop folder and its sub-folders `payouts/ transfers/ loans/ collections/`. It trusts no event and no clock but its
 * own two looks at every file: size, times and content the same, at least `settleMs` apart. Only regular files with the
 * name of an input file are ever opened.
 */
export class Inbox {
  readonly folder: string;
  readonly #options: InboxOptions;
  readonly #now: () => number;
  readonly #watched = new Map<string, Watched>();
  readonly #unreadable = new Map<string, number>();
  readonly #open = new Map<string, number>();
  readonly #done = new Map<string, FileIdentity>();
  readonly #told = new Set<string>();

  constructor(options: InboxOptions) {
    this.folder = options.folder;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  async sweep(): Promise<Sweep> {
    const found = new Found();
    try {
      await this.#sweepFolder(this.folder, true, found);
    } catch (error) {
      this.#forgetAllBut(new Set());
      const away = WHY_AWAY[systemCodeOf(error) ?? ""] ?? messageOf(error);
      return { away, ready: [], waiting: [], oddities: [], stops: [], present: new Set(), folders: [] };
    }
    this.#forgetAllBut(found.seen);
    found.ready.sort(byAge);
    const unsettled = [...this.#watched.values()].filter((one) => !one.isSettled);
    const due = unsettled.map((one) => one.atMs + this.#neededMs(one.look) - this.#now());
    const { ready, waiting, oddities, stops, present, folders } = found;
    const next = due.length > 0 ? { nextLookMs: Math.max(0, Math.min(...due)) } : {};
    return { ready, waiting, oddities, stops, present, folders, ...next };
  }

  /** The file was not as it had been seen: it is looked at from the beginning. */
  forget(path: string): void {
    this.#watched.delete(path);
    this.#done.delete(path);
  }

  async #sweepFolder(folder: string, isTop: boolean, found: Found): Promise<void> {
    const names = new Set(await readdir(folder));
    found.folders.push(folder);
    for (const name of names) {
      const path = join(folder, name);
      if (isStopName(name)) {
        found.stops.push(path);
      } else if (isTop && isOperationFolder(name)) {
        await this.#sweepSubfolder(path, found);
      } else {
        const isOpen = openMarks(name).some((mark) => names.has(mark));
        await this.#sweepName(path, name, isOpen, found);
      }
    }
  }

  async #sweepSubfolder(path: string, found: Found): Promise<void> {
    const stats = await statsOf(path);
    if (!stats) return;
    found.seen.add(path);
    if (!stats.isDirectory()) {
      this.#tell(path, `is ${kindOf(stats)}, not a folder`, found);
      return;
    }
    try {
      await this.#sweepFolder(path, false, found);
    } catch (error) {
      const code = systemCodeOf(error);
      if (code !== "ENOENT") this.#tell(path, WHY_AWAY[code ?? ""] ?? messageOf(error), found);
    }
  }

  async #sweepName(path: string, name: string, isOpen: boolean, found: Found): Promise<void> {
    const said = inputName(name);
    const format = said.ignored === undefined ? said.format : said.unlessChanged;
    if (format === undefined) {
      const workbook = isOtherWorkbook(name);
      if (!workbook && !(said.ignored !== undefined && said.report)) return;
      found.seen.add(path);
      if (workbook) this.#tell(path, WORKBOOK, found, "workbook");
      else this.#tell(path, `was not opened: ${said.ignored ?? ""}`, found, await meantBy(path, name));
      return;
    }
    const stats = await statsOf(path);
    if (!stats) return;
    found.seen.add(path);
    if (!stats.isFile()) {
      this.#tell(path, `is ${kindOf(stats)}, not a file`, found);
      return;
    }
    found.present.add(path);
    await this.#sweepFile(path, identityOf(stats), { isRetry: said.ignored !== undefined, isOpen, format }, found);
  }

  async #sweepFile(
    path: string,
    identity: FileIdentity,
    { isRetry, isOpen, format }: { isRetry: boolean; isOpen: boolean; format: FileFormat },
    found: Found,
  ): Promise<void> {
    const done = this.#done.get(path);
    if (done && isUnchanged(done, identity) && done.ino === identity.ino) return;
    const watched = this.#watched.get(path);
    const nowMs = this.#now();
    if (watched?.isSettled && isSame(watched.look.identity, identity)) {
      found.ready.push({ path, identity, sha256: watched.look.sha256 });
      return;
    }
    if (!watched) {
      const standing = await this.#options.standing(path, identity);
      // a refused one is asked for again each time: what lies beside it may have changed
      if (standing === "taken") this.#done.set(path, identity);
      if (standing !== "new") return;
    }
    if (isOpen) {
      // what was saved so far may be half of what its writer means to send
      this.#watched.delete(path);
      const since = this.#open.get(path) ?? nowMs;
      this.#open.set(path, since);
      found.waiting.push({ path, why: "open", forMs: nowMs - since });
      return;
    }
    this.#open.delete(path);
    if (watched && isSame(watched.look.identity, identity) && nowMs - watched.atMs < this.#neededMs(watched.look)) {
      found.waiting.push({ path, why: whyOf(watched.look), forMs: nowMs - watched.firstSeenMs });
      return;
    }
    const look = await lookAt(path, format);
    if (look === "gone") return;
    if (look === "unreadable") {
      const since = this.#unreadable.get(path) ?? nowMs;
      this.#unreadable.set(path, since);
      this.#tell(path, "may not be read", found);
      found.waiting.push({ path, why: "unreadable", forMs: nowMs - since });
      return;
    }
    this.#unreadable.delete(path);
    if (watched && isSame(watched.look.identity, look.identity) && watched.look.sha256 === look.sha256 && look.steady) {
      if (look.end === "zeros") {
        this.#watched.set(path, { ...watched, atMs: nowMs });
        found.waiting.push({ path, why: "zeros", forMs: nowMs - watched.firstSeenMs });
      } else if (isRetry && (await this.#options.wrote(look.sha256))) {
        this.#done.set(path, look.identity);
        this.#watched.delete(path);
      } else {
        this.#watched.set(path, { ...watched, isSettled: true });
        found.ready.push({ path, identity: look.identity, sha256: look.sha256 });
      }
      return;
    }
    const firstSeenMs = watched?.firstSeenMs ?? nowMs;
    // from the end of the look: what was read may have been written while it was read
    this.#watched.set(path, { firstSeenMs, look, atMs: this.#now() });
    found.waiting.push({ path, why: whyOf(look), forMs: nowMs - firstSeenMs });
  }

  #neededMs(look: Look): number {
    return this.#options.settleMs * (look.end === "ended" ? 1 : UNENDED_TIMES);
  }

  #tell(path: string, why: string, found: Found, meant?: Oddity["meant"]): void {
    const key = `${path}\0${why}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    found.oddities.push({ path, why: printable(why, 200), ...(meant ? { meant } : {}) });
  }

  /** What is gone may come back as something else. */
  #forgetAllBut(seen: ReadonlySet<string>): void {
    for (const map of [this.#watched, this.#unreadable, this.#open, this.#done]) {
      for (const path of map.keys()) if (!seen.has(path)) map.delete(path);
    }
    for (const key of this.#told) if (!seen.has(key.slice(0, key.indexOf("\0")))) this.#told.delete(key);
  }
}

class Found {
  readonly ready: ReadyFile[] = [];
  readonly waiting: WaitingFile[] = [];
  readonly oddities: Oddity[] = [];
  readonly stops: string[] = [];
  readonly folders: string[] = [];
  readonly present = new Set<string>();
  readonly seen = new Set<string>();
}

function whyOf(look: Look): WaitingFile["why"] {
  return look.end === "zeros" ? "zeros" : "being_written";
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return isUnchanged(one, other) && one.ino === other.ino && one.dev === other.dev;
}

/** An answer beside it has its name, so that one must be plain. */
async function meantBy(path: string, name: string): Promise<Oddity["meant"]> {
  if (formatOfName(name) === undefined || printable(name) !== name || name.includes("\ufffd")) return undefined;
  return (await statsOf(path))?.isFile() ? "name" : undefined;
}

async function statsOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function byAge(one: ReadyFile, other: ReadyFile): number {
  const [a, b] = [BigInt(one.identity.mtimeNs), BigInt(other.identity.mtimeNs)];
  if (a !== b) return a < b ? -1 : 1;
  return one.path < other.path ? -1 : 1;
}

const WORKBOOK = "is a workbook of a kind that paydrop does not read";

const WHY_AWAY: Readonly<Record<string, string>> = {
  ENOENT: "the folder is not there",
  ENOTDIR: "it is not a folder",
  EACCES: "the folder may not be read",
  EPERM: "the folder may not be read",
  ESTALE: "the network share is not there any more",
  EIO: "the disk or network share does not answer",
};
