import type { DatabaseSync, StatementSync } from "node:sqlite";
import { PaydropError } from "../../errors.ts";
import { asBatches, type BatchColumns, wasOpened } from "./batch-columns.ts";
import { Meta, META_PREFIX } from "./meta.ts";
import { FILE_OF } from "./duplicates/seen-row.ts";
import { STILL_GOES, type RowState } from "../state.ts";
import type { BatchPhase, BatchRecord, BatchSeq, Environment, NewBatch, OpeningTotals } from "../batch-record.ts";

/** Batches. Every method that writes is called inside a transaction of its caller. */
export class Batches {
  readonly #database: DatabaseSync;
  readonly #known = new Map<string, BatchSeq>();
  readonly #find: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    // no character of an id sorts behind `~`: both bounds are found in the index, and no other batch is looked at
    this.#find = database.prepare(
      `SELECT * FROM batch WHERE id >= ? AND id < ? || '~' AND ${wasOpened("batch")} ORDER BY seq DESC LIMIT 2`,
    );
  }

  /** Finds a batch by its id, or by a beginning that only one id has; whoever copies one may bring blanks along. */
  find(idOrPrefix: string): BatchRecord | undefined {
    const prefix = idOrPrefix.toUpperCase().replace(/[%_\\\s]/g, "");
    const found = asBatches(this.#find.all(prefix, prefix));
    const exact = found.find((batch) => batch.id === prefix);
    if (!exact && found.length > 1) {
      throw new PaydropError(
        "usage",
        `more than one batch begins with ${prefix}: ${found.map((batch) => batch.id).join(", ")}, …`,
        "write more of its id; `paydrop status` lists them",
      );
    }
    return exact ?? (prefix === "" ? undefined : found[0]);
  }

  all(): BatchRecord[] {
    return this.#select(`WHERE ${wasOpened("batch")} ORDER BY seq DESC`);
  }

  ofBytes(sha256: string, environment: Environment): BatchRecord[] {
    return this.#select(
      `WHERE sha256 = ? AND environment = ? AND ${wasOpened("batch")} ORDER BY seq DESC`,
      sha256,
      environment,
    );
  }

  /**
   * Whether a person decides on the batch as a whole: it has the bytes of an earlier one and no stated period, or rows
   * of it are held as `same_file`.
   */
  isSameFileAgain(seq: number): boolean {
    const earlier = this.#database.prepare(
      `SELECT 1 FROM batch b JOIN batch e ON e.sha256 = b.sha256 AND e.environment = b.environment AND e.seq < b.seq
       WHERE b.seq = ?1 AND b.period IS NULL AND ${wasOpened("e")}
       AND (e.choices ->> '$.sheet') IS (b.choices ->> '$.sheet')
       AND coalesce(e.choices ->> '$.operation' = b.choices ->> '$.operation', 1)
       UNION ALL SELECT 1 FROM row WHERE batch = ?1 AND state = 'held' AND code = 'same_file' LIMIT 1`,
    );
    return earlier.get(seq) !== undefined;
  }

  seqOf(id: string): BatchSeq {
    const known = this.#known.get(id);
    if (known) return known;
    const row = this.#database
      .prepare(`SELECT seq, environment, period, guessed_period, ${FILE_OF} AS file FROM batch b WHERE id = ?`)
      .get(id) as
      (Pick<BatchColumns, "seq" | "environment" | "period" | "guessed_period"> & { file: string | null }) | undefined;
    if (!row) throw new Error(`the journal has no batch ${id}`);
    const batch = {
      seq: row.seq,
      environment: row.environment,
      ...(row.period === null ? {} : { period: row.period }),
      ...(row.guessed_period === null ? {} : { guessedPeriod: row.guessed_period }),
      ...(row.file === null ? {} : { file: row.file }),
    };
    this.#known.set(id, batch);
    return batch;
  }

  insert(batch: NewBatch): void {
    this.#database
      .prepare(
        `INSERT INTO batch (id, environment, destination, file_name, folder, format, sha256, size_bytes, period,
           guessed_period, choices, phase, created_at, laid_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'recording', ?, ?)`,
      )
      .run(batch.id, batch.environment, batch.destination, batch.fileName, batch.folder, batch.format, batch.sha256,
        batch.sizeBytes, batch.period ?? null, batch.guessedPeriod ?? null, batch.choices, batch.createdAt, batch.laidAt ?? null); // prettier-ignore
  }

  open(id: string, { rows, total, remarks }: OpeningTotals, allOrNothing: boolean): void {
    this.#database
      .prepare(
        `UPDATE batch SET rows = ?, total = ?, remarks = ?, all_or_nothing = ?, phase = 'open'
         WHERE id = ? AND phase = 'recording'`,
      )
      .run(rows, total, JSON.stringify(remarks), Number(allOrNothing), id);
  }

  drop(id: string): void {
    // what was opened is remembered for good, whatever went wrong afterwards
    const unopened = this.#database.prepare("SELECT seq FROM batch WHERE id = ? AND phase = 'recording'").get(id);
    if (!unopened) return;
    const seq = Number(unopened["seq"]);
    for (const key of ["core_key", "reference_key"]) {
      this.#database
        .prepare(
          `DELETE FROM seen WHERE (key, batch, number) IN
             (SELECT ${key}, batch, number FROM row WHERE batch = ? AND ${key} IS NOT NULL)`,
        )
        .run(seq);
    }
    this.#database.prepare("DELETE FROM row WHERE batch = ?").run(seq);
    this.#database.prepare("DELETE FROM batch WHERE seq = ?").run(seq);
    this.#known.delete(id);
  }

  unopened(): string[] {
    const rows = this.#database.prepare("SELECT id FROM batch WHERE phase = 'recording'").all() as { id: string }[];
    return rows.map((row) => row.id);
  }

  /** Two people may act at the same time: the phase is looked at in the transaction that changes it. */
  setPhase(id: string, phase: Exclude<BatchPhase, "recording">): void {
    const from = JSON.stringify(LEADS_TO[phase]);
    const { changes } = this.#database
      .prepare("UPDATE batch SET phase = ? WHERE id = ? AND phase IN (SELECT value FROM json_each(?))")
      .run(phase, id, from);
    if (changes === 1) return;
    const is = this.find(id)?.phase ?? "unknown";
    throw new PaydropError("usage", `batch ${id} is ${is}, it cannot become ${phase}`, "nothing was changed");
  }

  assertNotCancelled(id: string): void {
    if (this.find(id)?.phase === "cancelled") throw cancelledError(id);
  }

  unfinished(folders: readonly string[]): string[] {
    const rows = this.#database
      .prepare(
        `SELECT b.id FROM batch b
         WHERE b.phase = 'open' AND b.folder IN (SELECT value FROM json_each(?)) AND (${OWES_RESULTS} OR ${mayHold("ready", "not_sent", "rejected")} AND EXISTS (
           SELECT 1 FROM row r WHERE r.batch = b.seq AND ${STILL_GOES}))
         ORDER BY b.seq`,
      )
      .all(JSON.stringify(folders)) as { id: string }[];
    return rows.map((row) => row.id);
  }

  oweResults(id: string, isOwed: boolean): void {
    const key = META_PREFIX.resultsOwed + id;
    if (isOwed) new Meta(this.#database).putIfAbsent([key, ""]);
    else new Meta(this.#database).remove(key);
  }

  owesResults(id: string): boolean {
    return new Meta(this.#database).has(META_PREFIX.resultsOwed + id);
  }

  setDestination(id: string, destination: string): void {
    this.#database.prepare("UPDATE batch SET destination = ? WHERE id = ?").run(destination, id);
  }

  #select(where: string, ...values: readonly string[]): BatchRecord[] {
    return asBatches(this.#database.prepare(`SELECT * FROM batch ${where}`).all(...values));
  }
}

export function cancelledError(id: string): PaydropError {
  return new PaydropError(
    "usage",
    `batch ${id} is cancelled: nothing of it is released`,
    "put the rows that must go after all into a new file",
  );
}

/** SQL: the results of the batch `b` are behind the journal. */
export const OWES_RESULTS = `EXISTS (SELECT 1 FROM meta WHERE key = '${META_PREFIX.resultsOwed}' || b.id)`;

/** SQL: the batch `b` may have rows in one of these states. Its kept sums may say no without a look at the rows. */
export function mayHold(...states: readonly RowState[]): string {
  const holds = states.map((state) => `b.tallies ->> '$.${state}' IS NOT NULL`);
  return `(b.tallies IS NULL OR ${holds.join(" OR ")})`;
}

/** From which phases a batch gets into this one. A cancelled batch stays cancelled. */
const LEADS_TO: Readonly<Record<Exclude<BatchPhase, "recording">, readonly BatchPhase[]>> = {
  open: ["paused"],
  paused: ["open"],
  cancelled: ["open", "paused"],
};
