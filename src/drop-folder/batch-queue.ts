import { dirname } from "node:path";
import { isFolderAway, isOwed } from "../batch/report.ts";
import { startOfDay } from "../day.ts";
import type { BatchReport } from "../events.ts";
import type { BatchesAsked } from "../journal/store.ts";
import type { Processor } from "../processor.ts";
import { STOPS } from "../submission/stop-rules.ts";
import { RETRY_MAX_TIMES } from "./service-away.ts";

/** Results of a batch that could not be written beside its file. */
interface Undelivered {
  readonly folder: string;
  readonly why: string | undefined;
  readonly tries: number;
  /** When they are tried again, by `performance.now()`. */
  readonly dueMs: number;
}

/** Batches of one inbox with which something is left to do, in the order in which it is done. */
export class BatchQueue {
  readonly #processor: Processor;
  #batches: string[] = [];
  /** How many rows of a batch were held for rows of other files when this was last asked; by batch. */
  #waitForOthers = new Map<string, number>();
  /** By batch. */
  readonly #undelivered = new Map<string, Undelivered>();
  /** Batches that `max_per_day` stopped, by the beginning of that day. */
  readonly #overCap = new Map<string, number>();
  readonly #retryMs: number;
  readonly #timeZone: string | undefined;

  /**
   * `retryMs`: after so long results that could not be written beside their file are tried again, then less often.
   * `timeZone`: where a day begins.
   */
  constructor(processor: Processor, retryMs: number, timeZone?: string) {
    this.#processor = processor;
    this.#retryMs = retryMs;
    this.#timeZone = timeZone;
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

  /**
   * Notes what is left to do with a batch that has come to its end for now. `isWaiting`: all of its held rows wait for
   * rows of other files, so no person is needed. `isSaid`: nothing was sent, and the results still cannot be written
   * where they should lie, for the reason that was told before.
   */
  async noteEnd(report: BatchReport): Promise<{ isWaiting: boolean; isSaid: boolean }> {
    const isSaid = await this.#noteUndelivered(report);
    if (report.stop?.code === STOPS.day_over_cap.code) this.#overCap.set(report.batch, this.#today());
    else this.#overCap.delete(report.batch);
    if (!report.byStatus.held) return { isWaiting: false, isSaid };
    const [waiting] = await this.#processor.journal.waitingBatches({ batches: [report.batch] });
    if (waiting) this.#waitForOthers.set(waiting.batch, waiting.rows);
    return { isWaiting: await this.#processor.journal.waitsForOthers(report.batch), isSaid };
  }

  /** Adds the batches whose results were kept elsewhere and are due to be tried again, in folders that are there. */
  addUndelivered(foldersThere: readonly string[]): void {
    const nowMs = performance.now();
    for (const [batch, { folder, dueMs }] of this.#undelivered) {
      if (foldersThere.includes(folder) && nowMs >= dueMs) this.add([batch]);
    }
  }

  /** What was too much for one day goes on when the next one has begun. */
  addOfNewDay(): void {
    if (this.#overCap.size === 0) return;
    const today = this.#today();
    for (const [batch, day] of this.#overCap) {
      if (day === today) continue;
      this.#overCap.delete(batch);
      this.add([batch]);
    }
  }

  #today(): number {
    return startOfDay(Date.now(), this.#timeZone);
  }

  async #noteUndelivered(report: BatchReport): Promise<boolean> {
    const { batch, file, files, requests } = report;
    const before = this.#undelivered.get(batch);
    this.#undelivered.delete(batch);
    if (!(await isOwed(report))) return false;
    const tries = before === undefined ? 0 : before.tries + 1;
    // tried again as rarely as a service that is away
    const waitMs = (await isFolderAway(report)) ? 0 : this.#retryMs * Math.min(2 ** tries, RETRY_MAX_TIMES);
    const undelivered = { folder: dirname(file), why: files.elsewhere, tries, dueMs: performance.now() + waitMs };
    this.#undelivered.set(batch, undelivered);
    return requests === 0 && before?.why === undelivered.why;
  }

  /**
   * Adds the batches of files that are gone through once more: what a row waited for has its end, or a person who
   * settled that has freed the row. `folders`: where such files may lie.
   */
  async lookAgain(folders: readonly string[]): Promise<void> {
    const before = this.#waitForOthers;
    if (before.size === 0) return;
    // what comes to its end meanwhile notes itself anew
    this.#waitForOthers = new Map();
    const now = await this.#lookAgainAt({ batches: [...before.keys()] });
    const freed = [...before].filter(([batch, rows]) => (now.get(batch) ?? 0) < rows).map(([batch]) => batch);
    if (freed.length === 0) return;
    const goes = await this.#processor.unfinished(folders);
    this.add(freed.filter((batch) => goes.includes(batch)));
  }

  /** The same of what an earlier process left in these folders. */
  async lookAgainIn(folders: readonly string[]): Promise<void> {
    await this.#lookAgainAt({ folders });
  }

  /**
   * Adds the batches whose wait is over and notes the others, also where only a person can end what they wait for.
   * Gives how many rows wait, by batch.
   */
  async #lookAgainAt(of: BatchesAsked): Promise<ReadonlyMap<string, number>> {
    const waiting = await this.#processor.journal.waitingBatches(of);
    for (const { batch, rows, isOver } of waiting) {
      if (isOver) this.add([batch]);
      else this.#waitForOthers.set(batch, rows);
    }
    return new Map(waiting.map(({ batch, rows }) => [batch, rows]));
  }
}
