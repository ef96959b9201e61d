import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SANDBOX_AES_IV, SANDBOX_AES_KEY, SANDBOX_API_KEY, startSandbox } from "../src/sandbox/server.ts";
import { answer } from "./support/fault-server.ts";
import { runProgram, startProgram } from "./support/program.ts";
import { temporaryDirectory } from "./support/state-dir.ts";
import { startService } from "./support/service.ts";
import { until } from "./support/until.ts";

type Line = Readonly<Record<string, unknown>>;

const PERSONAL = { name: "Asha Rao", mobile: "9812345670", email: "asha.rao@mail.example", account: "501000998877" };
const PAYOUTS = [
  "debit_account_id,amount,payment_mode,narration,name,mobile,email,bank_acc_num,ifsc_code,bank_owner_name",
  `ACC-OPS-01,12500.00,NEFT,salary,${PERSONAL.name},${PERSONAL.mobile},${PERSONAL.email},${PERSONAL.account},SBIN0001234,${PERSONAL.name}`,
  `ACC-OPS-01,broken,NEFT,salary,${PERSONAL.name},${PERSONAL.mobile},${PERSONAL.email},${PERSONAL.account},SBIN0001234,${PERSONAL.name}`,
  "",
].join("\n");
const SECRET = [SANDBOX_API_KEY, SANDBOX_AES_KEY, SANDBOX_AES_IV, ...Object.values(PERSONAL), "ACC-OPS-01"];

function lines(text: string): Line[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

async function place(): Promise<{ folder: string; file: string; env: Record<string, string> }> {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const folder = temporaryDirectory();
  const file = join(folder, "payroll.csv");
  writeFileSync(file, PAYOUTS);
  const env = {
    PAYDROP_BASE_URL: sandbox.url,
    PAYDROP_API_KEY: sandbox.apiKey,
    PAYDROP_AES_KEY: sandbox.aesKey,
    PAYDROP_AES_IV: sandbox.aesIv,
    PAYDROP_STATE_DIR: join(folder, "state"),
  };
  return { folder, file, env };
}

test("as JSON every line of stderr is an object with its batch, a batch at info and its rows at debug", async () => {
  const { file, env } = await place();
  const { code, stderr } = await runProgram(["run", "--log-format", "json", "--verbose", file], { env });
  expect(code).toBe(3);
  const [start, row, end] = lines(stderr);
  expect(start).toMatchObject({ level: "info", msg: "start", rows: 2, to_send: 1 });
  expect(row).toMatchObject({ level: "debug", msg: "accepted", row: 2, http: 200, attempts: 1 });
  expect(end).toMatchObject({ level: "info", msg: "end", accepted: 1, invalid: 1, exit: 3 });
  for (const line of [start, row, end]) expect(line?.["batch"]).toMatch(/^[0-9A-Z]{8}$/);
  for (const secret of SECRET) expect(stderr).not.toContain(secret);
});

test("in a file a batch is two lines, unless a row needs a person", async () => {
  const { folder, file, env } = await place();
  const log = join(folder, "paydrop.log");
  const run = (): ReturnType<typeof runProgram> =>
    runProgram(["run", "--quiet", "--log-format", "json", "--log-file", log, file], { env });
  expect((await run()).code).toBe(3);
  expect(lines(readFileSync(log, "utf8")).map(({ msg }) => msg)).toEqual(["start", "end"]);
  const failing = await startService(() => answer(500, { said: PERSONAL.account }));
  writeFileSync(
    file,
    PAYOUTS.replace("12500.00", "13500.00").replaceAll("salary", "bonus").replaceAll("ACC-OPS-01", "ACC-OPS-02"),
  );
  env["PAYDROP_BASE_URL"] = failing.url;
  env["PAYDROP_STATE_DIR"] = join(folder, "other");
  const args = ["run", "--accept-lost-journal", "--by", "Asha", "--log-format", "json", "--log-file", log, file];
  expect((await runProgram(args, { env })).code).toBe(4);
  const unknown = lines(readFileSync(log, "utf8")).find(({ msg }) => msg === "unknown");
  expect(unknown).toMatchObject({ level: "warn", row: 2, http: 500 });
  for (const secret of SECRET) expect(readFileSync(log, "utf8")).not.toContain(secret);
});

test("a refused file is in the log too", async () => {
  const { folder, file, env } = await place();
  const log = join(folder, "paydrop.log");
  writeFileSync(file, "amount,amount\n1,2\n");
  expect((await runProgram(["run", "--log-file", log, file], { env })).code).toBe(5);
  expect(readFileSync(log, "utf8")).toMatch(/ warn .*payroll\.csv/);
});

test("SIGHUP while a row is under way opens the file again and stops nothing", async () => {
  const { folder, file, env } = await place();
  const log = join(folder, "paydrop.log");
  let reply: () => void = () => undefined;
  const replied = new Promise<void>((resolve) => (reply = resolve));
  const slow = await startService(() => async (socket) => {
    await replied;
    await answer(200)(socket);
  });
  const started = startProgram(["run", "--log-file", log, file], { env: { ...env, PAYDROP_BASE_URL: slow.url } });
  await until("the row under way", () => slow.requests.length === 1, { by: started.ended });
  renameSync(log, `${log}.1`);
  started.child.kill("SIGHUP");
  await until("the file opened again", () => existsSync(log), { by: started.ended });
  reply();
  expect((await started.ended).code).toBe(3);
  expect(readFileSync(`${log}.1`, "utf8")).toMatch(/^[^\n]* info start [^\n]*\n$/);
  expect(readFileSync(log, "utf8")).toMatch(/^[^\n]* info end [^\n]*\n$/);
});

test.skipIf(!existsSync("/dev/full"))("a log disk that is full is told once, and every row goes", async () => {
  const { file, env } = await place();
  const { code, stderr, stdout } = await runProgram(["run", "--log-file", "/dev/full", file], { env });
  expect(code).toBe(3);
  expect(stdout).toContain("accepted");
  expect(stderr.match(/the log \/dev\/full cannot be written: .*payments go on/g)).toHaveLength(1);
});

test("a log that cannot be opened is refused before anything is sent", async () => {
  const { file, env } = await place();
  const { code, stderr } = await runProgram(["run", "--log-file", join(file, "paydrop.log"), file], { env });
  expect(code).toBe(2);
  expect(stderr).toContain("cannot be opened");
});

test.each([
  ["is being loaded, told by a flag", "/cli.", "flag"],
  ["is being loaded, told by the environment", "/cli.", "environment"],
  ["opens its log, told by the settings file", "pino", "settings"],
])("SIGHUP while watch %s ends nothing", async (_, loaded, how) => {
  const { folder, env } = await place();
  const log = join(folder, "paydrop.log");
  // the signal comes at the moment when this module is asked for
  const signals = join(folder, "signals.mjs");
  const hook = `resolve(name, context, next) {
    if (name.includes("${loaded}")) process.kill(process.pid, "SIGHUP");
    return next(name, context);
  }`;
  writeFileSync(signals, `import { registerHooks } from "node:module"; registerHooks({ ${hook} });\n`);
  writeFileSync(join(folder, "paydrop.toml"), how === "settings" ? `log_file = ${JSON.stringify(log)}\n` : "");
  const inbox = join(folder, "inbox");
  mkdirSync(inbox);
  const flags = ["--config", join(folder, "paydrop.toml"), ...(how === "flag" ? ["--log-file", log] : [])];
  const started = startProgram(["watch", ...flags, inbox], {
    env: { ...env, ...(how === "environment" ? { PAYDROP_LOG_FILE: log } : {}) },
    nodeArgs: ["--import", signals],
  });
  await until("watching", () => started.stderr().includes("watching"), { by: started.ended });
  started.child.kill("SIGTERM");
  expect(await started.ended).toMatchObject({ code: 0 });
  expect(existsSync(log)).toBe(true);
});

test("without a log file a terminal that is closed ends it as ever", async () => {
  const { folder, env } = await place();
  const started = startProgram(["watch", folder], { env });
  await until("watching", () => started.stderr().includes("watching"), { by: started.ended });
  started.child.kill("SIGHUP");
  expect(await started.ended).toMatchObject({ signal: undefined });
});
