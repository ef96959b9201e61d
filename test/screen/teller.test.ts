import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunEvent } from "../../src/events.ts";
import { createTeller, type Teller } from "../../src/screen/teller.ts";
import { jsonLines } from "../support/call.ts";
import { CHECKED, REPORT } from "../support/records.ts";

const BATCH = "K7Q29F3M";
const AT = Date.UTC(2026, 10, 26, 9, 30);
const START: RunEvent = {
  type: "start",
  batch: BATCH,
  checked: CHECKED,
  toSend: 20,
  toSendTotal: "11.00",
  resumed: false,
};
const STOP: RunEvent = {
  type: "stopped",
  batch: BATCH,
  stop: { code: "signal", text: "it was asked to stop", todo: "", commands: [] },
  remaining: 7,
};

function row(number: number, status: "accepted" | "rejected" | "unknown" | "not_sent", alone = false): RunEvent {
  const told = { reason: status, amount: "1.00", attempts: 1, sentAt: AT, durationMs: 4.4, httpStatus: 200 };
  return { type: "row", batch: BATCH, row: number, status, alone, ...told };
}

let [stdout, stderr] = ["", ""];
beforeEach(() => {
  [stdout, stderr] = ["", ""];
  vi.useFakeTimers({ now: AT });
});
afterEach(() => vi.useRealTimers());

function teller(more: { json?: boolean; quiet?: boolean; isTerminal?: boolean; isLogOnStderr?: boolean }): Teller {
  const { isTerminal = false, json = false, quiet = false, isLogOnStderr = false } = more;
  const look = { color: false, width: isTerminal ? 80 : Number.POSITIVE_INFINITY };
  const out = { write: (text: string) => void (stdout += text), look, isTerminal };
  const err = { write: (text: string) => void (stderr += text), look, isTerminal };
  return createTeller({ json, quiet }, out, err, isLogOnStderr);
}

test("--json → one object per event, the last one the summary, amounts as text", () => {
  const told = teller({ json: true });
  for (const event of [
    START,
    row(2, "accepted", true),
    { type: "waiting", batch: BATCH, reason: "rate_limited", waitMs: 900 } as const,
    STOP,
  ])
    told.tell(event);
  told.ended(REPORT);
  told.close();
  expect(jsonLines(stdout)).toMatchObject([
    {
      type: "start",
      batch: BATCH,
      rows: 240,
      total: "11087750.50",
      to_send: 20,
      resumed: false,
      by_account: [{ account: "ACC-OPS-01", rows: 180, total: "9214500.00" }, {}],
    },
    {
      type: "row",
      row: 2,
      status: "accepted",
      http_status: 200,
      amount: "1.00",
      sent_at: "2026-11-26T09:30:00.000Z",
      duration_ms: 4,
    },
    { type: "waiting", reason: "rate_limited", wait_ms: 900 },
    { type: "stopped", code: "signal", message: "it was asked to stop", remaining: 7 },
    {
      type: "summary",
      exit_code: 4,
      rows: { total: 240, accepted: 235, not_sent: 0 },
      amount: { unknown: "80500.00" },
      rows_to_look_at: { unknown: [91, 164] },
      files: { retry_rows: 3 },
    },
  ]);
});

test("no terminal → a plain line for what is worth one, progress now and then, no names", () => {
  const told = teller({});
  told.tell(START);
  told.tell(row(2, "accepted", true));
  for (const number of [3, 4, 5]) told.tell(row(number, "accepted"));
  told.tell(row(6, "unknown"));
  vi.advanceTimersByTime(300);
  told.tell(STOP);
  told.ended(REPORT);
  told.close();
  const time = "2026-11-26T09:30:00Z K7Q29F3M";
  expect(stderr.split("\n")).toEqual([
    expect.stringMatching(/^\S+ K7Q29F3M start file=\S+october-payroll.csv .*rows=240 total=11087750.50 to_send=20 /),
    expect.stringContaining(`${time} row row=2 status=accepted reason=accepted http_status=200`),
    expect.stringContaining(`${time} row row=6 status=unknown reason=unknown http_status=200`),
    `${time} progress done=5 of=20 accepted=4 unknown=1`,
    `${time} stopped code=signal message="it was asked to stop" remaining=7`,
    `${time} end accepted=235 rejected=3 unknown=2 not_sent=0 amount_accepted=10871500.50 exit=4`,
    "",
  ]);
  expect(stdout).toContain("batch K7Q29F3M   payout, option B   /inbox/october-payroll.csv   2 min 52 s\n");
});

test("a terminal → one line that is written over, wiped before every other", () => {
  const told = teller({ isTerminal: true });
  told.tell(START);
  for (const number of [2, 3, 4, 5]) told.tell(row(number, "accepted", number === 2));
  told.tell(row(6, "not_sent"));
  told.tell(row(6, "accepted"));
  vi.advanceTimersByTime(2000);
  const drawn = stderr.split("\r\u001b[2K").at(-1) ?? "";
  expect(drawn).toBe("██████░░░░░░░░░░░░░░░░░░  5/20  25 %   about 6 s left   ✓ 5");
  told.say("a signal came");
  expect(stderr).toMatch(/\r\u001b\[2Ka signal came\n$/);
  expect(stderr).toContain("row 2 went alone: accepted\n");
  told.ended(REPORT);
  told.close();
  expect(stdout).toContain("without the amounts that cannot be read");
});

test.each([
  ["--quiet and exit 0", { quiet: true }, 0, ""],
  ["--quiet, and something is wrong", { quiet: true }, 4, "without the amounts that cannot be read"],
  ["stderr belongs to the log", { isLogOnStderr: true }, 0, "without the amounts that cannot be read"],
])("%s → nothing in between, and at the end what is to be said", (_, how, exitCode, said) => {
  const told = teller(how);
  for (const event of [START, row(2, "accepted"), STOP]) told.tell(event);
  told.ended({ ...REPORT, exitCode });
  told.close();
  expect(stderr).toBe("");
  expect(
    stdout.includes("without the amounts that cannot be read") ? "without the amounts that cannot be read" : stdout,
  ).toBe(said);
});
