import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const HEADER = "from_account,to_account,amount\n";
const TRANSFERS = `${HEADER}A-1,B-1,100.00\nA-1,B-2,200.50\n`;

interface Place {
  readonly folder: string;
  readonly state: string;
  readonly file: (name: string, text: string) => string;
}

function place(): Place {
  const folder = temporaryDirectory();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return { folder, state: join(folder, "state"), file };
}

test("a good file → operation, rows, sum; exit 0, and nothing is left anywhere", async () => {
  const { folder, state, file } = place();
  const path = file("transfers.csv", TRANSFERS);
  const env = { TMPDIR: temporaryDirectory() };
  const { code, stdout, stderr } = await runProgram(["check", path, "--state-dir", state], { env });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^transfers\.csv +transfer$/m);
  expect(stdout).toMatch(/total +2 +300\.50/);
  expect(stdout).toContain("2 ready");
  expect(readdirSync(folder)).toEqual(["transfers.csv"]);
  expect(readdirSync(env.TMPDIR)).toEqual([]);
});

test("invalid, held and refused files at once → each told, the gravest exit code", async () => {
  const { state, file } = place();
  const invalid = file("invalid.csv", `${HEADER}${"A-1,HOLD,100\n".repeat(8)}`);
  const held = file("held.csv", `from_account,to_account,amount,hold\nA-1,B-1,5,yes\n`);
  const refused = file("refused.csv", "what,ever\n1,2\n");
  const one = await runProgram(["check", held, "--state-dir", state]);
  expect(one.code).toBe(6);
  const all = await runProgram(["check", invalid, held, refused, "--state-dir", state]);
  expect(all.code).toBe(5);
  expect(all.stdout).toContain('row 2, column to_account (B2): "HOLD"');
  expect(all.stdout).toContain("and 3 more invalid rows");
  expect(all.stdout).toContain("held: row 2, column hold (D2)");
  expect(all.stderr).toContain("refused.csv: no column tells what the rows are");
});

test("--all --json → every fault as an object, amounts as text, the summary last", async () => {
  const { state, file } = place();
  const path = file("invalid.csv", `${HEADER}A-1,B-1,1.50\n${"A-1,HOLD,100\n".repeat(8)}`);
  const { code, stdout } = await runProgram(["check", path, "--all", "--json", "--state-dir", state]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(code).toBe(3);
  expect(lines.filter(({ type }) => type === "row")).toHaveLength(8);
  expect(lines.at(-1)).toMatchObject({ type: "summary", exit_code: 3, amount: { total: "801.50" } });
});

test("--quiet and nothing wrong → silent; a file that is not there → exit 2", async () => {
  const { folder, state, file } = place();
  const path = file("transfers.csv", TRANSFERS);
  expect(await runProgram(["check", "--quiet", path, "--state-dir", state])).toMatchObject({ code: 0, stdout: "" });
  expect(await runProgram(["check", join(folder, "none.csv"), "--state-dir", state])).toMatchObject({ code: 2 });
});

test("control totals that differ → refused, exit 5", async () => {
  const { state, file } = place();
  const path = file("transfers.csv", TRANSFERS);
  const { code, stderr } = await runProgram(["check", path, "--expect-total", "300.51", "--state-dir", state]);
  expect(code).toBe(5);
  expect(stderr).toContain("the command line says 300.51, the amounts add up to 300.50");
});

test("what went before → the same file stands as it ended, its payments in another file are duplicates", async () => {
  const { state, file } = place();
  const path = file("transfers.csv", TRANSFERS);
  const ran = await runProgram(["run", "--sandbox", "--state-dir", state, path]);
  expect(ran.code).toBe(0);
  const where = ["--state-dir", state, "--environment", "test"];
  const again = await runProgram(["check", path, ...where]);
  expect(again.stdout).toContain("2 accepted");
  expect(again.stdout).toMatch(/was taken on .* as batch [0-9A-Z]{8}/);
  const more = file("more.csv", `${TRANSFERS}A-1,B-3,7\n`);
  const other = await runProgram(["check", more, ...where]);
  expect(other.stdout).toContain("3 held");
  expect(other.code).toBe(6);
});
