import { join } from "node:path";
import type { Config } from "../config/schema.ts";
import { DAY_MS } from "../day.ts";
import type { Circumstances } from "../duplicates/rules.ts";
import type { BatchRecord, JournalStore, Overlap, RowRecord, SeenPage } from "./store.ts";

/** Settings that DESIGN §7 depends on. */
export type JudgingRules = Pick<Config, "duplicate_days" | "allow_repeats" | "all_or_nothing">;

const PAGE_ROWS = 1000;

export interface SeenRecord extends SeenPage {
  readonly record: RowRecord;
}

/** When rows of a batch were last let go by a person. */
export async function releasesOf(store: JournalStore, batch: string): Promise<ReadonlyMap<number, number>> {
  const acts = (await store.acts({ batch })).filter(({ kind }) => kind === "release");
  return new Map(acts.flatMap(({ rows = [], at }) => rows.map((row) => [row, at] as const)));
}

/** What the rules know of a batch. */
export interface KnownCircumstances extends Circumstances {
  /** Other batches of the very same payments that went, the newest first. */
  readonly same: readonly string[];
}

export async function circumstancesOf(
  store: JournalStore,
  batch: BatchRecord,
  rules: JudgingRules,
  now: number,
  { isAgain }: { readonly isAgain: boolean },
): Promise<KnownCircumstances> {
  const overlaps = await store.overlaps(batch.id);
  const order = new Map(overlaps.map(({ batch: id, createdAt }) => [id, createdAt]));
  // whatever shares no payment with this one is taken for earlier: that holds, and a person decides
  const isEarlier = (id: string): boolean => {
    const at = order.get(id) ?? 0;
    return at === batch.createdAt ? id < batch.id : at < batch.createdAt;
  };
  const latest = Math.max(now, (await store.facts()).lastAt);
  const recentMs = rules.duplicate_days * DAY_MS;
  return {
    ...{ batch: batch.id, now: latest, recentMs, allowRepeats: rules.allow_repeats },
    corrected: await correctedBy(store, batch, { overlaps, since: latest - recentMs, isAgain }),
    same: overlaps
      .filter(({ isSame, went }) => isSame && went > 0)
      .toSorted((one, other) => other.createdAt - one.createdAt)
      .map((one) => one.batch),
    isEarlier,
  };
}

/**
 * Batches that this one corrects (DESIGN §7): it names rows of them, lies in the same place, or repeats half of their
 * payments. `isAgain`: its own rows may have been corrected since, so those that correct this one as well. Only batches of
 * which something went recently, or still goes.
 */
async function correctedBy(
  store: JournalStore,
  batch: BatchRecord,
  {
    overlaps,
    since,
    isAgain,
  }: { readonly overlaps: readonly Overlap[]; readonly since: number; readonly isAgain: boolean },
): Promise<ReadonlySet<string>> {
  const valid = batch.rows - (batch.tallies.invalid?.rows ?? 0);
  const repeated = overlaps.filter(({ isNamed, shared, createdAt, rows }) => {
    const isLater = createdAt > batch.createdAt;
    return isNamed || (shared > 0 && shared * 2 >= (isLater ? valid : rows));
  });
  // a retry file corrects what came after in the place of the file that it names, too
  const places = [batch, ...repeated.filter(({ isNamed }) => isNamed)].map(({ folder, fileName }) =>
    join(folder, fileName),
  );
  const inPlace: BatchRecord[] = [];
  for (const path of new Set(places)) {
    inPlace.push(...(await store.batches({ environment: batch.environment, path })));
  }
  const found = [...repeated, ...inPlace.map((one) => ({ ...one, batch: one.id }))].filter(
    (one) => one.batch !== batch.id,
  );
  const corrected = new Set<string>();
  for (const { batch: id, createdAt } of found) {
    if (corrected.has(id) || (!isAgain && createdAt > batch.createdAt)) continue;
    const isOfNow = createdAt >= since || (await store.runs(id)).some(({ startedAt }) => startedAt >= since);
    if (isOfNow || (await batchNamed(store, id)).tallies.ready) corrected.add(id);
  }
  return corrected;
}

/** The rows of a batch that can be judged, with what was seen of them; `isConcerned` as in `store.seen`. */
export async function* pagesOf(
  store: JournalStore,
  batch: string,
  { corrected, isConcerned }: Pick<KnownCircumstances, "corrected"> & { readonly isConcerned: boolean },
): AsyncIterable<readonly SeenPage[]> {
  for (let after = 0; ;) {
    const page = await store.seen(batch, { after, limit: PAGE_ROWS, isConcerned }, [...corrected]);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.row.row;
  }
}

/** Rows that were named, with what was seen of them and what is known of them. */
export async function* inPages(
  store: JournalStore,
  batch: string,
  rows: readonly number[],
  { corrected }: KnownCircumstances,
): AsyncIterable<readonly SeenRecord[]> {
  for (let at = 0; at < rows.length; at += PAGE_ROWS) {
    const some = rows.slice(at, at + PAGE_ROWS);
    const records = new Map((await store.rows({ batch, rows: some })).map((record) => [record.row, record]));
    const page = await store.seen(batch, { rows: some }, [...corrected]);
    yield page.flatMap((seen) => {
      const record = records.get(seen.row.row);
      return record ? [{ ...seen, record }] : [];
    });
  }
}

export async function batchNamed(store: JournalStore, id: string): Promise<BatchRecord> {
  const [batch] = await store.batches({ id });
  if (!batch) throw new Error(`there is no batch ${id}`);
  return batch;
}
