import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { asBatches, wasOpened } from "./batch-columns.ts";
import { Batches } from "./batches.ts";
import { KnownFiles } from "./known-files.ts";
import { RowsToPointOut } from "./rows-to-point-out.ts";
import { isJournalThere } from "./database/open.ts";
import { CORRECTED_BY, Rows } from "./rows.ts";
import type { BatchRecord, Environment, Tallies } from "../batch-record.ts";
import type { OperationName } from "../../operations/operation.ts";
import type { RowRecord } from "../row-record.ts";
import { isPaid, RESUMABLE } from "../state.ts";
import { RowTallies } from "./tallies.ts";
import { WaitingRows } from "./duplicates/waiting-rows.ts";

/** Questions about whole files and about the past, asked of a journal that is only read, whoever has it open. */
export class LookBack {
  readonly #database: DatabaseSync;
  #rows: Rows | undefined;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** undefined where there is no journal yet. */
  static at(stateDir: string): LookBack | undefined {
    return isJournalThere(stateDir) ? LookBack.of(stateDir) : undefined;
  }

  /** The journal must be there. */
  static of(stateDir: string): LookBack {
    return new LookBack(new DatabaseSync(join(stateDir, "journal.db"), { readOnly: true, timeout: 10_000 }));
  }

  batch(id: string): BatchRecord | undefined {
    const found = this.#database.prepare(`SELECT * FROM batch WHERE id = ? AND ${wasOpened("batch")}`);
    return asBatches(found.all(id))[0];
  }

  /** Batches of the very same bytes, newest first. */
  ofBytes(sha256: string, environment: Environment): BatchRecord[] {
    return new Batches(this.#database).ofBytes(sha256, environment);
  }

  /** The batch that a file at this path, with this identity on disk, was taken as. */
  sourceBatch(path: string, identity: string): string | undefined {
    return new KnownFiles(this.#database).sourceBatch(path, identity);
  }

  sourceRenumbered(path: string, sizeAndTime: string, changedMs: number): string | undefined {
    return new KnownFiles(this.#database).sourceRenumbered(path, sizeAndTime, changedMs);
  }

  /** Whether paydrop wrote these bytes, wherever. */
  wrote(sha256: string): boolean {
    return new KnownFiles(this.#database).wrote(sha256);
  }

  tallies(batchId: string): Tallies {
    return new RowTallies(this.#database).of(this.#seqOf(batchId));
  }

  /** How many rows were refused for the key or the address. */
  resumable(batchId: string): number {
    const counted = this.#database.prepare(`SELECT count(*) AS rows FROM row r WHERE batch = ? AND ${RESUMABLE}`);
    return Number(counted.get(this.#seqOf(batchId))?.["rows"]);
  }

  /** How many rejected or invalid rows have been corrected since, and accepted. */
  corrected(batchId: string): number {
    const counted = this.#database.prepare(
      `SELECT count(*) AS rows FROM row r WHERE batch = ? AND state IN ('rejected', 'invalid') AND ${CORRECTED_BY} IS NOT NULL`,
    );
    return Number(counted.get(this.#seqOf(batchId))?.["rows"]);
  }

  /** How many rows are held for another one that has its end by now. */
  waitIsOver(batchId: string): number {
    return new WaitingRows(this.#database).areOver(this.#seqOf(batchId));
  }

  /** Whether rows are held that may be another month's payments. */
  asksMonth(batchId: string): boolean {
    return new WaitingRows(this.#database).asksMonth(this.#seqOf(batchId));
  }

  row(batchId: string, number: number): RowRecord | undefined {
    this.#rows ??= new Rows(this.#database);
    return this.#rows.one(this.#seqOf(batchId), number);
  }

  /** The rows of a batch as they stand, asked for by rising numbers. */
  rowsOf(batchId: string): (number: number) => RowRecord | undefined {
    const rows = new Rows(this.#database);
    const seq = this.#seqOf(batchId);
    let page = new Map<number, RowRecord>();
    let until = -1;
    return (number) => {
      if (number > until) {
        const next = rows.page(seq, number);
        page = new Map(next.map((row) => [row.number, row]));
        until = next.at(-1)?.number ?? Number.POSITIVE_INFINITY;
      }
      return page.get(number);
    };
  }

  /** To be called once for each connection. */
  noted(batchId: string): RowsToPointOut {
    return new RowsToPointOut(this.#database, this.#seqOf(batchId));
  }

  /** The newest batches with rows that were accepted, of this operation, or this option of it, newest first. */
  batchesPaying(environment: Environment, operation: OperationName, option: string | null, max: number): BatchRecord[] {
    const batches = this.#database.prepare(
      `SELECT * FROM batch b WHERE environment = ? AND ${wasOpened("b")} AND EXISTS (
         SELECT 1 FROM row r WHERE r.batch = b.seq AND r.operation = ? AND r.option IS ? AND ${isPaid("r")})
       ORDER BY seq DESC LIMIT ?`,
    );
    return asBatches(batches.all(environment, operation, option, max));
  }

  /** Numbers of the accepted rows, in input order. */
  *acceptedRows(batchId: string): Generator<number> {
    const rows = this.#database.prepare(
      `SELECT number FROM row WHERE batch = (SELECT seq FROM batch WHERE id = ?) AND ${isPaid("row")} ORDER BY number`,
    );
    for (const row of rows.iterate(batchId)) yield row["number"] as number;
  }

  close(): void {
    this.#database.close();
  }

  #seqOf(batchId: string): number {
    return new Batches(this.#database).seqOf(batchId).seq;
  }
}
