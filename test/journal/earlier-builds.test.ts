import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { takeInstanceLock } from "../../src/journal/sqlite/database/lock.ts";
import { readIdentity } from "../../src/journal/sqlite/database/identity.ts";
import { MIGRATIONS } from "../../src/journal/sqlite/database/migrations.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { runProgram } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

/** A state directory as an earlier build left it, with one batch. */
function stateOfVersion(version: number, change: (sql: string) => string = (sql) => sql): string {
  const stateDir = temporaryDirectory();
  const database = new DatabaseSync(join(stateDir, "journal.db"));
  database.exec(`PRAGMA journal_mode = WAL; ${change(MIGRATIONS.slice(0, version).join(" "))}
    PRAGMA user_version = ${version}`);
  readIdentity(database);
  database.exec(`INSERT INTO batch (id, environment, destination, file_name, folder, format, sha256, size_bytes, choices,
    phase, created_at) VALUES ('AAAA1111', 'test', 'x', 'a.csv', '/', 'csv', 'x', 1, '{}', 'open', 1)`);
  database.close();
  return stateDir;
}

function versionOf(stateDir: string): unknown {
  const database = new DatabaseSync(join(stateDir, "journal.db"), { readOnly: true });
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  database.close();
  return version;
}

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test("a journal of an earlier build stays as it is while a process sends with it, and is brought up by the one that does", async () => {
  const stateDir = stateOfVersion(4);
  const lock = takeInstanceLock(stateDir);
  expect(thrownBy(() => openSqliteJournal(stateDir, createJudge))).toMatchObject({
    code: "locked",
    message: expect.stringContaining("of an earlier paydrop, which is still working with it") as string,
  });
  expect(versionOf(stateDir)).toBe(4);
  await openSqliteJournal(stateDir, createJudge, Date.now, { isChecked: true }).close();
  expect(versionOf(stateDir)).toBe(MIGRATIONS.length);
  lock.release();

  const other = stateOfVersion(4);
  await openSqliteJournal(other, createJudge).close();
  expect(versionOf(other)).toBe(MIGRATIONS.length);
  takeInstanceLock(other).release();
});

test("a check may be the first thing that is done with a journal of an earlier build", async () => {
  const stateDir = stateOfVersion(2);
  const file = join(temporaryDirectory(), "a.csv");
  writeFileSync(file, "from_account,to_account,amount\n11110000,22220000,5.00\n");
  const { code, stdout, stderr } = await runProgram(["check", file], { env: { PAYDROP_STATE_DIR: stateDir } });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("1 ready");
  expect(versionOf(stateDir)).toBe(MIGRATIONS.length);
});

test("a check refuses the journal of a newer paydrop, as everything else does", async () => {
  const stateDir = stateOfVersion(MIGRATIONS.length);
  const database = new DatabaseSync(join(stateDir, "journal.db"));
  database.exec("PRAGMA user_version = 999");
  database.close();
  const file = join(temporaryDirectory(), "a.csv");
  writeFileSync(file, "from_account,to_account,amount\n11110000,22220000,5.00\n");
  const { code, stderr } = await runProgram(["check", file], { env: { PAYDROP_STATE_DIR: stateDir } });
  expect(code).toBe(74);
  expect(stderr).toContain("written by a newer paydrop (schema 999");
});

test("a journal whose columns are others than its version says is not taken for a fault of the disk", () => {
  const stateDir = stateOfVersion(1, (sql) => sql.replace("ordinal INTEGER NOT NULL DEFAULT 1,", "payment_key BLOB,"));
  const database = new DatabaseSync(join(stateDir, "journal.db"));
  database.exec("INSERT INTO row (batch, number, state, payment_key, changed_at) VALUES (1, 2, 'accepted', x'00', 1)");
  database.close();
  expect(thrownBy(() => openSqliteJournal(stateDir, createJudge))).toMatchObject({
    code: "journal",
    message: expect.stringContaining("is damaged: its tables are not those of schema 1") as string,
    hint: expect.stringContaining("--accept-lost-journal") as string,
  });
  expect(versionOf(stateDir)).toBe(1);
});
