import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { homeStateDir } from "../../src/config/load.ts";
import { tellFault } from "../../src/messages/faults.ts";
import { commandLine, type Flags } from "../../src/messages/sentence.ts";
import { flagsAgain } from "../../src/screen/look.ts";
import { checkText, openingText, questionText, summaryText } from "../../src/screen/summary-text.ts";
import { CHECKED, REPORT } from "../support/records.ts";

const PLAIN = { color: false, width: Number.POSITIVE_INFINITY };

test("the end of a run → reads as promised", () => {
  expect(`\n${summaryText(REPORT, PLAIN)}`).toMatchInlineSnapshot(`
    "
    batch K7Q29F3M   payout, option B   /inbox/october-payroll.csv   2 min 52 s
                      rows          amount
      ✓ accepted       235     10871500.50   the service took the request; not proof that money arrived
      ✗ rejected         3       135750.00   see result_action
      ? unknown          2        80500.00   DO NOT SEND AGAIN before you checked
      total            240     11087750.50   without the amounts that cannot be read
      from            rows          amount
      ACC-OPS-01       180      9214500.00   8998250.00 accepted
      ACC-FIELD-02      60      1873250.50   1873250.50 accepted
    results    /inbox/october-payroll.csv.results.csv
    correct    /inbox/october-payroll.csv.retry.csv   3 rows
    note       the amount of 1 row cannot be read: it is in no sum
    next       look up rows 91 and 164 in the service's dashboard. Then say what you found:
               paydrop settle K7Q29F3M --row 91 --as done --by NAME --note TEXT
    "
  `);
});

test("on a terminal → colours, and not a word otherwise", () => {
  const text = summaryText(REPORT, { ...PLAIN, color: true });
  expect(text).toContain("\u001b[");
  expect(stripVTControlCharacters(text)).toBe(summaryText(REPORT, PLAIN));
});

test("a run that had nothing to send → says so before the table", () => {
  const byStatus = { accepted: REPORT.total };
  const text = summaryText({ ...REPORT, byStatus, sentBefore: REPORT.startedAt, next: [] }, PLAIN);
  expect(text).toContain(
    "nothing was sent in this run: what can go had gone before; the file was taken on 1 Nov 2026, 00:00 UTC\n",
  );
  const cancelled = { ...REPORT, byStatus: { cancelled: REPORT.total }, period: "2026-W44", copy: "/inbox/copy.csv" };
  const again = summaryText({ ...cancelled, sentBefore: REPORT.startedAt, next: [] }, PLAIN);
  expect(again).toContain(
    "If it is another week's file, save that one under this name. Or state the week: --period YYYY-Www\n",
  );
  expect(again).toContain(`and 240 rows of it were cancelled
  → Nothing to do if that is right. If they are to go after all, and went in no other file: paydrop run /inbox/october-payroll.csv --period '2026-W44 again'
`);
});

test("stopped, results elsewhere, a hostile name → each told, and nothing acts on the terminal", () => {
  const stop = { code: "signal", text: "it was asked to stop", todo: "", commands: [] };
  const files = { results: "/state/r.csv", elsewhere: "the disk is full; the results are in /state instead" };
  const text = summaryText({ ...REPORT, file: "a\u001b[2J\n.csv", stop, files, phase: "paused" }, PLAIN);
  expect(text).toContain("it was asked to stop\n");
  expect(text).toContain("attention  the disk is full; the results are in /state instead\nresults    /state/r.csv\n");
  expect(text).toContain("a\\u{1b}[2J\\n.csv");
});

test.each([
  [
    "kept by --state-dir",
    { state_dir: "/t" },
    ["next       paydrop release K7 --sandbox --state-dir /t", "           paydrop status K7 --state-dir /t"],
  ],
  ["forgotten when it ended", {}, []],
])("a trial that is %s → only steps that find it", (_, again, lines) => {
  const commands = ["release", "status"].map((name) => ({ name, batch: "K7", flags: {} }));
  const next = [{ code: "release", text: "", todo: "", commands } as const];
  const text = summaryText({ ...REPORT, destination: "sandbox", next }, { ...PLAIN, again });
  expect(text.split("\n").filter((line) => line.includes("paydrop "))).toEqual(lines);
});

test("commands to copy name the state folder, wherever it was said, but where any shell finds it", () => {
  const line = (again: Flags): string => commandLine({ name: "status", flags: {} }, again);
  expect(line(flagsAgain({}, "/srv/pay drop"))).toBe("paydrop status --state-dir '/srv/pay drop'");
  expect(line(flagsAgain({ config: "/c" }, homeStateDir(process.env) ?? ""))).toBe("paydrop status --config /c");
});

test("what a check found → sums, the first of each kind with one thing to do, the counts", () => {
  const name = "october-payroll.csv: ";
  const [first, second, held] = [...CHECKED.invalid, ...CHECKED.held].map(tellFault);
  expect(checkText(CHECKED, PLAIN).split("\n")).toEqual([
    "october-payroll.csv   payout, option B   period 2026-10",
    "                  rows          amount",
    "  ACC-OPS-01       180      9214500.00",
    "  ACC-FIELD-02      60      1873250.50",
    "  total            240     11087750.50",
    `${name}${first?.text}`,
    `${name}${second?.text}`,
    `  → ${second?.todo}`,
    "  and 1 more invalid row",
    `${name}held: ${held?.text}`,
    expect.stringContaining("What may be done is said when the file was run"),
    "236 ready   3 invalid   1 held        nothing was sent",
    "",
  ]);
});

test("before it sends → operation, sums, destination, what does not go; then one question", () => {
  const going = { batch: "K7Q29F3M", toSend: 236, toSendTotal: "11000000.00", resumed: true };
  const text = openingText({ type: "start", checked: CHECKED, ...going }, PLAIN);
  expect(text).toContain("october-payroll.csv   payout, option B   period 2026-10   batch K7Q29F3M, going on\n");
  expect(text).toContain("to https://api.bank.example (live)\n");
  expect(text).toContain("236 rows of 240, 11000000.00, will be sent in this run\n");
  expect(questionText(CHECKED)).toBe(
    "Send 236 rows (payout, option B), 11000000.00, to https://api.bank.example? Type yes:",
  );
});
