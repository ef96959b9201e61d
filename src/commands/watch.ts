import { watch as watchFolder } from "chokidar";
import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import type { RunEvent } from "../events.ts";
import type { Sweep } from "../intake/inbox.ts";
import type { InboxCount } from "../metrics.ts";
import { openProcessor, type Processor } from "../processor.ts";
import { Bell } from "./bell.ts";
import type { Call } from "./command.ts";
import { stateRemark } from "./doctor-folders.ts";
import { DropFolder } from "./drop-folder.ts";
import { Gate } from "./gate.ts";
import { withLog } from "./log-events.ts";
import type { Monitor } from "./monitor.ts";
import { stopText, withSending } from "./run.ts";
import { listenForSignals } from "./signals.ts";
import { createTeller, type Teller } from "./teller.ts";

/** The sweep is what counts; events only make it come sooner. */
const SWEEP_MS = 10_000;
const HINT_GATHER_MS = 200;
const LOOK_MIN_MS = 50;
const POLL_SETTLE_MS = 15_000;

/** Takes every file that is dropped into a folder, for ever. Exit 0 when it was asked to end, 7 when it cut a batch off. */
export function run(call: Call): Promise<number> {
  return withSending(call, (config, sandbox, monitor) => watch(call, config, sandbox, monitor));
}

async function watch(call: Call, config: Config, sandbox: boolean, monitor: Monitor): Promise<number> {
  const teller = await withLog(createTeller(call, config), call, config);
  const listening = listenForSignals((which) => teller.say(stopText(which, config)), config.logFile === undefined);
  const gate = new Gate(listening);
  try {
    const onEvent = (event: RunEvent): void => {
      monitor.onEvent(event);
      teller.onEvent(event);
    };
    const processor = await openProcessor({ config, sandbox, signal: gate, onEvent }, "send");
    try {
      await monitor.follow(processor.journal);
      return await new Watch(call, config, processor, teller, gate, monitor).untilStopped();
    } finally {
      await monitor.unfollow();
      await processor.close();
    }
  } finally {
    listening.close();
    teller.close();
  }
}

class Watch {
  readonly #folder: string;
  readonly #drop: DropFolder;
  readonly #processor: Processor;
  readonly #gate: Gate;
  readonly #monitor: Monitor;
  readonly #isPolling: boolean;
  readonly #sweepBell = new Bell();
  readonly #workBell = new Bell();
  #hasFailed = false;
  #failure: unknown;

  constructor(call: Call, config: Config, processor: Processor, teller: Teller, gate: Gate, monitor: Monitor) {
    this.#folder = resolve(call.operands[0] ?? ".");
    this.#processor = processor;
    this.#gate = gate;
    this.#monitor = monitor;
    this.#isPolling = call.flags["poll"] === true;
    const isSaid = config.origins?.["settle"] !== undefined;
    this.#drop = new DropFolder({
      config,
      processor,
      teller,
      folder: this.#folder,
      settleMs: this.#isPolling && !isSaid ? POLL_SETTLE_MS : config.settleMs,
      isWatching: true,
      stopSending: () => gate.close(),
    });
    const remark = config.quiet ? undefined : stateRemark(config);
    if (remark !== undefined) teller.say(remark);
    if (!config.quiet && !config.json) teller.say(`watching ${this.#folder}`);
  }

  async untilStopped(): Promise<number> {
    let mark = await this.#processor.keepInbox(this.#folder);
    const hints = this.#listenForHints();
    this.#gate.onEnd(() => this.#wakeAll());
    const renewMark = async (): Promise<void> => {
      await mark.close();
      mark = await this.#processor.keepInbox(this.#folder);
    };
    try {
      await this.#drop.open();
      await Promise.all([this.#guard(() => this.#sweeping(renewMark)), this.#guard(() => this.#working())]);
      if (this.#hasFailed) throw this.#failure;
      return this.#drop.wasCutOff ? 7 : 0;
    } finally {
      await hints?.close();
      await mark.close();
    }
  }

  async #sweeping(onFolderBack: () => Promise<void>): Promise<void> {
    let wasAway = false;
    while (!this.#isEnding) {
      const sweep = await this.#drop.sweep();
      const { away, nextLookMs = SWEEP_MS } = sweep;
      this.#monitor.sawInbox(waitingIn(sweep));
      // another folder may be there by now, with another's mark
      if (wasAway && away === undefined) await onFolderBack();
      wasAway = away !== undefined;
      this.#workBell.ring();
      await this.#sweepBell.wait(Math.min(SWEEP_MS, Math.max(LOOK_MIN_MS, nextLookMs)));
    }
  }

  async #working(): Promise<void> {
    while (!this.#isEnding) {
      if (!this.#drop.isHeld) this.#gate.open();
      const isDone = await this.#drop.workOne();
      const code = this.#drop.codes.splice(0).at(-1);
      if (code !== undefined) this.#monitor.batchEnded(code);
      if (!isDone)
        await this.#workBell.wait(Math.min(SWEEP_MS, Math.max(LOOK_MIN_MS, this.#drop.retryInMs ?? SWEEP_MS)));
    }
  }

  /** Whichever of the two fails, the other one comes to its end first. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#hasFailed) this.#failure = error;
      this.#hasFailed = true;
      this.#gate.close();
      this.#wakeAll();
    }
  }

  get #isEnding(): boolean {
    return this.#hasFailed || this.#gate.isOver;
  }

  #wakeAll(): void {
    this.#sweepBell.ring();
    this.#workBell.ring();
  }

  /** Network shares give no events: with `--poll` the sweep does it alone. */
  #listenForHints(): { close(): Promise<void> } | undefined {
    if (this.#isPolling) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const hint = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        this.#sweepBell.ring();
      }, HINT_GATHER_MS);
    };
    const hints = watchFolder(this.#folder, { depth: 1, ignoreInitial: true, followSymlinks: false });
    // no more watches, a folder that is gone: the sweep goes on
    hints.on("all", hint).on("error", () => undefined);
    return {
      close: async () => {
        clearTimeout(timer);
        await hints.close();
      },
    };
  }
}

function waitingIn({ ready, waiting }: Sweep): InboxCount {
  const since = [
    ...waiting.map(({ forMs }) => Date.now() - forMs),
    ...ready.map(({ identity }) => Number(BigInt(identity.mtimeNs) / 1_000_000n)),
  ];
  return { files: since.length, ...(since.length > 0 ? { oldestSince: since.reduce((a, b) => Math.min(a, b)) } : {}) };
}
