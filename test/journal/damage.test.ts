import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { todoLine, type Told } from "../../src/messages/sentence.ts";
import { exitCodeOf } from "../../src/exit-codes.ts";
import { openJournal, type JournalOptions } from "../../src/sqlite/open.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { ballastPath, journalPath, snapshotPath } from "../../src/state-dir.ts";
import { smallDisk } from "../support/small-disk.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { ASHA, newRow, opened, outcome, sendAll, statesOf } from "./stores.ts";
import { commitTo } from "../support/commit.ts";

const SENDING: JournalOptions = { isSender: true };

async function open(stateDir: string, options: JournalOptions = SENDING): Promise<JournalStore> {
  const store = await openJournal(stateDir, options);
  onTestFinished(() => store.close());
  return store;
}

/** A state directory in which rows were sent. */
async function used(): Promise<string> {
  const stateDir = join(temporaryDirectory(), "state");
  const store = await openJournal(stateDir, SENDING);
  const many = Array.from({ length: 300 }, (_, at) => newRow(at + 100, `many ${at}`, { state: "held" }));
  await opened(store, "AAAAAAA1", ["1", "2", ...many]);
  await sendAll(store, "AAAAAAA1");
  await store.close();
  mkdirSync(join(stateDir, "snapshots"));
  writeFileSync(snapshotPath(stateDir, "abc"), "payee,amount\n");
  return stateDir;
}

/** Does what nobody does but a disk, a bad copy or a meddler. */
function bySql(stateDir: string, sql: string): void {
  const database = new DatabaseSync(journalPath(stateDir));
  const trigger = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'markGoesUp'").get()?.["sql"];
  database.exec(`DROP TRIGGER markGoesUp; PRAGMA ignore_check_constraints = ON; ${sql}; ${String(trigger)}`);
  database.close();
}

function changeBytes(stateDir: string, at: number, bytes: Buffer): void {
  const whole = readFileSync(journalPath(stateDir));
  bytes.copy(whole, at);
  writeFileSync(journalPath(stateDir), whole);
}

/** A page that holds rows: where their states stand in clear. */
function pageOfRows(stateDir: string): number {
  return Math.floor(readFileSync(journalPath(stateDir)).lastIndexOf("held") / 4096) * 4096;
}

/** What is left of a journal that was never checkpointed, without its WAL: one page, and nothing in it. */
function withoutTables(stateDir: string): void {
  rmSync(journalPath(stateDir));
  const database = new DatabaseSync(journalPath(stateDir));
  database.exec("PRAGMA journal_mode = WAL");
  database.close();
  expect(statSync(journalPath(stateDir)).size).toBe(4096);
}

const DAMAGE: readonly (readonly [what: string, damage: (stateDir: string) => void, says: RegExp])[] = [
  ["is missing", (dir) => rmSync(journalPath(dir)), /missing/],
  ["is empty", (dir) => writeFileSync(journalPath(dir), ""), /missing/],
  ["was copied without its WAL", (dir) => withoutTables(dir), /tables are gone/],
  ["is another file", (dir) => writeFileSync(journalPath(dir), "payee,amount\n".repeat(400)), /not a database/],
  ["has other bytes in its header", (dir) => changeBytes(dir, 4, Buffer.from("lost")), /not a database/],
  ["has other bytes in a page", (dir) => changeBytes(dir, pageOfRows(dir), Buffer.alloc(64, 0xee)), /damaged/],
  [
    "was cut",
    (dir) => writeFileSync(journalPath(dir), readFileSync(journalPath(dir)).subarray(0, 4096 * 6)),
    /damaged/,
  ],
  ["lost an index", (dir) => bySql(dir, "DROP INDEX rowTurn"), /tables/],
  [
    "lost the key of its hashes",
    (dir) => bySql(dir, "UPDATE meta SET value = x'00' WHERE key = 'keySecret'"),
    /hashes/,
  ],
  ["has a state that cannot be", (dir) => bySql(dir, "UPDATE row SET state = 'heldx' WHERE row = 150"), /CHECK/],
  ["has an older turn mark than rows", (dir) => bySql(dir, "UPDATE batch SET mark = 1"), /turn marks/],
  ["lost a row", (dir) => bySql(dir, "DELETE FROM row WHERE row = 150"), /more or fewer rows/],
  ["lost a batch", (dir) => bySql(dir, "DELETE FROM batch"), /rows have no batch/],
  ["lost a payment", (dir) => bySql(dir, "DELETE FROM key WHERE row = 150"), /payments are missing/],
];

test.each(DAMAGE)(
  "a journal that %s → nothing is opened, until a person accepts the loss (I12)",
  async (_, damage, says) => {
    const stateDir = await used();
    damage(stateDir);
    const refused = await openJournal(stateDir, SENDING).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "journal", message: expect.stringMatching(says) as unknown });
    expect(exitCodeOf(refused)).toBe(74);
    expect(todoLine(refused as Told)).toContain("--accept-lost-journal --by NAME");
    const store = await open(stateDir, { ...SENDING, lossAcceptedBy: { ...ASHA, by: "Asha Rao" } });
    expect(await store.batches({})).toEqual([]);
    expect(await store.acts({})).toMatchObject([
      { kind: "accept_lost_journal", by: "Asha Rao", note: expect.anything() as unknown },
    ]);
    const wasAside = readdirSync(stateDir).some((name) => /^journal\.db\.lost-\d{8}T\d{6}Z$/.test(name));
    expect(wasAside).toBe(!String(says).includes("missing/") || String(says).includes("payments"));
  },
);

test("a journal of another version → refused, whatever a person accepts", async () => {
  const stateDir = await used();
  bySql(stateDir, "PRAGMA user_version = 1");
  const refused = openJournal(stateDir, { ...SENDING, lossAcceptedBy: ASHA });
  await expect(refused).rejects.toMatchObject({ code: "journal", reason: "journal_of_other_version" });
});

test("a whole journal, and one of which nobody had asked → opened, and found as it was", async () => {
  const stateDir = await used();
  expect(await statesOf(await open(stateDir), "AAAAAAA1")).toMatch(/^2 accepted, 3 accepted, 100 held/);
  const none = join(temporaryDirectory(), "none");
  const asked = await open(none, { makesNone: true });
  expect([await asked.batches({}), await asked.heldFolders(), existsSync(none)]).toEqual([[], [], false]);
});

test("what lies in the state directory → nobody else may read or write it", async () => {
  const stateDir = await used();
  await opened(await open(stateDir), "BBBBBBB1", ["9"]);
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  expect(modeOf(stateDir)).toBe("700");
  for (const name of readdirSync(stateDir).filter((one) => one !== "snapshots")) {
    expect(modeOf(join(stateDir, name)), name).toBe("600");
  }
  chmodSync(stateDir, 0o750);
  await open(stateDir);
  expect(modeOf(stateDir)).toBe("700");
  chmodSync(stateDir, 0o770);
  await expect(openJournal(stateDir)).rejects.toMatchObject({ code: "config", reason: "state_dir_writable" });
  const shared = temporaryDirectory();
  chmodSync(shared, 0o755);
  writeFileSync(join(shared, "photo.jpg"), "");
  await expect(openJournal(shared)).rejects.toMatchObject({ code: "config", reason: "state_dir_shared" });
});

test("the journal is replaced while it is open → nothing more goes, for nobody would read what is written", async () => {
  const stateDir = await used();
  const store = await open(stateDir);
  await opened(store, "BBBBBBB1", ["9", "10"]);
  await commitTo(store, "BBBBBBB1", [], 1);
  renameSync(journalPath(stateDir), `${journalPath(stateDir)}.moved`);
  await expect(commitTo(store, "BBBBBBB1", [outcome(2)], 1)).rejects.toMatchObject({ reason: "journal_replaced" });
  await expect(store.endRun(1, { endedAt: 0, exitCode: 0, requests: 0 })).rejects.toMatchObject({ code: "journal" });
});

test(
  "the disk is full → outcomes of rows in flight are still saved, and nothing else goes",
  { tags: ["mount"] },
  async () => {
    const disk = smallDisk(6 * 1024);
    const store = await open(join(disk, "state"));
    await opened(
      store,
      "AAAAAAA1",
      Array.from({ length: 2000 }, (_, at) => String(at)),
    );
    let { leaving } = await commitTo(store, "AAAAAAA1", [], 8);
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize));
    const response = "x".repeat(900);
    let saved: readonly number[] = [];
    const failure = await (async () => {
      for (;;) {
        saved = leaving.map(({ row }) => row);
        ({ leaving } = await commitTo(
          store,
          "AAAAAAA1",
          leaving.map(({ row }) => outcome(row, "accepted", { response })),
          8,
        ));
        if (leaving.length === 0) return undefined;
      }
    })().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "journal", message: expect.stringContaining("full") as unknown });
    expect(existsSync(ballastPath(join(disk, "state")))).toBe(false);
    const rows = await store.rows({ batch: "AAAAAAA1", rows: saved });
    expect(rows.map(({ state }) => state)).toEqual(rows.map(() => "accepted"));
    expect((await store.batches({}))[0]?.onItsWay).toBe(0);
    // what came back meanwhile is saved, too; whatever was saved already does no harm
    await expect(
      commitTo(
        store,
        "AAAAAAA1",
        saved.map((row) => outcome(row)),
        0,
      ),
    ).rejects.toBe(failure);
    await expect(store.move("AAAAAAA1", [{ row: 9, to: "held", from: ["ready"] }])).rejects.toBe(failure);
  },
);

test("a copy is made while rows go → whole, private, and a journal of its own", async () => {
  const stateDir = await used();
  const store = await open(stateDir);
  await opened(
    store,
    "BBBBBBB1",
    Array.from({ length: 500 }, (_, at) => `copied ${at}`),
  );
  const copied = join(temporaryDirectory(), "copy");
  mkdirSync(copied, { mode: 0o700 });
  await Promise.all([store.backup(journalPath(copied)), sendAll(store, "BBBBBBB1")]);
  expect(statSync(journalPath(copied)).mode & 0o777).toBe(0o600);
  await expect(store.backup(journalPath(copied))).rejects.toMatchObject({ reason: "backup_unwritable" });
  const copy = await open(copied);
  expect(await statesOf(copy, "AAAAAAA1")).toBe(await statesOf(store, "AAAAAAA1"));
  expect((await copy.facts()).stateId).toBe((await store.facts()).stateId);
});
