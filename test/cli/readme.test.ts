import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SETTING_NAMES, defaultOf, factsOf } from "../../src/config/schema.ts";
import { EXIT_CODES } from "../../src/exit-codes.ts";
import { ROW_STATES } from "../../src/journal/states.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { BARE_ENV, follow, LAUNCHER, startProgram, type ProgramEnded } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const ROOT = join(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const SAMPLE = join(ROOT, "samples/payroll.csv");

/** The cells of the table below a heading row that begins with `first`. */
function table(first: string): string[][] {
  const lines = README.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${first} `));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

test("the README → short, and promises no more than is kept", () => {
  expect(README.split("\n").length).toBeLessThanOrEqual(200);
  expect(README).toContain("at most once, and never silent");
  expect(README.toLowerCase()).not.toContain("exactly once");
});

test("its tables → exit codes, statuses and settings of the program", () => {
  const codes = table("Code").flatMap(([code, meaning, other, another]) => [
    [code, meaning],
    [other, another],
  ]);
  const told = Object.fromEntries(codes.filter(([code]) => code !== "") as [string, string][]);
  expect(told).toEqual(Object.fromEntries(EXIT_CODES.map(({ code, sentence }) => [String(code), sentence])));
  const statuses = table("`result_status`").map(([status]) => status);
  expect(statuses.sort()).toEqual(ROW_STATES.filter((state) => state !== "ready").sort());
  for (const [name = "", value = ""] of table("Setting")) {
    expect(SETTING_NAMES).toContain(name);
    const setting = SETTING_NAMES.find((one) => one === name) ?? "period";
    if (value !== "" && !factsOf(setting).unless) expect(defaultOf(setting)).toContain(value);
  }
});

test("the demo → prints what its block shows", () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, "samples"));
  copyFileSync(SAMPLE, join(folder, "samples/payroll.csv"));
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: { demo: string } };
  expect(README).toContain("npm run demo");
  const script = scripts.demo.replace("node src/bin.ts", `'${process.execPath}' '${LAUNCHER}'`);
  const env = { ...BARE_ENV, HOME: folder };
  const { status, stdout } = spawnSync("sh", ["-c", script], { cwd: folder, env, encoding: "utf8", timeout: 60_000 });
  expect(status).toBe(0);
  const shown = /<!-- demo: begin -->\s+```text\n(.*?)```\s+<!-- demo: end -->/s.exec(README)?.[1];
  expect(asAlways(stdout.replaceAll(folder, "/home/asha/paydrop"))).toBe(asAlways(shown ?? ""));
});

function asAlways(text: string): string {
  return text.replace(/\d+(?:\.\d+)? m?s$/m, "0 ms");
}

/** Commands for a shell in the README, one a line. */
const COMMANDS = [...README.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = ""]) => block.split("\n"))
  .map((line) => line.replace(/\s+#.*$/, ""))
  .filter((line) => /^(?:npx )?paydrop /.test(line));

test("its commands → run as they stand, against the sandbox", async () => {
  const folder = temporaryDirectory();
  const inbox = join(folder, "inbox");
  mkdirSync(join(inbox, "payouts"), { recursive: true });
  copyFileSync(SAMPLE, join(folder, "payroll.csv"));
  for (const name of ["paydrop", "npx"]) {
    const program = name === "npx" ? "" : `'${process.execPath}' '${LAUNCHER}' `;
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${program}"$@"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const { env, close } = await sandboxEnv(folder);
  onTestFinished(close);
  // a run with rows to correct, and what needs nothing
  const ends: Record<string, number> = { "paydrop check payroll.csv": 3, "paydrop run payroll.csv": 3 };
  for (const command of COMMANDS) {
    const words = command.replace("/srv/payroll/inbox", inbox);
    if (words.startsWith("paydrop watch")) {
      const watching = startProgram(words.split(" ").slice(1), { env, cwd: folder });
      await expect.poll(() => watching.stderr() + watching.stdout()).toContain(inbox);
      watching.child.kill("SIGTERM");
      await watching.ended;
      continue;
    }
    const ended = await shell(words, env, folder);
    expect(ended.code, `${command}\n${ended.stderr}`).toBe(ends[command] ?? 0);
  }
  expect(COMMANDS.length).toBeGreaterThan(5);
});

async function sandboxEnv(folder: string): Promise<{ env: Record<string, string>; close: () => Promise<void> }> {
  const sandbox = await startSandbox({ port: 0 });
  const { url, apiKey, aesKey, aesIv } = sandbox;
  const env = {
    ...{ PATH: `${folder}:${BARE_ENV["PATH"] ?? ""}`, HOME: folder, PAYDROP_BASE_URL: url },
    ...{ PAYDROP_API_KEY: apiKey, PAYDROP_AES_KEY: aesKey, PAYDROP_AES_IV: aesIv },
  };
  return { env, close: () => sandbox.close() };
}

function shell(command: string, env: Record<string, string>, cwd: string): Promise<ProgramEnded> {
  const child = spawn("sh", ["-c", command], {
    env: { ...BARE_ENV, ...env },
    cwd,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return follow(command, child).ended;
}
