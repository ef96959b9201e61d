import { chmodSync, existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { giveToOwner, makePrivateFolder } from "../disk.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { asWord, printable } from "../printable.ts";
import { journalPath, snapshotPath } from "../state-dir.ts";
import { assertHere, assertTables, DamageError, makeTables, MOVED, readIdentity, SCHEMA_VERSION } from "./schema.ts";
import { AS_IT_WAS } from "../journal/states.ts";
import type { Who } from "../journal/store.ts";

export interface OpenOptions {
  /** Of a process that sends, and has the instance lock: the journal must be sound (I12). */
  readonly isSender?: boolean;
  /** Who accepts that the memory of what was sent is gone. A damaged journal is then kept under another name. */
  readonly lossAcceptedBy?: Who | undefined;
  /** Of whoever moves it to another place: it may have been begun before. */
  readonly isMoving?: boolean;
  /** A copy that is removed when it was asked: what is written there need not outlive a crash. Nothing is let go by it. */
  readonly isThrownAway?: boolean;
  /** For commands that only ask: where there is no journal none is made, and nothing is known. */
  readonly makesNone?: boolean;
}

/** SQLite before 3.51.3 can damage a WAL when it is reset, or when two processes open it. */
const SQLITE_VERSION_MIN = "3.51.3";
const BUSY_TIMEOUT_MS = 10_000;
const [SQLITE_ERROR, SQLITE_IOERR, SQLITE_CONSTRAINT] = [1, 10, 19];
export const [SQLITE_CORRUPT, SQLITE_NOTADB] = [11, 26] as const;
const SQLITE_IOERR_SHORT_READ = 522;
const MEMORY = ":memory:";
export const SQLITE_BUSY = 5;
export const SQLITE_FULL = 13;

/**
 * Opens (or makes) the journal of a state directory with every pragma set, whatever the defaults are (I2). Throws
 * PaydropError where it is missing although files were sent, damaged, or cannot be used (I12).
 */
export function openDatabase(stateDir: string, options: OpenOptions): DatabaseSync {
  const { lossAcceptedBy: accepted, makesNone = false } = options;
  const path = journalPath(stateDir);
  const isThere = isFilled(path);
  const wereTaken = wereFilesTaken(stateDir);
  const lost = !isThere && wereTaken;
  if (lost && !accepted) throw new PaydropError("journal_lost", { folder: stateDir });
  if (makesNone && !isThere) return openFile(MEMORY, { mayBeNew: true });
  makePrivate(stateDir);
  try {
    const database = openFile(path, { ...options, mayBeNew: lost || !wereTaken });
    if (lost && accepted) noteLoss(database, accepted, "it was missing");
    return database;
  } catch (error) {
    if (!accepted || !isDamage(error)) throw failureOf(error, path);
    setAside(path);
    const database = openFile(path, { ...options, mayBeNew: true });
    noteLoss(database, accepted, messageOf(error));
    return database;
  }
}

function openFile(path: string, options: OpenOptions & { readonly mayBeNew: boolean }): DatabaseSync {
  const { isSender = false, isMoving = false, isThrownAway = false, mayBeNew } = options;
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    refuseOldSqlite(database);
    if (path !== MEMORY) {
      giveToOwner(path);
      // large sorts take files instead of memory, beside the journal: /tmp may be small, or not be there
      database.exec(`PRAGMA temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
    }
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;
      PRAGMA temp_store = FILE; PRAGMA cache_size = -4000;`);
    if (isThrownAway) database.exec("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
    const version = makeTables(database, mayBeNew);
    if (version !== SCHEMA_VERSION) throw new PaydropError("journal_of_other_version", { path, version });
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    }
    assertTables(database);
    readIdentity(database);
    if (!isMoving) assertHere(database.prepare(MOVED).get(), dirname(path));
    if (isSender) assertSound(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function refuseOldSqlite(database: DatabaseSync): void {
  const found = String(database.prepare("SELECT sqlite_version() AS found").get()?.["found"]);
  const facts = { found, needed: SQLITE_VERSION_MIN };
  if (ordered(found) < ordered(SQLITE_VERSION_MIN)) throw new PaydropError("sqlite_too_old", facts);
}

/** Of texts that compare as their numbers do: a collator takes 10 ms to load. */
const ordered = (version: string): string =>
  version
    .split(".")
    .map((part) => part.padStart(6, "0"))
    .join();

/** Up to this size every start checks all of it: 0.6 s. Damage in a larger one stops everything when SQLite reads the page. */
const CHECKED_BYTES_MAX = 32 * 1024 * 1024;

/** What cannot be in a journal that lost nothing, whatever people do. Each of them could let a row go twice (I1). */
const IMPOSSIBLE: readonly (readonly [found: string, sql: string])[] = [
  [
    "rows left that its turn marks do not know",
    `SELECT 1 FROM row r JOIN batch b ON b.seq = r.batch WHERE r.turn >= b.nextTurn
       OR (r.turn > b.mark AND r.state IN ('accepted', 'rejected', 'unknown', 'not_sent')
         AND NOT (r.code = '${AS_IT_WAS}' AND r.attempts = 0)) LIMIT 1`,
  ],
  [
    "rows that were let go are not counted",
    "SELECT 1 WHERE (SELECT coalesce(sum(letGo), 0) FROM past) <> (SELECT coalesce(sum(counted), 0) FROM batch)",
  ],
  ["rows have no batch", "SELECT 1 FROM row WHERE batch NOT IN (SELECT seq FROM batch) LIMIT 1"],
  [
    "a batch has more or fewer rows than its file",
    `SELECT 1 FROM batch b WHERE phase <> 'recording' AND rows <> (SELECT count(*) FROM row WHERE batch = b.seq) LIMIT 1`,
  ],
  [
    "payments are missing from what was seen",
    `SELECT 1 FROM row r JOIN batch b ON b.seq = r.batch WHERE b.phase <> 'recording' AND r.payment IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM key k WHERE k.key = r.payment AND k.batch = r.batch AND k.row = r.row) LIMIT 1`,
  ],
];

function assertSound(database: DatabaseSync, path: string): void {
  if (statSync(path).size > CHECKED_BYTES_MAX) return;
  const finding = String(Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {})[0]);
  // a disk that does not answer is no damage: nobody may be told to give up a journal that is whole
  const refused = Number(/unable to get the page\. error code=(\d+)/.exec(finding)?.[1]);
  if ((refused & 0xff) === SQLITE_IOERR && refused !== SQLITE_IOERR_SHORT_READ) throw new Error("disk I/O error");
  if (finding !== "ok") throw new DamageError(finding.replace("*** in database main ***\n", ""));
  for (const [found, sql] of IMPOSSIBLE) if (database.prepare(sql).get()) throw new DamageError(found);
}

function noteLoss(database: DatabaseSync, { login, host, by }: Who, found: string): void {
  database
    .prepare("INSERT INTO act (at, kind, login, host, by, note) VALUES (?, 'accept_lost_journal', ?, ?, ?, ?)")
    .run(Date.now(), login, host, by ?? null, found);
}

function isFilled(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch (error) {
    throw unusable(dirname(path), error);
  }
}

/** Copies of files that were taken are there: without a journal the memory of what was sent is gone. */
function wereFilesTaken(stateDir: string): boolean {
  const folder = dirname(snapshotPath(stateDir, "any"));
  return existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith("."));
}

/** Keeps the damaged files under another name: a person may still find in them what was sent. */
function setAside(path: string): void {
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  for (const suffix of ["-wal", "-shm", ""]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.lost-${stamp}${suffix}`);
  }
}

/** SQLite's number of an error, and its last eight bits, which say the kind. undefined: it is no error of SQLite. */
export function sqliteCodeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code : undefined;
}
export const sqliteKindOf = (error: unknown): number => (sqliteCodeOf(error) ?? 0) & 0xff;

/** Whether an error says that the file is damaged, and not that the disk is full or the file may not be read. */
function isDamage(error: unknown): boolean {
  const kinds = [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_NOTADB];
  return error instanceof DamageError || kinds.includes(sqliteKindOf(error));
}

/** What a person is told of an error of SQLite. */
export function failureOf(error: unknown, path: string): unknown {
  if (error instanceof PaydropError) return error;
  const other = sqliteKindOf(error) === SQLITE_BUSY ? "journal_busy" : "journal_unusable";
  const facts = { path, found: messageOf(error) };
  return new PaydropError(isDamage(error) ? "journal_damaged" : other, facts, { cause: error });
}

const OWN_NAMES = /^(?:(?:journal|lock|judging)\.db|(?:ballast|snapshots|results|lost\+found)$|witness\.|\.)/;

/**
 * Makes the directory, or makes it private (0700). Throws PaydropError for one that others can write, who could make
 * rows go twice, and for one that is used for something else, too: its other users would be shut out.
 */
export function makePrivate(folder: string): void {
  try {
    makePrivateFolder(resolve(folder));
    const mode = statSync(folder).mode & 0o777;
    const facts = { folder, mode: mode.toString(8), word: asWord(folder) };
    if ((mode & 0o022) !== 0) throw new PaydropError("state_dir_writable", facts);
    if ((mode & 0o077) === 0) return;
    const foreign = readdirSync(folder).find((name) => !OWN_NAMES.test(name));
    if (foreign !== undefined) throw new PaydropError("state_dir_shared", { folder, foreign: printable(foreign) });
    chmodSync(folder, 0o700);
  } catch (error) {
    throw error instanceof PaydropError ? error : unusable(folder, error);
  }
}

function unusable(folder: string, cause: unknown): PaydropError {
  return new PaydropError("state_dir_unusable", { folder, found: messageOf(cause) }, { cause });
}
