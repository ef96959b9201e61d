import { lockShares } from "./batches.ts";
import type { Postgres } from "./postgres.ts";
import { PURGED_AT_ONCE, stepOf, type Looked } from "../journal/states.ts";
import type { Copied, JournalStore, Purged } from "../journal/store.ts";

type Old = Looked & { readonly id: string };

const IS_OLD = `b.phase <> 'recording' AND NOT b.owesResults AND NOT b.isPurged AND b.lastAt < $1
  AND NOT EXISTS (SELECT 1 FROM share s WHERE s.batch = b.seq AND s.lastAt >= $1)`;
const has = (states: string): string =>
  `EXISTS (SELECT 1 FROM rows r WHERE r.batch = b.seq AND r.state IN (${states}))`;
const HASHES = "regexp_matches(b.reading, '[0-9a-f]{64}', 'g') AS named(hashes)";
/** Private copies of these batches that no other one needs: it is read once which lookup tables those have. */
const UNNEEDED = `WITH needed AS MATERIALIZED (SELECT DISTINCT hashes[1] AS sha256 FROM batch b, ${HASHES}
    WHERE NOT b.isPurged AND b.reading ~ '[0-9a-f]{64}'),
  own AS (SELECT sha256 FROM batch WHERE seq = ANY($1) UNION SELECT hashes[1] FROM batch b, ${HASHES} WHERE b.seq = ANY($1))
  DELETE FROM piece WHERE sha256 IN (SELECT sha256 FROM own EXCEPT SELECT sha256 FROM needed)
    AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.sha256 = piece.sha256 AND NOT b.isPurged)`;

const ACT = "at, kind, login, host, by, batch, note";
const ACTS = `INSERT INTO act (${ACT}) SELECT ${ACT} FROM json_populate_recordset(NULL::act, $1)`;

/** With their shares locked: nobody lets a row go again whose payload goes here. */
export function purge(
  postgres: Postgres,
  ...[before, act, after = 0]: Parameters<JournalStore["purge"]>
): Promise<Purged> {
  return postgres.write(async () => {
    const sql = `SELECT seq, createdAt FROM batch b WHERE seq > $2 AND ${IS_OLD} ORDER BY seq LIMIT ${PURGED_AT_ONCE}`;
    const old = await postgres.query<Looked>(sql, before, after);
    const all = old.map(({ seq }) => seq);
    await lockShares(postgres, all);
    const isEnded = `${IS_OLD} AND NOT ${has("'ready'")} AND NOT ${has("'held', 'not_sent', 'unknown'")}`;
    const chosen = `SELECT seq, id FROM batch b WHERE seq = ANY($2) AND ${isEnded} ORDER BY seq FOR NO KEY UPDATE`;
    const ended = await postgres.query<Old>(chosen, before, all);
    const [seqs, ids] = [ended.map(({ seq }) => seq), ended.map(({ id }) => id)];
    if (seqs.length > 0) {
      const told = ["response", "faults", "notices", "lateAnswer"];
      const [none, any] = [told.map((name) => `${name} = NULL`), told.map((name) => `${name} IS NOT NULL`)];
      await postgres.query(`UPDATE rows SET ${none.join()} WHERE batch = ANY($1) AND (${any.join(" OR ")})`, seqs);
      await postgres.query("UPDATE share SET payloads = NULL WHERE batch = ANY($1) AND payloads IS NOT NULL", seqs);
      await postgres.query("UPDATE batch SET isPurged = true WHERE seq = ANY($1)", seqs);
      await postgres.query("DELETE FROM kept WHERE kind = 'notice' AND name = ANY($1)", ids);
      await postgres.query(UNNEEDED, seqs);
    }
    await postgres.query(ACTS, JSON.stringify(ids.map((batch) => ({ ...act, batch }))));
    return { ids, ...stepOf(old) };
  });
}

export function copied(postgres: Postgres): Promise<Copied[]> {
  return postgres.query("SELECT id, sha256, reading, isPurged FROM batch ORDER BY seq");
}
