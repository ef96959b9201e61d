import type { Config } from "../../config/config.ts";
import { PaydropError } from "../../errors.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import { sentenceOf } from "../../results/words/sentences.ts";
import { asInResults } from "../../results/words/status.ts";
import { Going } from "./going.ts";
import { asGoing } from "../retry.ts";

export type Wanted = readonly number[] | "all";

/** Which rows of a batch a person lets go. */
interface Release {
  readonly journal: JournalStore;
  readonly batch: BatchRecord;
  readonly wanted: Wanted;
  /** Numbers of the rows that were judged anew for it. */
  readonly judged: ReadonlySet<number>;
}

const NAMED_MAX = 5;

/** How many rows, and the first few of them. */
export interface Some {
  count: number;
  readonly first: RowRecord[];
}

/** What becomes of the rows that a person named, or of all held ones. */
interface Chosen {
  readonly going: Going;
  count: number;
  /** Rows that wait for a row that has no end yet. */
  readonly blocked: Some;
  /** Rows that were held for another reason until a moment ago: nobody has seen the new one yet. */
  readonly changed: Some;
}

/** Throws PaydropError `usage` where a row that was named is not held. */
export async function chooseRows(release: Release, { json }: Pick<Config, "json">): Promise<Chosen> {
  const { journal, batch, wanted, judged } = release;
  const none = (): Some => ({ count: 0, first: [] });
  const chosen: Chosen = { going: new Going(json), count: 0, blocked: none(), changed: none() };
  const waiting = new Set(await journal.blockedRows(batch.id));
  const isHeld = wanted === "all" ? journal.rowsIn(batch.id, ["held"]) : heldOnes(release, wanted);
  for await (const rows of isHeld) {
    for (const row of rows) {
      const isBlocked = waiting.has(row.number);
      const isChanged = judged.has(row.number) && row.code !== "other_row_open";
      chosen.count += 1;
      if (isBlocked) add(chosen.blocked, row);
      if (isChanged) add(chosen.changed, row);
      if (!isBlocked && !isChanged) chosen.going.add({ ...row, why: whyHeld(row, batch) });
    }
  }
  return chosen;
}

function add(some: Some, row: RowRecord): void {
  some.count += 1;
  if (some.first.length < NAMED_MAX) some.first.push(row);
}

/**
 * The named rows, all held or duplicate, else `usage` is thrown; rows that were freed a moment ago are passed over, and
 * go by themselves.
 */
async function* heldOnes(
  { journal, batch, judged }: Release,
  wanted: readonly number[],
): AsyncGenerator<readonly RowRecord[]> {
  const wrong: string[] = [];
  let isAnyReady = false;
  for (const number of wanted) {
    const row = await journal.row(batch.id, number);
    if (row?.state === "held" || row?.state === "duplicate") yield [row];
    else if (row?.state !== "ready" || !judged.has(number))
      wrong.push(row ? `row ${number} is ${asInResults(row.state)}` : `there is no row ${number}`);
    isAnyReady ||= row?.state === "ready";
    if (wrong.length === NAMED_MAX) break;
  }
  if (wrong.length === 0) return;
  throw new PaydropError(
    "usage",
    `${wrong.join("; ")}: only held and duplicate rows can be released`,
    isAnyReady ? `nothing was released; what is ready goes with \`paydrop retry ${batch.id}\`` : "nothing was released",
  );
}

/** Adds the rows that nothing holds since they were judged; with `isAllReady` every other ready row too. */
export async function addReady(
  { journal, batch, wanted, judged }: Release,
  isAllReady: boolean,
  going: Going,
): Promise<readonly number[]> {
  const freed: number[] = [];
  if (!isAllReady && judged.size === 0) return freed;
  const named = wanted === "all" ? undefined : new Set(wanted);
  for await (const rows of journal.rowsIn(batch.id, ["ready"])) {
    for (const row of rows) {
      const isFreed = judged.has(row.number) && (named?.has(row.number) ?? true);
      if (isFreed) freed.push(row.number);
      if (isFreed || isAllReady) going.add(asGoing(row));
    }
  }
  return freed;
}

function whyHeld(row: RowRecord, batch: BatchRecord): string {
  return (
    sentenceOf(row, batch).message.replace(/^(?:Waiting for a person:? ?|This row was already |Not sent: )/, "") ||
    "held"
  );
}
