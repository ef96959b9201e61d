import { createHash, randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { PaydropError } from "../errors.ts";
import { ROW_STATES, WAITING_STATES } from "../journal/states.ts";
import type { JournalFacts } from "../journal/store.ts";

/** There is one; a journal with another one is refused. */
export const SCHEMA_VERSION = 3;

/** Words compared one by one: for `IN (…)` SQLite makes an index at every row that it writes, half of the cost. */
const isOneOf = (column: string, words: readonly string[]): string =>
  words.map((word) => `${column} = '${word}'`).join(" OR ");
const oneOf = (column: string, words: readonly string[]): string => `TEXT NOT NULL CHECK (${isOneOf(column, words)})`;

/**
 * Columns are named as the properties of `store.ts`. No bank data in clear stands in any of them (I10): payments, payees
 * and references are keyed hashes, faults and notices carry masked values.
 */
const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

  -- mark: the turn mark; letGo: rows ever let go; lastAt: the latest time that it knows; wentAt: sentAt, never before
  -- that, for a clock that was behind would make a payment old; tallies: kept until a row changes; counted: how many of letGo
  -- are in the table past, as all of a batch whose tallies are kept
  CREATE TABLE batch (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, environment ${oneOf("environment", ["live", "test"])},
    destination TEXT NOT NULL, fileName TEXT NOT NULL, folder TEXT NOT NULL, format TEXT NOT NULL,
    sha256 TEXT NOT NULL, sizeBytes INTEGER NOT NULL, period TEXT, reading TEXT NOT NULL, createdAt INTEGER NOT NULL,
    rows INTEGER NOT NULL DEFAULT 0, total TEXT NOT NULL DEFAULT '0.00', label TEXT NOT NULL DEFAULT '', payments TEXT,
    remarks TEXT, phase ${oneOf("phase", ["recording", "open", "paused", "cancelled"])},
    owesResults INTEGER NOT NULL DEFAULT 0, isPurged INTEGER NOT NULL DEFAULT 0, mark INTEGER NOT NULL DEFAULT 0, nextTurn INTEGER NOT NULL DEFAULT 1,
    letGo INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL DEFAULT 0, lastAt INTEGER NOT NULL, tallies TEXT,
    approvers INTEGER NOT NULL DEFAULT 0, approvedUntil INTEGER NOT NULL DEFAULT 0,
    CHECK (mark >= 0 AND mark < nextTurn AND counted >= 0 AND counted <= letGo)
  ) STRICT;
  CREATE INDEX batchBytes ON batch (sha256);
  CREATE INDEX batchPayments ON batch (payments);
  CREATE INDEX batchPlace ON batch (folder, fileName);
  CREATE INDEX batchDestination ON batch (destination, environment);
  -- what is asked again and again looks at no batch that has ended; a commit changes none of these
  CREATE INDEX batchLastAt ON batch (lastAt) WHERE tallies IS NOT NULL;
  CREATE INDEX batchUncounted ON batch (seq) WHERE tallies IS NULL;
  CREATE INDEX batchPhase ON batch (phase) WHERE phase = 'recording' OR phase = 'paused';
  CREATE INDEX batchOwes ON batch (seq) WHERE owesResults = 1;
  CREATE TRIGGER markGoesUp BEFORE UPDATE OF mark, letGo ON batch WHEN NEW.mark < OLD.mark OR NEW.letGo < OLD.letGo
    BEGIN SELECT RAISE(ABORT, 'a turn mark never goes back'); END;
  -- rows that were let go from a folder, of batches whose tallies are kept
  CREATE TABLE past (folder TEXT PRIMARY KEY, letGo INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE row (
    batch INTEGER NOT NULL, row INTEGER NOT NULL, state ${oneOf("state", ROW_STATES)}, turn INTEGER NOT NULL,
    operation TEXT, option TEXT, amount TEXT, payment TEXT, payee TEXT, zeros INTEGER, reference TEXT, period TEXT,
    payeeAs TEXT, referenceAs TEXT, last4 TEXT, employee TEXT, mobile TEXT, email TEXT, named TEXT, content TEXT, retryBatch TEXT, retryRow INTEGER, place INTEGER, size INTEGER, crc INTEGER, faults TEXT, notices TEXT, code TEXT, reasons TEXT,
    attempts INTEGER NOT NULL DEFAULT 0, httpStatus INTEGER, sentAt INTEGER, wentAt INTEGER, durationMs INTEGER, response TEXT,
    settledBy TEXT,
    PRIMARY KEY (batch, row), CHECK (state <> 'ready' OR (payment IS NOT NULL AND place IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX rowTurn ON row (batch, turn) WHERE state = 'ready';
  CREATE INDEX rowWaits ON row (state, batch) WHERE ${isOneOf("state", WAITING_STATES)};
  CREATE INDEX rowRefused ON row (code, batch) WHERE state = 'rejected';
  CREATE INDEX rowToCorrect ON row (batch, row) WHERE state = 'invalid' OR state = 'rejected';
  CREATE INDEX rowRetryOf ON row (retryBatch, retryRow) WHERE retryBatch IS NOT NULL;

  -- what rows are found by (row-keys.ts); isNamed: a payment whose row states a reference
  CREATE TABLE key (key TEXT NOT NULL, batch INTEGER NOT NULL, row INTEGER NOT NULL, isNamed INTEGER NOT NULL,
    PRIMARY KEY (key, batch, row)) STRICT, WITHOUT ROWID;

  CREATE TABLE run (id INTEGER PRIMARY KEY, batch TEXT NOT NULL, login TEXT NOT NULL, host TEXT NOT NULL, by TEXT,
    startedAt INTEGER NOT NULL, endedAt INTEGER, exitCode INTEGER, requests INTEGER, stop TEXT) STRICT;
  CREATE INDEX runBatch ON run (batch);
  CREATE TABLE act (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, login TEXT NOT NULL,
    host TEXT NOT NULL, by TEXT, batch TEXT, rows TEXT, "as" TEXT, note TEXT) STRICT;
  CREATE INDEX actBatch ON act (batch);
  CREATE INDEX actAt ON act (at);
  CREATE TRIGGER actStays BEFORE UPDATE ON act BEGIN SELECT RAISE(ABORT, 'acts are never changed'); END;
  CREATE TRIGGER actIsKept BEFORE DELETE ON act BEGIN SELECT RAISE(ABORT, 'acts are never removed'); END;

  CREATE TABLE source (path TEXT NOT NULL, identity TEXT NOT NULL, batch TEXT NOT NULL,
    PRIMARY KEY (path, identity)) STRICT, WITHOUT ROWID;
  CREATE TABLE hold (folder TEXT PRIMARY KEY, reason TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE kept (kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, name))
    STRICT, WITHOUT ROWID;
`;

/** The bytes of the journal are not what was written: nothing is sent by it (I12). */
export class DamageError extends Error {}

/** Makes the tables where there are none, wholly or not at all. Gives the version that was found, or made. */
export function makeTables(database: DatabaseSync, mayBeNew: boolean): number {
  if (versionOf(database) !== 0) return versionOf(database);
  database.exec("BEGIN IMMEDIATE");
  try {
    // asked again: another process may have come first
    if (versionOf(database) === 0) {
      if (database.prepare("SELECT 1 FROM sqlite_schema").get()) throw new DamageError("its version is gone");
      // copied or kept without its WAL, in which all of it may have been
      if (!mayBeNew) throw new DamageError("its tables are gone");
      database.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION};`);
      const secret = randomBytes(32).toString("hex");
      const meta = database.prepare("INSERT INTO meta (key, value) VALUES ('keySecret', ?), ('stateId', ?)");
      meta.run(secret, stateIdOf(secret));
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
  return versionOf(database);
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

/**
 * The id of this state directory, and the 32 random bytes that key the hashes of payments. Made once. The id is made from
 * the bytes: where they were changed, and every payment is forgotten, that is noticed. Throws DamageError.
 */
export function readIdentity(database: DatabaseSync): Pick<JournalFacts, "stateId" | "keySecret"> {
  const [keySecret, stateId] = database
    .prepare("SELECT value FROM meta WHERE key IN ('keySecret', 'stateId') ORDER BY key")
    .all()
    .map(({ value }) => value);
  if (typeof keySecret !== "string") throw new DamageError("the key of its hashes is gone");
  if (stateId !== stateIdOf(keySecret)) throw new DamageError("the key of its hashes was changed");
  return { stateId, keySecret };
}

/** Where the journal went, and when; `isOver`: the other one has it for good. */
export interface Moved {
  readonly to: string;
  readonly at: number;
  readonly isOver: boolean;
}

export const MOVED = "SELECT value FROM meta WHERE key = 'moved'";

/** Throws PaydropError for a journal that was moved, or is being moved: another one lets its rows go from then on. */
export function assertHere(found: Readonly<Record<string, unknown>> | undefined, folder: string): void {
  if (!found) return;
  const { to, at, isOver } = JSON.parse(String(found["value"])) as Moved;
  throw new PaydropError(isOver ? "journal_moved" : "journal_moving", { folder, to, at: new Date(at).toISOString() });
}

export function stateIdOf(secret: string): string {
  return createHash("sha256").update("paydrop state id").update(secret).digest("hex").slice(0, 16);
}

/** Throws DamageError where tables, indexes or triggers are others than paydrop makes: a changed byte could loosen a rule. */
export function assertTables(database: DatabaseSync): void {
  const model = new DatabaseSync(":memory:");
  try {
    model.exec(SCHEMA);
    if (schemaOf(model) !== schemaOf(database)) throw new DamageError("its tables are not those that paydrop makes");
  } finally {
    model.close();
  }
}

function schemaOf(database: DatabaseSync): string {
  const all = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
  return JSON.stringify(database.prepare(all).all());
}
