import { expect, test } from "vitest";
import { openKept } from "../../src/checks/open-kept.ts";
import { Figures } from "../../src/figures.ts";
import { collectReport, headlineOf } from "../../src/results/report.ts";
import { reportPage } from "../../src/results/report-page.ts";
import { PAYROLL, SILENT, TestDesk, transfers } from "../support/desk.ts";

async function pageOf(desk: TestDesk, id: string): Promise<{ page: string; headline: string }> {
  const [batch] = await desk.store.batches({ id });
  if (!batch) throw new Error("no such batch");
  const kept = await openKept(desk, batch);
  const report = await collectReport({ ...kept, store: desk.store, batch });
  return {
    page: reportPage(report, new Figures({ number_format: "indian", time_zone: "Asia/Kolkata" })),
    headline: report.headline,
  };
}

test("corrected in later batches, cancelled by name → the first line says what became of all in the end", async () => {
  const desk = await TestDesk.open();
  const rows = Array.from({ length: 27 }, (_, at) => [`ACC-${at}`, "1.00"] as const);
  const file = transfers(...rows, ["ACC-X", "x"], ["ACC-Y", "y"], ["ACC-1", "1.00"]);
  const { batch } = await desk.run("pay.csv", file);
  const fixed = await desk.run(
    "fix.csv",
    desk.read("pay.csv.retry.csv").replace(",x,", ",3.00,").replace(",y,", ",4.00,"),
  );
  await desk.move(batch, "cancelled", [31]);
  const { page, headline } = await pageOf(desk, batch);
  expect(headline).toBe(`29 of 30 accepted: 27 here, 2 corrected in batch ${fixed.batch}; 1 cancelled by Asha Rao`);
  expect(page.indexOf(headline)).toBeLessThan(page.indexOf("Sums by status"));
  expect(page).toContain("No payment waits for a decision");
  expect((await pageOf(desk, batch)).page).toBe(page);
});

test.each([
  ["nothing went", { not_sent: 2 }, [], "0 of 3 accepted; 2 not sent"],
  ["a correction whose end is unclear", { accepted: 1 }, ["unknown"], "1 of 3 accepted; 1 unknown in batch B2"],
  ["all of it corrected elsewhere", {}, ["accepted"], "1 of 3 accepted: 1 corrected in batch B2"],
] as const)("%s → said in the first line", (_, here, later, headline) => {
  const there = later.map((status) => ({ how: "corrected" as const, batch: "B2", status, rows: 1 }));
  expect(headlineOf(3, here, there, [])).toBe(headline);
});

test("a file corrected in its place → both reports tell of all three", async () => {
  const desk = await TestDesk.open();
  const first = await desk.run("pay.csv", transfers(["ACC-1", "1.00"], ["ACC-2", "2.00"], ["ACC-X", "x"]));
  const second = await desk.run("pay.csv", transfers(["ACC-1", "1.00"], ["ACC-2", "2.00"], ["ACC-X", "y"]));
  const held = await pageOf(desk, second.batch);
  expect(held.headline).toBe("0 of 3 accepted; 1 invalid; 2 held");
  await desk.move(second.batch, "cancelled", [2, 3]);
  const third = await desk.run("fix.csv", desk.read("pay.csv.retry.csv").replace(",y,", ",3.00,"));
  const { headline } = await pageOf(desk, second.batch);
  expect(headline).toBe(`3 of 3 accepted: 2 before in batch ${first.batch}, 1 corrected in batch ${third.batch}`);
  const earlier = await pageOf(desk, first.batch);
  expect(earlier.headline).toBe(`3 of 3 accepted: 2 here, 1 corrected in batch ${third.batch}`);
});

test("rows that need a person → named by payee, employee number and reference", async () => {
  const desk = await TestDesk.open();
  const { batch } = await desk.run("pay.csv", PAYROLL, () => SILENT);
  const cells = (who: string, below: string): string => `<bdi>${who}</bdi><small><bdi>${below}</bdi>`;
  const { page } = await pageOf(desk, batch);
  expect(page).toContain(cells("Asha Rao", "007 · ••8901 · SAL-1"));
  expect(page).toContain(cells("Ravi Kumar", "••0042 · ••0042 · ••6789"));
});

test("the page → loads and runs nothing, escapes what was read, masks accounts, asks for a person", async () => {
  const desk = await TestDesk.open();
  const file = transfers(["50100271828999", "7.00", "<script>alert(1)</script>"], ["<b>&'\u202e", "x"]);
  const { batch } = await desk.run("a<img src=x>.csv", file, () => SILENT);
  const { page } = await pageOf(desk, batch);
  expect(page).not.toMatch(
    /<(?:script|img|link)\b|<b>&|<[^>]*\s(?:src|href|on\w+)=|url\(|@import|\u202e|50100271828999/i,
  );
  expect(page).toContain("a&lt;img src=x&gt;.csv");
  expect(page).toContain("default-src 'none'");
  expect(page).toContain("<bdi>••8999</bdi>");
  expect(page).toContain("Check in the dashboard first");
  expect(page).not.toContain("paydrop settle");
  expect(page.replaceAll("\u00a0", " ")).toContain("26 Nov 2026, 15:00:00");
  expect(page).toMatch(/<dt>SHA-256<\/dt><dd><code>[0-9a-f]{64}</);
  expect(page).toMatch(/Prepared by[^]*Checked by[^]*Approved by/);
});
