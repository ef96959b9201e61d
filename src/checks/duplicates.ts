/**
 * Is this row surely, or possibly, a payment that was made before? One pure function, a reason per branch (DESIGN §7).
 * The journal looks up what it has seen of a row and asks: when the file is checked, and again inside the transaction
 * of the attempt.
 */
import { DAY_MS } from "../day.ts";
import { inspectLostDigits } from "./read-id.ts";
import { isOfMonth, isSamePeriod, mayBeSamePeriod, monthOf, plainly } from "./same-period.ts";
import { isDateLike } from "./spreadsheet.ts";

/** What the keys of an instruction are made of. The journal hashes them with its own key and forgets the text. */
export interface PaymentTexts {
  /** Without the zeros that a spreadsheet takes: they must not make another payment of it. */
  readonly reference?: string;
  /** A spreadsheet may have rewritten it. */
  readonly isDoubtful?: true;
  /** The period that the row, the file or the person stated. */
  readonly period?: string;
  /** Their values, each behind a U+001F. */
  readonly core: string;
  readonly beneficiary: string;
}

/** A reference as it is compared: of `0001` a spreadsheet leaves `1`. */
export function comparedReference(reference: string): string {
  return reference.replace(/^0+(?=[0-9]+$)/, "");
}

/**
 * What a spreadsheet makes of `1-2` (`02-Jan`), or what it makes another one of (`1E5`, `1.50`). It may well be meant;
 * but that a payment has another reference so says nothing. A spreadsheet writes neither `2026-11-06` nor `NOV-26`.
 */
export function isDoubtful(reference: string): boolean {
  if (/^[0-9]+(?:E[0-9]+|[.,][0-9]*0)$/i.test(reference)) return true;
  return (
    inspectLostDigits(reference) !== undefined || (isDateLike(reference) && !/^[0-9]{4}-|[A-Z]{2}/.test(reference))
  );
}

/** How another row with the same reference, the same core fields or the same payment key stands. */
export interface Seen {
  readonly batch: string;
  readonly row: number;
  /** In the batch that is being judged itself. */
  readonly sameBatch: boolean;
  /** The same how-manieth row of the same core fields and stated period, or of none; neither has a reference. */
  readonly sameKey: boolean;
  readonly sameCore: boolean;
  readonly sameReference: boolean;
  /** By `retry_of`: the very row that the judged one corrects, or another correction of that row. */
  readonly kin?: "origin" | "correction";
  /** `open`: unknown, sending or ready. `ended`: rejected, invalid, not sent, settled as not done, cancelled. */
  readonly standing: "accepted" | "open" | "held" | "ended";
  readonly hasReference: boolean;
  readonly isDoubtful: boolean;
  readonly period?: string;
  /** Its period was stated for the whole file, or for that of the row that it corrects. */
  readonly isPeriodOfFile?: boolean;
  /** The month in its file's name, a guess. */
  readonly guessedPeriod?: string;
  /** When it was accepted, milliseconds since 1970. */
  readonly acceptedAt?: number;
  /** The number of its last attempt, where it had one. */
  readonly lastAttempt?: number;
}

/** What the judged row states of itself. */
export interface Stated {
  readonly hasReference: boolean;
  readonly isDoubtful?: boolean;
  readonly period?: string;
  /** Its period was stated for the whole file, and does not stand in the row itself. */
  readonly isPeriodOfFile?: boolean;
  readonly guessedPeriod?: string;
  /** It corrects an earlier row, and pays somebody else than that one would have. */
  readonly payeeChanged?: boolean;
  /**
   * A person released it when this would have been the number of the next attempt: an open row elsewhere may still hold
   * it, and what was accepted since, of which that person knew nothing.
   */
  readonly releasedBefore?: number;
  /** When that was, milliseconds since 1970: what was on its way by then, or unknown, had its end afterwards. */
  readonly releasedAt?: number;
}

export type HoldCode =
  | "same_file"
  | "possible_duplicate"
  | "period_unclear"
  | "reference_conflict"
  | "near_duplicate"
  | "repeat_in_file"
  | "other_row_open"
  | "origin_accepted"
  | "corrected_twice"
  | "payee_changed"
  | "all_or_nothing";

export type Verdict =
  | { readonly state: "ready" }
  | { readonly state: "duplicate"; readonly other: Seen }
  | { readonly state: "held"; readonly code: HoldCode; readonly other?: Seen };

/** `nowMs`: by the clock alone. One that is behind holds more; the time of a run whose clock was ahead would free rows. */
export type Judge = (stated: Stated, seen: readonly Seen[], nowMs: number) => Verdict;

/** What the rules of DESIGN §7 depend on. Plain data: the journal that asks may live in another thread. */
export interface JudgeRules {
  readonly duplicateDays: number;
  /** Equal rows of one file are meant. */
  readonly allowRepeats: boolean;
  /** The file was dropped again: every row waits for a person; what surely was accepted stays a duplicate. */
  readonly holdsWholeFile?: boolean;
  /** A corrected row that pays somebody else: `hold` unless said. */
  readonly payeeChange?: "hold" | "allow";
  /** Copies of this very file that wait as a whole are replaced by it: what they hold does not stand in its way. */
  readonly replaces?: readonly string[];
}

/** The rules of DESIGN §7 as a function that the journal can ask. */
export function createJudge(rules: JudgeRules): Judge {
  const judge = replacing(askingForPayee(judgeRow(rules), rules), new Set(rules.replaces));
  return rules.holdsWholeFile ? holdingWholeFile(judge) : judge;
}

function judgeRow(rules: JudgeRules): Judge {
  const judge: Judge = (stated, seen, nowMs) => {
    const elsewhere = seen.filter((other) => !other.sameBatch);
    const open = elsewhere.find((other) => other.standing === "open");
    if (stated.releasedBefore !== undefined) {
      if (open) return held("other_row_open", open);
      const { releasedBefore, releasedAt, ...unreleased } = stated;
      const since = elsewhere.filter((other) => isAcceptedSince(other, nowMs, releasedBefore, releasedAt));
      return judge(unreleased, since, nowMs);
    }

    const accepted = elsewhere.filter((other) => other.standing === "accepted");
    const surely = accepted.find((other) => other.sameCore && isSurelyTheSame(stated, other, nowMs, rules));
    if (surely) return { state: "duplicate", other: surely };

    const conflict = [...accepted, ...elsewhere.filter((other) => other.standing === "open")].find(
      (other) => other.sameReference && !other.sameCore,
    );
    if (conflict) return held("reference_conflict", conflict);
    // Whatever it is called: while nobody knows how that one ends, this one may be the same money.
    if (open) return held("other_row_open", open);
    // whatever was changed in it: one row of a file is one payment
    const kin = accepted.find((other) => other.kin !== undefined);
    if (kin) return held(kin.kin === "origin" ? "origin_accepted" : "corrected_twice", kin);
    // before a row that only waits: whoever releases this one must be told what went already
    const unclear = accepted.find((other) => other.sameCore && isUnclear(stated, other, nowMs, rules));
    if (unclear) return held("period_unclear", unclear);
    const possible = accepted.find((other) => other.sameCore && mayBeTheSame(stated, other, nowMs, rules));
    if (possible) return held("possible_duplicate", possible);
    const waiting = elsewhere.find(
      (other) => other.standing === "held" && (other.kin !== undefined || !isStatedDifferent(stated, other)),
    );
    if (waiting) return held("other_row_open", waiting);
    return judgeInFile(
      stated,
      seen.filter((other) => other.sameBatch),
      rules,
    );
  };
  return judge;
}

/** The last rule: what else speaks against the row is told first, and the change is told beside it. */
function askingForPayee(judge: Judge, { payeeChange = "hold" }: JudgeRules): Judge {
  if (payeeChange === "allow") return judge;
  return (stated, seen, nowMs) => {
    const verdict = judge(stated, seen, nowMs);
    const isAsked = verdict.state === "ready" && stated.payeeChanged === true && stated.releasedBefore === undefined;
    return isAsked ? { state: "held", code: "payee_changed" } : verdict;
  };
}

function holdingWholeFile(judge: Judge): Judge {
  return (stated, seen, nowMs) => {
    const verdict = judge(stated, seen, nowMs);
    if (verdict.state === "duplicate" || (verdict.state === "held" && verdict.code !== "possible_duplicate")) {
      return verdict;
    }
    const other = verdict.state === "held" ? verdict.other : seen.find((one) => !one.sameBatch);
    return { state: "held", code: "same_file", ...(other ? { other } : {}) };
  };
}

function replacing(judge: Judge, batches: ReadonlySet<string>): Judge {
  if (batches.size === 0) return judge;
  return (stated, seen, nowMs) =>
    judge(
      stated,
      seen.filter((other) => other.standing !== "held" || !batches.has(other.batch)),
      nowMs,
    );
}

function judgeInFile(stated: Stated, here: readonly Seen[], rules: JudgeRules): Verdict {
  const kin = here.find((other) => other.kin !== undefined && other.standing !== "ended");
  if (kin) return held("corrected_twice", kin);
  const conflict = here.find((other) => other.sameReference && !other.sameCore);
  if (conflict) return held("reference_conflict", conflict);
  const sameReference = here.find((other) => other.sameReference);
  if (sameReference) return held("repeat_in_file", sameReference);
  const repeat = rules.allowRepeats
    ? undefined
    : here.find((other) => other.sameCore && !isStatedDifferent(stated, other));
  return repeat ? held("repeat_in_file", repeat) : READY;
}

/** Same reference, or same stated period and the same how-manieth row of it, with equal core fields. */
function isSurelyTheSame(stated: Stated, other: Seen, nowMs: number, rules: JudgeRules): boolean {
  if (other.sameReference) return true;
  return stated.period !== undefined && other.sameKey && !isUnclear(stated, other, nowMs, rules);
}

/**
 * The name of either file says another month than what was stated for it, and by one of both the two are the same
 * payment: a month of today that a nightly run states would free it, a month that was forgotten would leave it unpaid.
 */
function isUnclear(stated: Stated, other: Seen, nowMs: number, rules: JudgeRules): boolean {
  if (isOtherReference(stated, other)) return false;
  const { period, guessedPeriod } = stated;
  const [lag, otherLag] = [lagOf(stated), lagOf(other)];
  // the names may always say the month that is worked, or the day of the payment
  if (lag === otherLag) return false;
  if (other.sameKey) return guessedPeriod !== undefined && guessedPeriod !== other.guessedPeriod;
  // that one may have been paid late, and this one in time, within one month
  if (lag === 0) return isRecent(other, nowMs, rules) && mayBe(period, other.guessedPeriod);
  return mayBe(other.period, guessedPeriod) || mayBe(other.guessedPeriod, guessedPeriod);
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

function mayBeTheSame(stated: Stated, other: Seen, nowMs: number, rules: JudgeRules): boolean {
  if (isStatedDifferent(stated, other)) return false;
  const period = stated.period ?? stated.guessedPeriod;
  const otherPeriod = other.period ?? other.guessedPeriod;
  if (period !== undefined && otherPeriod !== undefined && isSamePeriod(period, otherPeriod)) return true;
  return isRecent(other, nowMs, rules);
}

function isRecent({ acceptedAt }: Seen, nowMs: number, { duplicateDays }: JudgeRules): boolean {
  return (acceptedAt ?? nowMs) >= nowMs - duplicateDays * DAY_MS;
}

/** This row states a reference or a period, and the other one's is a different one. A guess alone never frees a row. */
function isStatedDifferent(stated: Stated, other: Seen): boolean {
  if (isOtherReference(stated, other)) return true;
  if (stated.period === undefined) return false;
  const otherPeriod = other.period ?? other.guessedPeriod;
  if (otherPeriod !== undefined) return !mayBeSamePeriod(stated.period, otherPeriod);
  // Nothing is known of the other one's period but the month it was accepted in; a later month is another payment,
  // while an earlier or the same one may be its late correction.
  const month = plainly(stated.period).slice(0, 7);
  if (other.acceptedAt === undefined || !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) return false;
  const isPlausible = /20\d\d/.test(stated.period) || month < monthAt(other.acceptedAt + LATER_MAX_MS);
  return isPlausible && month > monthAt(other.acceptedAt + AHEAD_OF_UTC_MAX_MS);
}

function monthAt(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 7);
}

/** Where somebody is, it may be the next month already. */
const AHEAD_OF_UTC_MAX_MS = 14 * 3_600_000;
/** `11-28` and `Nov 28`, read as months of 2028, are rather a day of this November; a year in full is meant. */
const LATER_MAX_MS = 183 * DAY_MS;

function isAcceptedSince(
  { standing, lastAttempt = 0, acceptedAt = 0 }: Seen,
  nowMs: number,
  releasedBefore: number,
  releasedAt = Number.POSITIVE_INFINITY,
): boolean {
  // what a run whose clock was ahead accepted is none of this time: until then no person's word would do
  const isLater = acceptedAt > releasedAt && acceptedAt <= nowMs;
  return standing === "accepted" && (lastAttempt >= releasedBefore || isLater);
}

const READY: Verdict = { state: "ready" };

function held(code: HoldCode, other: Seen): Verdict {
  return { state: "held", code, other };
}
