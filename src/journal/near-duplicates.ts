import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Verdict } from "../checks/duplicates.ts";
import type { BatchSeq } from "./batch-record.ts";
import { numbersIn } from "./numbers.ts";
import { STILL_GOES } from "./state.ts";

/** What equal rows of earlier batches are found by. */
interface NewRow {
  readonly core_key: Uint8Array;
  readonly reference_key: Uint8Array | null;
  readonly period: string | null;
}

/** What the rows of one batch are to earlier ones, as far as the rows themselves do not say it. */
export class Repeats {
  /** Of these it sends anew what did not go. */
  readonly sentAnew = new Set<number>();
  /** Ids of those that it repeats a row of. */
  readonly batches = new Set<string>();
}

/** The rule of DESIGN §7 that looks at a whole file: near_duplicate. Called inside a transaction of the caller. */
export class NearDuplicates {
  readonly #repeated: StatementSync;
  readonly #repeating: StatementSync;
  readonly #copies: StatementSync;
  readonly #letGoInPlace: StatementSync;
  readonly #didNotGoIn: StatementSync;
  readonly #holdNear: StatementSync;
  readonly #hasReady: StatementSync;
  readonly #tellLetGo: StatementSync;
  readonly #seqsOf: StatementSync;
  /** Of the batch that is being judged. */
  #noted = new Repeats();

  /** `past`: name under which another journal is attached, whose batches all came earlier. */
  constructor(database: DatabaseSync, past?: string) {
    const earlier = past ?? "main";
    this.#repeated = database.prepare(
      `SELECT DISTINCT b.seq FROM row r JOIN ${earlier}.batch b ON b.id = r.other_batch
       WHERE r.batch = ?1 AND ${past === undefined ? "b.seq <> ?1" : "true"} AND (r.state IN ('duplicate', 'held') OR r.released > 0)`,
    );
    // key by key: the same payment in every row of both files is walked over once, not for each of them
    this.#repeating = database.prepare(
      `WITH anew AS (SELECT DISTINCT core_key FROM row WHERE batch = ?1 AND state = 'ready' AND released = 0)
       SELECT DISTINCT o.batch AS seq FROM anew CROSS JOIN seen s ON s.key = anew.core_key AND s.batch > ?1
       CROSS JOIN row o ON o.batch = s.batch AND o.number = s.number
       WHERE o.state IN ('accepted', 'unknown', 'settled_done')`,
    );
    this.#copies = database.prepare(
      `WITH any AS (SELECT DISTINCT core_key FROM row WHERE batch = ?1 AND core_key IS NOT NULL)
       SELECT DISTINCT o.batch AS seq FROM any CROSS JOIN seen s ON s.key = any.core_key AND s.batch > ?1
       CROSS JOIN row o ON o.batch = s.batch AND o.number = s.number
       WHERE o.other_batch = ${ID} AND (o.state IN ('duplicate', 'held') OR o.released > 0)`,
    );
    this.#letGoInPlace = database.prepare(LET_GO_IN_PLACE);
    this.#didNotGoIn = database.prepare(didNotGoIn(earlier, past === undefined ? "batch < ?1" : "?1 IS NOT NULL"));
    this.#seqsOf = database.prepare(
      `SELECT seq FROM ${earlier}.batch WHERE id IN (SELECT value FROM json_each(?1)) AND ${past === undefined ? "seq <> ?2" : "?2 IS NOT NULL"}`,
    );
    this.#hasReady = database.prepare("SELECT 1 FROM row WHERE batch = ? AND state = 'ready' LIMIT 1");
    this.#holdNear = database.prepare(holdNear(earlier));
    this.#tellLetGo = database.prepare(tellLetGo(earlier, past === undefined ? "s.batch <> ?1" : "?1 IS NOT NULL"));
  }

  /** A batch is about to be judged: what another one sent anew is none of its business. */
  judgesFromHere(): void {
    this.#noted = new Repeats();
  }

  /** Not of a retry file: what it repeats is tied row by row, and what is added to it is another payment. */
  noteSentAnew(batchSeq: number, row: NewRow, sinceMs: number, noted = this.#noted): void {
    const { core_key, reference_key, period } = row;
    const batches = this.#didNotGoIn.all(batchSeq, core_key, reference_key, period, sinceMs);
    for (const seq of seqsIn(batches)) noted.sentAnew.add(seq);
  }

  /** A row names one other that it repeats; others may be the same payment too, and each may correct a row of a file. */
  noteRepeats(verdict: Verdict, noted = this.#noted): void {
    if (verdict.state === "ready" || verdict.other === undefined) return;
    const others = verdict.state === "held" ? (verdict.others ?? []) : [];
    for (const { sameBatch, batch, originBatch } of [verdict.other, ...others]) {
      if (!sameBatch) noted.batches.add(batch).add(originBatch);
    }
  }

  /**
   * DESIGN §7 near_duplicate: this file repeats rows of an earlier batch, and this row's beneficiary has an accepted or
   * unknown row there with another amount: perhaps an amount was edited after it had been sent. Or one that still goes
   * without a person's word about it, unless both state their periods or their references, and other ones: then the old
   * amount would go after the new one. A row that did not go and is sent anew repeats that batch too, in its own period
   * or by its own reference.
   */
  holdNearDuplicates(batch: BatchSeq, nowMs: number, noted = this.#noted): void {
    if (!this.#hasReady.get(batch.seq)) return;
    const named = seqsIn(this.#seqsOf.all(JSON.stringify([...noted.batches]), batch.seq));
    this.#holdNearTo(batch, [...new Set([...seqsIn(this.#repeated.all(batch.seq)), ...named])], nowMs);
    for (const seq of noted.sentAnew) this.#holdNearTo(batch, [seq], nowMs, 1);
  }

  /** The same for rows of a file that waited as a whole: a later file may have corrected it meanwhile, and gone. */
  holdNearToLater(batch: BatchSeq, nowMs: number): void {
    this.#holdNearTo(batch, seqsIn(this.#repeating.all(batch.seq)), nowMs);
  }

  /** The same for rows that had an end and go again: a later file may have repeated this one and corrected them since. */
  holdNearToCopies(batch: BatchSeq, nowMs: number): void {
    this.#holdNearTo(batch, seqsIn(this.#copies.all(batch.seq)), nowMs);
  }

  /**
   * Of rows that are about to go those in whose place another amount went, by the word of a person who was told of them:
   * whoever corrects a file that could not go does not think of the old one, which goes by itself when it is resumed.
   */
  holdReplaced(batch: BatchSeq, nowMs: number): void {
    this.#letGoInPlace.run(batch.seq, nowMs);
  }

  #holdNearTo(batch: BatchSeq, seqs: readonly number[], nowMs: number, sentAnew = 0): void {
    if (seqs.length === 0) return;
    this.#holdNear.run(batch.seq, JSON.stringify(seqs), nowMs, sentAnew);
    this.tellLetGo(batch, nowMs);
  }

  /** Of yet another amount, in a third file, that a person let go: by it the same payment may have been corrected. */
  tellLetGo(batch: BatchSeq, nowMs: number): number[] {
    return numbersIn(this.#tellLetGo, batch.seq, nowMs);
  }
}

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

/** Of held rows those that others went beside, which were let go although the same row of an earlier batch held them. */
const tellLetGo = (schema: string, isElsewhere: string): string => `
  WITH near AS (
    SELECT DISTINCT other_batch, other_row FROM row WHERE batch = ?1 AND state = 'held' AND code = 'near_duplicate'
  ), went AS MATERIALIZED (
    SELECT near.other_batch, near.other_row, count(*) AS more FROM near
    CROSS JOIN ${schema}.row s ON s.other_batch = near.other_batch AND s.other_row = near.other_row AND s.released > 0
    WHERE ${isElsewhere} AND s.state IN ('accepted', 'settled_done', 'unknown', 'sending') GROUP BY 1, 2
  )
  UPDATE row SET other_more = went.more, changed_at = ?2 FROM went
  WHERE row.batch = ?1 AND row.state = 'held' AND row.code = 'near_duplicate' AND row.other_batch = went.other_batch
    AND row.other_row = went.other_row AND row.other_more < went.more RETURNING row.number`;

/** Of the batch `?1`. */
const ID = "(SELECT id FROM batch WHERE seq = ?1)";

/** Not what was let go after that one went: nobody is asked a second time. */
const LET_GO_IN_PLACE = `
  WITH went AS (
    SELECT s.other_row AS number, max(s.last_attempt), s.number AS other_row, ob.id, iif(s.state = 'unknown', NULL, s.changed_at) AS accepted_at
    FROM row s CROSS JOIN row n ON n.batch = ?1 AND n.number = s.other_row JOIN batch ob ON ob.seq = s.batch
    WHERE s.other_batch = ${ID} AND s.released > 0 AND s.batch <> ?1
      AND s.state IN ('accepted', 'settled_done', 'unknown', 'sending') AND s.last_attempt >= n.released
      AND n.state = 'ready' AND s.beneficiary_key = n.beneficiary_key AND s.core_key <> n.core_key
      AND NOT (coalesce(n.period <> s.period, 0) OR coalesce(n.reference_key <> s.reference_key, 0))
    GROUP BY s.other_row
  )
  UPDATE row SET state = 'held', code = 'near_duplicate', changed_at = ?2, other_batch = went.id,
    other_row = went.other_row, other_at = went.accepted_at
  FROM went WHERE row.batch = ?1 AND row.number = went.number`;

function seqsIn(rows: readonly unknown[]): number[] {
  return (rows as readonly { seq: number }[]).map(({ seq }) => seq);
}
