import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { transferCsv, transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { openOffice, type Office } from "../support/people.ts";
import { until } from "../support/until.ts";

const ACCEPT = ["--accept-lost-journal", "--by", "Asha"];
const UNREAD = /batch \w+ stays as it is: .*y cannot be read \(ELOOP\)/i;

/** An office where the third row of these files was refused for the key; the same bytes lie in `in/a.csv` and `y/a.csv`. */
async function withRowLeft(...names: string[]): Promise<{ office: Office; batch: string }> {
  const office = await openOffice(({ number }) => answer(number < 3 ? 200 : 401), { PAYDROP_SETTLE: "10ms" });
  for (const folder of ["in", "y"]) {
    mkdirSync(join(office.folder, folder));
    office.write(`${folder}/a.csv`, transfersCsv(3));
  }
  for (const name of names) expect((await office.run(name, "--concurrency", "1")).code).toBe(7);
  office.server.use(() => answer(200));
  return { office, batch: office.batchOf(names[0] ?? "") };
}

/** Nobody can read the folder any more: a loop of links stands in its place. */
function close(office: Office): void {
  renameSync(join(office.folder, "y"), join(office.folder, "y.kept"));
  symlinkSync("y", join(office.folder, "y"));
}

function open(office: Office): void {
  rmSync(join(office.folder, "y"));
  renameSync(join(office.folder, "y.kept"), join(office.folder, "y"));
}

describe("another place that a batch was taken from cannot be read", () => {
  test("its rows stay, what keeps them is told beside its file, and the other files of the folder go", async () => {
    const { office, batch } = await withRowLeft("y/a.csv");
    close(office);
    office.write("in/zz.csv", transferCsv("ACC-OTHER"));
    const { code, stderr } = await office.run("in");
    expect([code, office.server.requests.length]).toEqual([74, 4]);
    expect(stderr).toMatch(UNREAD);
    expect(office.statuses("in/zz.csv")).toEqual({ 2: "accepted" });
    const waiting = join(office.folder, "in", "a.csv.waiting.txt");
    expect(readFileSync(waiting, "utf8")).toMatch(UNREAD);
    expect((await office.paydrop("status", batch)).stdout).toMatch(/1 rejected|rejected +1/);
    office.write("b.csv", transferCsv("ACC-NAMED"));
    expect((await office.paydrop("run", "in/a.csv", "b.csv")).code).toBe(74);
    expect(office.statuses("b.csv")).toEqual({ 2: "accepted" });
    open(office);
    expect((await office.run("in")).code).toBe(0);
    expect([office.server.requests.length, existsSync(waiting)]).toEqual([6, false]);
  });

  test("a person's word lets them go, and is in the history", async () => {
    const { office, batch } = await withRowLeft("y/a.csv");
    close(office);
    expect((await office.run("in", ...ACCEPT)).code).toBe(0);
    expect(office.server.requests).toHaveLength(4);
    expect((await office.paydrop("status", batch)).stdout).toMatch(/Asha.*y cannot be read/);
  });

  test("nor is its file taken as a batch of another period before a person says so", async () => {
    const { office } = await withRowLeft("y/a.csv");
    close(office);
    office.write("in/zz.csv", transferCsv("ACC-OTHER"));
    const period = ["--period", "2026-11"];
    const { code, stderr } = await office.run("in", ...period);
    expect([code, office.server.requests.length]).toEqual([74, 4]);
    expect(stderr).toMatch(/a\.csv may repeat rows of batch \w+: .*y cannot be read/);
    expect((await office.run("in", ...period, ...ACCEPT)).code).not.toBe(74);
  });

  test("a batch with nothing left is nothing to do, and its results can be written", async () => {
    const { office, batch } = await withRowLeft("in/a.csv");
    expect((await office.run("y/a.csv")).code).toBe(0);
    close(office);
    for (const command of [
      ["run", "in/a.csv"],
      ["results", batch],
    ]) {
      expect([command, (await office.paydrop(...command)).code]).toEqual([command, 0]);
    }
    expect(office.server.requests).toHaveLength(4);
  });

  test("a watch goes on with the other files, and nothing is left to it that it would not send", async () => {
    const { office, batch } = await withRowLeft("in/a.csv", "y/a.csv");
    close(office);
    const watch = office.start("watch", "in");
    await until("its failure", () => UNREAD.test(watch.stderr()));
    const refused = await office.paydrop("retry", batch);
    expect([refused.code, refused.stdout]).toEqual([74, ""]);
    expect(refused.stderr).toMatch(UNREAD);
    expect((await office.paydrop("retry", batch, ...ACCEPT)).code).toBe(75);
    office.write("in/zz.csv", transferCsv("ACC-OTHER"));
    await until("the other file", () => office.statuses("in/zz.csv")["2"] === "accepted");
    open(office);
    expect((await office.paydrop("retry", batch)).stdout).toContain("the rows are left to it");
    await until("the row", () => office.statuses("in/a.csv")["4"] === "accepted");
    expect(watch.child.exitCode).toBe(null);
  });
});
