import { openKept } from "../checks/open-kept.ts";
import type { Config } from "../config/schema.ts";
import type { FileFormat } from "../file-format.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import { resultsRow, resultsTable, retryRow, retryTable } from "./columns.ts";
import { inStatements } from "./in-statement.ts";
import { isInRetryFile, lockstep, recordsOf } from "./totals.ts";

interface Kept {
  readonly store: JournalStore;
  readonly config: Config;
}

/** The results of a batch as they are by now, piece by piece, for whoever cannot see the folder of its file. */
export async function* resultsPieces(kept: Kept, batch: BatchRecord, format: FileFormat) {
  const { store } = kept;
  const { table, own } = await openKept(kept, batch);
  const seen = await inStatements(store, batch.id);
  const lines = resultsTable(table, format);
  yield lines.begin();
  for await (const pairs of lockstep(table.rows(), recordsOf(store, batch.id)))
    yield lines.rows(
      pairs.map(({ row, record }) =>
        resultsRow(row, record, batch, { reference: own(row).reference, inStatement: seen.get(record.row) }),
      ),
    );
  yield lines.end();
}

/** The rows to correct, ready to be corrected and brought again; only its columns where there are none. */
export async function* retryPieces(kept: Kept, batch: BatchRecord, format: FileFormat) {
  const { store } = kept;
  const { table } = await openKept(kept, batch);
  const lines = retryTable(table, format);
  yield lines.begin();
  for await (const pairs of lockstep(table.rows(), recordsOf(store, batch.id))) {
    const toCorrect = pairs.filter(({ record }) => isInRetryFile(record));
    if (toCorrect.length > 0) yield lines.rows(toCorrect.map(({ row, record }) => retryRow(row, record, batch)));
  }
  yield lines.end();
}
