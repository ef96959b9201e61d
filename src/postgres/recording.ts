import { setTimeout as sleep } from "node:timers/promises";
import { PaydropError } from "../errors.ts";
import { batchOf, datedIn, insert, NEW_BATCH, setBatch, type BatchRow } from "./batches.ts";
import type { Postgres } from "./postgres.ts";
import { addRows, endRows } from "./rows.ts";
import { keysOf } from "../journal/row-keys.ts";
import type { JournalStore, NewBatch } from "../journal/store.ts";

type Recording = Pick<JournalStore, "addBatch" | "addRows" | "endRows" | "setBatch" | "dropBatch">;

/** How this process (`me`) writes batches down: whatever another host has begun anew since is that one's. */
export function recordingOf(postgres: Postgres, me: string): Recording {
  /** Batches that this process has begun to write down. */
  const ours = new Set<string>();
  const asRecorder = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await postgres.write(async () => {
        await assertRecorder(postgres, id, me, { isOurs: ours.has(id) });
        return work();
      });
    } catch (error) {
      // what it is from now on is the other host's
      if (error instanceof PaydropError && error.reason === "batch_elsewhere") ours.delete(id);
      throw error;
    }
  };
  return {
    async addBatch(batch) {
      await addBatch(postgres, batch, me);
      ours.add(batch.id);
    },
    addRows: (id, rows) => asRecorder(id, () => addRows(postgres, id, rows)),
    endRows: (id, totals) => asRecorder(id, () => endRows(postgres, id, totals)),
    async setBatch(id, change, act) {
      await asRecorder(id, () => setBatch(postgres, id, change, act));
      if (change.phase === "open") ours.delete(id);
    },
    async dropBatch(id) {
      await asRecorder(id, () => dropBatch(postgres, id));
      ours.delete(id);
    },
  };
}

const RECORDING_LOOK_MS = 500;

/**
 * `recorder`: the host that writes it down. Where another one is at it (the same file has the same id), it waits: that host
 * comes to its end, or is gone. Rejects with PaydropError `batch_elsewhere` where the batch is there by then.
 */
async function addBatch(postgres: Postgres, batch: NewBatch, recorder: string): Promise<void> {
  for (;;) {
    const other = await postgres.write(async () => {
      const createdAt = await datedIn(postgres, batch.createdAt);
      const begun = { ...batch, phase: "recording", createdAt, lastAt: createdAt, recorder };
      await insert(postgres, "batch", `${NEW_BATCH}, phase, lastAt, recorder`, begun, "ON CONFLICT (id) DO NOTHING");
      const sql = "SELECT phase, recorder FROM batch WHERE id = $1";
      const there = await postgres.get<BatchRow & { recorder?: string }>(sql, batch.id);
      return there?.recorder === recorder ? undefined : there;
    });
    if (!other) return;
    if (other.phase !== "recording") throw new PaydropError("batch_elsewhere", { batch: batch.id });
    await sleep(RECORDING_LOOK_MS);
    await dropRecordings(postgres);
  }
}

/**
 * In a transaction: only its recorder changes what is being written down. `isOurs`: this host began it, and another one may
 * have begun anew since, which took it for gone.
 */
export async function assertRecorder(
  postgres: Postgres,
  id: string,
  me: string,
  { isOurs }: { isOurs: boolean },
): Promise<void> {
  const sql = "SELECT recorder FROM batch WHERE id = $1 AND (phase = 'recording' OR $2) FOR NO KEY UPDATE";
  const batch = await postgres.get<{ recorder?: string }>(sql, id, isOurs);
  if (batch ? batch.recorder !== me : isOurs) throw new PaydropError("batch_elsewhere", { batch: id });
}

/** What was opened is remembered for good, whatever went wrong afterwards. */
async function dropBatch(postgres: Postgres, id: string): Promise<void> {
  await postgres.write(async () => {
    const batch = await batchOf(postgres, id, { isToChange: true });
    if (batch.phase !== "recording") throw new Error(`batch ${id} is ${batch.phase}: it cannot be dropped`);
    await remove(postgres, batch);
  });
}

/** Batches half written down by hosts that are gone. */
export async function dropRecordings(postgres: Postgres): Promise<void> {
  await postgres.write(async () => {
    const left = await postgres.query<BatchRow>(`SELECT seq, id FROM batch b WHERE phase = 'recording' AND NOT EXISTS (
        SELECT 1 FROM host h WHERE h.host = b.recorder AND h.seenAt > clock_timestamp() - interval '30 s')
      ORDER BY seq FOR UPDATE SKIP LOCKED`);
    for (const batch of left) await remove(postgres, batch);
  });
}

async function remove(postgres: Postgres, { seq, id }: Pick<BatchRow, "seq" | "id">): Promise<void> {
  const own = keysOf("rows", "batch = $1");
  await postgres.query(
    `DELETE FROM key k USING (${own}) own WHERE k.key = own.key AND k.batch = own.batch AND k.row = own.row`,
    seq,
  );
  for (const table of ["run", "source"]) await postgres.query(`DELETE FROM ${table} WHERE batch = $1`, id);
  for (const table of ["rows", "share"]) await postgres.query(`DELETE FROM ${table} WHERE batch = $1`, seq);
  await postgres.query("DELETE FROM batch WHERE seq = $1", seq);
}
