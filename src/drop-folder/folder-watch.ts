import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../errors.ts";
import { identityOfFolder } from "../disk/folder-identity.ts";
import { Bell } from "./bell.ts";
import { DropFolder, SMALL_BESIDE, type DropFolderParts } from "./drop-folder.ts";
import type { InboxCount } from "./file-queue.ts";
import { listenForHints } from "./folder-hints.ts";
import type { Gate } from "./gate.ts";
import { STOP_LOOK_MS } from "./stop-file.ts";

interface WatchParts extends Omit<DropFolderParts, "isWatching" | "stopSending" | "letSend" | "settleMs"> {
  /**
   * Waits for no events: network shares give none. Files must then lie still longer, unless a setting says how long.
   */
  readonly isPolling: boolean;
  readonly settleIsSaid: boolean;
  readonly gate: Gate;
  /** Called with what waits in the folder, whenever that may have changed. */
  readonly sawInbox?: (count: InboxCount) => void;
  /** Called with the exit code of each batch. */
  readonly batchEnded?: (exitCode: number) => void;
}

/** The sweep is what counts; events only make it come sooner. */
const SWEEP_MS = 10_000;
const LOOK_MIN_MS = 50;
const POLL_SETTLE_MS = 15_000;
/** After a look the folder rests for so many times as long: one of many thousand files must leave time to send. */
const REST_TIMES = 4;
/** But never for longer than this: what comes has to be seen. */
const REST_MAX_MS = 2_000;

/** Takes every file that is dropped into a folder, until the gate is closed for good. */
export class FolderWatch {
  readonly #parts: WatchParts;
  readonly #folder: string;
  readonly #drop: DropFolder;
  readonly #sweepBell = new Bell();
  readonly #workBell = new Bell();
  readonly #besideBells = Array.from({ length: SMALL_BESIDE }, () => new Bell());
  readonly #end = new AbortController();
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#folder = resolve(parts.folder);
    const { config, gate, isPolling, settleIsSaid } = parts;
    this.#drop = new DropFolder({
      ...parts,
      folder: this.#folder,
      settleMs: isPolling && !settleIsSaid ? POLL_SETTLE_MS : config.settleMs,
      isWatching: true,
      stopSending: () => gate.close(),
      letSend: () => {
        if (!this.#isEnding) gate.open();
      },
    });
    gate.onEnd(() => this.#wakeAll());
  }

  get isWorking(): boolean {
    return this.#drop.isWorking;
  }

  get isTrying(): boolean {
    return this.#drop.isTrying;
  }

  /** The last batch was cut off before its end. */
  get wasCutOff(): boolean {
    return this.#drop.wasCutOff;
  }

  /** Throws what it cannot go on with. `onReady`: the folder is ours now, and is being looked at. */
  async untilStopped(onReady: () => void = () => undefined): Promise<void> {
    const { processor } = this.#parts;
    let mark = await processor.keepInbox(this.#folder);
    if (mark.remark !== undefined) this.#parts.listener.say(mark.remark);
    const renewMark = async (): Promise<void> => {
      await mark.close();
      mark = await processor.keepInbox(this.#folder);
    };
    const hints = this.#parts.isPolling ? undefined : this.#listenForHints();
    try {
      await this.#drop.open();
      onReady();
      await Promise.all([
        this.#guard(() => this.#sweeping(renewMark, () => mark.isStanding())),
        this.#guard(() => this.#working("any", this.#workBell)),
        ...this.#besideBells.map((bell) => this.#guard(() => this.#working("small", bell))),
        this.#guard(() => this.#lookingForStop()),
      ]);
      if (this.#failure) throw this.#failure.error;
    } finally {
      await hints?.close();
      await mark.close();
    }
  }

  async #sweeping(renewMark: () => Promise<void>, isMarked: () => Promise<boolean>): Promise<void> {
    let which: string | undefined;
    while (!this.#isEnding) {
      const startedAt = performance.now();
      const { away, nextLookMs = SWEEP_MS } = await this.#drop.sweep();
      this.#parts.sawInbox?.(this.#drop.count);
      // the folder was made again, or another disk mounted in its place: there may be another's mark by now
      const now = (away === undefined ? await identityOfFolder(this.#folder) : undefined) ?? "away";
      const isOther = which !== undefined && which !== now;
      // or the mark alone was taken away: whoever comes next would believe that nobody watches
      if (now !== "away" && (isOther || !(await isMarked()))) await renewMark();
      which = now;
      this.#ringForWork();
      const tookMs = performance.now() - startedAt;
      await this.#rest(Math.min(REST_MAX_MS, tookMs * REST_TIMES));
      await this.#sweepBell.wait(Math.min(SWEEP_MS, Math.max(LOOK_MIN_MS, nextLookMs - tookMs)));
    }
  }

  async #lookingForStop(): Promise<void> {
    while (!this.#isEnding) {
      await this.#rest(STOP_LOOK_MS);
      if (this.isWorking) await this.#drop.lookForStop();
    }
  }

  async #working(which: "any" | "small", bell: Bell): Promise<void> {
    const { batchEnded, sawInbox } = this.#parts;
    while (!this.#isEnding) {
      const isDue = this.#drop.retryInMs === 0;
      const isDone = await this.#drop.workOne(which);
      for (const code of this.#drop.takeCodes()) batchEnded?.(code);
      sawInbox?.(this.#drop.count);
      if (!isDone) await bell.wait(this.#untilWorkMs(isDue));
    }
  }

  /** `isDue`: the service was to be tried again when nothing was found to do. */
  #untilWorkMs(isDue: boolean): number {
    // the batch to try it with was taken away, cancelled or paused: whatever comes is seen by the next sweep
    const isIdle = isDue && !this.isWorking;
    return isIdle ? SWEEP_MS : Math.min(SWEEP_MS, Math.max(LOOK_MIN_MS, this.#drop.retryInMs ?? SWEEP_MS));
  }

  /** Whichever of them fails, the others come to their end first. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failure ??= { error };
      this.#parts.gate.closeForFailure();
      this.#wakeAll();
    }
  }

  get #isEnding(): boolean {
    return this.#failure !== undefined || this.#parts.gate.isOver;
  }

  #wakeAll(): void {
    this.#end.abort();
    this.#sweepBell.ring();
    this.#ringForWork();
  }

  #ringForWork(): void {
    for (const bell of [this.#workBell, ...this.#besideBells]) bell.ring();
  }

  async #rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }

  #listenForHints(): { close(): Promise<void> } {
    return listenForHints(this.#folder, this.#sweepBell.ring, (error) => {
      const seconds = SWEEP_MS / 1000;
      this.#parts.listener.mention(
        `no events come from the folder (${messageOf(error)}): it is looked at every ${seconds} s`,
      );
    });
  }
}
