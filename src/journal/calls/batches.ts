import { DAY_MS } from "../../day.ts";
import type { Parts } from "../parts.ts";
import type { BatchSeq } from "../rows.ts";
import { SeenRows } from "../seen.ts";
import type { JournalStore } from "../store.ts";

const PAGE_ROWS = 1000;
const JUDGED_ROWS = 20_000;

type BatchCalls = Pick<
  JournalStore,
  | "batch"
  | "batches"
  | "batchesOfBytes"
  | "createBatch"
  | "addRows"
  | "judgeRows"
  | "openBatch"
  | "dropBatch"
  | "rows"
  | "readyRows"
  | "operations"
  | "row"
  | "rowsIn"
  | "tallies"
  | "keepTallies"
  | "goneOrWaiting"
>;

/** A batch from its first row until it is open, and what is known of it and its rows. */
export function batchCalls(parts: Parts): BatchCalls {
  const { attempts, batches, daySums, decisions, group, judge, laterOfNow, now, read } = parts;
  const { rows, seen, tallies, verdicts } = parts;
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

    addRows: (batchId, added) => group.run(() => rows.add(batches.seqOf(batchId), added, now())),

    async judgeRows(batchId, rules) {
      const judgePiece = (batch: BatchSeq, from: number): void => {
        const nowMs = laterOfNow();
        const sinceMs = nowMs - rules.duplicateDays * DAY_MS;
        verdicts.judgeNew(batch, [from, from + JUDGED_ROWS - 1], judge(rules), nowMs, sinceMs);
      };
      // its last rows may be on their way yet: a small file is written and judged in one commit
      const { batch, lastNumber } = await group.run(() => {
        const recorded = batches.seqOf(batchId);
        const last = rows.lastNumber(recorded.seq);
        if (last >= JUDGED_ROWS) return { batch: recorded, lastNumber: last };
        seen.enter(recorded.seq, 0, last);
        judgePiece(recorded, 0);
        return { batch: recorded, lastNumber: -1 };
      });
      // in pieces: other batches go on meanwhile, and what they change is seen when a row of this one begins
      for (const [from, to] of SeenRows.steps(lastNumber)) await group.run(() => seen.enter(batch.seq, from, to));
      for (let from = 0; from <= lastNumber; from += JUDGED_ROWS) await group.run(() => judgePiece(batch, from));
    },

    openBatch: (batchId, totals, allOrNothing = false, reasons = []) =>
      group.run(() => {
        const batch = batches.seqOf(batchId);
        verdicts.holdNearDuplicates(batch, reasons, now());
        if (allOrNothing) decisions.holdAllOrNothing(batch, now());
        batches.open(batchId, totals);
        batches.oweResults(batchId, true);
        attempts.changed(batch.seq);
      }),

    dropBatch: (batchId) => group.run(() => batches.drop(batchId)),

    rows: (batchId, fromRow = 0) =>
      pages(
        (from) => read(() => rows.page(seqOf(batchId), from, PAGE_ROWS)),
        fromRow,
        ({ number }) => number,
      ),

    readyRows: (batchId, fromRow = 0) =>
      pages(
        (from) => read(() => rows.readyPage(seqOf(batchId), from, PAGE_ROWS)),
        fromRow,
        (number) => number,
      ),

    operations: (batchId) => read(() => rows.operations(seqOf(batchId))),

    row: (batchId, number) => read(() => rows.one(seqOf(batchId), number)),

    rowsIn: (batchId, states) => read(() => rows.inStates(seqOf(batchId), states)),

    tallies: (batchId) => read(() => tallies.of(seqOf(batchId))),

    keepTallies: (batchId) => group.run(() => tallies.keep(seqOf(batchId))),

    goneOrWaiting: (day) => read(() => daySums(day)),
  };
}

/** Rows in input order, however many there are. */
async function* pages<T>(
  pageFrom: (from: number) => Promise<readonly T[]>,
  first: number,
  numberOf: (row: T) => number,
): AsyncGenerator<readonly T[]> {
  for (let next = first; ;) {
    const page = await pageFrom(next);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    next = numberOf(last) + 1;
  }
}
