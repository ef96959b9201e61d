import { basename, resolve } from "node:path";
import { changedSince, type Seen } from "../acts/as-seen.ts";
import { knownBatch, rowsNamed } from "../acts/open.ts";
import { canonicalAmount, isSameAmount, PLAIN_DECIMAL, sumOf } from "../amount.ts";
import { actOf } from "../batch.ts";
import { normalizeName } from "../column-name.ts";
import type { Config } from "../config/schema.ts";
import { isoSecond } from "../day.ts";
import { FileRefusedError, PaydropError } from "../errors.ts";
import { openRegular } from "../intake/snapshot.ts";
import { judgeWaiting } from "../journal/judge.ts";
import { becomesContradicted, maySettle, type SettledAs } from "../journal/states.ts";
import type { BatchRecord, JournalStore, RowRecord } from "../journal/store.ts";
import type { Fault } from "../messages/sentence.ts";
import { STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import { openTable } from "../reader/open-table.ts";
import type { Row } from "../reader/row.ts";
import { textOf } from "../results/table.ts";
import { statusOf } from "../results/totals.ts";
import { optionOf, rowsSaid, say, summarize, textNeeded, type Call } from "./command.ts";
import { nameSaid, withWork, writtenAfter, type OpenedWork } from "./open-work.ts";
import { personNamed } from "./prove.ts";

const EXAMPLE = 'paydrop settle BATCH --row 91 --as not-done --by NAME --note "dashboard 1 Nov 10:12: no entry"';

interface Settling {
  readonly batch: BatchRecord;
  readonly row: RowRecord;
  readonly as: SettledAs;
  readonly by: string;
  readonly note: string;
}

interface Settlings {
  readonly todo: readonly Settling[];
  /** What they are by now is not what the person had seen, or is what is said. */
  readonly already: readonly Settling[];
  /** Lines of a list without a decision. */
  readonly skipped: number;
}

/** A person says what became of unknown rows. It works while another process sends. */
export function run(call: Call): Promise<number> {
  return withWork(call, "either", async (work) => {
    const list = optionOf(call, "from");
    const found = list === undefined ? await saidByRows(call, work) : await saidByList(list, call, work);
    await assertQuiet(work, found.todo);
    return carryOut(call, work, found);
  });
}

async function saidByRows(call: Call, work: OpenedWork): Promise<Settlings> {
  const as = asSaid(call.flags["as"]);
  if (as === undefined) throw new PaydropError("settle_as", { example: EXAMPLE });
  const { store } = work;
  const { by } = personNamed(call, work, EXAMPLE);
  const note = textNeeded(call, "note", EXAMPLE);
  const numbers = rowsSaid(call);
  if (!numbers) throw new PaydropError("word_missing", { option: "--row", example: EXAMPLE });
  const batch = await knownBatch(store, call.operands[0]);
  const settlings = (await rowsNamed(store, batch.id, numbers)).map((row) => ({ batch, row, as, by, note }));
  // at the desk: what somebody else said of one meanwhile stands
  const seen = settlings.map(({ row }) => row);
  const changed = new Set(changedSince(call.flags["seen"] as Seen, seen));
  const isOpen = ({ row, as: to }: Settling): boolean => !changed.has(row) && row.state !== to;
  const already = settlings.filter((one) => !isOpen(one));
  const todo = settlings.filter(isOpen);
  for (const { row } of todo) {
    const facts = { batch: batch.id, row: row.row, state: STATUSES[statusOf(row)].word };
    if (row.onItsWay) throw new PaydropError("settle_too_soon", facts);
    if (!maySettle(row.state, as, row.settledBy !== undefined)) throw new PaydropError("settle_state", facts);
  }
  // what went, and is settled as not done, may be paid twice: the sum of such rows is typed
  const went = todo.flatMap(({ row }) => (["accepted", "settled_done"].includes(row.state) ? [row] : []));
  const sum = sumOf(went);
  if (went.length > 0 && !isSameAmount(optionOf(call, "total") ?? "", sum)) {
    throw new PaydropError("settle_accepted", { batch: batch.id, rows: went.length, sum });
  }
  return { todo, already, skipped: 0 };
}

/** The request of a lost host may still arrive (DESIGN §13): until it cannot, nobody knows that a row was not done. */
async function assertQuiet({ store, config, now }: OpenedWork, todo: readonly Settling[]): Promise<void> {
  if (!store.hosts) return;
  for (const { batch, row, as } of todo) {
    if (as === "settled_done") continue;
    const waitMs = await store.hosts.quietIn(batch.id, row.row, config.timeout);
    const until = isoSecond(now() + waitMs + 1000);
    if (waitMs > 0) throw new PaydropError("settle_not_quiet", { batch: batch.id, row: row.row, until });
  }
}

/** `done`, `not-done`, in any writing of what stands between. */
function asSaid(said: unknown): SettledAs | undefined {
  const word = typeof said === "string" ? said.trim().toLowerCase() : "";
  if (word === "done") return "settled_done";
  return /^not[\s_-]+done$/.test(word) ? "settled_not_done" : undefined;
}

/** The filled-in list of `status --unknown --csv`. It may be old: nothing that went is settled as not done by it. */
async function saidByList(path: string, call: Call, { store, config }: OpenedWork): Promise<Settlings> {
  if (call.operands.length > 0 || call.flags["row"] !== undefined || call.flags["as"] !== undefined) {
    throw new PaydropError("list_alone");
  }
  const fileName = basename(path);
  await (await openRegular(resolve(path))).close();
  const table = await openTable(resolve(path), fileName, { encoding: config.encoding });
  const faults: Fault[] = [];
  const todo = new Map<string, Settling>();
  const already: Settling[] = [];
  let skipped = 0;
  for await (const rows of table.rows()) {
    for (const row of rows) {
      const cell = cellsOf(row);
      if (cell("as") === "") {
        skipped += 1;
        continue;
      }
      const found = await settlingOf(cell, store, config);
      if ("code" in found) faults.push({ ...found, row: row.number });
      else if (todo.has(placeOf(found))) faults.push({ code: "list_twice", row: row.number });
      else if (found.row.state !== "unknown") already.push(found);
      else todo.set(placeOf(found), found);
    }
  }
  if (faults.length > 0) throw new FileRefusedError(fileName, faults);
  return { todo: [...todo.values()], already, skipped };
}

const placeOf = ({ batch, row }: Settling): string => `${batch.id} ${row.row}`;

type Cell = (name: string) => string;

/** A cell by its column, as a spreadsheet may have saved it. */
function cellsOf({ columns, cells }: Row): Cell {
  const names = columns.map(normalizeName);
  return (name) =>
    textOf(cells[names.indexOf(normalizeName(name))] ?? "")
      .replace(/^'(?=[=+\-@])/, "")
      .trim();
}

async function settlingOf(cell: Cell, store: JournalStore, config: Config): Promise<Settling | Fault> {
  const as = asSaid(cell("as"));
  if (!as) return { code: "list_as", column: "as", facts: { said: printable(cell("as"), 40) } };
  const by = nameSaid(cell("by") || config.by);
  if (by === undefined) return { code: "list_by", column: "by" };
  const note = printable(cell("note"), 1000);
  if (note === "") return { code: "list_note", column: "note" };
  const id = cell("batch");
  const [batch] = id === "" ? [] : await store.batches({ id });
  if (!batch) return { code: "list_batch", column: "batch", facts: { said: printable(id, 40) } };
  // some programs take a column with an empty cell for fractions, and save 91 as 91.0
  const number = cell("row").replace(/\.0+$/, "");
  const [row] = /^\d{1,9}$/.test(number) ? await store.rows({ batch: id, rows: [Number(number)] }) : [];
  if (!row) return { code: "list_row", column: "row", facts: { said: printable(number, 40), batch: id } };
  const facts = { row: row.row, batch: id };
  if (row.onItsWay) return { code: "list_going", column: "row", facts };
  // a column that was sorted without the others leaves a decision beside another row than the one looked up
  const amount = cell("amount");
  const isMoved = PLAIN_DECIMAL.test(amount) && canonicalAmount(amount) !== canonicalAmount(row.amount ?? amount);
  if (isMoved) return { code: "list_moved", column: "amount", facts: { ...facts, amount, is: row.amount } };
  const attempt = cell("attempt").replace(/\.0+$/, "");
  const isLater = row.state === "unknown" && attempt !== "" && attempt !== String(row.attempts);
  if (isLater) return { code: "list_old", column: "attempt", facts };
  return { batch, row, as, by, note };
}

/** Rows that waited for a settled one are judged again; results say what was settled. */
async function carryOut(call: Call, work: OpenedWork, { todo, already, skipped }: Settlings): Promise<number> {
  const { store, config, now } = work;
  const codes: number[] = [];
  let settled = 0;
  for (const all of Map.groupBy([...already, ...todo], ({ batch }) => batch.id).values()) {
    const [{ batch }] = all as [Settling, ...Settling[]];
    const others = all.filter((one) => already.includes(one));
    const alike = Map.groupBy(todo.filter((one) => all.includes(one)), ({ as, by, note, row }) => `${row.state}\n${as}\n${by}\n${note}`); // prettier-ignore
    let changed = 0;
    for (const same of alike.values()) {
      const moved = await settle(work, same as [Settling, ...Settling[]]);
      settled += moved.length;
      changed += moved.length;
      for (const one of same) {
        if (moved.includes(one.row.row)) tellSettled(call, work, one);
        else others.push(one);
      }
    }
    for (const one of others) {
      const { isMoved, code } = await stands(call, work, one);
      changed += Number(isMoved);
      codes.push(code);
    }
    if (changed === 0) continue;
    const waiting = await store.judging(() => judgeWaiting(store, [batch.id], batch.environment, config, now()));
    for (const [other, rows] of waiting) say(call, config, "freed", { batch: other, rows });
    codes.push(await writtenAfter(call, work, batch.id));
  }
  if (skipped > 0) say(call, config, "settled_skipped", { lines: skipped });
  return summarize(call, config, Math.max(0, ...codes), { settled, already: already.length, skipped });
}

function tellSettled(call: Call, { config }: OpenedWork, { batch, row, as, by }: Settling): void {
  const { row: number, amount, state: was, settledBy } = row;
  const isOtherwise = as === "settled_done" && was !== "unknown" && settledBy !== by;
  const before = isOtherwise ? settledBy : undefined;
  say(call, config, as, { batch: batch.id, row: number, amount, by, was, phase: batch.phase, before });
}

/** I5: the act and its rows are written down together. Gives those rows: what somebody settled meanwhile is left as it is. */
function settle(work: OpenedWork, settlings: readonly [Settling, ...Settling[]]): Promise<readonly number[]> {
  const [{ batch, as: to, by, note, row: first }] = settlings;
  // an auditor reads an accepted row that was given back otherwise than an unknown one
  const before = first.state === "unknown" ? "" : `, ${STATUSES[statusOf(first)].word} before`;
  const as = `${to === "settled_done" ? "done" : "not-done"}${before}`;
  const said = { as, by, note, batch: batch.id, rows: settlings.map(({ row }) => row.row) };
  const moves = settlings.map(({ row }) => ({ row: row.row, to, from: [row.state] }));
  return work.store.move(batch.id, moves, actOf(work, "settle", said));
}

/**
 * What another person said first stands, and is told. But a row that may go by that word, and went by this one, waits for
 * a third. `code`: the exit code.
 */
async function stands(call: Call, work: OpenedWork, said: Settling): Promise<{ isMoved: boolean; code: number }> {
  const { store, config } = work;
  const { batch, as, by, note } = said;
  const [row = said.row] = await store.rows({ batch: batch.id, rows: [said.row.row] });
  const facts = { batch: batch.id, row: row.row, amount: row.amount, state: row.state, before: row.settledBy };
  const to = as === "settled_done" && !row.onItsWay ? becomesContradicted(row, batch.phase) : undefined;
  if (to) {
    const reason = { code: "contradiction", notDone: row.settledBy ?? "", done: by } as const;
    const reasons = to === "held" ? [reason, ...(row.state === "held" ? row.reasons : [])] : undefined;
    const act = { as: `done, ${STATUSES[statusOf(row)].word} before`, by, note, batch: batch.id, rows: [row.row] };
    const moves = [{ row: row.row, to, from: [row.state], ...(reasons && { reasons }) }];
    const isMoved = (await store.move(batch.id, moves, actOf(work, "settle", act))).length > 0;
    // it has just left, or another person was faster once more
    if (!isMoved) return stands(call, work, { ...said, row });
    say(call, config, to === "held" ? "settled_contradicted" : to, { ...facts, by });
    return { isMoved, code: to === "held" ? 6 : 0 };
  }
  const word = row.onItsWay ? "on its way" : STATUSES[statusOf(row)].word;
  const isSettled = row.state === "settled_done" || row.state === "settled_not_done";
  const isSentAgain = as === "settled_done" && row.settledBy !== undefined && !isSettled;
  const isOtherwise = isSettled && row.state !== as;
  const isAtDesk = call.flags["seen"] !== undefined;
  const sentence = isSentAgain
    ? "settled_sent_again"
    : isOtherwise
      ? "settled_otherwise"
      : !isSettled && isAtDesk
        ? "settled_changed"
        : "settled_before";
  say(call, config, sentence, { ...facts, word, by: isSettled ? row.settledBy : undefined });
  return { isMoved: false, code: sentence === "settled_before" ? 0 : 2 };
}
