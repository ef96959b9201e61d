import { copyFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { countsOf, openDesk, transfersCsv } from "../support/desk.ts";
import { startService } from "../support/service.ts";
import { DAY_MS, messagesOf, NOVEMBER, openOffice } from "./office.ts";

describe("identical salaries every month, in files that differ", () => {
  /** Another month's file: other bytes, the same payments. */
  const month = (name: string, reference?: (index: number) => string): string =>
    transfersCsv(20, { remark: () => name, ...(reference ? { reference } : {}) });

  async function twice(
    second: { afterDays: number; flags?: Record<string, string>; references?: boolean; name?: string },
    first: { flags?: Record<string, string>; references?: boolean; name?: string } = {},
  ): Promise<{ sent: number; counts: Record<string, number>; messages: string[] }> {
    const { desk, sent } = await openOffice();
    const names = [first.name ?? "one.csv", second.name ?? "two.csv"] as const;
    desk.write(names[0], month("one", first.references ? (index) => `NOV-${index}` : undefined));
    desk.write(names[1], month("two", second.references ? (index) => `DEC-${index}` : undefined));
    await desk.process(names[0], { now: () => NOVEMBER, ...(first.flags ? { flags: first.flags } : {}) });
    expect(sent()).toHaveLength(20);
    const now = (): number => NOVEMBER + second.afterDays * DAY_MS;
    await desk.process(names[1], { now, ...(second.flags ? { flags: second.flags } : {}) });
    const results = desk.results(names[1]);
    return { sent: sent().length, counts: countsOf(results), messages: messagesOf(desk, names[1]) };
  }

  test("with new references they go", async () => {
    expect(await twice({ afterDays: 1, references: true }, { references: true })).toMatchObject({ sent: 20 });
  });

  test("with new periods they go, also early", async () => {
    const flags = { period: "2026-12" };
    expect(await twice({ afterDays: 1, flags }, { flags: { period: "2026-11" } })).toMatchObject({ sent: 20 });
  });

  test("with a period, when the first month had none", async () => {
    expect(await twice({ afterDays: 28, flags: { period: "2026-12" } })).toMatchObject({ sent: 20 });
    expect(await twice({ afterDays: 10, flags: { period: "2026-12" } }), "a later month is another payment").toMatchObject({ sent: 20 });
    expect(await twice({ afterDays: 10, flags: { period: "2026-11" } }), "this month may be the same").toMatchObject({ sent: 0, counts: { held: 20 } });
  }); // prettier-ignore

  test("with neither they are held inside duplicate_days, with a hint, and go outside", async () => {
    const inside = await twice({ afterDays: 19 });
    expect(inside).toMatchObject({ sent: 0, counts: { held: 20 } });
    expect(inside.messages[0]).toContain("same payment as row");
    expect(await twice({ afterDays: 21 })).toMatchObject({ sent: 20 });
  });

  test("with the same month in both names they are held however late; with another month outside the days they go", async () => {
    const name = "payroll-nov-2026.csv";
    expect(await twice({ afterDays: 60, name: "again-2026-11.csv" }, { name })).toMatchObject({ sent: 0, counts: { held: 20 } });
    expect(await twice({ afterDays: 28, name: "payroll-dec-2026.csv" }, { name })).toMatchObject({ sent: 20 });
    expect(await twice({ afterDays: 10, name: "payroll-dec-2026.csv" }, { name })).toMatchObject({ sent: 0 });
  }); // prettier-ignore

  test("a period and no period again: held inside the days", async () => {
    expect(await twice({ afterDays: 10 }, { flags: { period: "2026-11" } })).toMatchObject({ sent: 0, counts: { held: 20 } });
  }); // prettier-ignore

  test("a period in the wrapper of a JSON file is its period; where another one is stated a person is asked", async () => {
    const { desk, sent } = await openOffice();
    const rows = [{ from_account: "A-1", to_account: "B-1", amount: "101.00" }];
    const text = JSON.stringify({ operation: "transfer", period: "2026-11", rows });
    desk.write("a.json", text);
    expect((await desk.process("a.json", { now: () => NOVEMBER })).byStatus.accepted?.rows).toBe(1);
    const later = { now: () => NOVEMBER + 60 * DAY_MS };
    desk.write("b.json", `${text}\n`);
    expect((await desk.process("b.json", later)).byStatus.duplicate?.rows).toBe(1);
    expect(sent()).toHaveLength(1);
    desk.write("c.json", `${text}\n\n`);
    const stated = await desk.process("c.json", { ...later, flags: { period: "2027-01" } });
    expect(stated.byStatus.held?.rows).toBe(1);
    expect(messagesOf(desk, "c.json")[0]).toContain("not the month that the file or its name says");
    // as where a nightly run states the month of the day
    expect((await desk.process("a.json", { ...later, flags: { period: "2027-01" } })).byStatus.held?.rows).toBe(1);
    // one that agrees in another writing is no other one
    const same = await desk.process("a.json", { ...later, flags: { period: "202611" } });
    expect(same.byStatus.accepted).toBeUndefined();
    expect(sent()).toEqual([]);
  });

  test("the period of a row is its own, whatever is stated for its file: what went is a duplicate, the other one goes", async () => {
    const server = await startService();
    const desk = openDesk(server.url);
    desk.write("a.csv", transfersCsv(2, { period: () => "2026-11" }));
    expect((await desk.run("a.csv")).counts).toEqual({ accepted: 2 });
    desk.write("b.csv", transfersCsv(3, { period: (index) => (index < 3 ? "2026-11" : "") }));
    expect((await desk.run("b.csv", "--period", "2026-12")).counts).toEqual({ duplicate: 2, accepted: 1 });
    expect(server.requests).toHaveLength(3);
  });

  test("held for want of a period, they go when a person states it, and never twice", async () => {
    const { desk, sent } = await openOffice();
    desk.write("one.csv", month("one"));
    const path = desk.write("two.csv", month("two"));
    await desk.process("one.csv", { now: () => NOVEMBER });
    const soon = (days: number): { now: () => number } => ({ now: () => NOVEMBER + days * DAY_MS });
    expect((await desk.process("two.csv", soon(15))).exitCode).toBe(6);
    expect(sent()).toHaveLength(20);
    const flags = { period: "2026-12" };
    expect((await desk.process("two.csv", { ...soon(16), flags })).exitCode).toBe(0);
    expect(sent()).toHaveLength(20);
    copyFileSync(path, join(desk.folder, "copy.csv"));
    utimesSync(path, new Date(), new Date());
    for (const setting of [soon(17), { ...soon(17), flags }]) await desk.process("two.csv", setting);
    const later = await desk.process("copy.csv", soon(60));
    expect(later.exitCode).toBe(6);
    expect(sent()).toEqual([]);
    // that last one waits for a decision of its own: the old period does not take it away
    await desk.process("two.csv", { ...soon(61), flags });
    const phase = await desk.inProcess(async ({ journal }) => (await journal.batch(later.batch))?.phase);
    expect(phase).toBe("open");
    expect((await desk.process("copy.csv", { ...soon(62), flags: { period: "2027-01" } })).exitCode).toBe(0);
    expect(sent()).toHaveLength(20);
  });

  test.each([
    ["without a reference", (): string => ""],
    ["each with one of its own", (index: number): string => `R-${index}`],
  ])("a payment of the same month is found behind many equal ones of later files, %s", async (_, reference) => {
    const { desk, sent } = await openOffice();
    const file = (rows: number): string =>
      transfersCsv(rows, { reference }).replaceAll(
        /50100271828\d+,60200000000\d+,[\d.]+/g,
        "50100271828001,60200000000001,101.00",
      );
    desk.write("payroll-2026-09.csv", transfersCsv(1));
    await desk.process("payroll-2026-09.csv", { now: () => NOVEMBER - 60 * DAY_MS });
    desk.write("many.csv", file(100));
    await desk.process("many.csv", { now: () => NOVEMBER - 30 * DAY_MS, flags: { allow_repeats: true } });
    expect(sent()).toHaveLength(101);
    desk.write("payroll-2026-09.csv", `${transfersCsv(1)}\n`);
    await desk.process("payroll-2026-09.csv", { now: () => NOVEMBER });
    expect([sent().length, countsOf(desk.results("payroll-2026-09.csv"))]).toEqual([0, { held: 1 }]);
  });

  test("a clock that was set back frees nothing", async () => {
    expect(await twice({ afterDays: -2 })).toMatchObject({ sent: 0, counts: { held: 20 } });
    expect(await twice({ afterDays: -400 })).toMatchObject({ sent: 0, counts: { held: 20 } });
  });

  test("nor does one that ran ahead for a run and is right again", async () => {
    const { desk, sent } = await openOffice();
    for (const name of ["one", "two"]) desk.write(`${name}.csv`, month(name));
    desk.write("ahead.csv", transfersCsv(1).replace("101.00", "7.00"));
    await desk.process("one.csv", { now: () => NOVEMBER });
    await desk.process("ahead.csv", { now: () => NOVEMBER + 120 * DAY_MS });
    expect(sent()).toHaveLength(21);
    await desk.process("two.csv", { now: () => NOVEMBER + 2 * DAY_MS });
    expect([sent().length, countsOf(desk.results("two.csv"))]).toEqual([0, { held: 20 }]);
  });

  test("one that is put right while rows go makes no nonsense of how long that took", async () => {
    const { desk } = await openOffice();
    desk.write("one.csv", month("one"));
    let nowMs = NOVEMBER;
    const { durationMs } = await desk.process("one.csv", { now: () => (nowMs -= DAY_MS) });
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(durationMs).toBeLessThan(DAY_MS);
  });
});
