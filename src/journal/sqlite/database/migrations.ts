import { META_KEY } from "../meta.ts";
import { ROW_STATES } from "../../state.ts";

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(", ");
/** Words compared one by one: for `IN (…)` SQLite makes an index at every row that it writes, half of the cost. */
const oneOf = (column: string, words: readonly string[]): string =>
  words.map((word) => `${column} = '${word}'`).join(" OR ");

/** Rows that are there already were keyed by other rules: `earlier-keys.ts` looks for them under their old keys. */
const ROWS_HAVE_EARLIER_KEYS = `INSERT OR IGNORE INTO meta (key, value) SELECT '${META_KEY.earlierKeys}', 1 WHERE EXISTS (SELECT 1 FROM batch);`;

/**
 * Numbered migrations; `user_version` says how many have been applied. Never edit one that was released: add one.
 * No bank data in clear stands in any column (I10): keys are keyed hashes, faults carry masked values.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

   CREATE TABLE batch (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
     destination TEXT NOT NULL,
     file_name TEXT NOT NULL,
     folder TEXT NOT NULL,
     format TEXT NOT NULL CHECK (format IN ('csv', 'json', 'jsonl')),
     sha256 TEXT NOT NULL,
     size_bytes INTEGER NOT NULL,
     period TEXT,
     guessed_period TEXT,
     choices TEXT NOT NULL,
     rows INTEGER NOT NULL DEFAULT 0,
     total TEXT NOT NULL DEFAULT '0.00',
     remarks TEXT NOT NULL DEFAULT '[]',
     phase TEXT NOT NULL CHECK (phase IN ('recording', 'open', 'paused', 'cancelled')),
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX batch_bytes ON batch (sha256);

   CREATE TABLE row (
     batch INTEGER NOT NULL REFERENCES batch (seq),
     number INTEGER NOT NULL,
     state TEXT NOT NULL CHECK (state IN (${quoted(ROW_STATES)})),
     operation TEXT,
     option TEXT,
     amount TEXT,
     period TEXT,
     reference_key BLOB,
     core_key BLOB,
     ordinal INTEGER NOT NULL DEFAULT 1,
     beneficiary_key BLOB,
     code TEXT,
     faults TEXT,
     other_batch TEXT,
     other_row INTEGER,
     other_at INTEGER,
     released INTEGER NOT NULL DEFAULT 0,
     attempts INTEGER NOT NULL DEFAULT 0,
     last_attempt INTEGER,
     settled_by TEXT,
     changed_at INTEGER NOT NULL,
     PRIMARY KEY (batch, number)
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE seen (
     key BLOB NOT NULL,
     batch INTEGER NOT NULL,
     number INTEGER NOT NULL,
     PRIMARY KEY (key, batch, number)
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE attempt (
     id INTEGER PRIMARY KEY,
     batch INTEGER NOT NULL,
     row INTEGER NOT NULL,
     started_at INTEGER NOT NULL,
     outcome TEXT CHECK (outcome IN ('accepted', 'rejected', 'unknown', 'not_sent')),
     reason TEXT,
     http_status INTEGER,
     duration_ms INTEGER,
     response TEXT
   ) STRICT;
   CREATE INDEX attempt_open ON attempt (id) WHERE outcome IS NULL;

   CREATE TABLE act (
     id INTEGER PRIMARY KEY,
     batch INTEGER NOT NULL REFERENCES batch (seq),
     at INTEGER NOT NULL,
     by TEXT NOT NULL,
     kind TEXT NOT NULL,
     row INTEGER,
     note TEXT NOT NULL
   ) STRICT;
   CREATE INDEX act_batch ON act (batch);

   CREATE TABLE written (path TEXT PRIMARY KEY, sha256 TEXT NOT NULL) STRICT, WITHOUT ROWID;

   CREATE TABLE source (
     path TEXT PRIMARY KEY,
     identity TEXT NOT NULL,
     batch TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;`,

  // A workbook is a format too: the rule of a column changes only with the column.
  `ALTER TABLE batch RENAME COLUMN format TO format_before;
   ALTER TABLE batch ADD COLUMN format TEXT NOT NULL DEFAULT 'csv' CHECK (format IN ('csv', 'json', 'jsonl', 'xlsx'));
   UPDATE batch SET format = format_before;
   ALTER TABLE batch DROP COLUMN format_before;`,

  // `tallies`: what the rows of a batch add up to, so that a large past is not added up again. Each change of a row
  // drops them in the same transaction, here and nowhere else: no process can forget to, or leave old ones behind.
  // `archive`: the file that the details of the batch were moved to.
  `ALTER TABLE batch ADD COLUMN tallies TEXT;
   ALTER TABLE batch ADD COLUMN archive TEXT;
   CREATE TRIGGER row_changed AFTER UPDATE OF state, amount ON row BEGIN
     UPDATE batch SET tallies = NULL WHERE seq = NEW.batch AND tallies IS NOT NULL;
   END;`,

  // `origin_…`: the row that a corrected row stands for. `family`: the first row of such a chain (BATCH:ROW).
  `ALTER TABLE row ADD COLUMN origin_batch TEXT;
   ALTER TABLE row ADD COLUMN origin_row INTEGER;
   ALTER TABLE row ADD COLUMN family TEXT;
   ALTER TABLE row ADD COLUMN changes TEXT;
   ALTER TABLE row ADD COLUMN payee_changed INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX row_family ON row (family) WHERE family IS NOT NULL;`,

  // The same two tables, with rules that cost nothing to keep. SQLite changes a rule only with its table.
  `CREATE TABLE row_anew (
     batch INTEGER NOT NULL REFERENCES batch (seq),
     number INTEGER NOT NULL,
     state TEXT NOT NULL CHECK (${oneOf("state", ROW_STATES)}),
     operation TEXT,
     option TEXT,
     amount TEXT,
     period TEXT,
     reference_key BLOB,
     core_key BLOB,
     ordinal INTEGER NOT NULL DEFAULT 1,
     beneficiary_key BLOB,
     code TEXT,
     faults TEXT,
     other_batch TEXT,
     other_row INTEGER,
     other_at INTEGER,
     released INTEGER NOT NULL DEFAULT 0,
     attempts INTEGER NOT NULL DEFAULT 0,
     last_attempt INTEGER,
     settled_by TEXT,
     changed_at INTEGER NOT NULL,
     origin_batch TEXT,
     origin_row INTEGER,
     family TEXT,
     changes TEXT,
     payee_changed INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (batch, number)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO row_anew SELECT * FROM row ORDER BY batch, number;
   DROP TABLE row;
   ALTER TABLE row_anew RENAME TO row;
   CREATE INDEX row_family ON row (family) WHERE family IS NOT NULL;
   CREATE TRIGGER row_changed AFTER UPDATE OF state, amount ON row BEGIN
     UPDATE batch SET tallies = NULL WHERE seq = NEW.batch AND tallies IS NOT NULL;
   END;

   CREATE TABLE attempt_anew (
     id INTEGER PRIMARY KEY,
     batch INTEGER NOT NULL,
     row INTEGER NOT NULL,
     started_at INTEGER NOT NULL,
     outcome TEXT CHECK (${oneOf("outcome", ["accepted", "rejected", "unknown", "not_sent"])}),
     reason TEXT,
     http_status INTEGER,
     duration_ms INTEGER,
     response TEXT
   ) STRICT;
   INSERT INTO attempt_anew SELECT * FROM attempt ORDER BY id;
   DROP TABLE attempt;
   ALTER TABLE attempt_anew RENAME TO attempt;
   CREATE INDEX attempt_open ON attempt (id) WHERE outcome IS NULL;`,

  // A file that paydrop wrote is known by its bytes, also under another path.
  `CREATE INDEX written_sha256 ON written (sha256);`,

  // Until now references were compared as they were written.
  ROWS_HAVE_EARLIER_KEYS,

  // `doubtful`: the row's reference may have been rewritten by a spreadsheet.
  `ALTER TABLE row ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0;`,

  // Until now accounts were compared as they were written.
  ROWS_HAVE_EARLIER_KEYS,

  // Unknown rows are found among any number of equal rows. Few rows are unknown: the index costs the others nothing.
  `CREATE INDEX row_unknown ON row (core_key) WHERE state = 'unknown';`,

  // Until now references and ids were compared in the case in which they were written.
  ROWS_HAVE_EARLIER_KEYS,

  // `other_more`: whoever decides on a held row is told that it may be one of several equal payments.
  `ALTER TABLE row ADD COLUMN other_more INTEGER NOT NULL DEFAULT 0;`,

  // Hashes of all that paydrop ever wrote, not only of what it wrote last at each place: an older one may come back.
  `CREATE TABLE wrote (sha256 TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
   INSERT OR IGNORE INTO wrote SELECT substr(sha256, 1, 64) FROM written UNION SELECT substr(sha256, -64) FROM written;
   DROP INDEX written_sha256;`,

  // `decided`: the act by which a person let the row go, or settled it as done. The person knew what had become of
  // other rows before it.
  `ALTER TABLE row ADD COLUMN decided INTEGER;`,

  // Rows that a person let go although another row stands for the same: whoever lets a third one go is told of both.
  `CREATE INDEX row_let_go ON row (other_batch, other_row) WHERE released > 0;`,

  // Rows that wait for a row of another file are looked for again and again while a folder is watched: it must be fast.
  `CREATE INDEX row_waiting ON row (batch) WHERE state = 'held' AND code = 'other_row_open';`,

  // `all_or_nothing`: the rule that the file was taken in by. It still holds when rows that waited for others may go.
  `ALTER TABLE batch ADD COLUMN all_or_nothing INTEGER NOT NULL DEFAULT 0;`,

  // A payment whose IFSC was corrected goes to the same account. Rows that are there already have no such key: they are
  // known only by account and IFSC together.
  `ALTER TABLE row ADD COLUMN account_key BLOB;`,

  // `payee_sample`: a list that is sent again with another account in every row repeats none of its rows, but its
  // payees. Batches that are there already have no sample.
  `CREATE TABLE payee_sample (
     payee BLOB NOT NULL,
     amount TEXT NOT NULL,
     batch INTEGER NOT NULL,
     number INTEGER NOT NULL,
     PRIMARY KEY (payee, amount, batch, number)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE repeats (
     later INTEGER NOT NULL,
     earlier INTEGER NOT NULL,
     how TEXT NOT NULL CHECK (${oneOf("how", ["row", "anew", "list"])}),
     PRIMARY KEY (later, earlier, how)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX repeats_list ON repeats (earlier) WHERE how = 'list';`,

  // What lay at a place before is looked for whenever a file is taken from there. `laid_at`: since when the file lay there.
  `CREATE INDEX batch_place ON batch (file_name, folder);
   ALTER TABLE batch ADD COLUMN laid_at INTEGER;`,
];
