import { expect, test } from "vitest";
import { DAY_MS } from "../../src/day.ts";
import type { SettledAs } from "../../src/journal/state.ts";
import { openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { openOffice, type Office } from "../support/people.ts";
import { startService } from "../support/service.ts";

const HEADER = "from_account,to_account,amount";
const GIVEN_BACK = ["--as", "not-done", "--by", "asha", "--note", "the bank gave it back"];

/** Row 2 was accepted, and the bank gave it back. */
async function withBounced(): Promise<{ office: Office; batch: string; next: () => Promise<string> }> {
  const office = await openOffice(() => wire.answer(200));
  office.write("pay.csv", `${HEADER}\nACC-1,60200000000001,7.00\n`);
  await office.run("pay.csv");
  const batch = office.batchOf("pay.csv");
  expect((await office.paydrop("settle", batch, "--row", "2", ...GIVEN_BACK)).code).toBe(0);
  const next = async (): Promise<string> => (await office.paydrop("status", batch)).stdout;
  return { office, batch, next };
}

test("where an account was corrected in its file, a retry would pay the old one too: cancel is told before it", async () => {
  const { office, batch, next } = await withBounced();
  office.write("pay.csv", `${HEADER}\nACC-1,60200000000002,7.00\n`);
  await office.run("pay.csv");
  for (const row of office.results("pay.csv").filter((one) => one.result_status === "held")) {
    const going = ["release", row["result_batch"] ?? "", "--row", row.result_row];
    await office.paydrop(...going, "--by", "ravi", "--reason", "asked the payee");
  }
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted" });
  expect((await office.paydrop("status", "--check", "--quiet")).code).toBe(7);
  const [, cancel = ""] = / look first whether .*\(row 2\) was made in another way[^]*\n +paydrop (cancel .*)\n[^]*paydrop retry/.exec(await next()) ?? []; // prettier-ignore
  expect(cancel).toBe(`cancel ${batch} --by NAME --reason TEXT`);
  await office.paydrop("cancel", batch, "--by", "asha", "--reason", "paid to the new account");
  expect((await office.paydrop("status", "--check", "--quiet")).code).toBe(0);
  expect(office.server.requests).toHaveLength(2);
});

test("a row whose correction was accepted is no payment to make: neither the monitor nor the advice asks for it", async () => {
  const { office, batch, next } = await withBounced();
  expect(await next()).toContain(`paydrop retry ${batch}`);
  office.write("mended.csv", `${HEADER},retry_of\nACC-1,60200000000002,7.00,${batch}:2\n`);
  await office.run("mended.csv");
  const mended = office.batchOf("mended.csv");
  await office.paydrop("release", mended, "--row", "2", "--by", "ravi", "--reason", "asked the payee");
  expect(office.statuses("mended.csv")).toEqual({ 2: "accepted" });
  expect((await office.paydrop("status", "--check", "--quiet")).code).toBe(0);
  expect(await next()).not.toContain("paydrop retry");
});

const at = (day: string): { now: () => number } => ({ now: () => Date.parse(day) });

function settle(desk: Desk, batch: string, as: SettledAs, day: string, row = 2): Promise<void> {
  const act = { by: "asha", kind: "settle", note: as } as const;
  return desk.inProcess(({ journal }) => journal.settle([{ batch, row, as, act }]), at(day));
}

async function notMade(desk: Desk): Promise<readonly unknown[]> {
  return desk.inProcess(({ journal }) => journal.notMade(20 * DAY_MS), at("2026-12-02T10:00:00Z"));
}

test.each([
  ["whatever was said of it since", "2026-10-15T10:00:00Z"],
  ["nor what a clock that was ahead accepted", "2027-10-15T10:00:00Z"],
])("the payment of the month before makes no payment of this month, %s", async (_, october) => {
  const desk = openDesk((await startService(() => wire.answer(200))).url);
  desk.write("october.csv", transfersCsv(1));
  const first = await desk.process("october.csv", at(october));
  desk.write("november.csv", transfersCsv(1, { reference: () => "" }));
  const flags = { duplicate_days: "0" };
  const second = await desk.process("november.csv", { ...at("2026-11-15T10:00:00Z"), flags });
  expect(second.byStatus.accepted?.rows).toBe(1);
  await settle(desk, second.batch, "settled_not_done", "2026-11-16T10:00:00Z");
  const waiting = [{ batch: second.batch, row: 2 }];
  expect(await notMade(desk)).toEqual(waiting);
  await settle(desk, first.batch, "settled_not_done", "2026-11-17T10:00:00Z");
  await settle(desk, first.batch, "settled_done", "2026-11-17T10:05:00Z");
  expect(await notMade(desk)).toEqual(waiting);
});

test("a second payment that was meant, and went before the first one came back, is not that one", async () => {
  const office = await openOffice(() => wire.answer(200));
  office.write("pay.csv", transfersCsv(1, { period: () => "2026-11" }));
  await office.run("pay.csv");
  office.write("again.csv", transfersCsv(1, { period: () => "2026-11", note: () => "once more" }));
  await office.run("again.csv");
  await office.paydrop("release", office.batchOf("again.csv"), "--row", "2", "--by", "ravi", "--reason", "meant");
  expect(office.server.requests).toHaveLength(2);
  await office.paydrop("settle", office.batchOf("pay.csv"), "--row", "2", ...GIVEN_BACK);
  expect((await office.paydrop("status", "--check", "--quiet")).code).toBe(7);
});

test("two equal payments that came back are made by as many later ones, each alone in its file", async () => {
  const office = await openOffice(() => wire.answer(200));
  const row = "ACC-1,60200000000001,7.00,2026-11\n";
  office.write("pay.csv", `${HEADER},period\n${row}${row}`);
  await office.run("pay.csv", "--allow-repeats");
  expect(office.statuses("pay.csv")).toEqual({ 2: "accepted", 3: "accepted" });
  const batch = office.batchOf("pay.csv");
  await office.paydrop("settle", batch, "--row", "2,3", ...GIVEN_BACK);
  const codes: (number | undefined)[] = [];
  for (const name of ["one.csv", "two.csv"]) {
    office.write(name, `${HEADER},period,note\n${row.trim()},${name}\n`);
    await office.run(name);
    if (office.statuses(name)["2"] !== "accepted")
      await office.paydrop("release", office.batchOf(name), "--row", "2", "--by", "ravi", "--reason", "both came back");
    codes.push((await office.paydrop("status", "--check", "--quiet")).code);
  }
  expect(office.server.requests).toHaveLength(4);
  expect(codes).toEqual([7, 0]);
});
