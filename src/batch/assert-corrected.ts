import { ownFileRefused } from "../intake/own.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { Services } from "../processor.ts";
import { readingOf } from "../reading.ts";
import { ownCell } from "../results/own-cell.ts";
import { operationCorrected } from "./operation-corrected.ts";
import { understand, type InputFile } from "../take-in.ts";

/**
 * Refuses a retry file that lies there just as it was written (DESIGN §6), unless the mapping or a lookup table was
 * corrected instead: then its rows were judged by another one. Throws FileRefusedError.
 */
export async function assertCorrected(
  input: InputFile,
  services: Services,
  batchOf: (id: string) => Promise<BatchRecord | undefined>,
): Promise<void> {
  const origin = /^([0-9A-Z]+):/.exec((await firstCell(input, "retry_of")) ?? "")?.[1];
  const batch = origin === undefined ? undefined : await batchOf(origin);
  const before = batch && readingOf(batch).mapping?.sha256;
  const corrects = () => operationCorrected(input.sheet, services.config, batchOf);
  if (before !== undefined && (await understand(input, services, corrects)).reading.mapping?.sha256 !== before) return;
  throw ownFileRefused(input.fileName, "retry_not_corrected");
}

async function firstCell({ sheet }: InputFile, column: string): Promise<string | undefined> {
  for await (const rows of sheet.rows()) if (rows[0]) return ownCell(rows[0], column);
  return undefined;
}
