import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { readIdentity } from "../../src/journal/sqlite/database/identity.ts";
import { MIGRATIONS } from "../../src/journal/sqlite/database/migrations.ts";
import { hasSchema, migrate } from "../../src/journal/sqlite/database/schema.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { allRows, rules } from "./stored.ts";

/** A journal as an earlier version left it. */
function ofVersion(version: number, path = ":memory:"): DatabaseSync {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true });
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  database.exec(`${MIGRATIONS.slice(0, version).join(" ")} PRAGMA user_version = ${version}`);
  return database;
}

/** Every column of a table gets a value of its own, by its type; `given`: those that a rule asks for. */
function fill(
  database: DatabaseSync,
  table: string,
  rows: number,
  given: Readonly<Record<string, string | null>>,
): void {
  const columns = database.prepare(`PRAGMA table_info(${table})`).all() as { name: string; type: string }[];
  const insert = database.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join()})`);
  const valueOf = (type: string, place: number, row: number): string | number | Uint8Array =>
    type === "INTEGER" ? place * 1000 + row : type === "BLOB" ? new Uint8Array([place, row]) : `${place}/${row}`;
  for (let row = 1; row <= rows; row += 1) {
    insert.run(
      ...columns.map(({ name, type }, place) => {
        const value = given[name];
        return value === undefined ? valueOf(type, place, row) : value === "1" ? 1 : value;
      }),
    );
  }
}

const read = (database: DatabaseSync, table: string): unknown[] =>
  database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();

test.each([3, 4])("what a journal of version %i holds stands there afterwards, column by column", (version) => {
  const database = ofVersion(version);
  fill(database, "batch", 1, { seq: "1", environment: "live", format: "csv", phase: "open" });
  fill(database, "row", 50, { batch: "1", state: "accepted" });
  fill(database, "attempt", 50, { batch: "1", outcome: "unknown" });
  const before = ["batch", "row", "attempt"].map((table) => read(database, table));
  migrate(database);
  const after = ["batch", "row", "attempt"].map((table) => read(database, table));
  expect(before.map((rows) => rows.length)).toEqual([1, 50, 50]);
  expect(after).toMatchObject(before);
  expect(hasSchema(database)).toBe(true);
});

test("all that an earlier version noted of what it wrote is known as ours", () => {
  const database = ofVersion(12);
  const [first = "", second = "", third = ""] = ["a", "b", "c"].map((letter) => letter.repeat(64));
  // of results two versions were noted at a time
  database.exec(
    `INSERT INTO written VALUES ('a.csv.results.csv', '${first} ${second}'), ('a.csv.retry.csv', '${third}')`,
  );
  migrate(database);
  expect(database.prepare("SELECT sha256 FROM wrote ORDER BY 1").all()).toEqual(
    [first, second, third].map((sha256) => ({ sha256 })),
  );
  expect(hasSchema(database)).toBe(true);
});

test("a journal of an earlier version goes on: its rows are there, and what was in flight has an end", async () => {
  const directory = temporaryDirectory();
  const database = ofVersion(4, join(directory, "journal.db"));
  readIdentity(database);
  fill(database, "batch", 1, {
    seq: "1",
    environment: "live",
    format: "csv",
    phase: "open",
    tallies: null,
    archive: null,
  });
  const row = "INSERT INTO row (batch, number, state, operation, amount, attempts, last_attempt, changed_at) VALUES";
  database.exec(
    `${row} (1, 2, 'accepted', 'transfer', '1.00', 1, 1, 5), (1, 3, 'sending', 'transfer', '2.00', 1, 2, 6)`,
  );
  database.exec(
    "INSERT INTO attempt (id, batch, row, started_at, outcome) VALUES (1, 1, 2, 5, 'accepted'), (2, 1, 3, 6, NULL)",
  );
  const id = String(database.prepare("SELECT id FROM batch").get()?.["id"]);
  database.close();

  const store = openSqliteJournal(directory, createJudge);
  onTestFinished(() => store.close());
  expect(await store.recover()).toBe(1);
  expect((await allRows(store, id)).map(({ number, state }) => [number, state])).toEqual([
    [2, "accepted"],
    [3, "unknown"],
  ]);
  expect(await store.begin(id, 2, rules)).toEqual({ state: "accepted" });
});

test("a word that is no state is refused, in rows and in outcomes", () => {
  const database = ofVersion(MIGRATIONS.length);
  fill(database, "batch", 1, { seq: "1", environment: "live", format: "csv", phase: "open" });
  fill(database, "row", 1, { batch: "1", state: "ready" });
  fill(database, "attempt", 1, { outcome: null });
  expect(() => database.exec("UPDATE row SET state = 'paid'")).toThrow(/CHECK/);
  expect(() => database.exec("UPDATE attempt SET outcome = 'paid'")).toThrow(/CHECK/);
});

test("writing a row makes no table for its rules: that would cost as much as the row", () => {
  const database = ofVersion(MIGRATIONS.length);
  const made = [
    "INSERT INTO row (batch, number, state, changed_at) VALUES (1, 2, 'ready', 3)",
    "UPDATE row SET state = 'sending', changed_at = 3 WHERE batch = 1 AND number = 2 AND state = 'ready'",
    "INSERT INTO attempt (id, batch, row, started_at) VALUES (1, 1, 2, 3)",
    "UPDATE attempt SET outcome = 'accepted' WHERE id = 1 AND outcome IS NULL",
  ].filter((sql) => (database.prepare(`EXPLAIN ${sql}`).all() as { opcode: string }[]).some(({ opcode }) => opcode === "OpenEphemeral")); // prettier-ignore
  expect(made).toEqual([]);
});
