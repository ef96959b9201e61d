import type { DatabaseSync } from "node:sqlite";
import type pg from "pg";

/** Rows of each: two accepted ones, and of every tenth batch a third one that was refused. */
const TALLIES = `{"accepted":{"rows":2,"amount":"201.00"}}`;
const TALLIES_REFUSED = `{"accepted":{"rows":2,"amount":"201.00"},"rejected":{"rows":1,"amount":"100.50"}}`;
const DAY_MS = 86_400_000;

/**
 * Batches that ended long ago, as the journal keeps them, made by its server in a few statements: `folder` is that of the
 * files that are sent beside them.
 */
export async function endedInPostgres(client: pg.Client, count: number, folder: string): Promise<void> {
  const at = Date.now() - 60 * DAY_MS;
  const ask = (sql: string): Promise<unknown> => client.query(sql, sql.includes("$1") ? [count] : []);
  await client.query("SET search_path = paydrop");
  await client.query("BEGIN");
  await ask(`INSERT INTO batch (id, environment, destination, "fileName", folder, format, sha256, "sizeBytes", reading, "createdAt",
      rows, total, label, payments, remarks, phase, "lastAt")
    SELECT 'Z' || lpad(to_hex(i), 7, '0'), 'test', 'http://127.0.0.1:7900', 'old-' || i || '.csv', '${folder}', 'csv',
      md5(i::text) || md5('x' || i), 300, '{"reading":{"format":"csv"},"operation":"transfer","tables":[]}', ${at} + i,
      CASE WHEN i % 10 = 0 THEN 3 ELSE 2 END, '201.00', 'transfer', md5('p' || i), '[]', 'open', ${at} + i
    FROM generate_series(1, $1::int) i`);
  await ask(
    `CREATE TEMP TABLE old AS SELECT seq, id, row_number() OVER (ORDER BY seq)::int AS i FROM batch WHERE id LIKE 'Z%'`,
  );
  await ask(`INSERT INTO share (batch, share, mark, "nextTurn", "firstRow", "lastRow", "letGo", counted, "lastAt", tallies)
    SELECT seq, 0, n, n + 1, 2, 1 + n, n, n, ${at} + i, CASE WHEN n = 3 THEN '${TALLIES_REFUSED}'::json ELSE '${TALLIES}'::json END
    FROM (SELECT seq, i, CASE WHEN i % 10 = 0 THEN 3 ELSE 2 END AS n FROM old) o`);
  await ask(`INSERT INTO past AS p (folder, "letGo", "lastAt") SELECT b.folder, sum(s."letGo"), max(s."lastAt")
    FROM share s JOIN batch b ON b.seq = s.batch WHERE b.seq IN (SELECT seq FROM old) GROUP BY 1
    ON CONFLICT (folder) DO UPDATE SET "letGo" = p."letGo" + excluded."letGo"`);
  await ask(`INSERT INTO rows (batch, row, share, state, turn, operation, amount, payment, payee, place, size, crc, code, attempts,
      "httpStatus", "sentAt", "wentAt", "durationMs", response)
    SELECT seq, r + 1, 0, CASE WHEN r = 3 THEN 'rejected' ELSE 'accepted' END, r, 'transfer', '100.50',
      left(md5('pay' || i || '/' || r), 22), left(md5('payee' || i || '/' || r), 22), r * 100, 80, r,
      CASE WHEN r = 3 THEN 'http_422' ELSE 'http_200' END, 1, CASE WHEN r = 3 THEN 422 ELSE 200 END, ${at} + i, ${at} + i, 20, '{"status":"ok"}'
    FROM old, generate_series(1, 3) r WHERE r < 3 OR i % 10 = 0`);
  await ask(`INSERT INTO key (key, batch, row, "isNamed") SELECT payment, batch, row, false FROM rows WHERE batch IN (SELECT seq FROM old)
    UNION ALL SELECT payee, batch, row, false FROM rows WHERE batch IN (SELECT seq FROM old) ORDER BY 1`);
  await ask(`INSERT INTO run (batch, login, host, "startedAt", "endedAt", "exitCode", requests)
    SELECT id, 'asha', 'pay1', ${at}, ${at} + i, 0, 2 FROM old`);
  await ask(
    `INSERT INTO act (at, kind, login, host, batch) SELECT ${at} + i, 'bring_file', 'asha', 'pay1', id FROM old`,
  );
  await ask(`INSERT INTO source (path, identity, batch) SELECT '${folder}/old-' || i || '.csv', i::text, id FROM old`);
  await client.query("COMMIT");
  // what the server does by itself within minutes
  await client.query("VACUUM ANALYZE");
}

/** The same in a journal of one host. */
export function endedInSqlite(database: DatabaseSync, count: number, folder: string): void {
  const at = Date.now() - 60 * DAY_MS;
  database.exec(`PRAGMA cache_size = -200000; BEGIN;
    CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
    INSERT INTO n WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < ${count}) SELECT i FROM s;
    INSERT INTO batch (id, environment, destination, fileName, folder, format, sha256, sizeBytes, reading, createdAt, rows, total,
      label, payments, remarks, phase, mark, nextTurn, letGo, counted, lastAt, tallies)
    SELECT printf('Z%07X', i), 'test', 'http://127.0.0.1:7900', 'old-' || i || '.csv', '${folder}', 'csv', printf('%064x', i), 300,
      '{"reading":{"format":"csv"},"operation":"transfer","tables":[]}', ${at} + i, 2 + (i % 10 = 0), '201.00', 'transfer', printf('p%d', i), '[]',
      'open', 2 + (i % 10 = 0), 3 + (i % 10 = 0), 2 + (i % 10 = 0), 2 + (i % 10 = 0), ${at} + i, iif(i % 10 = 0, '${TALLIES_REFUSED}', '${TALLIES}') FROM n;
    CREATE TEMP TABLE old AS SELECT b.seq, b.id, n.i FROM n JOIN batch b ON b.id = printf('Z%07X', n.i);
    INSERT INTO past (folder, letGo) SELECT folder, sum(letGo) FROM batch WHERE seq IN (SELECT seq FROM old) GROUP BY folder
      ON CONFLICT (folder) DO UPDATE SET letGo = letGo + excluded.letGo;
    CREATE TEMP TABLE three AS SELECT 1 AS r UNION ALL SELECT 2 UNION ALL SELECT 3;
    INSERT INTO row (batch, row, state, turn, operation, amount, payment, payee, place, size, crc, code, attempts, httpStatus, sentAt,
      wentAt, durationMs, response)
    SELECT seq, r + 1, iif(r = 3, 'rejected', 'accepted'), r, 'transfer', '100.50', printf('pay%d/%d%s', i, r, hex(i * 7919 + r)),
      printf('payee%d/%d', i, r), r * 100, 80, r, iif(r = 3, 'http_422', 'http_200'), 1, iif(r = 3, 422, 200), ${at} + i, ${at} + i, 20, '{"status":"ok"}'
    FROM old, three WHERE r < 3 OR i % 10 = 0;
    INSERT INTO key (key, batch, row, isNamed) SELECT payment, batch, row, 0 FROM row WHERE batch IN (SELECT seq FROM old)
      UNION ALL SELECT payee, batch, row, 0 FROM row WHERE batch IN (SELECT seq FROM old) ORDER BY 1, 2, 3;
    INSERT INTO run (batch, login, host, startedAt, endedAt, exitCode, requests) SELECT id, 'asha', 'pay1', ${at}, ${at} + i, 0, 2 FROM old;
    INSERT INTO act (at, kind, login, host, batch) SELECT ${at} + i, 'bring_file', 'asha', 'pay1', id FROM old;
    INSERT INTO source (path, identity, batch) SELECT '${folder}/old-' || i || '.csv', i, id FROM old;
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE);`);
}
