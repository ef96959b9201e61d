import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import type { UnreadKind } from "../format.ts";
import { isOperationFolder } from "../operations/catalogue.ts";
import { printable } from "../text/printable.ts";
import { holdsInput, isNearFolder, NEAR_FOLDER } from "./near-folder.ts";
import { inputName, isStopName, openMarks } from "./names.ts";
import { identityOf, kindOf } from "./source-file.ts";
import type { FoundFile, ReadyFile, TwoLooks, WaitingFile } from "./two-looks.ts";
import { unfitName } from "./unfit-name.ts";

/** Something that will never be taken, and that a person should hear of. */
export interface Oddity {
  readonly path: string;
  /** The words to follow the name: `is a link`. */
  readonly why: string;
  /** Set where a person surely meant it to be sent: what keeps it from that, its kind or its name. */
  readonly meant?: UnreadKind | "name";
}

/** What people were told about each path, also by earlier sweeps. */
export type ToldOddities = Map<string, Set<string>>;

/** One sweep through an inbox and its folders `payouts/ transfers/ loans/ collections/`, and what it found so far. */
export class InboxSweep {
  readonly ready: ReadyFile[] = [];
  readonly waiting: WaitingFile[] = [];
  readonly oddities: Oddity[] = [];
  readonly stops: string[] = [];
  readonly folders: string[] = [];
  readonly present = new Set<string>();
  /** All paths about which something may have to be remembered until the next sweep. */
  readonly seen = new Set<string>();
  readonly #looks: TwoLooks;
  readonly #told: ToldOddities;

  constructor(looks: TwoLooks, told: ToldOddities) {
    this.#looks = looks;
    this.#told = told;
  }

  /** Throws where the inbox cannot be read (`whyAway`). */
  async through(inbox: string): Promise<void> {
    await this.#folder(inbox, true);
  }

  async #folder(folder: string, isTop: boolean): Promise<void> {
    const names = new Set(await readdir(folder));
    this.folders.push(folder);
    for (const name of names) {
      const path = join(folder, name);
      if (isStopName(name)) {
        this.stops.push(path);
      } else if (isTop && isOperationFolder(name)) {
        await this.#subfolder(path);
      } else if (isTop && isNearFolder(name)) {
        await this.#nearFolder(path);
      } else {
        const isOpen = openMarks(name).some((mark) => names.has(mark));
        await this.#name(path, name, isOpen);
      }
    }
  }

  async #subfolder(path: string): Promise<void> {
    const stats = await statsOf(path);
    if (!stats) return;
    this.seen.add(path);
    if (!stats.isDirectory()) {
      this.#tell(path, `is ${kindOf(stats)}, not a folder`);
      return;
    }
    try {
      await this.#folder(path, false);
    } catch (error) {
      const why = whyAway(error);
      if (systemCodeOf(error) !== "ENOENT") this.#tell(path, why);
    }
  }

  async #nearFolder(path: string): Promise<void> {
    if (!(await statsOf(path))?.isDirectory()) return;
    this.seen.add(path);
    // once people were told, the folder is not looked into any more
    if (!this.#isTold(path, NEAR_FOLDER) && (await holdsInput(path))) this.#tell(path, NEAR_FOLDER);
  }

  async #name(path: string, name: string, isOpen: boolean): Promise<void> {
    const said = inputName(name);
    const format = said.ignored === undefined ? said.format : said.unlessChanged;
    if (format === undefined) {
      if (said.ignored === undefined || !(said.unread ?? said.report)) return;
      this.seen.add(path);
      if (said.unread) this.#tell(path, UNREAD[said.unread], said.unread);
      else this.#tell(path, `was not opened: ${said.ignored}`, await meantBy(path, name));
      return;
    }
    const stats = await statsOf(path);
    if (!stats) return;
    this.seen.add(path);
    if (!stats.isFile()) {
      this.#tell(path, `is ${kindOf(stats)}, not a file`);
      return;
    }
    this.present.add(path);
    const isRetry = said.ignored !== undefined;
    await this.#file({ path, identity: identityOf(stats), format, isRetry, isOpen });
  }

  async #file(file: FoundFile): Promise<void> {
    const looked = await this.#looks.look(file);
    if (!looked) return;
    if ("ready" in looked) {
      this.ready.push(looked.ready);
      return;
    }
    if (looked.waiting.why === "unreadable") this.#tell(file.path, "may not be read");
    this.waiting.push(looked.waiting);
  }

  #isTold(path: string, why: string): boolean {
    return this.#told.get(path)?.has(why) ?? false;
  }

  #tell(path: string, why: string, meant?: Oddity["meant"]): void {
    if (this.#isTold(path, why)) return;
    this.#told.set(path, (this.#told.get(path) ?? new Set()).add(why));
    this.oddities.push({ path, why: printable(why, 200), ...(meant ? { meant } : {}) });
  }
}

/**
 * Why a folder cannot be read, in words. An error of the journal, which is asked about files in it, is thrown on: it
 * says nothing about the folder, and must not be waited out.
 */
export function whyAway(error: unknown): string {
  if (error instanceof PaydropError && error.code === "journal") throw error;
  return WHY_AWAY[systemCodeOf(error) ?? ""] ?? messageOf(error);
}

/** `name` where only its name keeps a file from being sent. */
async function meantBy(path: string, name: string): Promise<Oddity["meant"]> {
  if (unfitName(name) === undefined) return undefined;
  return (await statsOf(path))?.isFile() ? "name" : undefined;
}

/** undefined: nothing is there. Throws where the folder may be listed but not entered: then something is there. */
async function statsOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (["EACCES", "EPERM"].includes(systemCodeOf(error) ?? "")) throw error;
    return undefined;
  }
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
