/** How often a small file waits for the disk: every commit of the journal is one synced write. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { openThreadedJournal } from "../../src/journal/thread/threaded.ts";
import { openProcessor } from "../../src/processor.ts";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { allRows, newBatch, newRow, rules } from "./stored.ts";
import { startService } from "../support/service.ts";

const LANES = 8;
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The frames of a write-ahead log that end a transaction, and belong to what it holds now (SQLite file format §4.1). */
function commitsIn(stateDir: string): number {
  const path = join(stateDir, "journal.db-wal");
  const log = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (log.length < WAL_HEADER_BYTES) return 0;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const salt = log.toString("hex", 16, 24);
  let commits = 0;
  for (let at = WAL_HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    const isCommit = log.readUInt32BE(at + 4) !== 0;
    if (isCommit && log.toString("hex", at + 8, at + 16) === salt) commits += 1;
  }
  return commits;
}

test("a small file is written down and judged in one commit", async () => {
  const stateDir = temporaryDirectory();
  const journal = await openThreadedJournal({ stateDir, options: { keepsBallast: false } }, LANES);
  onTestFinished(() => journal.close());
  const before = commitsIn(stateDir);
  const rowsOfFile = Array.from({ length: 10 }, (_, index) => newRow(index + 2, `a/${index % 9}`));
  await Promise.all([
    journal.createBatch(newBatch("AAAA1111")),
    journal.addRows("AAAA1111", rowsOfFile),
    journal.judgeRows("AAAA1111", rules),
  ]);
  expect(commitsIn(stateDir) - before).toBe(1);
  const states = (await allRows(journal, "AAAA1111")).map(({ state }) => state);
  expect(states).toEqual([...Array<string>(9).fill("ready"), "held"]);
});

test("the rows that follow the first one begin in the commit that writes down its outcome", async () => {
  const desk = openDesk("http://127.0.0.1:1");
  const seen: number[] = [];
  const server = await startService(() => {
    seen.push(commitsIn(desk.stateDir));
    return answer(200);
  });
  const config = loadConfig({ env: { ...desk.env, PAYDROP_BASE_URL: server.url } });
  const processor = await openProcessor({ config }, "send");
  onTestFinished(() => processor.close());
  const file = desk.write("t.csv", transfersCsv(10));
  const report = await processor.processFile(file);
  expect(report.byStatus.accepted?.rows).toBe(10);
  const [atFirst = 0, atSecond = 0] = seen;
  expect(atSecond - atFirst).toBe(1);
});
