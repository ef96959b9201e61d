import { linkSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import { keysOf } from "../../src/journal/row-keys.ts";
import type { JournalStore, NewBatch } from "../../src/journal/store.ts";
import { SHARE_ROWS } from "../../src/journal/states.ts";
import { quoted } from "../../src/postgres/postgres.ts";
import { journalPath, snapshotPath } from "../../src/state-dir.ts";

export const BATCH_ROWS = 10_000;
/** Each is paid so often, by another batch each time. */
const TIMES = 10;
const AMOUNTS = 50_000;
export const COMMON_AMOUNT = "25000";
/** One of the others, and the last four of some accounts. */
export const [RARE_AMOUNT, LAST4] = ["30005.05", "4471"];
const DAY_MS = 86_400_000;

interface Dialect {
  readonly table: "row" | "rows";
  /** SQL: a text that no other number of this kind has, as a keyed hash is none. */
  readonly hidden: (kind: string, number: string, length: number) => string;
  readonly share: boolean;
}

const SQLITE: Dialect = {
  table: "row",
  hidden: (kind, number, length) =>
    `substr(printf('%011x%011x', (${number} + 1) * ${seedOf(kind)} & 17592186044415, (${number} + 2) * ${seedOf(`${kind}2`)} & 17592186044415), 1, ${length})`,
  share: false,
};
const POSTGRES: Dialect = {
  table: "rows",
  hidden: (kind, number, length) => `left(md5('${kind}' || ${number}), ${length})`,
  share: true,
};

/** Odd, so that products differ, and small enough that none is too large for SQLite. */
function seedOf(kind: string): number {
  const seed = Array.from(kind, (letter) => letter.charCodeAt(0)).reduce((sum, code) => (sum * 131 + code) % 9973, 7);
  return 274_877_906_957 + seed * 20_000_022;
}

/** SQL: accepted rows as `recordRows` and their answers leave them, in their order. `numbers` gives `i`, from 0 on. */
function rowsOf({ table, hidden, share }: Dialect, rows: number, numbers: string, at: number): string {
  const columns = [
    ...[["batch", `1 + i / ${BATCH_ROWS}`] as const, ["row", "2 + n"] as const, ["state", "'accepted'"] as const],
    ...(share
      ? [["share", `n / ${SHARE_ROWS}`] as const, ["turn", `1 + n % ${SHARE_ROWS}`] as const]
      : [["turn", "1 + n"] as const]),
    ...([
      ["operation", "'payout'"],
      ["option", "'B'"],
      ["amount", AMOUNT],
      ["payment", hidden("payment", "p", 22)],
      ["payee", hidden("payee", "p", 22)],
      ["zeros", "2"],
      ["reference", hidden("reference", "i", 22)],
      ["last4", "substr(CAST(10000 + p % 10000 AS text), 2)"],
      ["employee", hidden("employee", "p", 12)],
      ["mobile", hidden("mobile", "p", 12)],
      ["named", `${hidden("name", "p", 8)} || ${hidden("mobile", "p", 12)}`],
      ["content", `'sent:' || ${hidden("content", "i", 22)} || ':0'`],
      ["place", "n * 300"],
      ["size", "299"],
      ["crc", "n * 400000"],
      ["code", "'http_200'"],
      ["attempts", "1"],
      ["httpStatus", "200"],
      ["sentAt", `${at} + i`],
      ["wentAt", `${at} + i`],
      ["durationMs", "20"],
      ["response", `'{"id":"pout_' || i || '","status":"created"}'`],
    ] as const),
  ];
  return `INSERT INTO ${table} (${columns.map(([name]) => name).join()}) SELECT ${columns.map(([, sql]) => sql).join()}
    FROM (SELECT i, i % ${BATCH_ROWS} AS n, i % ${rows / TIMES} AS p, i * 7919 % ${AMOUNTS} AS v FROM (${numbers}) numbers) x`;
}

/** Salaries that many people have, and such as few have. */
const AMOUNT = `CASE WHEN i % 200 = 0 THEN '25000.00' WHEN i % 100 = 1 THEN '20000.00' WHEN i % 50 = 3 THEN '15000.00'
  ELSE (30000 + v) || '.' || substr(CAST(100 + v % 100 AS text), 2) END`;
/** The same, of the row with this number over all batches. */
export function amountOf(nth: number): string {
  if (nth % 200 === 0) return "25000.00";
  if (nth % 100 === 1) return "20000.00";
  const value = (nth * 7919) % AMOUNTS;
  return nth % 50 === 3 ? "15000.00" : `${30_000 + value}.${String(value % 100).padStart(2, "0")}`;
}

const TALLIES = (rows: number): string => JSON.stringify({ accepted: { rows, amount: `${rows * 50_000}.00` } });

/** The batches, and for each a private copy: the file at `copyOf(batch)`. */
async function addBatches(...[store, stateDir, rows, copyOf]: Filling): Promise<number> {
  const createdAt = Date.now() - 60 * DAY_MS;
  const reading = { reading: { format: "csv", encoding: "utf-8", delimiter: "," }, operation: "payout", tables: [] };
  mkdirSync(dirname(snapshotPath(stateDir, "any")), { recursive: true });
  for (let at = 0; at < rows / BATCH_ROWS; at += 1) {
    const copy = copyOf(at);
    const batch: NewBatch = {
      ...{ id: `Z${String(at).padStart(7, "0")}`, environment: "test", destination: "http://127.0.0.1:7900" },
      ...{ fileName: `old-${at}.csv`, folder: "/in", format: "csv", sha256: String(at).padStart(64, "0") },
      ...{ sizeBytes: statSync(copy).size, reading: JSON.stringify(reading), createdAt: createdAt + at },
    };
    await store.addBatch(batch);
    linkSync(copy, snapshotPath(stateDir, batch.sha256));
  }
  return createdAt;
}

/** What is made of it: how many rows a second, how large it is, and how much of that the keys are. */
export interface Filled {
  readonly rowsPerSecond: number;
  readonly bytes: number;
  readonly keyBytes: number;
}

type Filling = readonly [store: JournalStore, stateDir: string, rows: number, copyOf: (batch: number) => string];

/** Straight into the tables of a journal that is open, and empty. */
export async function fillSqlite(...[store, stateDir, rows, copyOf]: Filling): Promise<Filled> {
  const at = await addBatches(store, stateDir, rows, copyOf);
  await store.close();
  const began = performance.now();
  const database = new DatabaseSync(journalPath(stateDir));
  const numbers = `WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < ${rows - 1}) SELECT i FROM s`;
  // nothing is there yet that could be lost
  database.exec(`PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA threads = 2;
    PRAGMA temp_store_directory = '${stateDir}';
    BEGIN; ${rowsOf(SQLITE, rows, numbers, at)};
    INSERT INTO key (key, batch, row, isNamed) ${keysOf("row", "TRUE")} ORDER BY 1, 2, 3;
    UPDATE batch SET phase = 'open', rows = ${BATCH_ROWS}, total = '${BATCH_ROWS * 50_000}.00', label = 'payout, option B',
      payments = id, remarks = '[]', mark = ${BATCH_ROWS}, nextTurn = ${BATCH_ROWS + 1}, letGo = ${BATCH_ROWS}, counted = ${BATCH_ROWS},
      tallies = '${TALLIES(BATCH_ROWS)}';
    INSERT INTO past (folder, letGo) VALUES ('/in', ${rows}); COMMIT; PRAGMA journal_mode = WAL`);
  const rowsPerSecond = (rows / (performance.now() - began)) * 1000;
  const sized = database
    .prepare("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = 'key' AND aggregate = TRUE")
    .get();
  database.close();
  return { rowsPerSecond, bytes: statSync(journalPath(stateDir)).size, keyBytes: Number(sized?.["bytes"]) };
}

/** The same. Keys lie as batch after batch has entered them; their index is made at the end. */
export async function fillPostgres(client: pg.Client, ...[store, stateDir, rows, copyOf]: Filling): Promise<Filled> {
  const at = await addBatches(store, stateDir, rows, copyOf);
  await store.close();
  const began = performance.now();
  const ask = (sql: string): Promise<pg.QueryResult> => client.query(quoted(sql));
  await ask("SET search_path = paydrop; SET work_mem = '256MB'; SET maintenance_work_mem = '1GB'");
  // where a table is made anew in a transaction, nothing is written twice
  await ask("BEGIN; TRUNCATE rows, key; ALTER TABLE key DROP CONSTRAINT key_pkey");
  await ask(rowsOf(POSTGRES, rows, `SELECT i FROM generate_series(0::bigint, ${rows - 1}) i`, at));
  for (let batch = 1; batch <= rows / BATCH_ROWS; batch += 1)
    await ask(`INSERT INTO key (key, batch, row, isNamed) ${keysOf("rows", `batch = ${batch}`)} ORDER BY 1, 2, 3`);
  await ask("ALTER TABLE key ADD PRIMARY KEY (key, batch, row)");
  await ask(`INSERT INTO share (batch, share, mark, nextTurn, firstRow, lastRow, letGo, counted, lastAt, tallies)
    SELECT seq, share, ${SHARE_ROWS}, ${SHARE_ROWS + 1}, 2 + share * ${SHARE_ROWS}, 1 + (share + 1) * ${SHARE_ROWS},
      ${SHARE_ROWS}, ${SHARE_ROWS}, createdAt, '${TALLIES(SHARE_ROWS)}' FROM batch, generate_series(0, ${BATCH_ROWS / SHARE_ROWS - 1}) share`);
  await ask(`INSERT INTO past (folder, letGo, lastAt) VALUES ('/in', ${rows}, ${at});
    UPDATE batch SET phase = 'open', rows = ${BATCH_ROWS}, total = '${BATCH_ROWS * 50_000}.00', label = 'payout, option B', payments = id,
      remarks = '[]', recorder = NULL; COMMIT`);
  // what the server does by itself within minutes
  await ask("VACUUM ANALYZE");
  const rowsPerSecond = (rows / (performance.now() - began)) * 1000;
  const sizes = await ask(
    `SELECT pg_database_size(current_database())::float8 AS bytes, pg_total_relation_size('key')::float8 AS keys`,
  );
  const { bytes, keys } = (sizes.rows as { bytes: number; keys: number }[])[0] ?? { bytes: NaN, keys: NaN };
  await ask("CHECKPOINT");
  return { rowsPerSecond, bytes, keyBytes: keys };
}
