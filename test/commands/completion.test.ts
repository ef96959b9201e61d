import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

  test("offers the words that may stand behind a flag", () => {
    expect(offered("settle", "K7Q29F3M", "--as", "")).toEqual(["done", "not-done"]);
    expect(offered("run", "--operation", "pay")).toEqual(["payout"]);
    expect(offered("report", "--format", "x")).toEqual(["xlsx"]);
    expect(offered("template", "--out", "")).toEqual([]);
  });

  test("leaves files to the shell, where a file belongs", () => {
    expect(offered("run", "/et")).toEqual([]);
  });
});

/** What Tab makes of these beginnings in a real shell, and how a command then gets its operands. */
interface Typed {
  /** Where `my file.csv` lies. */
  readonly folder: string;
  readonly script: string;
}

const SHOWS_OPERANDS = `paydrop() { printf '<%s>' "$@"; echo END; }`;

const TYPING: Readonly<Record<string, (typed: Typed) => string>> = {
  bash({ folder, script }) {
    const input = `source '${script}'\n${SHOWS_OPERANDS}\npaydrop sta\t\npaydrop run my\t\nexit\n`;
    return spawnSync("bash", ["--norc", "--noprofile", "-i"], { cwd: folder, input, encoding: "utf8", env: DUMB })
      .stdout;
  },
  /** By way of `$fpath`, as the help says: the file is loaded by the first Tab, and completes with it. */
  zsh({ folder, script }) {
    const ready = `fpath=('${dirname(script)}' $fpath); autoload -Uz compinit; compinit -u -D; ${SHOWS_OPERANDS}; cd '${folder}'`;
    const steps = [
      "zmodload zsh/zpty; zpty shell zsh -f -i",
      `zpty -w shell ${quoted(`${ready}; echo RE''ADY`)}; zpty -r shell line '*READY*'`,
      "for typed in 'paydrop sta' 'paydrop run my'; do",
      `  zpty -w shell "$typed"$'\t'; zpty -r shell line '*END*'; print -r -- "$line"`,
      "done; zpty -w shell exit",
    ];
    return spawnSync("zsh", ["-f", "-c", steps.join("\n")], { encoding: "utf8", env: DUMB }).stdout;
  },
  fish({ folder, script }) {
    const ask = `source '${script}'; for typed in 'paydrop sta' 'paydrop run my'; complete -C "$typed" | sed 's/\t.*//; s/.*/<&>END/'; end`;
    return spawnSync("fish", ["-c", ask], { cwd: folder, encoding: "utf8" }).stdout;
  },
};

const DUMB = { ...process.env, TERM: "dumb" };

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

describe.each(Object.keys(TYPING))("in a real %s", (shell) => {
  test.skipIf(!isHere(shell))(
    "Tab completes a command, and the name of a file with a blank as one operand",
    async () => {
      const folder = temporaryDirectory();
      writeFileSync(join(folder, "my file.csv"), "");
      const script = join(temporaryDirectory(), "_paydrop");
      writeFileSync(script, (await paydrop(["completion", shell])).stdout);
      const shown = TYPING[shell]?.({ folder, script });
      expect(shown).toContain("<status>END");
      expect(shown).toContain("<my file.csv>END");
    },
  );
});

test.skipIf(!isHere("fish"))("in fish a file belongs behind a flag with a value, and to a report", async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "unknown.csv"), "");
  const { stdout: script } = await paydrop(["completion", "fish"]);
  const offered = (line: string): string[] => {
    const ask = `${script}\ncomplete -C '${line}'`;
    return spawnSync("fish", ["-c", ask], { cwd: folder, encoding: "utf8" }).stdout.split("\n").filter(Boolean);
  };
  expect(offered("paydrop settle --from ")).toEqual(["unknown.csv"]);
  expect(offered("paydrop template --out ")).toEqual(["unknown.csv"]);
  expect(offered("paydrop template --option ")).toEqual(["A", "B"]);
  expect(offered("paydrop watch --log-format t")).toEqual(["text"]);
  expect(offered("paydrop template --json p")).toEqual(["payout"]);
  expect(offered("paydrop report unk")).toEqual(["unknown.csv"]);
});

test.each(["zsh", "fish"])("the script for %s names every command and flag", async (shell) => {
  const { code, stdout } = await paydrop(["completion", shell]);
  expect(code).toBe(0);
  for (const { name, options } of COMMANDS) {
    expect(stdout).toContain(name);
    for (const { flags } of options) expect(stdout).toContain(flags.split(" ")[0]?.slice(2));
  }
  for (const flag of SHARED) expect(stdout).toContain(flag.slice(2));
  if (!isHere(shell)) return;
  const script = join(temporaryDirectory(), "script");
  writeFileSync(script, stdout);
  expect(spawnSync(shell, ["-n", script]).status).toBe(0);
});
