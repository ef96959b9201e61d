import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BARE_ENV, LAUNCHER, temporaryFolder } from "../support/paydrop.ts";
import { startProgram } from "../support/program.ts";

/** A service that takes the request and never answers. */
async function silentService(): Promise<{ url: string; asked: Promise<void>; close: () => void }> {
  let noteAsked: () => void;
  const asked = new Promise<void>((resolve) => (noteAsked = resolve));
  const server = createServer((request) => {
    request.resume();
    request.on("end", () => noteAsked());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, asked, close };
}

test("the first signal says what the next would do, the second ends with unknown rows and exit 4", async () => {
  const service = await silentService();
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "transfers.csv"),
    "from_account,to_account,amount\nACC-1,ACC-2,100.00\nACC-1,ACC-3,200.00\n",
  );
  const env = {
    ...BARE_ENV,
    HOME: folder,
    PAYDROP_BASE_URL: service.url,
    PAYDROP_API_KEY: "key-0123456789",
  };
  const child = spawn(process.execPath, [LAUNCHER, "run", "transfers.csv"], { env, cwd: folder });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let stderr = "";
  const announced = new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      if (stderr.includes("Press Ctrl-C again")) resolve();
    });
  });
  await service.asked;
  child.kill("SIGINT");
  await announced;
  expect(child.exitCode).toBeNull();
  child.kill("SIGINT");
  expect(await ended).toBe(4);
  expect(stderr).toContain("stopping now: rows in flight become unknown");
  service.close();
});

test("a check that is interrupted leaves no copy of the file behind, and ends by the signal", async () => {
  const folder = temporaryFolder();
  const scratch = join(folder, "tmp");
  mkdirSync(scratch);
  const file = join(folder, "transfers.csv");
  const rows = Array.from({ length: 100_000 }, (_, index) => `ACC-1,ACC-${index},1.00\n`).join("");
  writeFileSync(file, `from_account,to_account,amount\n${rows}`);
  const { child, ended } = startProgram(["check", file], { env: { TMPDIR: scratch } });
  const copies = (): string[] => readdirSync(scratch, { recursive: true, encoding: "utf8" });
  while (!copies().some((name) => name.endsWith(".csv"))) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ signal: "SIGINT" });
  expect(copies().filter((name) => name.startsWith("paydrop-check-"))).toEqual([]);
});
