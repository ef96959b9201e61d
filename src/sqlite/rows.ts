import type { SQLInputValue } from "node:sqlite";
import { addAct, batchOf, conditions, foundBy, keepTallies, mayHold } from "./batches.ts";
import { Mover } from "./mover.ts";
import { enterKeys } from "./own-keys.ts";
import { inPlace } from "./seen.ts";
import { bool, byName, LIMIT, recordsOf, rowName, type Journal, type Lists } from "./store.ts";
import { assertMove, batchesWithAny, ON_ITS_WAY, WAITING_STATES, WENT } from "../journal/states.ts";
import type { RowState, WaitingState } from "../journal/states.ts";
import type { Act, Move, NewRow, RowFilter, RowRecord, Totals } from "../journal/store.ts";

/** The columns of a new row, but for its batch and turn, each with what stands there. */
const NEW_ROW: readonly (readonly [column: string, value: (row: NewRow) => SQLInputValue | undefined])[] = [
  ["row", ({ row }) => row],
  ["state", ({ state }) => state],
  ["operation", ({ operation }) => operation],
  ["option", ({ option }) => option],
  ["amount", ({ amount }) => amount],
  ["payment", ({ payment }) => payment],
  ["payee", ({ payee }) => payee],
  ["zeros", ({ zeros }) => zeros],
  ["reference", ({ reference }) => reference],
  ["payeeAs", ({ payeeAs }) => payeeAs],
  ["referenceAs", ({ referenceAs }) => referenceAs],
  ["last4", ({ last4 }) => last4],
  ["employee", ({ employee }) => employee],
  ["mobile", ({ mobile }) => mobile],
  ["email", ({ email }) => email],
  ["named", ({ named }) => named],
  ["content", ({ content }) => content],
  ["period", ({ period }) => period],
  ["retryBatch", ({ retryOf }) => retryOf?.batch],
  ["retryRow", ({ retryOf }) => retryOf?.row],
  ["place", ({ place }) => place],
  ["size", ({ size }) => size],
  ["crc", ({ crc }) => crc],
  ["faults", ({ faults }) => inJson(faults)],
  ["notices", ({ notices }) => inJson(notices)],
  ["code", ({ code, faults }) => code ?? faults[0]?.code],
];
const inJson = (list: readonly object[]): string | undefined => (list.length === 0 ? undefined : JSON.stringify(list));

/** As it crosses into the thread of the journal. */
export type NewRowList = readonly SQLInputValue[];
export const listOf = (row: NewRow): NewRowList => NEW_ROW.map(([, value]) => value(row) ?? null);

const ADD = `INSERT INTO row (batch, turn, ${NEW_ROW.map(([column]) => column).join()})
  VALUES (?, ?, ${NEW_ROW.map(() => "?").join()})`;

export function addRows(journal: Journal, id: string, rows: readonly NewRowList[]): void {
  journal.write(() => {
    const { seq, phase, nextTurn } = batchOf(journal, id);
    if (phase !== "recording") throw new Error(`batch ${id} is ${phase}: it takes no more rows`);
    for (const [at, row] of rows.entries()) journal.run(ADD, seq, nextTurn + at, ...row);
    journal.run("UPDATE batch SET nextTurn = ? WHERE seq = ?", nextTurn + rows.length, seq);
  });
}

const END = `UPDATE batch SET rows = $rows, total = $total, label = $label, payments = $payments, remarks = $remarks
  WHERE seq = $seq`;

export function endRows(journal: Journal, id: string, totals: Totals): void {
  journal.write(() => {
    const { seq } = batchOf(journal, id);
    enterKeys(journal, seq);
    keepTallies(journal, seq);
    journal.run(...byName(END, { seq, ...totals, remarks: JSON.stringify(totals.remarks) }));
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
const RECORD = `b.id AS batch, r.row, r.state, ${bool(ON_ITS_WAY)} AS onItsWay, r.operation, r.option, r.amount, r.last4, r.period,
  r.faults, r.notices, r.code, r.reasons, r.attempts, r.httpStatus, r.sentAt, r.wentAt, r.durationMs, r.response,
  r.settledBy, ${rowName("r.retryBatch", "r.retryRow")} AS retryOf,
  CASE WHEN r.state IN ('invalid', 'rejected') THEN (${CORRECTION}) END AS correctedBy`;

export function rows(journal: Journal, filter: RowFilter): Lists<RowRecord> {
  const { batch, states, after, limit = -1 } = filter;
  const { where, values } = conditions([
    ["b.id = ?", batch],
    // by their numbers: in their order
    ["b.seq IN (SELECT seq FROM batch WHERE id IN (SELECT value FROM json_each(?)))", filter.batches],
    ["b.phase <> 'recording' OR ?", Number(batch !== undefined)],
    ["b.environment = ?", filter.environment],
    ["r.state IN (SELECT value FROM json_each(?))", states],
    ["r.code IN (SELECT value FROM json_each(?))", filter.codes],
    ["r.row IN (SELECT value FROM json_each(?))", filter.rows],
    [`r.row IN (${foundBy("row", "b.seq")})`, filter.foundBy],
    ["r.row > ?", after],
  ]);
  const only =
    states && states.length > 0 ? `AND ${mayHold(states)} ${batch === undefined ? amongWaiting(states) : ""}` : "";
  const sql = `SELECT ${RECORD}${filter.hasHidden ? ", r.payee, r.content" : ""} FROM batch b CROSS JOIN row r ON r.batch = b.seq WHERE ${where} ${only} ORDER BY b.seq, r.row`;
  return journal.lists(`${sql} ${LIMIT}`, ...values, limit);
}

export const rowRecordsOf = (lists: Lists<RowRecord>): RowRecord[] =>
  recordsOf(lists).map((row) => ({ ...NOTHING, ...row }));

/** Where all of them are states that few rows are in, batches without them are not looked at. */
function amongWaiting(states: readonly RowState[]): string {
  const isWaiting = (state: RowState): state is WaitingState => (WAITING_STATES as readonly RowState[]).includes(state);
  return states.every(isWaiting) ? `AND b.seq IN (${batchesWithAny("row", states)})` : "";
}

const NOTHING: Pick<RowRecord, "faults" | "notices" | "reasons"> = { faults: [], notices: [], reasons: [] };

/** A person, or the judge, moves rows: never one that is on its way. */
export function move(journal: Journal, id: string, moves: readonly Move[], act?: Act): number[] {
  return journal.write(() => {
    const batch = batchOf(journal, id);
    const mover = new Mover(journal, batch);
    const moved = moves.filter(({ row, from, to, reasons }) => {
      for (const state of from) assertMove(state, to, { hasAct: act !== undefined });
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
