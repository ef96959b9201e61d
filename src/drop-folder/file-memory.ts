import { createHash } from "node:crypto";
import { lstat, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { formatOfName } from "../format.ts";
import { CONTROL_ENDINGS } from "../intake/control.ts";
import { lookAt } from "../intake/look.ts";
import { identityText, renumberedAs, type FileIdentity } from "../intake/source-file.ts";
import type { JournalStore } from "../journal/store.ts";
import { rowsIn } from "../results/words/status.ts";

const REFUSED = "refused";

interface FileBatch {
  readonly id: string;
  readonly isOfPath: boolean;
}

/** What the journal remembers of files as they lie in a drop folder, so that each is told about once. */
export class FileMemory {
  readonly #journal: JournalStore;
  readonly #settings: string;
  readonly #environment: Config["environment"];

  constructor(journal: JournalStore, config: Config) {
    this.#journal = journal;
    this.#environment = config.environment;
    const { choices, mappings, operation, period, expectRows, expectTotal, requireControl } = config;
    const settings = JSON.stringify({ choices, mappings, operation, period, expectRows, expectTotal, requireControl });
    this.#settings = createHash("sha256").update(settings).digest("hex").slice(0, 16);
  }

  async standingOf(path: string, identity: FileIdentity): Promise<"taken" | "refused" | "new"> {
    const refusalKey = await this.refusalKey(path, identity);
    const [taken, refused] = await Promise.all([
      this.#journal.sourceBatch(path, identityText(identity)),
      this.#journal.sourceBatch(path, refusalKey),
    ]);
    if (taken !== undefined) return (await this.#holdsOther(path, identity, taken)) ? "new" : "taken";
    if (refused === REFUSED) return "refused";
    // asked last, not of every file that lies there: a sweep asks for thousands
    const renumbered = await this.#journal.sourceRenumbered(path, ...renumberedAs(identity));
    return renumbered !== undefined && (await this.#isRenumbered(path, identity, renumbered)) ? "taken" : "new";
  }

  /** Compared by its bytes, once: from then on it is known by the number that it has now. */
  async #isRenumbered(path: string, identity: FileIdentity, batchId: string): Promise<boolean> {
    const batch = await this.#journal.batch(batchId);
    const look = batch && (await lookAt(path, batch.format));
    if (look === undefined || typeof look === "string" || look.sha256 !== batch?.sha256) return false;
    await this.#journal.noteSource(path, identityText(identity), batchId);
    return true;
  }

  /**
   * Programs that unpack or export give every file the same time: what was touched since it was taken is compared by its
   * bytes.
   */
  async #holdsOther(path: string, { ctimeNs, mtimeNs }: FileIdentity, batchId: string): Promise<boolean> {
    // nobody set its times: of most files that lie there nothing more is asked
    if (ctimeNs === mtimeNs) return false;
    const batch = await this.#journal.batch(batchId);
    if (batch === undefined || BigInt(ctimeNs) / 1_000_000n <= BigInt(batch.createdAt)) return false;
    const look = await lookAt(path, batch.format);
    return typeof look !== "string" && look.sha256 !== batch.sha256;
  }

  /** Path of the file that a batch was taken from, where one of that name still lies there. */
  async fileOf(batchId: string): Promise<string | undefined> {
    const batch = await this.#journal.batch(batchId);
    const path = batch && join(batch.folder, batch.fileName);
    return path !== undefined && (await lstat(path).catch(() => undefined))?.isFile() ? path : undefined;
  }

  /**
   * The batch that the bytes of this file are, if any. `isOfPath`: it was taken from here, by whatever name of its
   * folder. `known`: its SHA-256, by those who have it: a large file is not read again.
   */
  async batchOf(path: string, known?: string): Promise<FileBatch | undefined> {
    const sha256 = known ?? (await sha256At(path));
    if (sha256 === undefined) return undefined;
    const [here, batches] = await Promise.all([
      nameOnDisk(path),
      this.#journal.batchesOfBytes(sha256, this.#environment),
    ]);
    for (const { id } of batches) {
      const sources = await Promise.all((await this.#journal.sourcesOf(id)).map(nameOnDisk));
      if (sources.includes(here)) return { id, isOfPath: true };
    }
    const [newest] = batches;
    return newest && { id: newest.id, isOfPath: false };
  }

  /** Whether a file was taken from here, by whatever name of its folder, and no row of it is left to send. */
  async hasEnd(path: string, sha256?: string): Promise<boolean> {
    const batch = await this.batchOf(path, sha256);
    if (!batch?.isOfPath) return false;
    return rowsIn(await this.#journal.tallies(batch.id), "ready", "sending", "not_sent") === 0;
  }

  async noteRefused(path: string, refusalKey: string): Promise<void> {
    await this.#journal.noteSource(path, refusalKey, REFUSED);
  }

  /**
   * To be asked for before the file is read. A refused file is looked at again when it, its control totals, or the
   * settings it was read with have changed since.
   */
  async refusalKey(path: string, identity: FileIdentity): Promise<string> {
    const controls = CONTROL_ENDINGS.map((ending) =>
      stat(`${path}${ending}`, { bigint: true }).then(
        ({ ino, size, mtimeNs }) => [ino, size, mtimeNs].join(" "),
        () => "",
      ),
    );
    const control = (await Promise.all(controls)).filter(Boolean).join(" ") || "none";
    return `${identityText(identity)} refused ${control} ${this.#settings}`;
  }
}

/** undefined: it is gone, or cannot be read. */
async function sha256At(path: string): Promise<string | undefined> {
  const look = await lookAt(path, formatOfName(path) ?? "csv");
  return typeof look === "string" ? undefined : look.sha256;
}

/** One file has as many paths as there are links to its folder. */
function nameOnDisk(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
