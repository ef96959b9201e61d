import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openProcessor } from "../../src/processor.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import { answer, pause, inOrder, silence, type FaultServer } from "../support/fault-server.ts";
import { failing, type FailingCall } from "../support/failing-calls.ts";
import { lossesOf } from "../support/losses.ts";
import { BARE_ENV, LAUNCHER } from "../support/paydrop.ts";
import { runProgram, startProgram, type ProgramEnded } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

async function deskWith(rows: number): Promise<{ server: FaultServer; desk: Desk }> {
  const server = await startService();
  const desk = openDesk(server.url);
  desk.write("t.csv", transfersCsv(rows));
  return { server, desk };
}

function summaryOf(desk: Desk, name = "t.csv"): Record<string, unknown> {
  return JSON.parse(readFileSync(join(desk.folder, `${name}.summary.json`), "utf8")) as Record<string, unknown>;
}

/** Payments that are not those of another file. */
function transfersTo(bank: string, rows: number): string {
  return transfersCsv(rows).replaceAll(",60200", `,${bank}00`);
}

const ACCEPT = ["--accept-lost-journal", "--by", "Asha"];

describe("the state directory is gone", () => {
  test("after a run that ended, the same file sends nothing, and says what to do", async () => {
    const { server, desk } = await deskWith(3);
    expect((await desk.process("t.csv")).exitCode).toBe(0);
    rmSync(desk.stateDir, { recursive: true });
    const { code, stderr } = await desk.run("t.csv");
    expect([code, server.requests.length]).toEqual([74, 3]);
    expect(stderr).toMatch(
      /^paydrop: t\.csv\.summary\.json was written with another state directory .*\n {2}→ .*--accept-lost-journal --by NAME/m,
    );
  });

  test("after a kill in the middle, the early mark refuses", async () => {
    const { server, desk } = await deskWith(20);
    server.use(({ number }) => (number < 6 ? answer(200) : silence()));
    const program = startProgram(["run", "t.csv"], { env: desk.env, cwd: desk.folder });
    await until("six requests", () => server.requests.length >= 6);
    program.child.kill("SIGKILL");
    await program.ended;
    expect(summaryOf(desk)).toMatchObject({ phase: "running", paydrop: { format: 1 } });
    const sent = server.requests.length;
    server.use(() => answer(200));
    rmSync(desk.stateDir, { recursive: true });
    expect((await desk.run("t.csv")).code).toBe(74);
    expect(server.requests).toHaveLength(sent);
  });

  test("a person's word lets it go again, is in the history, and counts for this file only", async () => {
    const { server, desk } = await deskWith(2);
    desk.write("u.csv", transfersTo("702", 5));
    await desk.process("t.csv");
    await desk.process("u.csv");
    rmSync(desk.stateDir, { recursive: true });
    const accepted = await desk.run("u.csv", "--json", ...ACCEPT);
    expect([accepted.code, server.requests.length]).toEqual([0, 2 + 5 + 5]);
    const batch = String(summaryOf(desk, "u.csv")["batch"]);
    const { stdout } = await runProgram(["status", batch], { env: desk.env });
    expect(stdout).toMatch(/Asha.*accept.lost.journal/);
    expect((await desk.process("u.csv")).exitCode).toBe(0);
    expect((await desk.run("t.csv")).code).toBe(74);
    expect(server.requests).toHaveLength(2 + 5 + 5);
  });

  test("--accept-lost-journal without a name is a usage error", async () => {
    const { server, desk } = await deskWith(2);
    expect((await desk.run("t.csv", "--accept-lost-journal")).code).toBe(2);
    expect(server.requests).toHaveLength(0);
  });

  test("a run in the sandbox in between does not hide the mark", async () => {
    const { server, desk } = await deskWith(2);
    const live = { ...desk.env, PAYDROP_ENVIRONMENT: "live" };
    const run = (...more: string[]) => runProgram(["run", ...more, "t.csv"], { env: live, cwd: desk.folder });
    expect((await run()).code).toBe(0);
    const trying = { HOME: desk.folder };
    const tried = await runProgram(["run", "--sandbox", "t.csv"], { env: trying, cwd: desk.folder });
    expect(tried.code).toBe(0);
    rmSync(desk.stateDir, { recursive: true });
    expect((await run()).code).toBe(74);
    expect(server.requests).toHaveLength(2);
  });

  test("a summary of the sandbox never stands in the way of a real run, nor the other way round", async () => {
    const { server, desk } = await deskWith(2);
    const sandbox = () => runProgram(["run", "--sandbox", "t.csv"], { env: { HOME: desk.folder }, cwd: desk.folder });
    expect((await sandbox()).code).toBe(0);
    expect((await sandbox()).code).toBe(0);
    expect((await desk.process("t.csv")).exitCode).toBe(0);
    expect((await sandbox()).code).toBe(0);
    expect((await desk.process("t.csv")).exitCode).toBe(0);
    expect(server.requests).toHaveLength(2);
  });
});

describe("only the journal is gone", () => {
  test("sends nothing while the copies of what was sent are still there", async () => {
    const { server, desk } = await deskWith(2);
    await desk.process("t.csv");
    for (const name of readdirSync(desk.stateDir)) if (name !== "snapshots") rmSync(join(desk.stateDir, name));
    for (const name of readdirSync(desk.folder)) if (name !== "t.csv") rmSync(join(desk.folder, name));
    for (const operands of [["status"], ["run", "t.csv"]]) {
      const { code, stderr } = await runProgram(operands, { env: desk.env, cwd: desk.folder });
      expect([operands, code]).toEqual([operands, 74]);
      expect(stderr).toContain("the journal is missing from");
    }
    expect(server.requests).toHaveLength(2);
    expect((await desk.run("t.csv", ...ACCEPT)).code).toBe(0);
    expect(server.requests).toHaveLength(4);
    expect(lossesOf(desk)).toEqual([
      expect.stringContaining("Asha accepted that the journal was lost: it was missing"),
    ]);
  });
});

describe("the journal is older than the folder knows", () => {
  test("restored from before the file: nothing is sent", async () => {
    const { server, desk } = await deskWith(3);
    desk.write("first.csv", transfersTo("701", 1));
    await desk.process("first.csv");
    backUp(desk);
    await desk.process("t.csv");
    restore(desk);
    const { code, stderr } = await desk.run("t.csv");
    expect([code, server.requests.length]).toEqual([74, 4]);
    expect(stderr).toMatch(/the journal is older than t\.csv\.summary\.json: it does not know attempt 4/);
  });

  test("restored from before the file: its copy under another name is not sent either, nor kept by what others sent", async () => {
    const { server, desk } = await deskWith(1);
    desk.write("other.csv", transfersTo("701", 1));
    await desk.run("other.csv", "--state-dir", `${desk.stateDir}2`);
    await desk.process("t.csv");
    backUp(desk);
    desk.write("later.csv", transfersTo("702", 2));
    await desk.process("later.csv");
    restore(desk);
    desk.write("later (1).csv", transfersTo("702", 2));
    // nor by the folder that becomes an inbox
    desk.env["PAYDROP_SETTLE"] = "10ms";
    expect((await desk.run(".")).code).toBe(74);
    const { code, stderr } = await desk.run("later (1).csv");
    expect([code, server.requests.length]).toEqual([74, 4]);
    expect(stderr).toContain("the journal is older than later.csv.summary.json");
    desk.write("other (1).csv", transfersTo("703", 1));
    expect((await desk.run("other (1).csv", "--state-dir", `${desk.stateDir}2`)).code).toBe(0);
  });

  test("restored from before the file: a newer summary of another state directory or of the sandbox hides nothing", async () => {
    const { server, desk } = await deskWith(1);
    desk.env["PAYDROP_SETTLE"] = "10ms";
    await desk.process("t.csv");
    backUp(desk);
    desk.write("later.csv", transfersTo("702", 2));
    await desk.process("later.csv");
    restore(desk);
    desk.write("other.csv", transfersTo("701", 1));
    expect((await desk.run("other.csv", "--state-dir", `${desk.stateDir}2`)).code).toBe(0);
    desk.write("trial.csv", transfersTo("704", 1));
    const trial = ["run", "--sandbox", "trial.csv"];
    expect((await runProgram(trial, { env: desk.env, cwd: desk.folder })).code).toBe(0);
    desk.write("copy.csv", transfersTo("702", 2));
    for (const input of ["copy.csv", "."]) {
      const { code, stderr } = await desk.run(input);
      expect([input, code, server.requests.length]).toEqual([input, 74, 4]);
      expect(stderr).toContain("the journal is older than later.csv.summary.json");
    }
  });

  test.each(["", "transfers/"])(
    "restored from before a file of a drop folder was sent by name: its copy is not sent by the folder (%s)",
    async (sub) => {
      const { server, desk } = await deskWith(1);
      desk.env["PAYDROP_SETTLE"] = "10ms";
      expect((await desk.run(".")).code).toBe(0);
      backUp(desk);
      mkdirSync(join(desk.folder, sub), { recursive: true });
      desk.write(`${sub}later.csv`, transfersTo("702", 2));
      await desk.process(`${sub}later.csv`);
      restore(desk);
      renameSync(join(desk.folder, `${sub}later.csv`), join(desk.folder, `${sub}copy.csv`));
      const { code, stderr } = await desk.run(".");
      expect([code, server.requests.length]).toEqual([74, 3]);
      expect(stderr).toContain("the journal is older than later.csv.summary.json");
    },
  );

  test("it does not help that other files brought it to the same number meanwhile", async () => {
    const { server, desk } = await deskWith(3);
    await desk.process("t.csv");
    rmSync(join(desk.folder, "t.csv.summary.json"));
    backUp(desk);
    desk.write("u.csv", transfersTo("702", 2));
    await desk.process("u.csv");
    restore(desk);
    mkdirSync(join(desk.folder, "elsewhere"));
    desk.write("elsewhere/v.csv", transfersTo("703", 9));
    expect((await desk.process("elsewhere/v.csv")).exitCode).toBe(0);
    expect((await desk.run("u.csv")).code).toBe(74);
    expect(server.requests).toHaveLength(3 + 2 + 9);
  });

  test("writing results again does not wipe out what the folder knows", async () => {
    const { server, desk } = await deskWith(3);
    await desk.process("t.csv");
    const batch = String(summaryOf(desk)["batch"]);
    backUp(desk);
    // the same name with other rows: the summary beside it now knows more
    desk.write("t.csv", transfersTo("704", 2));
    await desk.process("t.csv");
    restore(desk);
    expect((await runProgram(["results", batch], { env: desk.env, cwd: desk.folder })).code).toBe(74);
    expect((await desk.run("t.csv")).code).toBe(74);
    expect(server.requests).toHaveLength(5);
  });

  test("a person's word for one loss is none for the next one", async () => {
    const { server, desk } = await deskWith(4);
    await desk.process("t.csv");
    backUp(desk);
    desk.write("t.csv", transfersTo("701", 9));
    await desk.process("t.csv");
    restore(desk);
    desk.write("t.csv", transfersTo("702", 2));
    expect((await desk.run("t.csv", ...ACCEPT)).code).toBe(0);
    backUp(desk);
    desk.write("t.csv", transfersTo("703", 3));
    expect((await desk.process("t.csv")).exitCode).toBe(0);
    restore(desk);
    // of attempts with such numbers he said that they may be forgotten: not of these
    expect((await desk.run("t.csv")).code).toBe(74);
    expect(server.requests).toHaveLength(4 + 9 + 2 + 3);
  });

  test("a backup taken just before the kill is known to be older from the first attempt on", async () => {
    const { server, desk } = await deskWith(20);
    desk.write("first.csv", transfersTo("701", 1));
    await desk.process("first.csv");
    backUp(desk);
    server.use(() => silence());
    const program = startProgram(["run", "t.csv"], { env: desk.env, cwd: desk.folder });
    await until("the second request", () => server.requests.length === 2);
    program.child.kill("SIGKILL");
    await program.ended;
    restore(desk);
    server.use(() => answer(200));
    expect((await desk.run("t.csv")).code).toBe(74);
    expect(server.requests).toHaveLength(2);
  });
});

describe("two state directories on one file", () => {
  test("the second refuses, also at the same moment: each row goes once", async () => {
    const { server, desk } = await deskWith(4);
    server.use(() => inOrder(pause(50), answer(200)));
    const runs = [1, 2, 3].map((index) => desk.run("t.csv", "--state-dir", join(desk.folder, "..", `state${index}`)));
    const codes = (await Promise.all(runs)).map(({ code }) => code).sort();
    expect(codes).toEqual([0, 74, 74]);
    expect(server.requests).toHaveLength(4);
  });

  test("what one sent to a test service does not keep the other one from sending it live", async () => {
    const { server, desk } = await deskWith(2);
    expect((await desk.run("t.csv")).code).toBe(0);
    Object.assign(desk.env, { PAYDROP_STATE_DIR: `${desk.stateDir}2`, PAYDROP_ENVIRONMENT: "live" });
    expect((await desk.run("t.csv")).code).toBe(0);
    expect(server.requests).toHaveLength(4);
  });
});

describe("what tells of what was sent cannot be read", () => {
  /** A run in whose process the disk gives no such file. */
  function blind(desk: Desk, call: FailingCall["call"], path: string, input: string): Promise<ProgramEnded> {
    const { env, nodeArgs } = failing({ call, path });
    const other = { PAYDROP_STATE_DIR: `${desk.stateDir}2`, PAYDROP_SETTLE: "10ms" };
    return runProgram(["run", input], { env: { ...desk.env, ...other, ...env }, nodeArgs, cwd: desk.folder });
  }

  test.each(["t.csv", "other.csv", "."])("the summary of a file, by %s: nothing is sent once more", async (input) => {
    const { server, desk } = await deskWith(2);
    expect((await desk.run("t.csv")).code).toBe(0);
    desk.write("other.csv", transfersTo("702", 1));
    const { code, stderr } = await blind(desk, "open", "t.csv.summary.json", input);
    expect([code, server.requests.length]).toEqual([74, 2]);
    expect(stderr).toMatch(/t\.csv\.summary\.json cannot be read \(EIO\): it may tell of what was sent\n {2}→ /);
  });

  test("the mark of the inbox of a file", async () => {
    const { server, desk } = await deskWith(2);
    desk.env["PAYDROP_SETTLE"] = "10ms";
    expect((await desk.run(".")).code).toBe(0);
    desk.write("other.csv", transfersTo("702", 1));
    for (const input of ["other.csv", "."]) {
      const { code, stderr } = await blind(desk, "open", ".paydrop", input);
      expect([input, code, server.requests.length]).toEqual([input, 74, 2]);
      expect(stderr).toContain(".paydrop cannot be read (EIO)");
    }
  });

  test("the folder itself", async () => {
    const { server, desk } = await deskWith(2);
    const { code, stderr } = await blind(desk, "readdir", "files", "t.csv");
    expect([code, server.requests.length]).toEqual([74, 0]);
    expect(stderr).toContain("files cannot be read (EIO)");
  });

  test.skipIf(process.getuid?.() !== 0)("by another user: the right to read is asked for", async () => {
    const { server, desk } = await deskWith(2);
    const [base, folder] = [dirname(desk.folder), desk.folder];
    chmodSync(join(folder, "t.csv"), 0o600);
    expect((await desk.run("t.csv")).code).toBe(0);
    chmodSync(base, 0o755);
    chmodSync(join(folder, "t.csv"), 0o644);
    const other = join(base, "other");
    mkdirSync(other);
    chownSync(other, 54_321, 54_321);
    const env = { ...BARE_ENV, ...desk.env, PAYDROP_STATE_DIR: join(other, "state") };
    const run = async (): Promise<string> => {
      const child = spawn(process.execPath, [LAUNCHER, "run", "t.csv"], { cwd: folder, uid: 54_321, gid: 54_321, env });
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      const [code] = (await once(child, "close")) as [number];
      return `${code} ${stderr}`;
    };
    expect(await run()).toMatch(/^74 (?:.*\n)*paydrop: .*cannot be read \(EACCES\).*\n {2}→ .*give the user who runs/);
    expect(server.requests).toHaveLength(2);
    // it may be searched and not listed: where nothing tells of anything sent, a file that is named goes
    chmodSync(folder, 0o711);
    expect(await run()).toMatch(/^74 (?:.*\n)*paydrop: .*cannot be read/);
    rmSync(join(folder, "t.csv.summary.json"));
    expect(await run()).toMatch(/^74 (?!(?:.*\n)*paydrop: .*cannot be read)/);
    expect(server.requests).toHaveLength(4);
  });
});

describe("the mark of an inbox", () => {
  async function open(desk: Desk, stateDir: string) {
    const config = loadConfig({ env: { ...desk.env }, flags: { state_dir: stateDir } });
    const processor = await openProcessor({ config }, "send");
    onTestFinished(() => processor.close());
    return processor;
  }

  test("is kept for the first state directory; a second one is refused and sends nothing", async () => {
    const { server, desk } = await deskWith(2);
    const one = await open(desk, desk.stateDir);
    const inbox = await one.keepInbox(desk.folder);
    await one.processFile(join(desk.folder, "t.csv"));
    await inbox.close();
    const mark = JSON.parse(readFileSync(join(desk.folder, ".paydrop"), "utf8")) as unknown;
    expect(mark).toMatchObject({ paydrop: { state_id: one.journal.stateId, last_attempt: 2 } });

    const other = await open(desk, `${desk.stateDir}2`);
    await expect(other.keepInbox(desk.folder)).rejects.toMatchObject({ code: "journal" });
    desk.write("new.csv", transfersTo("702", 3));
    await expect(other.processFile(join(desk.folder, "new.csv"))).rejects.toMatchObject({ code: "journal" });
    expect((await desk.run("new.csv", "--state-dir", `${desk.stateDir}3`)).code).toBe(74);
    expect(server.requests).toHaveLength(2);
  });

  test("of two processes with copies of one state directory the first sends nothing once the second has come", async () => {
    const { server, desk } = await deskWith(2);
    await desk.process("t.csv");
    backUp(desk);
    const one = await open(desk, desk.stateDir);
    const inbox = await one.keepInbox(desk.folder);
    const before = desk.write("before.csv", transfersTo("701", 1));
    const copy = await open(desk, `${desk.stateDir}.backup`);
    const inboxOfCopy = await copy.keepInbox(desk.folder);
    await expect(one.processFile(before)).rejects.toMatchObject({ code: "journal" });
    await copy.processFile(before);
    await inboxOfCopy.close();
    await expect(one.processFile(before)).rejects.toMatchObject({ code: "journal" });
    await inbox.close();
    expect(server.requests).toHaveLength(3);
  });

  test("speaks for its folders payouts/, transfers/ … too", async () => {
    const { server, desk } = await deskWith(2);
    const inbox = await (await open(desk, desk.stateDir)).keepInbox(desk.folder);
    mkdirSync(join(desk.folder, "transfers"));
    const path = desk.write("transfers/t.csv", transfersCsv(2));
    const other = await open(desk, `${desk.stateDir}2`);
    await expect(other.processFile(path)).rejects.toMatchObject({ code: "journal" });
    await inbox.close();
    expect(server.requests).toHaveLength(0);
  });

  test("renews itself while rows are sent", async () => {
    const { server, desk } = await deskWith(3);
    server.use(({ number }) => (number < 3 ? answer(200) : inOrder(pause(2500), answer(200))));
    const processor = await open(desk, desk.stateDir);
    const inbox = await processor.keepInbox(desk.folder);
    const done = processor.processFile(join(desk.folder, "t.csv"));
    const lastAttempt = () => {
      const text = readFileSync(join(desk.folder, ".paydrop"), "utf8");
      return (JSON.parse(text) as { paydrop: { last_attempt: number } }).paydrop.last_attempt;
    };
    await until("the mark of the third attempt", () => lastAttempt() === 3);
    await done;
    await inbox.close();
    expect(existsSync(join(desk.folder, "t.csv.summary.json"))).toBe(true);
  });
});

describe("what is not ours at the place of the mark", () => {
  test.each([
    ["a folder", (path: string) => mkdirSync(path)],
    ["a person's file", (path: string) => writeFileSync(path, '{"mine":1}')],
  ])("%s is left alone; rows go once, results go elsewhere", async (_, put) => {
    const { server, desk } = await deskWith(2);
    put(join(desk.folder, "t.csv.summary.json"));
    const { code, stdout } = await desk.run("t.csv");
    expect([code, server.requests.length]).toEqual([74, 2]);
    expect(stdout).toContain(join(desk.stateDir, "results"));
    expect((await desk.run("t.csv")).code).toBe(74);
    expect(server.requests).toHaveLength(2);
  });
});

function backUp(desk: Desk): void {
  rmSync(`${desk.stateDir}.backup`, { recursive: true, force: true });
  cpSync(desk.stateDir, `${desk.stateDir}.backup`, { recursive: true });
}

function restore(desk: Desk): void {
  rmSync(desk.stateDir, { recursive: true });
  cpSync(`${desk.stateDir}.backup`, desk.stateDir, { recursive: true });
}
