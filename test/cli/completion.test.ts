import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { nameOf } from "../../src/commands/command.ts";
import { completion } from "../../src/commands/help-completion.ts";
import { COMMANDS } from "../../src/commands/list.ts";
import { flagOf, SETTING_NAMES } from "../../src/config/schema.ts";
import { OPERATIONS } from "../../src/operations/index.ts";
import { called } from "../support/call.ts";

async function script(shell: string): Promise<string> {
  const run = (call: Parameters<typeof completion>[0]) => completion(call, COMMANDS);
  return (await called({ run }, [shell], {})).stdout;
}

const NAMES = COMMANDS.map(nameOf);
const hasBash = spawnSync("bash", ["-c", "exit 0"]).status === 0;

describe.skipIf(!hasBash)("Tab in bash", () => {
  test.each<readonly [string[], readonly string[]]>([
    [[""], [...NAMES, "--help", "--version"]],
    [["re"], NAMES.filter((name) => name.startsWith("re"))],
    [
      ["config", "s"],
      ["show", "schema"],
    ],
    [["template", ""], OPERATIONS.map(({ name }) => name)],
    [
      ["settle", "--"],
      ["--row", "--as", "--from", "--config", ...SETTING_NAMES.map(flagOf)],
    ],
    [["run", "/et"], []],
  ])("%j: %j", async (words, expected) => {
    const said = words.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(paydrop ${said}); COMP_CWORD=${words.length}; _paydrop; printf '%s ' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", `${await script("bash")}\n${ask}`], { encoding: "utf8" });
    expect(stderr).toBe("");
    const offered = stdout.split(" ").filter(Boolean);
    expect(offered).toEqual(expect.arrayContaining([...expected]));
    if (words.at(-1) !== "" && words.at(-1) !== "--") expect(offered).toHaveLength(expected.length);
    expect(offered).not.toContain("--held");
  });
});

test.each(["zsh", "fish"])("the script of %s names every command", async (shell) => {
  const text = await script(shell);
  for (const name of NAMES) expect(text).toContain(name);
});
