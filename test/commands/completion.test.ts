import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { COMMANDS } from "../../src/commands/list.ts";
import { SETTINGS, SETTING_NAMES, flagOf } from "../../src/config/settings.ts";
import { OPERATIONS } from "../../src/operations/catalogue.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { LAUNCHER, paydrop } from "../support/paydrop.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const SHARED = SETTING_NAMES.filter((name) => "flag" in SETTINGS[name]).map(flagOf);

function isHere(shell: string): boolean {
  const found = spawnSync(shell, ["-c", "exit 0"]).status === 0;
  if (!found) process.stderr.write(`NOT CHECKED: ${shell} is not on this machine\n`);
  return found;
}

describe.skipIf(!isHere("bash"))("completion in bash", () => {
  let script = "";
  beforeAll(async () => {
    const { code, stdout, stderr } = await paydrop(["completion", "bash"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    script = stdout;
  });

  /** What Tab would offer behind these words. `paydrop` is the shell function that stands for it. */
  function offered(...said: string[]): string[] {
    const [first = ""] = said;
    const [stub, words] = first.startsWith("paydrop()") ? [first, said.slice(1)] : ["", said];
    const array = words.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(paydrop ${array}); COMP_CWORD=${words.length}; _paydrop; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", `${script}\n${stub}\n${ask}`], { encoding: "utf8", cwd: "/" });
    expect(stderr).toBe("");
    return stdout.split("\n").filter(Boolean);
  }

  test("offers every command", () => {
    expect(offered("")).toEqual([...COMMANDS.map(({ name }) => name), "--help", "--version"]);
    expect(offered("doc")).toEqual(["doctor"]);
  });

  test.each(
    COMMANDS.map(({ name, options }) => [name, options.map(({ flags }) => flags.split(" ")[0] ?? "")] as const),
  )("offers every flag of %s", (name, own) => {
    expect(offered(name, "--").sort()).toEqual([...new Set([...own, ...SHARED, "--config", "--help"])].sort());
  });

  test("offers the words of an operand, and only those that begin as typed", () => {
    expect(offered("template", "")).toEqual(OPERATIONS.map(({ name }) => name));
    expect(offered("template", "pay")).toEqual(["payout"]);
    expect(offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(offered("config", "s")).toEqual(["show", "schema"]);
  });

  test("asks for the batches where one belongs", async () => {
    const state = temporaryDirectory();
    const file = join(state, "t.csv");
    writeFileSync(file, "from_account,to_account,amount\nACC-1,ACC-2,1.00\n");
    const sandbox = await startSandbox({ port: 0 });
    onTestFinished(() => sandbox.close());
    const env = { PAYDROP_BASE_URL: sandbox.url, PAYDROP_API_KEY: sandbox.apiKey, PAYDROP_STATE_DIR: join(state, "s") };
    expect((await paydrop(["run", "--quiet", file], env)).code).toBe(0);
    const { batch } = JSON.parse(readFileSync(`${file}.summary.json`, "utf8")) as { batch: string };
    const stub = `paydrop() { PAYDROP_STATE_DIR='${join(state, "s")}' '${process.execPath}' '${LAUNCHER}' "$@"; }`;
    expect(offered(stub, "retry", "")).toEqual([batch]);
    expect(offered(stub, "release", batch.slice(0, 3))).toEqual([batch]);
  });

  test("offers files where a file belongs", () => {
    expect(offered("run", "/et")).toContain("/etc");
  });
});

test.each(["zsh", "fish"])("the script for %s names every command and flag", async (shell) => {
  const { code, stdout } = await paydrop(["completion", shell]);
  expect(code).toBe(0);
  for (const { name, options } of COMMANDS) {
    expect(stdout).toContain(name);
    for (const { flags } of options) expect(stdout).toContain(flags.split(" ")[0]?.slice(2));
  }
  for (const flag of SHARED) expect(stdout).toContain(flag.slice(2));
  if (isHere(shell)) expect(spawnSync(shell, ["-n"], { input: stdout }).status).toBe(0);
});
