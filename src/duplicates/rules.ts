/*
 * The same payment again (README §7), each rule in a line, in their order. "Went": accepted, settled_done, unknown or on
 * its way. "Recent": within `duplicate_days`. All that apply are told; the first one gives the row its state.
 *
 * same_payment    duplicate   accepted: the same reference and payment, or as many equal payments of the same period
 * reference_used  held        its reference was used for another payment
 * open_elsewhere  held        the same payment is on its way, unclear, held or waiting in another batch, not told apart
 * correction      held        what it corrects went or was corrected before, in place, too, or it pays another payee than
 *                             the row that it names, or payee or reference went written in another way (capitals,
 *                             spaces, signs, zeros in front)
 * maybe_paid      held        the same payment was accepted recently, not told apart
 * other_amount    held        its payee recently went, or still goes, with another amount, not told apart, in a batch
 *                             that this file corrects
 * repeat_in_file  held        a row above it in this file is the same payment, not told apart
 * too_many        held        more rows are to be compared with it than are read
 * same_file       held, all   these very rows went: for another period, less than half of one ago; or not recently, and none
 *                             is stated
 * other_account   held        its person was paid before, and never to this account
 * mostly_paid     held, all   most rows repeat an earlier batch, and more others would go than did not go there
 *
 * not_now and all_or_nothing are said by the file and the settings, contradiction by two people; they are only carried
 * along here.
 */
import type { RowName } from "../checks/beside.ts";
import { DAY_MS } from "../day.ts";
import { formOfPeriod, hasLabel, type PeriodForm } from "../period.ts";
import { isSameKey } from "./keys.ts";
import type { HoldCode, Judged, Seen } from "./seen.ts";

/** What the rules know beside the rows. */
export interface Circumstances {
  /** Of the row that is judged. */
  readonly batch: string;
  /** By this machine's clock: where it is behind, more is recent; `duplicate_days` in milliseconds. */
  readonly now: number;
  readonly recentMs: number;
  readonly allowRepeats: boolean;
  /** Another account of a person holds a row. */
  readonly holdsOtherAccount: boolean;
  /** Batches that this file corrects; of rows that are to go again also those that correct their own. */
  readonly corrected: ReadonlySet<string>;
  /** Whether that batch was taken before this one: what is held in a later one waits for this one. */
  readonly isEarlier: (batch: string) => boolean;
}

/** A row that speaks against sending, and by which rule. */
export interface Against {
  readonly code: HoldCode;
  readonly other: Seen;
  readonly isOtherPayee?: true;
  /** It is the same one, written in another way. */
  readonly written?: "payee" | "reference";
}

export type Said = Pick<Judged, "reference" | "period">;

/** By their references where both state one, for it is used once for ever; else by their periods. */
export function isToldApart(one: Said, other: Said): boolean {
  if (one.reference !== undefined && other.reference !== undefined) return !isSameKey(one.reference, other.reference);
  return isAnotherPeriod(one.period, other.period);
}

/** Periods of different forms (a month, a week, a day) say nothing about each other. */
function isAnotherPeriod(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other && formOfPeriod(one) === formOfPeriod(other);
}

export function isAccepted({ state }: Seen): boolean {
  return state === "accepted" || state === "settled_done";
}

/** It may have gone, and nobody knows yet: a person settles it, or waits for its end, before anything else. */
export function isUnended({ state }: Seen): boolean {
  return state === "unknown" || state === "on_its_way";
}

export function went(seen: Seen): boolean {
  return isAccepted(seen) || isUnended(seen);
}

function isRecent({ wentAt }: Pick<Seen, "wentAt">, { now, recentMs }: Circumstances): boolean {
  return wentAt === undefined || now - wentAt <= recentMs;
}

const IN_NOBODYS_WAY: readonly Seen["state"][] = ["rejected", "invalid", "cancelled", "settled_not_done", "not_sent"];

/** Every row that speaks against sending this one: the first seven rules. */
export function speakAgainst(row: Judged, others: readonly Seen[], known: Circumstances): readonly Against[] {
  const inTheWay = others.filter(({ state }) => !IN_NOBODYS_WAY.includes(state));
  if (others.length === 0 && row.retryOf === undefined) return [];
  const elsewhere = inTheWay.filter(({ batch }) => batch !== known.batch);
  const above = inTheWay.filter((other) => other.batch === known.batch && other.row < row.row);
  const surely = samePayment(row, elsewhere, above);
  // what is not written alike is surely the same only to a machine
  const alike = surely.filter((other) => !writtenOtherwise(row, other));
  const unlike = alike.length > 0 ? [] : surely;
  return [
    ...by("same_payment", alike),
    ...by("reference_used", referenceUsed(row, elsewhere, above)),
    ...by("open_elsewhere", openElsewhere(row, elsewhere, known)),
    ...by("correction", correctedBefore(row, others, known)),
    ...otherPayee(row, others),
    ...unlike.map((other) => otherWriting(row, other)),
    ...otherWritings(row, others, known),
    ...by("maybe_paid", alike.length > 0 ? [] : maybePaid(row, elsewhere, known)),
    ...by("other_amount", otherAmount(row, elsewhere, known)),
    ...by("other_account", known.holdsOtherAccount ? otherAccount(row, elsewhere) : []),
    ...by("repeat_in_file", known.allowRepeats ? [] : above.filter((other) => isSamePayment(row, other))),
  ];
}

function by(code: HoldCode, others: readonly Seen[]): readonly Against[] {
  return others.map((other) => ({ code, other }));
}

/** The same payment, and nothing tells them apart. */
export function isSamePayment(row: Judged, other: Seen): boolean {
  return isSameKey(row.payment, other.payment) && !isToldApart(row, other);
}

/** Equal payments of one period are counted: the second one of this file needs a second one that was accepted. */
function samePayment(row: Judged, elsewhere: readonly Seen[], above: readonly Seen[]): readonly Seen[] {
  const same = (other: Seen): boolean => isSamePayment(row, other);
  const accepted = elsewhere.filter((other) => isAccepted(other) && same(other));
  const byReference = accepted.filter(({ reference }) => isSameKey(reference, row.reference));
  if (byReference.length > 0 || row.period === undefined) return byReference;
  const inPeriod = (other: Seen): boolean => other.period === row.period;
  const place = above.filter((other) => inPeriod(other) && same(other)).length;
  const inOrder = accepted.filter(inPeriod).sort(byTime);
  return inOrder.slice(place, place + 1);
}

function byTime(one: Seen, other: Seen): number {
  return (one.wentAt ?? 0) - (other.wentAt ?? 0) || one.row - other.row;
}

function referenceUsed(row: Judged, elsewhere: readonly Seen[], above: readonly Seen[]): readonly Seen[] {
  return [...elsewhere.filter((other) => went(other) || other.state === "ready"), ...above].filter(
    ({ reference, payment }) => isSameKey(reference, row.reference) && payment && !isSameKey(payment, row.payment),
  );
}

function openElsewhere(row: Judged, elsewhere: readonly Seen[], { isEarlier }: Circumstances): readonly Seen[] {
  return elsewhere.filter((other) => {
    const isOpen = isUnended(other) || other.state === "ready" || (other.state === "held" && isEarlier(other.batch));
    return isOpen && isSamePayment(row, other);
  });
}

/** Rows that it corrects, and that went or still go; and what else corrects one of them, or itself. */
function correctedBefore(row: Judged, others: readonly Seen[], known: Circumstances): readonly Seen[] {
  const origins = originsOf(row, others, BY_NAME).filter((origin) => went(origin) || origin.state === "ready");
  // the file of another month may lie in the same place: only what went lately counts; of the same payment other rules tell
  const inPlace = correctionsOf(row, others, known, IN_PLACE).filter((other) => {
    const isGoing = other.state === "ready" || isUnended(other) || (isAccepted(other) && isRecent(other, known));
    return isGoing && !isSamePayment(row, other);
  });
  return [...origins, ...correctionsOf(row, others, known, BY_NAME), ...inPlace];
}

type Tied = Pick<Seen, "retryOf" | "inPlaceOf">;
type Ties = (one: Tied) => readonly (RowName | undefined)[];
const BY_NAME: Ties = ({ retryOf }) => [retryOf];
const IN_PLACE: Ties = ({ retryOf, inPlaceOf }) => [retryOf, inPlaceOf];

function correctionsOf(row: Judged, others: readonly Seen[], known: Circumstances, ties: Ties): readonly Seen[] {
  const origins = originsOf(row, others, ties);
  const names: readonly RowName[] = [{ batch: known.batch, row: row.row }, ...origins];
  return others.filter((other) => {
    const isBelow = other.batch === known.batch && other.row >= row.row;
    if (isBelow || origins.includes(other) || IN_NOBODYS_WAY.includes(other.state)) return false;
    const all = [other, ...originsOf(other, others, ties)].flatMap(ties);
    return names.some((name) => all.some((one) => isNamed(name, one)));
  });
}

/** A payee that was invalid before is no other payee: then the one of the row that that one corrected counts. */
function otherPayee(row: Judged, others: readonly Seen[]): readonly Against[] {
  const before = originsOf(row, others, BY_NAME).find(({ payee }) => payee !== undefined);
  if (before === undefined) return [];
  if (!isSameKey(before.payee, row.payee)) return [{ code: "correction", other: before, isOtherPayee: true }];
  return writtenOtherwise({ ...row, reference: undefined }, before) ? [otherWriting(row, before)] : [];
}

/** What of the same payment is written in another way, if anything is. */
function writtenOtherwise(row: Writing, other: Writing): "payee" | "reference" | undefined {
  if (isSameKey(row.payee, other.payee) && !isPayeeAlike(row, other)) return "payee";
  return isSameKey(row.reference, other.reference) && row.referenceAs !== other.referenceAs ? "reference" : undefined;
}

type Writing = { readonly [Name in keyof Omit<Judged, "row">]?: Judged[Name] | undefined };

function isPayeeAlike(row: Writing, other: Writing): boolean {
  return (row.zeros ?? 0) === (other.zeros ?? 0) && row.payeeAs === other.payeeAs;
}

function otherWriting(row: Writing, other: Seen): Against {
  const written = writtenOtherwise(row, other) ?? "payee";
  return { code: "correction", other, written, ...(written === "payee" && { isOtherPayee: true }) };
}

/**
 * Its payee went written in another way, and never as here: it may be somebody else then. Zeros that a spreadsheet takes away
 * count also where they stood in a row that was invalid or refused.
 */
function otherWritings(row: Judged, others: readonly Seen[], { batch }: Circumstances): readonly Against[] {
  const ofPayee = others.filter((other) => other.batch !== batch && isSameKey(other.payee, row.payee));
  const goes = (other: Seen): boolean => went(other) || other.state === "ready";
  if (ofPayee.some((other) => goes(other) && isPayeeAlike(row, other))) return [];
  const hasOtherZeros = ({ state, zeros = 0 }: Seen): boolean =>
    (state === "invalid" || state === "rejected") && zeros !== (row.zeros ?? 0);
  const unlike = ofPayee.filter((other) => (goes(other) && !isPayeeAlike(row, other)) || hasOtherZeros(other));
  return unlike.map((other) => otherWriting({ ...row, reference: undefined }, other));
}

/** The row that it corrects, the one that that one corrected, and so on. */
function originsOf(row: Tied, others: readonly Seen[], ties: Ties): readonly Seen[] {
  const origins: Seen[] = [];
  const names = [...ties(row)];
  for (const name of names) {
    const origin = name && others.find((other) => isNamed(other, name));
    if (origin === undefined || origins.includes(origin)) continue;
    origins.push(origin);
    names.push(...ties(origin));
  }
  return origins;
}

function isNamed(one: RowName, name: RowName | undefined): boolean {
  return one.row === name?.row && one.batch === name.batch;
}

function maybePaid(row: Judged, elsewhere: readonly Seen[], known: Circumstances): readonly Seen[] {
  return elsewhere.filter((other) => isAccepted(other) && isRecent(other, known) && isSamePayment(row, other));
}

function otherAmount(row: Judged, elsewhere: readonly Seen[], known: Circumstances): readonly Seen[] {
  return elsewhere.filter((other) => {
    if (!known.corrected.has(other.batch) || !isSameKey(other.payee, row.payee)) return false;
    if (isSameKey(other.payment, row.payment) || isToldApart(row, other)) return false;
    return other.state === "ready" || other.state === "on_its_way" || (went(other) && isRecent(other, known));
  });
}

/** Of several accounts, as of two jobs, each is known. */
function otherAccount(row: Judged, elsewhere: readonly Seen[]): readonly Seen[] {
  const before = elsewhere.filter((other) => went(other) && isSamePerson(row, other));
  return before.some(({ payee }) => isSameKey(payee, row.payee)) ? [] : before;
}

/** Where both have a number of their own, it says so alone. */
function isSamePerson(row: Judged, other: Seen): boolean {
  if (row.employee !== undefined && other.employee !== undefined) return isSameKey(row.employee, other.employee);
  return (["mobile", "email", "named"] as const).some((by) => isSameKey(row[by], other[by]));
}

/**
 * Rule 8, by a row of the file and one that went of another batch with the very same payments. References that are stated
 * in both files make it clear that the payments are meant again; so does another period, once it can be due.
 */
export function isSameFileAgain(row: Said, before: Said & Pick<Seen, "wentAt">, known: Circumstances): boolean {
  if (row.reference !== undefined && before.reference !== undefined) return false;
  if (row.period === undefined) return !isRecent(before, known);
  const { wentAt = known.now } = before;
  return isAnotherPeriod(row.period, before.period) && known.now - wentAt < dueAfterMs(row.period, before.period);
}

const HALF_MS: Readonly<Record<PeriodForm, number>> = { month: 15 * DAY_MS, week: 3.5 * DAY_MS, day: DAY_MS / 2 };

/** Pay comes early for a holiday. A label says that more than one payment is of the period, such as each half of a month. */
function dueAfterMs(period: string, before = ""): number {
  const halfMs = HALF_MS[formOfPeriod(period)];
  return hasLabel(period) || hasLabel(before) ? halfMs / 2 : halfMs;
}

/**
 * Whether all other rows of a file wait, too. Of its `rows`, `repeated` are payments of an earlier batch, in which
 * `notGone` did not go. `others` would go here, or repeat other batches.
 */
export function isMostlyPaid(file: Readonly<Record<"rows" | "repeated" | "others" | "notGone", number>>): boolean {
  return file.repeated * 2 > file.rows && file.others > file.notGone;
}
