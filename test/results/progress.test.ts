import { describe, expect, test } from "vitest";
import type { BatchReport, RunEvent, Stop } from "../../src/events.ts";
import { jsonLine, jsonSummary } from "../../src/results/json-lines.ts";
import { plainEnd, plainLine, plainProgress } from "../../src/results/screen/plain-lines.ts";
import { countsLine, ProgressCounter, progressLine } from "../../src/results/screen/progress.ts";

const LOOK = { color: false, width: 100 } as const;
const START: Extract<RunEvent, { type: "start" }> = {
  type: "start",
  batch: "K7Q2",
  file: "october payroll.csv",
  operation: "payout, option B",
  destination: "https://api.bank.example",
  rows: 240,
  total: "11087750.50",
  accounts: [],
  toSend: 240,
  resumed: false,
};
const AT = Date.UTC(2026, 9, 31, 12, 37, 22, 900);

function row(
  number: number,
  overrides: Partial<Extract<RunEvent, { type: "row" }>> = {},
): Extract<RunEvent, { type: "row" }> {
  return {
    type: "row",
    batch: "K7Q2",
    row: number,
    status: "accepted",
    reason: "accepted",
    httpStatus: 200,
    amount: "100.00",
    attempts: 1,
    sentAt: AT,
    durationMs: 30_000.4,
    alone: false,
    ...overrides,
  };
}

describe("progress on a terminal", () => {
  test("shows share, pace and time left on one line", () => {
    const counter = new ProgressCounter(START);
    for (let index = 0; index < 120; index += 1) counter.add(row(index + 2), AT + index * 500);
    const progress = counter.at(AT + 119 * 500);
    expect(progressLine(progress, LOOK)).toBe(
      "███████████████░░░░░░░░░░░░░░░  120/240  50 %   2.0/s   about 1 min 0 s left",
    );
    expect(progressLine(progress, { ...LOOK, ascii: true })).toMatch(/^#{15}-{15} {2}120/);
  });

  test("never is wider than the terminal", () => {
    const counter = new ProgressCounter({ ...START, toSend: 1_000_000 });
    for (let index = 0; index < 5000; index += 1) counter.add(row(index), AT + index);
    for (const width of [10, 40, 60, 200]) {
      const look = { color: false, width };
      expect(progressLine(counter.at(AT + 6000), look).length).toBeLessThan(width);
      expect(countsLine(counter.at(AT + 6000), look).length).toBeLessThan(width);
    }
  });

  test("counts a row that was not sent and then accepted once", () => {
    const counter = new ProgressCounter(START);
    counter.add(row(2, { status: "not_sent", reason: "unreachable" }), AT);
    counter.add(row(2), AT + 10);
    counter.add(row(3, { status: "unknown", reason: "no_answer" }), AT + 20);
    expect(counter.at(AT + 30)).toMatchObject({ done: 2, counts: { accepted: 1, not_sent: 0, unknown: 1 } });
    expect(countsLine(counter.at(AT + 30), LOOK)).toBe("✓ 1 accepted   ? 1 unknown");
  });
});

describe("without a terminal", () => {
  test.each<[RunEvent, string | undefined]>([
    [START, '2026-10-31T12:37:22Z K7Q2 start file="october payroll.csv" rows=240 total=11087750.50'],
    [
      { ...START, file: "a.csv", resumed: true, toSend: 3 },
      "2026-10-31T12:37:22Z K7Q2 resume file=a.csv rows=240 total=11087750.50 to_send=3",
    ],
    [row(2, { alone: true }), "2026-10-31T12:37:22Z K7Q2 first row=2 accepted http=200"],
    [row(3), undefined],
    [
      { ...row(91, { status: "unknown", reason: "service_fault", httpStatus: 503 }) },
      "2026-10-31T12:37:22Z K7Q2 unknown row=91 reason=service_fault http=503 after=30s",
    ],
    [row(112, { status: "rejected", httpStatus: 422 }), "2026-10-31T12:37:22Z K7Q2 rejected row=112 http=422"],
    [
      { type: "waiting", batch: "K7Q2", reason: "rate_limited", waitMs: 2000 },
      "2026-10-31T12:37:22Z K7Q2 waiting reason=rate_limited for=2s",
    ],
    [
      {
        type: "stopped",
        batch: "K7Q2",
        stop: { code: "unknown_in_a_row", message: "3 rows in a row\nhave no answer", hint: "" },
        remaining: 9,
      },
      '2026-10-31T12:37:22Z K7Q2 stopped reason=unknown_in_a_row remaining=9 message="3 rows in a row\\nhave no answer"',
    ],
  ])("%j", (event, line) => {
    expect(plainLine(event, AT)).toBe(line);
  });

  test("progress and end give counts", () => {
    const counter = new ProgressCounter(START);
    counter.add(row(2), AT);
    expect(plainProgress(counter.at(AT), AT)).toBe(
      "2026-10-31T12:37:22Z K7Q2 progress done=1 of=240 accepted=1 rejected=0 unknown=0",
    );
    expect(plainEnd(REPORT, AT)).toBe(
      "2026-10-31T12:37:22Z K7Q2 end accepted=1 rejected=0 unknown=0 not_sent=0 held=1 amount_accepted=90.00 exit=6",
    );
  });
});

const REPORT: BatchReport = {
  batch: "K7Q2",
  file: "a.csv",
  operation: "payout, option B",
  destination: "https://api.bank.example",
  total: { rows: 2, amount: "100.00" },
  byStatus: { accepted: { rows: 1, amount: "90.00" }, held: { rows: 1, amount: "10.00" } },
  accounts: [
    { account: "••4471", total: { rows: 2, amount: "100.00" }, byStatus: { accepted: { rows: 1, amount: "90.00" } } },
  ],
  requests: 1,
  startedAt: AT,
  durationMs: 12.7,
  files: { results: "a.csv.results.csv" },
  remarks: [],
  rowsToLookAt: { held: [3] },
  exitCode: 6,
};

describe("--json", () => {
  test("a row is one object with amounts as text and UTC times", () => {
    expect(JSON.stringify(jsonLine(row(112, { status: "rejected", reason: "refused", httpStatus: 422 })))).toBe(
      '{"type":"row","batch":"K7Q2","row":112,"status":"rejected","reason":"refused","http_status":422,' +
        '"amount":"100.00","attempts":1,"sent_at":"2026-10-31T12:37:22.900Z","duration_ms":30000}',
    );
  });

  test("every event has a type and can be written", () => {
    const stop: Stop = { code: "signal", message: "m", hint: "h" };
    const events: RunEvent[] = [
      START,
      { type: "waiting", batch: "K7Q2", reason: "rate_limited", waitMs: 1 },
      { type: "stopped", batch: "K7Q2", stop, remaining: 1 },
    ];
    expect(events.map((event) => jsonLine(event).type)).toEqual(["start", "waiting", "stopped"]);
    expect(jsonLine(events[2] ?? START)).toEqual({ type: "stopped", batch: "K7Q2", ...stop, remaining: 1 });
  });

  test("the summary holds rows and amounts of what is always told, and of every status that occurs", () => {
    expect(JSON.parse(JSON.stringify(jsonSummary(REPORT)))).toEqual({
      type: "summary",
      batch: "K7Q2",
      file: "a.csv",
      operation: "payout, option B",
      destination: "https://api.bank.example",
      exit_code: 6,
      rows: { total: 2, accepted: 1, rejected: 0, unknown: 0, not_sent: 0, held: 1 },
      amount: {
        ...{ total: "100.00", accepted: "90.00", rejected: "0.00", unknown: "0.00", not_sent: "0.00", held: "10.00" },
      },
      by_account: [{ account: "••4471", rows: 2, total: "100.00", accepted: "90.00" }],
      requests: 1,
      started_at: "2026-10-31T12:37:22.900Z",
      duration_ms: 13,
      remarks: [],
      rows_to_look_at: { held: [3] },
      files: { results: "a.csv.results.csv" },
    });
  });
});
