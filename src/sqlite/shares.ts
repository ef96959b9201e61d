import { batchOf, BATCH_ROW, type BatchRow } from "./batches.ts";
import { makeUnknown, Mover } from "./mover.ts";
import { LIMIT, type Journal } from "./store.ts";
import type { RowName } from "../checks/beside.ts";
import { assertMove, batchesWith, ON_ITS_WAY } from "../journal/states.ts";
import type { Commit, Committed, Leaving, Outcome, Progress, Who } from "../journal/store.ts";

/** SQL: why nothing of the open batch `b` goes (`HoldOfBatch`). */
const HOLD = `CASE WHEN EXISTS (SELECT 1 FROM hold h
    WHERE b.folder = h.folder OR substr(b.folder, 1, length(h.folder) + 1) = h.folder || '/') THEN 'folder_held'
    WHEN b.approvers > 0 AND b.approvedUntil <= ? THEN 'approval_wanted' END`;
const HOLD_OF = `SELECT ${HOLD} AS hold FROM batch b WHERE seq = ?`;
const NEXT = `SELECT row, turn, operation, amount, attempts, place, size, crc FROM row
  WHERE batch = ? AND state = 'ready' AND turn > ? ORDER BY turn ${LIMIT}`;
const PROGRESS = `SELECT b.phase, b.letGo, ${HOLD} AS hold,
    (SELECT max(id) FROM run WHERE run.batch = b.id AND endedAt IS NULL) AS run,
    (SELECT count(*) FROM row r WHERE r.batch = b.seq AND r.state = 'ready' AND r.turn > b.mark) AS ready
  FROM batch b WHERE id = ?`;

/** What a share asks of a commit; a batch is one share. */
export type CommitOfBatch = Omit<Commit, "share"> & { readonly batch: string };

/** Whether rows of it may go now. */
export function claimable(journal: Journal, id: string): boolean {
  const { ready, phase, hold } = progress(journal, id);
  return ready > 0 && phase === "open" && !hold;
}

export function progress(journal: Journal, id: string): Omit<Progress, "held"> {
  const [found] = journal.records<Omit<Progress, "held">>(PROGRESS, Date.now(), id);
  if (!found) throw new Error(`the journal has no batch ${id}`);
  return found;
}

export function commit(journal: Journal, all: readonly CommitOfBatch[]): Committed[] {
  return journal.writeOutcomes(
    () => all.map((one) => commitBatch(journal, one)),
    () => all.forEach((one) => commitBatch(journal, { ...one, freeLanes: 0 }, { isLast: true })),
  );
}

/** `isLast`: after a failure; some of the outcomes may have been saved already. */
function commitBatch(
  journal: Journal,
  { batch: id, outcomes, freeLanes }: CommitOfBatch,
  { isLast = false } = {},
): Committed {
  const batch = batchOf(journal, id);
  const [{ hold } = {}] = journal.records<Pick<Committed, "hold">>(HOLD_OF, Date.now(), batch.seq);
  const mover = new Mover(journal, batch);
  for (const outcome of outcomes) takeOutcome(mover, outcome, isLast);
  const mayGo = batch.phase === "open" && !hold ? Math.max(0, freeLanes) : 0;
  const next = journal.records<Leaving & { readonly turn: number }>(NEXT, batch.seq, batch.mark, mayGo);
  const lastAt = Math.max(0, ...outcomes.map(({ sentAt = 0, durationMs = 0 }) => sentAt + durationMs));
  if (outcomes.length + next.length > 0) mover.end(lastAt, next.at(-1)?.turn, next.length);
  return { leaving: next.map(leavingOf), phase: batch.phase, hold, isLost: false };
}

function leavingOf({ row, operation, amount, attempts, place, size, crc }: Leaving): Leaving {
  return { row, operation, amount, attempts, place, size, crc };
}

function takeOutcome(mover: Mover, outcome: Outcome, isLast: boolean): void {
  const { row, state, code, ...answer } = outcome;
  const to = state === "again" ? "ready" : state;
  assertMove("on_its_way", to, { hasAct: false });
  if (mover.move({ row, from: ["ready"], to, isOnItsWay: true, code, answer }) || isLast) return;
  throw new Error(`row ${row} has an outcome, but was not on its way`);
}

/** Inside a transaction of its own for each batch: recovery can end halfway, and begin again. */
export function recover(journal: Journal, who: Who): { readonly unknown: RowName[] } {
  const crashed = `${BATCH_ROW} WHERE seq IN ${batchesWith("row", "ready")}
    AND EXISTS (SELECT 1 FROM row r WHERE r.batch = b.seq AND ${ON_ITS_WAY})`;
  const batches = journal.records<BatchRow>(crashed);
  return { unknown: batches.flatMap((batch) => journal.write(() => makeUnknown(journal, batch, who))) };
}
