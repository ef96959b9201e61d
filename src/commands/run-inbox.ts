import { setTimeout as sleep } from "node:timers/promises";
import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { counted } from "../counted.ts";
import { PaydropError } from "../errors.ts";
import { gravest } from "../exit-codes.ts";
import type { Processor } from "../processor.ts";
import { DropFolder, SMALL_BESIDE } from "../drop-folder/drop-folder.ts";
import type { Gate } from "../drop-folder/gate.ts";
import { STOP_LOOK_MS } from "../drop-folder/stop-file.ts";
import { folderTeller } from "./folder-teller.ts";
import type { Monitor } from "./monitor.ts";
import type { Teller } from "./teller.ts";

/** As long as a file without its last line end must lie still. */
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
  const { config, processor, teller, gate, monitor } = parts;
  let hasFailed = false;
  const isStopping = (): boolean => gate.isOver || hasFailed;
  const { settleMs } = config;
  const mark = await processor.keepInbox(folder);
  if (mark.remark !== undefined) teller.say(mark.remark);
  const listener = folderTeller(teller, config);
  const drop = new DropFolder({
    ...{ config, processor, listener, folder, settleMs, isWatching: false },
    stopSending: () => gate.close(),
    letSend: () => {
      if (!isStopping()) gate.open();
    },
  });
  const drain = async (which: "any" | "small"): Promise<void> => {
    try {
      while (!isStopping() && !drop.isBlocked && (await drop.workOne(which)));
    } catch (error) {
      // what goes beside it ends before this is told, and nothing new begins
      hasFailed = true;
      gate.close();
      throw error;
    }
  };
  const workOff = async (): Promise<void> => {
    const beside = Array.from({ length: SMALL_BESIDE }, () => drain("small"));
    await untilDone(() => drop.lookForStop(), [drain("any"), ...beside]);
    // what had to wait for one of these
    await untilDone(() => drop.lookForStop(), [drain("any")]);
  };
  try {
    await drop.open();
    let until: number | undefined;
    for (let isLast = false; ;) {
      const { away, nextLookMs } = await drop.sweep();
      // from the end of the first look, and with one to spare: what it found lies still for as long after it, by a
      // timer that may ring early
      until ??= performance.now() + PATIENCE_SETTLES * settleMs + LOOK_MIN_MS;
      monitor.sawInbox(drop.folder, drop.count);
      if (away !== undefined) throw new PaydropError("usage", `${resolve(folder)}: ${away}`, AWAY_HINT);
      await workOff();
      const leftMs = until - performance.now();
      if (isStopping() || drop.isBlocked || nextLookMs === undefined || isLast) break;
      // one more look when the time is over
      isLast = leftMs <= nextLookMs;
      await sleep(Math.max(LOOK_MIN_MS, Math.min(nextLookMs, leftMs)));
    }
    if (!isStopping()) await drop.answerNotReady();
    return tellRest(drop, isStopping() || drop.isBlocked, parts);
  } finally {
    monitor.sawInbox(drop.folder, drop.count);
    await mark.close();
  }
}

/** What is left in the folder, and the exit code of all that was done. */
function tellRest(drop: DropFolder, isStopped: boolean, { config, teller }: RunParts): number {
  const { notReady } = drop;
  const count = counted(notReady.length, "file");
  if (notReady.length > 0 && !drop.isHeld && !config.quiet) teller.say(`${count} not ready: ${notReady.join(", ")}`);
  const isCutOff = isStopped && drop.waitsForSomething;
  // a hold that keeps nothing back need not be told
  if (isCutOff && config.quiet && drop.heldText !== undefined) teller.say(drop.heldText);
  const codes = drop.takeCodes();
  const isIdle = codes.length + notReady.length === 0 && !isStopped;
  if (isIdle && !config.quiet && !config.json) teller.say(`nothing new in ${drop.folder}`);
  return gravest([...codes, ...(isCutOff ? [7] : [])]);
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
