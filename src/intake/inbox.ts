import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "../defined.ts";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { formatOfName, type UnreadKind } from "../format.ts";
import { isOperationFolder } from "../operations/catalogue.ts";
import { printable } from "../printable.ts";
import { holdsInput, isNearFolder, NEAR_FOLDER } from "./near-folder.ts";
import { inputName, isStopName, openMarks } from "./names.ts";
import { identityOf, kindOf } from "./source-file.ts";
import { TwoLooks, type FoundFile, type ReadyFile, type TwoLooksOptions, type WaitingFile } from "./two-looks.ts";

interface InboxOptions extends TwoLooksOptions {
  readonly folder: string;
}

/** Something that will never be taken, and that a person should hear of. */
interface Oddity {
  readonly path: string;
  /** Goes on after the name: `is a link`. */
  readonly why: string;
  /** A person surely meant it to be sent, but for its kind, or its name. */
  readonly meant?: UnreadKind | "name";
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

/**
 * A drop folder and its sub-folders `payouts/ transfers/ loans/ collections/`. Only regular files with the name of an
 * input file are ever opened.
 */
export class Inbox {
  readonly folder: string;
  readonly #looks: TwoLooks;
  readonly #told = new Set<string>();

  constructor({ folder, ...looks }: InboxOptions) {
    this.folder = folder;
    this.#looks = new TwoLooks(looks);
  }

  async sweep(): Promise<Sweep> {
    const found = new Found();
    try {
      await this.#sweepFolder(this.folder, true, found);
    } catch (error) {
      throwOfJournal(error);
      this.#forgetAllBut(new Set());
      const away = WHY_AWAY[systemCodeOf(error) ?? ""] ?? messageOf(error);
      return { away, ready: [], waiting: [], oddities: [], stops: [], present: new Set(), folders: [] };
    }
    this.#forgetAllBut(found.seen);
    found.ready.sort(byAge);
    const { ready, waiting, oddities, stops, present, folders } = found;
    const { nextLookMs } = this.#looks;
    return defined({ ready, waiting, oddities, stops, present, folders, nextLookMs });
  }

  /** The file was not as it had been seen: it is looked at from the beginning. */
  forget(path: string): void {
    this.#looks.forget(path);
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
      } else if (isTop && isNearFolder(name)) {
        await this.#sweepNear(path, found);
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
      throwOfJournal(error);
      const code = systemCodeOf(error);
      if (code !== "ENOENT") this.#tell(path, WHY_AWAY[code ?? ""] ?? messageOf(error), found);
    }
  }

  async #sweepNear(path: string, found: Found): Promise<void> {
    if (!(await statsOf(path))?.isDirectory()) return;
    found.seen.add(path);
    // said once: it is not looked into any more
    if (!this.#isTold(path, NEAR_FOLDER) && (await holdsInput(path))) this.#tell(path, NEAR_FOLDER, found);
  }

  async #sweepName(path: string, name: string, isOpen: boolean, found: Found): Promise<void> {
    const said = inputName(name);
    const format = said.ignored === undefined ? said.format : said.unlessChanged;
    if (format === undefined) {
      if (said.ignored === undefined || !(said.unread ?? said.report)) return;
      found.seen.add(path);
      if (said.unread) this.#tell(path, UNREAD[said.unread], found, said.unread);
      else this.#tell(path, `was not opened: ${said.ignored}`, found, await meantBy(path, name));
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
    const isRetry = said.ignored !== undefined;
    await this.#sweepFile({ path, identity: identityOf(stats), format, isRetry, isOpen }, found);
  }

  async #sweepFile(file: FoundFile, found: Found): Promise<void> {
    const looked = await this.#looks.look(file);
    if (!looked) return;
    if ("ready" in looked) {
      found.ready.push(looked.ready);
      return;
    }
    if (looked.waiting.why === "unreadable") this.#tell(file.path, "may not be read", found);
    found.waiting.push(looked.waiting);
  }

  #isTold(path: string, why: string): boolean {
    return this.#told.has(`${path}\0${why}`);
  }

  #tell(path: string, why: string, found: Found, meant?: Oddity["meant"]): void {
    if (this.#isTold(path, why)) return;
    this.#told.add(`${path}\0${why}`);
    found.oddities.push({ path, why: printable(why, 200), ...(meant ? { meant } : {}) });
  }

  /** What is gone may come back as something else. */
  #forgetAllBut(seen: ReadonlySet<string>): void {
    this.#looks.forgetAllBut(seen);
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

/** An answer beside it has its name, so that one must be plain. */
async function meantBy(path: string, name: string): Promise<Oddity["meant"]> {
  if (formatOfName(name) === undefined || printable(name) !== name || name.includes("\ufffd")) return undefined;
  return (await statsOf(path))?.isFile() ? "name" : undefined;
}

/** Throws where the folder may be listed and not entered: what cannot be looked at is there all the same. */
async function statsOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (["EACCES", "EPERM"].includes(systemCodeOf(error) ?? "")) throw error;
    return undefined;
  }
}

function byAge(one: ReadyFile, other: ReadyFile): number {
  const [a, b] = [BigInt(one.identity.mtimeNs), BigInt(other.identity.mtimeNs)];
  if (a !== b) return a < b ? -1 : 1;
  return one.path < other.path ? -1 : 1;
}

/** A file is asked for in the journal: that it fails says nothing about the folder, and nobody may wait for that to pass. */
function throwOfJournal(error: unknown): void {
  if (error instanceof PaydropError && error.code === "journal") throw error;
}

const UNREAD = {
  workbook: "is a workbook of a kind that paydrop does not read",
  packed: "is a packed file, which paydrop does not open",
  document: "is a document, which paydrop does not read",
} as const;

const WHY_AWAY: Readonly<Record<string, string>> = {
  ENOENT: "the folder is not there",
  ENOTDIR: "it is not a folder",
  EACCES: "the folder may not be read",
  EPERM: "the folder may not be read",
  ESTALE: "the network share is not there any more",
  EIO: "the disk or network share does not answer",
};
