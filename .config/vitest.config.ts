import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // one process per file: tests send signals, fill disks, change the environment
    pool: "forks",
    // tests wait for processes, sockets and disks more than they compute
    maxWorkers: 3,
    // for what hangs: dozens of processes one after the other take their time on a machine that has more to do
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // a minute, not a second: what is waited for comes later on such a machine
    expect: { poll: { timeout: 60_000 } },
    include: ["test/**/*.test.ts"],
    // no test looks into the journal of whoever runs it
    env: { XDG_STATE_HOME: join(tmpdir(), "paydrop-tests-no-state") },
    globalSetup: [new URL("postgres.ts", import.meta.url).pathname],
    setupFiles: [new URL("seed.ts", import.meta.url).pathname],
    reporters: ["default", new URL("last-line.ts", import.meta.url).pathname],
  },
});
