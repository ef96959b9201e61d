import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isoDay } from "../day.ts";
import { defined } from "../defined.ts";
import { systemCodeOf } from "../errors.ts";
import type { BatchReport } from "../events.ts";
import { namesIn } from "../intake/inbox-folders.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import { labelOf } from "../operations/catalogue.ts";
import { renewWaiting } from "../results/answers/open-answer.ts";
import { modeOfResults } from "../results/disk/mode-of.ts";
import { fileOfAside, nameOfBatch, outNames } from "../results/names.ts";
import { SANDBOX } from "../results/words/next-steps.ts";
import { ownCellsOf } from "../results/own-cell.ts";
import { standingOfResults } from "../results/disk/own.ts";
import { FALLBACK_FOLDER } from "../results/disk/fallback.ts";
import type { Report } from "../results/report/report.ts";
import { isLeftUnsent } from "../results/words/status.ts";
import { exitCodeOfTotals } from "../results/exit-code.ts";
import type { RunFacts } from "../results/summary.ts";
import { writeResults, type ResultsReport } from "../results/write-results.ts";
import type { Submitted } from "../submission/submit.ts";
import { mappingSaid, readingOf } from "../reading.ts";
import type { Beginning, Ground } from "./ground.ts";

/** What is written of a batch, and where. */
interface Writing extends Beginning {
  readonly submitted: Submitted;
  /** The input. */
  readonly file: string;
  /** Permission bits that the input had when it was taken, and which folder it lay in. */
  readonly modeBefore?: number | undefined;
  readonly folderBefore?: string | undefined;
  /** The results are only written again: the file names are left to the batch that has them. */
  readonly staysAside?: boolean;
  /** Nothing was ever written of it before. */
  readonly isFirst?: boolean;
}

/** What became of a batch: the files beside its input, and the report for people. */
export class BatchReporting {
  readonly #ground: Ground;
  /** By batch: the folder that its input was taken from, until its results lie there. */
  readonly #folders = new Map<string, string>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** People act while results are written, and write results themselves: the last one to write must have seen it all. */
  async write(known: BatchRecord, writing: Writing): Promise<BatchReport> {
    const { journal } = this.#ground;
    if (writing.folderBefore !== undefined) this.#folders.set(known.id, writing.folderBefore);
    for (let times = 1; ; times += 1) {
      const [batch, acts] = await Promise.all([this.#ground.known(known.id), journal.countActs(known.id)]);
      const report = await this.#writeOnce(batch, writing);
      if (!writing.isFirst) await this.#writeBesideCopies(batch, writing);
      if (times === WRITE_TIMES_MAX || (await journal.countActs(batch.id)) === acts) return report;
    }
  }

  /** Copies under other names are this batch too: a person reads what stands beside each, and it must be the same. */
  async #writeBesideCopies(batch: BatchRecord, writing: Writing): Promise<void> {
    const taken = await this.#ground.journal.sourcesOf(batch.id);
    const files = new Set([join(batch.folder, batch.fileName), ...taken]);
    for (const folder of new Set([...files].map(dirname))) {
      for (const file of await putAsideIn(folder, batch.id)) files.add(file);
    }
    files.delete(writing.file);
    for (const file of files) {
      if (!(await hasResultsOf(file, batch))) continue;
      await renewWaiting(await this.#writeOnce(batch, { ...writing, file, staysAside: true }));
    }
  }

  /** Results, retry file and summary, from journal and snapshot (I11); what they add up to. */
  async #writeOnce(
    batch: BatchRecord,
    { submitted, startedAt, startedMs, file, modeBefore, staysAside = false }: Writing,
  ): Promise<BatchReport> {
    const { journal, config, hasLock, leftovers } = this.#ground;
    const { sheet, view } = await this.#ground.open(batch);
    const { stop, requests } = submitted;
    const isCancelled = isLeftUnsent(batch.phase, requests);
    const run = await this.#factsOf(batch, submitted, startedAt);
    // not the difference of two times: the clock may be put right meanwhile
    const durationMs = Math.round(performance.now() - startedMs);
    const written = await writeResults({
      batch,
      sheet,
      records: () => journal.rows(batch.id),
      target: { folder: dirname(file), fileName: basename(file) },
      staysAside,
      // a person who wants them written again has seen what lies there
      folderBefore: staysAside ? undefined : this.#folders.get(batch.id),
      ...(hasLock ? { leftovers } : {}),
      fallbackFolder: join(config.stateDir, FALLBACK_FOLDER),
      mode: await modeOfResults(file, modeBefore, join(dirname(file), outNames(basename(file), sheet.format).results)),
      ownOf: (row, record) => ownCellsOf(view(row), record),
      run,
      exitCode: (totalsOut, isElsewhere) => exitCodeOfTotals(totalsOut, stop, isElsewhere, isCancelled),
      written: (path) => journal.written(path),
      wrote: (sha256) => journal.wrote(sha256),
      noteWritten: (path, sha256) => journal.noteWritten(path, sha256),
    });
    if (!staysAside && written.files.elsewhere === undefined) this.#folders.delete(batch.id);
    const waitsFor = written.totals.byStatus.held && (await journal.blockedBy(batch.id));
    const asksPeriod = await this.#periodAsked(batch, written.totals.asksMonthBeside);
    return reportOf(batch, file, { ...run, durationMs }, written, { waitsFor, asksPeriod });
  }

  /** The period by which a person may make held rows another payment; none where it would be no other month's. */
  async #periodAsked(batch: BatchRecord, beside: readonly (string | undefined)[]): Promise<string | undefined> {
    if (batch.period !== undefined || beside.length === 0) return undefined;
    if (batch.guessedPeriod === undefined) return "YYYY-MM";
    for (const id of beside) {
      const other = id === undefined ? undefined : await this.#ground.journal.batch(id);
      if (!other || isOtherMonth(batch.guessedPeriod, batch, other)) return batch.guessedPeriod;
    }
    return undefined;
  }

  async #factsOf(batch: BatchRecord, { stop, requests }: Submitted, startedAt: number): Promise<RunFacts> {
    const { journal } = this.#ground;
    const [operations, mark] = await Promise.all([
      journal.operations(batch.id),
      batch.destination === SANDBOX ? undefined : journal.mark(),
    ]);
    const operation = labelOf(operations, readingOf(batch).operation);
    const endedAt = this.#ground.now();
    return defined({ operation, requests, startedAt, endedAt, stop, mark });
  }

  async collect(batchId: string): Promise<Report> {
    const batch = await this.#ground.known(batchId);
    const opened = await this.#ground.openWhole(batch);
    const { collectReport } = await import("../results/report/report.ts");
    return collectReport({
      ...{ batch, sheet: opened.sheet, view: opened.view },
      operation: labelOf(await this.#ground.journal.operations(batch.id), readingOf(batch).operation),
      records: this.#ground.journal.rows(batch.id),
      history: await this.#ground.journal.history(batch.id),
      waitsFor: await this.#ground.journal.blockedBy(batch.id),
      ...(await mappingSaid(opened)),
    });
  }
}

function reportOf(
  batch: BatchRecord,
  file: string,
  { operation, requests, startedAt, durationMs, stop }: RunFacts & Pick<BatchReport, "durationMs">,
  { files, totals, exitCode }: ResultsReport,
  asked: { [Of in "waitsFor" | "asksPeriod"]: BatchReport[Of] | undefined },
): BatchReport {
  const { total, byStatus, accounts, goesAgain, rowsToLookAt } = totals;
  return defined({
    ...{ batch: batch.id, file, period: batch.period, operation, destination: batch.destination },
    ...{ total, byStatus, accounts },
    ...{ requests, startedAt, durationMs, stop },
    phase: batch.phase === "paused" || batch.phase === "cancelled" ? batch.phase : undefined,
    ...{ files, remarks: [...batch.remarks, ...totals.remarks] },
    goesAgain: goesAgain > 0 ? goesAgain : undefined,
    ...{ ...asked, rowsToLookAt, exitCode },
  });
}

/** Whether to state `month` makes another payment of a row: where nothing is said of the other one, it went in its own month. */
function isOtherMonth(month: string, { sha256 }: BatchRecord, other: BatchRecord): boolean {
  const said = other.period ?? other.guessedPeriod;
  if (said !== undefined) return said !== month;
  return other.sha256 === sha256 || month > isoDay(other.createdAt).slice(0, 7);
}

/** Files of this folder whose results were put aside: another batch has their names now, in the journal as well. */
async function putAsideIn(folder: string, batchId: string): Promise<string[]> {
  const files = (await namesIn(folder)).map((name) => fileOfAside(name, batchId)).filter((name) => name !== undefined);
  return files.map((name) => join(folder, name));
}

/** Whether this batch's results lie beside the file, by their name or put aside. What cannot be read does not count. */
async function hasResultsOf(file: string, { id, format }: BatchRecord): Promise<boolean> {
  const usual = join(dirname(file), outNames(basename(file), format).results);
  for (const path of [usual, nameOfBatch(usual, id)]) {
    const standing = await standingOfResults(path, format).catch(() => undefined);
    if (standing?.kind === "ours" && standing.batch === id) return true;
  }
  return false;
}

/** Whether the folder went away while its file was sent: results written elsewhere come into it when it is back. */
export async function isFolderAway({ file, files }: BatchReport): Promise<boolean> {
  if (files.elsewhere === undefined) return false;
  return stat(dirname(file)).then(
    () => false,
    (error: unknown) => systemCodeOf(error) === "ENOENT",
  );
}

/** Whether the results are elsewhere for now, and are to be written beside the file as soon as that can be. */
export async function isOwed(report: BatchReport): Promise<boolean> {
  return report.files.mayComeLater === true || (await isFolderAway(report));
}

/** People who act all the time do not keep a run from its end. */
export const WRITE_TIMES_MAX = 5;
