import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDesk, transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { BARE_ENV, LAUNCHER, temporaryFolder } from "../support/paydrop.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

test("the sandbox prints its address and keys, answers, and ends with 0 when it is told to stop", async () => {
  const child = spawn(process.execPath, [LAUNCHER, "sandbox", "--port", "0"], { env: BARE_ENV, cwd: tmpdir() });
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

test("where the locale is plain C, nothing but ASCII is printed", async () => {
  const cwd = temporaryFolder();
  const env = { LC_ALL: "C", XDG_STATE_HOME: cwd };
  writeFileSync(join(cwd, "pay.csv"), TRIED.replace("A-1,B-1", "A-1,00600700800900"));
  writeFileSync(join(cwd, "none.csv"), "");
  const ended = await Promise.all(
    [
      ["check", "pay.csv", "none.csv"],
      ["run", "none.csv"],
      ["run", "--sandbox", "pay.csv"],
      ["settle", "X"],
    ].map((words) => runProgram(words, { cwd, env })),
  );
  for (const { stdout, stderr } of ended) expect(stdout + stderr).toMatch(/^[\n -~]*$/);
  expect(ended[0]?.stdout).toContain("-> Type it again");
});

/** One row to correct, and one that is held. */
const TRIED = "from_account,to_account,amount\nA-1,B-1,10.00\nA-1,B-1,10.00\nA-1,B-2,1e2\n";

test("what was tried can be gone on with: by the commands that are printed, and with the retry file", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "pay.csv"), TRIED);
  const state = join(cwd, "state");
  const tried = await runProgram(["run", "--sandbox", "--state-dir", state, "pay.csv"], { cwd });
  expect(tried.code).toBe(3);
  const command = /paydrop (release .*)/.exec(tried.stdout)?.[1] ?? "";
  const words = command.replace("NAME", "asha").replace("TEXT", "meant").replace("FOLDER", state).split(" ");
  expect(await runProgram(words, { cwd })).toMatchObject({ code: 3 });

  const retry = join(cwd, "pay.csv.retry.csv");
  writeFileSync(retry, readFileSync(retry, "utf8").replace("1e2", "100.00"));
  const known = await runProgram(["check", "--sandbox", "--state-dir", state, retry], { cwd });
  expect(known).toMatchObject({ code: 0 });
  expect(known.stdout).toMatch(/row 2: corrects row 4 of batch/);
});

test("a check for the sandbox is told nothing of other payments, as a run there is not", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "pay.csv"), "from_account,to_account,amount\nA-1,B-1,10.00\n");
  const env = { XDG_STATE_HOME: cwd, PAYDROP_ENVIRONMENT: "test" };
  const state = ["--state-dir", join(cwd, "paydrop")];
  expect(await runProgram(["run", "--sandbox", ...state, "pay.csv"], { cwd })).toMatchObject({ code: 0 });
  expect((await runProgram(["check", "pay.csv"], { cwd, env })).stdout).toContain("taken in before");
  expect((await runProgram(["check", "--sandbox", "pay.csv"], { cwd, env })).stdout).toContain("1 ready");
});

test.each([
  ["padding", { PAYDROP_PADDING: "ansix923" }],
  ["key encoding", { PAYDROP_KEY_ENCODING: "base64" }],
])("what is chosen for the service, such as its %s, stands in no sandbox's way", async (_, env) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "try.csv"), (await runProgram(["template", "payout"], { cwd })).stdout);
  expect(await runProgram(["run", "--sandbox", "try.csv"], { cwd, env })).toMatchObject({ code: 0 });
});

test("whoever asks for it with a variable, for which flags have one, moves no money", async () => {
  const server = await startService(() => answer(200));
  const desk = openDesk(server.url, { PAYDROP_SANDBOX: "1" });
  desk.write("pay.csv", transfersCsv(1));
  const refused = await desk.run("pay.csv");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("only the flag --sandbox") as string });
  expect(await desk.run("pay.csv", "--sandbox")).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(0);
  desk.env["PAYDROP_SANDBOX"] = "0";
  desk.write("other.csv", transfersCsv(1));
  expect(await desk.run("other.csv")).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(1);
});
