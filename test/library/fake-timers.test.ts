import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { processFile } from "../../src/index.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { transfersCsv } from "../support/desk.ts";
import { temporaryFolder } from "../support/files.ts";

test("a test that only stops the date, as the README says, gets its rows sent", async () => {
  const sandbox = await startSandbox({ port: 0 });
  const file = join(temporaryFolder(), "t.csv");
  writeFileSync(file, transfersCsv(300));
  const now = new Date("2026-11-06T12:00:00Z");
  vi.useFakeTimers({ now, toFake: ["Date"] });
  try {
    const { byStatus, startedAt } = await processFile(file, { sandbox });
    expect({ rows: byStatus.accepted?.rows, startedAt }).toEqual({ rows: 300, startedAt: now.getTime() });
  } finally {
    vi.useRealTimers();
    await sandbox.close();
  }
});
