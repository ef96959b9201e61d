import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BatchReport } from "../../src/events.ts";
import * as wire from "../support/fault-server.ts";
import { countsOf, type Desk } from "../support/desk.ts";
import { openOffice } from "./office.ts";

const wages = (...amounts: number[]): string =>
  ["from_account,to_account,amount", ...amounts.map((amount, at) => `A-1,B-${at + 1},${amount}`), ""].join("\n");

/** As a nightly run of the folder does, which states the month of the day. */
function nightly(desk: Desk, name: string, date: string): Promise<BatchReport> {
  const path = join(desk.folder, name);
  const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
  return desk.inProcess((processor) => processor.processFile(path, sha256), {
    now: () => Date.parse(`${date}T01:00:00Z`),
    flags: { period: date.slice(0, 7) },
  });
}

describe("a nightly run that states the month of the day", () => {
  test("asks about rows of a file that was corrected in its place on the first of the next month", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", wages(1001, 1002, 1003));
    await nightly(desk, "payroll.csv", "2026-11-30");
    expect(sent()).toHaveLength(3);
    desk.write("payroll.csv", wages(1001, 1002, 1303, 1004));
    await nightly(desk, "payroll.csv", "2026-12-01");
    expect(sent().map(({ account }) => account)).toEqual(["B-4"]);
    const rows = desk.results("payroll.csv");
    expect(countsOf(rows)).toEqual({ held: 3, accepted: 1 });
    for (const row of rows.slice(0, 2)) expect(row.result_message).toContain("within the last two weeks");
    expect(rows[2]?.result_message).toContain("another amount");
  });

  test("and once more about the next correction, whose predecessor was cancelled", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", wages(1001, 1002));
    await nightly(desk, "payroll.csv", "2026-11-30");
    desk.write("payroll.csv", wages(1001, 1002, 1003));
    const { batch } = await nightly(desk, "payroll.csv", "2026-12-01");
    await desk.inProcess(({ journal }) =>
      journal.setPhase(batch, "cancelled", { kind: "cancelled", by: "asha", note: "" }),
    );
    sent();
    desk.write("payroll.csv", wages(1001, 1002, 1003, 1004));
    await nightly(desk, "payroll.csv", "2026-12-02");
    expect(sent().map(({ account }) => account)).toEqual(["B-4"]);
  });

  test("also about a row that waited for the one that turned out to be paid", async () => {
    const { desk, sent, server } = await openOffice(() => wire.close());
    desk.write("payroll.csv", wages(1001));
    const first = await nightly(desk, "payroll.csv", "2026-11-30");
    expect(countsOf(desk.results("payroll.csv"))).toEqual({ unknown: 1 });
    desk.write("payroll.csv", `${wages(1001)}\n`);
    const second = await nightly(desk, "payroll.csv", "2026-12-01");
    server.use(() => wire.answer(200));
    sent();
    await desk.inProcess(async (processor) => {
      const act = { kind: "settle", by: "asha", note: "paid" };
      await processor.journal.settle([{ batch: first.batch, row: 2, as: "settled_done", act }]);
      await processor.takeUp(second.batch);
    });
    expect(sent()).toEqual([]);
  });

  test("asks nothing of the next month's file in the place of the last one, nor of other payments there", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", wages(1001, 1002));
    await nightly(desk, "payroll.csv", "2026-11-28");
    desk.write("payroll.csv", wages(1001, 1002, 1003));
    await nightly(desk, "payroll.csv", "2026-12-28");
    expect(sent()).toHaveLength(5);
    desk.write("vendors.csv", wages(5001));
    await nightly(desk, "vendors.csv", "2026-11-30");
    desk.write("vendors.csv", wages(6001));
    await nightly(desk, "vendors.csv", "2026-12-01");
    expect(sent()).toHaveLength(2);
  });

  test("pays nothing of a file that is touched every month, whatever became of the question about it", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", wages(1001, 1002));
    await nightly(desk, "payroll.csv", "2026-11-30");
    sent();
    for (const [date, isAnswered] of [
      ["2026-12-30", false],
      ["2027-01-29", true],
      ["2027-02-28", true],
    ] as const) {
      desk.write("payroll.csv", wages(1001, 1002));
      const { batch } = await nightly(desk, "payroll.csv", date);
      expect([date, countsOf(desk.results("payroll.csv"))]).toEqual([date, { held: 2 }]);
      const act = { kind: "cancelled", by: "asha", note: "an old file" };
      if (isAnswered) await desk.inProcess(({ journal }) => journal.setPhase(batch, "cancelled", act));
    }
    expect(sent()).toEqual([]);
  });

  test("nor of one that a backup put back in the place of a later month's file", async () => {
    const { desk, sent } = await openOffice();
    for (const [date, amount] of [
      ["2026-11-30", 1001],
      ["2026-12-30", 2002],
    ] as const) {
      desk.write("payroll.csv", wages(amount));
      await nightly(desk, "payroll.csv", date);
    }
    expect(sent()).toHaveLength(2);
    desk.write("payroll.csv", wages(1001));
    await nightly(desk, "payroll.csv", "2027-01-29");
    expect([sent(), countsOf(desk.results("payroll.csv"))]).toEqual([[], { held: 1 }]);
  });

  test("and nothing where a person names the file", async () => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", wages(1001));
    await desk.process("payroll.csv", { flags: { period: "2026-11" } });
    desk.write("payroll.csv", wages(1001, 1002));
    await desk.process("payroll.csv", { flags: { period: "2026-12" } });
    expect(sent()).toHaveLength(3);
  });
});
