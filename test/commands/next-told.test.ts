import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import type { Office } from "../support/people.ts";
import { openOffice } from "../support/people.ts";

/** What a report says to a person, its lines joined: they are broken at 60 columns. */
async function reported(office: Office, batch: string): Promise<string> {
  const { stdout } = await office.paydrop("report", batch, "--format", "text", "--out", "-");
  return stdout.replaceAll(/\s+/g, " ");
}

test("what is told of a batch by its id goes on by its id: its file may be gone, or be another batch", async () => {
  let status = 401;
  const office = await openOffice(() => wire.answer(status));
  office.write("pay.csv", transfersCsv(3));
  const ran = await office.run("pay.csv");
  expect(ran.stdout).toContain(`paydrop run ${join(office.folder, "pay.csv")}\n`);
  const batch = office.batchOf("pay.csv");
  rmSync(join(office.folder, "pay.csv"));
  for (const name of ["retry", "results"]) {
    const { stdout } = await office.paydrop(name, batch);
    expect(stdout).not.toContain("paydrop run");
    expect(stdout).toContain(`to send the other 3 rows\n           paydrop retry ${batch}\n`);
  }
  status = 200;
  expect(await office.paydrop("retry", batch)).toMatchObject({ code: 0 });
});

describe("a row that no person can release yet", () => {
  test("is said to wait, by whatever tells of it, and no release is advised", async () => {
    const office = await openOffice(() => wire.answer(401));
    office.write("first.csv", transfersCsv(2));
    await office.run("first.csv");
    office.write("second.csv", `from_account,to_account,amount\n${transfersCsv(2).split("\n")[2] ?? ""}\n`);
    const ran = await office.run("second.csv");
    expect(office.statuses("second.csv")).toEqual({ 2: "held" });
    const [first, second] = [office.batchOf("first.csv"), office.batchOf("second.csv")];

    const told = `waits for row 3 of batch ${first}, which has no end yet: see to that one first`;
    const status = await office.paydrop("status", second);
    for (const { stdout } of [ran, status]) expect(stdout).toContain(told);
    const checked = await office.paydrop("check", "second.csv");
    const report = await reported(office, second);
    for (const text of [ran.stdout, status.stdout, checked.stdout, report])
      expect(text).not.toContain("paydrop release");
    expect(checked.stdout).toContain(`see to what the held rows wait for: paydrop status ${second}`);
    expect(report).toContain(
      `Nothing of them was sent. Each waits for a row that has no end yet, the first for row 3 of batch ${first}: see to those first: paydrop status ${first}`,
    );

    // that one ends: then a person may decide, or nothing waits any more
    await office.paydrop("cancel", first, "--by", "asha");
    const freed = await office.paydrop("check", "second.csv");
    expect(freed.stdout).toContain("may send 1 row: what 1 held row waited for has its end.");
    expect(freed.stdout).not.toMatch(/To do|Nothing is left/);
  });

  test("is said to need a word once it can be released", async () => {
    const office = await openOffice(() => wire.answer(200));
    const rows = transfersCsv(1);
    office.write("pay.csv", `${rows}${rows.split("\n")[1] ?? ""}\n`);
    await office.run("pay.csv");
    const batch = office.batchOf("pay.csv");
    expect(await reported(office, batch)).toContain(`paydrop release ${batch} --row N --by NAME --reason TEXT`);
  });
});

test("how a paused batch goes on is told in the same words everywhere, with who says so", async () => {
  const office = await openOffice(() => wire.answer(401));
  office.write("pay.csv", transfersCsv(3));
  await office.run("pay.csv");
  const batch = office.batchOf("pay.csv");
  const command = `paydrop resume ${batch} --by NAME`;
  expect((await office.paydrop("pause", batch)).stdout).toContain(`Go on:  ${command}\n`);
  for (const args of [
    ["run", "pay.csv"],
    ["results", batch],
    ["status", batch],
    ["check", "pay.csv"],
  ]) {
    const { stdout } = await office.paydrop(...args);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(command);
  }
  expect((await office.refused("retry", [batch], {})).stderr).toContain(command);
  const report = await reported(office, batch);
  expect(report).toContain(`The batch is paused: they go when it is resumed; nothing goes twice. ${command}`);
  expect(report).not.toContain("when the file is run again");
});

test("of a paused batch no report advises a retry that is refused", async () => {
  const office = await openOffice(({ number }) => (number === 1 ? wire.reset() : wire.answer(200)));
  office.write("pay.csv", transfersCsv(2));
  await office.run("pay.csv");
  const batch = office.batchOf("pay.csv");
  await office.paydrop("settle", batch, "--row", "2", "--as", "not-done", "--by", "asha", "--note", "no entry");
  expect(await reported(office, batch)).toContain(`or leave them unsent: paydrop retry ${batch}`);
  await office.paydrop("pause", batch);
  expect(await reported(office, batch)).toContain(
    `The batch is paused: when it is resumed, paydrop retry sends them again: paydrop resume ${batch} --by NAME`,
  );
});

test("a paused batch of which nothing waits has nothing to go on with", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("pay.csv", transfersCsv(2));
  await office.run("pay.csv");
  const batch = office.batchOf("pay.csv");
  await office.paydrop("pause", batch);
  for (const args of [
    ["status", batch],
    ["check", "pay.csv"],
  ])
    expect((await office.paydrop(...args)).stdout).not.toContain("paydrop resume");
});
