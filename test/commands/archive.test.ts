import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import * as wire from "../support/fault-server.ts";
import { failing } from "../support/failing-calls.ts";
import type { Office } from "../support/people.ts";
import { openOffice } from "../support/people.ts";
import type { ProgramEnded } from "../support/program.ts";
import { runProgram } from "../support/program.ts";

const DAY_MS = 86_400_000;
/** Longer ago than a payment is looked at again without its reference. */
const LONG_AGO = Date.now() - 100 * DAY_MS;
const HEADER = "from_account,to_account,amount,reference,remark";
const FILE = [
  HEADER,
  "50100271828001,60200000000001,100.00,SAL-1,rent",
  "50100271828001,60200000000002,x,SAL-2,broken",
  '50100271828001,60200000000003,300.00,SAL-3,"a, b"',
  "50100271828001,60200000000004,400.00,SAL-4,refused",
].join("\n");

/** A batch of long ago: two rows accepted, one invalid, one refused. */
async function withOldBatch(): Promise<{ office: Office; batch: string; day: string }> {
  // two rows go at the same time: which of them comes as the third is anybody's guess
  const office = await openOffice(({ number, body }) =>
    number <= 3 && body.includes("60200000000004")
      ? wire.answer(422, '{"reason":"no such beneficiary"}')
      : wire.answer(200, '{"id":"T-77"}'),
  );
  office.write("pay.csv", `${FILE}\n`);
  await office.process("pay.csv", { now: () => LONG_AGO });
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted", 3: "invalid", 4: "accepted", 5: "rejected" });
  const day = new Date(LONG_AGO + 2 * DAY_MS).toISOString().slice(0, 10);
  return { office, batch: office.batchOf("pay.csv"), day };
}

function snapshotsOf({ stateDir }: Office): string[] {
  return readdirSync(join(stateDir, "snapshots"));
}

function textsOf({ stateDir }: Office): unknown[] {
  const database = new DatabaseSync(join(stateDir, "journal.db"), { readOnly: true });
  const texts = database
    .prepare("SELECT response AS text FROM attempt UNION ALL SELECT faults FROM row")
    .all()
    .flatMap(({ text }) => (text === null ? [] : [text]));
  database.close();
  return texts;
}

test("an archived batch leaves its texts and its copy to files, and comes back byte for byte", async () => {
  const { office, batch, day } = await withOldBatch();
  const before = readFileSync(join(office.folder, "pay.csv.results.csv"));
  const [copy = ""] = snapshotsOf(office);
  expect(textsOf(office)).toHaveLength(4);

  const dry = await office.paydrop("archive", "--before", day, "--dry-run");
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stdout).toContain(`would move  ${batch}`);
  expect(existsSync(join(office.stateDir, "archive"))).toBe(false);

  const archived = await office.paydrop("archive", "--before", day, "--by", "asha");
  expect(archived).toMatchObject({ code: 0, stderr: "" });
  expect(archived.stdout).toContain(`Archived batch ${batch}, pay.csv, 4 rows.`);
  expect(snapshotsOf(office)).toEqual([]);
  expect(textsOf(office)).toEqual([]);
  const files = readdirSync(join(office.stateDir, "archive"));
  expect(files).toHaveLength(2);
  const details = files.find((name) => name !== `${copy}.gz`) ?? "";
  const lines = gunzipSync(readFileSync(join(office.stateDir, "archive", details)))
    .toString()
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { type: "batch", id: batch, tallies: { accepted: { rows: 2, amount: "400.00" } } },
    { type: "row", number: 2, state: "accepted", amount: "100.00", httpStatus: 200, response: '{"id":"T-77"}' },
    { type: "row", number: 3, state: "invalid", faults: [{ column: "amount" }] },
    { type: "row", number: 4, state: "accepted" },
    { type: "row", number: 5, state: "rejected", httpStatus: 422 },
  ]);

  const status = await office.paydrop("status", batch);
  expect(status.stdout).toContain("archived");
  expect(status.stdout).toContain(`archive/${details}`);
  expect(status.stdout).toMatch(/accepted +2 +400\.00/);
  expect((await office.paydrop("archive", "--before", day)).stdout).toBe("Nothing to archive.\n");
  for (const act of [
    ["results", batch],
    ["report", batch],
    ["settle", batch, "--row", "2", "--as", "not-done", "--by", "asha", "--note", "came back"],
    ["cancel", batch],
  ]) {
    const refused = await office.paydrop(...act);
    expect([act[0], refused.code]).toEqual([act[0], 2]);
    expect(refused.stderr).toContain(`paydrop archive --restore ${batch}`);
  }

  rmSync(join(office.folder, "pay.csv.results.csv"));
  expect(await office.paydrop("archive", "--restore", batch)).toMatchObject({ code: 0, stderr: "" });
  expect(await office.paydrop("results", batch)).toMatchObject({ code: 0 });
  expect(readFileSync(join(office.folder, "pay.csv.results.csv"))).toEqual(before);
  const settled = await office.paydrop("settle", batch, "--row", "2", "--as", "not-done", "--by", "asha", "--note", "back"); // prettier-ignore
  expect(settled.code).toBe(0);
  expect(office.statuses("pay.csv")).toMatchObject({ 2: "settled_not_done" });
});

test("what was paid in an archived batch is found again, and the very same file is refused in words", async () => {
  const { office, batch, day } = await withOldBatch();
  await office.paydrop("archive", "--before", day);
  const requests = office.server.requests.length;
  office.write(
    "again.csv",
    [
      HEADER,
      "50100271828001,60200000000001,100.00,SAL-1,rent",
      "50100271828001,60200000000003,300.00,SAL-3,other",
    ].join("\n"),
  );
  await office.run("again.csv");
  expect(office.statuses("again.csv")).toEqual({ 2: "duplicate", 3: "duplicate" });
  expect(office.results("again.csv")[0]?.result_duplicate_of).toContain(batch);

  const checked = await office.paydrop("check", "pay.csv", "--operation", "transfer");
  expect(checked.stdout).toContain(`it cannot be run before they are back: paydrop archive --restore ${batch}`);
  expect(checked.stdout).not.toContain("Running it again");
  const same = await office.run("pay.csv");
  expect(same.code).toBe(5);
  expect(same.stderr).toContain(`as batch ${batch}, which is archived`);
  const told = readFileSync(join(office.folder, "pay.csv.refused.txt"), "utf8");
  expect(told).toContain(`What to do: Bring them back with \`paydrop archive --restore ${batch}\``);
  expect(told).not.toContain("Correct the file");
  expect(office.server.requests).toHaveLength(requests);
  // the next run of it takes away what this left behind
  await office.paydrop("archive", "--before", day);
  expect(snapshotsOf(office)).toHaveLength(1);
  // the memory of what was sent must not be taken for none
  for (const name of snapshotsOf(office)) rmSync(join(office.stateDir, "snapshots", name));
  for (const name of ["journal.db", "journal.db-wal", "journal.db-shm"])
    rmSync(join(office.stateDir, name), { force: true });
  rmSync(join(office.folder, "pay.csv.summary.json"));
  expect(await office.run("pay.csv")).toMatchObject({ code: 74 });
  expect(office.server.requests).toHaveLength(requests);
});

test("a row that shows no more what was wrong with it waits for a person where its batch is archived", async () => {
  const office = await openOffice(() => wire.answer(200, "{}"));
  office.write("pay.csv", "from_account,name,to_account,amount,remarks\nACC-1,Kumar, Ravi,5010027,500.00,\n");
  await office.process("pay.csv", { now: () => LONG_AGO });
  expect(office.statuses("pay.csv")).toEqual({ 2: "invalid" });
  const copy = join(office.stateDir, "snapshots", snapshotsOf(office)[0] ?? "");
  const bytes = readFileSync(copy);
  const day = new Date(LONG_AGO + 2 * DAY_MS).toISOString().slice(0, 10);
  expect(await office.paydrop("archive", "--before", day)).toMatchObject({ code: 0 });
  // as where a younger batch has the same bytes
  writeFileSync(copy, bytes);
  const retry = readFileSync(join(office.folder, "pay.csv.retry.csv"), "utf8");
  office.write("again.csv", retry.replace("Not sent", "Seen"));
  await office.process("again.csv");
  expect(office.statuses("again.csv")).toEqual({ 2: "held" });
  const [held] = office.results("again.csv");
  expect(held?.result_message).toContain("it cannot be compared with the row that it corrects");
  expect(held?.result_message).toContain(`paydrop archive --restore ${office.batchOf("pay.csv")}`);
});

test("a batch with something open stays, and so does a young one", async () => {
  const { office, day } = await withOldBatch();
  office.server.use(() => wire.reset());
  office.write("open.csv", `${HEADER}\n50100271828009,60200000000009,900.00,SAL-9,\n`);
  await office.process("open.csv", { now: () => LONG_AGO });
  expect(office.statuses("open.csv")).toEqual({ 2: "unknown" });
  office.server.use(() => wire.answer(200, '{"id":"T-78"}'));
  office.write("young.csv", `${HEADER}\n50100271828008,60200000000008,800.00,SAL-8,\n50100271828008,,1.00,SAL-7,\n`);
  await office.run("young.csv");
  const [open, young] = [office.batchOf("open.csv"), office.batchOf("young.csv")];
  const said = await office.paydrop("archive", "--before", day, "--dry-run");
  expect(said.stdout).toContain(`stays       ${open}`);
  await office.paydrop("archive", "--before", day);
  expect(textsOf(office)).toEqual(['{"id":"T-78"}', expect.stringContaining("to_account")]);
  for (const batch of [open, young]) expect(await office.paydrop("results", batch)).toMatchObject({ code: 0 });
  for (const wrong of ["2026-02-30", "yesterday", "2999-01-01"]) {
    expect(await office.refused("archive", [], { before: wrong })).toMatchObject({ code: 2 });
  }
});

test.each([
  "results.written:1",
  "results.after_rename:1",
  "results.written:2",
  "results.after_rename:2",
  // the first commit is of what any process does at its start
  ...[2, 3].flatMap((time) => [`commit.before:${time}`, `commit.after:${time}`]),
])("killed at %s it has lost nothing: done again, and back, the results are the same", async (point) => {
  const { office, batch, day } = await withOldBatch();
  const before = readFileSync(join(office.folder, "pay.csv.results.csv"));
  const killed = (...operands: string[]): Promise<ProgramEnded> =>
    runProgram(operands, {
      env: { ...office.env, PAYDROP_TEST: "1", PAYDROP_FAULT: `crash@${point}` },
      cwd: office.folder,
    });
  await killed("archive", "--before", day);
  expect(await office.paydrop("archive", "--before", day)).toMatchObject({ code: 0, stderr: "" });
  expect(snapshotsOf(office)).toEqual([]);
  expect(textsOf(office)).toEqual([]);
  await killed("archive", "--restore", batch);
  expect(await office.paydrop("archive", "--restore", batch)).toMatchObject({ code: 0, stderr: "" });
  rmSync(join(office.folder, "pay.csv.results.csv"));
  await office.paydrop("results", batch);
  expect(readFileSync(join(office.folder, "pay.csv.results.csv"))).toEqual(before);
});

test("of an archived batch nothing is let go, and no act says that it was", async () => {
  const { office, batch, day } = await withOldBatch();
  await office.paydrop("settle", batch, "--row", "2", "--as", "not-done", "--by", "asha", "--note", "came back");
  await office.paydrop("archive", "--before", day, "--by", "asha");
  for (const [name, flags] of [
    ["retry", {}],
    ["release", { row: ["2"], by: "asha", reason: "all the same" }],
    ["resume", {}],
    ["pause", {}],
    ["cancel", {}],
  ] as const) {
    const refused = await office.paydrop(name, batch, ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, ...[value].flat()])); // prettier-ignore
    expect([name, refused.code, refused.stdout]).toEqual([name, 2, ""]);
    expect(refused.stderr).toContain(`paydrop archive --restore ${batch}`);
  }
  const [status] = await office.lines("status", batch);
  const history = status?.["history"] as { kind: string }[];
  expect(history.map(({ kind }) => kind)).toEqual(["settle", "archive"]);
});

test("an archive that is not the one that was written brings nothing back", async () => {
  const { office, batch, day } = await withOldBatch();
  const before = readFileSync(join(office.folder, "pay.csv.results.csv"));
  await office.paydrop("archive", "--before", day);
  const folder = join(office.stateDir, "archive");
  const [earlier = ""] = readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz"));
  const restored = await office.paydrop("archive", "--json", "--restore", batch);
  expect(restored.stdout).toMatch(/^\{"type":"restored",.*\}\n\{"type":"summary",.*"exit_code":0\}\n$/);
  await office.paydrop("settle", batch, "--row", "2", "--as", "not-done", "--by", "asha", "--note", "came back");
  await office.paydrop("settle", batch, "--row", "2", "--as", "done", "--by", "asha", "--note", "a mistake");
  await office.paydrop("archive", "--before", day);
  const [later = ""] = readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz") && name !== earlier);
  expect(later).not.toBe("");
  const right = readFileSync(join(folder, later));
  writeFileSync(join(folder, later), readFileSync(join(folder, earlier)));
  const refused = await office.paydrop("archive", "--restore", batch);
  expect(refused.code).toBe(74);
  expect(refused.stderr).toContain(`batch ${batch} stays archived`);
  expect(textsOf(office)).toEqual([]);
  writeFileSync(join(folder, later), right);
  expect(await office.paydrop("archive", "--restore", batch)).toMatchObject({ code: 0 });
  await office.paydrop("results", batch);
  expect(readFileSync(join(office.folder, "pay.csv.results.csv")).length).toBeGreaterThan(before.length);
});

test("a packed copy that lies there already and holds something else is not taken for the one of the file", async () => {
  const { office, day } = await withOldBatch();
  const [copy = ""] = snapshotsOf(office);
  const packed = join(office.stateDir, "archive", `${copy}.gz`);
  mkdirSync(dirname(packed));
  writeFileSync(packed, gzipSync("something else"));
  await office.paydrop("archive", "--before", day);
  expect(gunzipSync(readFileSync(packed)).toString()).toBe(`${FILE}\n`);
});

test("a damaged archive brings nothing back, and says so", async () => {
  const { office, batch, day } = await withOldBatch();
  await office.paydrop("archive", "--before", day);
  const folder = join(office.stateDir, "archive");
  for (const name of readdirSync(folder)) {
    const whole = readFileSync(join(folder, name));
    writeFileSync(join(folder, name), whole.subarray(0, whole.length - 12));
    const refused = await office.paydrop("archive", "--restore", batch);
    expect([name, refused.code]).toEqual([name, 74]);
    expect(refused.stderr).toContain(`batch ${batch} stays archived`);
    writeFileSync(join(folder, name), whole);
  }
  expect(await office.paydrop("archive", "--restore", batch)).toMatchObject({ code: 0 });
});

test("an archive on a disk that does not answer is not damaged: nobody is sent for the backup of a file that is whole", async () => {
  const { office, batch, day } = await withOldBatch();
  await office.paydrop("archive", "--before", day);
  for (const path of [".csv.gz", ".jsonl.gz"]) {
    const { env, nodeArgs } = failing({ call: "createReadStream", path });
    const refused = await runProgram(["archive", "--restore", batch], { env: { ...office.env, ...env }, nodeArgs });
    expect(refused.stderr).toMatch(/^paydrop: the system refused: EIO.*\n {2}→ look at the disk/);
    expect(refused.code).toBe(74);
  }
  expect(await office.paydrop("archive", "--restore", batch)).toMatchObject({ code: 0 });
});
