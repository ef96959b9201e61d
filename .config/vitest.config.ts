import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** They measure time or memory: nothing else may run beside them. */
const MEASURING = [
  "test/commands/many-going.test.ts",
  "test/reader/limits.test.ts",
  "test/results/flat-memory.test.ts",
];

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
    projects: [
      {
        extends: true,
        test: { name: "together", include: ["test/**/*.test.ts"], exclude: MEASURING, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: "alone", include: MEASURING, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
    // no test looks into the journal of whoever runs it
    env: { XDG_STATE_HOME: join(tmpdir(), "paydrop-tests-no-state") },
    setupFiles: [new URL("seed.ts", import.meta.url).pathname],
    reporters: ["default", new URL("last-line.ts", import.meta.url).pathname],
  },
});
