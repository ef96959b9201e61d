import {
  existsSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import { answer, type FaultServer, type Received } from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { removeUnder } from "../support/removed-folder.ts";
import { startService } from "../support/service.ts";

const ROWS = 6;

/** Every third row is refused, so that there is a retry file. */
async function deskWithFile(): Promise<{ server: FaultServer; desk: Desk }> {
  const server = await startService(({ body }) => answer(/10[36]\.00/.test(body) ? 400 : 200));
  const desk = openDesk(server.url);
  desk.write("t.csv", transfersCsv(ROWS));
  return { server, desk };
}

function batchOf(stdout: string): string {
  return (JSON.parse(stdout.split("\n")[0] ?? "") as { batch: string }).batch;
}

const OUT = ["t.csv.results.csv", "t.csv.retry.csv"];

function filesOut(folder: string): Buffer[] {
  return OUT.map((name) => readFileSync(join(folder, name)));
}

describe("results that were deleted", () => {
  test("come back byte for byte, by `paydrop results` and by running the file again", async () => {
    const { server, desk } = await deskWithFile();
    const { code, stdout } = await desk.run("t.csv", "--json");
    expect(code).toBe(3);
    const before = filesOut(desk.folder);
    const removeAll = () => {
      for (const name of readdirSync(desk.folder)) if (name !== "t.csv") rmSync(join(desk.folder, name));
    };
    removeAll();
    const again = await runProgram(["results", batchOf(stdout), "--json"], { env: desk.env });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ type: "summary", batch_exit_code: 3, exit_code: 0 });
    expect(filesOut(desk.folder)).toEqual(before);
    removeAll();
    expect((await desk.run("t.csv")).code).toBe(3);
    expect(filesOut(desk.folder)).toEqual(before);
    expect(server.requests).toHaveLength(ROWS);
  });
});

describe("results that a kill kept from being written", () => {
  test.each([
    ["every row is accepted", () => answer(200)],
    ["a row is refused", ({ number }: Received) => answer(number === 2 ? 422 : 200)],
  ])("%s: they are open for a monitor, and status names the command that writes them", async (_, script) => {
    const { server, desk } = await deskWithFile();
    server.use(script);
    const env = { ...desk.env, PAYDROP_TEST: "1", PAYDROP_FAULT: "crash@results.before_rename:2" };
    expect((await runProgram(["run", "t.csv"], { env, cwd: desk.folder })).signal).toBe("SIGKILL");
    expect(desk.results("t.csv")).toEqual([]);
    const paydrop = (...operands: string[]) => runProgram(operands, { env: desk.env });
    const listed = (await paydrop("status", "--json")).stdout;
    const batch = batchOf(listed);
    expect(JSON.parse(listed.split("\n")[0] ?? "")).toMatchObject({ owes_results: true });
    const checked = await paydrop("status", "--check");
    expect(checked.code).toBe(7);
    expect(checked.stdout).toContain(
      `the results of batch ${batch} (t.csv) could not be written; to write them\n  paydrop results ${batch}\n`,
    );
    expect((await paydrop("status", batch)).stdout).toMatch(
      new RegExp(`not written.*\\n +paydrop results ${batch}\\n`),
    );
    expect(await paydrop("results", batch, "--quiet")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(desk.results("t.csv")).toHaveLength(ROWS);
    expect(await paydrop("status", "--check")).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining("could not be written") as string,
    });
    expect((await paydrop("status", "--json")).stdout).toContain('"owes_results":false');
    expect((await paydrop("status", batch)).stdout).not.toContain("paydrop results");
    expect(server.requests).toHaveLength(ROWS);
  });

  test("those of an earlier run say what is not true any more: they are owed again", async () => {
    const { server, desk } = await deskWithFile();
    server.use(() => answer(401));
    expect((await desk.run("t.csv")).code).toBe(7);
    server.use(() => answer(200));
    const env = { ...desk.env, PAYDROP_TEST: "1", PAYDROP_FAULT: `crash@answer.read:${ROWS}` };
    expect((await runProgram(["run", "t.csv"], { env, cwd: desk.folder })).signal).toBe("SIGKILL");
    expect(desk.results("t.csv").filter((row) => row.result_status === "not_sent")).toHaveLength(ROWS - 1);
    expect(await desk.inProcess((processor) => processor.unfinished([desk.folder]))).toHaveLength(1);
  });
});

test("what a person settles while the results are written stands in them", async () => {
  const { server, desk } = await deskWithFile();
  server.use(({ number }) => answer(number === 1 ? 500 : 200));
  await desk.inProcess(async (processor) => {
    const { journal } = processor;
    const noteWritten = journal.noteWritten.bind(journal);
    vi.spyOn(journal, "noteWritten").mockImplementationOnce(async (path, sha256) => {
      const [batch] = await journal.batches();
      const act = { by: "asha", kind: "settle", note: "it is in the dashboard" };
      await journal.settle([{ batch: batch?.id ?? "", row: 2, as: "settled_done", act }]);
      await noteWritten(path, sha256);
    });
    expect((await processor.processFile(join(desk.folder, "t.csv"))).byStatus.unknown).toBeUndefined();
  });
  expect(desk.results("t.csv")[0]?.result_status).toBe("settled_done");
});

describe("results that cannot be written beside the input", () => {
  test.each([
    ["a folder has their name", (path: string) => mkdirSync(path), /is a folder/],
    ["a link has their name", (path: string) => symlinkSync("/nonexistent/elsewhere", path), /is a link/],
    [
      "a person's file has their name",
      (path: string) => writeFileSync(path, "mine\n"),
      /is not a file that paydrop wrote/,
    ],
  ])("because %s: rows go once, the path is printed, and the next run puts them there", async (_, put, said) => {
    const { server, desk } = await deskWithFile();
    const inTheWay = join(desk.folder, "t.csv.results.csv");
    put(inTheWay);
    const first = await runProgram(["run", "t.csv"], { env: desk.env, cwd: desk.folder });
    expect([first.code, server.requests.length]).toEqual([74, ROWS]);
    expect(first.stdout).toMatch(said);
    const [batch = ""] = readdirSync(join(desk.stateDir, "results"));
    const folder = join(desk.stateDir, "results", batch);
    expect(first.stdout).toContain(folder);
    const saved = filesOut(folder);
    expect(statSync(join(folder, "t.csv.results.csv")).mode & 0o077).toBe(0);

    rmSync(inTheWay, { recursive: true });
    expect((await desk.run("t.csv")).code).toBe(3);
    expect(filesOut(desk.folder)).toEqual(saved);
    expect(server.requests).toHaveLength(ROWS);
  });

  test("because the folder is gone: rows go once, and `paydrop results` writes them when it is back", async () => {
    const { server, desk } = await deskWithFile();
    server.use(({ number }) => {
      if (number === 2) removeUnder(desk.folder);
      return answer(200);
    });
    const { code, stdout } = await runProgram(["run", join(desk.folder, "t.csv")], { env: desk.env });
    expect([code, server.requests.length]).toEqual([74, ROWS]);
    expect(stdout).toContain(join(desk.stateDir, "results"));
    mkdirSync(desk.folder);
    const [batch = ""] = readdirSync(join(desk.stateDir, "results"));
    expect((await runProgram(["results", batch], { env: desk.env })).code).toBe(0);
    expect(desk.results("t.csv")).toHaveLength(ROWS);
  });
});

describe("the destination", () => {
  /** What persons accepted, as the history of all batches says. */
  const noted = (desk: Desk): Promise<string[]> =>
    desk.inProcess(async ({ journal }) => {
      const acts = await Promise.all((await journal.batches()).map(({ id }) => journal.history(id)));
      return acts.flatMap((all) =>
        all.flatMap(({ by, kind, note }) => (kind === "destination" ? `${by}: ${note}` : [])),
      );
    });

  test("a batch that began elsewhere: exit 78, nothing is sent; --accept-destination goes on", async () => {
    const { server: first, desk } = await deskWithFile();
    first.use(({ number }) => (number <= 2 ? answer(200) : answer(401)));
    expect((await desk.run("t.csv")).code).toBe(7);
    const sent = first.requests.length;
    const second = await startService();
    desk.env["PAYDROP_BASE_URL"] = second.url;

    const refused = await desk.run("t.csv");
    expect([refused.code, second.requests.length, second.connections]).toEqual([78, 0, 0]);
    expect(refused.stderr).toMatch(
      new RegExp(`began with ${first.url}, now it would go to ${second.url}\\n {2}→ .*--accept-destination`),
    );
    const accepted = await desk.run("t.csv", "--accept-destination", "--by", "Asha");
    expect([accepted.code, accepted.counts]).toEqual([0, { accepted: ROWS }]);
    expect(second.requests).toHaveLength(ROWS - 2);
    expect(first.requests).toHaveLength(sent);
    expect((await desk.run("t.csv")).code).toBe(0);
    expect(await noted(desk)).toEqual([`Asha: ${first.url} → ${second.url}`]);

    // its rows went to the first address too, which no batch names any more
    Object.assign(desk.env, { PAYDROP_BASE_URL: first.url, PAYDROP_ENVIRONMENT: "live" });
    expect((await desk.run("t.csv")).code).toBe(78);
    expect(first.requests).toHaveLength(sent);
  });

  test("a batch that was tried in the sandbox goes on there, one of the service with the service", async () => {
    const { server, desk } = await deskWithFile();
    server.use(() => answer(401));
    expect((await desk.run("t.csv")).code).toBe(7);
    const tried = await desk.run("t.csv", "--sandbox", "--state-dir", desk.stateDir);
    expect([tried.code, tried.stderr]).toEqual([78, expect.stringContaining("→ it goes on without --sandbox;")]);
    desk.write("u.csv", "from_account,to_account,amount\nACC-1,B-8,5.00\nACC-1,B-9,six\n");
    const held = await desk.run("u.csv", "--sandbox", "--state-dir", desk.stateDir, "--all-or-nothing");
    expect(held.counts).toEqual({ held: 1, invalid: 1 });
    const batch = held.results[0]?.["result_batch"] ?? "";
    const release = ["release", batch, "--all", "--by", "Asha", "--reason", "meant"];
    const { code, stderr } = await runProgram(release, { env: desk.env, cwd: desk.folder });
    expect([code, stderr]).toEqual([78, expect.stringContaining("→ it was only tried: it goes on with --sandbox;")]);
    expect(server.requests).toHaveLength(1);
  });

  test("a batch that is over has nothing left to go anywhere: no word is asked for, and none moves it", async () => {
    const { server: first, desk } = await deskWithFile();
    first.use(() => answer(200));
    desk.env["PAYDROP_SETTLE"] = "10ms";
    expect((await desk.run(".")).code).toBe(0);
    const second = await startService();
    desk.env["PAYDROP_BASE_URL"] = second.url;
    for (const flags of [[], ["--accept-destination", "--by", "Asha"]]) {
      utimesSync(join(desk.folder, "t.csv"), new Date(), new Date());
      expect([(await desk.run(".", ...flags)).code, (await desk.run("t.csv", ...flags)).code]).toEqual([0, 0]);
      expect(existsSync(join(desk.folder, "t.csv.waiting.txt"))).toBe(false);
    }
    expect((await runProgram(["status", "--check"], { env: desk.env })).code).toBe(0);
    expect([first.requests.length, second.connections]).toEqual([ROWS, 0]);
    expect(await noted(desk)).toEqual([]);
  });

  test("rows of a test never go live, not even with --accept-destination: their memory is another one", async () => {
    const { server: uat, desk } = await deskWithFile();
    uat.use(({ number }) => answer(number <= 2 ? 200 : 401));
    expect((await desk.run("t.csv")).code).toBe(7);
    const summary = JSON.parse(readFileSync(join(desk.folder, "t.csv.summary.json"), "utf8")) as { batch: string };
    const live = await startService();
    Object.assign(desk.env, { PAYDROP_BASE_URL: live.url, PAYDROP_ENVIRONMENT: "live" });

    const retry = ["retry", summary.batch, "--accept-destination", "--by", "Asha"];
    const refused = await runProgram(retry, { env: desk.env, cwd: desk.folder });
    expect([refused.code, live.requests.length]).toEqual([78, 0]);
    expect(refused.stderr).toMatch(
      /batch \w+ is a test one \(.*\), and .* is live\n {2}→ .*paydrop run \/\S+\/t\.csv; nothing/,
    );
    // what was tried in this folder is not taken up either: the file lies there as taken
    const inbox = await runProgram(["run", "--inbox", ".", "--accept-destination"], {
      env: { ...desk.env, PAYDROP_SETTLE: "0.1s" },
      cwd: desk.folder,
    });
    expect([inbox.code, live.requests.length]).toEqual([0, 0]);
    expect([(await desk.run("t.csv")).code, live.requests.length]).toEqual([0, ROWS]);
  });

  test("an address that turns from test to live would forget what went there: exit 78, until a person says so", async () => {
    const { server, desk } = await deskWithFile();
    server.use(({ number }) => answer(number === 1 ? 401 : 200));
    desk.write("stopped.csv", "from_account,to_account,amount\n50100271828001,60200000000098,8.00\n");
    expect((await desk.run("stopped.csv")).code).toBe(7);
    expect((await desk.run("t.csv")).code).toBe(0);
    desk.env["PAYDROP_ENVIRONMENT"] = "live";
    for (const file of ["t.csv", "corrected.csv"]) {
      desk.write(
        "corrected.csv",
        `${readFileSync(join(desk.folder, "t.csv"), "utf8")}50100271828001,60200000000099,9.00\n`,
      );
      const refused = await desk.run(file);
      expect([refused.code, server.requests.length]).toEqual([78, 1 + ROWS]);
      expect(refused.stderr).toMatch(
        /is live by these settings, and was test before.*\n {2}→ set environment = "test" again/,
      );
    }
    expect([(await desk.run("t.csv", "--accept-destination", "--by", "Asha")).code, server.requests.length]).toEqual([
      0,
      1 + 2 * ROWS,
    ]);
    // said once, for good; and what is live now does not become a test again by itself
    expect((await desk.run("corrected.csv")).counts).toEqual({ held: ROWS, accepted: 1 });
    expect(await noted(desk)).toEqual([`Asha: ${server.url} was test, is live`]);
    desk.env["PAYDROP_ENVIRONMENT"] = "test";
    expect((await desk.run("corrected.csv")).code).toBe(78);
    expect((await desk.run("stopped.csv")).code, "what was begun as a test is no other").toBe(78);
    expect(server.requests).toHaveLength(2 + 2 * ROWS);
  });
});

describe("the state directory", () => {
  test.each(["777", "720", "702"])("that others can write (mode %s) is refused, and nothing is sent", async (mode) => {
    const { server, desk } = await deskWithFile();
    mkdirSync(desk.stateDir);
    chmodSync(desk.stateDir, mode);
    const { code, stderr } = await desk.run("t.csv");
    expect([code, server.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain(`can be written by others (mode ${mode})\n  → make it private: chmod 700 `);
  });

  test.each(["0755", "0750", "0705"])(
    "that others can read (mode %s) is made private, and all in it is",
    async (mode) => {
      const { desk } = await deskWithFile();
      mkdirSync(desk.stateDir);
      chmodSync(desk.stateDir, mode);
      expect((await desk.run("t.csv")).code).toBe(3);
      const modeOf = (name: string): number => statSync(join(desk.stateDir, name)).mode & 0o777;
      expect([".", "journal.db", "lock.db"].map(modeOf)).toEqual([0o700, 0o600, 0o600]);
      // what paydrop laid there, or the system, is no other use of it
      mkdirSync(join(desk.stateDir, "lost+found"));
      chmodSync(desk.stateDir, mode);
      expect((await desk.run("t.csv")).code).toBe(3);
      expect(modeOf(".")).toBe(0o700);
    },
  );

  test("is never a folder that is used for something else: that one would be closed to its other readers", async () => {
    const { server, desk } = await deskWithFile();
    chmodSync(desk.folder, 0o755);
    const { code, stderr } = await desk.run("t.csv", "--state-dir", desk.folder);
    expect([code, server.requests.length]).toEqual([2, 0]);
    expect(stderr).toMatch(/holds other files, such as t\.csv\n {2}→ name a folder of its own/);
    expect(statSync(desk.folder).mode & 0o777).toBe(0o755);
  });

  test("may lie in the folder of the input", async () => {
    const { server, desk } = await deskWithFile();
    expect((await desk.run("t.csv", "--state-dir", join(desk.folder, "state"))).code).toBe(3);
    expect(server.requests).toHaveLength(ROWS);
  });

  test("that is a file is refused", async () => {
    const { server, desk } = await deskWithFile();
    writeFileSync(desk.stateDir, "");
    const { code, stderr } = await desk.run("t.csv");
    expect([code, server.requests.length]).toEqual([74, 0]);
    expect(stderr).toMatch(/cannot be used: it is not a directory\n {2}→ /);
  });

  test.skipIf(!existsSync("/proc/self"))(
    "that cannot be made is refused, also where Node would try for ever",
    async () => {
      const { server, desk } = await deskWithFile();
      const { code, stderr } = await desk.run("t.csv", "--state-dir", "/proc/paydrop/state");
      expect([code, server.requests.length]).toEqual([74, 0]);
      expect(stderr).toMatch(/the state directory \/proc\/paydrop\/state cannot be used: ENOENT.*\n {2}→ name another/);
    },
  );
});

test("a missing input file is exit 2, and leaves no mark", async () => {
  const { server, desk } = await deskWithFile();
  expect((await desk.run("other.csv")).code).toBe(2);
  expect(server.requests).toHaveLength(0);
  expect(existsSync(join(desk.folder, "other.csv.summary.json"))).toBe(false);
});
