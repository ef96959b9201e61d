/** How alike two rows are that share a reference, their core fields or their payment key (DESIGN §7). */
import { DAY_MS } from "../../day.ts";
import type { JudgeRules } from "./duplicates.ts";
import { isOfMonth, isSamePeriod, mayBeSamePeriod, monthOf, plainly, saysWhen } from "./same-period.ts";
import type { Seen, Stated } from "./seen.ts";

type Recency = Pick<JudgeRules, "duplicateDays" | "laidBefore" | "replaces" | "waited">;

/**
 * Whether two rows are one payment for sure. They are by an equal reference, by the same line of the same file, or by equal
 * core fields and an equal stated period, where as many rows like them stand before each in its own file.
 */
export function isSurelyTheSame(stated: Stated, other: Seen, nowMs: number, rules: Recency): boolean {
  if (other.sameReference || isSameRow(stated, other)) return true;
  const { period } = stated;
  if (period === undefined || !other.sameKey || isSibling(stated, other)) return false;
  return !isUnclear(stated, other, nowMs, rules) && !mayBeOfNextTime(period, other, nowMs, rules);
}

/**
 * `Nov` or `W47` comes again every year, `Monthly`, `H1` or `EMI` nobody knows when: a payment by it so much later is not
 * surely the one of then.
 */
function mayBeOfNextTime(period: string, other: Seen, nowMs: number, rules: Recency): boolean {
  if (!saysWhen(period)) return !isRecent(other, nowMs, rules);
  return !/20\d\d/.test(plainly(period)) && (other.acceptedAt ?? nowMs) < nowMs - NEARLY_A_YEAR_MS;
}

/**
 * The very row of the very file, which went before its month was stated, under a name that says that month. Not where its
 * name says another one now: a file may be called after the day on which it is paid.
 */
function isSameRow(stated: Stated, other: Seen): boolean {
  const { period, guessedPeriod } = stated;
  if (!isRowOfFile(stated, other)) return false;
  if (period === undefined || other.period !== undefined || other.guessedPeriod === undefined) return false;
  return isSamePeriod(period, other.guessedPeriod) && (guessedPeriod ?? other.guessedPeriod) === other.guessedPeriod;
}

function isRowOfFile({ file, row }: Stated, other: Seen): boolean {
  return file !== undefined && other.file === file && other.row === row;
}

/** Another row of the file that this one's origin stands in: whoever wrote both meant two payments. */
function isSibling({ originBatch }: Stated, other: Seen): boolean {
  return other.kin === undefined && other.originBatch === originBatch;
}

/**
 * The name of either file says another month than what was stated for it, and by one of both the two are the same
 * payment: a month of today that a nightly run states would free it, a month that was forgotten would leave it unpaid.
 * Or the file was corrected where it lies, and the month of today is the next one by now.
 */
export function isUnclear(stated: Stated, other: Seen, nowMs: number, rules: Recency): boolean {
  if (isOtherReference(stated, other)) return false;
  if (isLaidBefore(stated, other, rules)) return true;
  const { period, guessedPeriod } = stated;
  const [lag, otherLag] = [lagOf(stated), lagOf(other)];
  // the names may always say the month that is worked, or the day of the payment
  if (lag === otherLag) return false;
  if (other.sameKey) return guessedPeriod !== undefined && guessedPeriod !== other.guessedPeriod;
  // that one may have been paid late, and this one in time, within one month
  if (lag === 0) return isRecent(other, nowMs, rules) && mayBe(period, other.guessedPeriod);
  return mayBe(other.period, guessedPeriod) || mayBe(other.guessedPeriod, guessedPeriod);
}

function isLaidBefore(stated: Stated, other: Seen, { laidBefore = [] }: Recency): boolean {
  const isOfFiles = stated.isPeriodOfFile === true && other.isPeriodOfFile === true;
  return isOfFiles && stated.period !== other.period && laidBefore.includes(other.batch);
}

/** By how many months the name of its file differs from what was stated for it. */
function lagOf({ period, guessedPeriod, isPeriodOfFile = false }: Stated | Seen): number {
  if (!isPeriodOfFile || period === undefined || guessedPeriod === undefined || !isOfMonth(period)) return 0;
  return monthOf(period) - monthOf(guessedPeriod);
}

function mayBe(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && mayBeSamePeriod(one, other);
}

function isOtherReference(stated: Stated, other: Seen): boolean {
  const isSure = stated.hasReference && other.hasReference && !stated.isDoubtful && !other.isDoubtful;
  return isSure && !other.sameReference;
}

export function mayBeTheSame(stated: Stated, other: Seen, nowMs: number, rules: Recency): boolean {
  if (isStatedDifferent(stated, other, nowMs, rules)) return false;
  const period = stated.period ?? stated.guessedPeriod;
  const otherPeriod = other.period ?? other.guessedPeriod;
  if (period !== undefined && otherPeriod !== undefined && isSamePeriod(period, otherPeriod)) return true;
  return isRecent(other, nowMs, rules);
}

/** Of no days nothing is: also not what went since the day that a row is judged by. */
function isRecent({ acceptedAt }: Seen, nowMs: number, { duplicateDays }: Recency): boolean {
  return duplicateDays > 0 && (acceptedAt ?? nowMs) >= nowMs - duplicateDays * DAY_MS;
}

/** This row states a reference or a period, and the other one's is a different one. A guess alone never frees a row. */
export function isStatedDifferent(stated: Stated, other: Seen, nowMs: number, rules: Recency): boolean {
  if (isOtherReference(stated, other)) return true;
  if (stated.period === undefined) return false;
  const otherPeriod = other.period ?? other.guessedPeriod;
  if (otherPeriod !== undefined) return !mayBeSamePeriod(stated.period, otherPeriod);
  // Nothing is known of the other one's period but the month it was accepted in; a later month is another payment,
  // while an earlier or the same one may be its late correction. What went while this row waited is of no month before:
  // it may be this very payment, dropped once more without its period.
  const month = plainly(stated.period).slice(0, 7);
  if (other.acceptedAt === undefined || other.acceptedAt >= stated.takenAt) return false;
  if (isGoingOn(stated, other, nowMs, rules)) return false;
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) return false;
  const isPlausible = /20\d\d/.test(stated.period) || month < monthAt(other.acceptedAt + LATER_MAX_MS);
  return isPlausible && month > monthAt(other.acceptedAt + AHEAD_OF_UTC_MAX_MS);
}

/**
 * Of the very file that went a few days ago somebody states the month that was forgotten, or that the rest of it asks for.
 * Not where its name says that month by now, and nothing of it waits or waited: it was dropped as another month's file.
 */
function isGoingOn(stated: Stated, other: Seen, nowMs: number, rules: Recency): boolean {
  if (!isRowOfFile(stated, other) || !isRecent(other, nowMs, rules)) return false;
  const isRest = rules.waited === true || rules.replaces?.includes(other.batch) === true;
  return isRest || !mayBe(stated.period, stated.guessedPeriod);
}

function monthAt(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 7);
}

/** Where somebody is, it may be the next month already. */
const AHEAD_OF_UTC_MAX_MS = 14 * 3_600_000;
/** `11-28` and `Nov 28`, read as months of 2028, are rather a day of this November; a year in full is meant. */
const LATER_MAX_MS = 183 * DAY_MS;
/** A payroll comes a few weeks earlier than the year before. */
const NEARLY_A_YEAR_MS = 300 * DAY_MS;
