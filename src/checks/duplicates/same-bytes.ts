import { DAY_MS } from "../../day.ts";
import { isOfMonth as isMonth, mayBeSamePeriod } from "./same-period.ts";

/** A batch of the very same bytes. */
export interface SameBytes {
  readonly id: string;
  readonly period?: string;
  readonly guessedPeriod?: string;
  readonly createdAt: number;
}

interface MetFile {
  readonly period?: string | undefined;
  readonly guessedPeriod?: string | undefined;
  /** The batch that this very file, at this place and unchanged on disk, was taken as. */
  readonly lyingThere?: string | undefined;
  /** Ids of the known batches of which nothing ever went, since a person was to decide. */
  readonly waited?: ReadonlySet<string>;
  /** Ids of the known batches whose file's name says another week, or another day. */
  readonly ofOtherTime?: ReadonlySet<string>;
}

/** How a file that was met before is taken. */
type Meeting<Batch extends SameBytes> =
  | { readonly kind: "new" }
  /** The same batch: only what is ready or was not sent goes. */
  | { readonly kind: "same"; readonly batch: Batch }
  /** The whole file waits for a person: another month or week, or a forgotten copy? */
  | { readonly kind: "again"; readonly batch: Batch };

/** The rows of DESIGN §7 that are about whole files. `known`: batches of the same bytes, newest first. */
export function meet<Batch extends SameBytes>(
  known: readonly Batch[],
  file: MetFile,
  nowMs: number,
  duplicateDays: number,
): Meeting<Batch> {
  if (file.period !== undefined) return meetStated(known, { ...file, period: file.period });
  const lyingThere = known.find((one) => one.id === file.lyingThere);
  if (lyingThere) return { kind: "same", batch: lyingThere };
  const { likely, isOfTime } = likelyOf(known, file);
  // a file without a stated period may be the forgotten copy of one that was sent with it
  const ofMonth = likely.find((one) => isOfMonth(one, file.guessedPeriod));
  // a batch that went comes first: a held copy of it says nothing of a third one
  const batch = ofMonth ?? likely.find((one) => !file.waited?.has(one.id)) ?? likely[0];
  if (!batch) return { kind: "new" };
  const isOther = !isOfTime || (file.guessedPeriod !== undefined && !isOfMonth(batch, file.guessedPeriod));
  // `abs`: after a batch of a clock that was ahead, files of the next months would be nothing to do, and never go
  const late = Math.abs(nowMs - batch.createdAt) > duplicateDays * DAY_MS;
  return { kind: isOther || late ? "again" : "same", batch };
}

/**
 * A stated period is part of the batch's identity. But where this file's name says a month that no file of that batch
 * said, somebody may have forgotten to state the next period: a month, or a week in it, would look as if it went.
 */
function meetStated<Batch extends SameBytes>(
  known: readonly Batch[],
  file: MetFile & { readonly period: string },
): Meeting<Batch> {
  const { period, guessedPeriod: month, lyingThere, waited } = file;
  const ofPeriod = known.filter((one) => one.period === period);
  const { likely: stated, isOfTime } = likelyOf(ofPeriod, file);
  const named =
    ofPeriod.find((one) => one.id === lyingThere) ?? stated.find((one) => isOfTime && one.guessedPeriod === month);
  if (named) return { kind: "same", batch: named };
  const batch = stated.find((one) => !waited?.has(one.id)) ?? stated[0];
  if (!batch) return { kind: "new" };
  if (!isOfTime) return { kind: "again", batch };
  if (month === undefined) return { kind: "same", batch };
  const isOther = batch.guessedPeriod !== undefined || (isMonth(period) && !mayBeSamePeriod(period, month));
  return { kind: isOther ? "again" : "same", batch };
}

/** The batches that the file's name does not put into another week or day; if it does so with all, all. */
function likelyOf<Batch extends SameBytes>(
  known: readonly Batch[],
  { ofOtherTime }: MetFile,
): { readonly likely: readonly Batch[]; readonly isOfTime: boolean } {
  const ofTime = known.filter((one) => !ofOtherTime?.has(one.id));
  const isOfTime = ofTime.length > 0;
  return { likely: isOfTime ? ofTime : known, isOfTime };
}

function isOfMonth({ period, guessedPeriod }: SameBytes, month: string | undefined): boolean {
  return month !== undefined && (period ?? guessedPeriod)?.startsWith(month) === true;
}
