import { statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { FileMemory } from "../../src/drop-folder/file-memory.ts";
import type { JournalStore } from "../../src/journal/store.ts";
import { temporaryFolder } from "../support/files.ts";
import { transferToml } from "../support/mappings.ts";

const IDENTITY = { dev: "1", ino: "1", sizeBytes: "1", mtimeNs: "1", ctimeNs: "1" };

/** By what a refusal of the file at a path is remembered, with these settings. */
function keyOf(path: string, env: Readonly<Record<string, string>> = {}, toml = ""): Promise<string> {
  const config = join(temporaryFolder(), "paydrop.toml");
  writeFileSync(config, toml, { mode: 0o600 });
  const settings = loadConfig({ env: { PAYDROP_BASE_URL: "http://127.0.0.1:9", ...env }, flags: { config } });
  return new FileMemory({} as JournalStore, settings).refusalKey(path, IDENTITY);
}

test("a refused file is another one by whatever it is read with, and by nothing else", async () => {
  const path = join(temporaryFolder(), "a.csv");
  const said = { OPERATION: "transfer", PERIOD: "2026-11", EXPECT_ROWS: "2", EXPECT_TOTAL: "2.00", REQUIRE_CONTROL: "true", EMPTY_FIELDS: "send" }; // prettier-ignore
  const keys = [
    await keyOf(path),
    await keyOf(path, {}, transferToml("bank", "rupees")),
    ...(await Promise.all(Object.entries(said).map(([name, value]) => keyOf(path, { [`PAYDROP_${name}`]: value })))),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(await keyOf(path, { PAYDROP_RATE: "5", PAYDROP_LOG_FORMAT: "json" })).toBe(keys[0]);
});

test.each([".control", ".control.txt"])(
  "control totals that are corrected in place make it another one: %s",
  async (ending) => {
    const path = join(temporaryFolder(), "a.csv");
    const none = await keyOf(path);
    writeFileSync(`${path}${ending}`, "rows=2\n");
    const first = await keyOf(path);
    const { atime, mtimeMs } = statSync(`${path}${ending}`);
    writeFileSync(`${path}${ending}`, "rows=3\n");
    utimesSync(`${path}${ending}`, atime, new Date(mtimeMs + 1000));
    expect(new Set([none, first, await keyOf(path)]).size).toBe(3);
  },
);
