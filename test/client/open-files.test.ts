import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { temporaryFolder } from "../support/files.ts";
import { BARE_ENV, LAUNCHER } from "../support/paydrop.ts";
import { serve } from "./opened.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In a process that may have so many files open, as a container or a unit of systemd may say. */
function runWith(filesMax: number, file: string, baseUrl?: string): Promise<Ended> {
  const operands = baseUrl === undefined ? `--sandbox '${file}'` : `--state-dir '${file}.state' '${file}'`;
  const command = `ulimit -n ${filesMax} && exec '${process.execPath}' '${LAUNCHER}' run ${operands}`;
  const env = { ...BARE_ENV, PAYDROP_BASE_URL: baseUrl, PAYDROP_API_KEY: "pk_test_4f9a-not-for-logs" };
  return new Promise((resolve) => {
    execFile("sh", ["-c", command], { env: baseUrl === undefined ? BARE_ENV : env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

test.skipIf(process.platform !== "linux")(
  "where few files may be open, fewer connections rest; where too few, nothing is sent and the number is told",
  async () => {
    const file = join(temporaryFolder(), "t.csv");
    writeFileSync(file, transfersCsv(300));
    const few = await runWith(64, file);
    expect(few, few.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("accepted       300") as string });
    const tooFew = await runWith(48, file);
    expect(tooFew.code).toBe(2);
    expect(tooFew.stderr).toContain(
      "paydrop: this process may have 48 files open, too few for 8 requests at a time\n  → let it have 168 (ulimit -n,",
    );
    expect(tooFew.stderr).not.toContain("first row=");
  },
  60_000,
);

test.skipIf(process.platform !== "linux")(
  "where few files may be open, a connection rests between two rows all the same (I6)",
  async () => {
    const answeredAt = new Map<number, number>();
    const restedMs: number[] = [];
    const server = await serve(({ connection, onConnection }) => {
      if (onConnection > 1) restedMs.push(performance.now() - (answeredAt.get(connection) ?? 0));
      const noted = (): void => void answeredAt.set(connection, performance.now());
      return wire.inOrder(wire.pause(40), noted, wire.answer(200));
    });
    const file = join(temporaryFolder(), "t.csv");
    writeFileSync(file, transfersCsv(200));
    const ended = await runWith(60, file, server.url);
    expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/accepted +200/) as string });
    expect(restedMs.filter((ms) => ms < 60)).toEqual([]);
  },
  60_000,
);
