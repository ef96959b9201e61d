import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import { answer } from "../support/fault-server.ts";
import { openOffice, type Office } from "../support/people.ts";
import { until } from "../support/until.ts";

const SETTLED = { PAYDROP_SETTLE: "100ms" };

function openInbox(): Promise<Office> {
  return openOffice(() => answer(200), SETTLED);
}

function markIn(office: Office): string {
  return join(office.folder, ".paydrop");
}

test("whoever found nothing to send leaves no mark: the folder's own state directory takes its files", async () => {
  const office = await openInbox();
  const looked = await office.paydrop("run", "--inbox", ".", "--state-dir", "../other");
  expect([looked.code, existsSync(markIn(office))]).toEqual([0, false]);
  office.write("pay.csv", transfersCsv(1));
  expect((await office.paydrop("run", "--inbox", ".")).code).toBe(0);
  expect(existsSync(markIn(office))).toBe(true);
});

test("whoever is refused for what another state directory sent leaves no mark either", async () => {
  const office = await openInbox();
  office.write("pay.csv", transfersCsv(1));
  expect((await office.run("pay.csv")).code).toBe(0);
  expect((await office.paydrop("run", "--inbox", ".", "--state-dir", "../other")).code).toBe(74);
  expect(existsSync(markIn(office))).toBe(false);
  office.write("more.csv", transfersCsv(1).replace(",60200", ",70300"));
  expect((await office.paydrop("run", "--inbox", ".")).code).toBe(0);
  expect(office.server.requests).toHaveLength(2);
});

test("a mark that was there stays, and so does a new one where rows went before or go now", async () => {
  const office = await openInbox();
  office.write("pay.csv", transfersCsv(1));
  expect((await office.paydrop("run", "--inbox", ".")).code).toBe(0);
  const mark = readFileSync(markIn(office), "utf8");
  expect((await office.paydrop("run", "--inbox", ".")).code).toBe(0);
  expect(readFileSync(markIn(office), "utf8")).toContain(mark.slice(0, mark.indexOf('"keeper"')));
  rmSync(markIn(office));
  expect((await office.paydrop("run", "--inbox", ".")).code).toBe(0);
  expect(readFileSync(markIn(office), "utf8")).toContain(mark.slice(0, mark.indexOf('"keeper"')));
});

test("as long as a watch has sent nothing its mark keeps another out; what a killed one left can be deleted", async () => {
  const office = await openInbox();
  const watch = office.start("watch", ".", "--state-dir", "../other");
  await until("the mark", () => existsSync(markIn(office)));
  office.write(".keep", "");
  const beside = await office.paydrop("run", "--inbox", ".");
  expect(beside.code).toBe(74);
  watch.child.kill("SIGKILL");
  await watch.ended;
  const after = await office.paydrop("run", "--inbox", ".");
  expect(after.code).toBe(74);
  expect(after.stderr).toContain("had sent nothing either when it wrote .paydrop");
  expect(after.stderr).toContain(`delete ${markIn(office)} and do this again`);
  expect(after.stderr).not.toContain("--accept-lost-journal");
  rmSync(markIn(office));
  expect((await office.paydrop("run", "--inbox", ".")).code).toBe(0);
});

test("a folder whose rows wait, or that was told to stop, is its state directory's although nothing went", async () => {
  const office = await openInbox();
  office.write("STOP", "");
  expect((await office.paydrop("run", "--inbox", ".")).code).toBe(0);
  expect(existsSync(markIn(office))).toBe(true);
  const beside = await openInbox();
  // all or nothing: the first row waits for the second
  beside.write("pay.csv", `${transfersCsv(1)}50100271828001,60200999,none\n`);
  expect((await beside.paydrop("run", "--inbox", ".", "--all-or-nothing")).code).not.toBe(0);
  expect([existsSync(markIn(beside)), beside.server.requests]).toEqual([true, []]);
});

test.each([
  ["the folder above", ".", "transfers"],
  ["a folder of one operation in it", "transfers", "."],
])(
  "who watches %s keeps its inbox: another state directory is refused before it leaves a mark",
  async (_, own, other) => {
    const office = await openInbox();
    mkdirSync(join(office.folder, "transfers"));
    const watch = office.start("watch", own);
    await until("the mark", () => existsSync(join(office.folder, own, ".paydrop")));
    const beside = await office.paydrop("run", "--inbox", other, "--state-dir", "../other");
    expect([beside.code, existsSync(join(office.folder, other, ".paydrop"))]).toEqual([74, false]);
    expect(beside.stderr).toContain(`${join(office.folder, own, ".paydrop")} was written with another state directory`);
    office.write("transfers/pay.csv", transfersCsv(1));
    await until("the payment", () => existsSync(join(office.folder, "transfers/pay.csv.results.csv")), {
      by: watch.ended,
    });
  },
);
