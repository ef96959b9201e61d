import { rmSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import * as status from "../../src/commands/status.ts";
import { takeInstanceLock } from "../../src/sqlite/lock.ts";
import { snapshotPath } from "../../src/state-dir.ts";
import { called, jsonLines } from "../support/call.ts";
import { PAYROLL, SILENT, TestDesk, transfers } from "../support/desk.ts";
import { commitTo } from "../support/commit.ts";

const flagsOf = ({ config }: TestDesk, more: Readonly<Record<string, unknown>> = {}) => ({
  state_dir: config.state_dir,
  ...more,
});

/** One accepted, one refused, one invalid, one unknown row. */
async function mixedDesk(): Promise<{ desk: TestDesk; batch: string }> {
  const desk = await TestDesk.open();
  const file = transfers(["ACC-1", "100.00"], ["ACC-2", "50.50"], ["ACC-3", "x"], ["50100271828999", "7.00"]);
  const { batch } = await desk.run("pay.csv", file, (payload) =>
    payload.includes("ACC-2") ? 422 : payload.includes("50100") ? SILENT : undefined,
  );
  return { desk, batch };
}

test("no batch yet → says which folder was looked into", async () => {
  const desk = await TestDesk.open();
  expect(await called(status, [], flagsOf(desk))).toMatchObject({
    code: 0,
    stdout: `no batch yet in the state folder ${desk.config.state_dir}\n`,
  });
});

test("all batches → two lines for each; --json: one object and a summary", async () => {
  const { desk, batch } = await mixedDesk();
  await desk.run("ok.csv", transfers(["ACC-9", "1.00"]));
  const { stdout } = await called(status, [], flagsOf(desk));
  expect(stdout).toContain(
    `${batch}  open  26 Nov 2026  4 rows  157.50  pay.csv  transfer\n  1 accepted, 1 rejected, 1 unknown, 1 invalid, 2 to correct\n`,
  );
  expect(stdout).toMatch(/ended {2}\d+ \w+ \d+ {2}1 row {2}1\.00 {2}ok\.csv {2}transfer\n {2}1 accepted\n/);
  const lines = jsonLines((await called(status, [], flagsOf(desk, { json: true }))).stdout);
  expect(lines.map(({ type, phase }) => [type, phase])).toEqual([
    ["batch", "open"],
    ["batch", "ended"],
    ["summary", undefined],
  ]);
  expect(lines[0]).toMatchObject({
    batch,
    file: "pay.csv",
    rows: { total: 4, accepted: 1, unknown: 1 },
    amount: { unknown: "7.00" },
  });
});

test("a batch whose rows have their end in later batches → ended", async () => {
  const { desk, batch } = await mixedDesk();
  const { stdout } = await called(status, [batch], flagsOf(desk, { json: true }));
  expect(jsonLines(stdout)[0]).toMatchObject({ phase: "open", open: { unknown: [5], rejected: [3], invalid: [4] } });
  await desk.run("fix.csv", desk.read("pay.csv.retry.csv").replace(",x,", ",3.00,").replace(",50.50,", ",50.40,"));
  expect((await called(status, [], flagsOf(desk))).stdout).toContain(`${batch}  open`);
  await desk.move(batch, "settled_done", [5]);
  expect((await called(status, [], flagsOf(desk))).stdout).toContain(`${batch}  ended`);
});

test("one batch in full → sums, rows to look at, who did what, and what to do, with the flags of the call", async () => {
  const { desk, batch } = await mixedDesk();
  const { stdout } = await called(status, [batch.slice(0, 4).toLowerCase()], flagsOf(desk));
  expect(stdout).toContain("  ? unknown          1            7.00   DO NOT SEND AGAIN before you checked\n");
  expect(stdout).toContain("unknown: row 5\n");
  expect(stdout).toContain(`2026-11-26T09:30:00Z asha@pay1: ran batch ${batch} (3 requests, exit code 4)\n`);
  expect(stdout).toContain(
    `paydrop settle ${batch} --row 5 --as done --by NAME --note TEXT --state-dir ${desk.config.state_dir}\n`,
  );
  await expect(called(status, ["ZZZZ"], flagsOf(desk))).rejects.toMatchObject({ reason: "no_such_batch" });
});

test("--check → the code of the gravest thing that is open", async () => {
  const { desk, batch } = await mixedDesk();
  const code = async () => (await called(status, [], flagsOf(desk, { check: true, quiet: true }))).code;
  expect(await code()).toBe(4);
  await desk.move(batch, "settled_not_done", [5]);
  expect(await code()).toBe(7);
  await desk.store.judging(() =>
    desk.store.move(batch, [{ row: 5, to: "settled_done", from: ["settled_not_done"] }], desk.act("settle")),
  );
  // what nobody corrected is open, until the batch is closed
  expect(await code()).toBe(3);
  await desk.store.setBatch(batch, { phase: "cancelled" }, desk.act("cancel"));
  expect(await code()).toBe(0);
  await desk.run("again.csv", transfers(["ACC-1", "100.00"]));
  expect(await code()).toBe(6);
  await desk.store.holdFolder(desk.folder, "STOP", desk.act("hold_folder"));
  expect(await code()).toBe(7);
});

test("--unknown → what to look up, masked; --csv is a list to fill in", async () => {
  const { desk, batch } = await mixedDesk();
  const { stdout } = await called(status, [], flagsOf(desk, { unknown: true }));
  expect(stdout).toContain(
    `batch ${batch}   row 5   7.00   pay.csv\n  We sent the row but got no answer within 120 s\n  look for a transfer of 7.00 from ACC-OPS-01 to ••8999`,
  );
  const csv = await called(status, [], flagsOf(desk, { unknown: true, csv: true, check: true }));
  expect(csv.code).toBe(4);
  expect(csv.stdout).not.toContain("50100271828999");
  const [row] = parse(csv.stdout, { bom: true, columns: true });
  expect(row).toMatchObject({
    batch,
    row: "5",
    amount: "7.00",
    from_account: "ACC-OPS-01",
    account: "••8999",
    as: "",
    by: "",
    note: "",
  });
  // the list must not fail where the private copy is gone
  const [known] = await desk.store.batches({ id: batch });
  rmSync(snapshotPath(desk.config.state_dir, known?.sha256 ?? ""));
  const lacking = await called(status, [], flagsOf(desk, { unknown: true, json: true }));
  expect(lacking.stderr).toContain(`accounts of batch ${batch} are missing`);
  expect(jsonLines(lacking.stdout)).toMatchObject([
    { type: "unknown", batch, row: 5 },
    { type: "summary", unknown: 1 },
  ]);
});

test("rows to look up → named as their file names them, to people only", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAYROLL, () => SILENT);
  const lines = ["Asha Rao (007) ••8901   SAL-1\n", "Ravi Kumar (••0042) ••0042   ••6789\n"];
  const full = await called(status, [batch], flagsOf(desk));
  expect(full.stdout).toContain(`unknown: rows 2, 3\n  row 2   ${lines[0]}  row 3   ${lines[1]}`);
  const listed = await called(status, [], flagsOf(desk, { unknown: true }));
  for (const line of lines) expect(listed.stdout).toContain(`pay.csv\n  ${line}  We sent`);
  const csv = parse((await called(status, [], flagsOf(desk, { unknown: true, csv: true }))).stdout, { bom: true });
  expect(csv.map((cells) => cells.slice(-4))).toEqual([
    ["note", "name", "employee_no", "reference"],
    ["", "Asha Rao", "007", "SAL-1"],
    ["", "Ravi Kumar", "••0042", "••6789"],
  ]);
  const json = (await called(status, [batch], flagsOf(desk, { json: true }))).stdout;
  expect(json, "what programs keep").not.toMatch(/Asha|007|SAL-1/);
  const [known] = await desk.store.batches({ id: batch });
  rmSync(snapshotPath(desk.config.state_dir, known?.sha256 ?? ""));
  const bare = await called(status, [batch], flagsOf(desk));
  expect(bare.stdout).toContain("unknown: rows 2, 3\n2026");
  expect(bare.stdout).not.toMatch(/Asha|SAL-1/);
  expect(bare.stderr).toContain(`names and accounts of batch ${batch} are missing`);
});

test("--acts → who did what since a day", async () => {
  const { desk, batch } = await mixedDesk();
  await desk.move(batch, "settled_done", [5]);
  const since = (day: string, more = {}) => called(status, [], flagsOf(desk, { acts: true, since: day, ...more }));
  expect((await since("2026-11-26")).stdout).toBe(
    `2026-11-26T09:30:00Z Asha Rao (asha@pay1): settled row 5 of batch ${batch}\n` +
      `2026-11-26T09:30:00Z asha@pay1: ran batch ${batch} (3 requests, exit code 4)\n`,
  );
  expect((await since("2026-11-27")).stdout).toBe("nobody did anything since 27 Nov 2026\n");
  expect((await since("2026-11-01", { csv: true })).stdout).toContain(`,Asha Rao,asha,pay1,settle,${batch},5,`);
  await expect(since("last week")).rejects.toMatchObject({ reason: "no_day" });
});

test("rows on their way → of a process that is alive; of a killed run → when they were sent, and that it was killed", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", transfers(["ACC-1", "1.00"], ["ACC-2", "2.00"]), () => SILENT);
  await desk.move(batch, "settled_not_done", [2, 3]);
  const act = desk.act("retry");
  await desk.store.judging(() => desk.store.move(batch, [{ row: 2, to: "ready", from: ["settled_not_done"] }], act));
  await desk.store.beginRun(batch, act, desk.now);
  await commitTo(desk.store, batch, [], 1);
  const lock = takeInstanceLock(desk.config.state_dir);
  const live = (await called(status, [batch], flagsOf(desk))).stdout;
  lock.release();
  expect(live).not.toContain("? unknown");
  expect(live).toMatch(/1 row is on the way at this moment[^]*ran batch \w+ \(is running\)/);
  expect(live).not.toContain("look up");
  await desk.store.recover(act);
  expect((await called(status, [batch], flagsOf(desk))).stdout).toMatch(
    /\(was killed; how many requests it sent is not known\)[^]*paydrop on pay1: after a crash called unknown row 2/,
  );
  const unknown = (await called(status, [], flagsOf(desk, { unknown: true }))).stdout;
  expect(unknown).toMatch(/sent between 2026-11-26T09:30:00Z and 20\d\d-/);
});
