import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Judge, Seen, Stated, Verdict } from "../checks/duplicates.ts";
import type { BatchSeq } from "./rows.ts";
import { OVERTAKEN, type Keys, type SeenRows } from "./seen.ts";
import { assertMove, STILL_GOES, type RowState } from "./state.ts";

/** What of a row its verdict depends on. */
interface JudgedRow {
  readonly number: number;
  readonly state: RowState;
  readonly reference_key: Uint8Array | null;
  readonly doubtful: number;
  readonly core_key: Uint8Array;
  readonly period: string | null;
  readonly ordinal: number;
  /** By a person, when this would have been the next attempt; 0: never. */
  readonly released: number;
  readonly payee_changed: number;
  /** The row that it corrects in the end; null: none. */
  readonly family: string | null;
  readonly name: string;
  /** It corrects a row, or is corrected by one. */
  readonly has_kin: number;
  readonly changed_at: number;
}

const JUDGED = `SELECT r.number, r.state, r.reference_key, r.doubtful, r.core_key, r.period, r.ordinal, r.released,
  r.payee_changed, r.changed_at, r.family, b.id || ':' || r.number AS name,
  r.family IS NOT NULL OR EXISTS (SELECT 1 FROM row k WHERE k.family = b.id || ':' || r.number) AS has_kin FROM row r JOIN batch b ON b.seq = r.batch
  WHERE r.batch = ?1`;

/**
 * Where a row that is not on its way goes because of others (DESIGN §7): when its file is taken, when what it waited
 * for has an end, and by the rule that looks at a whole file. Called inside a transaction of the caller.
 */
export class Verdicts {
  readonly #seen: SeenRows;
  readonly #row: StatementSync;
  readonly #waiting: StatementSync;
  readonly #heldSince: StatementSync;
  readonly #overtaken: StatementSync;
  readonly #waitsWhole: StatementSync;
  readonly #ordinal: StatementSync;
  readonly #move: StatementSync;
  readonly #repeated: StatementSync;
  readonly #repeating: StatementSync;
  readonly #didNotGoIn: StatementSync;
  readonly #holdNear: StatementSync;
  readonly #hasReady: StatementSync;
  /** Equal rows of the batch that is being judged, by core key and period: kept only for those that do repeat. */
  #repeats = new Map<string, number>();
  #repeatsOf = -1;
  /** Earlier batches of which the one that is being judged sends anew what did not go. */
  readonly #sentAnew = new Set<number>();

  /** `past`: name under which another journal is attached, whose batches all came earlier. */
  constructor(database: DatabaseSync, seen: SeenRows, past?: string) {
    const earlier = past ?? "main";
    this.#seen = seen;
    this.#row = database.prepare(`${JUDGED} AND r.number = ?`);
    this.#waiting = database.prepare(`${JUDGED} AND r.state = 'held' AND r.code = 'other_row_open'`);
    this.#heldSince = database.prepare("SELECT min(changed_at) AS since FROM row WHERE batch = ? AND state = 'held'");
    this.#overtaken = database.prepare(
      `${JUDGED} AND r.state = 'held' AND r.code NOT IN ('other_row_open', 'all_or_nothing')
         AND r.number IN (${OVERTAKEN})`,
    );
    this.#waitsWhole = database.prepare(
      "SELECT 1 FROM row WHERE batch = ? AND state = 'held' AND code = 'all_or_nothing' LIMIT 1",
    );
    this.#ordinal = database.prepare("UPDATE row SET ordinal = ? WHERE batch = ? AND number = ?");
    this.#move = database.prepare(
      `UPDATE row SET state = ?, code = ?, other_batch = ?, other_row = ?, other_at = ?, changed_at = ?
       WHERE batch = ? AND number = ? AND state = ?`,
    );
    this.#repeated = database.prepare(
      `SELECT DISTINCT b.seq FROM row r JOIN ${earlier}.batch b ON b.id = r.other_batch
       WHERE r.batch = ?1 AND ${past === undefined ? "b.seq <> ?1" : "true"} AND r.state IN ('duplicate', 'held')`,
    );
    // key by key: the same payment in every row of both files is walked over once, not for each of them
    this.#repeating = database.prepare(
      `WITH anew AS (SELECT DISTINCT core_key FROM row WHERE batch = ?1 AND state = 'ready' AND released = 0)
       SELECT DISTINCT o.batch AS seq FROM anew CROSS JOIN seen s ON s.key = anew.core_key AND s.batch > ?1
       CROSS JOIN row o ON o.batch = s.batch AND o.number = s.number
       WHERE o.state IN ('accepted', 'unknown', 'settled_done')`,
    );
    this.#didNotGoIn = database.prepare(didNotGoIn(earlier, past === undefined ? "batch < ?1" : "?1 IS NOT NULL"));
    this.#hasReady = database.prepare("SELECT 1 FROM row WHERE batch = ? AND state = 'ready' LIMIT 1");
    this.#holdNear = database.prepare(holdNear(earlier));
  }

  /** A batch is about to be judged: what another one sent anew is none of its business. */
  judgesFromHere(): void {
    this.#sentAnew.clear();
  }

  /**
   * These rows of a batch that is being taken, in input order: they share their keys with others, their keys are entered,
   * and what comes before them is judged. `sinceMs`: an equal row before that is another payment, where neither states
   * anything.
   */
  judgeNew(batch: BatchSeq, numbers: readonly number[], judge: Judge, nowMs: number, sinceMs: number): void {
    const elsewhere = this.#seen.elsewhereOf(batch.seq);
    for (const number of numbers) {
      const row = this.#row.get(batch.seq, number) as unknown as JudgedRow;
      const here = this.#seen.here(keysOf(row), batch.seq, number);
      const isRepeat =
        row.reference_key === null && here.some((earlier) => earlier.period === (row.period ?? undefined));
      const ordinal = isRepeat ? this.#nextOrdinal(batch.seq, row) : 1;
      if (isRepeat) this.#ordinal.run(ordinal, batch.seq, number);
      const keys = { ...keysOf(row), ordinal };
      const verdict = judge(statedOf(batch, row), this.#seenBy(batch, row, elsewhere(keys), keys, here), nowMs);
      if (verdict.state !== "ready") this.#moveRow(batch, row, verdict, nowMs);
      else if (row.family === null) this.#noteSentAnew(batch.seq, row, sinceMs);
    }
  }

  /** Not of a retry file: what it repeats is tied row by row, and what is added to it is another payment. */
  #noteSentAnew(batchSeq: number, { core_key, reference_key, period }: JudgedRow, sinceMs: number): void {
    const batches = this.#didNotGoIn.all(batchSeq, core_key, reference_key, period, sinceMs);
    for (const seq of seqsIn(batches)) this.#sentAnew.add(seq);
  }

  /** A ready row that may not go after all is ready no more. */
  judgeBeforeAttempt(batch: BatchSeq, number: number, judge: Judge, nowMs: number): void {
    const row = this.#row.get(batch.seq, number) as unknown as JudgedRow | undefined;
    if (row?.state !== "ready") return;
    // a held row elsewhere cannot have been sent; it may well be held for this very row
    const keys = keysOf(row);
    const elsewhere = this.#seenBy(batch, row, this.#seen.elsewhereOf(batch.seq)(keys), keys).filter(
      (other) => !other.sameBatch && other.standing !== "held",
    );
    if (elsewhere.length === 0 && row.payee_changed === 0) return;
    const verdict = judge(statedOf(batch, row), elsewhere, nowMs);
    if (verdict.state !== "ready") this.#moveRow(batch, row, verdict, nowMs);
  }

  /**
   * Rows that waited for an open row elsewhere are judged anew, and others by what went meanwhile. Where the others of
   * their file wait, they wait too.
   */
  judgeAgain(batch: BatchSeq, judge: Judge, nowMs: number): void {
    const whenFree: Verdict = this.#waitsWhole.get(batch.seq) ? { state: "held", code: "all_or_nothing" } : READY;
    const elsewhere = this.#seen.elsewhereOf(batch.seq);
    for (const row of this.#waiting.all(batch.seq) as unknown as JudgedRow[]) {
      const keys = keysOf(row);
      const seen = this.#seenBy(batch, row, elsewhere(keys), keys, this.#seen.here(keys, batch.seq, row.number));
      const verdict = judge(statedOf(batch, { ...row, released: 0 }), seen, nowMs);
      this.#moveRow(batch, row, verdict.state === "ready" ? whenFree : verdict, nowMs);
    }
    this.#tellWhatWent(batch, judge, nowMs);
  }

  /** What was accepted since a row is held: whoever releases it would not know of that payment. It frees no row. */
  #tellWhatWent(batch: BatchSeq, judge: Judge, nowMs: number): void {
    const { since: sinceMs } = this.#heldSince.get(batch.seq) as { since: number | null };
    if (sinceMs === null) return;
    const elsewhere = this.#seen.elsewhereOf(batch.seq);
    for (const row of this.#overtaken.all(batch.seq, sinceMs + 1, Number.MAX_SAFE_INTEGER) as unknown as JudgedRow[]) {
      const keys = keysOf(row);
      const since = this.#seenBy(batch, row, elsewhere(keys), keys).filter(
        ({ standing, acceptedAt = 0 }) => standing === "accepted" && acceptedAt > row.changed_at,
      );
      if (since.length === 0) continue;
      const verdict = judge(statedOf(batch, { ...row, released: 0 }), since, nowMs);
      if (verdict.state !== "ready") this.#moveRow(batch, row, verdict, nowMs);
    }
  }

  /**
   * DESIGN §7 near_duplicate: this file repeats rows of an earlier batch, and this row's beneficiary has an accepted or
   * unknown row there with another amount: perhaps an amount was edited after it had been sent. Or one that still goes
   * without a person's word about it, unless both state their periods or their references, and other ones: then the old
   * amount would go after the new one. A row that did not go and is sent anew repeats that batch too, in its own period
   * or by its own reference.
   */
  holdNearDuplicates(batch: BatchSeq, nowMs: number): void {
    if (!this.#hasReady.get(batch.seq)) return;
    this.#holdNearTo(batch, seqsIn(this.#repeated.all(batch.seq)), nowMs);
    for (const seq of this.#sentAnew) this.#holdNearTo(batch, [seq], nowMs, 1);
  }

  /** The same for rows of a file that waited as a whole: a later file may have corrected it meanwhile, and gone. */
  holdNearToLater(batch: BatchSeq, nowMs: number): void {
    this.#holdNearTo(batch, seqsIn(this.#repeating.all(batch.seq)), nowMs);
  }

  #holdNearTo(batch: BatchSeq, seqs: readonly number[], nowMs: number, sentAnew = 0): void {
    if (seqs.length === 0) return;
    this.#holdNear.run(batch.seq, JSON.stringify(seqs), nowMs, sentAnew);
  }

  /** By its keys, and by what it corrects or what corrects it: a row that is both is told by the latter. */
  #seenBy(batch: BatchSeq, row: JudgedRow, elsewhere: readonly Seen[], keys: Keys, here: readonly Seen[] = []): Seen[] {
    const others = [...here, ...elsewhere];
    if (row.has_kin === 0) return others;
    const family = this.#seen.family(
      { name: row.family ?? row.name, isItself: row.family === null },
      keys,
      batch.seq,
      row.number,
    );
    const isKin = (other: Seen): boolean => family.some((kin) => kin.batch === other.batch && kin.row === other.row);
    return [...family, ...others.filter((other) => !isKin(other))];
  }

  #moveRow(batch: BatchSeq, row: JudgedRow, verdict: Verdict, nowMs: number): void {
    assertMove(row.state, verdict.state);
    const other: Seen | undefined = verdict.state === "ready" ? undefined : verdict.other;
    this.#move.run(verdict.state, verdict.state === "held" ? verdict.code : null, other?.batch ?? null,
      other?.row ?? null, other?.acceptedAt ?? null, nowMs, batch.seq, row.number, row.state); // prettier-ignore
  }

  #nextOrdinal(batchSeq: number, row: JudgedRow): number {
    if (this.#repeatsOf !== batchSeq) {
      this.#repeats = new Map();
      this.#repeatsOf = batchSeq;
    }
    const key = `${Buffer.from(row.core_key).toString("base64")}/${row.period ?? ""}`;
    const ordinal = (this.#repeats.get(key) ?? 1) + 1;
    this.#repeats.set(key, ordinal);
    return ordinal;
  }
}

const READY: Verdict = { state: "ready" };

const DID_NOT_GO = `(o.state IN ('rejected', 'not_sent', 'settled_not_done') OR (ob.phase = 'cancelled' AND o.state IN ('ready', 'held')))`;

/** Of equal payments the newest say it all: a million of them are not walked over for each of a million. */
const NEWEST = "ORDER BY batch DESC LIMIT 16";

/** Earlier batches in which this row did not go: one of its reference, or else of its core fields in the same period. */
const didNotGoIn = (schema: string, isEarlier: string): string => `
  SELECT o.batch AS seq FROM (
    SELECT * FROM (SELECT batch, number FROM ${schema}.seen WHERE key = ?2 AND ${isEarlier} ${NEWEST})
    UNION ALL SELECT * FROM (SELECT batch, number FROM ${schema}.seen WHERE key = ?3 AND ${isEarlier} ${NEWEST})
  ) s CROSS JOIN ${schema}.row o ON o.batch = s.batch AND o.number = s.number
  CROSS JOIN ${schema}.batch ob ON ob.seq = o.batch
  WHERE ${DID_NOT_GO} AND ob.phase <> 'recording' AND (o.reference_key = ?3
    OR (coalesce(o.reference_key = ?3, 1) AND o.period IS ?4 AND (?4 IS NOT NULL OR o.changed_at >= ?5)))`;

/**
 * `?2`: the earlier batches. `?4`: rows of them that state another reference or period hold nothing, nor do they hold what
 * is sent anew itself. Of rows that hold the same the first two of other core fields do: where every row pays the same
 * one, not every pair of them is compared.
 */
const holdNear = (schema: string): string => `
  WITH paid AS (
    SELECT r.beneficiary_key, r.core_key, r.reference_key, r.period, r.batch << 32 | r.number AS place, r.number, b.id,
      r.state IN ('ready', 'not_sent', 'rejected') OR ?4 AS by_name,
      iif(r.state IN ('accepted', 'settled_done'), r.changed_at, NULL) AS accepted_at
    FROM ${schema}.row r JOIN ${schema}.batch b ON b.seq = r.batch
    WHERE r.batch IN (SELECT value FROM json_each(?2)) AND (r.state IN ('accepted', 'unknown', 'sending', 'settled_done')
      OR (b.phase <> 'cancelled' AND ${STILL_GOES}))
  ), earlier AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY beneficiary_key, period, reference_key ORDER BY place) AS nth FROM (
      SELECT beneficiary_key, core_key, iif(by_name, period, NULL) AS period,
        iif(by_name, reference_key, NULL) AS reference_key, min(place) AS place, number, id, accepted_at
      FROM paid GROUP BY 1, 2, 3, 4)
  ), near AS MATERIALIZED (
    SELECT n.number, min(e.place), e.number AS other_row, e.id, e.accepted_at FROM row n
    JOIN earlier e ON e.beneficiary_key = n.beneficiary_key AND e.nth <= 2 AND e.core_key <> n.core_key
      AND NOT (coalesce(n.period <> e.period, 0) OR coalesce(n.reference_key <> e.reference_key, 0))
    WHERE n.batch = ?1 AND n.state = 'ready' AND n.released = 0 AND NOT (?4 AND EXISTS (
      SELECT 1 FROM ${schema}.seen s JOIN ${schema}.row o ON o.batch = s.batch AND o.number = s.number
      JOIN ${schema}.batch ob ON ob.seq = o.batch
      WHERE s.key = n.core_key AND s.batch IN (SELECT value FROM json_each(?2)) AND ${DID_NOT_GO}))
    GROUP BY n.number
  )
  UPDATE row SET state = 'held', code = 'near_duplicate', changed_at = ?3, other_batch = near.id,
    other_row = near.other_row, other_at = near.accepted_at
  FROM near WHERE row.batch = ?1 AND row.number = near.number`;

function seqsIn(rows: readonly unknown[]): number[] {
  return (rows as readonly { seq: number }[]).map(({ seq }) => seq);
}

function keysOf(row: JudgedRow): Keys {
  return { reference: row.reference_key, core: row.core_key, period: row.period, ordinal: row.ordinal };
}

function statedOf(batch: BatchSeq, row: JudgedRow): Stated {
  return {
    hasReference: row.reference_key !== null,
    isDoubtful: row.doubtful === 1,
    payeeChanged: row.payee_changed === 1,
    ...(row.released === 0 ? {} : { releasedBefore: row.released, releasedAt: row.changed_at }),
    ...(row.period === null ? {} : { period: row.period }),
    ...(batch.guessedPeriod === undefined ? {} : { guessedPeriod: batch.guessedPeriod }),
  };
}
