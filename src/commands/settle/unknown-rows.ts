import type { Config } from "../../config/config.ts";
import { defined } from "../../defined.ts";
import { isFileTrouble } from "../../errors.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import { maskAccountId } from "../../text/mask.ts";
import type { RowMapper } from "../../reader/mapping/mapped-rows.ts";
import { RisingRows } from "../../reader/rising-rows.ts";
import type { Row } from "../../reader/row.ts";
import { apartOf, debitFieldOf, ownCell, payeeOf } from "../../results/own-cell.ts";
import { sentenceOf } from "../../results/words/sentences.ts";
import { openWhole, snapshotsIn } from "../../reading.ts";

/** One unknown row, with what a person needs to find it in the service's dashboard. */
export interface UnknownRow {
  readonly batch: BatchRecord;
  readonly record: RowRecord;
  /** Masked: the account to debit, and who receives or owes the money. */
  readonly fromAccount?: string;
  readonly account?: string;
  /** `tenure 12`: what else tells two requests to the same beneficiary apart, as it was sent. */
  readonly apart: readonly string[];
  /** When its request was sent, and when its answer was given up; milliseconds since 1970. */
  readonly sent?: { readonly from: number; readonly until: number };
  /** What happened, in words. */
  readonly happened: string;
}

/**
 * Every unknown row over all batches, oldest batch first, in pages. `lacking`: takes, by batch, why the accounts of its
 * rows are missing; the list must not fail for that.
 */
export async function* unknownRows(
  journal: JournalStore,
  config: Config,
  lacking: Map<string, unknown>,
): AsyncGenerator<readonly UnknownRow[]> {
  for (const batch of (await journal.batches()).toReversed()) {
    const file = new RowsOfSnapshot(batch, config, (why) => lacking.set(batch.id, why));
    try {
      for await (const records of journal.rowsIn(batch.id, ["unknown"])) {
        const page: UnknownRow[] = [];
        for (const record of records) page.push(describe(batch, record, await file.row(record.number)));
        yield page;
      }
    } finally {
      await file.close();
    }
  }
}

/** The rows as the file said them; none where its private copy is gone, damaged, or cannot be read. */
class RowsOfSnapshot {
  readonly #batch: BatchRecord;
  readonly #config: Config;
  readonly #fails: (why: unknown) => void;
  #opened: Promise<{ readonly rows: RisingRows; readonly view: RowMapper }> | undefined;

  constructor(batch: BatchRecord, config: Config, fails: (why: unknown) => void) {
    this.#batch = batch;
    this.#config = config;
    this.#fails = fails;
  }

  async row(number: number): Promise<Row | undefined> {
    try {
      this.#opened ??= this.#open();
      const { rows, view } = await this.#opened;
      const row = await rows.row(number);
      return row && view(row);
    } catch (error) {
      if (!isFileTrouble(error)) throw error;
      this.#fails(error);
      return undefined;
    }
  }

  async #open(): Promise<{ readonly rows: RisingRows; readonly view: RowMapper }> {
    const { sheet, view } = await openWhole(this.#batch, snapshotsIn(this.#config));
    return { rows: new RisingRows(sheet), view };
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.rows.close();
  }
}

function describe(batch: BatchRecord, record: RowRecord, row: Row | undefined): UnknownRow {
  const debit = row && ownCell(row, debitFieldOf(record));
  const account = row && payeeOf(row, record);
  const { sentAt, untilAt } = record;
  const sent = sentAt === undefined || untilAt === undefined ? undefined : { from: sentAt, until: untilAt };
  const fromAccount = debit && maskAccountId(debit);
  const apart = row ? apartOf(row, record) : [];
  return defined({ batch, record, happened: sentenceOf(record, batch).message, fromAccount, account, apart, sent });
}
