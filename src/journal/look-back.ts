import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { OperationName } from "../operations/operation.ts";
import { asBatch, Batches, type BatchColumns } from "./batches.ts";
import { PaymentKeys } from "./keys.ts";
import { KnownFiles } from "./known-files.ts";
import { Rows } from "./rows.ts";
import type { BatchRecord, Environment, RowRecord, Tallies } from "./store.ts";
import { RowTallies } from "./tallies.ts";

/** The amount in the middle of all rows of an operation that are not invalid. */
export interface MiddleAmount {
  readonly operation: OperationName;
  /** As written in the file; of an even number the lower one of the two. */
  readonly amount: string;
  readonly rows: number;
}

/**
 * Questions about whole files and about the past, asked of a journal that is only read, whoever has it open. SQLite
 * sorts and groups on disk: memory does not grow with the rows.
 */
export class LookBack {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** undefined where there is no journal yet. */
  static at(stateDir: string): LookBack | undefined {
    const path = join(stateDir, "journal.db");
    return existsSync(path) ? new LookBack(new DatabaseSync(path, { readOnly: true, timeout: 10_000 })) : undefined;
  }

  batch(id: string): BatchRecord | undefined {
    const found = this.#database.prepare("SELECT * FROM batch WHERE id = ? AND phase <> 'recording'").get(id);
    return found && asBatch(found as unknown as BatchColumns);
  }

  /** Batches of the very same bytes, newest first. */
  ofBytes(sha256: string, environment: Environment): BatchRecord[] {
    return new Batches(this.#database).ofBytes(sha256, environment);
  }

  /** The batch that a file at this path, with this identity on disk, was taken as. */
  sourceBatch(path: string, identity: string): string | undefined {
    return new KnownFiles(this.#database).sourceBatch(path, identity);
  }

  tallies(batchId: string): Tallies {
    return new RowTallies(this.#database).of(this.#seqOf(batchId));
  }

  /** How many rows were refused for one of these reasons. */
  refusedFor(batchId: string, reasons: readonly string[]): number {
    const counted = this.#database.prepare(
      `SELECT count(*) AS rows FROM row
       WHERE batch = ? AND state = 'rejected' AND code IN (SELECT value FROM json_each(?))`,
    );
    return Number(counted.get(this.#seqOf(batchId), JSON.stringify(reasons))?.["rows"]);
  }

  /** The rows of a batch as they stand, asked for by rising numbers. */
  rowsOf(batchId: string): (number: number) => RowRecord | undefined {
    const rows = new Rows(this.#database, NO_KEYS);
    const seq = this.#seqOf(batchId);
    let page = new Map<number, RowRecord>();
    let until = -1;
    return (number) => {
      if (number > until) {
        const next = rows.page(seq, number, PAGE_ROWS);
        page = new Map(next.map((row) => [row.number, row]));
        until = next.at(-1)?.number ?? Number.POSITIVE_INFINITY;
      }
      return page.get(number);
    };
  }

  #seqOf(batchId: string): number {
    return new Batches(this.#database).seqOf(batchId).seq;
  }

  /** Plain decimals sort by the digits before the point, then as text. */
  middleAmounts(batchId: string): MiddleAmount[] {
    const counts = this.#database.prepare(
      `SELECT operation, count(*) AS rows FROM row
       WHERE batch = (SELECT seq FROM batch WHERE id = ?) AND state <> 'invalid' AND amount IS NOT NULL GROUP BY operation`,
    );
    const middle = this.#database.prepare(
      `SELECT amount FROM row
       WHERE batch = (SELECT seq FROM batch WHERE id = ?) AND state <> 'invalid' AND operation = ? AND amount IS NOT NULL
       ORDER BY CASE instr(amount, '.') WHEN 0 THEN length(amount) ELSE instr(amount, '.') - 1 END, amount
       LIMIT 1 OFFSET ?`,
    );
    return (counts.all(batchId) as unknown as { operation: OperationName; rows: number }[]).map(
      ({ operation, rows }) => {
        const found = middle.get(batchId, operation, Math.floor((rows - 1) / 2)) as { amount: string };
        return { operation, rows, amount: found.amount };
      },
    );
  }

  /** Rows whose beneficiary stands in an earlier row of the same batch, in input order, with the first such row. */
  *repeatedPayees(batchId: string): Generator<{ readonly row: number; readonly first: number }> {
    const repeats = this.#database.prepare(
      `SELECT r.number AS row, f.first FROM row r JOIN (
         SELECT beneficiary_key, min(number) AS first FROM row
         WHERE batch = (SELECT seq FROM batch WHERE id = ?1) AND beneficiary_key IS NOT NULL
         GROUP BY beneficiary_key HAVING count(*) > 1) f ON f.beneficiary_key = r.beneficiary_key
       WHERE r.batch = (SELECT seq FROM batch WHERE id = ?1) AND r.number > f.first ORDER BY r.number`,
    );
    yield* repeats.iterate(batchId) as Iterable<unknown> as Iterable<{ row: number; first: number }>;
  }

  /** The newest batches with payouts to inline beneficiaries that were accepted, newest first. */
  batchesWithNames(environment: Environment, max: number): BatchRecord[] {
    const batches = this.#database.prepare(
      `SELECT * FROM batch b WHERE environment = ? AND phase <> 'recording' AND EXISTS (
         SELECT 1 FROM row r WHERE r.batch = b.seq AND r.option = 'B' AND r.state IN ${ACCEPTED})
       ORDER BY seq DESC LIMIT ?`,
    );
    return (batches.all(environment, max) as unknown as BatchColumns[]).map(asBatch);
  }

  /** Numbers of the accepted rows, in input order. */
  *acceptedRows(batchId: string): Generator<number> {
    const rows = this.#database.prepare(
      `SELECT number FROM row WHERE batch = (SELECT seq FROM batch WHERE id = ?) AND state IN ${ACCEPTED} ORDER BY number`,
    );
    for (const row of rows.iterate(batchId)) yield row["number"] as number;
  }

  close(): void {
    this.#database.close();
  }
}

/** Rows are only read here: keys are for entering them. */
const NO_KEYS = new PaymentKeys(new Uint8Array());
const PAGE_ROWS = 1000;
const ACCEPTED = "('accepted', 'settled_done')";
