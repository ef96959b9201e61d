import { dirname } from "node:path";
import { isFolderAway } from "../batch/report.ts";
import type { BatchReport } from "../events.ts";
import type { BatchesAsked } from "../journal/store.ts";
import type { Processor } from "../processor.ts";

/** Batches of one inbox with which something is left to do, in the order in which it is done. */
export class BatchQueue {
  readonly #processor: Processor;
  #batches: string[] = [];
  /** Batches with rows that may be held for one of another file. */
  #waitForOthers = new Set<string>();
  /** Batches whose folder was away when their results were written, each with that folder. */
  readonly #undelivered = new Map<string, string>();

  constructor(processor: Processor) {
    this.#processor = processor;
  }

  get length(): number {
    return this.#batches.length;
  }

  next(): string | undefined {
    return this.#batches.shift();
  }

  add(batches: readonly string[]): void {
    this.#batches = [...new Set([...this.#batches, ...batches])];
  }

  /** It goes on before all others. */
  putFirst(batch: string): void {
    this.#batches.unshift(batch);
  }

  /** What people let go comes first: they look at it. */
  async addHandedOver(): Promise<void> {
    const batches = await this.#processor.handedOver();
    this.#batches.unshift(...batches.filter((batch) => !this.#batches.includes(batch)));
  }

  /** Notes what is to be done later with a batch that has come to its end for now. Gives whether it waits for others. */
  async noteEnd(report: BatchReport): Promise<boolean> {
    if (await isFolderAway(report)) this.#undelivered.set(report.batch, dirname(report.file));
    if (report.byStatus.held) this.#waitForOthers.add(report.batch);
    return report.byStatus.held !== undefined && (await this.#processor.journal.waitsForOthers(report.batch));
  }

  /** Results that were kept elsewhere come into their folders that are back. */
  addUndelivered(foldersThere: readonly string[]): void {
    for (const [batch, folder] of this.#undelivered) {
      if (!foldersThere.includes(folder)) continue;
      this.#undelivered.delete(batch);
      this.#batches.push(batch);
    }
  }

  /** A file is gone through once more when what a row of it waited for has an end. */
  async lookAgain(): Promise<void> {
    const batches = [...this.#waitForOthers];
    if (batches.length > 0) await this.#lookAgainAt({ batches });
  }

  /** The same of what an earlier process left in these folders. */
  lookAgainIn(folders: readonly string[]): Promise<void> {
    return this.#lookAgainAt({ folders });
  }

  async #lookAgainAt(of: BatchesAsked): Promise<void> {
    const waiting = await this.#processor.journal.waitingBatches(of);
    this.#waitForOthers = new Set(waiting.filter(({ isOver }) => !isOver).map(({ batch }) => batch));
    this.add(waiting.filter(({ isOver }) => isOver).map(({ batch }) => batch));
  }
}
