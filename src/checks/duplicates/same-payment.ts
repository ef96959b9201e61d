/** How alike two rows are that share a reference, their core fields or their payment key (DESIGN §7). */
import { DAY_MS } from "../../day.ts";
import type { JudgeRules } from "./duplicates.ts";
import { isOfMonth, isSamePeriod, mayBeSamePeriod, monthOf, plainly, saysWhen } from "./same-period.ts";
import type { Seen, Stated } from "./seen.ts";

type Recency = Pick<JudgeRules, "duplicateDays" | "laidBefore" | "replaces" | "waited">;

/**
 * Whether two rows are one payment for sure: by an equal reference, by the same line of the same file, or by equal core
 * fields, an equal stated period and the same place among such rows of their own file.
 */
export function isSurelyTheSame(stated: Stated, other: Seen, nowMs: number, rules: Recency): boolean {
  if (other.sameReference || isSameRow(stated, other)) return true;
  const { period } = stated;
  if (period === undefined || !other.sameKey || isSibling(stated, other)) return false;
  return !isUnclear(stated, other, nowMs, rules) && !mayBeOfNextTime(period, other, nowMs, rules);
}

/**
 * `Nov` or `W47` comes again every year, and nobody knows when `Monthly`, `H1` or `EMI` does: so much later, a payment
 * with such a period is not surely the same one.
 */
function mayBeOfNextTime(period: string, other: Seen, nowMs: number, rules: Recency): boolean {
  if (!saysWhen(period)) return !isRecent(other, nowMs, rules);
  return !/20\d\d/.test(plainly(period)) && (other.acceptedAt ?? nowMs) < nowMs - NEARLY_A_YEAR_MS;
}

/**
 * The same row of the same bytes, which went before its month was stated, from a file whose name says that month. Not
 * where the name says another month now: a file may be called after the day on which it is paid.
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

/**
 * Another row of the file that the judged row corrects, or a correction of one: whoever wrote both meant two payments.
 */
function isSibling({ originBatch }: Stated, other: Seen): boolean {
  return other.kin === undefined && other.originBatch === originBatch;
}

/**
 * A person must say which month is meant: a file's name says another month than was stated for it, and by one of the
 * two both rows are the same payment. Today's month, stated by a nightly run, would free a row that went; a month that
 * was forgotten would leave one unpaid. Or the file was corrected in its place, and today is in the next month.
 */
export function isUnclear(stated: Stated, other: Seen, nowMs: number, rules: Recency): boolean {
  if (isOtherReference(stated, other)) return false;
  if (isLaidBefore(stated, other, rules)) return true;
  const { period, guessedPeriod } = stated;
  const [lag, otherLag] = [lagOf(stated), lagOf(other)];
  // the same difference: such names may always say the month that was worked, or the day of the payment
  if (lag === otherLag) return false;
  if (other.sameKey) return guessedPeriod !== undefined && guessedPeriod !== other.guessedPeriod;
  // the other one may have been paid late, and this one in time, both within one month
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

/** With `duplicateDays` = 0 nothing is recent, not even what went after the day that the row is judged by. */
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
  // while an earlier or the same one may be its late correction. What went while this row waited counts for no earlier
  // month: it may be this very payment, dropped once more without its period.
  const month = plainly(stated.period).slice(0, 7);
  if (other.acceptedAt === undefined || other.acceptedAt >= stated.takenAt) return false;
  if (isGoingOn(stated, other, nowMs, rules)) return false;
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) return false;
  const isPlausible = /20\d\d/.test(stated.period) || month < monthAt(other.acceptedAt + LATER_MAX_MS);
  return isPlausible && month > monthAt(other.acceptedAt + AHEAD_OF_UTC_MAX_MS);
}

/**
 * The same row of the same bytes, accepted within `duplicateDays`, whose period somebody states only now: it was
 * forgotten, or the waiting rest of the file asks for it. Not where the file's name says that period and nothing of it
 * waits or waited: then it was dropped as another month's file.
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
/** A yearly payment may come a few weeks earlier than the year before. */
const NEARLY_A_YEAR_MS = 300 * DAY_MS;
