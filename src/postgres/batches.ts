import { formatUnits, unitsOf } from "../amount.ts";
import { IS_APPROVED, OF_SHARE, tallied } from "./schema.ts";
import { byName, type Postgres } from "./postgres.ts";
import { assertPhase, batchesWith, batchesWithAny, datedAfter, FOLDERS } from "../journal/states.ts";
import { ON_ITS_WAY_OF_SHARE, type Phase } from "../journal/states.ts";
import type { Act, BatchFilter, BatchRecord, JournalStore, Overlap, Tallies, Tally } from "../journal/store.ts";

/** What every call on a batch needs of it. */
export interface BatchRow {
  readonly seq: number;
  readonly id: string;
  readonly environment: string;
  readonly phase: Phase;
}

/**
 * `isToChange`: nobody else changes its columns until the transaction ends. Whoever changes rows as well has their shares
 * locked before: commits take them in that order.
 */
export async function batchOf(postgres: Postgres, id: string, { isToChange = false } = {}): Promise<BatchRow> {
  const sql = `SELECT seq, id, environment, phase FROM batch WHERE id = $1 ${isToChange ? "FOR NO KEY UPDATE" : ""}`;
  const batch = await postgres.get<BatchRow>(sql, id);
  if (!batch) throw new Error(`the journal has no batch ${id}`);
  return batch;
}

/** In a transaction. Lists are JSON columns; empty ones are left out. */
export async function insert(
  postgres: Postgres,
  table: string,
  columns: string,
  values: Readonly<Record<string, unknown>>,
  more = "",
): Promise<void> {
  const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
  const given = JSON.stringify(values, (_, value: unknown) => (isEmpty(value) ? undefined : value));
  const sql = `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_record(NULL::${table}, $1) ${more}`;
  await postgres.query(sql, given);
}

export const NEW_BATCH =
  "id, environment, destination, fileName, folder, format, sha256, sizeBytes, period, reading, createdAt";

const latest = (from: string, column = "lastAt"): string => `(SELECT max(${column}) FROM ${from})`;
/** SQL: the latest time that the journal knows. */
export const LAST_AT = `coalesce(greatest(${latest("batch")}, ${latest("past")}, ${latest("share WHERE owner IS NOT NULL")}, ${latest("act", "at")}), 0)`;

export async function datedIn(postgres: Postgres, at: number): Promise<number> {
  const { lastAt = 0 } = (await postgres.get<{ lastAt: number }>(`SELECT ${LAST_AT} AS lastAt`)) ?? {};
  return datedAfter(lastAt, at);
}

const SET = `UPDATE batch SET phase = coalesce($phase, phase), destination = coalesce($destination, destination),
    owesResults = coalesce($owes, owesResults), remarks = coalesce($remarks, remarks), approvers = greatest(approvers, $approvers),
    approvedUntil = CASE WHEN approvers <= $approvers THEN coalesce($until, approvedUntil) ELSE approvedUntil END
  WHERE seq = $seq`;

export async function setBatch(
  postgres: Postgres,
  ...[id, change, act]: Parameters<JournalStore["setBatch"]>
): Promise<void> {
  await postgres.write(async () => {
    const { phase: wanted, destination, owesResults, approvers = 0, approvedUntil, remarks, source } = change;
    if (wanted !== undefined) await keepTallies(postgres, (await batchOf(postgres, id)).seq);
    const { seq, phase } = await batchOf(postgres, id, { isToChange: true });
    if (wanted !== undefined) assertPhase(id, phase, wanted, postgres.isJudging);
    const owes = owesResults ?? null;
    const becomes = {
      phase: wanted ?? null,
      destination: destination ?? null,
      owes,
      approvers,
      until: approvedUntil ?? null,
      remarks: remarks ? JSON.stringify(remarks) : null,
    };
    await postgres.query(...byName(SET, { seq, ...becomes }));
    const sql = `INSERT INTO source (path, identity, batch) VALUES ($1, $2, $3)
      ON CONFLICT (path, identity) DO UPDATE SET batch = excluded.batch`;
    if (source) await postgres.query(sql, source.path, source.identity, id);
    if (act) await addAct(postgres, { ...act, batch: id });
  });
}

/** SQL: the latest time that something happened to the batch `b`. */
export const LAST_AT_OF_BATCH = "greatest(b.lastAt, (SELECT max(x.lastAt) FROM share x WHERE x.batch = b.seq))";
const RECORD = `SELECT seq, ${NEW_BATCH}, rows, total, label, coalesce(remarks, '[]') AS remarks, phase, owesResults, approvers,
  CASE WHEN ${IS_APPROVED} THEN approvedUntil ELSE 0 END AS approvedUntil, ${LAST_AT_OF_BATCH} AS lastAt,
  (SELECT json_agg(coalesce(s.tallies, (${OF_SHARE}))) FROM share s WHERE s.batch = b.seq) AS shares,
  (SELECT coalesce(sum((SELECT count(*) FROM rows r
    WHERE r.batch = s.batch AND r.share = s.share AND ${ON_ITS_WAY_OF_SHARE})), 0)::int
    FROM share s WHERE s.batch = b.seq AND s.mark > 0) AS onItsWay FROM batch b`;

async function recordsOf(postgres: Postgres, where: string, ...values: readonly Value[]): Promise<BatchRecord[]> {
  type Found = BatchRecord & { seq: number; shares?: readonly Tallies[] };
  const found = await postgres.query<Found>(`${RECORD} ${where}`, ...values);
  return found.map(({ seq, shares = [], ...batch }) => ({ ...batch, tallies: sumOf(shares) }));
}

function sumOf(all: readonly Readonly<Partial<Record<string, Tally>>>[]): Record<string, Tally> {
  const sums = new Map<string, { rows: number; units: bigint }>();
  for (const [name, tally] of all.flatMap((tallies) => Object.entries(tallies))) {
    const { rows = 0, amount = "0" } = tally ?? {};
    const sum = sums.get(name) ?? { rows: 0, units: 0n };
    sums.set(name, { rows: sum.rows + rows, units: sum.units + unitsOf(amount) });
  }
  return Object.fromEntries(
    Array.from(sums, ([name, { rows, units }]) => [name, { rows, amount: formatUnits(units) }]),
  );
}

/** Until a row of a share changes nobody counts it again. In a transaction; locks the shares of the batch. */
export async function keepTallies(postgres: Postgres, seq: number): Promise<void> {
  await lockShares(postgres, [seq]);
  await postgres.query(`UPDATE share s SET tallies = (${OF_SHARE}) WHERE s.batch = $1 AND s.tallies IS NULL`, seq);
}

/** In the order in which commits take them. */
export async function lockShares(postgres: Postgres, batches: readonly number[]): Promise<void> {
  await postgres.query("SELECT 1 FROM share WHERE batch = ANY($1) ORDER BY batch, share FOR UPDATE", batches);
}

/** SQL: something of the batch `b` happened since, or happens now. */
const happened = (since: string): string => `b.seq = ANY (ARRAY(SELECT seq FROM batch WHERE lastAt >= ${since}
    UNION SELECT seq FROM batch WHERE run IS NOT NULL UNION SELECT batch FROM share WHERE owner IS NOT NULL))`;
/** Each is found by an index of its own: whatever has ended is not looked at. */
const UNFINISHED = `b.seq = ANY (ARRAY(SELECT seq FROM batch WHERE owesResults UNION ${batchesWith("rows", "ready")}
    UNION ${batchesWith("rows", "not_sent")} UNION SELECT batch FROM rows WHERE state = 'rejected' AND code = ANY(?)))
  AND (b.owesResults OR b.phase = 'open')`;

/**
 * SQL: the keys that a search asks for. A payee is looked for as it is written, in one way after the other: each is found by the
 * index, however often it was paid.
 */
export const soughtKeys = (asked: string): string => `RECURSIVE g(key, last) AS (
    SELECT x.key COLLATE "C", CASE WHEN x.isPayee THEN (x.key || '~') COLLATE "C" END
      FROM json_to_recordset(${asked}) AS x(key text, isPayee boolean) UNION ALL
    SELECT (SELECT min(k.key) FROM key k WHERE k.key > g.key AND k.key < g.last), g.last FROM g WHERE g.key IS NOT NULL AND g.last IS NOT NULL)`;
/** SQL: batches where one of them stands. */
const FOUND_BY = `b.seq = ANY (ARRAY(WITH ${soughtKeys("?")} SELECT DISTINCT k.batch FROM g
  CROSS JOIN LATERAL (SELECT k.batch FROM key k WHERE k.key = g.key OFFSET 0) k))`;

export async function batches(postgres: Postgres, filter: BatchFilter): Promise<BatchRecord[]> {
  const { where, values } = conditions([
    ["b.id = ?", filter.id],
    ["starts_with(b.id, ?)", filter.idPrefix],
    ["b.phase <> 'recording' OR ?", filter.id !== undefined],
    ["b.sha256 = ?", filter.sha256],
    ["b.environment = ?", filter.environment],
    ["b.destination = ? AND EXISTS (SELECT 1 FROM share s WHERE s.batch = b.seq AND s.letGo > 0)", filter.wentTo],
    ["b.folder = ANY(?)", filter.folders],
    ["b.id IN (SELECT batch FROM source WHERE path = ?)", filter.path],
    [UNFINISHED, filter.isUnfinished === true ? (filter.rejectedFor ?? []) : undefined],
    [happened("?"), filter.since],
    ["b.phase = 'paused' AND ?", filter.isPaused],
    [FOUND_BY, filter.foundBy && JSON.stringify(filter.foundBy)],
  ]);
  const { states, newest } = filter;
  const only = states ? `AND b.seq = ANY (ARRAY(${batchesWithAny("rows", states, newest)}))` : "";
  if (newest === undefined) return recordsOf(postgres, `WHERE ${where} ${only} ORDER BY seq`, ...values);
  const found = await recordsOf(postgres, `WHERE ${where} ${only} ORDER BY seq DESC LIMIT ${newest}`, ...values);
  return found.reverse();
}

export async function folders(postgres: Postgres): Promise<string[]> {
  return (await postgres.query<{ folder: string }>(FOLDERS)).map(({ folder }) => folder);
}

type Value = string | number | boolean | readonly (string | number)[];
type Given = readonly [sql: string, value: Value | undefined];

/** SQL of the conditions whose value is given; each takes its value once. */
export function conditions(all: readonly Given[]): { readonly where: string; readonly values: Value[] } {
  const given = all.filter((one): one is [string, Value] => one[1] !== undefined);
  const where = given.map(([sql], at) => `(${sql.replace("?", `$${at + 1}`)})`).join(" AND ");
  return { where, values: given.map(([, value]) => value) };
}

const OF_DAY = tallied(
  "r.operation",
  `batch b JOIN share s ON s.batch = b.seq CROSS JOIN LATERAL (
    SELECT r.operation, r.amount FROM rows r WHERE r.batch = s.batch AND r.row BETWEEN s.firstRow AND s.lastRow
      AND (r.sentAt >= $2 AND r.state IN ('accepted', 'settled_done', 'unknown') OR ${ON_ITS_WAY_OF_SHARE}
        OR r.state = 'ready' AND (b.id = $3 OR EXISTS (
          SELECT 1 FROM run WHERE run.batch = b.id AND endedAt IS NULL AND startedAt >= $2
            AND run.id < (SELECT max(id) FROM run WHERE batch = $3)))) OFFSET 0) r
  WHERE b.environment = $1 AND b.phase <> 'recording' AND ${happened("$2")}`,
);

export async function sumsOfDay(
  postgres: Postgres,
  id: string,
  since: number,
): Promise<Readonly<Record<string, Tally>>> {
  const { environment } = await batchOf(postgres, id);
  const found = await postgres.get<{ tallies?: Tallies }>(OF_DAY, environment, since, id);
  return sumOf([found?.tallies ?? {}]);
}

/**
 * Payment by payment, not row by row: of a hundred thousand equal rows in two batches each is counted once. Equal rows
 * repeat as many as there are on the other side.
 */
const OTHERS = `WITH own AS (
    SELECT payment, count(*) AS rows FROM rows WHERE batch = $1 AND payment IS NOT NULL GROUP BY payment
  ), met AS (
    SELECT k.batch, least(count(*), own.rows) AS rows FROM own JOIN key k ON k.key = own.payment
    WHERE k.batch <> $1 GROUP BY own.payment, own.rows, k.batch
  ), shared AS (SELECT batch, sum(rows)::int AS rows FROM met GROUP BY batch),
  named AS (SELECT DISTINCT o.seq AS batch FROM rows r JOIN batch o ON o.id = r.retryBatch WHERE r.batch = $1)
  SELECT o.id, coalesce(shared.rows, 0) AS shared, o.payments = b.payments AS isSame, named.batch IS NOT NULL AS isNamed
  FROM batch b, shared FULL JOIN named USING (batch) JOIN batch o ON o.seq = batch
  WHERE b.seq = $1 AND o.seq <> $1 AND o.environment = b.environment AND o.phase <> 'recording'`;

export async function overlaps(postgres: Postgres, id: string): Promise<Overlap[]> {
  const { seq } = await batchOf(postgres, id);
  const found = await postgres.query<Omit<Overlap, "batch"> & { id: string }>(OTHERS, seq);
  const others = new Map(found.map(({ id: other, ...how }) => [other, how]));
  const all = await recordsOf(postgres, "WHERE id = ANY($1) ORDER BY seq", [...others.keys()]);
  const none = { shared: 0, isSame: false, isNamed: false };
  return all.map((batch) => ({ batch, ...none, ...others.get(batch.id) }));
}

/** In a transaction. */
export async function addAct(postgres: Postgres, act: Act): Promise<void> {
  await insert(postgres, "act", `at, kind, login, host, by, batch, rows, "as", note`, { ...act });
}
