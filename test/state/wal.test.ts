import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { addBatch, newRow, sendRow } from "../journal/stored.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;
const ROWS = [2, 3, 4, 5, 6, 7, 8, 9];

interface Left {
  readonly stateDir: string;
  readonly wal: string;
  /** Where its frames begin that end a commit, in their order. */
  readonly commits: readonly number[];
}

interface Before {
  /** So many rows of another batch are written down first. */
  readonly earlier?: number;
  /** What happens to the journal before the last row goes. */
  readonly beforeLast?: (journal: string) => void;
}

/** What a process leaves that was killed when all its rows had been sent: everything stands in the WAL. */
async function leftByAKill({ earlier = 0, beforeLast }: Before = {}): Promise<Left> {
  const [alive, stateDir] = [temporaryDirectory(), temporaryDirectory()];
  const store = openSqliteJournal(alive, createJudge);
  const many = Array.from({ length: earlier }, (_, index) => newRow(index + 2, `b/${index}`));
  if (earlier > 0) await addBatch(store, "BBBB2222", many);
  await addBatch(
    store,
    "AAAA1111",
    ROWS.map((row) => newRow(row, `a/${row}`)),
  );
  for (const row of ROWS) {
    if (row === ROWS.at(-1)) beforeLast?.(join(alive, "journal.db"));
    await sendRow(store, "AAAA1111", row, "accepted");
  }
  for (const name of ["journal.db", "journal.db-wal"]) copyFileSync(join(alive, name), join(stateDir, name));
  await store.close();
  const wal = join(stateDir, "journal.db-wal");
  const bytes = readFileSync(wal);
  const commits: number[] = [];
  for (let at = HEADER_BYTES; at < bytes.length; at += FRAME_BYTES)
    if (bytes.readUInt32BE(at + 4) > 0) commits.push(at);
  return { stateDir, wal, commits };
}

async function statesIn(stateDir: string): Promise<unknown[]> {
  const store = openSqliteJournal(stateDir, createJudge, Date.now, { isChecked: true });
  const rows = await Promise.all(ROWS.map((row) => store.row("AAAA1111", row)));
  await store.close();
  return rows.map((row) => row?.state);
}

test("what a kill leaves in the WAL is read to its end", async () => {
  const { stateDir, commits } = await leftByAKill();
  expect(commits.length).toBeGreaterThan(2 * ROWS.length);
  expect(await statesIn(stateDir)).toEqual(ROWS.map(() => "accepted"));
});

test("one bit that was changed in it, and the commits behind would be forgotten: nothing opens, and nothing is tidied away", async () => {
  const { stateDir, wal, commits } = await leftByAKill({ earlier: 6000 });
  const whole = readFileSync(wal);
  // longer than what is read of it in one piece
  expect(whole.length).toBeGreaterThan(1024 * 1024);
  const lastButOne = commits.at(-2) ?? 0;
  const places = Array.from({ length: 10 }, (_, nth) => Math.floor((lastButOne * (nth + 0.5)) / 10));
  const salt = (commits.at(-3) ?? 0) + 8;
  for (const place of [0, 16, ...places, salt, ...[4, 16, 24].map((at) => lastButOne + at)]) {
    const bytes = Buffer.from(whole);
    bytes[place] = (bytes[place] ?? 0) ^ 4;
    writeFileSync(wal, bytes);
    for (const isChecked of [false, true]) {
      expect(() => openSqliteJournal(stateDir, createJudge, Date.now, { isChecked }), `byte ${place}`).toThrow(
        /journal\.db is damaged: commits stand behind a damaged place of its WAL/,
      );
    }
    expect(readFileSync(wal).equals(bytes)).toBe(true);
  }
});

test("frames of before it was begun anew stand behind its end: nothing was forgotten", async () => {
  const { stateDir } = await leftByAKill({
    beforeLast: (journal) => {
      const other = new DatabaseSync(journal);
      other.exec("PRAGMA wal_checkpoint(RESTART)");
      other.close();
    },
  });
  expect(await statesIn(stateDir)).toEqual(ROWS.map(() => "accepted"));
});

test("damage in its last commit is one that the machine went down on: it was never finished, and all others stand", async () => {
  const { stateDir, wal, commits } = await leftByAKill();
  writeFileSync(wal, readFileSync(wal).fill(0xa5, (commits.at(-1) ?? 0) + 100, (commits.at(-1) ?? 0) + 200));
  expect(await statesIn(stateDir)).toEqual([...ROWS.slice(1).map(() => "accepted"), "sending"]);
});

test("a person who accepts the loss begins anew, and the damaged files are kept", async () => {
  const { stateDir, wal } = await leftByAKill();
  writeFileSync(wal, readFileSync(wal).fill(0, 40, 60));
  const store = openSqliteJournal(stateDir, createJudge, Date.now, { isChecked: true, lossAcceptedBy: "asha" });
  expect(await store.batches()).toEqual([]);
  await store.close();
  expect(existsSync(wal)).toBe(false);
});

test("its end cut off anywhere is a commit that was never finished, as a kill or the machine leaves it", async () => {
  const { stateDir, wal, commits } = await leftByAKill();
  const [database, whole] = [readFileSync(join(stateDir, "journal.db")), readFileSync(wal)];
  const opened = commits[commits.length - 2 * ROWS.length - 1] ?? 0;
  for (let at = opened + FRAME_BYTES; at < whole.length; at += Math.floor(FRAME_BYTES / 3)) {
    writeFileSync(join(stateDir, "journal.db"), database);
    writeFileSync(wal, whole);
    truncateSync(wal, at);
    expect(await statesIn(stateDir), `cut at ${at}`).toHaveLength(ROWS.length);
  }
});
