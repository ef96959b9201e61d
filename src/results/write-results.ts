import { basename, join } from "node:path";
import { defined } from "../defined.ts";
import type { PaydropError } from "../errors.ts";
import type { WrittenFiles } from "../events.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { Row, Sheet } from "../reader/row.ts";
import { AtomicFile } from "./disk/atomic.ts";
import { isUnwritable, mayPass, wasTakenAway } from "./disk/on-disk.ts";
import { InTheWayError } from "./disk/make-way.ts";
import type { Leftovers } from "./disk/leftovers.ts";
import { clearPlace, findPlace, lookOfPlace, removeOutdated, type Place } from "./disk/place.ts";
import { fallbackPlace } from "./disk/fallback.ts";
import { assertFolderIs, OtherFolderError } from "./disk/other-folder.ts";
import type { WrittenMemory } from "./disk/own.ts";
import { lockstep } from "./lockstep.ts";
import type { OwnCells } from "./own-cell.ts";
import { isToCorrect, resultsRow, resultsTable, retryRow, retryTable } from "./rows.ts";
import { summaryJson, type RunFacts } from "./summary.ts";
import { assertControlTotals, TotalsCollector, type Totals } from "./totals.ts";

export interface ResultsInput extends WrittenMemory {
  readonly batch: BatchRecord;
  /** The snapshot, read again. */
  readonly sheet: Sheet;
  /** The rows of the journal in input order, from the first; called once more each time that the place cannot be written. */
  readonly records: () => AsyncIterable<readonly RowRecord[]>;
  /** The file that all names begin with, and its folder. */
  readonly target: { readonly folder: string; readonly fileName: string };
  /** Which folder that was when the input was taken, where that is known. */
  readonly folderBefore?: string | undefined;
  /** The files are only written again: the names of the file are left to the batch that has them. */
  readonly staysAside?: boolean;
  /** Private folder for what cannot lie beside the input; a folder per batch is made in it. */
  readonly fallbackFolder: string;
  /** Permission bits of the input. */
  readonly mode: number;
  readonly ownOf: (row: Row, record: RowRecord) => OwnCells;
  readonly run: RunFacts;
  /** Only with the lock: removes what a crash left of these files. */
  readonly leftovers?: Leftovers;
  /** The exit code of the batch. `isElsewhere`: the files could not be written beside the input. */
  readonly exitCode: (totals: Totals, isElsewhere: boolean) => number;
}

export interface ResultsReport {
  readonly files: WrittenFiles;
  readonly totals: Totals;
  readonly exitCode: number;
}

/**
 * Writes results, retry file and summary in one pass (DESIGN §9), beside the input or, where that cannot be, below
 * `fallbackFolder`. Throws PaydropError `results_unwritable` only when neither can be written.
 */
export async function writeResults(input: ResultsInput): Promise<ResultsReport> {
  const { folder, fileName } = input.target;
  const { folderBefore } = input;
  for (let times = 1; ; times += 1) {
    try {
      if (folderBefore !== undefined) await assertFolderIs(folderBefore, join(folder, fileName));
      const report = await writeIn(input, { folder, fileName, mode: input.mode & 0o666, isLast: times >= TIMES_MAX });
      if (report) return report;
    } catch (thrown) {
      if (!isUnwritable(thrown)) throw thrown;
      if (times < TIMES_MAX && (await wasTakenAway(folder, thrown))) continue;
      return await writeElsewhere(input, thrown);
    }
  }
}

/** More processes than this do not write the same results at one moment. */
const TIMES_MAX = 5;

async function writeElsewhere(input: ResultsInput, reason: PaydropError): Promise<ResultsReport> {
  const { folder, fileName } = await fallbackPlace(input.fallbackFolder, input.batch.id, input.target.fileName);
  const elsewhere = `${reason.message}; the results are in ${folder} instead`;
  const report = await writeIn(input, { folder, fileName, mode: 0o600, isLast: true, elsewhere });
  if (!report) throw reason;
  const mayComeLater = mayPass(reason) || reason instanceof OtherFolderError || reason instanceof InTheWayError;
  return mayComeLater ? { ...report, files: { ...report.files, mayComeLater: true } } : report;
}

interface Where {
  readonly folder: string;
  readonly fileName: string;
  readonly mode: number;
  /** The last try: the files get their names, whoever wrote there meanwhile. */
  readonly isLast: boolean;
  readonly elsewhere?: string;
}

/** undefined: somebody else wrote there meanwhile, look again. */
async function writeIn(input: ResultsInput, where: Where): Promise<ResultsReport | undefined> {
  const { batch, sheet, staysAside = false } = input;
  const { folder, fileName, mode, isLast, elsewhere } = where;
  const target = { folder, fileName, format: sheet.format, batchId: batch.id, staysAside };
  const look = (): Promise<string> => lookOfPlace(target);
  const before = await look();
  const place = await findPlace(target, input);
  const names = [place.results, place.retry, place.summary].map((path) => basename(path));
  await input.leftovers?.remove(folder, names);
  const open: AtomicFile[] = [];
  const create = async (path: string): Promise<AtomicFile> => {
    const file = await AtomicFile.create(path, mode);
    open.push(file);
    return file;
  };
  try {
    const { totals, results, retry, retryRows } = await writeRows(input, place, create);
    assertControlTotals(totals, batch);
    const exitCode = input.exitCode(totals, elsewhere !== undefined);
    const resultsSha256 = await results.finish();
    const retrySha256 = await retry?.finish();
    const written = defined({
      results: basename(place.results),
      retry: retry && basename(place.retry),
      retry_sha256: retrySha256,
    });
    const summary = await create(place.summary);
    await summary.write(summaryJson(batch, totals, input.run, exitCode, written));
    await summary.finish();
    if (!isLast && (await look()) !== before) return undefined;
    const kept = await clearPlace(place, input);
    await input.noteWritten(place.results, resultsSha256);
    await results.publish();
    // Noted first: a watcher must never take our own file for one that a person corrected.
    if (retrySha256 !== undefined) await input.noteWritten(place.retry, retrySha256);
    await retry?.publish();
    await summary.publish();
    await removeOutdated(place);
    const corrected = retry ? { retry: place.retry, retryRows } : {};
    const files = defined({ results: place.results, ...corrected, summary: place.summary, kept, elsewhere });
    return { files, totals, exitCode };
  } finally {
    for (const file of open) await file.discard();
  }
}

interface Written {
  readonly totals: Totals;
  readonly results: AtomicFile;
  readonly retry: AtomicFile | undefined;
  readonly retryRows: number;
}

async function writeRows(
  input: ResultsInput,
  place: Place,
  create: (path: string) => Promise<AtomicFile>,
): Promise<Written> {
  const { batch, sheet, ownOf } = input;
  const collector = new TotalsCollector();
  const resultsLines = resultsTable(sheet);
  const retryLines = retryTable(sheet);
  const results = await create(place.results);
  let retry: AtomicFile | undefined;
  let retryRows = 0;

  await results.write(resultsLines.begin());
  for await (const { rows, records } of lockstep(sheet.rows(), input.records())) {
    const resultsOut = [];
    const retryOut = [];
    for (const [index, record] of records.entries()) {
      const row = rows[index];
      if (!row) continue;
      const { debitAccount, reference, period } = ownOf(row, record);
      collector.add(record, debitAccount, period);
      const line = resultsRow(row, record, batch, reference);
      resultsOut.push(line);
      if (isToCorrect(record)) retryOut.push(retryRow(line, batch));
    }
    await results.write(resultsLines.rows(resultsOut));
    if (retryOut.length === 0) continue;
    if (!retry) {
      retry = await create(place.retry);
      await retry.write(retryLines.begin());
    }
    await retry.write(retryLines.rows(retryOut));
    retryRows += retryOut.length;
  }
  await results.write(resultsLines.end());
  await retry?.write(retryLines.end());
  return { totals: collector.totals(), results, retry, retryRows };
}
