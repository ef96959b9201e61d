import { batchOf, conditions, datedIn, keepTallies } from "./batches.ts";
import { makeUnknown } from "./mover.ts";
import type { Journal } from "./store.ts";
import type { Act, JournalStore, Run, Who } from "../journal/store.ts";

const BEGUN = ["batch", "login", "host", "by", "startedAt"];

export function beginRun(journal: Journal, id: string, who: Who, startedAt: number): number {
  return journal.write(() => {
    const batch = batchOf(journal, id);
    // of a share of this very process that was left without a word (I4, I15)
    makeUnknown(journal, batch, who);
    journal.run("UPDATE batch SET lastAt = max(lastAt, ?) WHERE seq = ?", datedIn(journal, startedAt), batch.seq);
    journal.insert("run", BEGUN, { ...who, batch: id, startedAt });
    return Number(journal.get("SELECT last_insert_rowid() AS id")?.["id"]);
  });
}

export function endRun(journal: Journal, ...[run, ended]: Parameters<JournalStore["endRun"]>): void {
  journal.write(() => {
    const { seq } = batchOf(journal, String(journal.get("SELECT batch FROM run WHERE id = ?", run)?.["batch"]));
    const { endedAt, exitCode, requests, stop = null } = ended;
    journal.run("UPDATE batch SET lastAt = max(lastAt, ?) WHERE seq = ?", endedAt, seq);
    keepTallies(journal, seq);
    const sql = "UPDATE run SET endedAt = ?, exitCode = ?, requests = ?, stop = ? WHERE id = ?";
    journal.run(sql, endedAt, exitCode, requests, stop, run);
  });
}

export function runs(journal: Journal, batch: string): Run[] {
  const columns = "batch, login, host, by, startedAt, endedAt, exitCode, requests, stop";
  return journal.records(`SELECT ${columns} FROM run WHERE batch = ? ORDER BY id`, batch);
}

export function acts(journal: Journal, { batch, batches, since = 0 }: Parameters<JournalStore["acts"]>[0]): Act[] {
  const { where, values } = conditions([
    ["at >= ?", since],
    ["batch = ?", batch],
    ["batch IN (SELECT value FROM json_each(?))", batches],
  ]);
  const columns = `at, kind, login, host, by, batch, rows, "as", note`;
  return journal.records(`SELECT ${columns} FROM act WHERE ${where} ORDER BY id`, ...values);
}
