import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { backup, purge } from "../../src/commands/backup-purge.ts";
import { cancel } from "../../src/commands/pause-cancel.ts";
import { release, retry } from "../../src/commands/release-retry-resume.ts";
import * as settle from "../../src/commands/settle.ts";
import * as status from "../../src/commands/status.ts";
import type { FileRefusedError } from "../../src/errors.ts";
import { takeInstanceLock } from "../../src/sqlite/lock.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import { called, type Called } from "../support/call.ts";
import { called as calledToSend } from "../support/calls.ts";
import { SILENT, TestDesk, transfers } from "../support/desk.ts";
import { commitTo } from "../support/commit.ts";

const PAID = transfers(["ACC-1", "100.00"], ["ACC-2", "50.50"], ["ACC-3", "7.00"]);
const BY = { by: "Asha Rao", note: "dashboard 26 Nov", reason: "two payments are meant" };

async function statesOf({ store }: TestDesk, batch: string): Promise<string> {
  return (await store.rows({ batch })).map(({ state }) => state).join(" ");
}

test("held rows that were paid before → let go only by their sum, and nothing goes without it", async () => {
  const desk = await TestDesk.open();
  await desk.run("pay.csv", PAID);
  const { batch } = await desk.run("again.csv", PAID.replaceAll("\r\n", "\n"));
  expect(await statesOf(desk, batch)).toBe("held held held");
  const flags = { state_dir: desk.config.state_dir, base_url: "http://127.0.0.1:1", environment: "test", ...BY };
  for (const total of [undefined, "157.51", "157.5 0", ""]) {
    const more = { all: true, ...(total === undefined ? {} : { total }) };
    const said = { operands: [batch], flags: { ...flags, ...more }, env: { PAYDROP_API_KEY: "key-of-this-test" } };
    expect(await calledToSend(release, said), total).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("157.50") as string,
    });
  }
  const keyless = { operands: [batch], flags: { ...flags, all: true, total: "157.50" }, env: {} };
  expect(await calledToSend(release, keyless)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("PAYDROP_API_KEY") as string,
  });
  expect(await statesOf(desk, batch)).toBe("held held held");
});

test("an accepted row is settled as not done → only by its amount; the act says who", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAID);
  const said = (more: object) =>
    called(settle, [batch], { ...BY, state_dir: desk.config.state_dir, row: ["3"], as: "not-done", ...more });
  for (const total of [undefined, "50.51", "100.00"]) {
    await expect(said({ total })).rejects.toMatchObject({ reason: "settle_accepted" });
  }
  expect(await statesOf(desk, batch)).toBe("accepted accepted accepted");
  expect((await said({ total: "50.5" })).code).toBe(0);
  expect(await statesOf(desk, batch)).toBe("accepted settled_not_done accepted");
  const as = "not-done, accepted before";
  expect((await desk.store.acts({ batch })).at(-1)).toMatchObject({ kind: "settle", by: "Asha Rao", rows: [3], as });
  await expect(said({ row: ["2,4"], total: "100.00" })).rejects.toMatchObject({ reason: "settle_accepted" });
  expect((await said({ row: ["2,4"], total: "107" })).code).toBe(0);
  expect(await statesOf(desk, batch)).toBe("settled_not_done settled_not_done settled_not_done");
});

test("an accepted row is released, for a program → exit 2 and an error that says why", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAID);
  const flags = { state_dir: desk.config.state_dir, base_url: "http://127.0.0.1:1", environment: "test", ...BY };
  const said = { operands: [batch], flags: { ...flags, row: ["2"], json: true }, env: { PAYDROP_API_KEY: "key" } };
  const { code, stderr } = await calledToSend(release, said);
  expect([code, JSON.parse(stderr)]).toMatchObject([
    2,
    { type: "error", code: "usage", message: "Row 2 is not held", exit_code: 2 },
  ]);
});

test("rows that a person names and that are not there, or went → 2 in settle, release and cancel, and nothing is changed", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAID);
  const flags = { state_dir: desk.config.state_dir, base_url: "http://127.0.0.1:1", environment: "test", ...BY };
  for (const row of ["3", "99"]) {
    for (const command of [release, cancel, settle.run]) {
      const said = { operands: [batch], flags: { ...flags, row: [row], as: "done" }, env: { PAYDROP_API_KEY: "key" } };
      expect(await calledToSend(command, said), row).toMatchObject({ code: 2 });
    }
  }
  const [, row] = [await called({ run: cancel }, [batch], flags), await desk.store.acts({ batch })];
  expect(row).toMatchObject([{ kind: "cancel", by: "Asha Rao", note: "two payments are meant" }]);
});

test("a retry whose rows were paid meanwhile → nothing goes, they are held, exit 6", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAID, () => 422);
  await desk.run("again.csv", PAID.replaceAll("\r\n", "\n"));
  const flags = { state_dir: desk.config.state_dir, base_url: "http://127.0.0.1:1", environment: "test", ...BY };
  const said = { operands: [batch], flags: { ...flags, rejected: true }, env: { PAYDROP_API_KEY: "key" } };
  expect(await calledToSend(retry, said)).toMatchObject({ code: 6 });
  expect(await statesOf(desk, batch)).toBe("held held held");
});

test("purge → private copies that no open batch needs are gone, also of lookup tables; its payments are still known", async () => {
  const desk = await TestDesk.open();
  await desk.run("pay.csv", PAID);
  const open = await desk.run("again.csv", PAID.replaceAll("\r\n", "\n"));
  const copies = join(desk.config.state_dir, "snapshots");
  writeFileSync(join(copies, "f".repeat(64)), "a lookup table");
  const gone = await desk.run("gone.csv", transfers(["ACC-9", "1.00"]));
  const purged = (before: string) => called({ run: purge }, [], { state_dir: desk.config.state_dir, before });
  await expect(purged("2099-01-01")).rejects.toMatchObject({ reason: "day_ahead" });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2099, 0, 2) });
  onTestFinished(() => void vi.useRealTimers());
  await purged("2099-01-01");
  expect((await desk.store.acts({ batch: gone.batch })).map(({ kind }) => kind)).toEqual(["purge"]);
  const [batch] = await desk.store.batches({ id: open.batch });
  expect(readdirSync(copies).sort()).toEqual([`${open.batch}.spool`, batch?.sha256].sort());
  expect(await statesOf(desk, open.batch)).toBe("held held held");
});

test("purge → who brought a file is known as long as its batch is open, or it was not taken", async () => {
  const desk = await TestDesk.open();
  const gone = await desk.run("gone.csv", transfers(["ACC-9", "1.00"]));
  const open = await desk.run("open.csv", transfers(["ACC-8", "2.00"]), () => SILENT);
  const of = async ({ batch }: { readonly batch: string }) =>
    (await desk.store.batches({ id: batch }))[0]?.sha256 ?? "";
  const brought = { old: await of(gone), open: await of(open), "not taken": "a".repeat(64), new: await of(gone) };
  for (const [name, sha256] of Object.entries(brought))
    await desk.store.keep("upload", name, { by: "Asha", sha256, at: name === "new" ? Date.UTC(2099, 0, 1) : 1 });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2099, 0, 2) });
  onTestFinished(() => void vi.useRealTimers());
  await called({ run: purge }, [], { state_dir: desk.config.state_dir, before: "2099-01-02" });
  expect((await desk.store.kept("upload")).map(({ name }) => name)).toEqual(["new", "not taken", "open"]);
});

test("backup → a state folder that can take its place: journal, copies and payloads", async () => {
  const desk = await TestDesk.open();
  await desk.run("pay.csv", PAID);
  const { batch } = await desk.run("again.csv", PAID.replaceAll("\r\n", "\n"));
  const copy = join(desk.config.state_dir, "..", "copy");
  expect(await called({ run: backup }, [copy], { state_dir: desk.config.state_dir })).toMatchObject({ code: 0 });
  expect(readdirSync(join(copy, "snapshots")).sort()).toEqual(
    readdirSync(join(desk.config.state_dir, "snapshots")).sort(),
  );
  expect((await called(status, [batch], { state_dir: copy })).stdout).toContain("held: rows 2-4");
});

test("a row on its way → nobody settles it", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAID, (payload) => (payload.includes("ACC-1") ? 401 : 200));
  const [going] = (await commitTo(desk.store, batch, [], 1)).leaving;
  // else nobody sends, and what was on its way is unknown
  const lock = takeInstanceLock(desk.config.state_dir);
  onTestFinished(() => lock.release());
  const flags = { ...BY, state_dir: desk.config.state_dir, row: [String(going?.row)], as: "done" };
  await expect(called(settle, [batch], flags)).rejects.toMatchObject({ reason: "settle_too_soon" });
});

test("two colleagues settle one row at the same moment → one stands, or it is held; the other is told whose", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAID, (payload) => (payload.includes("ACC-1") ? SILENT : undefined));
  const flags = { state_dir: desk.config.state_dir, row: ["2"], note: "dashboard" };
  const settled = (by: string, as: string) => called(settle, [batch], { ...flags, by, as });
  const said = await Promise.all([settled("Asha", "done"), settled("Ravi", "not-done")]);
  const [{ settledBy = "", state } = {}] = await desk.store.rows({ batch, rows: [2] });
  // not done, and then done: neither word lets it go
  const [word, code, words] = state === "held" ? ["settled as not done", 6, 2] : ["settled as done", 2, 1];
  expect(state).toMatch(/^(?:held|settled_done)$/);
  expect(said.map((one) => one.code).sort()).toEqual([0, code]);
  expect(said.find((one) => one.code === code)?.stdout).toContain(`was ${word} by ${settledBy} before you`);
  expect((await desk.store.acts({ batch })).filter(({ kind }) => kind === "settle")).toHaveLength(words);
});

test("a list whose column was sorted alone, or that is of an earlier try → nothing of it is settled", async () => {
  const desk = await TestDesk.open({ concurrency: "4" });
  const { batch } = await desk.run("pay.csv", PAID, (payload) => (payload.includes("ACC-2") ? undefined : SILENT));
  expect(await statesOf(desk, batch)).toBe("unknown accepted unknown");
  const flags = { state_dir: desk.config.state_dir };
  const { stdout } = await called(status, [], { ...flags, unknown: true, csv: true });
  const filled = stdout.replace(/,,,,,,\s*$/gm, ',done,Asha Rao,"seen",,,\r');
  expect(filled).toContain("seen");
  const settled = async (text: string): Promise<unknown> => {
    const from = desk.write("list.csv", text);
    return called(settle, [], { ...flags, from }).catch((error: unknown) =>
      (error as FileRefusedError).faults.map(({ code }) => code),
    );
  };
  expect(await settled(filled.replace("100.00", "7.00"))).toEqual(["list_moved"]);
  expect(await statesOf(desk, batch)).toBe("unknown accepted unknown");
  await desk.move(batch, "settled_not_done", [2]);
  const { code, stdout: said } = (await settled(filled)) as Called;
  expect([code, said]).toEqual([6, expect.stringMatching(/Row 4 .* is settled as done[^]*Row 2 .* It is held/)]);
  const early = filled.replaceAll(",done,", ",not-done,");
  expect(await settled(early)).toMatchObject({ code: 2 });
  expect(await statesOf(desk, batch)).toBe("held accepted settled_done");
});

test("a row is on its way when its process is killed, twice → the list of the first time settles nothing", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAID, (payload) => (payload.includes("ACC-1") ? 401 : 200));
  const flags = { state_dir: desk.config.state_dir };
  const [{ row } = { row: 0 }] = (await commitTo(desk.store, batch, [], 1)).leaving;
  const list = (await called(status, [], { ...flags, unknown: true, csv: true })).stdout;
  const from = desk.write("list.csv", list.replace(/,,,,,,\s*$/gm, ',done,Asha Rao,"seen",,,\r'));
  expect(await desk.store.rows({ batch, rows: [row] })).toMatchObject([{ state: "unknown", attempts: 1 }]);
  await called(settle, [batch], { ...flags, ...BY, row: [String(row)], as: "not-done" });
  const again = [{ row, to: "ready", from: ["settled_not_done"] }] as const;
  await desk.store.judging(() => desk.store.move(batch, again, desk.act("retry")));
  const next = await openJournal(desk.config.state_dir);
  await commitTo(next, batch, [], 3);
  await next.close();
  await expect(called(settle, [], { ...flags, from })).rejects.toMatchObject({ faults: [{ code: "list_old" }] });
  expect(await desk.store.rows({ batch, rows: [row] })).toMatchObject([{ state: "unknown", attempts: 2 }]);
});

test("the folder has the mark of another journal → its file is not even taken (I12)", async () => {
  const [one, other] = [await TestDesk.open(), await TestDesk.open()];
  await one.run("pay.csv", PAID);
  copyFileSync(join(one.folder, ".paydrop"), join(other.folder, ".paydrop"));
  await expect(other.run("pay.csv", PAID)).rejects.toMatchObject({ reason: "journal_of_another" });
  expect(await other.store.batches({})).toEqual([]);
  expect(readFileSync(join(other.folder, ".paydrop"))).toEqual(readFileSync(join(one.folder, ".paydrop")));
});

test("the rest of a batch, with another address → refused, nothing is asked there; by a person's word it goes", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAID, () => 401);
  let asked = 0;
  const goOn = (more: object): Promise<unknown> => {
    Object.assign(desk, { config: { ...desk.config, base_url: "http://127.0.0.1:2", ...more } });
    return desk.run("pay.csv", undefined, () => void (asked += 1));
  };
  await expect(goOn({})).rejects.toMatchObject({ reason: "other_destination" });
  expect(asked).toBe(0);
  await goOn({ accept_destination: true });
  expect(asked).toBe(3);
  expect((await desk.store.acts({ batch })).map(({ kind }) => kind)).toContain("accept_destination");
});
