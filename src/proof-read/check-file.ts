/**
 * Everything up to sending, and a second look that needs the whole file and the past: what a clerk is told before a
 * file is dropped. Like `take-in.ts` and `batch/` a place where stages meet.
 */
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createJudge, type JudgeRules } from "../checks/duplicates/duplicates.ts";
import type { Config } from "../config/config.ts";
import { DAY_MS } from "../day.ts";
import { takeSnapshot } from "../intake/snapshot.ts";
import { identityText, renumberedAs } from "../intake/source-file.ts";
import { assertFitName } from "../intake/unfit-name.ts";
import { LookBack } from "../journal/sqlite/look-back.ts";
import { bringUpJournalFile, readFailure } from "../journal/sqlite/database/open.ts";
import { openScratchJournal } from "../journal/sqlite/sqlite-journal.ts";
import type { BatchRecord, NewBatch } from "../journal/batch-record.ts";
import type { JournalStore } from "../journal/store.ts";
import { openThreadedJournal } from "../journal/thread/threaded.ts";
import { EarlierPayees } from "./earlier-payees.ts";
import { labelOf } from "../operations/catalogue.ts";
import { meetKnown, waitingFor } from "../batch/alike.ts";
import { assertCorrected } from "../batch/assert-corrected.ts";
import { operationCorrected } from "../batch/operation-corrected.ts";
import { Origins } from "../batch/origins.ts";
import { KnownFile, lookingBack } from "./pointed-out.ts";
import type { Services } from "../processor.ts";
import { checkReport, type CheckReport } from "../results/screen/check-report.ts";
import { isRetryAsWritten } from "../results/disk/own.ts";
import { byStatusOf, type TakenBefore } from "../results/words/taken-words.ts";
import { remarkOnSums } from "../results/totals.ts";
import { mappingSaid } from "../reading.ts";
import { correctionsTold, judgeRulesOf, newBatchOf, writeDownRows } from "../batch/record.ts";
import { compareToday } from "../batch/today.ts";
import { inScratchFolder, scratchFailure } from "../disk/scratch.ts";
import { openInput, understand, type OpenedFile } from "../take-in.ts";

/**
 * Checks a file on a journal to throw away: no network, no keys, nothing is remembered. `all`: every complaint is
 * given, not only the first ones.
 */
export async function checkFile(path: string, services: Services, all = false): Promise<CheckReport> {
  const { stateDir, acceptLostJournal, by } = services.config;
  bringUpJournalFile(stateDir, acceptLostJournal && by !== undefined);
  return inScratchFolder("check", async (scratchDir) => {
    try {
      return await checkIn(scratchDir, path, services, all);
    } catch (error) {
      throw await scratchFailure(readFailure(stateDir, error, dirname(scratchDir)), scratchDir);
    }
  });
}

async function checkIn(scratchDir: string, path: string, services: Services, all: boolean): Promise<CheckReport> {
  const { config } = services;
  const past = LookBack.at(config.stateDir);
  // the journal's thread starts while the file is copied and looked at
  const opening = openScratch(scratchDir, services, path);
  opening.catch(() => undefined);
  try {
    const snapshot = await takeSnapshot(path, scratchDir);
    const earlier = await EarlierPayees.of(config);
    const input = await openInput(resolve(path), snapshot, services);
    const wrote = (sha256: string): Promise<boolean> => Promise.resolve(past?.wrote(sha256) ?? false);
    const batchOf = (id: string): Promise<BatchRecord | undefined> => Promise.resolve(past?.batch(id));
    if (await isRetryAsWritten(resolve(path), snapshot.sha256, { wrote }))
      await assertCorrected(input, services, batchOf);
    const corrects = () => operationCorrected(input.sheet, config, batchOf);
    const opened = lookingBack(await understand(input, services, corrects), earlier);
    return await checkOpened({ opened, earlier, past, scratchDir, journal: await opening }, services, all);
  } finally {
    past?.close();
    await opening.then(
      (journal) => journal.close(),
      () => undefined,
    );
  }
}

interface CheckGround {
  readonly opened: OpenedFile;
  readonly earlier: EarlierPayees;
  readonly past: LookBack | undefined;
  /** Where `journal` lies, which is thrown away. */
  readonly scratchDir: string;
  readonly journal: JournalStore;
}

async function checkOpened(ground: CheckGround, { config, now }: Services, all: boolean): Promise<CheckReport> {
  const { opened, earlier, past, scratchDir, journal } = ground;
  const nowMs = (now ?? Date.now)();
  const { batch, taken, rules } = await takeOnTrial(ground, config, nowMs);
  if (!taken) assertFitName(opened.fileName);
  const { id } = batch;
  // a file that goes on has met its requirements when it was let in
  const asked = taken ? { ...config, requireControl: false } : config;
  const noted = await writeTied(ground, batch, asked);
  const { differing, caps, looks, corrections: heard, written, unreadable, ...totals } = noted;
  // the looks at the whole file see only what is committed
  await written;
  const judged = journal.judgeRows(id, rules);
  judged.catch(() => undefined); // awaited below: while the thread judges, the whole file is looked at here
  await setImmediate(); // calls leave with the end of a turn
  // the rows of a file that went stand as they ended there, unless they were archived since
  const went = past && taken && taken.batch.archive === undefined ? { journal: past, id: taken.batch.id } : undefined;
  const made = LookBack.of(scratchDir);
  try {
    const known = new KnownFile(went?.journal ?? made, went?.id ?? id);
    await judged;
    // the caps are not asked again of a batch that was let in: it goes on
    const capped = taken ? [] : [caps, await compareToday(journal, opened.reading.rules, config, nowMs)];
    await journal.openBatch(id, { ...totals, remarks: [] }, config.allOrNothing);
    const corrections = await correctionsTold(journal, batch, heard);
    const facts = {
      operation: labelOf(await journal.operations(id), opened.reading.operation),
      ...(batch.period === undefined ? {} : { period: batch.period }),
      ...{ file: opened.path, ...totals, columnsKnown: opened.columnsKnown, columnsAll: opened.columns.length },
      ...(await mappingSaid(opened)),
      ...(corrections ? { corrections } : {}),
      control: { sources: opened.control.map(({ source }) => source), faults: differing },
      caps: capped.flatMap(({ refused }) => refused),
      remarks: [
        ...remarkOnSums(unreadable),
        ...opened.remarks(),
        ...looks,
        ...capped.flatMap(({ remarks }) => remarks),
      ],
      // what became of each account's rows is for the results to say
      ...(taken ? { taken, accounts: totals.accounts.map((one) => ({ ...one, byStatus: {} })) } : {}),
    };
    const rows = known.pointedOut(opened, went && earlier);
    return await checkReport(journal.tallies(id), taken?.batch.id ?? id, rows, facts, all);
  } finally {
    made.close();
  }
}

/**
 * The batch that a file would be, in the journal that is thrown away; `taken`: the batch that it is already, if any.
 */
async function takeOnTrial(
  { opened, past }: CheckGround,
  config: Config,
  nowMs: number,
): Promise<{ batch: NewBatch; taken: TakenBefore | undefined; rules: JudgeRules }> {
  const { path, snapshot } = opened;
  const { environment } = config;
  const ofBytes = past?.ofBytes(snapshot.sha256, environment) ?? [];
  const { identity } = snapshot;
  const lyingThere =
    past?.sourceBatch(path, identityText(identity)) ?? past?.sourceRenumbered(path, ...renumberedAs(identity));
  const talliesOf = (id: string) => past?.tallies(id) ?? {};
  const met = await meetKnown(opened, { ofBytes, lyingThere, talliesOf }, config, nowMs);
  const { meeting } = met;
  const taken = past && meeting.kind === "same" ? takenBefore(past, meeting.batch) : undefined;
  const batch = newBatchOf(opened, met, { environment, destination: "", nowMs });
  const holdsWholeFile = meeting.kind === "again";
  const sinceMs = nowMs - config.duplicateDays * DAY_MS;
  const waits = { talliesOf, asksMonth: (id: string) => past?.asksMonth(id) ?? false, sinceMs };
  const replaces = holdsWholeFile ? [] : (await waitingFor(met, waits)).map((one) => one.id);
  return { batch, taken, rules: { ...judgeRulesOf(config), holdsWholeFile, replaces } };
}

/** How a file that was taken before stands now: its rows are no second payment, and are shown as they ended. */
function takenBefore(past: LookBack, batch: BatchRecord): TakenBefore {
  const resumable = past.resumable(batch.id);
  const byStatus = byStatusOf(past.tallies(batch.id));
  const corrected = byStatus.rejected || byStatus.invalid ? past.corrected(batch.id) : 0;
  return { batch, byStatus, resumable, corrected, waitIsOver: byStatus.held ? past.waitIsOver(batch.id) : 0 };
}

/**
 * Writes the rows down, tied to the rows that they correct: of those only the state directory's journal knows, if there
 * is one.
 */
async function writeTied(
  { journal, opened, past }: CheckGround,
  batch: NewBatch,
  config: Config,
): ReturnType<typeof writeDownRows> {
  const earlier = {
    batch: (id: string) => Promise.resolve(past?.batch(id)),
    row: (id: string, number: number) => Promise.resolve(past?.row(id, number)),
  };
  const origins = new Origins(earlier, config);
  try {
    return await writeDownRows({ journal, batch, opened, origins, config });
  } finally {
    await origins.close();
  }
}

/** With a thread of its own for many rows: writing them takes twice the time of reading and checking them. */
async function openScratch(scratchDir: string, { config, now }: Services, path: string): Promise<JournalStore> {
  const { stateDir, concurrency } = config;
  const sizeBytes = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  if (sizeBytes < THREAD_BYTES_MIN || now !== undefined)
    return openScratchJournal(scratchDir, stateDir, createJudge, now);
  return openThreadedJournal({ stateDir, scratchDir }, concurrency);
}

const THREAD_BYTES_MIN = 512 * 1024;
