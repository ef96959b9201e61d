import { join } from "node:path";
import { operationStated } from "../checks/operation-of.ts";
import { meet } from "../checks/duplicates/same-bytes.ts";
import { isOfMonth, isSamePeriod, mayBeSamePeriod, plainly } from "../checks/duplicates/same-period.ts";
import type { Config } from "../config/config.ts";
import { saysOtherTime } from "../intake/day-in-name.ts";
import { guessPeriod, monthInName } from "../intake/period.ts";
import type { BatchRecord, Tallies } from "../journal/batch-record.ts";
import { readingOf } from "../reading.ts";
import { rowsIn } from "../results/words/status.ts";
import { statementsOf, type InputFile } from "../take-in.ts";

/** What of a file decides which known batch of the same bytes it is, if any. */
type MetFile = Pick<InputFile, "path" | "fileName" | "sheet">;

/** What is stated and guessed of a file, and what it is to the batches of the same bytes. */
export interface Met {
  readonly period: string | undefined;
  readonly guessedPeriod: string | undefined;
  /** The batches of the same bytes that it may be. */
  readonly alike: readonly BatchRecord[];
  /** Ids of those whose file's name says another week or day. */
  readonly ofOtherTime: ReadonlySet<string>;
  readonly meeting: ReturnType<typeof meet<BatchRecord>>;
  /** How often its sheet was taken in before, for the same period. */
  readonly times: number;
}

/** Rows of a batch by state, from the journal. */
type TalliesOf = (batchId: string) => Promise<Tallies> | Tallies;

/** What the journal knows of the bytes of a file, and of the place where it lies. */
interface Known {
  /** The batches of the same bytes, newest first. */
  readonly ofBytes: readonly BatchRecord[];
  /** Id of the batch that the file at this very place was taken as; undefined where none was. */
  readonly lyingThere: string | undefined;
  readonly talliesOf: TalliesOf;
}

/** What a batch of the same bytes waits for. */
interface Waits {
  readonly talliesOf: TalliesOf;
  /** Rows of it are held that may be another month's payments. */
  readonly asksMonth: (batchId: string) => Promise<boolean> | boolean;
  /** Milliseconds since 1970. A file that was taken before is not the one whose month is stated now. */
  readonly sinceMs: number;
}

/** What a file is to the batches of the same bytes: one of them, one of them once more, or a new one. */
export async function meetKnown(file: MetFile, known: Known, config: Config, nowMs: number): Promise<Met> {
  const { ofBytes, lyingThere, talliesOf } = known;
  const period = config.period ?? file.sheet.wrapper?.period;
  const alike = readAlike(ofBytes, file, config, lyingThere);
  const waited = await waitedWhole(alike, talliesOf);
  const ofOtherTime = new Set(alike.filter((one) => saysOtherTime(one.fileName, file.fileName)).map(({ id }) => id));
  // the same bytes under this month's name, or under none, may have gone for this month without saying so
  const isFirst = alike.every(({ id }) => ofOtherTime.has(id) || waited.has(id));
  const said = overruled(file, period) ?? guessPeriod(file.fileName);
  const guessedPeriod = said ?? (isFirst ? confirmed(file, period) : undefined);
  const met = { period, guessedPeriod, lyingThere, waited, ofOtherTime };
  const meeting = meet(alike, met, nowMs, config.duplicateDays);
  return { period, guessedPeriod, alike, ofOtherTime, meeting, times: timesTaken(ofBytes, file, period) };
}

/**
 * The waiting batches that a file with a stated period replaces. They have no stated period, and nothing of them goes
 * until a person decides: all of their rows wait, or all that are left, where the name of their file says this very
 * month, or says none and a person was told to state it. A batch whose file's name says another month, or week, is none
 * of them: it waits for a word of its own.
 */
export async function waitingFor(
  { period, alike, ofOtherTime }: Met,
  { talliesOf, asksMonth, sinceMs }: Waits,
): Promise<BatchRecord[]> {
  if (period === undefined) return [];
  const waiting: BatchRecord[] = [];
  for (const batch of alike) {
    if (batch.phase !== "open" || batch.period !== undefined || ofOtherTime.has(batch.id)) continue;
    const tallies = await talliesOf(batch.id);
    const { guessedPeriod: guess } = batch;
    const isWhole =
      rowsIn(tallies, ...UNSENT) === batch.rows && (guess === undefined || mayBeSamePeriod(period, guess));
    const isNamed =
      guess === undefined ? batch.createdAt >= sinceMs && (await asksMonth(batch.id)) : isSamePeriod(period, guess);
    const isLeft = isNamed && rowsIn(tallies, "ready", "sending", "not_sent", "settled_not_done") === 0;
    if (rowsIn(tallies, "held") > 0 && (isWhole || isLeft)) waiting.push(batch);
  }
  return waiting;
}

/**
 * The batch of another period that a file at this place was taken as before. A run over a folder that states the month
 * of the day takes such a file as new: whether it was dropped once more, or only touched by a backup, is for a person
 * to say. Only for files that nobody named.
 */
export async function laidThere(
  { period, alike, meeting }: Met,
  file: string,
  placesOf: (batchId: string) => Promise<readonly string[]>,
  talliesOf: TalliesOf,
): Promise<BatchRecord | undefined> {
  if (period === undefined || meeting.kind !== "new") return undefined;
  for (const batch of alike) {
    // of a place only the last file is remembered: an earlier one may have been put back there
    const wasThere = join(batch.folder, batch.fileName) === file || (await placesOf(batch.id)).includes(file);
    if (!wasThere) continue;
    if (!(await isUnsent(batch, talliesOf))) return batch;
    // its period is stated only now; one that waits with another stated period asked the same, of a file that went before
    if (batch.period === undefined) return undefined;
  }
  return undefined;
}

/** Ids of the batches, where there are several, of which nothing went, or ever goes without a person's word. */
async function waitedWhole(alike: readonly BatchRecord[], talliesOf: TalliesOf): Promise<ReadonlySet<string>> {
  const waited = new Set<string>();
  for (const batch of alike.length > 1 ? alike : []) {
    if (await isUnsent(batch, talliesOf)) waited.add(batch.id);
  }
  return waited;
}

async function isUnsent({ id, phase, rows }: BatchRecord, talliesOf: TalliesOf): Promise<boolean> {
  const unsent = phase === "cancelled" ? ([...UNSENT, "ready"] as const) : UNSENT;
  return rowsIn(await talliesOf(id), ...unsent) === rows;
}

/** States of rows that do not go without a person. */
const UNSENT = ["held", "invalid", "duplicate"] as const;

/** The month that a JSON file states itself, where the command line states another: it counts as one in its name. */
function overruled({ sheet }: MetFile, period: string | undefined): string | undefined {
  const own = sheet.wrapper?.period;
  return own === undefined || own === period || !isOfMonth(own) ? undefined : plainly(own).slice(0, 7);
}

/** The month that is stated, where the file's name says it too, and no year: `december.csv`. */
function confirmed({ fileName }: MetFile, period: string | undefined): string | undefined {
  if (period === undefined || !isOfMonth(period)) return undefined;
  const month = plainly(period).slice(0, 7);
  return monthInName(fileName) === month.slice(-2) ? month : undefined;
}

/**
 * The batches that were read as this file is: another sheet of a workbook is another payroll, and what went as loans is
 * not what somebody now says are collections. To the batch that this very file was taken as only the settings can say
 * anything new, not its folder or the file itself.
 */
function readAlike(
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
function timesTaken(known: readonly BatchRecord[], file: MetFile, period: string | undefined): number {
  return known.filter((one) => isOfSheet(one, file) && one.period === period).length;
}

function isOfSheet(batch: BatchRecord, { sheet }: MetFile): boolean {
  return readingOf(batch).sheet === sheet.sheetName;
}
