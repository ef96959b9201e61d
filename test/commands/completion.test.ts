import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/commands/list.ts";
import { SETTINGS, SETTING_NAMES, flagOf } from "../../src/config/settings.ts";
import { paydrop } from "../support/paydrop.ts";

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

  /** What Tab would offer behind these words. */
  function offered(...words: string[]): string[] {
    const array = words.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(paydrop ${array}); COMP_CWORD=${words.length}; _paydrop; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8", cwd: "/" });
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
