import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config/config.ts";
import { counted } from "../text/counted.ts";
import { PaydropError } from "../errors.ts";
import { gravest } from "../exit-codes.ts";
import type { Processor } from "../processor.ts";
import { DropFolder, SMALL_BESIDE } from "../drop-folder/drop-folder.ts";
import type { Gate } from "../drop-folder/gate.ts";
import { STOP_LOOK_MS } from "../drop-folder/stop-file.ts";
import { folderTeller } from "./screen/folder-teller.ts";
import type { Monitor } from "./monitoring/monitor.ts";
import type { Teller } from "./screen/teller.ts";

/** For how many settle times a file without its last line end must lie still. */
const PATIENCE_SETTLES = 3;
const LOOK_MIN_MS = 20;
const AWAY_HINT = "check its name, then its disk or network share; what lies there goes with the next run";

/** What a run works with. */
export interface RunParts {
  readonly config: Config;
  readonly processor: Processor;
  readonly teller: Teller;
  readonly gate: Gate;
  readonly monitor: Monitor;
}

/** Takes everything of an inbox that is complete, once, and says what is not. Gives the gravest exit code. */
export async function runInbox(folder: string, parts: RunParts): Promise<number> {
  const mark = await parts.processor.keepInbox(folder);
  if (mark.remark !== undefined) parts.teller.say(mark.remark);
  const run = new InboxRun(folder, parts);
  try {
    return await run.takeAll();
  } finally {
    run.tellMonitor();
    await mark.close();
  }
}

class InboxRun {
  readonly #parts: RunParts;
  readonly #drop: DropFolder;
  #hasFailed = false;

  constructor(folder: string, parts: RunParts) {
    const { config, processor, teller, gate } = parts;
    const { settleMs } = config;
    this.#parts = parts;
    this.#drop = new DropFolder({
      ...{ config, processor, listener: folderTeller(teller, config), folder, settleMs, isWatching: false },
      stopSending: () => gate.close(),
      letSend: () => {
        if (!this.#isStopping) gate.open();
      },
    });
  }

  async takeAll(): Promise<number> {
    await this.#drop.open();
    await this.#workUntilStill();
    if (!this.#isStopping) await this.#drop.answerNotReady();
    return this.#tellRest();
  }

  tellMonitor(): void {
    this.#parts.monitor.sawInbox(this.#drop.folder, this.#drop.count);
  }

  get #isStopping(): boolean {
    return this.#parts.gate.isOver || this.#hasFailed;
  }

  get #isStopped(): boolean {
    return this.#isStopping || this.#drop.isBlocked;
  }

  /** Works until all is done that is complete, or becomes so in the time that a file must lie still. */
  async #workUntilStill(): Promise<void> {
    let nextLookMs = await this.#look();
    // counted from the end of the first look: what that look found must lie still for so long after it; and one wait
    // more, since a timer may ring early
    const until = performance.now() + PATIENCE_SETTLES * this.#parts.config.settleMs + LOOK_MIN_MS;
    for (let isLast = false; ;) {
      await this.#workOff();
      const leftMs = until - performance.now();
      if (this.#isStopped || nextLookMs === undefined || isLast) return;
      // one more look when the time is over
      isLast = leftMs <= nextLookMs;
      await sleep(Math.max(LOOK_MIN_MS, Math.min(nextLookMs, leftMs)));
      nextLookMs = await this.#look();
    }
  }

  /** Milliseconds until another look may find more, or undefined when nothing waits for one. */
  async #look(): Promise<number | undefined> {
    const { away, nextLookMs } = await this.#drop.sweep();
    this.tellMonitor();
    if (away !== undefined) throw new PaydropError("usage", `${this.#drop.folder}: ${away}`, AWAY_HINT);
    return nextLookMs;
  }

  async #workOff(): Promise<void> {
    const lookForStop = (): Promise<void> => this.#drop.lookForStop();
    const beside = Array.from({ length: SMALL_BESIDE }, () => this.#drain("small"));
    await untilDone(lookForStop, [this.#drain("any"), ...beside]);
    // then the files that had to wait for one of these
    await untilDone(lookForStop, [this.#drain("any")]);
  }

  async #drain(which: "any" | "small"): Promise<void> {
    try {
      while (!this.#isStopped && (await this.#drop.workOne(which)));
    } catch (error) {
      // the files beside it come to their end before this error is told, and no new one begins
      this.#hasFailed = true;
      this.#parts.gate.closeForFailure();
      throw error;
    }
  }

  /** What is left in the folder, and the exit code of all that was done. */
  #tellRest(): number {
    const { config, teller } = this.#parts;
    const { folder, notReady, isHeld, waitsForSomething, heldText } = this.#drop;
    const count = counted(notReady.length, "file");
    if (notReady.length > 0 && !isHeld && !config.quiet) teller.say(`${count} not ready: ${notReady.join(", ")}`);
    const isCutOff = this.#isStopped && waitsForSomething;
    // a hold that keeps nothing back need not be told
    if (isCutOff && config.quiet && heldText !== undefined) teller.say(heldText);
    const codes = this.#drop.takeCodes();
    const isIdle = codes.length + notReady.length === 0 && !this.#isStopped;
    if (isIdle && !config.quiet && !config.json) teller.say(`nothing new in ${folder}`);
    return gravest([...codes, ...(isCutOff ? [7] : [])]);
  }
}

/** Throws the first failure once all of the work has ended. */
async function untilDone(lookForStop: () => Promise<void>, work: readonly Promise<void>[]): Promise<void> {
  const done = new AbortController();
  void Promise.allSettled(work).then(() => done.abort());
  const ended = await Promise.allSettled([...work, lookNowAndThen(lookForStop, done.signal)]);
  const failed = ended.find((one) => one.status === "rejected");
  if (failed) throw failed.reason as Error;
}

async function lookNowAndThen(look: () => Promise<void>, done: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await sleep(STOP_LOOK_MS, undefined, { signal: done });
      await look();
    }
  } catch (error) {
    if (!done.aborted) throw error;
  }
}
