import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nameOf } from "../../src/commands/command.ts";
import { COMMANDS } from "../../src/commands/list.ts";
import { EXIT_CODES, gravest } from "../../src/exit-codes.ts";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";
import { follow, LAUNCHER } from "../support/program.ts";

const NAMES = COMMANDS.map(nameOf);

test("every command of the list is loaded from a file that is named after it", () => {
  for (const one of COMMANDS) expect(String(one.load)).toMatch(new RegExp(`[/-]${nameOf(one)}(?:-[a-z-]+)?\\.ts`));
});

describe("help of the command line", () => {
  test("names every command and every exit code, on stdout", async () => {
    const { code, stdout, stderr } = await paydrop(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of NAMES) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    for (const { code: exit, sentence } of EXIT_CODES)
      expect(stdout).toContain(`  ${String(exit).padEnd(4)}${sentence}`);
  });

  test("of a command lists its own flags, not all settings; `help run` is the same", async () => {
    const [flag, word] = await Promise.all([paydrop(["run", "--help"]), paydrop(["help", "run"])]);
    expect(flag.stdout).toBe(word.stdout);
    expect(flag.stdout).toMatch(/--sandbox.*\n/);
    expect(flag.stdout).toContain("--expect-rows <n>");
    expect(flag.stdout).not.toContain("--hex-case");
    expect(flag.stdout).toContain("paydrop help settings");
  });

  test("without a command help stands on stderr, exit 2", async () => {
    const { code, stdout, stderr } = await paydrop([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Commands:");
  });

  test("--version is that of the package", async () => {
    expect((await paydrop(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("what is wrong with a command line", () => {
  test.each([
    [["confg"], "Did you mean config?"],
    [["config", "--tiemout", "4"], "Did you mean --timeout?"],
    [["cancel", "K7Q29F3M", "--hold"], "Did you mean --held?"],
    [["config", "--api-key", "x"], "PAYDROP_API_KEY"],
    [["config", "--api-key=x"], "PAYDROP_API_KEY"],
    [["--json", "config"], "paydrop config --help"],
    [["config", "a", "b"], "paydrop config --help"],
    [["report"], "missing required argument"],
    [["config", "--timeout"], "argument missing"],
    // a flag that an answer tells to add is one
    [["settle", "ZZZZ", "--row", "3", "--as", "not-done", "--by", "a", "--note", "b", "--total", "5"], "no batch"],
    [["config", "shw"], "show, example, schema"],
    [["help", "dupliactes"], "duplicates"],
  ])("%j is told with the right thing, exit 2, nothing on stdout", async (words, told) => {
    const { code, stdout, stderr } = await paydrop(words, { XDG_STATE_HOME: temporaryFolder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(told);
  });

  test("as JSON it is one object on stderr", async () => {
    const { code, stderr } = await paydrop(["config", "--timeout", "soon"], { PAYDROP_JSON: "1" });
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ type: "error", code: "config", exit_code: 2 });
  });

  test("a secret in a wrong value is not told", async () => {
    const key = "0123456789abcdef";
    const { stderr } = await paydrop(["doctor", "--hex-case", key], { PAYDROP_API_KEY: key });
    expect(stderr).toContain("[secret]");
    expect(stderr).not.toContain(key);
  });
});

const EXAMPLE = `'${process.execPath}' '${LAUNCHER}' config example`;

test("a reader that goes away (| head) is no failure", async () => {
  const { ended } = follow("a pipe", spawn("sh", ["-c", `${EXAMPLE} | head -1; exit $?`]));
  expect((await ended).stderr).toBe("");
});

test("a full disk behind stdout is a failure", { tags: ["full-disk"] }, async () => {
  const ended = await follow("a full disk", spawn("sh", ["-c", `exec ${EXAMPLE} > /dev/full`])).ended;
  expect(ended.code).toBe(74);
  expect(ended.stderr).toContain("stdout cannot be written");
});

test("the gravest code speaks for several", () => {
  expect(gravest([])).toBe(0);
  expect(gravest([0, 3, 6, 7])).toBe(7);
  expect(gravest([3, 5])).toBe(5);
  expect(gravest([75, 0])).toBe(75);
  expect(gravest([2, 78, 74])).toBe(74);
  expect(gravest([0, 99])).toBe(1);
});

test("config show as JSON is one document with every value and origin", async () => {
  const { code, stdout } = await paydrop(["config", "show", "--json"], { PAYDROP_RATE: "5" });
  expect(code).toBe(0);
  const { type, values } = JSON.parse(stdout) as { type: string; values: { name: string }[] };
  expect(type).toBe("config");
  expect(values).toContainEqual({ name: "rate", value: "5", origin: "PAYDROP_RATE" });
});

test("a trial reads no keys: a broken key file does not matter", async () => {
  const file = join(temporaryFolder(), "try.csv");
  writeFileSync(file, "from_account,to_account,amount\nACC-1,ACC-2,5.00\n");
  const env = { PAYDROP_API_KEY_FILE: "/nonexistent/key", PAYDROP_AES_KEY: "broken" };
  expect((await paydrop(["run", "--sandbox", file], env)).code).toBe(0);
  expect((await paydrop(["run", file], env)).code).toBe(2);
});

test(
  "root who changes another user's state folder is told, and what is made there is theirs",
  { tags: ["root"] },
  async () => {
    const { chownSync, readdirSync, statSync } = await import("node:fs");
    const folder = temporaryFolder();
    chownSync(folder, 998, 998);
    const { stderr } = await paydrop(["pause", "K7Q29F3M", "--state-dir", folder]);
    expect(stderr).toMatch(/belongs to user .*sudo -u/s);
    expect(statSync(folder).uid).toBe(998);
    const asking = await paydrop(["config", "show", "--state-dir", folder]);
    expect(asking.stderr).toBe("");
    const file = join(temporaryFolder(), "try.csv");
    writeFileSync(file, "from_account,to_account,amount\nACC-1,ACC-2,5.00\n");
    expect((await paydrop(["run", "--sandbox", file, "--state-dir", folder])).code).toBe(0);
    const made = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(made).toEqual(expect.arrayContaining(["journal.db", "lock.db", "ballast", "snapshots"]));
    const stats = made.map((name) => statSync(join(folder, name)));
    expect(stats.filter(({ uid, gid, mode }) => uid !== 998 || gid !== 998 || (mode & 0o077) !== 0)).toEqual([]);
    chownSync(join(folder, "journal.db"), 998, 997);
    await paydrop(["pause", "K7Q29F3M", "--state-dir", folder]);
    expect(statSync(join(folder, "journal.db")).gid, "a group of its own stays").toBe(997);
  },
);
