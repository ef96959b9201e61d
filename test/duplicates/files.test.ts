import { describe, expect, test } from "vitest";
import { countsOf, transfersCsv } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { DAY_MS, openOffice } from "./office.ts";

describe("equal rows in one file", () => {
  const equal = (more = ""): string => {
    const row = "50100271828001,60200000000001,101.00";
    return `from_account,to_account,amount${more ? ",reference" : ""}\n${row}${more && ",A-1"}\n${row}${more && ",A-2"}\n`;
  };

  test("without references the first goes and the second is held", async () => {
    const { desk, sent } = await openOffice();
    desk.write("two.csv", equal());
    const run = await desk.run("two.csv");
    expect({ code: run.code, counts: run.counts, sent: sent().length }).toEqual({
      code: 6,
      counts: { accepted: 1, held: 1 },
      sent: 1,
    });
    expect(run.results[1]?.result_message).toContain("row 2");
  });

  test("with references of their own both go", async () => {
    const { desk, sent } = await openOffice();
    desk.write("two.csv", equal("references"));
    expect((await desk.run("two.csv")).code).toBe(0);
    expect(sent()).toHaveLength(2);
  });

  test("--allow-repeats sends both, and with a period the same two are known again in a file of three", async () => {
    const { desk, sent } = await openOffice();
    desk.write("two.csv", equal());
    const flags = { period: "2026-11", allow_repeats: true };
    expect((await desk.process("two.csv", { flags })).exitCode).toBe(0);
    expect(sent()).toHaveLength(2);
    desk.write("three.csv", `${equal()}50100271828001,60200000000001,101\n`);
    await desk.process("three.csv", { flags });
    expect(countsOf(desk.results("three.csv"))).toEqual({ duplicate: 2, held: 1 });
    expect(sent()).toEqual([]);
  });

  test("one reference twice is held, whatever the flags", async () => {
    const { desk, sent } = await openOffice();
    desk.write("two.csv", transfersCsv(3, { reference: (index) => (index < 3 ? "SAME" : "OTHER") }));
    const run = await desk.run("two.csv", "--allow-repeats");
    expect({ code: run.code, counts: run.counts, sent: sent().length }).toEqual({
      code: 6,
      counts: { accepted: 2, held: 1 },
      sent: 2,
    });
    expect(run.results[1]?.result_message).toContain("reference");
  });
});

describe("between files", () => {
  test("the same reference with another amount is held", async () => {
    const { desk, sent } = await openOffice();
    desk.write("a.csv", transfersCsv(2, { reference: (index) => `R-${index}` }));
    desk.write("b.csv", transfersCsv(2, { reference: (index) => `R-${index}` }).replace("102.00", "120.00"));
    await desk.process("a.csv");
    sent();
    const second = await desk.process("b.csv", { now: () => Date.now() + 400 * DAY_MS });
    expect(second.exitCode).toBe(6);
    expect(countsOf(desk.results("b.csv"))).toEqual({ duplicate: 1, held: 1 });
    expect(desk.results("b.csv")[1]?.result_message).toContain(
      "its reference was used for another payee, amount or debit account",
    );
    expect(sent()).toEqual([]);
  });

  test("the same where the payee's id was typed in other letters", async () => {
    const { desk, sent } = await openOffice();
    const file = (payee: string, amount: string): string =>
      `from_account,to_account,amount\nOPS,Acc-Asha,100\nOPS,${payee},${amount}\n`;
    desk.write("a.csv", file("Acc-Bina", "200"));
    await desk.process("a.csv");
    desk.write("b.csv", file("ACC-BINA", "250"));
    await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ held: 2 });
    expect(sent()).toHaveLength(2);
  });

  test("an amount that was edited on a row already accepted is held as a near duplicate", async () => {
    const { desk, sent } = await openOffice();
    desk.write("a.csv", transfersCsv(10));
    desk.write("b.csv", transfersCsv(10).replace("105.00", "150.00"));
    await desk.process("a.csv");
    sent();
    await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ held: 10 });
    const near = desk.results("b.csv")[4];
    expect(near?.result_message).toContain("same payee with another amount");
    expect(sent()).toEqual([]);
  });

  test("a file of its own that pays the same people other amounts goes", async () => {
    const { desk, sent } = await openOffice();
    desk.write("salary.csv", transfersCsv(10));
    desk.write("bonus.csv", transfersCsv(10).replaceAll(".00", ".50"));
    await desk.process("salary.csv");
    sent();
    expect((await desk.process("bonus.csv")).exitCode).toBe(0);
    expect(sent()).toHaveLength(10);
  });

  test("JSON rows that repeat the rows of a CSV are the same payments, however they write the amount", async () => {
    const { desk, sent } = await openOffice();
    desk.write("a.csv", transfersCsv(4, { reference: (index) => `R-${index}` }));
    await desk.process("a.csv");
    expect(sent()).toHaveLength(4);
    const amounts = ["101", "102.0", "103.00", "104.000"];
    const rows = amounts.slice(0, 3).map(
      (amount, at) =>
        `{"to_account":"60200${String(at + 1).padStart(9, "0")}","reference":"R-${at + 1}","from_account":"50100271828001","amount":${at === 1 ? `"${amount}"` : amount}}`,
    ); // prettier-ignore
    desk.write("b.json", `[${rows.join(",\n")}]`);
    await desk.process("b.json");
    expect(desk.results("b.json").map((row) => row.result_status)).toEqual(["duplicate", "duplicate", "duplicate"]);
    expect(sent()).toEqual([]);
  });

  test("what a cancelled batch did not send stands in nobody's way; what it sent does", async () => {
    const { desk, server, sent } = await openOffice();
    server.use((request) => wire.answer(request.number > 2 ? 401 : 200));
    desk.write("a.csv", transfersCsv(10));
    const first = await desk.process("a.csv", { flags: { concurrency: "1" } });
    expect(countsOf(desk.results("a.csv"))).toEqual({ accepted: 2, rejected: 1, not_sent: 7 });
    server.use(() => wire.answer(200));
    sent();
    desk.write("b.csv", transfersCsv(10, { remark: () => "once more" }));
    await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ held: 9, accepted: 1 });
    const act = { by: "Meera", kind: "cancel", note: "the other file replaces it" };
    await desk.inProcess((processor) => processor.journal.setPhase(first.batch, "cancelled", act));
    await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ held: 2, accepted: 8 });
    const all = sent().map(({ account }) => account);
    expect({ requests: all.length, rows: new Set(all).size }).toEqual({ requests: 8, rows: 8 });
    await desk.process("a.csv");
    expect(sent()).toEqual([]);
  });

  test("many equal rows of a cancelled file do not hide the one that was sent before", async () => {
    const { desk, sent } = await openOffice();
    const file = (rows: number, remark: string): string =>
      `from_account,to_account,amount,remark\n${`50100271828001,60200000000001,101.00,${remark}\n`.repeat(rows)}`;
    // its reference gives it a key of its own: only the core fields are shared
    desk.write("a.csv", file(1, "R-1").replace("remark", "reference"));
    await desk.process("a.csv");
    desk.write("b.csv", file(100, "far too many"));
    const many = await desk.process("b.csv");
    expect(countsOf(desk.results("b.csv"))).toEqual({ held: 100 });
    const act = { by: "Meera", kind: "cancel", note: "100 too many" };
    await desk.inProcess((processor) => processor.journal.setPhase(many.batch, "cancelled", act));
    expect(sent()).toHaveLength(1);
    desk.write("c.csv", file(1, "once more"));
    await desk.process("c.csv");
    expect(countsOf(desk.results("c.csv"))).toEqual({ held: 1 });
    expect(sent()).toEqual([]);
  });
});
