import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as journal from "../../src/commands/journal.ts";
import * as results from "../../src/commands/results-report.ts";
import * as status from "../../src/commands/status.ts";
import { askRelease } from "../../src/journal/release.ts";
import { Postgres } from "../../src/postgres/postgres.ts";
import { called, type CallShape } from "../support/calls.ts";
import { SILENT, TestDesk, transfers } from "../support/desk.ts";
import { paydrop } from "../support/paydrop.ts";
import { describePostgres, freshDatabase } from "../support/postgres.ts";
import { JOURNAL_KEY } from "../support/shared-desk.ts";

const ENV = { PAYDROP_JOURNAL_KEY: JOURNAL_KEY };
const PAYROLL = transfers(["ACC-1", "1000.00"], ["ACC-2", "2000.50"], ["ACC-3", "3000.00"], ["ACC-4", "400.00"]);

/** Batches with rows in every state, and the commands that tell of them, before and after the move. */
async function usedDesk() {
  const desk = await TestDesk.open({ period: "2026-11" });
  const answers = (payload: string) =>
    payload.includes("ACC-2") ? 422 : payload.includes("ACC-3") ? SILENT : undefined;
  const paid = await desk.run("pay.csv", PAYROLL, answers);
  const mixed = await desk.run(
    "mixed.csv",
    transfers(["ACC-7", "7.00"], ["ACC-7", "7.00"], ["ACC-8", "x"], ["ACC-9", "9.00"]),
  );
  const stopped = await desk.run(
    "stopped.csv",
    transfers(["ACC-11", "11.00"], ["ACC-12", "12.00"], ["ACC-13", "13.00"]),
    () => 401,
  );
  await desk.move(stopped.batch, "cancelled", [3]);
  await desk.move(paid.batch, "settled_not_done", [4]);
  const again = await desk.run("more.csv", transfers(["ACC-21", "21.00"], ["ACC-22", "22.00"]), () => SILENT);
  await desk.store.close();
  const url = await freshDatabase();
  const shared = (operands: readonly string[], flags: CallShape["flags"] = {}) =>
    ({ operands, flags: { ...local, journal_url: url, ...flags }, env: ENV }) satisfies CallShape;
  const local = { state_dir: desk.config.state_dir, base_url: desk.config.base_url };
  const copied = () => called(journal.run, { operands: ["copy"], flags: { ...local, to: url }, env: ENV });
  const ids = [paid, mixed, stopped, again].map(({ batch }) => batch) as [string, string, string, string];
  return { desk, ids, url, local, shared, copied };
}

describePostgres("a journal that moves to Postgres", () => {
  test("status, report and results → the same before and after", async () => {
    const { desk, ids, local, shared, copied } = await usedDesk();
    const told = async (shapeOf: (operands: readonly string[], flags?: CallShape["flags"]) => CallShape) => {
      const texts = [await called(status.run, shapeOf([], { acts: true, json: true }))];
      for (const flags of [{}, { unknown: true }]) texts.push(await called(status.run, shapeOf([], flags)));
      for (const id of ids) {
        texts.push(await called(status.run, shapeOf([id], { json: true })));
        await called(results.results, shapeOf([id]));
        texts.push(await called(results.report, shapeOf([id])));
      }
      const files = readdirSync(desk.folder).filter((name) => /\.csv\./.test(name));
      const bytes = files.map((name) => [name, readFileSync(join(desk.folder, name), "utf8")]);
      return JSON.stringify([texts.map(({ code, stdout }) => [code, stdout]), bytes])
        .replaceAll(` --state-dir ${desk.config.state_dir}`, "")
        .replaceAll(/"(?:duration_ms|ms)":\d+|\d+ ms/g, "");
    };
    const before = await told((operands, flags = {}) => ({ operands, flags: { ...local, ...flags } }));
    expect(await copied()).toMatchObject({ code: 0, stderr: "" });
    expect(await told(shared)).toEqual(before);
  });

  test("the same file again → sends nothing; next month's goes; a held row is released", async () => {
    const { desk, ids, url, local, copied } = await usedDesk();
    expect((await copied()).stdout).toMatch(/^4 batches with 13 rows went from .* to 127\.0\.0\.1:\d+\/test_\w+\./);
    const { folder } = desk;
    const moved = await TestDesk.at(folder, { ...local, journal_url: url, period: "2026-11" }, ENV);
    expect(await moved.run("pay.csv")).toMatchObject({ batch: ids[0], requests: 0 });
    const copy = await moved.run("copy.csv", `${PAYROLL}ACC-OPS-01,ACC-5,5.00,\r\n`);
    expect(copy.byStatus).toMatchObject({ duplicate: { rows: 2 }, accepted: { rows: 3 } });
    expect(await moved.run("more.csv")).toMatchObject({
      batch: ids[3],
      requests: 0,
      byStatus: { unknown: { rows: 2 } },
    });
    expect(await moved.run("stopped.csv")).toMatchObject({ batch: ids[2], requests: 2 });

    const held = await moved.store.rows({ batch: ids[1], states: ["held"] });
    expect(held).toMatchObject([{ row: 3 }]);
    await moved.store.judging(async () => {
      const { moves } = await askRelease(moved.store, { id: ids[1] }, [3], {
        ...{ rules: moved.config, now: moved.now, act: moved.act("release") },
      });
      await moved.store.move(ids[1], moves, moved.act("release"));
    });
    expect(await moved.store.rows({ batch: ids[1], rows: [3] })).toMatchObject([{ state: "ready", onItsWay: false }]);
    expect(await moved.run("mixed.csv")).toMatchObject({ batch: ids[1], requests: 1 });
    moved.config = { ...moved.config, period: "2026-12" };
    moved.now += 30 * 86_400_000;
    expect(await moved.run("dec.csv", PAYROLL)).toMatchObject({ requests: 4, byStatus: { accepted: { rows: 4 } } });
  });

  test("the old journal → every command ends with 74, also one that was open", async () => {
    const { desk, local, copied } = await usedDesk();
    const open = await TestDesk.at(desk.folder, local, {});
    await copied();
    const act = open.act("cancel");
    await expect(open.store.holdFolder(desk.folder, "STOP", act)).rejects.toMatchObject({ reason: "journal_moved" });
    for (const run of [status.run, journal.run]) {
      const told = await called(run, {
        operands: run === status.run ? [] : ["copy"],
        flags: { ...local, to: await freshDatabase() },
        env: ENV,
      });
      expect(told).toMatchObject({ code: 74, stdout: "" });
      expect(told.stderr).toMatch(/ was moved to 127\.0\.0\.1:\d+\/test_\w+ at 2026-/);
    }
  });

  test.for(["crash@commit.after:1", "crash@commit.before:2"])(
    "killed at %s → neither goes on by itself, and the move ends once more",
    async (fault) => {
      const { desk, url, local, copied } = await usedDesk();
      const args = ["journal", "copy", "--to", url, "--state-dir", desk.config.state_dir];
      await paydrop(args, { ...ENV, PAYDROP_TEST: "1", PAYDROP_FAULT: fault });
      const early = await called(status.run, { flags: local });
      expect(early).toMatchObject({ code: 74, stdout: "" });
      expect(early.stderr).toContain(" is being moved to ");
      const other = { operands: ["copy"], flags: { ...local, to: await freshDatabase() }, env: ENV };
      expect(await called(journal.run, other)).toMatchObject({ code: 74 });
      expect(await copied()).toMatchObject({ code: 0, stderr: "" });
      expect((await called(status.run, { flags: local })).stderr).toContain(" was moved to ");
    },
  );

  test("a database that is in use, filled or of another key → nothing was moved", async () => {
    const { desk, url, local, copied } = await usedDesk();
    const other = await TestDesk.open({ journal_url: url }, ENV);
    expect((await copied()).stderr).toContain("another paydrop works with");
    await other.run("other.csv", transfers(["ACC-1", "1.00"]));
    await other.store.close();
    expect((await copied()).stderr).toContain("holds a journal already");
    const postgres = await Postgres.open({ url });
    await postgres.query("UPDATE meta SET value = 'x' WHERE key = 'fingerprint'");
    await postgres.close();
    expect((await copied()).code).toBe(78);
    expect(await called(status.run, { flags: local })).toMatchObject({ code: 0 });
    expect(desk.names()).toContain("pay.csv");
  });
});
