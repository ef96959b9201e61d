import { join } from "node:path";
import { rowsIn } from "../amount.ts";
import type { Config } from "../config/schema.ts";
import { DAY_MS } from "../day.ts";
import type { Circumstances } from "../duplicates/rules.ts";
import type { RowState } from "./states.ts";
import type { BatchRecord, JournalStore, Overlap, SeenRow } from "./store.ts";

/** Settings that README §7 depends on. */
export type JudgingRules = Pick<Config, "duplicate_days" | "allow_repeats" | "all_or_nothing" | "changed_account">;

const PAGE_ROWS = 1000;

/** What the rules know of a batch. */
export interface KnownCircumstances extends Circumstances {
  /** Other batches of the very same payments that went, the newest first. */
  readonly same: readonly string[];
}

/** `isAgain`: its own rows may have been corrected since. */
export interface Occasion {
  readonly rules: JudgingRules;
  readonly now: number;
  readonly isAgain: boolean;
}

export async function circumstancesOf(
  store: JournalStore,
  batch: BatchRecord,
  { rules, now, isAgain }: Occasion,
): Promise<KnownCircumstances> {
  const overlaps = await store.overlaps(batch.id);
  const order = new Map(overlaps.map(({ batch: { id, createdAt } }) => [id, createdAt]));
  // whatever shares no payment with this one is taken for earlier: that holds, and a person decides
  const isEarlier = (id: string): boolean => {
    const at = order.get(id) ?? 0;
    return at === batch.createdAt ? id < batch.id : at < batch.createdAt;
  };
  const recentMs = rules.duplicate_days * DAY_MS;
  const corrected = await correctedBy(store, batch, overlaps, now - recentMs);
  const same = overlaps.filter((one) => one.isSame && rowsIn(one.batch.tallies, ...GONE) + one.batch.onItsWay > 0);
  return {
    ...{ batch: batch.id, now, recentMs, allowRepeats: rules.allow_repeats, isEarlier },
    holdsOtherAccount: rules.changed_account === "hold",
    // those that came later may correct this one
    corrected: new Set(
      corrected.filter(({ createdAt }) => isAgain || createdAt <= batch.createdAt).map(({ id }) => id),
    ),
    same: same.map((one) => one.batch.id).reverse(),
  };
}

/** The states of rows that went, but for those on their way. */
export const GONE: readonly RowState[] = ["accepted", "settled_done", "unknown"];

/**
 * Batches that this one corrects, or is corrected by (README §7): one names rows of the other, both lie in the same place,
 * or the later one repeats half of the payments of the other. Only those of which something went `since`, or still goes.
 */
async function correctedBy(
  store: JournalStore,
  batch: BatchRecord,
  overlaps: readonly Overlap[],
  since: number,
): Promise<readonly BatchRecord[]> {
  const repeated = overlaps.filter(({ isNamed, shared, batch: other }) => {
    const corrected = other.createdAt > batch.createdAt ? batch : other;
    return isNamed || (shared > 0 && shared * 2 >= corrected.rows - rowsIn(corrected.tallies, "invalid"));
  });
  // a retry file corrects what came after in the place of the file that it names, too
  const named = repeated.filter(({ isNamed }) => isNamed).map((one) => one.batch);
  const places = [batch, ...named].map(({ folder, fileName }) => join(folder, fileName));
  const found = new Map(repeated.map((one) => [one.batch.id, one.batch]));
  for (const path of new Set(places)) {
    for (const one of await store.batches({ environment: batch.environment, path })) found.set(one.id, one);
  }
  found.delete(batch.id);
  return [...found.values()].filter(({ lastAt, tallies }) => lastAt >= since || rowsIn(tallies, "ready") > 0);
}

/** The rows of a batch that can be judged, with what was seen of them; `isConcerned` as in `store.seen`. */
export async function* pagesOf(
  store: JournalStore,
  batch: string,
  { corrected, isConcerned }: Pick<KnownCircumstances, "corrected"> & { readonly isConcerned: boolean },
): AsyncIterable<readonly SeenRow[]> {
  for (let after = 0; ;) {
    const page = await store.seen(batch, { after, limit: PAGE_ROWS, isConcerned }, [...corrected]);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.row.row;
  }
}

/** The same of rows that were named. */
export async function* namedPages(
  store: JournalStore,
  batch: string,
  rows: readonly number[],
  { corrected }: KnownCircumstances,
): AsyncIterable<readonly SeenRow[]> {
  for (let at = 0; at < rows.length; at += PAGE_ROWS) {
    yield await store.seen(batch, { rows: rows.slice(at, at + PAGE_ROWS) }, [...corrected]);
  }
}

export async function batchNamed(store: JournalStore, id: string): Promise<BatchRecord> {
  const [batch] = await store.batches({ id });
  if (!batch) throw new Error(`there is no batch ${id}`);
  return batch;
}
