import { basename } from "node:path";
import type { ReadyFile, WaitingFile } from "../intake/two-looks.ts";
import { printable } from "../text/printable.ts";

/** Files that wait in a drop folder, and since when the oldest does; milliseconds since 1970. */
export interface InboxCount {
  readonly files: number;
  readonly oldestSince?: number;
}

/** A file of up to some thousand rows need not wait until a large one has ended. */
const SMALL_BYTES_MAX = 512 * 1024;

/** Files of one inbox that wait for their turn, and those that are not complete yet, as the last sweep found them. */
export class FileQueue {
  /** The oldest first. */
  #ready: ReadyFile[] = [];
  #notReady: readonly WaitingFile[] = [];
  /** Since when the first of those that are not complete is seen; milliseconds since 1970. */
  #notReadySince = Infinity;

  get length(): number {
    return this.#ready.length + this.#notReady.length;
  }

  get ready(): readonly ReadyFile[] {
    return this.#ready;
  }

  get notReady(): readonly WaitingFile[] {
    return this.#notReady;
  }

  /** `ready`: the oldest first. */
  replace(ready: readonly ReadyFile[], notReady: readonly WaitingFile[]): void {
    this.#ready = [...ready];
    this.#notReady = notReady;
    this.#notReadySince = Date.now() - notReady.reduce((longest, { forMs }) => Math.max(longest, forMs), -Infinity);
  }

  /** `small`: the first that is done soon. */
  next(which: "any" | "small"): ReadyFile | undefined {
    const isWanted = ({ identity }: ReadyFile): boolean =>
      which === "any" || Number(identity.sizeBytes) <= SMALL_BYTES_MAX;
    const index = this.#ready.findIndex(isWanted);
    return index < 0 ? undefined : this.#ready.splice(index, 1)[0];
  }

  /**
   * How many files wait, and since when: one that is not complete since it was seen, the others since they were
   * written. Asked for after every file: it must not count them all.
   */
  get count(): InboxCount {
    const oldest = this.#ready[0];
    const readySince = oldest === undefined ? Infinity : Number(BigInt(oldest.identity.mtimeNs) / 1_000_000n);
    const since = Math.min(readySince, this.#notReadySince);
    return { files: this.length, ...(since === Infinity ? {} : { oldestSince: since }) };
  }

  /** Files that are not complete, in words. */
  get notReadyTexts(): readonly string[] {
    return this.#notReady.map(({ path, why }) => `${printable(basename(path))} (${NOT_READY[why]})`);
  }
}

const NOT_READY: Readonly<Record<WaitingFile["why"], string>> = {
  being_written: "still being written",
  zeros: "still being copied",
  open: "open in a spreadsheet program",
  unreadable: "may not be read",
};
