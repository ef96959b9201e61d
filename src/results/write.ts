import { rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Config } from "../config/schema.ts";
import { accessLike, createFile, type AtomicFile } from "../disk.ts";
import type { BatchReport } from "../events.ts";
import type { FileFormat } from "../file-format.ts";
import type { BatchRecord, JournalStore } from "../journal/store.ts";
import type { Row, Table } from "../reader/row.ts";
import { createFirstFaults, resultsRow, resultsTable, retryRow, retryTable } from "./columns.ts";
import { inStatements, seenRemarks, type InStatement } from "./in-statement.ts";
import * as place from "./place.ts";
import { runFactsOf, runsWith, summaryJson, type RunFacts } from "./summary.ts";
import { assertControlTotals, exitCodeOfBatch, isInRetryFile, lockstep } from "./totals.ts";
import { nextOf, recordsOf, TotalsCollector } from "./totals.ts";

export interface ResultsInput {
  readonly store: Pick<JournalStore, "rows" | "runs" | "kept">;
  readonly config: Pick<Config, "state_dir">;
  readonly batch: BatchRecord;
  /** The snapshot, read again, and what it says of a row beside what is sent (`openKept`). */
  readonly table: Table;
  readonly own: (row: Row) => { readonly reference?: string | undefined; readonly debit?: string | undefined };
  /**
   * The run that ended; the journal keeps the same facts (`endRun`), so that the files can be made again, byte for byte
   * (I11). Missing: they are written again, after the last run that the journal knows.
   */
  readonly run?: RunFacts | undefined;
  /** It was run by a copy of its file, under another name. */
  readonly copy?: string | undefined;
  /** Where this run had nothing to send, because an earlier one sent what could go: when the file was taken. */
  readonly sentBefore?: number | undefined;
  /** The retry file as a workbook, whatever the file was (`--retry-xlsx`). */
  readonly retryFormat?: "xlsx" | undefined;
}

/**
 * Writes results, retry file and summary in one pass (README §9), beside the input or, where that cannot be, in the
 * state directory (exit code 74). Throws PaydropError `results_unwritable` only when neither can be written.
 */
export async function writeResults(input: ResultsInput): Promise<BatchReport> {
  const { folder, fileName, id, format } = input.batch;
  const stateDir = input.config.state_dir;
  const report = await place.besideOrElsewhere(join(folder, fileName), id, stateDir, (path, shown, elsewhere) =>
    writeAt(input, { path, shown }, elsewhere),
  );
  if (report.files.elsewhere !== undefined) return report;
  // what had to wait in the state directory is not true any more
  const waited = place.outPaths(join(place.elsewhereOf(id, stateDir), fileName), format, input.retryFormat);
  for (const path of Object.values(waited)) await rm(path, { force: true });
  return report;
}

/** `path`: what the names of the files begin with; `shown`: the same, as it is told. */
async function writeAt(
  input: ResultsInput,
  { path: file, shown }: { readonly path: string; readonly shown: string },
  elsewhere: string | undefined,
): Promise<BatchReport> {
  const { batch, store, copy, sentBefore } = input;
  const { destination, period, phase } = batch;
  const paths = await makePlace(input, file);
  const access = await accessLike(file);
  await using unfinished = new AsyncDisposableStack();
  const create = async (path: string): Promise<AtomicFile> => {
    const made = await createFile(path, access);
    unfinished.defer(() => made.discard());
    return made;
  };
  const seen = await inStatements(store, batch.id);
  const { totals, faults, results, retry, retryRows } = await writeRows(input, paths, seen, create);
  assertControlTotals(totals, batch);
  const runs = await store.runs(batch.id);
  const run = input.run ?? runFactsOf(batch, runs);
  const { stop, startedAt, endedAt, requests } = run;
  const isCancelled = phase === "cancelled";
  const exitCode = exitCodeOfBatch(totals, { stop, isElsewhere: elsewhere !== undefined, isCancelled });
  const written = { results: basename(results.path), results_sha256: await results.finish() };
  const corrected = retry && { retry: basename(retry.path), retry_sha256: await retry.finish() };
  const summary = await create(paths.summary);
  const names = { ...written, ...corrected };
  const remarks = [...batch.remarks, ...totals.remarks, ...seenRemarks(batch, seen)];
  await summary.write(summaryJson(batch, { ...totals, remarks }, run, runsWith(runs, run, exitCode), exitCode, names));
  await summary.finish();
  // the retry file last: only by what a summary notes of it is it told from one that a person corrects
  for (const one of [results, summary, ...(retry ? [retry] : [])]) await one.publish({ replace: true });
  const { total, byStatus, accounts, goesAgain, rowsToLookAt } = totals;
  const told = ({ path }: AtomicFile): string => join(dirname(shown), basename(path));
  return {
    ...{ batch: batch.id, file: join(batch.folder, batch.fileName), operation: batch.label, destination, period },
    ...{ total, byStatus, accounts, rowsToLookAt, goesAgain },
    ...{ requests, startedAt, durationMs: endedAt - startedAt, stop, copy, sentBefore, exitCode },
    phase: phase === "paused" || phase === "cancelled" ? phase : undefined,
    files: { results: told(results), summary: told(summary), retry: retry && told(retry), retryRows, elsewhere },
    remarks,
    ...{ invalid: faults.invalid.first, held: faults.held.first },
    next: nextOf(batch, totals, { stop }),
  };
}

/**
 * Where the files go. What earlier batches have there is kept under their id; what of this batch is not true any more,
 * and was touched by nobody, is removed. Throws where something in the way is not ours.
 */
async function makePlace({ batch, run, copy, retryFormat }: ResultsInput, file: string): Promise<place.OutPaths> {
  const { id, format } = batch;
  const usualWith = (of?: FileFormat) => place.outPaths(file, format, of);
  const asideWith = (of?: FileFormat) => place.outPaths(file, format, of, (path) => place.nameOfBatch(path, id));
  const [usual, aside] = [usualWith(retryFormat), asideWith(retryFormat)];
  const noted = [await place.notedIn(usual.summary), await place.notedIn(aside.summary)];
  const marks = place.marksOf(noted);
  // the names of the file are another batch's by now: results that are only written again, or for a copy, stay under their id
  const isAside = (run === undefined || copy !== undefined) && noted[0] !== undefined && noted[0].batch !== id;
  const wanted = isAside ? aside : usual;
  // a retry file that a person is correcting stays where it is
  const isCorrected = (await place.batchAt(wanted.retry, marks.retry)) === place.FOREIGN;
  const paths = isCorrected ? { ...wanted, retry: aside.retry } : wanted;
  for (const kind of place.OUT_KINDS) await place.makeWay(paths[kind], id, marks[kind]);
  // a retry file may have been written as a workbook
  const all = [usualWith(), usualWith("xlsx"), asideWith(), asideWith("xlsx")];
  for (const kind of place.OUT_KINDS) {
    for (const path of new Set(all.map((one) => one[kind]))) {
      const isReplaced = kind !== "retry" && path === paths[kind];
      if (!isReplaced && (await place.batchAt(path, marks[kind])) === id) await unlink(path);
    }
  }
  return paths;
}

async function writeRows(
  { store, batch, table, own, retryFormat }: ResultsInput,
  paths: place.OutPaths,
  seen: ReadonlyMap<number, InStatement>,
  create: (path: string) => Promise<AtomicFile>,
) {
  const totals = new TotalsCollector();
  const faults = createFirstFaults(batch);
  const resultsLines = resultsTable(table, batch.format);
  const retryLines = retryTable(table, retryFormat ?? batch.format);
  const results = await create(paths.results);
  let retry: AtomicFile | undefined;
  let retryRows = 0;
  await results.write(resultsLines.begin());
  for await (const pairs of lockstep(table.rows(), recordsOf(store, batch.id))) {
    const lines = pairs.map(({ row, record }) => {
      const { reference, debit } = own(row);
      totals.add(record, debit);
      faults.add(record);
      return resultsRow(row, record, batch, { reference, inStatement: seen.get(record.row) });
    });
    await results.write(resultsLines.rows(lines));
    const toCorrect = pairs.filter(({ record }) => isInRetryFile(record));
    if (toCorrect.length === 0) continue;
    retryRows += toCorrect.length;
    if (!retry) {
      retry = await create(paths.retry);
      await retry.write(retryLines.begin());
    }
    await retry.write(retryLines.rows(toCorrect.map(({ row, record }) => retryRow(row, record, batch))));
  }
  await results.write(resultsLines.end());
  await retry?.write(retryLines.end());
  return { totals: totals.totals(), faults, results, retry, retryRows: retryRows || undefined };
}
