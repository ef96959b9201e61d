import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { transfers, Watched } from "../watch/watched.ts";

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

const batchIn = (stdout: string): string => /^batch (\w{8})/m.exec(stdout)?.[1] ?? "";

test("a file that nobody approved → nothing leaves by any command or setting; STOP and cancel stay possible", async () => {
  const at = await office();
  const path = at.put("payroll.csv", FILE);
  const asked = await at.run(["run", path, "--by", "asha", "--config", at.config]);
  const id = batchIn(asked.stdout);
  expect(asked.code).toBe(6);
  expect(at.read("payroll.csv.waiting.txt")).toContain(`paydrop approve ${id} --by NAME --total SUM`);
  expect(await at.run(["status", "--check"])).toMatchObject({ code: 6, stdout: expect.stringContaining("approval") as string }); // prettier-ignore
  // also with settings that ask for no approval: what was asked for stays so
  for (const words of [
    ["run", path, "--yes", "--approval", "never", "--config", at.config],
    ["run", path],
    ["run", at.inbox],
    ["resume", id, "--by", "asha"],
    ["retry", id, "--rejected", "--by", "asha", "--reason", "now"],
  ])
    expect(await at.run(words), words.join(" ")).toMatchObject({ code: 6 });
  const corrected = at.put("corrected.csv", transfers(3, 10));
  const flagged = ["--approval", "never", "--approval-above", "1", "--config", at.config];
  expect(await at.run(["run", corrected, ...flagged])).toMatchObject({ code: 6 });
  expect(at.carriedOut).toBe(0);

  for (const [by, total, says] of [
    ["asha", SUM, "brought the file"],
    [" ASHA", SUM, "brought the file"],
    ["ravi", "7.51", "is not the sum"],
    ["ravi", "", "--total is missing"],
  ] as const) {
    const refused = await at.run(["approve", id, "--by", by, "--total", total]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(says)]);
  }
  expect(await at.run(["approve", id, "--total", SUM])).toMatchObject({ code: 2 });
  expect(await at.run(["run", path])).toMatchObject({ code: 6 });
  expect(await at.run(["cancel", id, "--by", "asha"])).toMatchObject({ code: 0 });
  expect(await at.run(["approve", id, "--by", "ravi", "--total", SUM])).toMatchObject({ code: 2 });
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
