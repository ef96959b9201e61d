import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFound } from "../../src/disk.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import { batchIdOf } from "../../src/journal/record.ts";
import { opened } from "../journal/stores.ts";
import { answer } from "../support/fault-server.ts";
import { temporaryFolder } from "../support/paydrop.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

const SECRET = "paydrop: the key of somebody else";

/** A folder that others may write to, with a secret outside of it. */
function folders() {
  const root = temporaryFolder();
  const inbox = join(root, "inbox");
  mkdirSync(inbox);
  const secret = join(root, "secret");
  writeFileSync(secret, SECRET);
  return { root, inbox, secret };
}

test.each<[string, (path: string, secret: string) => void, string | undefined]>([
  ["nothing", () => undefined, undefined],
  ["a small file", (path) => writeFileSync(path, "as written"), "as written"],
  ["a large one", (path) => writeFileSync(path, "x".repeat(101)), ""],
  ["a link to a secret", (path, secret) => symlinkSync(secret, path), ""],
  ["a pipe that nobody writes into", (path) => execFileSync("mkfifo", [path]), ""],
  ["a folder", (path) => mkdirSync(path), ""],
  ["a link to a device", (path) => symlinkSync("/dev/zero", path), ""],
])("%s lies there → read as it is, or not at all", async (_, put, text) => {
  const { inbox, secret } = folders();
  put(join(inbox, "found"), secret);
  expect(await readFound(join(inbox, "found"), 100)).toBe(text);
});

const FILE = "from_account,to_account,amount\nACC-OPS-01,ACC-FIELD-02,10.00\n";

test.each<[string, (path: string, secret: string) => void]>([
  ["a pipe named as the summary", (path) => execFileSync("mkfifo", [`${path}.summary.json`])],
  ["a pipe named as the answer", (path) => execFileSync("mkfifo", [`${path}.waiting.txt`])],
  ["a pipe named as the control totals", (path) => execFileSync("mkfifo", [`${path}.control`])],
  ["a link named as the results", (path, secret) => symlinkSync(secret, `${path}.results.csv`)],
  ["a link named as the refusal", (path, secret) => symlinkSync(secret, `${path}.refused.txt`)],
  ["a link named as the mark", (path, secret) => symlinkSync(secret, join(path, "..", ".paydrop"))],
])("%s → the run ends, and what is not ours stays", async (_, put) => {
  const { root, inbox, secret } = folders();
  const server = await startService(() => answer(200));
  const path = join(inbox, "payroll.csv");
  writeFileSync(path, FILE);
  put(path, secret);
  const env = { PAYDROP_BASE_URL: server.url, PAYDROP_API_KEY: "0123456789", PAYDROP_STATE_DIR: join(root, "state") };
  const { code, stderr, stdout } = await runProgram(["run", path, "--operation", "transfer"], { env });
  expect(code, stderr).toBeOneOf([0, 5, 74]);
  expect(stdout + stderr).not.toContain(SECRET);
  expect(readFileSync(secret, "utf8")).toBe(SECRET);
  expect(server.requests.length).toBeLessThanOrEqual(1);
});

test("a folder is exchanged for a link while its file is sent → nothing of ours goes where it leads", async () => {
  const { root, inbox } = folders();
  const [folder, elsewhere] = [join(inbox, "transfers"), join(root, "elsewhere")];
  mkdirSync(folder);
  mkdirSync(elsewhere);
  const server = await startService(() => {
    if (existsSync(folder)) renameSync(folder, join(root, "away"));
    symlinkSync(elsewhere, folder);
    return answer(200);
  });
  writeFileSync(join(folder, "payroll.csv"), FILE);
  const env = { PAYDROP_BASE_URL: server.url, PAYDROP_API_KEY: "0123456789", PAYDROP_STATE_DIR: join(root, "state") };
  const { code, stderr } = await runProgram(["run", join(folder, "payroll.csv")], { env });
  expect(code, stderr).toBe(74);
  expect(server.requests).toHaveLength(1);
  expect(readdirSync(elsewhere).filter((name) => name !== ".paydrop")).toEqual([]);
});

test("another file was made to have the same batch id → this one gets another", async () => {
  const { root, inbox } = folders();
  const server = await startService(() => answer(200));
  const path = join(inbox, "payroll.csv");
  writeFileSync(path, FILE);
  const state = join(root, "state");
  const taken = batchIdOf({ sha256: hash("sha256", FILE), environment: "test" }, 0);
  const store = await openJournal(state);
  await opened(store, taken, ["somebody"]);
  await store.close();
  const env = { PAYDROP_BASE_URL: server.url, PAYDROP_API_KEY: "0123456789", PAYDROP_STATE_DIR: state };
  const { code, stderr } = await runProgram(["run", path, "--operation", "transfer"], { env });
  expect(code, stderr).toBe(0);
  expect(readFileSync(`${path}.results.csv`, "utf8")).not.toContain(taken);
});
