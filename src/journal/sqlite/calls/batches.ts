import { DAY_MS } from "../../../day.ts";
import type { BatchCalls } from "../../batch-calls.ts";
import type { BatchSeq } from "../../batch-record.ts";
import { EnteredKeys } from "../duplicates/entered-keys.ts";
import { pages } from "../pages.ts";
import type { Parts } from "../parts.ts";

const JUDGED_ROWS = 20_000;

/** A batch from its first row until it is open, and what is known of it and its rows. */
export function batchCalls(parts: Parts): BatchCalls {
  const { attempts, batches, daySums, decisions, entered, group, judge, near, newRows, now } = parts;
  const { read, rows, samples, tallies, verdicts } = parts;
  const seqOf = (batchId: string): number => batches.seqOf(batchId).seq;
  return {
    batch: (idOrPrefix) => read(() => batches.find(idOrPrefix)),

    batches: () => read(() => batches.all()),

    batchesOfBytes: (sha256, environment) => read(() => batches.ofBytes(sha256, environment)),

    createBatch: (batch) =>
      group.run(() => {
        batches.insert(batch);
        attempts.judgedFromHere(seqOf(batch.id));
      }),

    addRows: (batchId, added) => group.run(() => newRows.add(batches.seqOf(batchId), added, now())),

    async judgeRows(batchId, rules) {
      const judgePiece = (batch: BatchSeq, numbers: readonly number[]): void => {
        const nowMs = now();
        const sinceMs = nowMs - rules.duplicateDays * DAY_MS;
        verdicts.judgeNew(batch, numbers, judge(rules), nowMs, sinceMs);
      };
      const compareLists = (batch: BatchSeq): void => near.noteAlike(samples.alike(batch, judge(rules), now()));
      // its last rows may be on their way yet: a small file is written and judged in one commit
      const { batch, lastNumber } = await group.run(() => {
        const recorded = batches.seqOf(batchId);
        const last = rows.lastNumber(recorded.seq);
        near.judgesFromHere();
        samples.sampleFromHere();
        if (last >= JUDGED_ROWS) return { batch: recorded, lastNumber: last };
        judgePiece(recorded, entered.enter(recorded.seq, 0, last));
        samples.add(recorded.seq, 0, last);
        compareLists(recorded);
        return { batch: recorded, lastNumber: -1 };
      });
      // in pieces: other batches go on meanwhile, and what they change is seen when a row of this one begins
      for (const [from, to] of EnteredKeys.steps(lastNumber)) {
        const shared = await group.run(() => {
          samples.add(batch.seq, from, to);
          return entered.enter(batch.seq, from, to);
        });
        for (let at = 0; at < shared.length; at += JUDGED_ROWS) {
          await group.run(() => judgePiece(batch, shared.slice(at, at + JUDGED_ROWS)));
        }
      }
      if (lastNumber >= 0) await group.run(() => compareLists(batch));
    },

    openBatch: (batchId, totals, allOrNothing = false) =>
      group.run(() => {
        const batch = batches.seqOf(batchId);
        near.holdNearDuplicates(batch, now());
        samples.keep(batch.seq);
        if (allOrNothing) decisions.holdAllOrNothing(batch, "all", now());
        batches.open(batchId, totals, allOrNothing);
        batches.oweResults(batchId, true);
        attempts.changed(batch.seq);
      }),

    dropBatch: (batchId) => group.run(() => batches.drop(batchId)),

    rows: (batchId, fromRow = 0) => pages((from) => read(() => rows.page(seqOf(batchId), from)), fromRow, false),

    readyRows: (batchId, fromRow = 0) =>
      pages((from) => read(() => rows.readyPage(seqOf(batchId), from)), fromRow, false),

    operations: (batchId) => read(() => rows.operations(seqOf(batchId))),

    row: (batchId, number) => read(() => rows.one(seqOf(batchId), number)),

    rowsIn: (batchId, states, fromRow = 0) =>
      pages((from) => read(() => rows.pageIn(seqOf(batchId), states, from)), fromRow, false),

    tallies: (batchId) => read(() => tallies.of(seqOf(batchId))),

    keepTallies: (batchId) => group.run(() => tallies.keep(seqOf(batchId))),

    goneOrWaiting: (day) => read(() => daySums.of(day)),
  };
}
