import { setTimeout as sleep } from "node:timers/promises";
import { SHARE_ROWS } from "../journal/states.ts";
import type { BatchRecord, Hosts, Progress, Share } from "../journal/store.ts";
import { stopFor, type Stop } from "../messages/outcomes.ts";
import type { Submission } from "./send-row.ts";
import { stopOfSignal, submit, type Submitted } from "./submit.ts";

/** What shares are sent with; `hosts`: the journal that they are claimed in. */
export interface ShareWork extends Omit<Submission, "store" | "batch" | "spool" | "share"> {
  readonly hosts: Hosts;
  /** Requests in flight at most over all hosts. */
  readonly concurrency: number;
}

type SentBatch = Pick<BatchRecord, "id" | "rows" | "destination" | "environment">;

const LOOK_MS = 100;

/**
 * Sends shares of a batch until none is free for this host. Whoever conducts the run stays until the batch is over on all
 * hosts: nothing of it is ready or held, or something has stopped it.
 */
export async function sendShares(work: ShareWork, batch: SentBatch, isConductor: boolean): Promise<Submitted> {
  const { hosts, signals } = work;
  const before = isConductor ? (await hosts.progress(batch.id)).letGo : 0;
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let stop: Stop | undefined;
  let ending: Stop | undefined;
  for (;;) {
    if (isConductor && !ending && signals.soft.aborted) {
      // whoever asks the run to end means it on all hosts
      ending = stopOfSignal(signals.soft);
      await hosts.stop(batch.id, ending);
    }
    const isEnding = signals.soft.aborted || stop !== undefined || failure !== undefined;
    // what is on its way comes to its end first
    const share = isEnding
      ? undefined
      : await nextShare(work, batch).catch((error: unknown) => {
          failure ??= { error };
          return undefined;
        });
    if (share) {
      const sending = sendShare(work, share)
        .then(
          (ended) => void (stop ??= ended.stop),
          (error: unknown) => void (failure ??= { error }),
        )
        .finally(() => running.delete(sending));
      running.add(sending);
    } else if (running.size > 0) await Promise.race([...running, sleep(LOOK_MS)]);
    else if (failure) throw failure.error;
    else if (!isConductor) return { requests: 0 };
    else {
      const progress = await hosts.progress(batch.id);
      stop ??= stopIn(progress) ?? ending;
      const requests = progress.letGo - before;
      if (progress.held === 0 && (progress.ready === 0 || stop)) return { requests, ...(stop ? { stop } : {}) };
      await sleep(LOOK_MS);
    }
  }
}

function stopIn({ stop, phase, hold, ready }: Progress): Stop | undefined {
  if (stop || ready === 0) return stop;
  if (phase === "paused" || phase === "cancelled") return stopFor(phase);
  return hold && stopFor(hold);
}

/** Two shares of a large batch side by side keep all lanes busy when one ends; of a small one its only share takes all lanes. */
async function nextShare({ hosts, shared, concurrency }: ShareWork, batch: SentBatch): Promise<Share | undefined> {
  const most = batch.rows > SHARE_ROWS ? Math.ceil(shared.concurrency / 2) : shared.concurrency;
  const lanes = Math.min(most, shared.concurrency - shared.heldLanes);
  if (lanes <= 0) return undefined;
  // at once: another batch of this process must not ask for the same lanes
  shared.heldLanes += lanes;
  const { id, destination, environment } = batch;
  const share = await hosts
    .claim({ batch: id, destination, environment, lanes, concurrency })
    .catch((error: unknown) => {
      shared.heldLanes -= lanes;
      throw error;
    });
  shared.heldLanes -= lanes - (share?.lanes ?? 0);
  return share;
}

async function sendShare(work: ShareWork, share: Share): Promise<Submitted> {
  const store = { commit: (_batch: string, ...given: Parameters<Share["commit"]>) => share.commit(...given) };
  try {
    const ended = await submit({ ...work, store, batch: { id: share.batch }, spool: share.spool, share });
    await share.end();
    return ended;
  } catch (error) {
    // nobody knows what became of its rows: left to its lease, they become unknown (I15)
    share.leave();
    throw error;
  } finally {
    work.shared.heldLanes -= share.lanes;
  }
}
