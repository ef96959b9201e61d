import { randomBytes } from "node:crypto";
import { closeSync, fdatasync, fstatSync, fsyncSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { unlinkSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { giveToOwner, makePrivateFolder } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { printable } from "../printable.ts";
import { witnessName } from "../state-dir.ts";

/**
 * What a confirmed commit said: how many there are of this state directory, and when that was, by the server's clock.
 * `lineage`: of the journal, another one since a person accepted that it had forgotten commits.
 */
export interface Word {
  readonly commits: number;
  readonly at: number;
  readonly lineage: string;
}

/** `id`: of the state directory in the journal; `isOver`: its process ended with a word. */
export interface Noted extends Word {
  readonly id: string;
  readonly isOver: boolean;
}

interface OpenFile {
  readonly path: string;
  readonly fd: number;
}

/** In one piece, always as long: neither a kill nor a full disk leaves half of it. */
const SIZE = 256;
const SYNCED_EVERY_MS = 1_000;
/** A file that is not written for so long, of a process that ended without a word, is of no use beside a later one. */
const OLD_MS = 3_600_000;

/**
 * What the journal's server has confirmed to the processes of a state directory, kept in it beside the server (README §13,
 * I12): each has a file of its own, and writes it before any row of a commit leaves. A killed process loses nothing of it.
 */
export class Witness {
  readonly #folder: string;
  readonly #journal: string;
  readonly #id: string;
  #file: OpenFile | undefined;
  #last: Noted | undefined;
  #isSynced = true;
  #timer: NodeJS.Timeout | undefined;

  /** `journal`: its state id. */
  constructor(stateDir: string, journal: string) {
    this.#folder = resolve(stateDir);
    this.#journal = journal;
    this.#id = this.all()[0]?.id ?? randomBytes(8).toString("hex");
  }

  get id(): string {
    return this.#id;
  }

  /** What this process and all others of the state directory have noted. */
  all(): readonly Noted[] {
    return this.#paths().flatMap((path) => notedIn(path) ?? []);
  }

  /** Throws PaydropError where it cannot be written: then no row of that commit may leave. */
  note(word: Word): void {
    if (this.#last?.lineage === word.lineage && this.#last.commits >= word.commits) return;
    this.#last = { id: this.#id, ...word, isOver: false };
    try {
      const isFirst = !this.#file;
      this.#file ??= this.#create();
      write(this.#file.fd, this.#last);
      if (isFirst) this.#removeOlder();
    } catch (error) {
      const facts = { folder: printable(this.#folder), found: messageOf(error) };
      throw new PaydropError("witness_unwritable", facts, { cause: error });
    }
    this.#isSynced = false;
  }

  /** With a word: what it knows stays. */
  close(): void {
    clearInterval(this.#timer);
    const { fd } = this.#file ?? {};
    if (fd === undefined || !this.#last) return;
    try {
      write(fd, { ...this.#last, isOver: true });
      fsyncSync(fd);
    } catch {
      // it says the same without a word
    }
    closeSync(fd);
    this.#file = undefined;
  }

  #create(): OpenFile {
    makePrivateFolder(this.#folder);
    const path = join(this.#folder, witnessName(this.#journal, randomBytes(6).toString("hex")));
    const fd = openSync(path, "wx", 0o600);
    giveToOwner(path);
    const folder = openSync(this.#folder, "r");
    fsyncSync(folder);
    closeSync(folder);
    this.#timer ??= setInterval(() => this.#sync(), SYNCED_EVERY_MS).unref();
    return { path, fd };
  }

  #sync(): void {
    if (!this.#file || this.#isSynced || !this.#last) return;
    this.#isSynced = true;
    // another process has taken it for one that was left behind
    if (fstatSync(this.#file.fd).nlink === 0) {
      closeSync(this.#file.fd);
      this.#file = this.#create();
      write(this.#file.fd, this.#last);
    }
    fdatasync(this.#file.fd, () => undefined);
  }

  /** A later commit of the same state directory has what they tell of. */
  #removeOlder(): void {
    const own = this.#last;
    if (!own || !this.#file) return;
    fsyncSync(this.#file.fd);
    for (const path of this.#paths()) {
      const noted = path === this.#file.path ? undefined : notedIn(path);
      if (noted?.id !== own.id || noted.lineage !== own.lineage || noted.commits >= own.commits) continue;
      try {
        if (noted.isOver || Date.now() - statSync(path).mtimeMs > OLD_MS) unlinkSync(path);
      } catch {
        // another process has removed it
      }
    }
  }

  #paths(): string[] {
    const prefix = witnessName(this.#journal, "");
    try {
      const names = readdirSync(this.#folder).filter((name) => name.startsWith(prefix));
      return names.sort().map((name) => join(this.#folder, name));
    } catch {
      // there is no such folder yet
      return [];
    }
  }
}

function write(fd: number, noted: Noted): void {
  const text = JSON.stringify(noted).padEnd(SIZE - 1);
  const written = writeSync(fd, `${text}\n`, 0);
  if (written !== SIZE) throw new Error(`${written} of ${SIZE} bytes could be written`);
}

/** undefined: it is gone by now, or a power cut came before its first lines were on the disk. */
function notedIn(path: string): Noted | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Noted;
  } catch {
    return undefined;
  }
}
