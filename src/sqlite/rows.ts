import type { RowName } from "../checks/beside.ts";
import { addAct, batchOf, BATCH_ROW, conditions, keepTallies, mayHold, type BatchRow } from "./batches.ts";
import { datedIn } from "./batches.ts";
import { inPlace } from "./seen.ts";
import { bool, rowName, type Journal } from "./store.ts";
import {
  assertMove,
  batchesWith,
  batchesWithAny,
  move as moveRow,
  ON_ITS_WAY,
  PAYEE_KEY,
  WAITING_STATES,
} from "../journal/states.ts";
import { WENT, type Change, type RowState, type WaitingState } from "../journal/states.ts";
import type {
  Act,
  Committed,
  JournalStore,
  Leaving,
  Move,
  NewRow,
  Outcome,
  RowFilter,
  RowRecord,
} from "../journal/store.ts";
import type { Run, Totals, Who } from "../journal/store.ts";

const NEW_ROW = [
  ...["batch", "row", "state", "turn", "operation", "option", "amount", "payment", "payee", "zeros", "reference"],
  ...[
    "payeeAs",
    "referenceAs",
    "content",
    "period",
    "retryBatch",
    "retryRow",
    "place",
    "size",
    "crc",
    "faults",
    "notices",
    "code",
  ],
];

export function addRows(journal: Journal, id: string, rows: readonly NewRow[]): void {
  journal.write(() => {
    const { seq, phase, nextTurn } = batchOf(journal, id);
    if (phase !== "recording") throw new Error(`batch ${id} is ${phase}: it takes no more rows`);
    for (const [at, row] of rows.entries()) {
      const { retryOf, faults } = row;
      const retried = { retryBatch: retryOf?.batch, retryRow: retryOf?.row };
      journal.insert("row", NEW_ROW, {
        ...row,
        ...retried,
        batch: seq,
        turn: nextTurn + at,
        code: row.code ?? faults[0]?.code,
      });
    }
    journal.run("UPDATE batch SET nextTurn = ? WHERE seq = ?", nextTurn + rows.length, seq);
  });
}

/** Rows whose keys are entered in one go, sorted by key: each page of a large journal is then read and written once. */
const ENTERED_ROWS_MAX = 200_000;
const keysOf = (
  key: string,
  isNamed: string,
  only: string,
): string => `SELECT ${key} AS key, batch, row, ${isNamed} FROM row
  WHERE batch = ?1 AND row BETWEEN ?2 AND ?3 AND ${only}`;
const ENTER = `INSERT INTO key (key, batch, row, isNamed)
  ${keysOf("payment", "reference IS NOT NULL", "payment IS NOT NULL")}
  UNION ALL ${keysOf("reference", "0", "payment IS NOT NULL AND reference IS NOT NULL")}
  UNION ALL ${keysOf(PAYEE_KEY, "0", "payee IS NOT NULL")} ORDER BY 1, 2, 3`;

export function endRows(journal: Journal, id: string, { rows, total, label, payments, remarks }: Totals): void {
  journal.write(() => {
    const { seq } = batchOf(journal, id);
    const last = Number(journal.get("SELECT max(row) AS last FROM row WHERE batch = ?", seq)?.["last"] ?? 0);
    for (let from = 0; from <= last; from += ENTERED_ROWS_MAX)
      journal.run(ENTER, seq, from, from + ENTERED_ROWS_MAX - 1);
    const totals = "UPDATE batch SET rows = ?, total = ?, label = ?, payments = ?, remarks = ? WHERE seq = ?";
    journal.run(totals, rows, total, label, payments, JSON.stringify(remarks), seq);
  });
}

/** SQL: how many rows were accepted of a batch; counted while it is being sent. */
const accepted = (batch: string): string => `iif(${batch}.tallies IS NULL,
  (SELECT count(*) FROM row WHERE batch = ${batch}.seq AND state = 'accepted'), coalesce(${batch}.tallies ->> '$.accepted.rows', 0))`;
/**
 * The newest row that went, of those that correct the row `r`, or one of these corrections: by `retry_of`, or in place.
 */
const CORRECTION = `WITH RECURSIVE correction(id, row) AS (
    SELECT b.id, r.row UNION
    SELECT later.id, c.row FROM correction k JOIN row c ON c.retryBatch = k.id AND c.retryRow = k.row
      JOIN batch later ON later.seq = c.batch WHERE later.environment = b.environment UNION
    SELECT later.id, c.row FROM correction k JOIN batch e ON e.id = k.id JOIN row o ON o.batch = e.seq AND o.row = k.row
      JOIN batch later JOIN row c ON ${inPlace("e", "o", "later", "c", accepted)}
  ) SELECT ${rowName("later.id", "c.row")} FROM correction k JOIN batch later ON later.id = k.id
    JOIN row c ON c.batch = later.seq AND c.row = k.row
  WHERE ${WENT.replaceAll("r.", "c.").replaceAll("b.", "later.")} ORDER BY c.batch DESC, c.row DESC LIMIT 1`;
const RECORD = `b.id AS batch, r.row, r.state, ${bool(ON_ITS_WAY)} AS onItsWay, r.operation, r.option, r.amount, r.period, r.content,
  r.faults, r.notices, r.code, r.reasons, r.attempts, r.httpStatus, r.sentAt, r.wentAt, r.durationMs, r.response,
  r.settledBy, ${rowName("r.retryBatch", "r.retryRow")} AS retryOf,
  CASE WHEN r.state IN ('invalid', 'rejected') THEN (${CORRECTION}) END AS correctedBy`;

export function rows(journal: Journal, filter: RowFilter): RowRecord[] {
  const { batch, states, after, limit = -1 } = filter;
  const { where, values } = conditions([
    ["b.id = ?", batch],
    ["b.phase <> 'recording' OR ?", Number(batch !== undefined)],
    ["b.environment = ?", filter.environment],
    ["r.state IN (SELECT value FROM json_each(?))", states],
    ["r.code IN (SELECT value FROM json_each(?))", filter.codes],
    ["r.row IN (SELECT value FROM json_each(?))", filter.rows],
    ["r.row > ?", after],
  ]);
  const only =
    states && states.length > 0 ? `AND ${mayHold(states)} ${batch === undefined ? amongWaiting(states) : ""}` : "";
  const sql = `SELECT ${RECORD}${filter.hasPayee ? ", r.payee" : ""} FROM batch b CROSS JOIN row r ON r.batch = b.seq WHERE ${where} ${only} ORDER BY b.seq, r.row`;
  return journal.records<RowRecord>(`${sql} LIMIT ?`, ...values, limit).map((row) => ({ ...NOTHING, ...row }));
}

/** Where all of them are states that few rows are in, batches without them are not looked at. */
function amongWaiting(states: readonly RowState[]): string {
  const isWaiting = (state: RowState): state is WaitingState => (WAITING_STATES as readonly RowState[]).includes(state);
  return states.every(isWaiting) ? `AND b.seq IN (${batchesWithAny("row", states)})` : "";
}

const NOTHING: Pick<RowRecord, "faults" | "notices" | "reasons"> = { faults: [], notices: [], reasons: [] };

/** The rows of one batch in a transaction that moves some of them. */
class Mover {
  readonly #journal: Journal;
  readonly #batch: BatchRow;
  #nextTurn: number;

  constructor(journal: Journal, batch: BatchRow) {
    this.#journal = journal;
    this.#batch = batch;
    this.#nextTurn = batch.nextTurn;
  }

  /** false: the row was in another state, or on its way against expectation. */
  move(change: Omit<Change, "turn">): boolean {
    const turn = change.to === "ready" ? { turn: this.#nextTurn } : {};
    const isMoved = moveRow((sql, ...values) => this.#journal.run(sql, ...values), this.#batch, { ...change, ...turn });
    if (isMoved && change.to === "ready") this.#nextTurn += 1;
    return isMoved;
  }

  /** `at`: the latest time that the journal knows from now on; `mark`: the new one, and how many rows it lets go. */
  end(at: number, mark = this.#batch.mark, letGo = 0): void {
    // apart: of nearly all commits it changes nothing, and no index is written
    this.#journal.run("UPDATE batch SET tallies = NULL WHERE seq = ? AND tallies IS NOT NULL", this.#batch.seq);
    const sql = "UPDATE batch SET mark = ?, nextTurn = ?, letGo = letGo + ?, lastAt = max(lastAt, ?) WHERE seq = ?";
    this.#journal.run(sql, mark, this.#nextTurn, letGo, at, this.#batch.seq);
  }
}

/** A person, or the judge, moves rows: never one that is on its way. */
export function move(journal: Journal, id: string, moves: readonly Move[], act?: Act): number[] {
  return journal.write(() => {
    const batch = batchOf(journal, id);
    const mover = new Mover(journal, batch);
    const moved = moves.filter(({ row, from, to, reasons }) => {
      for (const state of from) assertMove(state, to, act !== undefined);
      if (to === "ready" && !journal.isJudging) throw new Error("rows become ready inside judging only (I14)");
      return mover.move({
        ...{ row, from, to, isOnItsWay: false },
        code: to === "ready" ? undefined : reasons?.[0]?.code,
        reasons: reasons && JSON.stringify(reasons),
        settledBy: to === "settled_done" || to === "settled_not_done" ? (act?.by ?? act?.login) : undefined,
      });
    });
    const rows = moved.map(({ row }) => row);
    if (rows.length > 0) mover.end(act?.at ?? 0);
    if (rows.length > 0 && act) addAct(journal, { ...act, batch: id, rows });
    if (rows.length > 0 && batch.phase !== "recording") keepTallies(journal, batch.seq);
    return rows;
  });
}

const HOLD = `SELECT CASE WHEN EXISTS (SELECT 1 FROM hold h
    WHERE b.folder = h.folder OR substr(b.folder, 1, length(h.folder) + 1) = h.folder || '/') THEN 'folder_held'
    WHEN b.approvers > 0 AND b.approvedUntil <= ? THEN 'approval_wanted' END AS hold
  FROM batch b WHERE seq = ?`;
const NEXT = `SELECT row, turn, operation, amount, attempts, place, size, crc FROM row
  WHERE batch = ? AND state = 'ready' AND turn > ? ORDER BY turn LIMIT ?`;

export function commit(journal: Journal, id: string, outcomes: readonly Outcome[], freeLanes: number): Committed {
  const committing = (lanes: number, isLast: boolean) => (): Committed => {
    const batch = batchOf(journal, id);
    const [{ hold } = {}] = journal.records<Pick<Committed, "hold">>(HOLD, Date.now(), batch.seq);
    const mover = new Mover(journal, batch);
    for (const outcome of outcomes) takeOutcome(mover, outcome, isLast);
    const mayGo = batch.phase === "open" && !hold ? Math.max(0, lanes) : 0;
    const next = journal.records<Leaving & { readonly turn: number }>(NEXT, batch.seq, batch.mark, mayGo);
    const lastAt = Math.max(0, ...outcomes.map(({ sentAt = 0, durationMs = 0 }) => sentAt + durationMs));
    if (outcomes.length + next.length > 0) mover.end(lastAt, next.at(-1)?.turn, next.length);
    return { leaving: next.map(leavingOf), phase: batch.phase, hold };
  };
  return journal.writeOutcomes(committing(freeLanes, false), committing(0, true));
}

function leavingOf({ row, operation, amount, attempts, place, size, crc }: Leaving): Leaving {
  return { row, operation, amount, attempts, place, size, crc };
}

/** `isLast`: after a failure; some of the outcomes may have been saved already. */
function takeOutcome(mover: Mover, outcome: Outcome, isLast: boolean): void {
  const { row, state, code, ...answer } = outcome;
  const to = state === "again" ? "ready" : state;
  assertMove("on_its_way", to, false);
  if (mover.move({ row, from: ["ready"], to, isOnItsWay: true, code, answer }) || isLast) return;
  throw new Error(`row ${row} has an outcome, but was not on its way`);
}

function onTheirWay(journal: Journal, { seq, mark }: BatchRow): number[] {
  const sql = "SELECT row FROM row WHERE batch = ? AND state = 'ready' AND turn <= ? ORDER BY turn";
  return journal.all(sql, seq, mark).map(({ row }) => Number(row));
}

/** Inside a transaction of its caller for each batch: recovery can end halfway, and begin again. */
export function recover(journal: Journal, who: Who): { readonly unknown: RowName[] } {
  const crashed = `${BATCH_ROW} WHERE seq IN ${batchesWith("row", "ready")}
    AND EXISTS (SELECT 1 FROM row r WHERE r.batch = b.seq AND ${ON_ITS_WAY})`;
  const batches = journal.all(crashed) as unknown as BatchRow[];
  return { unknown: batches.flatMap((batch) => journal.write(() => recoverBatch(journal, batch, who))) };
}

function recoverBatch(journal: Journal, batch: BatchRow, who: Who): RowName[] {
  const mover = new Mover(journal, batch);
  const rows = onTheirWay(journal, batch).sort((one, other) => one - other);
  // it may have left: that counts as a try, which tells the row from the same one after a person let it go again
  const left = { to: "unknown", isOnItsWay: true, code: "interrupted", answer: { tries: 1 } } as const;
  for (const row of rows) mover.move({ row, from: ["ready"], ...left });
  mover.end(0);
  addAct(journal, { ...who, at: Date.now(), kind: "recover", batch: batch.id, rows });
  keepTallies(journal, batch.seq);
  return rows.map((row) => ({ batch: batch.id, row }));
}

export function beginRun(journal: Journal, id: string, who: Who, startedAt: number): number {
  return journal.write(() => {
    const batch = batchOf(journal, id);
    // of a run of this very process that ended without a word: its end would give such rows new turns (I4, I15)
    if (onTheirWay(journal, batch).length > 0) recoverBatch(journal, batch, who);
    journal.run("UPDATE batch SET lastAt = max(lastAt, ?) WHERE seq = ?", datedIn(journal, startedAt), batch.seq);
    journal.insert("run", BEGUN, { ...who, batch: id, startedAt });
    return Number(journal.get("SELECT last_insert_rowid() AS id")?.["id"]);
  });
}

const BEGUN = ["batch", "login", "host", "by", "startedAt"];

/** Rows that were let go and did not leave get new turns: a clean end makes nothing unknown (I4). */
export function endRun(journal: Journal, ...[run, ended]: Parameters<JournalStore["endRun"]>): void {
  journal.write(() => {
    const batch = batchOf(journal, String(journal.get("SELECT batch FROM run WHERE id = ?", run)?.["batch"]));
    const mover = new Mover(journal, batch);
    for (const row of onTheirWay(journal, batch)) mover.move({ row, from: ["ready"], to: "ready", isOnItsWay: true });
    mover.end(ended.endedAt);
    keepTallies(journal, batch.seq);
    const { endedAt, exitCode, requests, stop = null } = ended;
    const sql = "UPDATE run SET endedAt = ?, exitCode = ?, requests = ?, stop = ? WHERE id = ?";
    journal.run(sql, endedAt, exitCode, requests, stop, run);
  });
}

export function runs(journal: Journal, batch: string): Run[] {
  const columns = "batch, login, host, by, startedAt, endedAt, exitCode, requests, stop";
  return journal.records(`SELECT ${columns} FROM run WHERE batch = ? ORDER BY id`, batch);
}

export function acts(journal: Journal, { batch, since = 0 }: Parameters<JournalStore["acts"]>[0]): Act[] {
  const sql = `SELECT at, kind, login, host, by, batch, rows, "as", note FROM act WHERE at >= ?`;
  if (batch === undefined) return journal.records(`${sql} ORDER BY id`, since);
  return journal.records(`${sql} AND batch = ? ORDER BY id`, since, batch);
}
