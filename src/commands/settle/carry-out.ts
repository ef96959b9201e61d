import type { Config } from "../../config/config.ts";
import { DAY_MS } from "../../day.ts";
import type { MadeSince } from "../../journal/act-calls.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { JournalStore } from "../../journal/store.ts";
import { toldOf } from "../../results/words/next-steps.ts";
import type { Call } from "../command.ts";
import { alreadyText, madeTwiceText, repeatText, settledText, severalTexts, waitedText } from "./settled-words.ts";
import { wordsOf, type Settling, type Settlings } from "./settling.ts";
import { tell } from "../screen/tell.ts";
import { judgeRulesOf } from "../../batch/record.ts";

/**
 * Settles all of them in one transaction; then judges the rows of other batches that waited for these. Where that was
 * cut off, settling the same rows once more does the rest. Gives the batches whose results say something else now.
 */
export async function carryOutSettlings(
  call: Call,
  config: Config,
  journal: JournalStore,
  { todo, already, skipped }: Settlings,
): Promise<readonly string[]> {
  const settled = todo.map(({ batch, row, word }) => {
    return { batch, row: row.number, as: word.as, act: word.act, from: row.state };
  });
  const madeTwice = await madeSinceOf(journal, todo, config);
  if (settled.length > 0) await journal.settle(settled);
  for (const one of already) tell(call, config, alreadyText(one), objectOf(one, true));
  const touched = new Set<string>();
  const judged = new Set<string>();
  const cutOff = await cutOffBefore(journal, already);
  const carried = [...todo, ...cutOff];
  const waiting = await waitersOf(journal, carried);
  const batches = await batchesOf(journal, todo);
  const several = severalTexts(todo);
  for (const one of carried) {
    touched.add(one.batch);
    const batch = batches.get(one.batch);
    const text = several.get(one) ?? (batch ? settledText(one, batch) : "");
    if (!cutOff.has(one)) tell(call, config, text, objectOf(one, false));
    for (const made of madeTwice.get(one) ?? []) {
      tell(call, config, madeTwiceText(made, one), { type: "made_twice", ...made });
    }
    const hadGone = one.row.state === "accepted" || one.row.state === "settled_done";
    if (hadGone && one.word.as === "settled_not_done") {
      for (const id of await tellRepeats(call, config, journal, one)) touched.add(id);
    }
    for (const waiter of waiting.get(one) ?? []) {
      if (!judged.has(waiter.batch)) await journal.judgeAgain(waiter.batch, judgeRulesOf(config));
      judged.add(waiter.batch);
      touched.add(waiter.batch);
      await tellWaiter(call, config, journal, one, waiter);
    }
  }
  if (todo.length === 0 && skipped + already.length > 0) {
    const text = `Nothing was changed: ${already.length} settled before, ${skipped} without a decision.`;
    tell(call, config, text, { type: "nothing_changed", already: already.length, skipped });
  } else if (skipped > 0) {
    tell(call, config, `${skipped} without a decision yet.`, { type: "skipped", skipped });
  }
  return [...touched];
}

/** Of the rows that were settled before, those whose results were not written since. */
async function cutOffBefore(journal: JournalStore, already: readonly Settling[]): Promise<ReadonlySet<Settling>> {
  const cutOff = new Set<Settling>();
  for (const [batch, settlings] of Map.groupBy(already, (one) => one.batch)) {
    if (await journal.owesResults(batch)) for (const one of settlings) cutOff.add(one);
  }
  return cutOff;
}

/** Each batch is asked for once: a list may settle thousands of rows of one batch. */
async function batchesOf(
  journal: JournalStore,
  settlings: readonly Settling[],
): Promise<ReadonlyMap<string, BatchRecord>> {
  const batches = new Map<string, BatchRecord>();
  for (const id of new Set(settlings.map(({ batch }) => batch))) {
    const batch = await journal.batch(id);
    if (batch) batches.set(id, batch);
  }
  return batches;
}

/** Asked before anything is settled: what was made since somebody said that a row had not gone, and it had after all. */
async function madeSinceOf(
  journal: JournalStore,
  settlings: readonly Settling[],
  { duplicateDays }: Config,
): Promise<ReadonlyMap<Settling, readonly MadeSince[]>> {
  const made = new Map<Settling, readonly MadeSince[]>();
  for (const one of settlings) {
    if (one.row.state !== "settled_not_done" || one.word.as !== "settled_done") continue;
    made.set(one, await journal.madeSince(one.batch, one.row.number, duplicateDays * DAY_MS));
  }
  return made;
}

function objectOf({ batch, row, word: { as, by, note } }: Settling, isAlready: boolean): Record<string, unknown> {
  const said = as === "settled_done" ? "done" : "not-done";
  return {
    type: "settled",
    batch,
    row: row.number,
    amount: row.amount,
    as: said,
    by,
    note,
    was: row.state,
    already: isAlready,
  };
}

/** Rows of another batch that were held until a settled one had an end. */
interface Waiter {
  readonly batch: string;
  readonly rows: readonly number[];
}

/** To be asked before any row is judged again: judging a batch frees all of its rows that waited for one of these. */
async function waitersOf(
  journal: JournalStore,
  settlings: readonly Settling[],
): Promise<ReadonlyMap<Settling, readonly Waiter[]>> {
  const waiters = new Map<Settling, Waiter[]>();
  for (const settled of settlings) {
    const waiting = await journal.waitingFor(settled.batch, settled.row.number);
    if (waiting.length === 0) continue;
    const byBatch = [...Map.groupBy(waiting, ({ batch }) => batch)];
    const each = byBatch.map(([batch, rows]) => ({ batch, rows: rows.map(({ row }) => row) }));
    waiters.set(settled, each);
  }
  return waiters;
}

async function tellWaiter(
  call: Call,
  config: Config,
  journal: JournalStore,
  settled: Settling,
  { batch: id, rows }: Waiter,
): Promise<void> {
  const note = `row ${settled.row.number} of ${settled.batch} was settled as ${wordsOf(settled.word.as)} by ${settled.word.by}`;
  await journal.note(id, { by: "paydrop", kind: "judged", note });
  const batch = await journal.batch(id);
  for (const number of rows) {
    const now = await journal.row(id, number);
    if (!now || !batch) continue;
    const text = toldOf(waitedText(batch, now), batch);
    tell(call, config, text, { type: "waited", batch: id, row: number, state: now.state });
  }
}

const REPEATS_MAX = 100;
const REPEATS_TOLD_MAX = 5;

/**
 * Tells of the rows that were not sent since this one had gone: nobody would think of them. Gives their batches, whose
 * results must be written again.
 */
async function tellRepeats(
  call: Call,
  config: Config,
  journal: JournalStore,
  { batch, row }: Settling,
): Promise<readonly string[]> {
  const repeats = await journal.repeatsOf(batch, row.number, REPEATS_MAX);
  for (const other of repeats.slice(0, REPEATS_TOLD_MAX)) {
    tell(call, config, repeatText(other), { type: other.state, batch: other.batch, row: other.row });
  }
  return repeats.map((one) => one.batch);
}
