import type { ActCalls } from "../../act-calls.ts";
import { madeSince, rowsNotMade } from "../duplicates/not-made.ts";
import { Repeats } from "../duplicates/near-duplicates.ts";
import type { Parts } from "../parts.ts";

/** What people decide of a batch and its rows, each with who did it (I5), and what is left to do because of it. */
export function actCalls(parts: Parts): ActCalls {
  const { archives, attempts, batches, database, decisions, group, history, near, now, read, waiting } = parts;
  return {
    setDestination: (batchId, destination, act) =>
      group.run(() => {
        batches.setDestination(batchId, destination);
        history.add(batchId, act, now());
      }),

    setPhase: (batchId, phase, act) =>
      group.run(() => {
        const batch = batches.seqOf(batchId);
        archives.assertNotArchived(batch);
        attempts.phaseChanged(batch.seq);
        batches.setPhase(batchId, phase);
        batches.oweResults(batchId, true);
        history.add(batchId, act, now());
      }),

    settle: (settlings) =>
      group.run(() => {
        for (const { batch, row, as, from } of settlings) {
          archives.assertNotArchived(batches.seqOf(batch));
          decisions.assertMaySettle(batches.seqOf(batch), row, as, from);
        }
        for (const { batch, row, as, act } of settlings) {
          const of = batches.seqOf(batch);
          attempts.changed(of.seq);
          decisions.settle(of, row, as, act.by, now());
          history.add(batch, { ...act, row }, now());
        }
        for (const batch of new Set(settlings.map((one) => one.batch))) batches.oweResults(batch, true);
      }),

    waitingFor: (batchId, row) => read(() => decisions.waitingFor(batches.seqOf(batchId), row)),

    repeatsOf: (batchId, row, max) => read(() => decisions.repeatsOf(batches.seqOf(batchId), row, max)),

    waitingBatches: (of) => read(() => waiting.batches(of)),

    asksMonth: (batchId) => read(() => waiting.asksMonth(batches.seqOf(batchId).seq)),

    waitsForOthers: (batchId) => read(() => waiting.waitsForOthers(batches.seqOf(batchId).seq)),

    blockedRows: (batchId) => read(() => waiting.blocked(batches.seqOf(batchId).seq)),

    blockedBy: (batchId) => read(() => waiting.blockedBy(batches.seqOf(batchId).seq)),

    release: (batchId, rows, act, seenAtMs) =>
      group.run(() => {
        batches.assertNotCancelled(batchId);
        const batch = batches.seqOf(batchId);
        archives.assertNotArchived(batch);
        attempts.changed(batch.seq);
        const released = decisions.release(batch, rows, now(), seenAtMs);
        // rows that waited for another one when their file was taken were not compared then
        near.holdNearDuplicates(batch, now(), new Repeats());
        near.holdNearToLater(batch, now());
        history.addForRows(batchId, released, act, now());
        return released;
      }),

    history: (batchId) => read(() => history.of(batchId)),

    countActs: (batchId) => read(() => history.count(batchId)),

    note: (batchId, act) => group.run(() => history.add(batchId, act, now())),

    noteRows: (batchId, rows, act) => group.run(() => history.addForRows(batchId, rows, act, now())),

    handedOver: (after) => read(() => history.handedOver(after)),

    oweResults: (batchId, isOwed) => group.run(() => batches.oweResults(batchId, isOwed)),

    owesResults: (batchId) => read(() => batches.owesResults(batchId)),

    madeSince: (batchId, row, recentMs) => read(() => madeSince(database, batches.seqOf(batchId), row, recentMs)),

    notMade: (recentMs) => read(() => rowsNotMade(database, recentMs, now())),

    unfinished: (folders) => read(() => batches.unfinished(folders)),
  };
}
