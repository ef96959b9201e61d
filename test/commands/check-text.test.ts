import { describe, expect, test } from "vitest";
import type { Fault } from "../../src/checks/fault.ts";
import { checkObjects } from "../../src/commands/check/objects.ts";
import { checkText, type CheckLook } from "../../src/commands/check/text.ts";
import type { CheckReport } from "../../src/results/screen/check-report.ts";
import { Complaints } from "../../src/results/words/complaints.ts";
import { rowRecord } from "../support/records.ts";

const NONE = { rows: 0, amount: "0.00" };
const LOOK: CheckLook = { color: false, width: Number.POSITIVE_INFINITY, namesFile: true, isAiry: false };

const report: CheckReport = {
  file: "/srv/inbox/payroll.csv",
  operation: "payout, option B",
  rows: 240,
  total: "11087750.50",
  ready: { rows: 240, amount: "11087750.50" },
  invalid: NONE,
  held: NONE,
  duplicate: NONE,
  columnsKnown: 13,
  columnsAll: 13,
  faults: [],
  holds: [],
  corrected: [],
  warnings: [],
  warned: 0,
  groups: [],
  control: { sources: ["payroll.csv.control"], faults: [] },
  caps: [],
  remarks: [],
  accounts: [],
  exitCode: 0,
};

const separator: Fault = {
  code: "amount_separator",
  column: "Net Pay",
  cell: "I201",
  message: '"52,250.00" has a thousands separator',
  hint: "write 52250.00",
};

/** The report of a file whose rows have these faults. */
function withFaults(rows: readonly number[], faults: readonly Fault[] = [separator], shownMax = 5): CheckReport {
  const complaints = new Complaints(shownMax);
  for (const row of rows) complaints.addRow(rowRecord(row, { state: "invalid", faults }), "K7Q29F3M");
  const listed = rows.map((row) => ({ row, faults }));
  return { ...report, invalid: { rows: rows.length, amount: "0.00" }, faults: listed, groups: complaints.groups() };
}

describe("what check tells", () => {
  test("a file that is right: its columns, its sums, who stated what it holds", () => {
    const account = { account: "ACC-OPS-01", total: { rows: 240, amount: "11087750.50" }, byStatus: {} };
    expect(checkText({ ...report, accounts: [account] }, LOOK).split("\n")).toEqual([
      "payroll.csv   payout, option B   13 of 13 columns known   240 rows   11087750.50",
      "                  rows  amount, as in the file",
      "  ACC-OPS-01       240             11087750.50",
      "  total            240             11087750.50",
      "  control totals: equal payroll.csv.control",
      "240 ready        nothing was sent",
      "",
    ]);
  });

  test("one complaint: the row and column as the person sees them, then one arrow line", () => {
    const text = checkText(withFaults([201]), LOOK);
    expect(text).toContain(
      'payroll.csv: row 201, column Net Pay (I201): "52,250.00" has a thousands separator\n  → write 52250.00\n',
    );
    expect(text).toContain("240 ready   1 invalid        nothing was sent\n");
  });

  test("the first five of a kind, then the rows of the others; all of them when asked", () => {
    const rows = [11, 12, 13, 14, 15, 61, 62, 64, 65, 66, 67];
    const text = checkText(withFaults(rows), LOOK);
    expect(text.match(/thousands separator/g)).toHaveLength(5);
    expect(text.match(/→ write 52250.00/g)).toHaveLength(1);
    expect(text).toContain("  and 6 more rows: 61, 62, 64-67\n");
    const all = checkText(withFaults(rows, [separator], Number.POSITIVE_INFINITY), LOOK);
    expect(all.match(/thousands separator/g)).toHaveLength(11);
  });

  test("rows of a kind that go on to the end of a large file are told to the end", () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => at + 2);
    expect(checkText(withFaults(rows), LOOK)).toContain("  and 49995 more rows: 7-50001\n");
    const everyOther = rows.filter((row) => row % 2 === 0);
    expect(checkText(withFaults(everyOther), LOOK)).toMatch(/and 24995 more rows: 12, 14,[ \d,\n]+ 50, …\n/);
  });

  test("every complaint is counted, however many there are, and kinds without end are told together", () => {
    const complaints = new Complaints();
    for (let row = 2; row < 20_002; row += 1) {
      const faults = [{ ...separator, column: `column ${row}` }];
      complaints.addRow(rowRecord(row, { state: "invalid", faults }), "K7Q29F3M");
    }
    const groups = complaints.groups();
    expect(groups.length).toBeLessThanOrEqual(501);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(20_000);
    expect(groups.at(-1)?.rest.toString().length).toBeLessThanOrEqual(10_000);
  });

  test("what stops rows comes before what waits and what is only pointed out", () => {
    const complaints = new Complaints();
    const warning = { ...separator, level: "warning" as const };
    complaints.addRow(rowRecord(2, { warnings: [warning] }), "K7Q29F3M");
    complaints.addRow(rowRecord(3, { state: "held", code: "repeat_in_file", other: { batch: "K7Q29F3M", row: 2 } }), "K7Q29F3M"); // prettier-ignore
    complaints.addRow(rowRecord(4, { state: "invalid", faults: [separator] }), "K7Q29F3M");
    const groups = complaints.groups();
    expect(groups.map(({ level }) => level)).toEqual(["invalid", "held", "warning"]);
    const text = checkText({ ...report, groups, warned: 1 }, LOOK);
    expect(text).toContain("payroll.csv: row 3: held: same payment as row 2 of this file\n");
    expect(text).toContain(
      'payroll.csv: row 2, column Net Pay (I201): look at this: "52,250.00" has a thousands separator\n  → write 52250.00\n',
    );
    expect(text).toContain("240 ready   1 to look at        nothing was sent\n");
  });

  test("a warning changes no exit code", () => {
    const warnings = [{ row: 14, warnings: [{ ...separator, level: "warning" as const }] }];
    expect(checkObjects({ ...report, warnings, warned: 1 })).toMatchObject([
      { type: "warning", row: 14, code: "amount_separator", column: "Net Pay", cell: "I201" },
      { type: "summary", exit_code: 0, warned: 1, control: { stated_by: ["payroll.csv.control"], faults: [] } },
    ]);
  });

  test("control totals that differ refuse the file, and its rows are told all the same", () => {
    const faults = [
      { code: "control_rows_differ", message: "it says 241 rows, the file has 240", hint: "Copy it." } as const,
    ];
    const text = checkText({ ...withFaults([14]), control: { sources: ["the command line"], faults } }, LOOK);
    expect(text).toContain("control totals: DIFFER from the command line");
    expect(text).toContain("payroll.csv: it says 241 rows, the file has 240\n  → Copy it.\n");
    expect(text).toContain("row 14, column Net Pay");
    expect(text).toContain("the file would be refused as a whole        nothing was sent");
  });

  test("no line is wider than the terminal, but a word that is", () => {
    const long = { ...separator, message: "a sentence with many words ".repeat(9).trim(), hint: "do this ".repeat(20) };
    for (const width of [60, 76]) {
      const text = checkText(withFaults([11, 12, 13, 14, 15, 20, 30, 40], [long]), { ...LOOK, width, isAiry: true });
      expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(width);
    }
  });

  test("what a stranger wrote cannot move the cursor", () => {
    const fault = { ...separator, column: "\u001b[1A", message: "\u001b[2J\u202e" };
    expect(checkText(withFaults([2], [fault]), LOOK)).not.toMatch(/[\u001b\u202e]/);
  });

  test("as JSON: a line per row that is not ready, the summary last, amounts as text", () => {
    const objects = checkObjects({ ...withFaults([201]), exitCode: 3 }, "/srv/inbox/payroll.csv.check.txt");
    expect(objects).toMatchObject([
      { type: "row", row: 201, status: "invalid", faults: [separator] },
      {
        ...{ type: "summary", exit_code: 3, written: "/srv/inbox/payroll.csv.check.txt" },
        ...{ rows: { total: 240 }, amount: { total: "11087750.50" } },
        kinds: [{ level: "invalid", code: "amount_separator", column: "Net Pay", rows: 1 }],
      },
    ]);
  });
});
