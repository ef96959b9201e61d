import { DAY_MS } from "../day.ts";
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
  /** Of the known batches those of which nothing ever went, since a person was to decide. */
  readonly waited?: ReadonlySet<string>;
  /** Of the known batches those whose file's name says another week, or another day. */
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
  // a file without a stated period may be the forgotten copy of one that was sent with it
  const ofTime = known.filter((one) => !file.ofOtherTime?.has(one.id));
  const likely = ofTime.length > 0 ? ofTime : known;
  const ofMonth = likely.find((one) => isOfMonth(one, file.guessedPeriod));
  // beside a batch that went, a copy of it that was held says nothing of a third one
  const batch = ofMonth ?? likely.find((one) => !file.waited?.has(one.id)) ?? likely[0];
  if (!batch) return { kind: "new" };
  const isOther = ofTime.length === 0 || (file.guessedPeriod !== undefined && !isOfMonth(batch, file.guessedPeriod));
  // `abs`: had the clock been ahead then, a file of the next months would be nothing to do, and would never go
  const late = Math.abs(nowMs - batch.createdAt) > duplicateDays * DAY_MS;
  return { kind: isOther || late ? "again" : "same", batch };
}

/**
 * A stated period is part of the batch's identity. But where this file's name says another month, as no file of that batch
 * did, somebody may have forgotten to state the next one: then a whole month would look as if it went.
 */
function meetStated<Batch extends SameBytes>(
  known: readonly Batch[],
  { period, guessedPeriod: month, lyingThere, waited }: MetFile & { readonly period: string },
): Meeting<Batch> {
  const stated = known.filter((one) => one.period === period);
  const named = stated.find((one) => one.id === lyingThere) ?? stated.find((one) => one.guessedPeriod === month);
  if (named) return { kind: "same", batch: named };
  const batch = stated.find((one) => !waited?.has(one.id)) ?? stated[0];
  if (!batch) return { kind: "new" };
  if (month === undefined) return { kind: "same", batch };
  const isOther = batch.guessedPeriod !== undefined || (isMonth(period) && !mayBeSamePeriod(period, month));
  return { kind: isOther ? "again" : "same", batch };
}

function isOfMonth({ period, guessedPeriod }: SameBytes, month: string | undefined): boolean {
  return month !== undefined && (period ?? guessedPeriod)?.startsWith(month) === true;
}
