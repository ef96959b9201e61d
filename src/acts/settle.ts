import { isSameAmount, sumOf } from "../amount.ts";
import { isoSecond } from "../day.ts";
import { PaydropError } from "../errors.ts";
import { PROPOSED } from "../journal/approval.ts";
import { judgeWaiting } from "../journal/judge.ts";
import { becomesContradicted, maySettle, type SettledAs } from "../journal/states.ts";
import type { BatchRecord, RowRecord } from "../journal/store.ts";
import type { Found } from "../messages/acts.ts";
import { STATUSES } from "../messages/statuses.ts";
import { statusOf } from "../results/totals.ts";
import {
  actBy,
  knownBatch,
  neededText,
  rowsNamed,
  typedSum,
  writeAfter,
  type Acted,
  type Named,
  type Open,
  type Person,
} from "./act.ts";
import { changedSince, type Seen } from "./as-seen.ts";

/** What a person says of one row. */
export interface Settling {
  readonly batch: BatchRecord;
  readonly row: RowRecord;
  readonly as: SettledAs;
  readonly by: string;
  readonly note: string;
}

export interface Settlings {
  readonly todo: readonly Settling[];
  /** What they are by now is not what the person had seen, or is what is said. */
  readonly already: readonly Settling[];
  /** Lines of a list without a decision. */
  readonly skipped: number;
}

interface Values {
  readonly batch: string;
  readonly rows: readonly number[];
  readonly as: SettledAs;
  readonly note: string;
  /** The sum of what went and is said not to have gone, as the person typed it. */
  readonly total?: string | undefined;
  readonly seen?: Seen;
}

export interface Settled extends Acted {
  readonly settled: number;
  readonly already: number;
  readonly skipped: number;
}

/** `done`, `not-done`, in any writing of what stands between. */
export function settledAs(said: unknown): SettledAs | undefined {
  const word = typeof said === "string" ? said.trim().toLowerCase() : "";
  if (word === "done") return "settled_done";
  return /^not[\s_-]+done$/.test(word) ? "settled_not_done" : undefined;
}

/** A person says what became of unknown rows. It works while another process sends. */
export async function settle(open: Open, who: Named, values: Values): Promise<Settled> {
  const note = neededText(values.note, "note");
  const said = await saidByRows(open, who, values, () => note);
  // what went, and is settled as not done, may be paid twice: the sum of such rows is typed
  const went = said.todo.filter(({ row }) => row.state === "accepted" || row.state === "settled_done");
  const sum = sumOf(went.map(({ row }) => row));
  const [first] = went;
  if (first && !isSameAmount(typedSum(values.total ?? ""), sum))
    throw new PaydropError("settle_accepted", { batch: first.batch.id, rows: went.length, sum });
  return settleAll(open, who, said, values.seen !== undefined);
}

/** An unknown row for which a line of a statement speaks (README §15), as it was when the two were compared: `seenOf`. */
interface Proposed extends Record<"batch" | "note" | "seen", string> {
  readonly row: number;
}

/** Many at once, such as those that went, or came back, as a statement says. `total`: their sum, as the person typed it. */
export async function settleProposed(
  open: Open,
  who: Named,
  { rows, total, as = "settled_done" }: { rows: readonly Proposed[]; total: string; as?: SettledAs },
): Promise<Settled> {
  const todo: Settling[] = [];
  const already: Settling[] = [];
  for (const [batch, all] of Map.groupBy(rows, (one) => one.batch)) {
    const notes = new Map(all.map(({ row, note }) => [row, note]));
    const values = { batch, rows: [...notes.keys()], as, seen: all.map(({ seen }) => seen) } as const;
    const said = await saidByRows(open, who, values, (row) => notes.get(row) ?? "");
    todo.push(...said.todo);
    already.push(...said.already);
  }
  assertSum([...todo, ...already], total);
  return settleAll(open, who, { todo, already, skipped: 0 }, true);
}

/** What a machine proposes counts by a person's sum alone (README §15). Throws PaydropError `usage`. */
export function assertSum(proposed: readonly Settling[], total: string): void {
  const sum = sumOf(proposed.map(({ row }) => row));
  if (proposed.length > 0 && !isSameAmount(typedSum(total), sum))
    throw new PaydropError("settle_proposed", { rows: proposed.length, sum });
}

async function saidByRows(
  { store }: Open,
  { by }: Named,
  { batch: said, rows, as, seen }: Omit<Values, "note" | "total">,
  noteOf: (row: number) => string,
): Promise<Settlings> {
  const batch = await knownBatch(store, said);
  const found = await rowsNamed(store, batch.id, rows);
  const settlings = found.map((row) => ({ batch, row, as, by, note: noteOf(row.row) }));
  // at the desk: what somebody else said of one meanwhile stands
  const settled = settlings.map(({ row }) => row);
  const changed = new Set(changedSince(seen, settled));
  const isOpen = ({ row, as: to }: Settling): boolean => !changed.has(row) && row.state !== to;
  const already = settlings.filter((one) => !isOpen(one));
  const todo = settlings.filter(isOpen);
  for (const { row } of todo) {
    const facts = { batch: batch.id, row: row.row, state: STATUSES[statusOf(row)].word };
    if (row.onItsWay) throw new PaydropError("settle_too_soon", facts);
    if (!maySettle(row.state, as, { wasSettled: row.settledBy !== undefined }))
      throw new PaydropError("settle_state", facts);
  }
  return { todo, already, skipped: 0 };
}

/** The request of a lost host may still arrive (README §13): until it cannot, nobody knows that a row was not done. */
async function assertQuiet({ store, config }: Open, todo: readonly Settling[]): Promise<void> {
  for (const { batch, row, as } of todo) {
    if (as === "settled_done") continue;
    const waitMs = await store.hosts.quietIn(batch.id, row.row, config.timeout);
    const until = isoSecond(store.now() + waitMs + 1000);
    if (waitMs > 0) throw new PaydropError("settle_not_quiet", { batch: batch.id, row: row.row, until });
  }
}

/** What became of one saying, or of those of one batch: codes with facts, exit codes, rows that changed. */
interface Part {
  readonly found: readonly Found[];
  readonly changed: number;
  readonly code: number;
}

/**
 * Rows that waited for a settled one are judged again; results say what was settled. `who`: whose process it is; in a list
 * each line has its own name. `isOnPage`: they were shown there.
 */
export async function settleAll(
  open: Open,
  who: Person,
  { todo, already, skipped }: Settlings,
  isOnPage = false,
): Promise<Settled> {
  const { store, config } = open;
  await assertQuiet(open, todo);
  const found: Found[] = [];
  let [settled, code] = [0, 0];
  let failed: Error | undefined;
  for (const all of Map.groupBy([...already, ...todo], ({ batch }) => batch.id).values()) {
    const [{ batch }] = all as [Settling, ...Settling[]];
    const others = all.filter((one) => already.includes(one));
    const alike = Map.groupBy(
      todo.filter((one) => all.includes(one)),
      ({ as, by, note, row }) => `${row.state}\n${as}\n${by}\n${note}`,
    );
    let changed = 0;
    for (const same of alike.values()) {
      const moved = await settleAlike(open, who, same as [Settling, ...Settling[]]);
      settled += moved.length;
      changed += moved.length;
      for (const one of same) {
        if (moved.includes(one.row.row)) found.push(settledOne(one));
        else others.push(one);
      }
    }
    for (const one of others) {
      const part = await stands(open, who, one, isOnPage);
      found.push(...part.found);
      changed += part.changed;
      code = Math.max(code, part.code);
    }
    if (changed === 0) continue;
    const waiting = await store.judging(() => judgeWaiting(store, [batch.id], batch.environment, config, store.now()));
    for (const [other, rows] of waiting) found.push({ code: "freed", facts: { batch: other, rows } });
    const written = await writeAfter(open, batch.id);
    code = Math.max(code, written.code);
    failed ??= written.failed;
  }
  if (skipped > 0) found.push({ code: "settled_skipped", facts: { lines: skipped } });
  return { found, code, failed, settled, already: already.length, skipped };
}

function settledOne({ batch, row, as, by }: Settling): Found {
  const { row: number, amount, state: was, settledBy } = row;
  const isOtherwise = as === "settled_done" && was !== "unknown" && settledBy !== by;
  const before = isOtherwise ? settledBy : undefined;
  return { code: as, facts: { batch: batch.id, row: number, amount, by, was, phase: batch.phase, before } };
}

/** I5: the act and its rows are written down together. Gives those rows: what somebody settled meanwhile is left as it is. */
function settleAlike(
  open: Open,
  who: Person,
  settlings: readonly [Settling, ...Settling[]],
): Promise<readonly number[]> {
  const [{ batch, as: to, by, note, row: first }] = settlings;
  // an auditor reads an accepted row that was given back otherwise than an unknown one
  const before = first.state === "unknown" ? "" : `, ${STATUSES[statusOf(first)].word} before`;
  const as = `${to === "settled_done" ? "done" : "not-done"}${before}`;
  const said = { as, by, note, batch: batch.id, rows: settlings.map(({ row }) => row.row) };
  const moves = settlings.map(({ row }) => ({ row: row.row, to, from: [row.state] }));
  return open.store.move(batch.id, moves, actBy(open, who, "settle", said));
}

/**
 * What another person said first stands, and is told. But a row that may go by that word, and went by this one, waits for
 * a third.
 */
async function stands(open: Open, who: Person, said: Settling, isOnPage: boolean): Promise<Part> {
  const { store } = open;
  const { batch, as, by, note } = said;
  const [row = said.row] = await store.rows({ batch: batch.id, rows: [said.row.row] });
  const facts = { batch: batch.id, row: row.row, amount: row.amount, state: row.state, before: row.settledBy };
  const to = as === "settled_done" && !row.onItsWay ? becomesContradicted(row, batch.phase) : undefined;
  if (to) {
    const reason = { code: "contradiction", notDone: row.settledBy ?? "", done: by } as const;
    // whoever lets it go after this proposes it anew: else neither a release nor an approval could
    const before = row.reasons.filter(({ code }) => code !== PROPOSED);
    const reasons = to === "held" ? [reason, ...(row.state === "held" ? before : [])] : undefined;
    const act = { as: `done, ${STATUSES[statusOf(row)].word} before`, by, note, batch: batch.id, rows: [row.row] };
    const moves = [{ row: row.row, to, from: [row.state], ...(reasons && { reasons }) }];
    const isMoved = (await store.move(batch.id, moves, actBy(open, who, "settle", act))).length > 0;
    // it has just left, or another person was faster once more
    if (!isMoved) return stands(open, who, { ...said, row }, isOnPage);
    const code = to === "held" ? "settled_contradicted" : to;
    return { found: [{ code, facts: { ...facts, by } }], changed: 1, code: to === "held" ? 6 : 0 };
  }
  const word = row.onItsWay ? "on its way" : STATUSES[statusOf(row)].word;
  const isSettled = row.state === "settled_done" || row.state === "settled_not_done";
  const isSentAgain = as === "settled_done" && row.settledBy !== undefined && !isSettled;
  const isOtherwise = isSettled && row.state !== as;
  const code = isSentAgain
    ? "settled_sent_again"
    : isOtherwise
      ? "settled_otherwise"
      : !isSettled && isOnPage
        ? "settled_changed"
        : "settled_before";
  const told = { ...facts, word, by: isSettled ? row.settledBy : undefined };
  return { found: [{ code, facts: told }], changed: 0, code: code === "settled_before" ? 0 : 2 };
}
