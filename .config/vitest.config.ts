import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { NEEDS, whereIs, type NeedName } from "../test/support/needs.ts";
import { BARE_ENV } from "../test/support/program.ts";
import SlowestFirst from "./slowest-first.ts";

// what is compiled is kept for all: a thread of the journal begins in a third of the time
process.env["NODE_COMPILE_CACHE"] ??= BARE_ENV["NODE_COMPILE_CACHE"];

/** A test whose need is not here is skipped. */
const tags = (Object.keys(NEEDS) as NeedName[]).map((name) => ({
  name,
  description: NEEDS[name].what,
  ...(whereIs(name) === undefined ? { skip: true } : {}),
}));

export default defineConfig({
  test: {
    // one process per file: tests send signals, fill disks, change the environment
    pool: "forks",
    // tests wait for processes, sockets and disks more than they compute
    maxWorkers: 3,
    tags,
    sequence: { sequencer: SlowestFirst },
    // every wait has an end of its own (`until`, `came`, `follow`) and says what never came; this one says nothing
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // a minute, not a second: what is waited for comes later on such a machine
    expect: { poll: { timeout: 60_000 } },
    include: ["test/**/*.test.ts"],
    // no test looks into the journal of whoever runs it
    env: { XDG_STATE_HOME: join(tmpdir(), "paydrop-tests-no-state") },
    globalSetup: [new URL("set-up.ts", import.meta.url).pathname],
    setupFiles: [new URL("seed.ts", import.meta.url).pathname],
    reporters: ["default", new URL("last-line.ts", import.meta.url).pathname],
  },
});
