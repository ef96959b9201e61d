import { closeSync, fsyncSync, openSync } from "node:fs";
import { messageOf, PaydropError } from "../errors.ts";
import { failureOf, sqliteCodeOf, type OpenOptions } from "./database.ts";
import { readIdentity } from "./schema.ts";
import {
  addAct,
  addBatch,
  batches,
  copied,
  dropBatch,
  folders,
  overlaps,
  purge,
  setBatch,
  sumsOfDay,
} from "./batches.ts";
import { lastAtIn } from "./batches.ts";
import { compared } from "./compared.ts";
import { addRows, endRows, move, rows } from "./rows.ts";
import { acts, beginRun, endRun, runs } from "./runs.ts";
import { seen } from "./seen.ts";
import { claimable, commit, progress, recover } from "./shares.ts";
import { Journal } from "./store.ts";
import type { JournalFacts, JournalStore, Kept } from "../journal/store.ts";

/** The calls of the store that need nothing but the journal. */
export type Method = Exclude<
  keyof JournalStore,
  "judging" | "now" | "hosts" | "claim" | "commit" | "progress" | "stop"
>;
type Answer<M extends Method> = Awaited<ReturnType<JournalStore[M]>>;

type Calls = {
  readonly [M in Exclude<Method, "addRows" | "rows">]: (
    journal: Journal,
    ...values: Parameters<JournalStore[M]>
  ) => Answer<M>;
};

/** What shares of SQLite's journal ask of it; and rows, which cross between threads as lists. */
const OF_SHARES = { claimable, commit, progress, addRows, rows };
/** How the calls of a store are carried out, in the thread that has the journal. */
const CALLS: Calls & typeof OF_SHARES = {
  ...OF_SHARES,
  ...{
    facts,
    addBatch,
    endRows,
    setBatch,
    dropBatch,
    batches,
    folders,
    seen,
    compared,
    overlaps,
    sumsOfDay,
    move,
  },
  ...{ beginRun, endRun, runs, acts, sourceOf, heldFolders, holdFolder, keep, kept, purge, copied, backup: copy },
  recover(journal, who) {
    for (const { id } of journal.all("SELECT id FROM batch WHERE phase = 'recording'")) dropBatch(journal, String(id));
    return recover(journal, who);
  },
  close({ database }) {
    if (database.isOpen) database.close();
  },
};

export const METHODS = Object.keys(CALLS);

/** How a call of the store is carried out, wherever the journal is. */
export type Call = (method: string, isJudging: boolean, values: readonly unknown[]) => Promise<unknown>;

/**
 * Opens the journal of a state directory in this thread. Throws PaydropError. What the function gives rejects with that, too:
 * what SQLite says while it reads is told as what happened to the journal.
 */
export function callsOf(stateDir: string, options: OpenOptions): Call {
  const journal = new Journal(stateDir, options);
  const calls: Readonly<Record<string, (journal: Journal, ...values: never[]) => unknown>> = CALLS;
  return async (method, isJudging, values) => {
    journal.isJudging = isJudging;
    try {
      return await calls[method]?.(journal, ...(values as never[]));
    } catch (error) {
      throw sqliteCodeOf(error) === undefined ? error : failureOf(error, journal.path);
    }
  };
}

function facts(journal: Journal, folder = ""): JournalFacts {
  const all =
    "SELECT folder, letGo FROM past UNION ALL SELECT folder, letGo - counted FROM batch WHERE tallies IS NULL";
  const sql = `SELECT coalesce(sum(letGo), 0) AS letGo, coalesce(sum(letGo) FILTER (WHERE folder = ?), 0) AS here FROM (${all})`;
  const [letGo = 0, letGoHere = 0] = Object.values(journal.get(sql, folder) ?? {}).map(Number);
  return { letGo, letGoHere, lastAt: lastAtIn(journal), ...readIdentity(journal.database) };
}

function sourceOf(journal: Journal, path: string, identity: string): string | undefined {
  const found = journal.get("SELECT batch FROM source WHERE path = ? AND identity = ?", path, identity);
  return found && String(found["batch"]);
}

function heldFolders(journal: Journal): Answer<"heldFolders"> {
  return journal.records("SELECT folder, reason, at FROM hold ORDER BY folder");
}

function holdFolder(journal: Journal, ...[folder, reason, act]: Parameters<JournalStore["holdFolder"]>): void {
  journal.write(() => {
    journal.run("DELETE FROM hold WHERE folder = ?", folder);
    if (reason !== undefined) journal.insert("hold", HOLD, { folder, reason, at: act.at });
    addAct(journal, { ...act, as: folder });
  });
}

const HOLD = ["folder", "reason", "at"];

/** What is kept beside payments (README §14), as JSON. */
function keep(journal: Journal, ...[kind, name, value, act]: Parameters<JournalStore["keep"]>): void {
  journal.write(() => {
    journal.run("DELETE FROM kept WHERE kind = ? AND name = ?", kind, name);
    if (value) journal.insert("kept", KEPT, { kind, name, value: JSON.stringify(value) });
    if (act) addAct(journal, act);
  });
}

const KEPT = ["kind", "name", "value"];

function kept(journal: Journal, ...[kind, name]: Parameters<JournalStore["kept"]>): Kept<object>[] {
  const sql = "SELECT name, value FROM kept WHERE kind = ?1 AND (?2 IS NULL OR name = ?2) ORDER BY name";
  const found = journal.all(sql, kind, name ?? null);
  return found.map((row) => ({ name: String(row["name"]), value: JSON.parse(String(row["value"])) as object }));
}

/** What is committed now, whole, private and on the disk, whoever writes meanwhile. What stands there is not replaced. */
function copy(journal: Journal, path: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    journal.run("VACUUM INTO ?", path);
    fsyncSync(file);
  } catch (error) {
    throw new PaydropError("backup_unwritable", { path, found: messageOf(error) }, { cause: error });
  } finally {
    closeSync(file);
  }
}
