import type { Config } from "../config/config.ts";
import { defined } from "../defined.ts";
import { isFileTrouble } from "../errors.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { JournalStore } from "../journal/store.ts";
import { maskAccountId } from "../mask.ts";
import type { Row } from "../reader/row.ts";
import { debitFieldOf, ownCell, payeeOf } from "../results/own-cell.ts";
import { sentenceOf } from "../results/sentences.ts";
import { openWhole, snapshotsIn } from "../reading.ts";

/** One unknown row, with what a person needs to find it in the service's dashboard. */
export interface UnknownRow {
  readonly batch: BatchRecord;
  readonly record: RowRecord;
  /** Masked: the account to debit, and who receives or owes the money. */
  readonly fromAccount?: string;
  readonly account?: string;
  /** When its request was sent, and when its answer was given up; milliseconds since 1970. */
  readonly sent?: { readonly from: number; readonly until: number };
  /** What happened, in words. */
  readonly happened: string;
}

/** Every unknown row over all batches, oldest batch first. */
export async function unknownRows(journal: JournalStore, config: Config): Promise<readonly UnknownRow[]> {
  const found: UnknownRow[] = [];
  for (const batch of (await journal.batches()).toReversed()) {
    const records = await journal.rowsIn(batch.id, ["unknown"]);
    if (records.length === 0) continue;
    const rows = await rowsOfSnapshot(batch, records, config);
    found.push(...records.map((record) => describe(batch, record, rows.get(record.number))));
  }
  return found;
}

/** The rows as the file said them; none when its private copy is gone or damaged: the list must not fail for that. */
async function rowsOfSnapshot(
  batch: BatchRecord,
  records: readonly RowRecord[],
  config: Config,
): Promise<ReadonlyMap<number, Row>> {
  const wanted = new Set(records.map((record) => record.number));
  const found = new Map<number, Row>();
  try {
    const { sheet, view } = await openWhole(batch, snapshotsIn(config));
    for await (const rows of sheet.rows()) {
      for (const row of rows) if (wanted.has(row.number)) found.set(row.number, view(row));
      if (found.size === wanted.size) break;
    }
  } catch (error) {
    if (!isFileTrouble(error)) throw error;
  }
  return found;
}

function describe(batch: BatchRecord, record: RowRecord, row: Row | undefined): UnknownRow {
  const debit = row && ownCell(row, debitFieldOf(record));
  const account = row && payeeOf(row, record);
  const { sentAt, untilAt } = record;
  const sent = sentAt === undefined || untilAt === undefined ? undefined : { from: sentAt, until: untilAt };
  const fromAccount = debit && maskAccountId(debit);
  return defined({ batch, record, happened: sentenceOf(record, batch).message, fromAccount, account, sent });
}
