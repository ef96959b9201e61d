import { createJudge } from "../checks/duplicates.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { PaydropError } from "../errors.ts";
import { gravest } from "../exit-codes.ts";
import type { JournalStore, RowRecord } from "../journal/store.ts";
import { openProcessor } from "../processor.ts";
import type { Call } from "./command.ts";
import { knownBatch } from "./known-batch.ts";
import { rewriteResults } from "./rewrite.ts";
import { rowsSaid } from "./rows-said.ts";
import { readSettleList } from "./settle-list.ts";
import { tell } from "./tell.ts";
import { recoverIfDead } from "./try-lock.ts";
import { personNamed, textSaid } from "./who.ts";

export type SettledAs = "settled_done" | "settled_not_done";

/** One row that a person settles; `from`: the state in which it was found. */
export interface Settling {
  readonly batch: string;
  readonly row: RowRecord;
  readonly as: SettledAs;
  readonly by: string;
  readonly note: string;
}

export interface Settlings {
  readonly todo: readonly Settling[];
  /** Settled so before: nothing is done again. */
  readonly already: readonly Settling[];
  /** Lines of a list without a decision. */
  readonly skipped: number;
}

/** A person says what became of unknown rows. Needs no lock: it works while another process sends. */
export async function run(call: Call): Promise<number> {
  const config = loadConfig({ flags: call.flags, env: call.env, secrets: "ignore" });
  const list = call.flags["from"];
  const processor = await openProcessor({ config }, "read");
  let touched: readonly string[];
  try {
    const { journal } = processor;
    const settlings =
      typeof list === "string"
        ? await readSettleList(list, journal, call, config)
        : await settlingsSaid(call, config, journal);
    touched = await carryOut(call, config, journal, settlings);
  } finally {
    await processor.close();
  }
  const code = await rewriteResults(call, config, touched);
  if (config.json) tell(call, config, "", { type: "summary", batches: touched, exit_code: gravest([code]) });
  return code;
}

const EXAMPLE = 'paydrop settle BATCH --row 91 --as not-done --by NAME --note "dashboard 1 Nov 10:12: no entry"';

async function settlingsSaid(call: Call, config: Config, journal: JournalStore): Promise<Settlings> {
  const as = asSaid(call.flags["as"]);
  if (as === undefined) throw new PaydropError("usage", "--as must be done or not-done", EXAMPLE);
  const by = personNamed(config, EXAMPLE);
  const note = textSaid(call.flags["note"]);
  if (note === undefined) throw new PaydropError("usage", "--note is missing: what was looked up, and where", EXAMPLE);
  const numbers = call.flags["row"] === undefined ? [] : rowsSaid(call.flags["row"]);
  if (numbers.length === 0) throw new PaydropError("usage", "--row is missing", EXAMPLE);
  const batch = await knownBatch(journal, call.operands[0]);
  const todo: Settling[] = [];
  const already: Settling[] = [];
  for (const number of numbers) {
    const row = await rowToSettle(journal, batch.id, number, config);
    if (!row) throw new PaydropError("usage", `batch ${batch.id} has no row ${number}`, "nothing was settled");
    const one = { batch: batch.id, row, as, by, note };
    if (row.state === as) already.push(one);
    else if (maySettle(row, as)) todo.push(one);
    else throw notToSettle(row, as);
  }
  return { todo, already, skipped: 0 };
}

/** `done`, `not-done`, in any writing of the space between. */
export function asSaid(value: unknown): SettledAs | undefined {
  const word = typeof value === "string" ? value.trim().toLowerCase().replace(/[\s_-]+/g, "-") : ""; // prettier-ignore
  if (word === "done") return "settled_done";
  return word === "not-done" ? "settled_not_done" : undefined;
}

/** The row as it is now; one that a dead process left on its way is unknown by then. */
export async function rowToSettle(
  journal: JournalStore,
  batchId: string,
  number: number,
  config: Config,
): Promise<RowRecord | undefined> {
  const row = await journal.row(batchId, number);
  if (row?.state !== "sending" || !(await recoverIfDead({ config }))) return row;
  return journal.row(batchId, number);
}

function maySettle({ state }: RowRecord, as: SettledAs): boolean {
  if (state === "unknown") return true;
  return as === "settled_done" ? state === "settled_not_done" : state === "accepted" || state === "settled_done";
}

function notToSettle({ number, state }: RowRecord, as: SettledAs): PaydropError {
  const is = state === "sending" ? "being sent at this moment" : state.replaceAll("_", " ");
  const hint =
    state === "accepted" && as === "settled_done"
      ? "the service accepted it already: nothing was settled"
      : "only an unknown row can be settled, or an accepted one that the bank gave back (as not-done); nothing was settled";
  return new PaydropError("usage", `row ${number} is ${is}`, hint);
}

/** All in one transaction; then the rows elsewhere that waited for these are judged. Gives the batches it changed. */
async function carryOut(
  call: Call,
  config: Config,
  journal: JournalStore,
  { todo, already, skipped }: Settlings,
): Promise<readonly string[]> {
  await Promise.all(
    todo.map(({ batch, row, as, by, note }) =>
      journal.settle(batch, row.number, as, { by, kind: "settle", note: noteOf(as, note) }, row.state),
    ),
  );
  for (const one of already) tell(call, config, alreadyText(one), objectOf(one, true));
  const touched = new Set<string>();
  for (const one of todo) {
    touched.add(one.batch);
    tell(call, config, settledText(one), objectOf(one, false));
    for (const waiting of await judgeWaiting(call, config, journal, one)) touched.add(waiting);
  }
  if (todo.length === 0 && skipped + already.length > 0) {
    const text = `Nothing was changed: ${already.length} settled before, ${skipped} without a decision.`;
    tell(call, config, text, { type: "nothing_changed", already: already.length, skipped });
  } else if (skipped > 0) {
    tell(call, config, `${skipped} without a decision yet.`, { type: "skipped", skipped });
  }
  return [...touched];
}

export function noteOf(as: SettledAs, note: string): string {
  return `as ${wordsOf(as)}: ${note}`;
}

function wordsOf(as: SettledAs): "done" | "not done" {
  return as === "settled_done" ? "done" : "not done";
}

function settledText({ batch, row, as, by }: Settling): string {
  const amount = row.amount === undefined ? "" : ` (${row.amount})`;
  const settled = `Row ${row.number}${amount} settled as ${wordsOf(as)} by ${by}.`;
  if (as === "settled_done") return `${settled} It is never sent again.`;
  const lines = [`${settled} It may go again:  paydrop retry ${batch}`];
  if (row.state === "accepted" || row.state === "settled_done") {
    lines.push(
      `  ATTENTION: it was ${row.state === "accepted" ? "accepted by the service" : "settled as done"} before. Sent again, it is paid twice unless the bank gave the money back.`,
      `  → a mistake?  paydrop settle ${batch} --row ${row.number} --as done --by NAME --note TEXT`,
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

/** Rows of other batches that were held until this one had an end. */
async function judgeWaiting(call: Call, config: Config, journal: JournalStore, settled: Settling): Promise<string[]> {
  const judge = createJudge(config);
  const judged: string[] = [];
  for (const id of await journal.waitingFor(settled.batch, settled.row.number)) {
    const waited = (await journal.rowsIn(id, ["held"])).filter(
      ({ code, other }) =>
        code === "other_row_open" && other?.batch === settled.batch && other.row === settled.row.number,
    );
    if (waited.length === 0) continue;
    await journal.judgeAgain(id, judge);
    const note = `row ${settled.row.number} of ${settled.batch} was settled as ${wordsOf(settled.as)} by ${settled.by}`;
    await journal.note(id, { by: "paydrop", kind: "judged", note });
    for (const { number } of waited) {
      const now = await journal.row(id, number);
      if (now) tell(call, config, waitedText(id, now), { type: "waited", batch: id, row: number, state: now.state });
    }
    judged.push(id);
  }
  return judged;
}

function waitedText(id: string, { number, state }: RowRecord): string {
  const waited = `Row ${number} of batch ${id} waited for it and is now ${state}`;
  if (state === "ready") return `${waited}. To send it:  paydrop retry ${id}`;
  return state === "held" ? `${waited} for another reason:  paydrop status ${id}` : `${waited}: nothing to do.`;
}
