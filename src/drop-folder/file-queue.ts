import { basename } from "node:path";
import type { ReadyFile, WaitingFile } from "../intake/two-looks.ts";
import { printable } from "../printable.ts";

/** Files that wait in a drop folder, and since when the oldest does; milliseconds since 1970. */
export interface InboxCount {
  readonly files: number;
  readonly oldestSince?: number;
}

/** A file of up to some thousand rows need not wait until a large one has ended. */
const SMALL_BYTES_MAX = 512 * 1024;

/** Files of one inbox that wait for their turn, and those that are not complete yet, as the last sweep found them. */
export class FileQueue {
  #ready: ReadyFile[] = [];
  #notReady: readonly WaitingFile[] = [];

  get length(): number {
    return this.#ready.length + this.#notReady.length;
  }

  get ready(): readonly ReadyFile[] {
    return this.#ready;
  }

  get notReady(): readonly WaitingFile[] {
    return this.#notReady;
  }

  replace(ready: readonly ReadyFile[], notReady: readonly WaitingFile[]): void {
    this.#ready = [...ready];
    this.#notReady = notReady;
  }

  /** `small`: the first that is done soon. */
  next(which: "any" | "small"): ReadyFile | undefined {
    const isWanted = ({ identity }: ReadyFile): boolean =>
      which === "any" || Number(identity.sizeBytes) <= SMALL_BYTES_MAX;
    const index = this.#ready.findIndex(isWanted);
    return index < 0 ? undefined : this.#ready.splice(index, 1)[0];
  }

  /** Since when they wait: one that is not complete since it was seen, the others since they were written. */
  get count(): InboxCount {
    const since = [
      ...this.#notReady.map(({ forMs }) => Date.now() - forMs),
      ...this.#ready.map(({ identity }) => Number(BigInt(identity.mtimeNs) / 1_000_000n)),
    ];
    return {
      files: since.length,
      ...(since.length > 0 ? { oldestSince: since.reduce((a, b) => Math.min(a, b)) } : {}),
    };
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
