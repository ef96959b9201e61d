import { isFileTrouble } from "../errors.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { OperationName } from "../operations/operation.ts";
import { RisingRows } from "../reader/rising-rows.ts";
import type { Row } from "../reader/row.ts";
import { openSnapshot, openWhole, readingOf } from "../reading.ts";

/** A row that a later one corrects, as it was. */
export interface Origin {
  /** The operation of its whole file; none for a file that says it row by row. */
  readonly operation?: OperationName | undefined;
  /** The row under the names of our fields; left out where the copy of its file cannot be read. */
  readonly row?: Row;
}

/**
 * Rows of an earlier file by number. Asked for in their order, the file is read once; else from its beginning again.
 */
export class EarlierRows {
  readonly #batch: BatchRecord;
  readonly #snapshots: string;
  readonly #operation: OperationName | undefined;
  #rows: RisingRows | undefined;
  #view: (row: Row) => Row = (row) => row;
  /** The number asked for last: for a lower one the file is read from its beginning again. */
  #last = 0;
  #isGone: boolean;

  constructor(batch: BatchRecord, snapshots: string) {
    this.#batch = batch;
    this.#snapshots = snapshots;
    this.#operation = readingOf(batch).operation;
    // the faults of its rows are in the archive: its copy may still be there, for another batch, but does not tell them
    this.#isGone = batch.archive !== undefined;
  }

  /** `numbers`: rising. Rows that the file does not have are left out. */
  async take(numbers: readonly number[]): Promise<ReadonlyMap<number, Origin>> {
    if (this.#isGone) return this.#allGone(numbers);
    try {
      return await this.#find(numbers);
    } catch (error) {
      if (!isFileTrouble(error)) throw error;
      this.#isGone = true;
      return this.#allGone(numbers);
    }
  }

  async close(): Promise<void> {
    await this.#rows?.close();
    this.#rows = undefined;
  }

  /** Any number may have been one of its rows: what cannot be compared waits for a person. */
  #allGone(numbers: readonly number[]): ReadonlyMap<number, Origin> {
    return new Map(numbers.map((number) => [number, { operation: this.#operation }]));
  }

  async #find(numbers: readonly number[]): Promise<ReadonlyMap<number, Origin>> {
    const found = new Map<number, Origin>();
    for (const number of numbers) {
      const rows = this.#rows && number >= this.#last ? this.#rows : await this.#begin();
      this.#last = number;
      const row = await rows.row(number);
      // the view is made now: the mapper remembers only its last row
      if (row) found.set(number, { operation: this.#operation, row: this.#view(row) });
    }
    return found;
  }

  async #begin(): Promise<RisingRows> {
    const isFirst = this.#rows === undefined;
    await this.close();
    const { sheet, view } = await (isFirst ? openWhole : openSnapshot)(this.#batch, this.#snapshots);
    this.#view = view;
    return (this.#rows = new RisingRows(sheet));
  }
}
