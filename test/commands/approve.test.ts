import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openWork } from "../../src/acts/open.ts";
import * as approve from "../../src/commands/approve.ts";
import { addAccount } from "../../src/acts/accounts.ts";
import { loadSettings } from "../../src/config/load.ts";
import { cancel as cancelRun } from "../../src/commands/pause-cancel.ts";
import * as status from "../../src/commands/status.ts";
import { called } from "../support/call.ts";
import { runProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { transfers, Watched } from "../inbox/watched.ts";

const cancel = { run: cancelRun };
/** 1.50 + 2.50 + 3.50. */
const FILE = transfers(3);
const SUM = "7.50";

/** An office whose settings file says `approval = "always"`, and what else is said there. */
async function office(more = ""): Promise<Watched & { config: string }> {
  const at = await Watched.with();
  const config = join(at.root, "paydrop.toml");
  writeFileSync(config, `approval = "always"\n${more}`);
  return Object.assign(at, { config });
}

test("a file that nobody approved → nothing leaves by any command or setting; cancel stays possible", async () => {
  const at = await office();
  const state_dir = join(at.root, "state");
  const path = at.put("payroll.csv", FILE);
  const checked = await at.run(["check", path, "--config", at.config]);
  expect(checked.stdout).toContain("needs the approval of 1 other person");
  const asked = await at.run(["run", path, "--by", "asha", "--config", at.config]);
  const id = /^batch (\w{8})/m.exec(asked.stdout)?.[1] ?? "";
  expect(asked.code).toBe(6);
  expect(at.read("payroll.csv.waiting.txt")).toContain(`paydrop approve ${id} --by NAME --total SUM`);
  const told = await called(status, [], { state_dir, check: true });
  expect([told.code, told.stdout]).toEqual([6, expect.stringContaining("3 not sent, waits for approval")]);
  // also with settings that ask for no approval: what was asked for stays so
  for (const words of [
    ["run", path, "--yes", "--approval", "never", "--config", at.config],
    ["resume", id, "--by", "asha"],
    ["retry", id, "--rejected", "--by", "asha", "--reason", "now"],
  ])
    expect(await at.run(words), words.join(" ")).toMatchObject({
      code: 6,
      stdout: expect.not.stringContaining("will be") as string,
    });
  expect((await at.once()).code).toBe(6);
  const next = at.put("next.csv", transfers(3, 10));
  const flags = ["--approval", "never", "--approval-above", "1", "--config", at.config];
  expect(await at.run(["run", next, ...flags])).toMatchObject({ code: 6 });
  // also what was begun before the settings asked for it
  const old = at.put("old.csv", transfers(3, 20));
  const stopped = await runProgram(["run", old], { env: { ...at.env(), PAYDROP_API_KEY: "another-key" } });
  expect([stopped.code, await at.run(["run", old, "--config", at.config])]).toMatchObject([7, { code: 6 }]);

  for (const [by, total, says] of [
    ["asha", SUM, "approval_own"],
    [" ASHA", SUM, "approval_own"],
    ["ravi", "7.51", "approval_total"],
    ["ravi", "7,50", "approval_total"],
    ["ravi", "", "word_missing"],
  ])
    await expect(called(approve, [id], { state_dir, by, total }), `${by} ${total}`).rejects.toMatchObject({
      reason: says,
    });
  expect((await at.once()).code).toBe(6);
  expect(await called(cancel, [id], { state_dir, by: "asha" })).toMatchObject({ code: 0 });
  const late = called(approve, [id], { state_dir, by: "ravi", total: SUM });
  await expect(late).rejects.toMatchObject({ reason: "batch_cancelled" });
  expect(at.carriedOut).toBe(0);
}, 40_000);

test("a watched file → waits for two others, then goes by itself; the next version waits anew", async () => {
  const at = await office("approvers = 2\n");
  const watch = at.start(["watch", at.inbox, "--by", "clerk", "--config", at.config]);
  at.put("payroll.csv", FILE);
  await at.says("payroll.csv.waiting.txt", "approve", watch);
  const id = /batch (\w{8})/.exec(at.read("payroll.csv.waiting.txt"))?.[1] ?? "";
  const approve = (by: string) => at.run(["approve", id, "--by", by, "--total", "7.5", "--config", at.config]);
  expect((await approve("ravi")).stdout).toContain("Another person must approve it");
  // the same person does not count twice
  expect((await approve("Ravi ")).stdout).toContain("Another person must approve it");
  expect(at.carriedOut).toBe(0);
  expect((await approve("meena")).code).toBe(0);
  await until("all three went", () => at.carriedOut === 3, { by: watch.ended });
  await until("nothing is open", () => !at.has("payroll.csv.waiting.txt"), { by: watch.ended });
  at.put("payroll.csv", transfers(4, 10));
  await at.says("payroll.csv.waiting.txt", "approve", watch);
  const acts = await at.run(["status", "--acts"]);
  expect(acts.stdout).toMatch(/ravi \(.+\): approved batch \w+ \(SHA-256 [0-9a-f]{64}, 3 rows, 7\.50\)/);
  expect(at.carriedOut).toBe(3);
}, 40_000);

test("nothing to approve, and results that cannot be written → nobody approves it, and the watch waits, too", async () => {
  const at = await office();
  mkdirSync(join(at.inbox, "payroll.csv.results.csv"));
  const watch = at.start(["watch", at.inbox, "--by", "clerk", "--config", at.config]);
  at.put("payroll.csv", "from_account,to_account,amount\nACC-OPS-01,200300400099,abc\n");
  await at.says("payroll.csv.waiting.txt", "is not what paydrop wrote", watch);
  const state_dir = join(at.root, "state");
  const [batch = ""] = (await called(status, [], { state_dir })).stdout.split(" ");
  await sleep(1000);
  // taken, and perhaps once more before the first wait is over
  const runs = (await called(status, [batch], { state_dir })).stdout.match(/ran batch/g);
  expect(runs?.length).toBeLessThan(3);
  const early = called(approve, [batch], { state_dir, by: "ravi", total: "0" });
  await expect(early).rejects.toMatchObject({ reason: "approval_not_asked" });
}, 20_000);

const PAYOUTS = `debit_account_id,bene_id,bene_bank_id,amount,payment_mode,narration,purpose,notes
ACC-OPS-01,BENE-0101,11,10.00,NEFT,One,vendor payment,
ACC-OPS-01,BENE-0101,11,10.00,NEFT,Again,vendor payment,
ACC-OPS-01,BENE-0102,11,20.00,NEFT,Refused,vendor payment,SANDBOX-422
ACC-OPS-01,BENE-0103,11,30.00,NEFT,Back,vendor payment,
`;

/** I16. */
test("rows let go after the approval → nothing leaves before somebody else approved that, by whatever command", async () => {
  const at = await office();
  const state_dir = join(at.root, "state");
  const path = at.put("vendors.csv", PAYOUTS);
  const [id = ""] =
    /(?<=^batch )\w{8}/m.exec((await at.run(["run", path, "--by", "asha", "--config", at.config])).stdout) ?? [];
  const say = (by: string, total: string) => called(approve, [id], { state_dir, by, total });
  expect(await say("ravi", "70.00")).toMatchObject({ code: 0 });
  expect((await at.run(["run", path])).code).toBe(3);
  expect(at.carriedOut).toBe(2);

  const back = ["settle", id, "--row", "5", "--as", "not-done", "--by", "omar", "--note", "back", "--total", "30"];
  expect((await at.run(back)).code).toBe(0);
  const reason = ["--by", "meena", "--reason", "meant"];
  for (const words of [
    ["release", id, "--row", "3", ...reason],
    ["retry", id, "--rejected", ...reason],
  ])
    expect(await at.run(words)).toMatchObject({
      code: 6,
      stdout: expect.stringContaining(`paydrop approve ${id} --by NAME --total`) as string,
    });
  for (const words of [
    ["run", path, "--approval", "never"],
    ["resume", id, ...reason.slice(0, 2)],
    ["retry", id, ...reason],
    ["release", id, "--all", ...reason],
  ])
    expect((await at.run(words)).stdout, words.join(" ")).not.toContain("will be sent");
  const twice = await at.run(["release", id, "--row", "3", "--by", "ravi", "--reason", "again"]);
  expect(twice.stdout + twice.stderr).toContain("was let go already, and waits for approval");
  expect(at.carriedOut).toBe(2);

  // who brought the file, who said that it came back, who let the rows go; and the sum of other rows
  for (const by of ["asha", "omar", "meena"])
    await expect(say(by, "60.00"), by).rejects.toMatchObject({ reason: "approval_own" });
  await expect(say("ravi", "70.00")).rejects.toMatchObject({ reason: "approval_total" });
  await at.once();
  expect(at.carriedOut).toBe(2);
  expect(await say("ravi", "60.00")).toMatchObject({ code: 0 });
  await at.once();
  expect([at.carriedOut, at.read("vendors.csv.waiting.txt")]).toEqual([4, ""]);
  await expect(say("ravi", "60.00")).rejects.toMatchObject({ reason: "approval_not_asked" });
}, 60_000);

test("one person cuts a file in two → the second waits; another person's file goes", async () => {
  const at = await Watched.with();
  const config = join(at.root, "paydrop.toml");
  writeFileSync(config, `approval_above = "10"\n`);
  const run = (name: string, payee: number, by: string) => {
    const text = `from_account,to_account,amount\nACC-OPS-01,2003004000${payee},7.50\n`;
    return at.run(["run", at.put(name, text), "--by", by, "--config", config]);
  };
  expect((await run("one.csv", 10, "asha")).code).toBe(0);
  expect((await run("two.csv", 20, "Asha")).code).toBe(6);
  expect((await run("three.csv", 30, "omar")).code).toBe(0);
  expect(at.carriedOut).toBe(2);
}, 40_000);

test("the desk has accounts → a name on the command line counts only with its role and password", async () => {
  const at = await office();
  const path = at.put("payroll.csv", FILE);
  const asked = await at.run(["run", path, "--by", "asha", "--config", at.config]);
  const [id = ""] = /(?<=^batch )\w{8}/m.exec(asked.stdout) ?? [];
  const opened = await openWork(loadSettings({ flags: {}, env: at.env() }, "ignore").config, undefined, "act");
  const act = { at: Date.now(), kind: "add_account", login: "root", host: "pay1" } as const;
  const passwords = new Map<string, string>();
  for (const [name, role, isOneTime] of [
    ["ravi", "approve", false],
    ["omar", "decide", false],
    ["new", "approve", true],
  ] as const)
    passwords.set(name, await addAccount(opened.store, name, role, act, { isOneTime }));
  await opened.close();
  const words = ["approve", id, "--total", SUM, "--by"];
  const say = (by: string, password?: string) =>
    at.run([...words, by], undefined, password === undefined ? {} : { PAYDROP_PASSWORD: password });
  for (const [by, password, says] of [
    ["ravi", undefined, "needs the password"],
    ["ravi", passwords.get("omar"), "is not the password"],
    ["omar", passwords.get("omar"), "nobody who may approve"],
    ["meena", passwords.get("ravi"), "nobody who may approve"],
    ["new", passwords.get("new"), "one-time password"],
  ])
    expect(await say(by ?? "", password), by).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(says ?? "") as string,
    });
  expect(await say("ravi", passwords.get("ravi"))).toMatchObject({ code: 0 });
}, 40_000);

test("a correction pays another payee → released by somebody else than who brought it, and by nobody alone", async () => {
  const at = await Watched.with();
  const path = at.put("vendors.csv", PAYOUTS);
  expect((await at.run(["run", path, "--by", "asha"])).code).toBe(3);
  const retry = at.read("vendors.csv.retry.csv").replace("BENE-0102", "BENE-0666").replace("SANDBOX-422", "");
  const run = await at.run(["run", at.put("again.csv", retry), "--by", "asha"]);
  const [id = ""] = /(?<=^batch )\w{8}/m.exec(run.stdout) ?? [];
  const release = (by: string, ...more: readonly string[]) =>
    at.run(["release", id, ...more, "--by", by, "--reason", "asked the vendor"]);
  for (const rows of [["--row", "2"], ["--all"]]) {
    const own = await release(" Asha", ...rows);
    expect([own.code, own.stdout]).toEqual([6, expect.stringContaining("Asha brought the file")]);
  }
  expect(at.carriedOut).toBe(2);
  expect((await release("ravi", "--row", "2")).code).toBe(0);
  expect(at.carriedOut).toBe(3);
}, 40_000);

test("another account of a person → held, and released by somebody else than who brought the file", async () => {
  const at = await Watched.with();
  const month = (period: string, payee: string): string =>
    `employee_no,debit_account_id,bene_id,bene_bank_id,amount,payment_mode,period
0071,ACC-OPS-01,${payee},1,10.00,NEFT,${period}\n0072,ACC-OPS-01,BENE-0202,1,20.00,NEFT,${period}\n`;
  expect((await at.run(["run", at.put("may.csv", month("2026-05", "BENE-0201")), "--by", "asha"])).code).toBe(0);
  const june = month("2026-06", "BENE-0999").replace("0071", "71");
  const run = await at.run(["run", at.put("june.csv", june), "--by", "asha"]);
  expect(run).toMatchObject({ code: 6, stdout: expect.stringContaining("another account") as string });
  const [id = ""] = /(?<=^batch )\w{8}/m.exec(run.stdout) ?? [];
  const release = (by: string) => at.run(["release", id, "--all", "--by", by, "--reason", "asked by phone"]);
  expect(await release(" ASHA")).toMatchObject({ code: 6, stdout: expect.stringContaining("ASHA brought") as string });
  expect(at.carriedOut).toBe(3);
  expect((await release("ravi")).code).toBe(0);
  expect(at.carriedOut).toBe(4);
}, 40_000);

test("a row that waits for approval, and another says that it went → held; let go once more, it is a new proposal", async () => {
  const at = await office();
  const path = at.put("vendors.csv", PAYOUTS);
  const asked = await at.run(["run", path, "--by", "asha", "--config", at.config]);
  const [id = ""] = /(?<=^batch )\w{8}/m.exec(asked.stdout) ?? [];
  await called(approve, [id], { state_dir: join(at.root, "state"), by: "ravi", total: "70.00" });
  await at.run(["run", path]);
  await at.run(["settle", id, "--row", "5", "--as", "not-done", "--by", "omar", "--note", "back", "--total", "30"]);
  expect((await at.run(["retry", id, "--by", "meena"])).code).toBe(6);
  const list = join(at.root, "list.csv");
  writeFileSync(list, `batch,row,as,by,note\n${id},5,done,kiran,seen at the bank\n`);
  expect((await at.run(["settle", "--from", list])).code).toBe(6);
  const again = await at.run([
    "release",
    id,
    "--row",
    "5",
    "--by",
    "meena",
    "--reason",
    "looked twice",
    "--total",
    "30",
  ]);
  expect(again).toMatchObject({
    code: 6,
    stdout: expect.stringContaining("may go when somebody else has approved that") as string,
  });
  expect(at.carriedOut).toBe(2);
}, 60_000);
