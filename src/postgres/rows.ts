import { addAct, batchOf, conditions, datedIn, keepTallies, LAST_AT, lockShares, soughtKeys } from "./batches.ts";
import { inPlace, kept, rowName } from "./places.ts";
import { byName, type Postgres } from "./postgres.ts";
import { assertMove, ON_ITS_WAY_OF_SHARE, SHARE_ROWS, WENT_OF_SHARE } from "../journal/states.ts";
import { keysOf, sharedInFile } from "../journal/row-keys.ts";
import type {
  Act,
  JournalFacts,
  JournalStore,
  Move,
  NewRow,
  RowFilter,
  RowRecord,
  Run,
  Totals,
  Who,
} from "../journal/store.ts";

/** Faults and notices come as texts: they show what stood in cells, of which JSON in JSON takes any. */
const NEW_ROW = `share int, turn bigint, row int, state text, operation text, option text, amount text, payment text, payee text,
  zeros int, reference text, payeeAs text, referenceAs text, last4 text, employee text, mobile text, email text, named text, content text, period text, retryBatch text, retryRow int, place bigint, size int, crc bigint, code text`;
const COLUMNS = Array.from(NEW_ROW.split(/,\s+/), (column) => column.split(" ")[0]).join();
const ADD = `WITH given AS (SELECT * FROM json_to_recordset($2) AS x(${NEW_ROW}, faults text, notices text)),
  shares AS (
    INSERT INTO share (batch, share, nextTurn, firstRow, lastRow)
    SELECT $1, share, max(turn) + 1, min(row), max(row) FROM given GROUP BY share
    ON CONFLICT (batch, share) DO UPDATE SET nextTurn = excluded.nextTurn, lastRow = excluded.lastRow
  ) INSERT INTO rows (batch, ${COLUMNS}, faults, notices) SELECT $1, ${COLUMNS}, faults::json, notices::json FROM given`;

export async function addRows(postgres: Postgres, id: string, rows: readonly NewRow[]): Promise<void> {
  await postgres.write(async () => {
    const { seq, phase } = await batchOf(postgres, id, { isToChange: true });
    if (phase !== "recording") throw new Error(`batch ${id} is ${phase}: it takes no more rows`);
    const sql = `SELECT share * ${SHARE_ROWS} + nextTurn - 1 AS rows FROM share WHERE batch = $1 ORDER BY share DESC LIMIT 1`;
    const { rows: before } = (await postgres.get<{ rows: number }>(sql, seq)) ?? { rows: 0 };
    const given = rows.map(({ faults, notices, retryOf, ...row }, at) => ({
      ...row,
      ...{ share: Math.floor((before + at) / SHARE_ROWS), turn: ((before + at) % SHARE_ROWS) + 1 },
      ...{ retryBatch: retryOf?.batch, retryRow: retryOf?.row, code: row.code ?? faults[0]?.code },
      ...(faults.length > 0 && { faults: JSON.stringify(faults) }),
      ...(notices.length > 0 && { notices: JSON.stringify(notices) }),
    }));
    await postgres.query(ADD, seq, JSON.stringify(given));
  });
}

/** Sorted by key: each page of a large journal is then read and written once. */
export const ENTER_KEYS = `INSERT INTO key (key, batch, row, isNamed) ${keysOf("rows", "batch = $1")} ORDER BY 1, 2, 3`;
/** Looked up once (`IS TRUE` keeps it so): a planner that does not know a new batch yet takes it for one row. */
const NOBODYS = sharedInFile("rows", "$1").map(
  ([column, shared]) => `UPDATE rows SET ${column} = NULL WHERE batch = $1 AND (${column} IN (${shared})) IS TRUE`,
);

const END = `UPDATE batch SET rows = $rows, total = $total, label = $label, payments = $payments, remarks = $remarks
  WHERE seq = $seq`;

export async function endRows(postgres: Postgres, id: string, totals: Totals): Promise<void> {
  await postgres.write(async () => {
    const { seq } = await batchOf(postgres, id, { isToChange: true });
    for (const sql of NOBODYS) await postgres.query(sql, seq);
    await postgres.query(ENTER_KEYS, seq);
    await postgres.query(...byName(END, { seq, ...totals, remarks: JSON.stringify(totals.remarks) }));
  });
}

/** Rows that were accepted of shares that are being sent, by batch: counted once for all rows that are asked for. */
const UNCOUNTED = `WITH uncounted AS MATERIALIZED (SELECT x.batch, sum(y.rows) AS rows FROM share x CROSS JOIN LATERAL (
    SELECT count(*) AS rows FROM rows y WHERE y.batch = x.batch AND y.row BETWEEN x.firstRow AND x.lastRow AND y.state = 'accepted') y
  WHERE x.tallies IS NULL AND x.mark > 0 GROUP BY x.batch)`;
/** SQL: how many rows were accepted of a batch. */
const accepted = (batch: string): string =>
  `(${kept(batch)} + coalesce((SELECT u.rows FROM uncounted u WHERE u.batch = ${batch}.seq), 0))`;
/**
 * The newest row that went, of those that correct the row `r`, or one of these corrections: by `retry_of`, or in place.
 */
const CORRECTION = `WITH RECURSIVE correction(id, row) AS (
    SELECT b.id, r.row UNION
    SELECT more.id, more.row FROM correction k CROSS JOIN LATERAL (
      SELECT later.id, c.row FROM rows c JOIN batch later ON later.seq = c.batch
      WHERE c.retryBatch = k.id AND c.retryRow = k.row AND later.environment = b.environment UNION ALL
      SELECT later.id, c.row FROM batch e JOIN rows o ON o.batch = e.seq AND o.row = k.row
        CROSS JOIN batch later JOIN rows c ON ${inPlace("e", "o", "later", "c", accepted)} WHERE e.id = k.id
    ) more
  ) SELECT ${rowName("later.id", "c.row")} FROM correction k JOIN batch later ON later.id = k.id
    JOIN rows c ON c.batch = later.seq AND c.row = k.row JOIN share s ON s.batch = c.batch AND s.share = c.share
  WHERE ${WENT_OF_SHARE.replaceAll("r.", "c.")} ORDER BY c.batch DESC, c.row DESC LIMIT 1`;
const RECORD = `b.id AS batch, r.row, r.state, ${ON_ITS_WAY_OF_SHARE} AS onItsWay, r.operation, r.option, r.amount, r.last4, r.period,
  coalesce(r.faults, '[]') AS faults, coalesce(r.notices, '[]') AS notices, r.code, coalesce(r.reasons, '[]') AS reasons,
  r.attempts, r.httpStatus, r.sentAt, r.wentAt, r.durationMs, r.response, r.settledBy, r.lateAnswer,
  ${rowName("r.retryBatch", "r.retryRow")} AS retryOf,
  CASE WHEN r.state IN ('invalid', 'rejected') THEN (${CORRECTION}) END AS correctedBy`;

/** Rows of these batches with one of these keys, in their order: each is looked up by itself, by each key in each batch. */
const found = (keys: string, batches: string): string => `(WITH ${soughtKeys(keys)} SELECT DISTINCT k.batch, k.row
    FROM g CROSS JOIN (SELECT seq FROM batch WHERE id = ANY(${batches})) o
    CROSS JOIN LATERAL (SELECT k.batch, k.row FROM key k WHERE k.key = g.key AND k.batch = o.seq OFFSET 0) k
    ORDER BY k.batch, k.row OFFSET 0) f
  CROSS JOIN LATERAL (SELECT r.* FROM rows r WHERE r.batch = f.batch AND r.row = f.row OFFSET 0) r
  CROSS JOIN LATERAL (SELECT b.* FROM batch b WHERE b.seq = r.batch OFFSET 0) b
  CROSS JOIN LATERAL (SELECT s.mark FROM share s WHERE s.batch = r.batch AND s.share = r.share OFFSET 0) s`;
const OF_BATCHES = "rows r JOIN batch b ON b.seq = r.batch JOIN share s ON s.batch = r.batch AND s.share = r.share";

export function rows(postgres: Postgres, filter: RowFilter): Promise<RowRecord[]> {
  const { batch, foundBy, limit, batches = batch === undefined ? undefined : [batch] } = filter;
  const { where, values } = conditions([
    // one number, so that its rows come in their order from the index
    ["r.batch = (SELECT seq FROM batch WHERE id = ?)", batch],
    ["b.id = ANY(?)", foundBy ? undefined : filter.batches],
    ["b.phase <> 'recording' OR ?", batch !== undefined],
    ["b.environment = ?", filter.environment],
    ["r.state = ANY(?)", filter.states],
    ["r.code = ANY(?)", filter.codes],
    ["r.row = ANY(?)", filter.rows],
    ["r.row > ?", filter.after],
  ]);
  const keyed = foundBy && batches ? [JSON.stringify(foundBy), batches] : undefined;
  const from = keyed ? found(`$${values.length + 1}`, `$${values.length + 2}`) : OF_BATCHES;
  const order = keyed ? "f.batch, f.row" : "r.batch, r.row";
  const sql = `${UNCOUNTED} SELECT ${RECORD}${filter.hasHidden ? ", r.payee, r.content" : ""} FROM ${from} WHERE ${where} ORDER BY ${order}`;
  return postgres.query<RowRecord>(
    `${sql} ${limit === undefined ? "" : `LIMIT ${limit}`}`,
    ...values,
    ...(keyed ?? []),
  );
}

/** A person, or the judge, moves rows: never one that is on its way. */
export function move(postgres: Postgres, id: string, moves: readonly Move[], act?: Act): Promise<number[]> {
  return postgres.write(async () => {
    const { seq, phase } = await batchOf(postgres, id);
    const isCounted = phase !== "recording";
    // all of them: they are counted again below, and commits take them in that order
    if (isCounted) await lockShares(postgres, [seq]);
    const changes = moves.map(({ row, from, to, reasons }) => {
      for (const state of from) assertMove(state, to, { hasAct: act !== undefined });
      if (to === "ready" && !postgres.isJudging) throw new Error("rows become ready inside judging only (I14)");
      const code = to === "ready" ? undefined : reasons?.[0]?.code;
      const isSettled = to === "settled_done" || to === "settled_not_done";
      return { row, from, to, onItsWay: false, code, reasons, ...(isSettled && { settledBy: act?.by ?? act?.login }) };
    });
    const moved = new Set(await changed(postgres, seq, changes));
    const numbers = moves.map(({ row }) => row).filter((row) => moved.has(row));
    if (numbers.length > 0 && isCounted) await keepTallies(postgres, seq);
    if (numbers.length > 0 && act) {
      await postgres.query("UPDATE batch SET lastAt = greatest(lastAt, $1) WHERE seq = $2", act.at, seq);
      await addAct(postgres, { ...act, batch: id, rows: numbers });
    }
    return numbers;
  });
}

/** Gives the rows that were moved. */
async function changed(postgres: Postgres, seq: number, changes: readonly object[]): Promise<number[]> {
  if (changes.length === 0) return [];
  const moved = await postgres.query<{ row: number }>(
    "SELECT row FROM move_rows($1, $2)",
    seq,
    JSON.stringify(changes),
  );
  return moved.map(({ row }) => row);
}

/** What stopped it before stops it no more, and its first row goes alone. */
export function beginRun(postgres: Postgres, id: string, who: Who, startedAt: number): Promise<number> {
  return postgres.write(async () => {
    const { seq } = await batchOf(postgres, id, { isToChange: true });
    const begun = "INSERT INTO run (batch, login, host, by, startedAt) VALUES ($1, $2, $3, $4, $5) RETURNING id";
    const run = await postgres.get<{ id: number }>(begun, id, who.login, who.host, who.by ?? null, startedAt);
    if (!run) throw new Error(`no run of batch ${id} was begun`);
    const sql = `UPDATE batch SET lastAt = greatest(lastAt, $1), run = $2, isProven = false, stop = NULL WHERE seq = $3`;
    await postgres.query(sql, await datedIn(postgres, startedAt), run.id, seq);
    return run.id;
  });
}

export async function endRun(postgres: Postgres, ...[run, ended]: Parameters<JournalStore["endRun"]>): Promise<void> {
  await postgres.write(async () => {
    const of = await postgres.get<{ batch: string }>("SELECT batch FROM run WHERE id = $1", run);
    const { seq } = await batchOf(postgres, String(of?.batch));
    await keepTallies(postgres, seq);
    const { endedAt, exitCode, requests, stop = null } = ended;
    // not before an answer, whatever the clock of the host that heard it
    const last = "(SELECT max(s.lastAt) FROM share s WHERE s.batch = $3)";
    const sql = `UPDATE batch SET lastAt = greatest(lastAt, $1, ${last}), run = nullif(run, $2) WHERE seq = $3`;
    await postgres.query(sql, endedAt, run, seq);
    const end = "UPDATE run SET endedAt = $1, exitCode = $2, requests = $3, stop = $4 WHERE id = $5";
    await postgres.query(end, endedAt, exitCode, requests, stop, run);
  });
}

export function runs(postgres: Postgres, batch: string): Promise<Run[]> {
  const columns = "batch, login, host, by, startedAt, endedAt, exitCode, requests, stop";
  return postgres.query(`SELECT ${columns} FROM run WHERE batch = $1 ORDER BY id`, batch);
}

export function acts(
  postgres: Postgres,
  { batch, batches, since = 0 }: Parameters<JournalStore["acts"]>[0],
): Promise<Act[]> {
  const { where, values } = conditions([
    ["at >= ?", since],
    ["batch = ?", batch],
    ["batch = ANY(?)", batches],
  ]);
  const columns = `at, kind, login, host, by, batch, rows, "as", note`;
  return postgres.query(`SELECT ${columns} FROM act WHERE ${where} ORDER BY id`, ...values);
}

export async function sourceOf(postgres: Postgres, path: string, identity: string): Promise<string | undefined> {
  const sql = "SELECT batch FROM source WHERE path = $1 AND identity = $2";
  return (await postgres.get<{ batch: string }>(sql, path, identity))?.batch;
}

export function heldFolders(postgres: Postgres): ReturnType<JournalStore["heldFolders"]> {
  return postgres.query("SELECT folder, reason, at FROM hold ORDER BY folder");
}

export async function holdFolder(
  postgres: Postgres,
  ...[folder, reason, act]: Parameters<JournalStore["holdFolder"]>
): Promise<void> {
  await postgres.write(async () => {
    const sql = `INSERT INTO hold (folder, reason, at) VALUES ($1, $2, $3)
      ON CONFLICT (folder) DO UPDATE SET reason = excluded.reason, at = excluded.at`;
    if (reason === undefined) await postgres.query("DELETE FROM hold WHERE folder = $1", folder);
    else await postgres.query(sql, folder, reason, act.at);
    await addAct(postgres, { ...act, as: folder });
  });
}

type Facts = Pick<JournalFacts, "letGo" | "letGoHere" | "lastAt">;

export async function facts(postgres: Postgres, folder = ""): Promise<Facts> {
  const here = `SELECT coalesce(sum(all_of.rows), 0)::bigint AS letGo, coalesce(sum(all_of.rows) FILTER (WHERE folder = $1), 0)::bigint AS letGoHere
    FROM (SELECT folder, letGo AS rows FROM past UNION ALL SELECT b.folder, s.letGo - s.counted FROM share s JOIN batch b ON b.seq = s.batch WHERE s.owner IS NOT NULL) all_of`;
  const sql = `SELECT known.*, ${LAST_AT} AS lastAt FROM (${here}) known`;
  return (await postgres.get<Facts>(sql, folder)) ?? { letGo: 0, letGoHere: 0, lastAt: 0 };
}
