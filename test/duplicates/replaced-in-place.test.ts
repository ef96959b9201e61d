import { describe, expect, test } from "vitest";
import { countsOf, type Desk } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { openOffice } from "./office.ts";

const rowsOf = (rows: readonly (readonly [string, number])[], more = ""): string =>
  [`from_account,to_account,amount${more && ",period"}`, ...rows.map(([account, amount]) => `A-1,${account},${amount}${more && `,${more}`}`), ""].join("\n"); // prettier-ignore
const lastBatch = (desk: Desk): string => desk.results("p.csv")[0]?.["result_batch"] ?? "";
const OLD = [["B-1", 101], ["B-2", 102], ["B-3", 103]] as const; // prettier-ignore

describe("a file that is corrected in its place before anything of it went", () => {
  test.each<[string, readonly (readonly [string, number])[], number]>([
    ["every amount", [["B-1", 1010], ["B-2", 1020], ["B-3", 1030]], 3],
    ["every payee", [["C-1", 101], ["C-2", 102], ["C-3", 103]], 3],
    ["of one the amount, of one the payee", [["B-1", 101], ["C-2", 102], ["B-3", 1030]], 2],
  ])("(%s) waits for a person: the old one still goes by itself", async (_, corrected, held) => {
    const { desk, server, sent } = await openOffice(() => wire.answer(401));
    desk.write("p.csv", rowsOf(OLD));
    const old = await desk.process("p.csv", { flags: { concurrency: 1 } });
    expect(sent()).toHaveLength(1);
    server.use(() => wire.answer(200));
    desk.write("p.csv", rowsOf(corrected));
    expect((await desk.process("p.csv")).exitCode).toBe(6);
    const already = sent();
    expect(already).toHaveLength(3 - held);
    const waiting = desk.results("p.csv").filter((row) => row.result_status === "held");
    expect(waiting).toHaveLength(held);
    const messages = waiting.map((row) => `${row.result_message} ${row.result_action}`);
    for (const message of messages) expect(message).toContain(old.batch);
    expect(messages.join("\n")).toContain("may still go by itself: one may be the correction of the other");
    expect(messages.join("\n")).toContain(`Only this one? Cancel batch ${old.batch} first`);
    await desk.inProcess((processor) => processor.takeUp(old.batch));
    expect([...already, ...sent()].map(({ account, amount }) => [account, Number(amount)])).toEqual(OLD);
  }); // prettier-ignore

  test.each([
    ["every amount", [["B-1", 1010], ["B-2", 1020], ["B-3", 1030]]],
    ["every payee", [["C-1", 101], ["C-2", 102], ["C-3", 103]]],
  ] as const)("(%s) waits where the old one goes first, though it was corrected by then", async (_, corrected) => {
    const { desk, server, sent } = await openOffice(() => wire.answer(401));
    desk.write("p.csv", rowsOf(OLD));
    const old = await desk.process("p.csv");
    server.use(() => wire.answer(200));
    sent();
    desk.write("p.csv", rowsOf(corrected));
    await desk.inProcess((processor) => processor.takeUp(old.batch));
    expect(sent()).toHaveLength(3);
    expect((await desk.process("p.csv")).exitCode).toBe(6);
    expect([sent(), countsOf(desk.results("p.csv"))]).toEqual([[], { held: 3 }]);
    // what is corrected afterwards is the next file
    desk.write("p.csv", rowsOf(corrected.map(([account, amount]) => [account, amount + 7])));
    await desk.inProcess(({ journal }) => journal.setPhase(lastBatch(desk), "cancelled", { kind: "cancel", by: "asha", note: "" }));
    await desk.process("p.csv");
    expect(sent()).toHaveLength(3);
  }); // prettier-ignore

  test("goes where the old one was cancelled, lay in another place, is of another month, or pays other people", async () => {
    const { desk, server, sent } = await openOffice(() => wire.answer(401));
    const dear = OLD.map(([account, amount]) => [account, amount * 10] as const);
    desk.write("a.csv", rowsOf(OLD));
    const old = await desk.process("a.csv");
    const months = [["M-1", 501], ["M-2", 502], ["M-3", 503]] as const; // prettier-ignore
    desk.write("m.csv", rowsOf(months, "2026-10"));
    await desk.process("m.csv");
    server.use(() => wire.answer(200));
    sent();
    desk.write("b.csv", rowsOf(dear));
    desk.write(
      "m.csv",
      rowsOf(
        months.map(([account, amount]) => [account, amount + 1]),
        "2026-11",
      ),
    );
    for (const name of ["b.csv", "m.csv"]) await desk.process(name);
    expect(sent()).toHaveLength(6);
    desk.write("a.csv", rowsOf([["D-1", 7001], ["D-2", 7002]])); // prettier-ignore
    await desk.process("a.csv");
    expect(sent()).toHaveLength(2);
    const act = { kind: "cancel", by: "asha", note: "wrong amounts" };
    await desk.inProcess(({ journal }) => journal.setPhase(old.batch, "cancelled", act));
    desk.write("a.csv", rowsOf(OLD.map(([account, amount]) => [account, amount * 100])));
    await desk.process("a.csv");
    expect(sent()).toHaveLength(3);
  });

  test("of which a person lets the new one go keeps the old one from going after it", async () => {
    const { desk, server, sent } = await openOffice(() => wire.answer(401));
    desk.write("p.csv", rowsOf([["B-1", 101]]));
    const old = await desk.process("p.csv");
    server.use(() => wire.answer(200));
    sent();
    desk.write("p.csv", rowsOf([["C-1", 101]]));
    const corrected = await desk.process("p.csv");
    const act = { by: "Meera", kind: "release", note: "the right payee" };
    await desk.inProcess(async (processor) => {
      await processor.journal.release(corrected.batch, "all", act);
      await processor.takeUp(corrected.batch);
      await processor.journal.makeReady(old.batch, "all", ["rejected", "not_sent"], { ...act, kind: "retry" });
      await processor.takeUp(old.batch);
    });
    expect(sent().map(({ account }) => account)).toEqual(["C-1"]);
  });
});

describe("a file that is corrected in its place after it went", () => {
  const once = rowsOf(OLD);
  const net = rowsOf(OLD.map(([account, amount]) => [account, amount + 0.75]));

  test.each([
    ["stated for both", "wages.csv", "2026-11", "2026-11"],
    ["that its name says", "wages-nov-2026.csv", undefined, undefined],
    ["that its name says, and that is stated then", "wages-nov-2026.csv", undefined, "2026-11"],
  ])("in every amount, within the month %s, is a question", async (_, name, first, second) => {
    const { desk, sent } = await openOffice();
    desk.write(name, once);
    await desk.process(name, { flags: { period: first } });
    sent();
    desk.write(name, net);
    expect((await desk.process(name, { flags: { period: second } })).exitCode).toBe(6);
    expect([sent(), countsOf(desk.results(name))]).toEqual([[], { held: 3 }]);
  });

  test("is none in another month, without any, from another place, or with people beside them", async () => {
    const { desk, sent } = await openOffice();
    const files: [string, string, string | undefined][] = [
      ["m.csv", once, "2026-11"],
      ["m.csv", net, "2026-12"],
      ["none.csv", rowsOf(OLD.map(([, amount]) => [`N-${amount}`, amount])), undefined],
      ["none.csv", rowsOf(OLD.map(([, amount]) => [`N-${amount}`, amount + 5])), undefined],
      ["place.csv", rowsOf(OLD.map(([, amount]) => [`P-${amount}`, amount])), "2026-11"],
      ["other-place.csv", rowsOf(OLD.map(([, amount]) => [`P-${amount}`, amount + 5])), "2026-11"],
      ["some.csv", rowsOf(OLD.map(([, amount]) => [`S-${amount}`, amount])), "2026-11"],
      ["some.csv", rowsOf([["S-101", 555], ["T-2", 556], ["T-3", 557]]), "2026-11"],
    ]; // prettier-ignore
    for (const [name, text, period] of files) {
      desk.write(name, text);
      expect([name, (await desk.process(name, { flags: { period } })).exitCode]).toEqual([name, 0]);
      expect(sent()).toHaveLength(3);
    }
  });
});
