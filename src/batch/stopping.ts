/** Why the rest of a batch does not go now, and how that is noted and told. */
import { counted } from "../text/counted.ts";
import type { Stop } from "../events.ts";
import type { BatchPhase, BatchRecord } from "../journal/batch-record.ts";
import type { JournalStore } from "../journal/store.ts";
import { rowsIn } from "../results/words/status.ts";
import { STOPS } from "../submission/stop-rules.ts";
import type { Submitted } from "../submission/submit.ts";
import type { Ground } from "./ground.ts";

export async function noteStop(ground: Ground, batch: BatchRecord, submitted: Submitted): Promise<Submitted> {
  const { stop, requests } = submitted;
  if (!stop) return submitted;
  if (await hadGone(ground, batch.id, stop)) return { requests };
  const remaining = await remainingOf(ground, batch.id);
  await ground.journal.note(batch.id, {
    by: "paydrop",
    kind: "stop",
    note: `${stop.message}; ${counted(remaining)} left`,
  });
  ground.tell({ type: "stopped", batch: batch.id, stop, remaining });
  return submitted;
}

/** Whether the last row had gone when a person, or one refusal too many, stopped the run: it did not stop early. */
export async function hadGone(ground: Ground, batchId: string, { code }: Stop): Promise<boolean> {
  const isAboutRest = [STOPS.signal, STOPS.stop_file, STOPS.work_failed, STOPS.paused, STOPS.same_refusal].some(
    (one) => one.code === code,
  );
  return isAboutRest && (await remainingOf(ground, batchId)) === 0;
}

async function remainingOf(ground: Ground, batchId: string): Promise<number> {
  return rowsIn(await ground.journal.tallies(batchId), "ready", "not_sent");
}

/** A proxy in between may be what is down: who looks for the service alone looks in the wrong place. */
export function byProxy(stop: Stop, proxy: string | undefined): Stop {
  if (proxy === undefined || stop !== STOPS.unreachable) return stop;
  const message = `${stop.message} by the proxy ${proxy}`;
  return { ...stop, message, hint: `look at the proxy (HTTPS_PROXY) first; ${stop.hint}` };
}

/**
 * The stop for a row that an earlier version took in without a fault: it does not go, and keeps no other from going.
 */
export function readsOtherwise(batchId: string, row: number, fault: string): Stop {
  const { code, message, hint } = STOPS.reads_otherwise;
  return { code, message: `${message}: row ${row}: ${fault}`, hint: `${hint} (\`paydrop cancel ${batchId}\`)` };
}

export function stopOfPhase(phase: BatchPhase): Stop | undefined {
  return phase === "paused" || phase === "cancelled" ? STOPS[phase] : undefined;
}

/** Another process may pause or cancel the batch while it is being sent. */
export function watchPhase(journal: JournalStore, batchId: string): { phase(): BatchPhase; close(): void } {
  let phase: BatchPhase = "open";
  let isLooking = false;
  const look = async (): Promise<void> => {
    // a journal that takes seconds to answer is not asked five times a second: outcomes would wait behind the questions
    if (isLooking) return;
    isLooking = true;
    try {
      phase = (await journal.batch(batchId))?.phase ?? phase;
    } catch {
      // a journal that fails says so where it matters: at the next attempt
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), PHASE_LOOK_MS).unref();
  return { phase: () => phase, close: () => clearInterval(timer) };
}

const PHASE_LOOK_MS = 200;
