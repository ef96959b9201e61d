import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { LAUNCHER } from "../support/paydrop.ts";

test("the sandbox prints its address and keys, answers, and ends with 0 when it is told to stop", async () => {
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
  const child = spawn(process.execPath, [LAUNCHER, "sandbox", "--port", "0"], { env, cwd: tmpdir() });
  let stdout = "";
  const url = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      const found = /PAYDROP_BASE_URL=(\S+)/.exec(stdout);
      if (found?.[1] !== undefined && stdout.includes("PAYDROP_AES_IV=")) resolve(found[1]);
    });
  });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  for (const name of ["API_KEY", "AES_KEY", "AES_IV"])
    expect(stdout).toMatch(new RegExp(`^export PAYDROP_${name}=\\S+$`, "m"));
  expect((await fetch(`${url}/sandbox/ledger`)).status).toBe(200);
  child.kill("SIGTERM");
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code).toBe(0);
});
