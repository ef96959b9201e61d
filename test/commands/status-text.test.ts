import { describe, expect, test } from "vitest";
import { batchTable } from "../../src/commands/status/table.ts";
import { batchText } from "../../src/commands/status/text.ts";
import type { BatchStatus, FullStatus } from "../../src/commands/status.ts";

function status(id: string, rows: number): BatchStatus {
  return {
    batch: {
      id,
      environment: "live",
      destination: "https://api.bank.example",
      fileName: `payroll-${id}.csv`,
      folder: "/srv/inbox",
      format: "csv",
      sha256: "0".repeat(64),
      sizeBytes: 1,
      rows,
      total: "11087750.50",
      choices: "{}",
      remarks: [],
      phase: "open",
      createdAt: Date.UTC(2026, 9, 31, 12, 37, 22),
    },
    tallies: { accepted: { rows: rows - 2, amount: "10000000.00" }, unknown: { rows: 2, amount: "80500.00" } },
  };
}

describe("the table of all batches", () => {
  const all = [status("K7Q29F3M", 240), status("H2MM0A1B", 1_000_000)];

  test.each([20, 40, 60, 80, 120, 200])("is never wider than a terminal of %i columns", (columns) => {
    const lines = batchTable(all, columns).trimEnd().split("\n");
    expect(lines.slice(3).join(" ")).toBe(columns < 40 ? "no room for rows, accepted: paydrop status BATCH" : "");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  });

  test("shows what needs a person even at 60 columns, and everything when there is room", () => {
    expect(batchTable(all, 60)).toMatch(/^batch +file +rows +accepted +unknown$/m);
    expect(batchTable(all, 250)).toContain("https://api.bank.example");
  });

  test.each([60, 80])("tells counts of what is open before names and dates, at %i columns", (columns) => {
    const { batch } = status("P4TD0000", 240);
    const one = (rows: number): { rows: number; amount: string } => ({ rows, amount: "0.00" });
    const tallies = { accepted: one(226), unknown: one(2), held: one(3), rejected: one(4), not_sent: one(5) };
    const counts = ["batch", "rows", "accepted", "unknown", "held", "refused", "not sent"];
    const long = { ...batch, fileName: "november-salaries-of-all-branches.csv", period: "2026-11" };
    const [heading = "", line = "", note] = batchTable([{ batch: long, tallies }], columns).split("\n");
    expect(heading.split(/  +/).filter((title) => !["file", "period"].includes(title))).toEqual(counts);
    expect(line).toMatch(/ 240 +226 +2 +3 +4 +5$/);
    expect(line.includes("2026-11")).toBe(columns === 80);
    expect(note).toBe("");
  });

  test("says which counts it has no room for", () => {
    const { batch } = status("P4TD0000", 240);
    const one = (rows: number): { rows: number; amount: string } => ({ rows, amount: "0.00" });
    const tallies = { accepted: one(230), unknown: one(2), held: one(3), ready: one(5) };
    expect(batchTable([{ batch, tallies }], 36).split("\n")).toEqual([
      "batch     unknown  held  not sent",
      "P4TD0000        2     3         5",
      "no room for rows, accepted: paydrop",
      "status BATCH",
      "",
    ]);
  });

  test("says of every row where it stands: the numbers of a line add up to its rows", () => {
    const { batch } = status("P4TD0000", 240);
    const one = (rows: number): { rows: number; amount: string } => ({ rows, amount: "0.00" });
    const tallies = { accepted: one(3), duplicate: one(236), settled_not_done: one(1) };
    const [heading = "", line = ""] = batchTable([{ batch, tallies }], 80).split("\n");
    expect(heading).toMatch(/not sent +duplicate/);
    const [, , rows, ...counts] = line.split(/ +/).map(Number);
    expect(rows).toBe(counts.slice(0, 3).reduce((sum, count) => sum + count, 0));
    expect(batchTable(all, 200)).not.toContain("duplicate");
  });

  test("calls accepted what the service accepted, as the summary does, and not what a person says was carried out", () => {
    const { batch } = status("P4TD0000", 60);
    const one = (rows: number): { rows: number; amount: string } => ({ rows, amount: "0.00" });
    const tallies = { accepted: one(54), settled_done: one(4), unknown: one(2) };
    const [heading = "", line = ""] = batchTable([{ batch, tallies }], 200).split("\n");
    expect(heading).toMatch(/^batch +file +rows +accepted +unknown +settled done +amount/);
    expect(line).toMatch(/^P4TD0000 +payroll-P4TD0000.csv +60 +54 +2 +4 /);
    expect(batchTable(all, 200)).not.toContain("settled");
  });

  test("calls a row that is on its way no unknown one: it has not failed to be answered", () => {
    const { batch } = status("P4TD0000", 60);
    const one = (rows: number): { rows: number; amount: string } => ({ rows, amount: "0.00" });
    const tallies = { accepted: one(13), sending: one(4), ready: one(43) };
    const [heading = "", line = ""] = batchTable([{ batch, tallies }], 200).split("\n");
    expect(heading).toMatch(/^batch +file +rows +accepted +not sent +being sent +amount/);
    expect(line).toMatch(/^P4TD0000 +payroll-P4TD0000.csv +60 +13 +43 +4 /);
    expect(batchTable(all, 200)).not.toContain("being sent");
  });

  test("calls a batch open only while something of it is", () => {
    const { batch, tallies } = status("P4TD0000", 60);
    const one = { rows: 1, amount: "0.00" };
    expect(batchTable([{ batch, tallies }], 200)).toMatch(/ open /);
    const ended = { accepted: { ...one, rows: 58 }, settled_done: one, duplicate: one };
    expect(batchTable([{ batch, tallies: ended }], 200)).toMatch(/ ended /);
    const paused = { ...batch, phase: "paused" } as const;
    expect(batchTable([{ batch: paused, tallies: ended }], 200)).toMatch(/ paused /);
  });
});

describe("one batch in full", () => {
  const full: FullStatus = {
    ...status("K7Q29F3M", 240),
    open: { unknown: [91, 164] },
    resumable: 0,
    history: [{ at: Date.UTC(2026, 10, 1), by: "asha", kind: "settle", row: 91, note: "looked up" }],
  };

  test("names totals, advice, the rows to look at, and who did what", () => {
    const text = batchText(full, { color: false, width: 40 });
    expect(text).toContain("batch K7Q29F3M");
    expect(text).toMatch(/unknown +2 +80500\.00 +DO NOT SEND AGAIN before you checked/);
    expect(text).toMatch(/total +240 +11087750\.50/);
    expect(text).toContain("unknown: rows 91, 164\n");
    expect(batchText({ ...full, open: { held: [11] } }, { color: false, width: 40 })).toContain("held: row 11\n");
    expect(text).toContain("2026-11-01T00:00:00Z asha: settle row 91 looked up\n");
  });

  test("tells once what one person said of many rows: a release of all of them is no page for each", () => {
    const release = { at: Date.UTC(2026, 10, 2), by: "ravi", kind: "release", note: "December payroll" };
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ ...release, row: index + 2 }));
    const text = batchText({ ...full, history: [...full.history, ...rows] }, { color: false, width: 80 });
    expect(text).toContain(
      "asha: settle row 91 looked up\n2026-11-02T00:00:00Z ravi: release rows 2-20001 December payroll\n",
    );
    expect(text.split("\n").length).toBeLessThan(20);
  });

  test("says how many rows it does not name, where there are too many", () => {
    const unknown = Array.from({ length: 1000 }, (_, index) => index + 2);
    const tallies = { ...full.tallies, unknown: { rows: 2167, amount: "80500.00" } };
    const text = batchText({ ...full, tallies, open: { unknown } }, { color: false, width: 80 });
    expect(text).toContain("unknown: rows 2-1001 and 1167 more\n");
    expect(text).toContain("look up rows 2-1001 and 1167 more in the service's dashboard");
    const scattered = unknown.map((row) => row * 20);
    const cut = batchText({ ...full, tallies, open: { unknown: scattered } }, { color: false, width: 80 });
    expect(cut).toMatch(/unknown: rows 40, 60,[ ,\d\n]+ 820, …\n/);
    expect(cut.split("\n").length).toBeLessThan(30);
  });

  test("says of a paused batch what sends its rows: no run does", () => {
    const one = { rows: 1, amount: "1.00" };
    const paused: FullStatus = {
      ...full,
      batch: { ...full.batch, phase: "paused" },
      tallies: { ...full.tallies, ready: one, not_sent: one, settled_not_done: one },
    };
    const text = batchText(paused, { color: false, width: 80 });
    expect(text).toMatch(/^ *ready .* paused: resume sends it$/m);
    expect(text).toMatch(/^ *not sent .* paused: resume sends it$/m);
    expect(text).toMatch(/^ *settled as not done .* paused: after resume, retry sends it$/m);
    expect(text).not.toContain("the next run sends it");
  });

  test.each([40, 60, 80, 200])("is never wider than a terminal of %i columns, and says the same", (width) => {
    const text = batchText(full, { color: false, width, folds: true });
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
    const words = (shown: string): string[] => shown.replaceAll(" \\\n", " ").split(/\s+/).sort();
    expect(words(text)).toEqual(words(batchText(full, { color: false, width })));
  });
});
