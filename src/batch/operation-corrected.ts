import { rowNamed } from "../checks/correction.ts";
import type { Config } from "../config/config.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { OperationName } from "../operations/operation.ts";
import type { Sheet } from "../reader/row.ts";
import { readingOf } from "../reading.ts";
import { namedBy } from "./origins.ts";

/**
 * The operation of the rows that a retry file corrects, where each of its rows is tied to one, and all to files of one
 * operation. Of a row without a tie nobody has said what it is: such a file is asked about like any other.
 */
export async function operationCorrected(
  sheet: Sheet,
  { environment }: Pick<Config, "environment">,
  batchOf: (id: string) => Promise<BatchRecord | undefined>,
): Promise<OperationName | undefined> {
  const asked = new Set<string>();
  let operation: OperationName | undefined;
  for await (const rows of sheet.rows()) {
    for (const row of rows) {
      const name = rowNamed(namedBy(row));
      if (!name) return undefined;
      if (asked.has(name.batch)) continue;
      asked.add(name.batch);
      const batch = await batchOf(name.batch);
      if (batch?.environment !== environment) return undefined;
      const said = readingOf(batch).operation;
      operation ??= said;
      if (said === undefined || said !== operation) return undefined;
    }
  }
  return operation;
}
