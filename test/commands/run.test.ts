import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Ended } from "../support/paydrop.ts";
import { paydrop, temporaryFolder } from "../support/paydrop.ts";

/** A folder with the template of option B, whose example rows only the sandbox takes. */
async function folderWithTemplate(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "try.csv"), (await paydrop(["template", "payout"])).stdout);
  return folder;
}

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("run --sandbox", () => {
  test("a name that is not there among others is told before any of them is sent", async () => {
    const folder = await folderWithTemplate();
    const { code, stdout, stderr } = await paydrop(["run", "--sandbox", "try.csv", "tri.csv"], {}, folder);
    expect([code, readdirSync(folder)]).toEqual([2, ["try.csv"]]);
    expect(stderr).toMatch(/tri\.csv: there is no such file\n.*Did you mean try\.csv\?.*Nothing was sent/);
    expect(stdout).not.toContain("accepted");
  });

  test("needs no keys, tells that no money moves, and writes the results beside the file", async () => {
    const folder = await folderWithTemplate();
    const { code, stdout, stderr } = await paydrop(["run", "--sandbox", "try.csv"], {}, folder);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^SANDBOX: nothing here moves money\.\n/);
    expect(stdout).toMatch(/✓ accepted +2 +3000\.00/);
    expect(stderr).toMatch(/^\S+Z \w{8} start file=try\.csv rows=2 total=3000\.00\n/);
    expect(stderr).toMatch(/ end accepted=2 .*exit=0\n$/);
    expect(readFileSync(join(folder, "try.csv.results.csv"), "utf8")).toContain("accepted");
    expect(stdout + stderr).not.toContain("\u001b");
  });

  test("results that cannot lie beside the file are where it says, and nothing else of the trial stays", async () => {
    const folder = await folderWithTemplate();
    mkdirSync(join(folder, "try.csv.results.csv"));
    const scratch = temporaryFolder();
    const { code, stdout } = await paydrop(["run", "--sandbox", "try.csv"], { TMPDIR: scratch }, folder);
    expect(code).toBe(74);
    const path = /^results +(\S+)$/m.exec(stdout)?.[1] ?? "";
    expect(path.startsWith(scratch)).toBe(true);
    expect(readFileSync(path, "utf8")).toContain("accepted");
    const [left = ""] = readdirSync(scratch);
    expect(readdirSync(scratch)).toEqual([left]);
    expect(readdirSync(join(scratch, left))).toEqual(["results"]);
  });

  test("a variable that reads like one of ours is named first, by a person who may need it", async () => {
    const folder = await folderWithTemplate();
    const { stderr } = await paydrop(["run", "--sandbox", "try.csv"], { PAYDROP_CONCURENCY: "1" }, folder);
    expect(stderr).toMatch(/^.*PAYDROP_CONCURENCY.*PAYDROP_CONCURRENCY/);
  });

  test("keys that cannot be read do not stand in its way", async () => {
    const folder = await folderWithTemplate();
    const env = { PAYDROP_AES_KEY_FILE: "/nonexistent/key" };
    expect((await paydrop(["run", "--sandbox", "try.csv"], env, folder)).code).toBe(0);
  });

  test("--quiet prints nothing at all when the exit code is 0", async () => {
    const folder = await folderWithTemplate();
    const ended = await paydrop(["run", "--sandbox", "--quiet", "try.csv"], {}, folder);
    expect(ended).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("--json prints only JSON, the summary last, amounts as text", async () => {
    const folder = await folderWithTemplate();
    const { code, stdout, stderr } = await paydrop(["run", "--sandbox", "--json", "try.csv"], {}, folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = linesOf(stdout);
    expect(lines.map((line) => line["type"])).toEqual(["start", "row", "row", "summary"]);
    expect(lines.at(-1)).toMatchObject({ exit_code: 0, amount: { total: "3000.00" } });
  });

  test("--json ends with a summary also where no batch was made", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "t.csv"), "x,y\n1,2\n");
    const { code, stdout } = await paydrop(["run", "--sandbox", "--json", "t.csv"], {}, folder);
    expect(code).toBe(5);
    expect(linesOf(stdout)).toEqual([{ type: "summary", batches: [], requests: 0, exit_code: 5 }]);
  });

  test("--json ends with the exit code of the process, however well the last of several files went", async () => {
    const folder = await folderWithTemplate();
    writeFileSync(join(folder, "bad.csv"), "x,y\n1,2\n");
    const other = "from_account,to_account,amount\nACC-1,B-1,one\nACC-1,B-2,2.00\n";
    writeFileSync(join(folder, "some.csv"), other);
    const { code, stdout } = await paydrop(
      ["run", "--sandbox", "--json", "bad.csv", "some.csv", "try.csv"],
      {},
      folder,
    );
    expect(code).toBe(5);
    const summaries = linesOf(stdout).filter((line) => line["type"] === "summary");
    expect(summaries.map((line) => line["exit_code"])).toEqual([3, 0, 5]);
    const batches = summaries.slice(0, 2).map((line) => line["batch"]);
    expect(linesOf(stdout).at(-1)).toEqual({ type: "summary", batches, requests: 3, exit_code: 5 });
    const checked = await paydrop(["check", "--json", "bad.csv", "some.csv", "try.csv"], {}, folder);
    expect(linesOf(checked.stdout).at(-1)).toEqual({ type: "summary", files: 3, exit_code: checked.code });
    expect(checked.code).toBe(5);
    const refused = await paydrop(["check", "--json", "bad.csv"], {}, folder);
    expect(linesOf(refused.stdout)).toEqual([{ type: "summary", files: 1, exit_code: 5 }]);
  });

  test("each debit account has at the start what it has at the end: a bad row is of its account, a line of totals of none", async () => {
    const folder = temporaryFolder();
    const rows = ["ACC-1,B-1,100.00", "ACC-2,B-2,50.00", "ACC-2,B-3,6.001", "Total,,150.00"];
    writeFileSync(join(folder, "t.csv"), `from_account,to_account,amount\n${rows.join("\n")}\n`);
    const { stdout } = await paydrop(["run", "--sandbox", "--json", "t.csv"], {}, folder);
    const lines = linesOf(stdout);
    const accountsOf = (line?: Record<string, unknown>): unknown[] =>
      (line?.["by_account"] as Record<string, unknown>[]).map(({ account, rows, total }) => [account, rows, total]);
    const accounts = [["ACC-1", 1, "100.00"], ["ACC-2", 2, "56.001"], ["(none)", 1, "0.00"]]; // prettier-ignore
    expect([accountsOf(lines[0]), accountsOf(lines.at(-1))]).toEqual([accounts, accounts]);
  });

  test("--log-format json makes every line on stderr JSON", async () => {
    const folder = await folderWithTemplate();
    const { code, stderr } = await paydrop(["run", "--sandbox", "--log-format", "json", "try.csv"], {}, folder);
    expect(code).toBe(0);
    expect(linesOf(stderr).map((line) => line["msg"])).toEqual(["start", "end"]);
  });

  test("--log-file holds what went wrong, and with --verbose start and end", async () => {
    const folder = await folderWithTemplate();
    const { stderr } = await paydrop(["run", "--sandbox", "--verbose", "--log-file", "p.log", "try.csv"], {}, folder);
    expect(readFileSync(join(folder, "p.log"), "utf8")).toMatch(/ info start .*rows=2[^]* info end .*accepted=2/);
    expect(stderr).toContain(" start file=try.csv ");
  });

  test("a state folder that is named is kept, and the same file again has nothing to do", async () => {
    const folder = await folderWithTemplate();
    const operands = ["--sandbox", "--json", "--state-dir", "state", "try.csv"];
    expect((await paydrop(["run", ...operands], {}, folder)).code).toBe(0);
    const again = await paydrop(["run", ...operands], {}, folder);
    expect(again.code).toBe(0);
    expect(linesOf(again.stdout).at(-1)).toMatchObject({
      ...{ requests: 0, rows: { accepted: 2 } },
      sent_before: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/) as string,
    });
    const [sandbox, batch, said] = (
      await paydrop(["run", "--sandbox", "--state-dir", "state", "try.csv"], {}, folder)
    ).stdout.split("\n");
    expect([sandbox, batch]).toEqual([expect.stringContaining("SANDBOX"), expect.stringMatching(/^batch /)]);
    expect(said).toMatch(
      /^nothing was sent in this run: every row was accepted before; .+ on \d+ \w+ \d+, \d\d:\d\d UTC$/,
    );
    const results = await paydrop(["results", batch?.slice(6, 14) ?? "", "--state-dir", "state"], {}, folder);
    expect([results.code, results.stdout]).toEqual([0, expect.not.stringContaining("nothing was sent")]);
    expect(existsSync(join(folder, "state"))).toBe(true);
  });

  test("several files run one after the other and the gravest code wins", async () => {
    const folder = await folderWithTemplate();
    writeFileSync(join(folder, "broken.csv"), 'name,amount\n"Asha,100\n');
    const { code, stdout, stderr } = await paydrop(["run", "--sandbox", "broken.csv", "try.csv"], {}, folder);
    expect(code).toBe(5);
    expect(stdout).toMatch(/✓ accepted +2/);
    expect(stderr).toMatch(/^broken\.csv: .+\n {2}→ .+$/m);
  });
});

describe("run", () => {
  test("names every missing variable at once, exits 2, and shows the way without keys", async () => {
    const folder = await folderWithTemplate();
    const { code, stdout, stderr } = await paydrop(["run", "try.csv"], {}, folder);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const name of ["BASE_URL", "API_KEY", "AES_KEY", "AES_IV"]) expect(stderr).toContain(`PAYDROP_${name}`);
    expect(stderr).toContain("--sandbox");
    expect(existsSync(join(folder, "try.csv.results.csv"))).toBe(false);
  });

  test("- is no name of a file: standard input is not read", async () => {
    const folder = await folderWithTemplate();
    writeFileSync(join(folder, "l.csv"), "");
    const { code, stderr } = await paydrop(["run", "--sandbox", "-"], {}, folder);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/-: standard input is not read\n.*Name a file/)]);
    expect(stderr).not.toContain("Did you mean");
  });

  test("a file that is not there exits 2", async () => {
    const { code, stderr } = await paydrop(["run", "--sandbox", "missing.csv"], {}, temporaryFolder());
    expect(code).toBe(2);
    expect(stderr).toContain("missing.csv: there is no such file");
  });
});

describe("check", () => {
  test("needs no keys, sends nothing, writes nothing, and refuses example rows outside the sandbox", async () => {
    const folder = await folderWithTemplate();
    const { code, stdout } = await paydrop(["check", "try.csv"], {}, folder);
    expect(code).toBe(3);
    expect(stdout).toContain("2 invalid");
    expect(stdout).toContain("nothing was sent");
    expect((await paydrop(["check", "--sandbox", "--quiet", "try.csv"], {}, folder)).code).toBe(0);
    expect(existsSync(join(folder, "try.csv.results.csv"))).toBe(false);
  });

  test("a broken key file does not stand in its way", async () => {
    const folder = await folderWithTemplate();
    const { code } = await paydrop(["check", "--sandbox", "try.csv"], { PAYDROP_API_KEY_FILE: "/nonexistent" }, folder);
    expect(code).toBe(0);
  });
});

describe("status and results of a batch", () => {
  async function afterRun(): Promise<{
    folder: string;
    batch: string;
    call: (...operands: string[]) => Promise<Ended>;
  }> {
    const folder = await folderWithTemplate();
    const call = (...operands: string[]): Promise<Ended> => paydrop([...operands, "--state-dir", "state"], {}, folder);
    const { stdout } = await call("run", "--sandbox", "--json", "try.csv");
    return { folder, batch: String(linesOf(stdout)[0]?.["batch"]), call };
  }

  test("status lists it, shows it in full, and has nothing to alert about", async () => {
    const { batch, call } = await afterRun();
    expect((await call("status")).stdout).toContain(batch);
    expect((await call("status", batch)).stdout).toMatch(/accepted +2 +3000\.00/);
    expect(linesOf((await call("status", "--json")).stdout)[0]).toMatchObject({
      type: "batch",
      batch,
      rows: { accepted: 2 },
    });
    expect(await call("status", "--check", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("deleted results come back byte for byte", async () => {
    const { folder, batch, call } = await afterRun();
    const path = join(folder, "try.csv.results.csv");
    const before = readFileSync(path);
    rmSync(path);
    expect((await call("results", batch)).code).toBe(0);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("a batch that is not there exits 2", async () => {
    const { call } = await afterRun();
    expect((await call("status", "NOSUCH00")).code).toBe(2);
    expect((await call("results", "NOSUCH00")).code).toBe(2);
  });

  test("a state folder without a batch is named, and nothing is made there: the user who sends could not open it", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "empty"), { mode: 0o700 });
    for (const state of ["empty", "none"]) {
      const none = `no batch yet in the state folder ${join(folder, state)}\n`;
      expect((await paydrop(["status", "--state-dir", state], {}, folder)).stdout).toBe(none);
      expect((await paydrop(["status", "--unknown", "--state-dir", state], {}, folder)).stdout).toBe(none);
      expect((await paydrop(["results", "K7Q29F3M", "--state-dir", state], {}, folder)).code).toBe(2);
    }
    expect(readdirSync(folder, { recursive: true })).toEqual(["empty"]);
  });

  test("a state folder that cannot be looked at is not one without a batch: a monitor would be content for ever", async () => {
    const folder = temporaryFolder();
    symlinkSync("round", join(folder, "round"));
    for (const operands of [
      ["status", "--check"],
      ["results", "K7Q29F3M"],
    ]) {
      const { code, stderr } = await paydrop([...operands, "--state-dir", "round/state"], {}, folder);
      expect(stderr).toContain(`the state directory ${join(folder, "round/state")} cannot be used: ELOOP`);
      expect(code).toBe(74);
    }
  });
});
