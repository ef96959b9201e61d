import type { BatchPhase } from "./batch-record.ts";
import type { JournalStore } from "./store.ts";

const PHASE_LOOK_MS = 200;

/** Another process may pause or cancel the batch while it is being sent. */
export function watchPhase(journal: JournalStore, batchId: string): { phase(): BatchPhase; close(): void } {
  let phase: BatchPhase = "open";
  const timer = setInterval(() => {
    // a journal that fails says so where it matters: at the next attempt
    journal.batch(batchId).then(
      (batch) => (phase = batch?.phase ?? phase),
      () => undefined,
    );
  }, PHASE_LOOK_MS).unref();
  return { phase: () => phase, close: () => clearInterval(timer) };
}
