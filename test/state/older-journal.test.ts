import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import { answer, type FaultServer } from "../support/fault-server.ts";
import { runProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";

function summaryOf(desk: Desk, name = "t.csv"): Record<string, unknown> {
  return JSON.parse(readFileSync(join(desk.folder, `${name}.summary.json`), "utf8")) as Record<string, unknown>;
}

describe("a journal that was restored from a backup, and is older than what went since", () => {
  /** The service refuses the key until the backup was made; what goes after it is not in the journal any more. */
  async function restored(
    names: readonly string[],
    later: Readonly<Record<string, string>> = {},
  ): Promise<{ server: FaultServer; desk: Desk; batch: string; sent: number }> {
    const server = await startService();
    const desk = openDesk(server.url);
    desk.write("t.csv", transfersCsv(3));
    mkdirSync(join(desk.folder, "copies"));
    desk.write("copies/u.csv", transfersCsv(3));
    server.use(({ number }) => answer(number === 1 ? 200 : 401));
    for (const name of names) expect((await desk.run(name, "--concurrency", "1")).code).toBe(7);
    const backup = `${desk.stateDir}.backup`;
    cpSync(desk.stateDir, backup, { recursive: true });
    server.use(() => answer(200));
    expect((await desk.run(names.at(-1) ?? "")).code).toBe(0);
    for (const [name, text] of Object.entries(later)) {
      desk.write(name, text);
      expect((await desk.run(name)).code).toBe(0);
    }
    rmSync(desk.stateDir, { recursive: true });
    renameSync(backup, desk.stateDir);
    return { server, desk, batch: String(summaryOf(desk, names[0])["batch"]), sent: server.requests.length };
  }

  test("sends nothing of the same file from another folder, and leaves what lies in the first one", async () => {
    const { server, desk, sent } = await restored(["t.csv"]);
    const summary = summaryOf(desk);
    const { code, stderr } = await desk.run("copies/u.csv");
    expect([code, server.requests.length]).toEqual([74, sent]);
    expect(stderr).toContain("the journal is older than t.csv.summary.json");
    expect(summaryOf(desk)).toEqual(summary);
    const accepted = await desk.run("copies/u.csv", "--accept-lost-journal", "--by", "Asha");
    expect([accepted.code, server.requests.length]).toEqual([0, sent + 2]);
  });

  test("nor when a person says retry, and only a copy of the file tells of it", async () => {
    const { server, desk, batch, sent } = await restored(["t.csv", "copies/u.csv"]);
    rmSync(join(desk.folder, "t.csv.summary.json"));
    const { code } = await runProgram(["retry", batch], { env: desk.env });
    expect([code, server.requests.length]).toEqual([74, sent]);
  });

  test("nor of a copy for which another period is stated: a new batch, of bytes that are known", async () => {
    const { server, desk, sent } = await restored(["t.csv"]);
    const { code, stderr } = await desk.run("copies/u.csv", "--period", "2026-11");
    expect([code, server.requests.length]).toEqual([74, sent]);
    expect(stderr).toContain("the journal is older than t.csv.summary.json");
    const accepted = await desk.run("copies/u.csv", "--period", "2026-11", "--accept-lost-journal", "--by", "Asha");
    expect(accepted.code).not.toBe(74);
    const { stdout } = await runProgram(["status", String(summaryOf(desk, "copies/u.csv")["batch"])], {
      env: desk.env,
    });
    expect(stdout).toMatch(/Asha.*accept.lost.journal/);
  });

  test("nor of a row that corrects one of the same batch", async () => {
    const { server, desk, batch, sent } = await restored(["t.csv"]);
    mkdirSync(join(desk.folder, "mended"));
    const [header = "", row = ""] = transfersCsv(3).split("\n").toSpliced(1, 2);
    desk.write("mended/c.csv", `${header},retry_of\n${row.replace("103.00", "103.50")},${batch}:4\n`);
    const { code, stderr } = await desk.run("mended/c.csv");
    expect([code, server.requests.length]).toEqual([74, sent]);
    expect(stderr).toContain("the journal is older than t.csv.summary.json");
    expect((await runProgram(["status"], { env: desk.env })).stdout).not.toContain("c.csv");
  });

  test("nor where only a later file of the first folder tells of it", async () => {
    const { server, desk, sent } = await restored(["t.csv"], {
      "later.csv": transfersCsv(9).replaceAll(",60200", ",70200"),
    });
    rmSync(join(desk.folder, "t.csv.summary.json"));
    const { code, stderr } = await desk.run("copies/u.csv");
    expect([code, server.requests.length]).toEqual([74, sent]);
    expect(stderr).toContain("the journal is older than later.csv.summary.json");
  });
});
