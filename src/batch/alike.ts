import { operationStated } from "../checks/operation-of.ts";
import type { Config } from "../config/config.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import { readingOf } from "../reading.ts";
import { statementsOf, type InputFile } from "../take-in.ts";

/** A file as far as it says whether it is a batch of the same bytes that is known. */
type MetFile = Pick<InputFile, "path" | "sheet">;

/**
 * Those of the batches of the same bytes that this file may be. Another sheet of a workbook is another payroll, and what
 * went as loans is not what somebody now says are collections. `lyingThere`: the one that this very file was taken as;
 * of that one neither its folder nor the file itself says anything new.
 */
export function readAlike(
  known: readonly BatchRecord[],
  file: MetFile,
  config: Config,
  lyingThere: string | undefined,
): BatchRecord[] {
  const said = operationStated(statementsOf(file, config));
  return known.filter((one) => {
    const { operation } = readingOf(one);
    const stated = one.id === lyingThere ? config.operation : said;
    return isOfSheet(one, file) && (stated === undefined || operation === undefined || operation === stated);
  });
}

/** Each batch of a sheet has its own id, whatever it was read as. */
export function timesTaken(known: readonly BatchRecord[], file: MetFile, period: string | undefined): number {
  return known.filter((one) => isOfSheet(one, file) && one.period === period).length;
}

function isOfSheet(batch: BatchRecord, { sheet }: MetFile): boolean {
  return readingOf(batch).sheet === sheet.sheetName;
}
