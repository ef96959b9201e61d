import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { nameOf } from "../../src/commands/command.ts";
import { completion } from "../../src/commands/help-completion.ts";
import { COMMANDS } from "../../src/commands/list.ts";
import { OPERATIONS } from "../../src/operations/index.ts";
import { called } from "../support/call.ts";

async function script(shell: string): Promise<string> {
  const run = (call: Parameters<typeof completion>[0]) => completion(call, COMMANDS);
  return (await called({ run }, [shell], {})).stdout;
}

const COMMON = "--state-dir --json --quiet --verbose --no-color --log-format --log-file".split(" ");
const NAMES = COMMANDS.map(nameOf);

describe("Tab in bash", { tags: ["bash"] }, () => {
  test.each<readonly [string[], readonly string[]]>([
    [[""], NAMES],
    [["-"], ["--help", "--version"]],
    [["re"], NAMES.filter((name) => name.startsWith("re"))],
    [
      ["config", "s"],
      ["show", "schema"],
    ],
    [["template", ""], OPERATIONS.map(({ name }) => name)],
    [
      ["settle", "--"],
      ["--row", "--as", "--note", "--total", "--from", "--by", "--config", "--help", ...COMMON],
    ],
    [
      ["settle", "K7", "--as", ""],
      ["done", "not-done"],
    ],
    [["run", "--operation", ""], OPERATIONS.map(({ name }) => name)],
    [["run", "--padding", "p"], ["pkcs7"]],
    [["help", "op"], ["operate"]],
    [["run", "/et"], []],
    [["run", ""], []],
    [["run", "--config", ""], []],
  ])("%j: %j", async (words, expected) => {
    const said = words.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(paydrop ${said}); COMP_CWORD=${words.length}; _paydrop; printf '%s ' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", `${await script("bash")}\n${ask}`], {
      encoding: "utf8",
      timeout: 30_000,
    });
    expect(stderr).toBe("");
    const offered = stdout.split(" ").filter(Boolean);
    expect(offered.sort()).toEqual([...expected].sort());
  });
});

test.each(["zsh", "fish"])("the script of %s names every command", async (shell) => {
  const text = await script(shell);
  for (const name of NAMES) expect(text).toContain(name);
});
