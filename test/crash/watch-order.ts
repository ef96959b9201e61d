/**
 * Loaded into paydrop's own process with `--import`: writes down, in the order in which they happen, every commit with
 * what the committing connection says of `synchronous`, and every request with whether its row's attempt could be read
 * by another connection just before its first byte was written.
 */
import { appendFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export type Seen =
  | { readonly kind: "commit"; readonly synchronous: number; readonly journalMode: string }
  | { readonly kind: "request"; readonly account: string; readonly attempts: number };

const SEEN_FILE = process.env["WATCH_ORDER_FILE"];
const STATE_DIR = process.env["PAYDROP_STATE_DIR"] ?? "";

/** Longer than it takes to connect on one machine: what is sent too early is on its way before the commit, not by chance. */
const SLOW_DISK_MS = 30;
const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4));

if (SEEN_FILE !== undefined) watch(SEEN_FILE);

function watch(file: string): void {
  const note = (seen: Seen): void => appendFileSync(file, `${JSON.stringify(seen)}\n`);
  const journal = join(STATE_DIR, "journal.db");

  const database = DatabaseSync.prototype;
  const exec = Reflect.get<DatabaseSync, "exec">(database, "exec");
  database.exec = function (this: DatabaseSync, sql: string): void {
    const isCommit = /\bCOMMIT\b/.test(sql) && this.location()?.endsWith("journal.db") === true;
    if (isCommit) Atomics.wait(NEVER_CHANGED, 0, 0, SLOW_DISK_MS);
    exec.call(this, sql);
    if (!isCommit) return;
    const { synchronous } = this.prepare("PRAGMA synchronous").get() as { synchronous: number };
    const { journal_mode: journalMode } = this.prepare("PRAGMA journal_mode").get() as { journal_mode: string };
    note({ kind: "commit", synchronous, journalMode });
  };

  // every byte of a socket passes here, single or gathered
  const socket = Socket.prototype as unknown as { _writeGeneric: WriteGeneric };
  const writeGeneric = socket._writeGeneric;
  socket._writeGeneric = function (this: unknown, ...args: Parameters<WriteGeneric>): void {
    for (const account of accountsIn(args[0], args[1]))
      note({ kind: "request", account, attempts: attemptsOf(account) });
    writeGeneric.apply(this, args);
  };

  function attemptsOf(account: string): number {
    const other = new DatabaseSync(journal, { readOnly: true });
    try {
      const row = other.prepare("SELECT count(*) AS attempts FROM attempt WHERE row = ?").get(Number(account.slice(4)));
      return (row as { attempts: number }).attempts;
    } finally {
      other.close();
    }
  }
}

type WriteGeneric = (isGathered: boolean, data: unknown, encoding: string, callback: unknown) => void;

function accountsIn(isGathered: boolean, data: unknown): string[] {
  const chunks = isGathered ? (data as { chunk: unknown }[]).map(({ chunk }) => chunk) : [data];
  const text = chunks
    .map((chunk) => (typeof chunk === "string" ? chunk : Buffer.from(chunk as Buffer).toString()))
    .join("");
  return [...text.matchAll(/"to_account":"(ROW-\d+)"/g)].map(([, account = ""]) => account);
}
