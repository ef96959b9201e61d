import fs, { mkdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { migrate } from "../../src/journal/sqlite/database/schema.ts";
import { makePrivate } from "../../src/journal/sqlite/database/state-folder.ts";
import { checkFile } from "../../src/proof-read/check-file.ts";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

test.each([
  ["nothing yet", () => undefined],
  ["its tables, and no key", migrate],
])("a check beside the very first run: a journal that holds %s is none", async (_what, make) => {
  const desk = openDesk("http://127.0.0.1:1");
  mkdirSync(desk.stateDir);
  const database = new DatabaseSync(join(desk.stateDir, "journal.db"));
  database.exec("PRAGMA journal_mode = WAL;");
  make(database);
  const file = desk.write("pay.csv", transfersCsv(2));
  const report = await checkFile(file, { config: loadConfig({ env: { ...desk.env } }) });
  expect(report.exitCode).toBe(0);
  database.close();
});

test("two processes that make one state folder at the same moment both have it", () => {
  const folder = join(temporaryDirectory(), "paydrop", "state");
  const statSync = fs.statSync;
  // the other one makes it between our look and our making
  const looked = vi.spyOn(fs, "statSync").mockImplementationOnce((path, options) => {
    const found = statSync(path, options);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return found;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    looked.mockRestore();
    syncBuiltinESMExports();
  });
  makePrivate(folder);
  expect(looked).toHaveBeenCalledTimes(2);
});
