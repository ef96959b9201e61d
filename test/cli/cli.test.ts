import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorText } from "../../src/commands/screen/error-text.ts";
import { COMMANDS } from "../../src/commands/list.ts";
import { EXIT_CODES, exitCodeOf, gravest } from "../../src/exit-codes.ts";
import { PaydropError } from "../../src/errors.ts";
import { BARE_ENV, LAUNCHER, paydrop, temporaryFolder } from "../support/paydrop.ts";
import { runProgram } from "../support/program.ts";
import { canMount, smallDisk } from "../support/small-disk.ts";

const exitTable = EXIT_CODES.map(({ code, sentence }) => [code, sentence] as const);

/** The lines `  74  disk or journal failure` of a help text. */
function exitStatusOf(help: string): (readonly [number, string])[] {
  const section = help.slice(help.indexOf("EXIT STATUS"));
  return [...section.matchAll(/^ {2}(\d+) +(.+)$/gm)].map((match) => [Number(match[1]), match[2] ?? ""]);
}

describe("exit codes", () => {
  test("the gravest of several speaks", () => {
    expect(gravest([])).toBe(0);
    expect(gravest([0, 6, 3])).toBe(3);
    expect(gravest([3, 5, 7, 4])).toBe(4);
    expect(gravest([4, 2, 78, 74, 1])).toBe(1);
    expect(gravest([0, 75])).toBe(75);
  });

  test("a code that is not listed is a failure", () => {
    expect(gravest([0, 99])).toBe(1);
  });

  test("each kind of error has its code, and what is not ours is internal", () => {
    const codeOf = (code: PaydropError["code"]): number => exitCodeOf(new PaydropError(code, ""));
    expect([codeOf("usage"), codeOf("file_refused"), codeOf("journal"), codeOf("locked")]).toEqual([2, 5, 74, 75]);
    expect(exitCodeOf(new TypeError("x"))).toBe(1);
    expect(exitCodeOf("x")).toBe(1);
    // a name that we made up
    expect(exitCodeOf(Object.assign(new Error("ENOENT"), { code: "ENOENT" }))).toBe(1);
  });

  test.skipIf(process.platform !== "linux")("what a disk refuses is no internal failure, and has its name", () => {
    const said = (number: number): string => `Unknown system error -${number}`;
    for (const [code, text, name] of [
      ["EIO", "EIO: i/o error, read", "EIO: i/o error, read"],
      ["EINTR", "EINTR: interrupted system call, read", "EINTR: interrupted system call, read"],
      ["ERR_WORKER_INIT_FAILED", "Worker initialization failure: EMFILE", "Worker initialization failure: EMFILE"],
      // as Node says EDQUOT and ESTALE
      [said(122), `${said(122)}: ${said(122)}, write`, "EDQUOT, write"],
      // as Node says EUCLEAN, by which a file system speaks of its own damage
      [said(117), `${said(117)}: ${said(117)}, read`, "Unknown system error -117: Unknown system error -117, read"],
      [said(116), `${said(116)}: ${said(116)}, open '/srv/x'`, "ESTALE, open '/srv/x'"],
    ] as const) {
      const error = Object.assign(new Error(text), { code });
      expect(exitCodeOf(error)).toBe(74);
      expect(errorText(error, false, false)).toMatch(`paydrop: the system refused: ${name}\n  → look at the disk`);
    }
  });
});

test.skipIf(process.getuid?.() !== 0)("a user without a name and without HOME is asked for a state folder", () => {
  const nameless = { uid: 54_321, gid: 54_321, env: { PATH: BARE_ENV["PATH"] }, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, "status"], nameless);
  expect(stderr).toContain("→ name a folder that is kept with --state-dir or PAYDROP_STATE_DIR");
  expect(status).toBe(2);
  const named = spawnSync(process.execPath, [LAUNCHER, "config", "show", "--state-dir", "/srv/x"], nameless);
  expect(named.stdout).toContain("(looked for /etc/paydrop/paydrop.toml)");
});

test.skipIf(process.getuid?.() !== 0)(
  "who still has the HOME of another user is told so: settings may lie there",
  () => {
    const env = { PATH: BARE_ENV["PATH"], HOME: temporaryFolder() };
    const other = { uid: 54_321, gid: 54_321, env, encoding: "utf8" } as const;
    const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, "status", "--state-dir", "/srv/x"], other);
    expect(stderr).toMatch(/^paydrop: EACCES: .*paydrop\.toml'\n {2}→ is HOME that of another user\? .* --config\n$/);
    expect(status).toBe(2);
  },
);

describe("--help", () => {
  test("paydrop --help lists every command and the exit codes", async () => {
    const { code, stdout, stderr } = await paydrop(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${command.name} `, "m"));
    expect(exitStatusOf(stdout)).toEqual(exitTable);
  });

  test.each(COMMANDS.map((command) => [command.name, command.options.length > 0] as const))(
    "%s --help has usage, its own options first, those of every command, examples and exit codes",
    async (name, hasOwn) => {
      const { code, stdout } = await paydrop([name, "--help"]);
      expect(code).toBe(0);
      const headings = hasOwn ? ["Options:", "Options of every command:"] : ["Options of every command:"];
      expect(stdout.match(/^Options.*$/gm)).toEqual(headings);
      expect(stdout).toContain(`Usage: paydrop ${name} [options]`);
      for (const flag of [
        "--config <file>",
        "--state-dir <folder>",
        "--operation <name>",
        "--period <period>",
        "--concurrency <n>",
      ]) {
        expect(stdout).toContain(flag);
      }
      for (const flag of [
        "--rate",
        "--timeout",
        "--json",
        "--quiet",
        "--verbose",
        "--no-color",
        "--log-format",
        "--log-file",
      ]) {
        expect(stdout).toContain(`  ${flag} `);
      }
      expect(stdout).toMatch(/^Examples:\n {2}paydrop /m);
      expect(exitStatusOf(stdout)).toEqual(exitTable);
    },
  );

  test("help is --help, and help run is run --help", async () => {
    expect(await paydrop(["help"])).toEqual(await paydrop(["--help"]));
    const run = await paydrop(["help", "run"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run).toEqual(await paydrop(["run", "--help"]));
    expect(await paydrop(["help", "rum"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("mean run?") as string,
    });
  });

  test("the version is that of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(await paydrop(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});

describe("a command line that cannot be understood exits 2", () => {
  test.each([
    [["rum", "x.csv"], "unknown command 'rum'", "Did you mean run?"],
    [["check", "--concurency", "3", "x.csv"], "unknown option '--concurency'", "Did you mean --concurrency?"],
    [["check"], "missing required argument 'file'", "paydrop check --help"],
    [["check", "--everything", "x.csv"], "unknown option '--everything'", "paydrop check --help"],
    [
      ["--quiet", "check", "x.csv"],
      "unknown option '--quiet'",
      "options stand behind the command: paydrop check … --quiet",
    ],
    [["report", "Payroll", "November.csv"], "too many arguments", "a name with blanks stands in quotes"],
    [["template", "payout", "transfer"], "too many arguments", "paydrop template --help"],
    [["template", "payment"], 'there is no operation "payment"', "payout, transfer, loan, collection"],
    [["template", "loan", "--option", "A"], "a loan has no options", "leave out --option"],
    [["template", "payout", "--option", "C"], 'there is no option "C"', "A or B"],
    [["template", "payout", "--rate"], "argument missing", "--help"],
    [["sandbox", "--port", "http"], '"http" is not a port', "0 to 65535"],
    [["completion", "tcsh"], 'no completion for "tcsh"', "bash, zsh, fish"],
    [["template", "payout", "--api-key", "x"], "unknown option '--api-key'", ""],
  ])("paydrop %j", async (operands, message, hint) => {
    const { code, stdout, stderr } = await paydrop(operands);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/\n {2}→ .+\n$/);
    expect(stderr).toContain(hint);
  });

  test("no command at all shows the help on stderr", async () => {
    const { code, stdout, stderr } = await paydrop([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: paydrop");
  });

  test("with --json the error is one object on stderr", async () => {
    const { code, stdout, stderr } = await paydrop(["template", "payment", "--json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ type: "error", code: "usage", exit_code: 2 });
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("a stack is shown only when it is asked for", async () => {
    expect((await paydrop(["template", "payment"])).stderr).not.toContain("    at ");
    expect((await paydrop(["template", "payment", "--verbose"])).stderr).toContain("    at ");
  });
});

describe("settings on the command line", () => {
  test("a mistake in paydrop.toml ends every command with its place", async () => {
    const file = join(temporaryFolder(), "paydrop.toml");
    writeFileSync(file, "concurency = 3\n", { mode: 0o600 });
    const { code, stderr } = await paydrop(["template", "payout", "--config", file]);
    expect(code).toBe(2);
    expect(stderr).toBe(`paydrop: ${file}: line 1: there is no setting "concurency"\n  → did you mean concurrency?\n`);
  });

  test("control characters of a name never reach the terminal", async () => {
    const { stderr } = await paydrop(["template", "\u001b[31mred"]);
    expect(stderr).not.toContain("\u001b");
    expect(stderr).toContain("\\u{1b}[31mred");
  });
});

test("a reader that has seen enough is not an error", async () => {
  const command = `"${process.execPath}" "${LAUNCHER}" completion bash | head -c 1; exit \${PIPESTATUS[0]}`;
  const child = spawn("bash", ["-c", command], {
    env: BARE_ENV,
    cwd: tmpdir(),
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

describe("surroundings that are broken", () => {
  const TRANSFERS = "from_account,to_account,amount\nACC-1,ACC-2,1.00\n";

  test.each(["check", "run --sandbox", "map"])("%s says it when no temporary file can be made", async (words) => {
    const file = join(temporaryFolder(), "transfers.csv");
    writeFileSync(file, TRANSFERS);
    const env = { TMPDIR: join(dirname(file), "missing") };
    const { code, stderr } = await runProgram([...words.split(" "), file], { env });
    expect(stderr).toMatch(/^paydrop: no temporary file can be made in .*missing: ENOENT.*\n {2}→ name a folder .*\n$/);
    expect(code).toBe(74);
  });

  test("a working folder that was removed is a matter of where one stands, not of paydrop", () => {
    const gone = join(temporaryFolder(), "gone");
    mkdirSync(gone);
    const command = `rmdir "${gone}" && exec "${process.execPath}" "${LAUNCHER}" status`;
    const { status, stderr } = spawnSync("bash", ["-c", command], {
      env: BARE_ENV,
      cwd: gone,
      encoding: "utf8",
    });
    expect(stderr).toBe("paydrop: the folder that you are in was removed\n  → go to one that is there, with cd\n");
    expect(status).toBe(2);
  });

  const isFull = existsSync("/dev/full");
  if (!isFull) process.stderr.write("NOT CHECKED: there is no /dev/full here\n");
  test.skipIf(!isFull).each([
    ["stderr changes nothing", "2>", 0],
    ["stdout exits 74", ">", 74],
  ])("a full disk behind %s, and every row goes", (_what, where, code) => {
    const file = join(temporaryFolder(), "transfers.csv");
    writeFileSync(file, TRANSFERS);
    const command = `exec "${process.execPath}" "${LAUNCHER}" run --sandbox "${file}" ${where} /dev/full`;
    const { status } = spawnSync("bash", ["-c", command], { env: BARE_ENV });
    expect(status).toBe(code);
    expect(readFileSync(`${file}.results.csv`, "utf8")).toContain("accepted");
  });

  test.skipIf(!canMount).each([
    { what: "copy", variable: "TMPDIR", kilobytes: 300 },
    { what: "journal", variable: "TMPDIR", kilobytes: 2_000 },
    { what: "sorting", variable: "SQLITE_TMPDIR", kilobytes: 16 },
  ])(
    "a check that fills the disk of temporary files by its $what says so, and not that anything was in flight",
    async ({ variable, kilobytes }) => {
      const file = join(temporaryFolder(), "transfers.csv");
      const rows = Array.from({ length: 60_000 }, (_, index) => `ACC-1,ACC-${(index * 7919) % 100_003},1.00\n`);
      writeFileSync(file, `from_account,to_account,amount\n${rows.join("")}`);
      const env = { [variable]: smallDisk(kilobytes) };
      const { code, stderr } = await runProgram(["check", file], { env });
      expect(stderr).toMatch(
        /^paydrop: the disk of temporary files \(.*\) is full\n {2}→ make room there.*nothing was sent\n$/,
      );
      expect(code).toBe(74);
    },
  );
});
