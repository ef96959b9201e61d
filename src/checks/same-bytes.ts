import { DAY_MS } from "../day.ts";

/** A batch of the very same bytes. */
export interface SameBytes {
  readonly id: string;
  readonly period?: string;
  readonly guessedPeriod?: string;
  readonly createdAt: number;
}

/** How a file that was met before is taken. */
type Meeting<Batch extends SameBytes> =
  | { readonly kind: "new" }
  /** The same batch: only what is ready or was not sent goes. */
  | { readonly kind: "same"; readonly batch: Batch }
  /** The whole file waits for a person: another month, or a forgotten copy? */
  | { readonly kind: "again"; readonly batch: Batch };

/** The rows of DESIGN §7 that are about whole files. `known`: batches of the same bytes, newest first. */
export function meet<Batch extends SameBytes>(
  known: readonly Batch[],
  file: {
    readonly period?: string | undefined;
    readonly guessedPeriod?: string | undefined;
    /** The batch that this very file, at this place and unchanged on disk, was taken as. */
    readonly lyingThere?: string | undefined;
    /** Of the known batches those of which nothing ever went, since a person was to decide. */
    readonly waited?: ReadonlySet<string>;
  },
  nowMs: number,
  duplicateDays: number,
): Meeting<Batch> {
  if (file.period !== undefined) {
    // a stated period is part of the batch's identity: nothing is left to guess
    const stated = known.find((one) => one.period === file.period);
    return stated ? { kind: "same", batch: stated } : { kind: "new" };
  }
  const lyingThere = known.find((one) => one.id === file.lyingThere);
  if (lyingThere) return { kind: "same", batch: lyingThere };
  // a file without a stated period may be the forgotten copy of one that was sent with it
  const ofMonth = known.find((one) => isOfMonth(one, file.guessedPeriod));
  // beside a batch that went, a copy of it that was held says nothing of a third one
  const batch = ofMonth ?? known.find((one) => !file.waited?.has(one.id)) ?? known[0];
  if (!batch) return { kind: "new" };
  const otherMonth = file.guessedPeriod !== undefined && !isOfMonth(batch, file.guessedPeriod);
  // `abs`: had the clock been ahead then, a file of the next months would be nothing to do, and would never go
  const late = Math.abs(nowMs - batch.createdAt) > duplicateDays * DAY_MS;
  return { kind: otherMonth || late ? "again" : "same", batch };
}

function isOfMonth({ period, guessedPeriod }: SameBytes, month: string | undefined): boolean {
  return month !== undefined && (period ?? guessedPeriod)?.startsWith(month) === true;
}
