import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inputName } from "../../src/intake/names.ts";
import { Workbook } from "../../src/workbook/workbook.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/server.ts";
import { AES_IV, AES_KEY, API_KEY, openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { openOffice, type Office } from "../support/people.ts";
import { runProgram, type Program, type ProgramEnded } from "../support/program.ts";
import { until } from "../support/until.ts";

const HOSTILE = `"</style></title><img src=x onerror=alert(1)>' &"`;
const BIDI = "\u202e";
const ACCOUNT = "50100271828001";
const PAGE = "payroll.csv.report.html";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: API_KEY, aesKey: AES_KEY, aesIv: AES_IV });
});
afterAll(() => sandbox.close());

/** Accepted, refused, unknown, invalid and held rows, with texts that would like to be HTML. */
async function sent(): Promise<{ desk: Desk; batch: string }> {
  const desk = openDesk(sandbox.url);
  const lines = [
    "from_account,to_account,amount,note,reference",
    `${ACCOUNT},60200000000001,101.00,,R-1`,
    `${ACCOUNT},60200000000002,102.00,,R-2`,
    `${ACCOUNT},60200SANDBOX-422,103.50,,${HOSTILE}`,
    `${ACCOUNT},60200SANDBOX-500,104.00,,R-4-${"9".repeat(14)}`,
    `${ACCOUNT},5.0E+13,105.00,,R-5`,
    `${ACCOUNT},60200000000006,"1,06",,R-6${BIDI}x`,
    `${ACCOUNT},60200000000007,107.00,,R-1`,
  ];
  desk.write("payroll.csv", `${lines.join("\n")}\n`);
  const batch = await desk.process("payroll.csv", { flags: { operation: "transfer" } });
  return { desk, batch: batch.batch };
}

function report(desk: Desk, ...operands: string[]): Promise<ProgramEnded> {
  return runProgram(["report", ...operands], { env: desk.env, cwd: desk.folder });
}

describe("paydrop report", () => {
  test("says what was in the file, what was let go, what happened, and what a person must do", async () => {
    const { desk, batch } = await sent();
    expect(await report(desk, "payroll.csv")).toMatchObject({ code: 0, stderr: "" });
    const page = readFileSync(join(desk.folder, PAGE), "utf8");
    const text = textOf(page);
    expect(text).toContain("2 of 7 rows were accepted by the service.");
    expect(text).toContain("1 rejected, 1 unknown, 2 invalid and 1 held.");
    expect(text).toMatch(
      /In the file 7 rows 622\.50 .*Approved to go 4 rows 410\.50 .*Accepted by the service 2 rows 203\.00/,
    );
    expect(text).toContain(`paydrop settle ${batch} --row N --as done|not-done --by NAME --note TEXT`);
    expect(text).toContain("the amount of 1 row cannot be read: it is in no sum");
    expect(text).toMatch(/Prepared by .*Checked by .*Approved by/);
    expect(text).not.toMatch(/\b(?:paid|success|successful|processed)\b/i);
  });

  test("nothing that was read becomes HTML, and no account number stands in it", async () => {
    const { desk } = await sent();
    await report(desk, "payroll.csv");
    const page = readFileSync(join(desk.folder, PAGE), "utf8");
    expect(page).not.toMatch(/<(?:img|script|link|iframe|object|base|form)\b/i);
    expect(page).not.toMatch(/\b(?:src|href|action)\s*=\s*"|@import|url\((?!#p-)/i);
    expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(page).not.toContain(BIDI);
    for (const form of ["html", "text", "json"]) {
      const { stdout } = await report(desk, "payroll.csv", "--format", form, "--out", "-");
      const inFull = [ACCOUNT, "60200000000001", "60200000000007", "9".repeat(14), API_KEY, AES_KEY];
      expect(inFull.filter((secret) => stdout.includes(secret))).toEqual([]);
    }
    expect(page).toContain("R-4-••9999");
  });

  test("is the same, byte for byte, when it is made again, and says acts by name", async () => {
    const { desk, batch } = await sent();
    const first = await report(desk, "payroll.csv", "--out", "-");
    const again = await report(desk, batch.slice(0, 4), "--out", "-");
    expect(again.stdout).toBe(first.stdout);
    const settle = ["settle", batch, "--row", "5", "--as", "done", "--by", "asha <b>", "--note", "dashboard 10:12"];
    expect(await runProgram(settle, { env: desk.env })).toMatchObject({ code: 0 });
    const release = ["release", batch, "--row", "8", "--by", "ravi", "--reason", "two are meant"];
    await runProgram(release, { env: desk.env });
    const text = textOf((await report(desk, batch, "--out", "-")).stdout);
    expect(text).toMatch(/asha &lt;b&gt; settled 5 .*dashboard 10:12/);
    expect(text).toMatch(/ravi released 8 two are meant/);
  });

  test("times stand in the zone that was asked for, with its offset", async () => {
    const { desk } = await sent();
    const kolkata = await report(desk, "payroll.csv", "--time-zone", "Asia/Kolkata", "--out", "-");
    expect(textOf(kolkata.stdout)).toMatch(/taken \d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d:\d\d \+05:30/);
    const utc = await report(desk, "payroll.csv", "--out", "-");
    expect(textOf(utc.stdout)).toMatch(/taken \d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d:\d\d UTC/);
    const wrong = await report(desk, "payroll.csv", "--time-zone", "Mars/Base");
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`"Mars/Base" is not a time zone`) as string,
    });
  });

  test("counts every attempt of all runs, where a summary counts what its own run sent", async () => {
    const away = await startSandbox({ port: 0 });
    await away.close();
    const desk = openDesk(away.url, { PAYDROP_RETRY_FOR: "1ms" });
    desk.write("t.csv", "from_account,to_account,amount\nACC-1,ACC-2,5.00\n");
    const flags = { operation: "transfer" };
    const first = await desk.process("t.csv", { flags });
    expect(first).toMatchObject({ requests: 0, byStatus: { not_sent: { rows: 1 } } });
    const moved = { ...flags, base_url: sandbox.url, accept_destination: true };
    const second = await desk.process("t.csv", { flags: moved });
    expect(second).toMatchObject({ requests: 1, byStatus: { accepted: { rows: 1 } } });

    const tries = Number(desk.results("t.csv")[0]?.result_attempts);
    expect(tries).toBeGreaterThanOrEqual(2);
    const json = (await report(desk, "t.csv", "--format", "json", "--out", "-")).stdout;
    expect(JSON.parse(json)).toMatchObject({ attempts: tries });
    const text = (await report(desk, "t.csv", "--format", "text", "--out", "-")).stdout;
    expect(text).toContain(`${tries} attempts, 1 answer, `);
    const page = textOf((await report(desk, "t.csv", "--out", "-")).stdout);
    expect(page).toContain(`${tries} attempts in all`);
  });

  test("the other forms hold the same figures, and fit 60 columns", async () => {
    const { desk, batch } = await sent();
    const json = JSON.parse((await report(desk, batch, "--format", "json", "--out", "-")).stdout) as Record<
      string,
      unknown
    >;
    expect(json).toMatchObject({
      batch,
      control: { in: { rows: 7, total: "622.50" }, out: { rows: 7, total: "622.50" } },
      approved: { rows: 4, total: "410.50" },
      rows: { total: 7, accepted: 2, rejected: 1, unknown: 1, invalid: 2, held: 1 },
      exit_code: 4,
    });
    const { stdout } = await report(desk, batch, "--format", "text", "--out", "-");
    const lines = stdout.split("\n").filter((line) => !line.startsWith("  paydrop "));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(stdout).toMatch(/^total, equals the file +7 +622\.50$/m);
    expect(await report(desk, batch, "--format", "xlsx", "--out", "-")).toMatchObject({ code: 2, stdout: "" });
    expect(await report(desk, batch, "--format", "pdf")).toMatchObject({ code: 2 });
  });
});

describe("where it lies", () => {
  test("beside the input with its rights, and never over a file that is not ours", async () => {
    const { desk } = await sent();
    chmodSync(join(desk.folder, "payroll.csv"), 0o640);
    await report(desk, "payroll.csv");
    expect(statSync(join(desk.folder, PAGE)).mode & 0o777).toBe(0o640);
    expect(await report(desk, "payroll.csv")).toMatchObject({ code: 0 });
    writeFileSync(join(desk.folder, PAGE), "<!doctype html><p>my own notes");
    const ended = await report(desk, "payroll.csv");
    expect(ended).toMatchObject({
      code: 74,
      stderr: expect.stringContaining("is not a file that paydrop wrote") as string,
    });
    expect(readFileSync(join(desk.folder, PAGE), "utf8")).toContain("my own notes");
    expect(existsSync(join(desk.stateDir, "results"))).toBe(true);
    desk.write("mine.html", "mine");
    expect(await report(desk, "payroll.csv", "--out", "mine.html")).toMatchObject({ code: 74 });
    expect(readFileSync(join(desk.folder, "mine.html"), "utf8")).toBe("mine");
    expect(await report(desk, "payroll.csv", "--out", "new.html")).toMatchObject({ code: 0 });
  });

  test("its form is that of the name it is written to; one that no report has is refused", async () => {
    const { desk } = await sent();
    const beginnings = { "r.xlsx": "PK", "r.TXT": "paydrop report", "r.json": "{", "r.html": "<!doctype", r: "<!doc" };
    for (const [name, beginning] of Object.entries(beginnings)) {
      expect(await report(desk, "payroll.csv", "--out", name), name).toMatchObject({ code: 0 });
      expect(readFileSync(join(desk.folder, name), "latin1").startsWith(beginning), name).toBe(true);
    }
    const pdf = await report(desk, "payroll.csv", "--out", "r.pdf");
    expect([pdf.code, pdf.stderr]).toEqual([2, expect.stringContaining("a browser prints it, also to PDF")]);
    expect(existsSync(join(desk.folder, "r.pdf"))).toBe(false);
    expect(await report(desk, "payroll.csv", "--out", "r.page", "--format", "html")).toMatchObject({ code: 0 });
  });

  test("that of an earlier batch of the same name is kept under its id", async () => {
    const { desk, batch } = await sent();
    await report(desk, "payroll.csv");
    desk.write("payroll.csv", "from_account,to_account,amount\nACC-9,ACC-10,5.00\n");
    await desk.process("payroll.csv");
    await report(desk, "payroll.csv");
    expect(readFileSync(join(desk.folder, PAGE), "utf8")).toContain("The one row was accepted");
    expect(readFileSync(join(desk.folder, `payroll.csv.report.${batch}.html`), "utf8")).toContain("2 of 7 rows");
  });

  test("of the file that lies there: by its bytes, not by who last had its name; a copy has its own beside it", async () => {
    const { desk, batch } = await sent();
    const first = readFileSync(join(desk.folder, "payroll.csv"), "utf8");
    desk.write("payroll.csv", "from_account,to_account,amount\nACC-9,ACC-10,5.00\n");
    await desk.process("payroll.csv", { flags: { operation: "transfer" } });
    for (const name of ["payroll.csv", "copy.csv"]) {
      desk.write(name, first);
      await desk.process(name, { flags: { operation: "transfer" } });
      expect(await report(desk, name)).toMatchObject({ code: 0, stderr: "" });
      const page = readFileSync(join(desk.folder, `${name}.report.html`), "utf8");
      expect(page).toContain(`data-paydrop-report="${batch}"`);
      expect(page).toContain("2 of 7 rows");
    }
  });

  test("of an earlier batch: it leaves the name to the file that has it now", async () => {
    const { desk, batch } = await sent();
    await report(desk, "payroll.csv");
    desk.write("payroll.csv", "from_account,to_account,amount\nACC-9,ACC-10,5.00\n");
    const { batch: second } = await desk.process("payroll.csv", { flags: { operation: "transfer" } });
    const kept = `payroll.csv.report.${batch}.html`;
    // the page of the first file still has the name; then that of the second one has it
    for (const others of [[], [PAGE]]) {
      const told = await report(desk, batch);
      expect(told.stdout).toContain(kept);
      const pages = readdirSync(desk.folder).filter((name) => name.endsWith(".html"));
      expect(pages.sort()).toEqual([kept, ...others].sort());
      expect(readFileSync(join(desk.folder, kept), "utf8")).toContain("2 of 7 rows");
      await report(desk, second);
      expect(readFileSync(join(desk.folder, PAGE), "utf8")).toContain(`data-paydrop-report="${second}"`);
    }
  });

  test("as a workbook: the same figures as numbers that add up, and known as ours again", async () => {
    const { desk, batch } = await sent();
    const path = join(desk.folder, "payroll.csv.report.xlsx");
    expect(await report(desk, "payroll.csv", "--format", "xlsx")).toMatchObject({ code: 0 });
    const first = readFileSync(path);
    expect(await report(desk, batch, "--format", "xlsx")).toMatchObject({ code: 0 });
    expect(readFileSync(path).equals(first)).toBe(true);
    const workbook = await Workbook.open(path);
    const cells = new Map<string, unknown[][]>();
    for (const sheet of workbook.sheets) {
      const rows: unknown[][] = [];
      for await (const chunk of workbook.rows(sheet, { columnsMax: 20 })) {
        rows.push(...chunk.map((row) => row.cells.map((cell) => (typeof cell === "string" ? cell : cell.source))));
      }
      cells.set(sheet.name, rows);
    }
    expect(cells.get("Report")?.slice(0, 2)).toEqual([
      ["paydrop report", "value"],
      ["batch", batch],
    ]);
    expect(cells.get("Status")).toContainEqual(expect.arrayContaining(["accepted", "2"]));
    expect(cells.get("Needs a person")?.length).toBe(6);
    expect(JSON.stringify([...cells])).not.toContain("60200000000001");
    writeFileSync(path, "my own");
    expect(await report(desk, batch, "--format", "xlsx")).toMatchObject({ code: 74 });
    expect(readFileSync(path, "utf8")).toBe("my own");
  });

  test("of a file in whose place something else lies now, which is not read", async () => {
    const { desk, batch } = await sent();
    rmSync(join(desk.folder, "payroll.csv"));
    execFileSync("mkfifo", [join(desk.folder, "payroll.csv")]);
    const { code, stdout } = await report(desk, "payroll.csv", "--format", "text", "--out", "-");
    expect([code, stdout.split("\n")[0]]).toEqual([0, `paydrop report, batch ${batch}`]);
  });

  test("in the state directory when the folder of the input is gone", async () => {
    const { desk, batch } = await sent();
    const gone = `${desk.folder}-moved`;
    renameSync(desk.folder, gone);
    try {
      const ended = await runProgram(["report", batch], { env: desk.env });
      const path = join(desk.stateDir, "results", batch, PAGE);
      expect(ended).toMatchObject({ code: 74, stdout: expect.stringContaining(path) as string });
      expect(readFileSync(path, "utf8")).toContain("2 of 7 rows");
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      renameSync(gone, desk.folder);
    }
  });

  test("is never taken for a file to send, in any form, nor when it was kept", () => {
    for (const name of ["html", "txt", "json", "xlsx", "K7Q29F3M.html", "K7Q29F3M.json"]) {
      expect(inputName(`payroll.csv.report.${name}`)).toMatchObject({ ignored: "it is our own report" });
    }
    expect(inputName("weekly.report.json")).toEqual({ format: "json" });
  });
});

/** A run of this desk whose rows get no answer before `answer` is called, but for the first one. */
async function waiting(): Promise<{ office: Office; batch: string; run: Program; answer: () => void }> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const later: wire.Reply = async (socket) => {
    await promise;
    await wire.answer(200)(socket);
  };
  const office = await openOffice(({ number }) => (number > 1 ? later : wire.answer(200)));
  office.write("pay.csv", transfersCsv(20));
  const run = office.start("run", "pay.csv", "--concurrency", "3");
  await until("the fourth request", () => office.server.requests.length === 4);
  const [{ batch } = {}] = await office.lines("status");
  return { office, batch: String(batch), run, answer: () => resolve(undefined) };
}

test("while rows are on their way no report calls them unknown: none is written, and status is named; then it is", async () => {
  const { office, batch, run, answer } = await waiting();
  for (const more of [[], ["--format", "xlsx"], ["--format", "text", "--out", "-"]]) {
    const early = await office.paydrop("report", "pay.csv", ...more);
    expect(early).toMatchObject({ code: 75, stdout: "" });
    expect(early.stderr).toMatch(/is being sent: 3 of its 20 rows are on the way/);
    expect(early.stderr).toContain(`paydrop status ${batch}`);
  }
  expect(readdirSync(office.folder).filter((name) => name.includes(".report."))).toEqual([]);
  answer();
  expect(await run.ended).toMatchObject({ code: 0 });
  expect((await office.paydrop("report", "pay.csv")).stdout).toContain("All 20 rows were accepted");
});

test("rows of a process that died are unknown in it, whoever makes it first", async () => {
  const { office, run } = await waiting();
  run.child.kill("SIGKILL");
  await run.ended;
  const ended = await office.paydrop("report", "pay.csv", "--format", "json", "--out", "-");
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ rows: { accepted: 1, unknown: 3, not_sent: 16 }, exit_code: 4 });
});

test("a batch of every phase has a report; a refused file has none, and is told so", async () => {
  const { desk, batch } = await sent();
  await runProgram(["pause", batch, "--by", "meera"], { env: desk.env });
  expect(textOf((await report(desk, batch, "--out", "-")).stdout)).toContain("The batch is paused");
  await runProgram(["cancel", batch, "--by", "meera", "--reason", "wrong month"], { env: desk.env });
  const cancelled = textOf((await report(desk, batch, "--out", "-")).stdout);
  expect(cancelled).toContain("The batch was cancelled");
  expect(cancelled).not.toContain("Waiting for a decision");
  expect(cancelled).toContain("cancelled: stays unsent");
  expect(cancelled).not.toContain("a person must decide");
  desk.write("broken.csv", 'from_account,to_account,amount\n"A,B,1\n');
  expect(await report(desk, "broken.csv")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("a refused file makes none") as string,
  });
  expect(readdirSync(desk.folder).filter((name) => name.includes(".tmp"))).toEqual([]);
});

/** What a person reads: tags and the style sheet taken off, white space as one space. */
function textOf(page: string): string {
  return page
    .replace(/<style>[^]*?<\/style>/g, "")
    .replace(/<i>|<\/i>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}
