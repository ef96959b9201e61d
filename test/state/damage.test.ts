import {
  existsSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { assertSound, isDamage } from "../../src/journal/sqlite/database/damage.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { addBatch, newRow, sendRow } from "../journal/stored.ts";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import { answer, type FaultServer } from "../support/fault-server.ts";
import { lossesOf } from "../support/losses.ts";
import { runProgram } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { startService } from "../support/service.ts";

async function afterRun(rows = 40): Promise<{ server: FaultServer; desk: Desk; journal: string }> {
  const server = await startService();
  const desk = openDesk(server.url);
  desk.write("t.csv", transfersCsv(rows, { reference: (index) => `SAL-${index}` }));
  expect((await desk.process("t.csv")).exitCode).toBe(0);
  // only the journal itself stands between these rows and a second time
  for (const name of readdirSync(desk.folder)) if (name !== "t.csv") rmSync(join(desk.folder, name));
  return { server, desk, journal: join(desk.stateDir, "journal.db") };
}

async function expectRefused(desk: Desk, server: FaultServer, sent: number, said: RegExp): Promise<void> {
  const { code, stderr } = await desk.run("t.csv");
  expect([code, server.requests.length]).toEqual([74, sent]);
  expect(stderr).toMatch(said);
  expect(stderr).toMatch(/\n {2}→ nothing was sent; .*backup.*--accept-lost-journal --by NAME/);
}

/** Changes bytes in the middle of a page, all of them. */
function overwrite(path: string, offset: number, length: number): void {
  const file = openSync(path, "r+");
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, offset);
  writeSync(
    file,
    bytes.map((byte) => byte ^ 0xa5),
    0,
    length,
    offset,
  );
  closeSync(file);
}

const PAGE_BYTES = 4096;

function rootPageOf(path: string, name: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const found = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name);
  database.close();
  return found?.["rootpage"] as number;
}

describe("a damaged journal", () => {
  test("in its header: nothing is sent", async () => {
    const { server, desk, journal } = await afterRun();
    overwrite(journal, 0, 100);
    await expectRefused(desk, server, 40, /journal\.db is damaged: file is not a database/);
  });

  test.each(["row", "attempt", "seen", "batch", "meta"])("in a page of %s: nothing is sent", async (name) => {
    const { server, desk, journal } = await afterRun();
    overwrite(journal, (rootPageOf(journal, name) - 1) * PAGE_BYTES, 64);
    await expectRefused(desk, server, 40, /journal\.db is damaged/);
  });

  test("a key changed where the page still looks right: nothing is sent", async () => {
    const { server, desk, journal } = await afterRun(3);
    overwrite(journal, rootPageOf(journal, "seen") * PAGE_BYTES - 20, 4);
    await expectRefused(desk, server, 3, /journal\.db is damaged/);
  });

  test("the key of its payment hashes changed: nothing is sent", async () => {
    const { server, desk, journal } = await afterRun(3);
    const database = new DatabaseSync(journal);
    database.exec("UPDATE meta SET value = zeroblob(32) WHERE key = 'hash_key'");
    database.close();
    await expectRefused(desk, server, 3, /the key of its hashes was changed/);
  });

  test.each([
    ["the key of its payment hashes", "DELETE FROM meta", /the key of its hashes is gone/],
    ["the id made of that key", "DELETE FROM meta WHERE key = 'state_id'", /the key of its hashes was changed/],
    ["the batch of its rows", "DELETE FROM batch", /rows or attempts have no batch/],
    [
      "the references of its rows",
      "DELETE FROM seen WHERE key IN (SELECT reference_key FROM row)",
      /keys .* are missing/,
    ],
    ["the payments of its rows", "DELETE FROM seen WHERE key IN (SELECT core_key FROM row)", /keys .* are missing/],
  ])("%s forgotten: nothing is sent", async (_, forget, said) => {
    const { server, desk, journal } = await afterRun(3);
    const database = new DatabaseSync(journal);
    database.exec(`PRAGMA foreign_keys = OFF; ${forget}`);
    database.close();
    await expectRefused(desk, server, 3, said);
  });

  test("a state that there is not: nothing is sent", async () => {
    const { server, desk, journal } = await afterRun(3);
    const database = new DatabaseSync(journal);
    database.exec("PRAGMA ignore_check_constraints = ON; UPDATE row SET state = 'paid' WHERE number = 2");
    database.close();
    await expectRefused(desk, server, 3, /CHECK constraint failed in row/);
  });

  test("an index of its tables gone: nothing is sent", async () => {
    const { server, desk, journal } = await afterRun(3);
    const database = new DatabaseSync(journal);
    database.exec("DROP INDEX attempt_open");
    database.close();
    await expectRefused(desk, server, 3, /journal\.db is damaged: its tables are not those that paydrop makes/);
  });

  test("what only stands in its way is no damage, and no person's word puts the journal aside for it", async () => {
    const { server, desk, journal } = await afterRun(3);
    renameSync(journal, `${journal}.away`);
    mkdirSync(journal);
    const { code, stderr } = await desk.run("t.csv", "--accept-lost-journal", "--by", "Asha");
    expect([code, server.requests.length]).toEqual([74, 3]);
    expect(stderr).toMatch(/journal\.db cannot be used: .*\n {2}→ nothing was sent; check the disk/);
    expect(readdirSync(desk.stateDir).filter((name) => name.includes(".lost-"))).toEqual([]);
  });

  test("a page of rows as it was before they went, as of a copy made meanwhile: nothing is sent", async () => {
    const server = await startService(({ number }) => (number === 1 ? answer(401) : answer(200)));
    const desk = openDesk(server.url);
    desk.write("t.csv", transfersCsv(4));
    expect((await desk.process("t.csv")).exitCode).toBe(7);
    const journal = join(desk.stateDir, "journal.db");
    const from = (rootPageOf(journal, "row") - 1) * PAGE_BYTES;
    const before = readFileSync(journal).subarray(from, from + PAGE_BYTES);
    expect((await desk.process("t.csv")).exitCode).toBe(0);
    const file = openSync(journal, "r+");
    writeSync(file, before, 0, PAGE_BYTES, from);
    closeSync(file);
    await expectRefused(
      desk,
      server,
      5,
      /journal\.db is damaged: attempts were made of rows that know nothing of them/,
    );
  });

  test("an attempt without outcome whose row is ready again: nothing is sent", async () => {
    const { server, desk, journal } = await afterRun(3);
    const database = new DatabaseSync(journal);
    database.exec("UPDATE attempt SET outcome = NULL WHERE id = 2; UPDATE row SET state = 'ready' WHERE number = 3");
    database.close();
    expect((await desk.run("t.csv")).code).toBe(74);
    expect(server.requests).toHaveLength(3);
  });

  test("its end cut off: nothing is sent", async () => {
    const { server, desk, journal } = await afterRun();
    truncateSync(journal, 2 * PAGE_BYTES);
    await expectRefused(desk, server, 40, /journal\.db is damaged/);
  });

  test("trying in the sandbox is no such word, where this very state directory is named", async () => {
    const { server, desk, journal } = await afterRun(3);
    overwrite(journal, 0, 100);
    const tried = await runProgram(["run", "--sandbox", "--state-dir", desk.stateDir, "t.csv"], { cwd: desk.folder });
    expect(tried.code).toBe(74);
    await expectRefused(desk, server, 3, /journal\.db is damaged/);
  });

  test("a person's word begins anew and keeps the damaged one", async () => {
    const { server, desk, journal } = await afterRun(3);
    overwrite(journal, 0, 100);
    const damaged = readFileSync(journal);
    expect((await desk.run("t.csv", "--accept-lost-journal", "--by", "Asha")).code).toBe(0);
    expect(server.requests).toHaveLength(6);
    const kept = readdirSync(desk.stateDir).filter((name) => name.includes(".lost-"));
    expect(kept).toHaveLength(1);
    expect(readFileSync(join(desk.stateDir, kept[0] ?? "")).equals(damaged)).toBe(true);
    expect(lossesOf(desk)).toEqual([expect.stringMatching(/Z Asha accepted that the journal was lost: \S/)]);
    expect((await desk.run("t.csv")).code).toBe(0);
    expect(server.requests).toHaveLength(6);
  });

  test("every byte of the first page changed in turn: refused, or as before; never a row again", async () => {
    const directory = temporaryDirectory();
    await sentJournal(directory);
    const path = join(directory, "journal.db");
    const whole = readFileSync(path);
    const outcomes = { refused: 0, asBefore: 0 };
    for (let offset = 0; offset < PAGE_BYTES; offset += offset < 120 ? 1 : 97) {
      const changed = Buffer.from(whole);
      changed[offset] = (changed[offset] ?? 0) ^ 0xff;
      for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
      writeFileSync(path, changed);
      outcomes[await openedAgain(directory)] += 1;
    }
    expect(outcomes.refused).toBeGreaterThan(30);
  });

  test.each([
    ["a row that is ready again", "UPDATE row SET state = 'ready', last_attempt = NULL WHERE number = 3"],
    [
      "a row that knows an earlier attempt only",
      "INSERT INTO attempt SELECT 3, batch, row, 1, 'accepted', '', 200, 1, NULL FROM attempt WHERE id = 1",
    ],
    ["a row that is gone", "DELETE FROM row WHERE number = 3"],
    ["an outcome that its row does not know", "UPDATE row SET state = 'sending' WHERE number = 3"],
  ])("%s is found at every start, in a large one too", async (_, change) => {
    for (const fillerBytes of [0, 40_000_000]) {
      const directory = temporaryDirectory();
      await sentJournal(directory);
      const database = new DatabaseSync(join(directory, "journal.db"));
      database.exec(
        `CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(${fillerBytes})); ${change}`,
      );
      database.close();
      expect(() => openSqliteJournal(directory, createJudge, Date.now, { isChecked: true })).toThrow(
        /attempts were made of rows that know nothing of them/,
      );
    }
  });

  test("a large one is checked when the machine went down on it, and opens at once after its process was killed", async () => {
    const directory = temporaryDirectory();
    const store = openSqliteJournal(directory, createJudge);
    await addBatch(store, "AAAA1111", [newRow(2, "a/2")]);
    await store.close();
    const path = join(directory, "journal.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(40000000))");
    database.close();
    overwrite(path, (rootPageOf(path, "seen") - 1) * PAGE_BYTES, 64);
    // as large as this, and closed: what is damaged is found when it is read
    await openSqliteJournal(directory, createJudge, Date.now, { isChecked: true }).close();
    if (existsSync("/proc/sys/kernel/random/boot_id")) {
      // never closed, as by a kill; then opened again
      openSqliteJournal(directory, createJudge, Date.now, { isChecked: true });
      await openSqliteJournal(directory, createJudge, Date.now, { isChecked: true }).close();
    }
    openSqliteJournal(directory, createJudge, Date.now, { isChecked: true });
    const other = new DatabaseSync(path);
    other.exec("UPDATE meta SET value = 'an earlier one' WHERE key = 'open in boot'");
    other.close();
    // whoever only reads says nothing of it, and takes nothing of it away
    await openSqliteJournal(directory, createJudge).close();
    expect(() => openSqliteJournal(directory, createJudge, Date.now, { isChecked: true })).toThrow(/is damaged/);
  });
});

async function sentJournal(directory: string): Promise<void> {
  const store = openSqliteJournal(directory, createJudge);
  await addBatch(store, "AAAA1111", [newRow(2, "a/2"), newRow(3, "a/3"), newRow(4, "a/4")]);
  await sendRow(store, "AAAA1111", 2, "accepted");
  await sendRow(store, "AAAA1111", 3, "unknown");
  await store.close();
}

async function openedAgain(directory: string): Promise<"refused" | "asBefore"> {
  let store: JournalStore;
  try {
    store = openSqliteJournal(directory, createJudge, Date.now, { isChecked: true });
  } catch (error) {
    expect(error).toMatchObject({ code: "journal" });
    expect((error as Error).message).toMatch(/is damaged|newer paydrop|readonly database/);
    return "refused";
  }
  const states = [2, 3, 4].map(async (row) => (await store.row("AAAA1111", row))?.state);
  expect(await Promise.all(states)).toEqual(["accepted", "unknown", "ready"]);
  await store.close();
  return "asBefore";
}

describe("a check of a file says what running it would, never that its rows are new", () => {
  async function checkedAfter(
    change: (journal: string) => void,
  ): Promise<{ code: number | undefined; stderr: string }> {
    const { desk, journal } = await afterRun(3);
    change(journal);
    return runProgram(["check", join(desk.folder, "t.csv")], { env: desk.env });
  }

  test("where the words of the tables are damaged", async () => {
    const { code, stderr } = await checkedAfter((journal) => {
      // what SQLite has moved to another page is left where it was
      const bytes = readFileSync(journal);
      for (let at = -1; (at = bytes.indexOf("CREATE TABLE seen", at + 1)) >= 0;) overwrite(journal, at, 6);
    });
    expect(stderr).toMatch(/journal\.db is damaged: malformed database schema.*\n {2}→ nothing was sent; .*backup/);
    expect(code).toBe(74);
  });

  test("where a page of it is damaged", async () => {
    const { code, stderr } = await checkedAfter((journal) => {
      overwrite(journal, (rootPageOf(journal, "seen") - 1) * PAGE_BYTES, 100);
    });
    expect(stderr).toContain("malformed");
    expect(code).toBe(74);
  });

  test("where it is gone, or empty", async () => {
    const gone = await checkedAfter((journal) => rmSync(journal));
    const empty = await checkedAfter((journal) => truncateSync(journal, 0));
    for (const { code, stderr } of [gone, empty]) {
      expect(stderr).toMatch(/the journal is missing from .*\n {2}→ nothing was sent; restore the state directory/);
      expect(code).toBe(74);
    }
  });
});

test("a damaged lock file: exit 74, nothing is sent, and what to do", async () => {
  const { server, desk } = await afterRun(2);
  desk.write("t.csv", transfersCsv(4));
  writeFileSync(join(desk.stateDir, "lock.db"), "x".repeat(5000));
  const { code, stderr } = await desk.run("t.csv");
  expect([code, server.requests.length]).toEqual([74, 2]);
  expect(stderr).toMatch(/the lock file .*lock\.db cannot be used.*\n {2}→ nothing was sent; .*delete it/);
});

test.each([1, 2, 3])(
  "part %i of a file that could not be written down: nothing is sent, no batch stands there",
  async (nth) => {
    const { server, desk } = await afterRun(1);
    desk.write("large.csv", transfersCsv(2500));
    await desk.inProcess(async (processor) => {
      const { journal } = processor;
      const addRows = journal.addRows.bind(journal);
      let parts = 0;
      vi.spyOn(journal, "addRows").mockImplementation((...rows) => {
        parts += 1;
        return parts === nth ? Promise.reject(new Error("EIO")) : addRows(...rows);
      });
      await expect(processor.processFile(join(desk.folder, "large.csv"))).rejects.toThrow("EIO");
      expect((await journal.batches()).map(({ fileName }) => fileName)).toEqual(["t.csv"]);
    });
    expect(server.requests).toHaveLength(1);
  },
);

test("a journal that fails while a file is refused ends the run as a journal that failed, not as something nobody foresaw", async () => {
  const server = await startService();
  const codes: unknown[] = [];
  for (const nth of [1, 2, 3]) {
    const desk = openDesk(server.url);
    desk.write("t.csv", transfersCsv(3));
    const env = { ...desk.env, PAYDROP_TEST: "1", PAYDROP_FAULT: `fail@commit.before:${nth}` };
    const said = await runProgram(["run", "t.csv", "--expect-rows", "9"], { env, cwd: desk.folder });
    codes.push(said.code);
  }
  // the second commit is that of the rows, which nobody waits for any more
  expect(codes.slice(0, 2)).toEqual([74, 74]);
  expect([5, 74]).toContain(codes[2]);
  expect(server.requests).toHaveLength(0);
});

test("a folder that cannot be written is no damage: the journal in it is whole", async () => {
  const { desk } = await afterRun(1);
  const exec = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation((sql) => {
    if (sql.includes("temp_store_directory"))
      throw Object.assign(new Error("not a writable directory"), { errcode: 1 });
  });
  try {
    const opening = () => openSqliteJournal(desk.stateDir, createJudge, Date.now, { isChecked: true });
    expect(opening).toThrow(/cannot be used: its folder cannot be written \(not a writable directory\)/);
  } finally {
    exec.mockRestore();
  }
});

test.each([
  [8458, false],
  [266, false],
  [522, true],
  [11, true],
])("a page that cannot be read for reason %i is damage: %s", (code, isDamaged) => {
  const finding = { integrity_check: `Tree 17 page 17: unable to get the page. error code=${code}` };
  const database = { prepare: () => ({ all: () => [finding] }) } as unknown as DatabaseSync;
  let thrown: unknown;
  try {
    assertSound(database, import.meta.filename, false);
  } catch (error) {
    thrown = error;
  }
  expect([thrown instanceof Error, isDamage(thrown)]).toEqual([true, isDamaged]);
});
