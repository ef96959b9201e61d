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

type SentBatch = Pick<BatchRecord, "id" | "rows" | "destination" | "environment">;

const LOOK_MS = 100;

/**
 * Sends shares of a batch until none is free for this host. Whoever conducts its `run` stays until the batch is over on all
 * hosts: nothing of it is ready or held, or something has stopped it. Rejects with PaydropError `batch_elsewhere` where it is
 * asked to end, and another host conducts a later run by now.
 */
export async function sendShares(work: ShareWork, batch: SentBatch, run?: number): Promise<Submitted> {
  const { store, signals, shared, concurrency } = work;
  const { id, rows, destination, environment } = batch;
  const wanted = { batch: id, rows, destination, environment, lanes: shared.concurrency, concurrency };
  const before = run === undefined ? 0 : (await store.progress(id)).letGo;
  const own = { requests: 0, letGo: 0 };
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let stop: Stop | undefined;
  let ending: Stop | undefined;
  for (;;) {
    if (run !== undefined && !ending && signals.soft.aborted) {
      // whoever asks the run to end means it on all hosts
      ending = stopOfSignal(signals.soft);
      await store.stop(id, run, ending);
    }
    const isEnding = signals.soft.aborted || stop !== undefined || failure !== undefined;
    // what is on its way comes to its end first
    const share = isEnding
      ? undefined
      : await store.claim(wanted).catch((error: unknown) => {
          failure ??= { error };
          return undefined;
        });
    if (share) {
      const sending = sendShare(work, share)
        .then(
          ({ requests, letGo, stop: found }) => {
            own.requests += requests;
            own.letGo += letGo;
            stop ??= found;
          },
          (error: unknown) => void (failure ??= { error }),
        )
        .finally(() => running.delete(sending));
      running.add(sending);
    } else if (running.size > 0) await Promise.race([...running, sleep(LOOK_MS)]);
    else if (failure) throw failure.error;
    else if (run === undefined) return own;
    else {
      const progress = await store.progress(id);
      if (ending && progress.run !== run) throw new PaydropError("batch_elsewhere", { batch: id });
      stop ??= stopIn(progress) ?? ending;
      // of rows that others let go it is not known here how often they were tried
      const letGo = progress.letGo - before;
      const requests = own.requests + letGo - own.letGo;
      if (progress.held === 0 && (progress.ready === 0 || stop)) return { requests, letGo, ...(stop ? { stop } : {}) };
      await sleep(LOOK_MS);
    }
  }
}

function stopIn({ stop, phase, hold, ready }: Progress): Stop | undefined {
  if (stop || ready === 0) return stop;
  if (phase === "paused" || phase === "cancelled") return stopFor(phase);
  return hold && stopFor(hold);
}

/** Rejects where nobody knows what became of its rows: left, they become unknown (I15). */
async function sendShare(work: ShareWork, share: Share): Promise<Submitted> {
  try {
    const ended = await submit({ ...work, share });
    await share.end();
    return ended;
  } catch (error) {
    share.leave();
    throw error;
  }
}
