import { DAY_MS } from "../day.ts";
import type { JudgingRules } from "./circumstances.ts";
import type { BatchRecord, Environment, JournalStore } from "./store.ts";

/** What is known of a file before its rows are read again. */
export interface FileSaid {
  readonly sha256: string;
  readonly environment: Environment;
  /** What was stated for the whole file, if anything was. */
  readonly period?: string | undefined;
  /** How it is read: `keptOf(opened)`. */
  readonly reading: string;
}

/**
 * The batch that a file is: the same bytes were taken before, whatever the name, and the same period is stated, or none.
 * A batch that ended longer than `duplicate_days` ago is another month's; an unfinished one goes on at any time. Another
 * sheet of the same workbook, or another operation, is another file.
 */
export async function findKnown(
  store: JournalStore,
  { sha256, environment, period, reading }: FileSaid,
  rules: Pick<JudgingRules, "duplicate_days">,
  now: number,
): Promise<BatchRecord | undefined> {
  const latest = Math.max(now, (await store.facts()).lastAt);
  const known = (await store.batches({ sha256, environment }))
    .filter((batch) => batch.phase !== "recording" && isReadAlike(batch.reading, reading))
    .filter((batch) => period === undefined || batch.period === period)
    .toSorted((one, other) => other.createdAt - one.createdAt);
  const isRecent = ({ createdAt }: BatchRecord): boolean => latest - createdAt <= rules.duplicate_days * DAY_MS;
  return known.find(isUnfinished) ?? known.find(isRecent);
}

/** Rows of it still go by themselves, or its results are owed. */
function isUnfinished({ phase, tallies, owesResults }: BatchRecord): boolean {
  return (phase !== "cancelled" && Boolean(tallies.ready ?? tallies.not_sent)) || owesResults;
}

/** The same sheet, for the same operation: what stands in both readings of it. */
function isReadAlike(one: string, other: string): boolean {
  const said = (reading: string): string => {
    const { operation, reading: how } = JSON.parse(reading) as { operation?: string; reading?: { sheet?: string } };
    return JSON.stringify([operation, how?.sheet]);
  };
  return said(one) === said(other);
}
