import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import { temporaryFolder } from "../support/files.ts";
import { BARE_ENV, LAUNCHER } from "../support/paydrop.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In a process that may have so many files open, as a container or a unit of systemd may say. */
function runWith(filesMax: number, file: string): Promise<Ended> {
  const command = `ulimit -n ${filesMax} && exec '${process.execPath}' '${LAUNCHER}' run --sandbox '${file}'`;
  return new Promise((resolve) => {
    execFile("sh", ["-c", command], { env: BARE_ENV }, (error, stdout, stderr) =>
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
