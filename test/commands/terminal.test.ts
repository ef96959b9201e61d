import { spawn } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answer } from "../support/fault-server.ts";
import { BARE_ENV, LAUNCHER, paydrop } from "../support/paydrop.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { startService } from "../support/service.ts";
import { HAS_PTY, onTerminal } from "../support/terminal.ts";

const SAMPLE = join(import.meta.dirname, "../../samples/payroll.csv");

/** Runs paydrop on a terminal that is closed as soon as something comes on stdin. */
const ON_A_TERMINAL_THAT_GOES = `
import os, pty, select, sys, threading
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
goes = threading.Event()
def read():
    try:
        while not goes.is_set():
            if select.select([fd], [], [], 0.05)[0] and not os.read(fd, 65536): break
    except OSError: pass
reader = threading.Thread(target=read)
reader.start()
sys.stdin.readline()
# a terminal that somebody still reads from is not closed before its next output
goes.set()
reader.join()
os.close(fd)
print("closed", flush=True)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

function payroll(): string {
  const file = join(temporaryDirectory(), "payroll.csv");
  copyFileSync(SAMPLE, file);
  return file;
}

const COLOR = /\u001b\[[0-9;]*m/;
const REDRAWN = "\u001b[2K";

describe.skipIf(!HAS_PTY)("on a terminal", () => {
  test("there are colours and a line that is drawn again", () => {
    const { code, seen } = onTerminal(["run", "--sandbox", payroll()]);
    expect(code).toBe(3);
    expect(seen).toMatch(COLOR);
    expect(seen).toContain(REDRAWN);
  });

  test.each([
    ["NO_COLOR", [], { NO_COLOR: "1" }],
    ["--no-color", ["--no-color"], {}],
  ] as const)("with %s there is no colour", (_, flags, env) => {
    const { code, seen } = onTerminal(["run", "--sandbox", ...flags, payroll()], env);
    expect(code).toBe(3);
    expect(seen).not.toMatch(COLOR);
    expect(seen).toContain("accepted");
  });

  test("of several files each line says which one it is about", () => {
    const folder = temporaryDirectory();
    const files = ["a.csv", "b.csv"].map((name) => join(folder, name));
    for (const file of files) writeFileSync(file, `from_account,to_account,amount\nACC-1,${file},1.00\n`);
    const { code, seen } = onTerminal(["run", "--sandbox", "--no-color", ...files], {}, { columns: 200 });
    expect(code).toBe(0);
    expect(seen.split(/\r\n|\r/)).toContainEqual(expect.stringMatching(/b\.csv: row 2 went alone and was accepted;/));
    expect(onTerminal(["run", "--sandbox", ...files.slice(0, 1)], {}, { columns: 200 }).seen).not.toContain(
      "a.csv: row 2",
    );
  });

  test("one that cannot move its cursor gets plain lines", () => {
    const { code, seen } = onTerminal(["run", "--sandbox", payroll()], { TERM: "dumb" });
    expect(code).toBe(3);
    expect(seen).not.toContain("\u001b");
    expect(seen).toMatch(/ start file=payroll\.csv/);
  });

  test("a status shows what needs a person at 60 columns, and at 40", () => {
    const state = sentBefore();
    for (const columns of [60, 40]) {
      const { code, seen } = onTerminal(["status", "--state-dir", state], { NO_COLOR: "1" }, { columns });
      expect(code).toBe(0);
      const table = seen.split(/\r?\n/).filter(Boolean);
      expect(table[0]).toMatch(
        columns === 60 ? /^batch +file +rows +accepted +refused/ : /^batch +rows +accepted +refused/,
      );
      expect(table[1]).toMatch(columns === 60 ? /^[0-9A-Z]{8} +payroll.csv +24 +21 +3/ : /^[0-9A-Z]{8} +24 +21 +3/);
    }
  });

  test.each([40, 60, 200])("nothing is broken by a terminal of %i columns, but a path that is wider", (columns) => {
    const state = sentBefore();
    const [batch = ""] = /[0-9A-Z]{8}/.exec(onTerminal(["status", "--state-dir", state]).seen) ?? [];
    const file = payroll();
    const toml = join(temporaryDirectory(), "paydrop.toml");
    writeFileSync(toml, "", { mode: 0o600 });
    const hrms = join(temporaryDirectory(), "hrms.csv");
    writeFileSync(
      hrms,
      "Employee Name,Account No,IFSC,Net Pay,Mode\nAsha Rao,123456789012,DEMO0001234,52250.00,NEFT\n",
    );
    const calls = [
      ["--help"],
      ["map", "--help"],
      ["template", "--help"],
      ["run", "--sandbox", "--state-dir", join(temporaryDirectory(), "state"), file],
      ["run", join(temporaryDirectory(), "no-such-file.csv")],
      ["status", "--state-dir", state],
      ["status", "--state-dir", state, batch],
      ["check", "--state-dir", state, file],
      ["doctor", "--offline", "--state-dir", state],
      ["map", hrms, "--config", toml, "--write", "--const", "debit_account_id=ACC-OPS-01"],
    ];
    for (const args of calls) {
      const lines = onTerminal(args, { NO_COLOR: "1" }, { columns }).seen.split(/\r?\n/);
      expect(lines.length).toBeGreaterThan(1);
      // a line that is drawn again ends as what was drawn last
      const ends = lines.map((line) => line.split("\r").at(-1)?.replace(REDRAWN, "") ?? "");
      expect(ends.filter((line) => line.length > columns && /\S\s+\S/.test(line))).toEqual([]);
    }
  });
});

/** A state folder that has seen one batch. */
function sentBefore(): string {
  const state = join(temporaryDirectory(), "state");
  expect(onTerminal(["run", "--sandbox", "--state-dir", state, payroll()]).code).toBe(3);
  return state;
}

test.skipIf(!HAS_PTY)("a terminal that is closed stops a run like a signal: rows in flight finish", async () => {
  const folder = temporaryDirectory();
  const file = join(folder, "transfers.csv");
  writeFileSync(file, "from_account,to_account,amount\nACC-1,ACC-2,1.00\nACC-1,ACC-3,2.00\n");
  const closed = Promise.withResolvers<undefined>();
  const server = await startService(() => async (socket) => {
    child.stdin.write("close\n");
    await closed.promise;
    await answer(200)(socket);
  });
  const env = { ...BARE_ENV, HOME: folder, TERM: "xterm", PAYDROP_BASE_URL: server.url };
  const child = spawn(
    "python3",
    ["-c", ON_A_TERMINAL_THAT_GOES, process.execPath, LAUNCHER, "run", "--state-dir", join(folder, "state"), file],
    { env: { ...env, PAYDROP_API_KEY: "a-key-of-tests" } },
  );
  child.stdout.on("data", () => closed.resolve(undefined));
  const code = await new Promise((resolve) => child.on("close", resolve));
  // 0: the answer was there before the signal
  expect([7, 0]).toContain(code);
  expect(readFileSync(`${file}.results.csv`, "utf8")).not.toContain("unknown");
});

test("without a terminal there is neither colour nor animation", async () => {
  const { code, stdout, stderr } = await paydrop(["run", "--sandbox", payroll()], {
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
  });
  expect(code).toBe(3);
  expect(stdout + stderr).not.toContain("\u001b");
  expect(stdout + stderr).not.toContain("\r");
});
