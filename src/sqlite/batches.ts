import { AMOUNT_SCALE, formatUnits } from "../amount.ts";
import { bool, byName, type Columns, type Journal } from "./store.ts";
import { assertPhase, batchesWith, batchesWithAny, datedAfter, FOLDERS, ON_ITS_WAY } from "../journal/states.ts";
import { keysOf } from "../journal/row-keys.ts";
import { PURGED_AT_ONCE, stepOf, type Looked } from "../journal/states.ts";
import type { RowState } from "../journal/states.ts";
import type { Act, BatchFilter, BatchRecord, Copied, JournalStore, NewBatch } from "../journal/store.ts";
import type { Overlap, Phase, Purged, Tallies, Tally } from "../journal/store.ts";

/** What every call on a batch needs of it. */
export interface BatchRow {
  readonly seq: number;
  readonly id: string;
  readonly environment: string;
  readonly phase: Phase;
  readonly mark: number;
  readonly nextTurn: number;
}

export const BATCH_ROW = "SELECT seq, id, environment, phase, mark, nextTurn FROM batch b";

export function batchOf(journal: Journal, id: string): BatchRow {
  const [batch] = journal.records<BatchRow>(`${BATCH_ROW} WHERE id = ?`, id);
  if (!batch) throw new Error(`the journal has no batch ${id}`);
  return batch;
}

const NEW_BATCH = [
  ...["id", "environment", "destination", "fileName", "folder", "format", "sha256", "sizeBytes", "period", "reading"],
  ...["createdAt"],
];
const BEGUN = [...NEW_BATCH, "phase", "lastAt"];

export function addBatch(journal: Journal, batch: NewBatch): void {
  journal.write(() => {
    const createdAt = datedIn(journal, batch.createdAt);
    journal.insert("batch", BEGUN, { ...batch, phase: "recording", createdAt, lastAt: createdAt });
  });
}

const latest = (from: string, column = "lastAt"): string => `(SELECT coalesce(max(${column}), 0) FROM ${from})`;
const LAST_AT = `SELECT max(${latest("batch WHERE tallies IS NOT NULL")}, ${latest("batch WHERE tallies IS NULL")},
  ${latest("act", "at")}) AS at`;

/** The latest time that the journal knows. */
export const lastAtIn = (journal: Journal): number => Number(journal.get(LAST_AT)?.["at"]);

export function datedIn(journal: Journal, at: number): number {
  return datedAfter(lastAtIn(journal), at);
}

const SET = `UPDATE batch SET phase = coalesce($phase, phase), destination = coalesce($destination, destination),
    owesResults = coalesce($owes, owesResults), remarks = coalesce($remarks, remarks), approvers = max(approvers, $approvers),
    approvedUntil = iif(approvers > $approvers, approvedUntil, coalesce($until, approvedUntil))
  WHERE seq = $seq`;

export function setBatch(journal: Journal, ...[id, change, act]: Parameters<JournalStore["setBatch"]>): void {
  journal.write(() => {
    const { seq, phase } = batchOf(journal, id);
    const { phase: wanted, destination, owesResults, approvers = 0, approvedUntil, remarks, source } = change;
    if (wanted !== undefined) {
      assertPhase(id, phase, wanted, journal.isJudging);
      keepTallies(journal, seq);
    }
    const owes = owesResults === undefined ? null : Number(owesResults);
    const becomes = {
      phase: wanted ?? null,
      destination: destination ?? null,
      owes,
      approvers,
      until: approvedUntil ?? null,
      remarks: remarks ? JSON.stringify(remarks) : null,
    };
    journal.run(...byName(SET, { seq, ...becomes }));
    const sql = "INSERT OR REPLACE INTO source (path, identity, batch) VALUES (?, ?, ?)";
    if (source) journal.run(sql, source.path, source.identity, id);
    if (act) addAct(journal, { ...act, batch: id });
  });
}

/** What was opened is remembered for good, whatever went wrong afterwards. */
export function dropBatch(journal: Journal, id: string): void {
  journal.write(() => {
    const { seq, phase } = batchOf(journal, id);
    if (phase !== "recording") throw new Error(`batch ${id} is ${phase}: it cannot be dropped`);
    journal.run(
      `DELETE FROM key WHERE (key, batch, row) IN (SELECT key, batch, row FROM (${keysOf("row", "batch = ?1")}))`,
      seq,
    );
    for (const table of ["run", "source"]) journal.run(`DELETE FROM ${table} WHERE batch = ?`, id);
    journal.run("DELETE FROM row WHERE batch = ?", seq);
    journal.run("DELETE FROM batch WHERE seq = ?", seq);
  });
}

const RECORD = `seq, ${NEW_BATCH.join(", ")}, rows, total, label, coalesce(remarks, '[]') AS remarks, phase, lastAt, approvers, approvedUntil,
  ${bool("owesResults")} AS owesResults, tallies,
  (SELECT count(*) FROM row r WHERE r.batch = b.seq AND ${ON_ITS_WAY}) AS onItsWay`;
/** The kept sums may say no without a look at the rows. */
export const mayHold = (states: readonly RowState[]): string =>
  `(b.tallies IS NULL OR ${states.map((state) => `b.tallies ->> '$.${state}' IS NOT NULL`).join(" OR ")})`;
/** SQL: batches of which something happened since, and those that something happens to now. */
const happened = (
  since: string,
): string => `SELECT seq FROM batch INDEXED BY batchLastAt WHERE tallies IS NOT NULL AND lastAt >= ${since}
  UNION ALL SELECT seq FROM batch INDEXED BY batchUncounted WHERE tallies IS NULL`;
/** Each is found by an index of its own: whatever has ended is not looked at. */
const UNFINISHED = `b.seq IN (SELECT seq FROM batch WHERE owesResults = 1 UNION SELECT batch FROM ${batchesWith("row", "ready")}
    UNION SELECT batch FROM ${batchesWith("row", "not_sent")}
    UNION SELECT batch FROM row WHERE state = 'rejected' AND code IN (SELECT value FROM json_each(?)))
  AND (b.owesResults = 1 OR b.phase = 'open')`;

/**
 * SQL: where the keys stand that a search asks for, of the batch `of`. A payee is looked for as it is written, in one way after
 * the other: each is found by the index, however often it was paid.
 */
export const foundBy = (what: "batch" | "row", of?: string): string => `WITH RECURSIVE g(key, last) AS (
    SELECT value ->> 'key', iif(value ->> 'isPayee', (value ->> 'key') || '~', NULL) FROM json_each(?) UNION ALL
    SELECT (SELECT min(k.key) FROM key k WHERE k.key > g.key AND k.key < g.last), g.last FROM g WHERE g.key IS NOT NULL AND g.last IS NOT NULL
  ) SELECT k.${what} FROM g CROSS JOIN key k ON k.key = g.key ${of === undefined ? "" : `AND k.batch = ${of}`}`;

export function batches(journal: Journal, filter: BatchFilter): BatchRecord[] {
  const { where, values } = conditions([
    ["b.id = ?", filter.id],
    // no character of an id sorts behind `~`
    ["b.id >= ?", filter.idPrefix],
    ["b.id < ? || '~'", filter.idPrefix],
    ["b.phase <> 'recording' OR ?", Number(filter.id !== undefined)],
    ["b.sha256 = ?", filter.sha256],
    ["b.environment = ?", filter.environment],
    ["b.letGo > 0 AND b.destination = ?", filter.wentTo],
    ["b.folder IN (SELECT value FROM json_each(?))", filter.folders],
    ["b.id IN (SELECT batch FROM source WHERE path = ?)", filter.path],
    [UNFINISHED, filter.isUnfinished === true ? (filter.rejectedFor ?? []) : undefined],
    [`b.seq IN (${happened("?")})`, filter.since],
    ["b.phase = 'paused' AND ?", filter.isPaused && 1],
    [`b.seq IN (${foundBy("batch")})`, filter.foundBy],
  ]);
  const { states, newest } = filter;
  const only = states ? `AND b.seq IN (${batchesWithAny("row", states, newest)})` : "";
  if (newest === undefined) return recordsOf(journal, `WHERE ${where} ${only} ORDER BY seq`, ...values);
  return recordsOf(journal, `WHERE ${where} ${only} ORDER BY seq DESC LIMIT ${newest}`, ...values).reverse();
}

export const folders = (journal: Journal): string[] => journal.all(FOLDERS).map(({ folder }) => String(folder));

function recordsOf(journal: Journal, where: string, ...values: readonly Value[]): BatchRecord[] {
  const found = journal.records<BatchRecord & { seq: number }>(`SELECT ${RECORD} FROM batch b ${where}`, ...values);
  return found.map(({ seq, ...batch }) => {
    const kept = batch.tallies as Tallies | undefined;
    const approvedUntil = batch.approvedUntil > Date.now() ? batch.approvedUntil : 0;
    return { ...batch, approvedUntil, tallies: kept ?? countTallies(journal, seq) };
  });
}

type Value = string | number;
type Given = readonly [sql: string, value: Value | readonly unknown[] | undefined];

/** SQL of the conditions whose value is given; each takes its value once, a list as JSON. */
export function conditions(all: readonly Given[]): { readonly where: string; readonly values: Value[] } {
  const given = all.filter(([, value]) => value !== undefined);
  const values = given.map(([, value]) => (Array.isArray(value) ? JSON.stringify(value) : (value as Value)));
  return { where: given.map(([sql]) => `(${sql})`).join(" AND "), values };
}

/** Counts, where a row of the batch has changed since it was counted. Inside a transaction. */
export function keepTallies(journal: Journal, seq: number): void {
  if (!journal.get("SELECT 1 FROM batch WHERE seq = ? AND tallies IS NULL", seq)) return;
  const past = `INSERT INTO past (folder, letGo) SELECT folder, letGo - counted FROM batch WHERE seq = ? AND letGo > counted
    ON CONFLICT (folder) DO UPDATE SET letGo = letGo + excluded.letGo`;
  journal.run(past, seq);
  const sql = "UPDATE batch SET tallies = ?, counted = letGo WHERE seq = ?";
  journal.run(sql, JSON.stringify(countTallies(journal, seq)), seq);
}

/** An integer sum of SQLite ends at 9.2e18: amounts are added in two halves, so that a million of 15 digits fit. */
const HALF = 1_000_000_000;
const sums = (by: string, from: string): string => `SELECT ${by} AS name, count(*) AS rows,
    CASE instr(amount, '.') WHEN 0 THEN 0 ELSE length(amount) - instr(amount, '.') END AS decimals,
    CAST(sum(CAST(replace(amount, '.', '') AS INTEGER) / ${HALF}) AS TEXT) AS high,
    CAST(sum(CAST(replace(amount, '.', '') AS INTEGER) % ${HALF}) AS TEXT) AS low
  FROM ${from} GROUP BY name, decimals`;
const BY_STATE = sums("state", "row WHERE batch = ?");

function countTallies(journal: Journal, seq: number): Tallies {
  return talliesOf(journal.all(BY_STATE, seq));
}

function talliesOf(found: readonly Columns[]): Record<string, Tally> {
  const totals = new Map<string, { rows: number; units: bigint }>();
  for (const { name, rows, decimals, high, low } of found) {
    const total = totals.get(String(name)) ?? { rows: 0, units: 0n };
    const digits = BigInt(String(high ?? 0)) * BigInt(HALF) + BigInt(String(low ?? 0));
    total.rows += Number(rows);
    total.units += digits * 10n ** BigInt(AMOUNT_SCALE - Number(decimals));
    totals.set(String(name), total);
  }
  return Object.fromEntries(
    Array.from(totals, ([name, { rows, units }]) => [name, { rows, amount: formatUnits(units) }]),
  );
}

const OF_DAY = sums(
  "r.operation",
  `batch b CROSS JOIN row r ON r.batch = b.seq WHERE b.seq IN (${happened("?2")}) AND b.environment = ?1 AND b.phase <> 'recording'
    AND (r.sentAt >= ?2 AND r.state IN ('accepted', 'settled_done', 'unknown') OR ${ON_ITS_WAY}
      OR r.state = 'ready' AND (b.id = ?3 OR EXISTS (
        SELECT 1 FROM run WHERE batch = b.id AND endedAt IS NULL AND startedAt >= ?2
          AND id < (SELECT max(id) FROM run WHERE batch = ?3))))`,
);

export function sumsOfDay(journal: Journal, id: string, since: number): Readonly<Record<string, Tally>> {
  return talliesOf(journal.all(OF_DAY, batchOf(journal, id).environment, since, id));
}

/**
 * Payment by payment, not row by row: of a hundred thousand equal rows in two batches each is counted once. Equal rows
 * repeat as many as there are on the other side.
 */
const SHARED = `WITH own AS (
    SELECT payment, count(*) AS rows FROM row WHERE batch = ?1 AND payment IS NOT NULL GROUP BY payment
  ), met AS (
    SELECT k.batch, min(count(*), own.rows) AS rows FROM own CROSS JOIN key k ON k.key = own.payment
    WHERE k.batch <> ?1 GROUP BY own.payment, k.batch
  ) SELECT id, sum(met.rows) AS shared FROM met JOIN batch ON seq = met.batch GROUP BY id`;
const NAMED = "SELECT DISTINCT retryBatch AS id FROM row WHERE batch = ?1 AND retryBatch IS NOT NULL";
const SAME = "SELECT o.id FROM batch o JOIN batch b ON o.payments = b.payments WHERE b.seq = ?1";

export function overlaps(journal: Journal, id: string): Overlap[] {
  const { seq, environment } = batchOf(journal, id);
  const found = (sql: string): Map<string, Columns> =>
    new Map(journal.all(sql, seq).map((row) => [String(row["id"]), row]));
  const [shared, named, same] = [found(SHARED), found(NAMED), found(SAME)];
  const where = `WHERE id IN (SELECT value FROM json_each(?)) AND seq <> ? AND environment = ? AND phase <> 'recording'
    ORDER BY seq`;
  const others = recordsOf(journal, where, JSON.stringify([...shared.keys(), ...named.keys()]), seq, environment);
  return others.map((batch) => ({
    ...{ batch, shared: Number(shared.get(batch.id)?.["shared"] ?? 0) },
    ...{ isSame: same.has(batch.id), isNamed: named.has(batch.id) },
  }));
}

/** Inside a transaction. */
export function addAct(journal: Journal, act: Act): void {
  journal.insert("act", ACT, act);
}

const ACT = ["at", "kind", "login", "host", "by", "batch", "rows", "as", "note"];

/** The ids of all rows are known by then: nothing that may still go is purged. */
export function purge(journal: Journal, ...[before, act, after = 0]: Parameters<JournalStore["purge"]>): Purged {
  return journal.write(() => {
    const isOld = "lastAt < ? AND phase <> 'recording' AND owesResults = 0 AND isPurged = 0";
    const sql = `SELECT seq, id, createdAt FROM batch WHERE seq > ? AND ${isOld} ORDER BY seq LIMIT ${PURGED_AT_ONCE}`;
    const old = journal.records<Looked>(sql, after, before);
    for (const { seq } of old) keepTallies(journal, seq);
    const seqs = JSON.stringify(old.map(({ seq }) => seq));
    const stillOpen = mayHold(["ready", "held", "not_sent", "unknown"]);
    const isChosen = "seq IN (SELECT value FROM json_each(?))";
    const ended = journal.records<Pick<BatchRow, "seq" | "id">>(
      `SELECT seq, id FROM batch b WHERE ${isChosen} AND NOT ${stillOpen} ORDER BY seq`,
      seqs,
    );
    const empty = `UPDATE row SET response = NULL, faults = NULL, notices = NULL
      WHERE batch = ? AND (response IS NOT NULL OR faults IS NOT NULL OR notices IS NOT NULL)`;
    for (const { seq, id } of ended) {
      journal.run(empty, seq);
      journal.run("UPDATE batch SET isPurged = 1 WHERE seq = ?", seq);
      journal.run("DELETE FROM kept WHERE kind = 'notice' AND name = ?", id);
      addAct(journal, { ...act, batch: id });
    }
    return { ids: ended.map(({ id }) => id), ...stepOf(old) };
  });
}

export function copied(journal: Journal): Copied[] {
  return journal.records(`SELECT id, sha256, reading, ${bool("isPurged")} AS isPurged FROM batch ORDER BY seq`);
}
