import { describe, expect, test } from "vitest";
import { countsOf } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { openOffice } from "./office.ts";

const PEOPLE = [1, 2, 3, 4, 5];

const inline = (debit: string): string =>
  [
    "debit_account_id,name,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode",
    ...PEOPLE.map((one) => `${debit},Asha ${one},6020000000000${one},HDFC0000001,Asha,${one}00.00,NEFT`),
    "",
  ].join("\n");

const existing = (bank: number): string =>
  [
    "debit_account_id,bene_id,bene_bank_id,amount,payment_mode",
    ...PEOPLE.map((one) => `ACC-1,BENE-${one},${bank},${one}00.00,NEFT`),
    "",
  ].join("\n");

const collections = (currency: string): string =>
  ["vpa,amount,currency", ...PEOPLE.map((one) => `asha${one}@bank,${one}00.00,${currency}`), ""].join("\n");

describe("a whole list that is dropped again with one thing changed in every row", () => {
  test.each<[string, string, string, string]>([
    ["the account that pays", inline("ACC-1"), inline("ACC-2"), "with another amount, debit account or IFSC as row 3 of"],
    ["the bank of each payee", existing(1), existing(2), "with another amount, debit account or bene_bank_id as row 3 of"],
  ])("(%s) asks a person, and is sent once at most without one", async (_what, first, second, told) => {
    const { desk, sent } = await openOffice();
    desk.write("payroll.csv", first);
    await desk.process("payroll.csv");
    expect(sent()).toHaveLength(5);
    desk.write("payroll.csv", second);
    expect((await desk.process("payroll.csv")).exitCode).toBe(6);
    expect(sent()).toEqual([]);
    const results = desk.results("payroll.csv");
    expect(countsOf(results)).toEqual({ held: 5 });
    expect(results[1]?.result_message).toContain(told);
  }); // prettier-ignore

  test("goes where the service refused the first one, and where another month is stated", async () => {
    const { desk, server, sent } = await openOffice(() => wire.answer(422));
    desk.write("payroll.csv", inline("ACC-1"));
    await desk.process("payroll.csv", { flags: { period: "2026-11" } });
    expect(sent()).toHaveLength(5);
    server.use(() => wire.answer(200));
    desk.write("payroll.csv", inline("ACC-2"));
    await desk.process("payroll.csv", { flags: { period: "2026-11" } });
    expect(sent()).toHaveLength(5);
    desk.write("payroll.csv", inline("ACC-3"));
    await desk.process("payroll.csv", { flags: { period: "2026-12" } });
    expect(sent()).toHaveLength(5);
  });

  test("of which the rest still goes by itself waits, so that it does not go from both accounts", async () => {
    const { desk, server, sent } = await openOffice(({ account }) => wire.answer(account.endsWith("3") ? 401 : 200));
    desk.write("payroll.csv", inline("ACC-1"));
    await desk.process("payroll.csv", { flags: { concurrency: 1 } });
    expect(sent().map(({ account }) => account.slice(-1))).toEqual(["1", "2", "3"]);
    server.use(() => wire.answer(200));
    desk.write("payroll.csv", inline("ACC-2"));
    await desk.process("payroll.csv");
    expect(sent()).toEqual([]);
    expect(desk.results("payroll.csv")[4]?.result_message).toContain("which had no end yet and may still go by itself");
  });

  test.each([1, 3])("(%i rows) asks where it was corrected in its place, and goes from another one", async (rows) => {
    const { desk, sent } = await openOffice();
    const few = (debit: string): string =>
      `${inline(debit)
        .split("\n")
        .slice(0, rows + 1)
        .join("\n")}\n`;
    desk.write("vendors.csv", few("ACC-1"));
    await desk.process("vendors.csv");
    expect(sent()).toHaveLength(rows);
    for (const corrected of [few("ACC-2"), few("ACC-1").replaceAll("HDFC", "SBIN")]) {
      desk.write("vendors.csv", corrected);
      expect((await desk.process("vendors.csv")).exitCode).toBe(6);
      expect(countsOf(desk.results("vendors.csv"))).toEqual({ held: rows });
    }
    expect(sent()).toEqual([]);
    desk.write("others.csv", few("ACC-3"));
    await desk.process("others.csv");
    expect(sent()).toHaveLength(rows);
    desk.write("vendors.csv", few("ACC-4"));
    await desk.process("vendors.csv", { flags: { period: "2031-01" } });
    expect(sent()).toHaveLength(rows);
  });

  test.each([
    ["with a row more", 1, 2, ""],
    ["with a row more", 3, 4, ""],
    ["with an amount that was corrected too", 2, 2, "200.00"],
  ])("(%s: of %i rows %i) asks where it was corrected in its place", async (_what, before, after, changed) => {
    const { desk, sent } = await openOffice();
    const few = (debit: string, rows: number): string =>
      `${inline(debit)
        .split("\n")
        .slice(0, rows + 1)
        .join("\n")}\n`;
    desk.write("vendors.csv", few("ACC-1", before));
    await desk.process("vendors.csv");
    expect(sent()).toHaveLength(before);
    desk.write("vendors.csv", few("ACC-2", after).replace(changed || "none", "250.00"));
    expect((await desk.process("vendors.csv")).exitCode).toBe(6);
    expect(countsOf(desk.results("vendors.csv")).held).toBe(before);
    expect(sent()).toHaveLength(after - before);
  });

  test("asks where it was dropped once more, under another name, and corrected there", async () => {
    const { desk, sent } = await openOffice();
    const one = (debit: string): string => `${inline(debit).split("\n").slice(0, 2).join("\n")}\n`;
    for (const name of ["first.csv", "copy.csv"]) {
      desk.write(name, one("ACC-1"));
      await desk.process(name);
    }
    desk.write("copy.csv", one("ACC-2"));
    expect((await desk.process("copy.csv")).exitCode).toBe(6);
    expect(sent()).toHaveLength(1);
  });

  test("that collects in another currency asks too", async () => {
    const { desk, sent } = await openOffice();
    desk.write("dues.csv", collections("INR"));
    await desk.process("dues.csv");
    desk.write("dues-2.csv", collections("USD"));
    await desk.process("dues-2.csv");
    expect(sent()).toHaveLength(5);
  });
});
