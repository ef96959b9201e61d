import { describe, expect, test } from "vitest";
import { checkObjects, checkText } from "../../src/commands/check-text.ts";
import type { Fault } from "../../src/checks/fault.ts";
import type { CheckReport } from "../../src/results/check-report.ts";

const NONE = { rows: 0, amount: "0.00" };

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
  warnings: [],
  warned: 0,
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

describe("what check tells", () => {
  test("a file that is right", () => {
    expect(checkText(report)).toBe(
      "payroll.csv   payout, option B   13 of 13 columns known   240 rows   11087750.50\n" +
        "240 ready        nothing was sent\n",
    );
  });

  test("one complaint: the row and column as the person sees them, then one arrow line", () => {
    const text = checkText({
      ...report,
      invalid: { rows: 1, amount: "0.00" },
      faults: [{ row: 201, faults: [separator] }],
    });
    expect(text).toContain(
      'payroll.csv: row 201, column Net Pay (I201): "52,250.00" has a thousands separator\n  → write 52250.00\n',
    );
    expect(text).toContain("240 ready   1 invalid        nothing was sent\n");
  });

  test("the first five of a kind, then the rows of the others", () => {
    const rows = [11, 12, 13, 14, 15, 61, 62, 64, 65, 66, 67];
    const faults = rows.map((row) => ({ row, faults: [separator] }));
    const text = checkText({ ...report, invalid: { rows: rows.length, amount: "0.00" }, faults });
    expect(text.match(/thousands separator/g)).toHaveLength(5);
    expect(text.match(/→ write 52250.00/g)).toHaveLength(1);
    expect(text).toContain("  and 6 more rows: 61, 62, 64-67\n");
  });

  test("rows beyond those that are listed are counted", () => {
    const faults = [{ row: 2, faults: [separator] }];
    expect(checkText({ ...report, invalid: { rows: 31, amount: "0.00" }, faults })).toContain("and 30 more rows that");
  });

  test("a warning is told apart from what stops a row, and changes no exit code", () => {
    const warnings = [{ row: 14, warnings: [{ ...separator, level: "warning" as const }] }];
    const warned = { ...report, warnings, warned: 1 };
    expect(checkText(warned)).toContain(
      'payroll.csv: row 14, column Net Pay (I201): look at this: "52,250.00" has a thousands separator\n  → write 52250.00\n',
    );
    expect(checkText(warned)).toContain("240 ready   1 to look at        nothing was sent\n");
    expect(checkObjects(warned)).toMatchObject([
      { type: "warning", row: 14, code: "amount_separator", column: "Net Pay", cell: "I201" },
      { type: "summary", exit_code: 0, warned: 1 },
    ]);
  });

  test("a held row says why", () => {
    const holds = [
      { row: 34, code: "repeat_in_file", message: "same payee and amount as row 33", hint: "give each a reference" },
    ];
    const text = checkText({ ...report, held: { rows: 1, amount: "100.00" }, holds });
    expect(text).toContain("payroll.csv: row 34: held: same payee and amount as row 33\n  → give each a reference\n");
  });

  test("what a stranger wrote cannot move the cursor", () => {
    const fault = { ...separator, message: "\u001b[2J\u202e" };
    expect(checkText({ ...report, faults: [{ row: 2, faults: [fault] }] })).not.toMatch(/[\u001b\u202e]/);
  });

  test("as JSON: a line per row that is not ready, the summary last, amounts as text", () => {
    const objects = checkObjects({ ...report, exitCode: 3, faults: [{ row: 201, faults: [separator] }] });
    expect(objects).toHaveLength(2);
    expect(objects[0]).toMatchObject({ type: "row", row: 201, status: "invalid" });
    expect(objects[1]).toMatchObject({
      type: "summary",
      exit_code: 3,
      rows: { total: 240 },
      amount: { total: "11087750.50" },
    });
  });
});
