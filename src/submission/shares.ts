import { setTimeout as sleep } from "node:timers/promises";
import { PaydropError } from "../errors.ts";
import type { BatchRecord, JournalStore, Progress, Share } from "../journal/store.ts";
import { stopFor, type Stop } from "../messages/outcomes.ts";
import type { Submission } from "./send-row.ts";
import { stopOfSignal, submit, type Submitted } from "./submit.ts";

export interface ShareWork extends Omit<Submission, "share"> {
  readonly store: Pick<JournalStore, "claim" | "progress" | "stop">;
  /** Requests in flight at most over all hosts. */
  readonly concurrency: number;
}

/** `requests`: those that may have left this machine, or another one. */
export type Sent = Omit<Submitted, "letGo">;

type SentBatch = Pick<BatchRecord, "id" | "rows" | "destination" | "environment">;

const LOOK_MS = 100;

/**
 * Sends shares of a batch until none is free for this host. Whoever conducts its `run` stays until the batch is over on all
 * hosts: nothing of it is ready or held, or something has stopped it. Rejects with PaydropError `batch_elsewhere` where it is
 * asked to end, and another host conducts a later run by now.
 */
export function sendShares(work: ShareWork, batch: SentBatch, run?: number): Promise<Sent> {
  return new ShareSender(work, batch, run).sendAll();
}

/** The shares of a batch that this process sends, side by side. */
class ShareSender {
  readonly #work: ShareWork;
  readonly #batch: SentBatch;
  readonly #run: number | undefined;
  readonly #running = new Set<Promise<void>>();
  readonly #own = { requests: 0, letGo: 0 };
  /** Rows that were let go before this run. */
  #before = 0;
  #failure: { readonly error: unknown } | undefined;
  #stop: Stop | undefined;
  /** It was asked to end, and that is told to all hosts. */
  #ending: Stop | undefined;

  constructor(work: ShareWork, batch: SentBatch, run: number | undefined) {
    [this.#work, this.#batch, this.#run] = [work, batch, run];
  }

  async sendAll(): Promise<Sent> {
    if (this.#run !== undefined) this.#before = (await this.#progress()).letGo;
    for (;;) {
      await this.#endIfAsked();
      const share = await this.#claim();
      if (share) this.#send(share);
      else if (this.#running.size > 0) await Promise.race([...this.#running, sleep(LOOK_MS)]);
      else if (this.#failure) throw this.#failure.error;
      else if (this.#run === undefined) return { requests: this.#own.requests };
      else {
        const submitted = await this.#over(this.#run);
        if (submitted) return submitted;
        await sleep(LOOK_MS);
      }
    }
  }

  #progress(): Promise<Progress> {
    return this.#work.store.progress(this.#batch.id);
  }

  /** Whoever asks the run to end means it on all hosts. */
  async #endIfAsked(): Promise<void> {
    const { store, signals } = this.#work;
    if (this.#run === undefined || this.#ending || !signals.soft.aborted) return;
    this.#ending = stopOfSignal(signals.soft);
    await store.stop(this.#batch.id, this.#run, this.#ending);
  }

  /** What is on its way comes to its end first. */
  async #claim(): Promise<Share | undefined> {
    const { store, signals, shared, concurrency } = this.#work;
    const { id: batch, rows, destination, environment } = this.#batch;
    if (signals.soft.aborted || this.#stop || this.#failure) return undefined;
    try {
      const { concurrency: lanes } = shared;
      return await store.claim({ batch, rows, destination, environment, lanes, concurrency });
    } catch (error) {
      this.#failure = { error };
      return undefined;
    }
  }

  #send(share: Share): void {
    const sending = this.#sendOne(share).finally(() => this.#running.delete(sending));
    this.#running.add(sending);
  }

  async #sendOne(share: Share): Promise<void> {
    try {
      const { requests, letGo, stop } = await submit({ ...this.#work, share });
      this.#own.requests += requests;
      this.#own.letGo += letGo;
      this.#stop ??= stop;
      await share.end();
    } catch (error) {
      // nobody knows what became of its rows: left, they become unknown (I15)
      share.leave();
      this.#failure ??= { error };
    }
  }

  /** undefined: other hosts send yet. */
  async #over(run: number): Promise<Sent | undefined> {
    const progress = await this.#progress();
    if (this.#ending && progress.run !== run) throw new PaydropError("batch_elsewhere", { batch: this.#batch.id });
    const stop = (this.#stop ??= stopIn(progress) ?? this.#ending);
    if (progress.held > 0 || (progress.ready > 0 && !stop)) return undefined;
    // of rows that others let go it is not known here how often they were tried
    const letGo = progress.letGo - this.#before;
    const requests = this.#own.requests + letGo - this.#own.letGo;
    return { requests, ...(stop ? { stop } : {}) };
  }
}

function stopIn({ stop, phase, hold, ready }: Progress): Stop | undefined {
  if (stop || ready === 0) return stop;
  if (phase === "paused" || phase === "cancelled") return stopFor(phase);
  return hold && stopFor(hold);
}
