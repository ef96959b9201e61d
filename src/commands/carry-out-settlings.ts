import type { Config } from "../config/config.ts";
import type { BatchPhase } from "../journal/batch-record.ts";
import type { RowRecord } from "../journal/row-record.ts";
import type { JournalStore } from "../journal/store.ts";
import { settleCommand } from "../results/next-steps.ts";
import type { Call } from "./command.ts";
import { noteOf, wordsOf, type Settling, type Settlings } from "./settling.ts";
import { tell } from "./tell.ts";
import { judgeRulesOf } from "../batch/record.ts";

/** All in one transaction; then the rows elsewhere that waited for these are judged. Gives the batches it changed. */
export async function carryOutSettlings(
  call: Call,
  config: Config,
  journal: JournalStore,
  { todo, already, skipped }: Settlings,
): Promise<readonly string[]> {
  const settled = todo.map(({ batch, row, as, by, note }) => {
    const act = { by, kind: "settle", note: noteOf(as, note) };
    return { batch, row: row.number, as, act, from: row.state };
  });
  if (settled.length > 0) await journal.settle(settled);
  for (const one of already) tell(call, config, alreadyText(one), objectOf(one, true));
  const touched = new Set<string>();
  const judged = new Set<string>();
  const waiting = await waitersOf(journal, todo);
  const phases = await phasesOf(journal, todo);
  for (const one of todo) {
    touched.add(one.batch);
    tell(call, config, settledText(one, phases.get(one.batch) ?? "open"), objectOf(one, false));
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

/** Asked for once: a list may settle thousands of rows of one batch. */
async function phasesOf(
  journal: JournalStore,
  settlings: readonly Settling[],
): Promise<ReadonlyMap<string, BatchPhase>> {
  const phases = new Map<string, BatchPhase>();
  for (const id of new Set(settlings.map(({ batch }) => batch))) {
    const batch = await journal.batch(id);
    if (batch) phases.set(id, batch.phase);
  }
  return phases;
}

function settledText({ batch, row, as, by }: Settling, phase: BatchPhase): string {
  const amount = row.amount === undefined ? "" : ` (${row.amount})`;
  const settled = `Row ${row.number}${amount} settled as ${wordsOf(as)} by ${by}.`;
  if (as === "settled_done") return `${settled} It is never sent again.`;
  if (phase === "cancelled") return `${settled} Its batch is cancelled: it does not go again.`;
  const resume = phase === "paused" ? `paydrop resume ${batch}, then ` : "";
  const lines = [`${settled} It may go again:  ${resume}paydrop retry ${batch}`];
  if (row.state === "accepted" || row.state === "settled_done") {
    lines.push(
      `  ATTENTION: it was ${row.state === "accepted" ? "accepted by the service" : "settled as done"} before. Sent again, the money goes out twice unless the bank gave it back.`,
      `  → a mistake?  ${settleCommand(batch, row.number, "done")}`,
    );
  }
  return lines.join("\n");
}

function alreadyText({ row, as }: Settling): string {
  const by = row.settledBy === undefined ? "" : ` by ${row.settledBy}`;
  if (row.state !== as)
    return `Row ${row.number}: this was settled${by} before, and carried on since. Nothing was changed.`;
  return `Row ${row.number} was settled as ${wordsOf(as)}${by} before. Nothing was changed.`;
}

function objectOf({ batch, row, as, by, note }: Settling, isAlready: boolean): Record<string, unknown> {
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

/** Asked for before any is judged again: to judge a batch sets all its rows free that waited for one of these. */
async function waitersOf(
  journal: JournalStore,
  settlings: readonly Settling[],
): Promise<ReadonlyMap<Settling, readonly Waiter[]>> {
  const waiters = new Map<Settling, Waiter[]>();
  for (const settled of settlings) {
    const { batch, row } = settled;
    for (const id of await journal.waitingFor(batch, row.number)) {
      const held = (await journal.rowsIn(id, ["held"])).filter(
        ({ code, other }) => code === "other_row_open" && other?.batch === batch && other.row === row.number,
      );
      if (held.length === 0) continue;
      waiters.set(settled, [...(waiters.get(settled) ?? []), { batch: id, rows: held.map(({ number }) => number) }]);
    }
  }
  return waiters;
}

async function tellWaiter(
  call: Call,
  config: Config,
  journal: JournalStore,
  settled: Settling,
  { batch, rows }: Waiter,
): Promise<void> {
  const note = `row ${settled.row.number} of ${settled.batch} was settled as ${wordsOf(settled.as)} by ${settled.by}`;
  await journal.note(batch, { by: "paydrop", kind: "judged", note });
  const phase = (await journal.batch(batch))?.phase ?? "open";
  for (const number of rows) {
    const now = await journal.row(batch, number);
    if (now)
      tell(call, config, waitedText(batch, phase, now), { type: "waited", batch, row: number, state: now.state });
  }
}

function waitedText(id: string, phase: BatchPhase, { number, state }: RowRecord): string {
  const waited = `Row ${number} of batch ${id} waited for it and is now ${state}`;
  if (state === "ready") return `${waited}. To send it:  paydrop ${phase === "paused" ? "resume" : "retry"} ${id}`;
  return state === "held" ? `${waited} for another reason:  paydrop status ${id}` : `${waited}: nothing to do.`;
}
