import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, type OpenOptions } from "../../src/sqlite/database.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { runLife } from "./lives.ts";

const ROWS = 12;
const LANES = 3;

/** What another process reads of the journal: only what was synced before (WAL, `synchronous = FULL`). */
const ON_DISK = `SELECT r.row, r.state, r.turn <= b.mark AS mayHaveLeft FROM row r JOIN batch b ON b.seq = r.batch`;

// a large file's journal has a thread of its own: there a row could leave while its commit stalls
test.each([
  ["here", 10],
  ["in a thread of its own", 30_000],
])("a row arrives, journal %s → its turn is on the disk, with no more rows than lanes (I2, I8)", async (_, bytes) => {
  const stateDir = join(temporaryDirectory(), "state");
  const seen: { readonly row: number; readonly isLetGo: boolean; readonly onTheirWay: number }[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const row = Number(/"to_account":"ROW-(\d+)"/.exec(body)?.[1]);
      const database = new DatabaseSync(join(stateDir, "journal.db"), { readOnly: true });
      const onDisk = database.prepare(ON_DISK).all();
      database.close();
      const onTheirWay = onDisk.filter(({ state, mayHaveLeft }) => state === "ready" && mayHaveLeft === 1);
      seen.push({ row, isLetGo: onTheirWay.some((one) => one["row"] === row), onTheirWay: onTheirWay.length });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });

  const numbers = Array.from({ length: ROWS }, (__, index) => index + 2);
  const path = join(temporaryDirectory(), "transfers.csv");
  const lines = numbers.map((row) => `ACC-OPS-01,ROW-${row},${100 + row}.50,${"x".repeat(bytes)}`);
  writeFileSync(path, `from_account,to_account,amount,remarks of ours\n${lines.join("\n")}\n`);
  const { code, output } = await runLife(["run", "--quiet", "--concurrency", String(LANES), path], {
    stateDir,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    env: { PAYDROP_FAULT: "stall@commit.before:60" },
  });
  expect(code, output).toBe(0);
  expect(seen.map(({ row }) => row).sort((one, other) => one - other)).toEqual(numbers);
  expect(seen.filter(({ isLetGo, onTheirWay }) => !isLetGo || onTheirWay > LANES)).toEqual([]);
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

const SOMEBODY = { login: "asha", host: "pay1" };

test.each<[string, OpenOptions]>([
  ["to send", { isSender: true }],
  ["to act", {}],
  ["to look", { makesNone: true }],
  ["after a loss was accepted", { isSender: true, lossAcceptedBy: SOMEBODY }],
])("a journal is opened %s, new or known → a commit is on the disk when it returns", (_, options) => {
  const stateDir = temporaryDirectory();
  for (const time of [1, 2]) {
    const database = openDatabase(stateDir, options);
    const isSet = (name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(isSet("synchronous"), String(time)).toBe(2);
    if (options.makesNone !== true) expect(isSet("journal_mode")).toBe("wal");
    database.close();
  }
});
