import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { BatchReport, RunEvent } from "../../src/events.ts";
import { openingText, summaryText } from "../../src/results/screen/screen.ts";

const PLAIN = { color: false, width: 120 } as const;

const REPORT: BatchReport = {
  batch: "K7Q29F3M",
  file: "october-payroll.csv",
  operation: "payout, option B",
  destination: "https://api.bank.example",
  total: { rows: 240, amount: "11087750.50" },
  byStatus: {
    accepted: { rows: 235, amount: "10871500.50" },
    rejected: { rows: 3, amount: "135750.00" },
    unknown: { rows: 2, amount: "80500.00" },
  },
  accounts: [],
  requests: 240,
  startedAt: 0,
  durationMs: 172_000,
  files: { results: "october-payroll.csv.results.csv", retry: "october-payroll.csv.retry.csv", retryRows: 3 },
  remarks: [],
  rowsToLookAt: { unknown: [91, 164], rejected: [112, 130, 201] },
  exitCode: 4,
};

describe("the summary", () => {
  test("reads as promised", () => {
    expect(`\n${summaryText(REPORT, PLAIN)}`).toMatchInlineSnapshot(`
      "
      batch K7Q29F3M   october-payroll.csv   2 min 52 s
                        rows          amount
        ✓ accepted       235     10871500.50   the service took the request; not proof that money arrived
        ✗ rejected         3       135750.00   correct and drop again
        ? unknown          2        80500.00   DO NOT SEND AGAIN before you checked
        total            240     11087750.50   equals the file
      results    october-payroll.csv.results.csv
      correct    october-payroll.csv.retry.csv   3 rows
      next       look up rows 91 and 164 in the service's dashboard, then
                 paydrop settle K7Q29F3M --row 91 --as done|not-done --by NAME --note TEXT
      "
    `);
  });

  test.each([30, 40, 60, 80])(
    "tells commands that can be copied from %i columns, with the flags of the call",
    (width) => {
      const again = ["--state-dir '/srv/pay drop/a folder with a name that is wider than many a terminal'"];
      const text = summaryText(REPORT, { color: false, width, folds: true, again });
      const command = `paydrop settle ${again.join(" ")} K7Q29F3M --row 91 --as done|not-done --by NAME --note TEXT`;
      expect(text.replaceAll(/ \\\n +/g, " ")).toContain(`${command}\n`);
    },
  );

  test("of several debit accounts says what came from each", () => {
    const accounts = [
      {
        account: "ACC-OPS-01",
        total: { rows: 180, amount: "9214500.00" },
        byStatus: { accepted: { rows: 175, amount: "9000000.00" } },
      },
      { account: "••4471", total: { rows: 60, amount: "1873250.50" }, byStatus: {} },
    ];
    const text = summaryText({ ...REPORT, accounts }, PLAIN);
    expect(text).toContain("  from            rows          amount\n");
    expect(text).toContain("  ACC-OPS-01       180      9214500.00   9000000.00 accepted\n");
    expect(text).toContain("  ••4471            60      1873250.50   0.00 accepted\n");
    expect(summaryText({ ...REPORT, accounts: accounts.slice(1) }, PLAIN)).not.toContain("4471");
  });

  test("says first what stopped the run, then how to go on", () => {
    const report: BatchReport = {
      ...REPORT,
      byStatus: { accepted: { rows: 100, amount: "1.00" }, not_sent: { rows: 140, amount: "2.00" } },
      files: { results: "r.csv", elsewhere: "the disk is full; the results are in /state instead" },
      stop: { code: "key_refused", message: "the service did not accept our key", hint: "ask IT for the key" },
      remarks: ["row 240 has no line end"],
      file: "pay roll.csv",
    };
    expect(`\n${summaryText(report, PLAIN)}`).toMatchInlineSnapshot(`
      "
      batch K7Q29F3M   pay roll.csv   2 min 52 s
      stopped before the end: the service did not accept our key
                        rows          amount
        ✓ accepted       100            1.00   the service took the request; not proof that money arrived
        … not_sent       140            2.00   nothing was sent
        total            240     11087750.50   equals the file
      attention  the disk is full; the results are in /state instead
      results    r.csv
      note       row 240 has no line end
      next       ask IT for the key
                 to send the other 140 rows
                 paydrop run 'pay roll.csv'
      "
    `);
  });

  test("of a run that had nothing to send says so before the table", () => {
    const sentBefore = Date.UTC(2026, 9, 31, 12, 37, 22);
    const some = summaryText({ ...REPORT, requests: 0, sentBefore }, PLAIN).split("\n");
    expect(some[1]).toBe(
      "nothing was sent in this run: what could go had gone before; the file was taken in on 31 Oct 2026, 12:37 UTC",
    );
    const one = (rows: number): { rows: number; amount: string } => ({ rows, amount: "1.00" });
    const every = (byStatus: BatchReport["byStatus"]): string | undefined =>
      summaryText({ ...REPORT, requests: 0, sentBefore, byStatus }, PLAIN).split("\n")[1];
    expect(every({ accepted: one(238), duplicate: one(2) })).toContain(": every row was accepted before; ");
    expect(every({ accepted: one(238), settled_done: one(2) })).toContain(
      ": every row was accepted or settled as done before; ",
    );
    // the service accepted none of them
    expect(every({ settled_done: one(240) })).toContain(": every row was settled as done before; ");
    const waiting = { invalid: { rows: 1, amount: "0.00" }, held: { rows: 239, amount: "1.00" } };
    const none = summaryText({ ...REPORT, requests: 0, sentBefore, byStatus: waiting }, PLAIN).split("\n");
    expect(none[1]).toContain("nothing was sent in this run: no row of it can go as it is; ");
    expect(summaryText(REPORT, PLAIN)).not.toContain("nothing was sent in this run");
  });

  test("of one held row gives the command for that row", () => {
    const report: BatchReport = {
      ...REPORT,
      byStatus: { held: { rows: 1, amount: "1.00" }, settled_not_done: { rows: 1, amount: "1.00" } },
      rowsToLookAt: { held: [34] },
    };
    const text = summaryText(report, PLAIN);
    expect(text).toContain("paydrop release K7Q29F3M --row 34 --by NAME --reason TEXT");
    expect(text).toContain("paydrop retry K7Q29F3M");
  });

  test("by its id one command sends what was not sent and what is settled as not done: it is told once", () => {
    const byStatus = { not_sent: { rows: 2, amount: "2.00" }, settled_not_done: { rows: 1, amount: "1.00" } };
    const next = (isById: { isById?: true }): string[] =>
      summaryText({ ...REPORT, byStatus, ...isById }, PLAIN)
        .split("\n")
        .slice(-5, -1)
        .map((line) => line.slice(11));
    expect(next({})).toEqual([
      "to send the other 2 rows",
      "paydrop run october-payroll.csv",
      "to send 1 row settled as not done",
      "paydrop retry K7Q29F3M",
    ]);
    expect(next({ isById: true }).slice(2)).toEqual([
      "to send what was not sent or is settled as not done",
      "paydrop retry K7Q29F3M",
    ]);
  });

  const many = { rows: 12_345_678, amount: "123456789012345.50" };
  const large: BatchReport = {
    ...REPORT,
    total: many,
    byStatus: { accepted: many, settled_not_done: many, unknown: many },
    accounts: [
      { account: "ACC-OPS-01", total: many, byStatus: { accepted: many } },
      { account: "ACC-FIELD-02-OF-A-LONG-NAME", total: many, byStatus: {} },
    ],
    remarks: ["a remark that goes on for quite a while, longer than sixty characters in any case"],
  };

  test.each([40, 60, 80, 120, 200])("stays within a terminal of %d columns, however large the numbers", (width) => {
    const text = summaryText(large, { color: false, width, folds: true });
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
    const table = text.slice(0, text.indexOf("\n  from"));
    const ends = table.split("\n").flatMap((line) => {
      const at = line.indexOf("123456789012345.50");
      return at < 0 ? [] : [at];
    });
    expect(new Set(ends).size).toBe(1);
    expect(ends).toHaveLength(4);
    const command = text.slice(text.indexOf("paydrop settle")).replaceAll(/\\\n */g, "");
    expect(command).toMatch(/^paydrop settle K7Q29F3M --row 91 --as done\|not-done --by NAME --note TEXT\n/);
  });

  test("without a terminal a command, a path or a row of a table is one line, however long", () => {
    const folder = "/srv/payroll".repeat(12);
    const text = summaryText({ ...large, files: { results: `${folder}/r.csv` } }, { color: false, width: 40 });
    expect(text).toContain(`note       ${large.remarks[0] ?? ""}\n`);
    expect(text).toContain(`results    ${folder}/r.csv\n`);
    expect(text).toContain("paydrop settle K7Q29F3M --row 91 --as done|not-done --by NAME --note TEXT\n");
    expect(text).toMatch(/^ {2}ACC-OPS-01 +12345678 +123456789012345\.50 +123456789012345\.50 accepted$/m);
  });

  test("in ASCII uses no other character", () => {
    const text = summaryText(REPORT, { ...PLAIN, ascii: true });
    expect(text).toMatch(/^[\n -~]*$/);
    expect(text).toContain("+ accepted");
  });

  test("colours change nothing but colours", () => {
    const colored = summaryText(REPORT, { ...PLAIN, color: true });
    expect(colored).toContain("\u001b[");
    expect(stripVTControlCharacters(colored)).toBe(summaryText(REPORT, PLAIN));
  });

  test("a hostile file name stays on its line", () => {
    const text = summaryText({ ...REPORT, file: "a\u001b[2J\n.csv" }, PLAIN);
    expect(text).toContain("a\\u{1b}[2J\\n.csv");
  });
});

test("the opening shows rows and sums per debit account", () => {
  const start: Extract<RunEvent, { type: "start" }> = {
    type: "start",
    batch: "K7Q29F3M",
    file: "october-payroll.csv",
    operation: "payout, option B",
    destination: "https://api.bank.example",
    rows: 240,
    total: "11087750.50",
    accounts: [
      { account: "ACC-OPS-01", total: { rows: 180, amount: "9214500.00" }, byStatus: {} },
      { account: "ACC-FIELD-02", total: { rows: 60, amount: "1873250.50" }, byStatus: {} },
    ],
    toSend: 3,
    resumed: true,
  };
  expect(`\n${openingText(start, PLAIN)}`).toMatchInlineSnapshot(`
    "
    october-payroll.csv   payout, option B   batch K7Q29F3M, going on
    to https://api.bank.example
                      rows  amount, as in the file
      ACC-OPS-01       180              9214500.00
      ACC-FIELD-02      60              1873250.50
      total            240             11087750.50
    3 rows of 240 will be sent in this run
    "
  `);
  for (const width of [40, 60, 80]) {
    const lines = openingText(start, { color: false, width, folds: true }).split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  }
  expect(openingText(start, { color: false, width: 40, folds: true })).toMatch(
    /^ +amount, as in\n +rows +the file\n {2}ACC-OPS-01 +180 +9214500\.00$/m,
  );
});
