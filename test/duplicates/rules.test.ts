import { describe, expect, test } from "vitest";
import { isMostlyPaid, isSameFileAgain, speakAgainst } from "../../src/duplicates/rules.ts";
import { verdictOf } from "../../src/duplicates/verdict.ts";
import { KNOWN, rowOf, seenOf } from "./situations.ts";

/** `ready`, or the state and all reasons: `held maybe_paid EARLIER1:3`. */
function verdict(row: string, others: readonly string[], known = KNOWN): string {
  const judged = rowOf(row);
  const { state, reasons } = verdictOf(judged, speakAgainst(judged, others.map(seenOf), known));
  const told = reasons.map(({ code, other, isOtherPayee }) => {
    const what = isOtherPayee ? `${code} (payee)` : code;
    return `${what} ${other?.batch === KNOWN.batch ? "" : (other?.batch ?? "")}:${other?.row ?? ""}`;
  });
  return [state, ...told].join(" ");
}

/** What the row is, what else there is, and what follows. */
type Situation = readonly [row: string, others: readonly string[], expected: string];

function all(name: string, situations: readonly Situation[]): void {
  test.each(situations)(`${name}: %s beside %j → %s`, (row, others, expected) => {
    expect(verdict(row, others)).toBe(expected);
  });
}

describe("nothing speaks against it", () => {
  all("ready", [
    ["asha 100", [], "ready"],
    ["asha 100", ["EARLIER1:3 accepted 1d ago asha 200"], "ready"],
    ["asha 100 ref INV-1", ["EARLIER1:3 accepted 1d ago ravi 100 ref INV-2"], "ready"],
  ]);
  const states = ["rejected", "invalid", "cancelled", "settled_not_done", "not_sent", "duplicate"];
  all(
    "rows that stand in nobody's way",
    states.flatMap((state): Situation[] => [
      ["asha 100", [`EARLIER1:3 ${state} 1d ago asha 100`], "ready"],
      ["asha 100 ref R", [`EARLIER1:3 ${state} 1d ago asha 200 ref R`], "ready"],
      ["asha 100", [`CORRECTD:3 ${state} 1d ago asha 200`], "ready"],
    ]),
  );
});

describe("1 same_payment", () => {
  all("by reference, however long ago, whatever the period", [
    ["asha 100 ref R", ["EARLIER1:3 accepted 900d ago asha 100 ref R"], "duplicate same_payment EARLIER1:3"],
    ["asha 100 ref R", ["EARLIER1:3 settled_done 1d ago asha 100 ref R"], "duplicate same_payment EARLIER1:3"],
    [
      "asha 100 ref R of 2026-12",
      ["EARLIER1:3 accepted 1d ago asha 100 ref R of 2026-11"],
      "duplicate same_payment EARLIER1:3",
    ],
    ["asha 100 ref R", ["EARLIER1:3 accepted 1d ago asha 100"], "held maybe_paid EARLIER1:3"],
  ]);
  all("by period, however long ago", [
    ["asha 100 of 2026-11", ["EARLIER1:3 accepted 400d ago asha 100 of 2026-11"], "duplicate same_payment EARLIER1:3"],
    [
      "asha 100 of 2026-11",
      ["EARLIER1:3 settled_done 1d ago asha 100 of 2026-11"],
      "duplicate same_payment EARLIER1:3",
    ],
    ["asha 100 of 2026-11", ["EARLIER1:3 accepted 1d ago asha 200 of 2026-11"], "ready"],
    ["asha 100 ref A of 2026-11", ["EARLIER1:3 accepted 1d ago asha 100 ref B of 2026-11"], "ready"],
    [
      "asha 100 ref A of 2026-11",
      ["EARLIER1:3 accepted 1d ago asha 100 of 2026-11"],
      "duplicate same_payment EARLIER1:3",
    ],
  ]);
  all("equal payments of one period are counted", [
    [
      "asha 100 of 2026-11",
      [":2 ready asha 100 of 2026-11", "EARLIER1:2 accepted 1d ago asha 100 of 2026-11"],
      "held maybe_paid EARLIER1:2 repeat_in_file :2",
    ],
    [
      "asha 100 of 2026-11",
      [
        ":2 duplicate asha 100 of 2026-11",
        "EARLIER1:2 accepted 2d ago asha 100 of 2026-11",
        "EARLIER1:5 accepted 1d ago asha 100 of 2026-11",
      ],
      "duplicate same_payment EARLIER1:5 repeat_in_file :2",
    ],
    [
      "asha 100 of 2026-11",
      [":2 accepted 1d ago asha 100 of 2026-11", "EARLIER1:2 accepted 2d ago asha 100 of 2026-11"],
      "held maybe_paid EARLIER1:2 repeat_in_file :2",
    ],
    [
      "asha 100 of 2026-11",
      [":2 rejected asha 100 of 2026-11", "EARLIER1:2 accepted 2d ago asha 100 of 2026-11"],
      "duplicate same_payment EARLIER1:2",
    ],
  ]);
});

describe("2 reference_used", () => {
  all("for another payment, by what went or goes, or above in this file", [
    ["asha 100 ref R", ["EARLIER1:3 accepted 900d ago asha 200 ref R"], "held reference_used EARLIER1:3"],
    ["asha 100 ref R", ["EARLIER1:3 unknown 1d ago ravi 100 ref R"], "held reference_used EARLIER1:3"],
    ["asha 100 ref R", ["EARLIER1:3 on_its_way ravi 100 ref R"], "held reference_used EARLIER1:3"],
    ["asha 100 ref R", ["EARLIER1:3 ready ravi 100 ref R"], "held reference_used EARLIER1:3"],
    ["asha 100 ref R", ["EARLIER1:3 held ravi 100 ref R"], "ready"],
    ["asha 100 ref R", [":3 held ravi 100 ref R"], "held reference_used :3"],
    ["asha 100 ref R of 2026-12", [":3 ready ravi 100 ref R of 2026-11"], "held reference_used :3"],
    ["asha 100", ["EARLIER1:3 accepted 1d ago asha 200 ref R"], "ready"],
  ]);
});

describe("3 open_elsewhere", () => {
  all(
    "whatever has no end, however old",
    ["unknown 900d ago", "on_its_way", "ready", "held"].map((state): Situation => [
      "asha 100",
      [`EARLIER1:3 ${state} asha 100`],
      "held open_elsewhere EARLIER1:3",
    ]),
  );
  all("not what is told apart, is held in a later batch, or lies in this file", [
    ["asha 100 of 2026-12", ["EARLIER1:3 unknown 1d ago asha 100 of 2026-11"], "ready"],
    ["asha 100 ref A", ["EARLIER1:3 ready asha 100 ref B"], "ready"],
    ["asha 100 of 2026-11", ["EARLIER1:3 ready asha 100"], "held open_elsewhere EARLIER1:3"],
    ["asha 100 ref A of 2026-12", ["EARLIER1:3 ready asha 100 ref A of 2026-11"], "held open_elsewhere EARLIER1:3"],
    ["asha 100", ["LATER123:3 held asha 100"], "ready"],
    ["asha 100", ["LATER123:3 ready asha 100"], "held open_elsewhere LATER123:3"],
    ["asha 100", [":3 unknown asha 100"], "held repeat_in_file :3"],
  ]);
  all("of several the one without an end is told, and what was accepted as well", [
    [
      "asha 100",
      ["EARLIER1:3 held asha 100", "EARLIER2:4 unknown 2d ago asha 100", "EARLIER3:5 accepted 1d ago asha 100"],
      "held open_elsewhere EARLIER2:4 maybe_paid EARLIER3:5",
    ],
  ]);
});

describe("4 correction", () => {
  const row = "asha 120 corrects EARLIER1:3";
  all("of a row that did not go", [
    [row, ["EARLIER1:3 rejected 1d ago asha 100"], "ready"],
    [row, ["EARLIER1:3 invalid ~"], "ready"],
    [row, ["EARLIER1:3 cancelled asha 100"], "ready"],
    [row, ["EARLIER1:3 settled_not_done 1d ago asha 120"], "ready"],
    [row, [], "ready"],
  ]);
  all(
    "of a row that went, or still goes",
    ["accepted 1d ago", "settled_done 90d ago", "unknown 1d ago", "on_its_way", "ready"].map((state): Situation => [
      row,
      [`EARLIER1:3 ${state} asha 100`],
      "held correction EARLIER1:3",
    ]),
  );
  all("a second one, also where it is in the same file or corrects a correction", [
    [
      row,
      ["EARLIER1:3 rejected asha 100", "EARLIER2:2 accepted 1d ago asha 110 corrects EARLIER1:3"],
      "held correction EARLIER2:2",
    ],
    [
      row,
      ["EARLIER1:3 rejected asha 100", "EARLIER2:2 held asha 110 corrects EARLIER1:3"],
      "held correction EARLIER2:2",
    ],
    [row, ["EARLIER1:3 rejected asha 100", "EARLIER2:2 rejected asha 110 corrects EARLIER1:3"], "ready"],
    [row, ["EARLIER1:3 rejected asha 100", ":2 ready asha 110 corrects EARLIER1:3"], "held correction :2"],
    [
      row,
      [
        "EARLIER1:3 rejected asha 100",
        "EARLIER2:2 invalid ~ corrects EARLIER1:3",
        "EARLIER3:2 accepted 1d ago asha 110 corrects EARLIER2:2",
      ],
      "held correction EARLIER3:2",
    ],
    [
      "asha 120 corrects EARLIER2:2",
      ["EARLIER2:2 invalid ~ corrects EARLIER1:3", "EARLIER1:3 accepted 1d ago asha 100"],
      "held correction EARLIER1:3",
    ],
    ["asha 100", ["LATER123:2 accepted 1d ago asha 110 corrects OWNOWNOW:9"], "held correction LATER123:2"],
    ["asha 100", ["LATER123:2 held ravi 100 corrects OWNOWNOW:9"], "held correction LATER123:2"],
    ["asha 100", ["LATER123:2 rejected 1d ago asha 110 corrects OWNOWNOW:9"], "ready"],
  ]);
  all("another payee waits for a person; one that was invalid is none", [
    ["ravi 100 corrects EARLIER1:3", ["EARLIER1:3 rejected asha 100"], "held correction (payee) EARLIER1:3"],
    ["ravi 100 corrects EARLIER1:3", ["EARLIER1:3 invalid ~"], "ready"],
    [
      "ravi 100 corrects EARLIER2:2",
      ["EARLIER2:2 invalid ~ corrects EARLIER1:3", "EARLIER1:3 rejected asha 100"],
      "held correction (payee) EARLIER1:3",
    ],
    [
      "ravi 100 corrects EARLIER1:3",
      ["EARLIER1:3 accepted 1d ago asha 100"],
      "held correction EARLIER1:3 correction (payee) EARLIER1:3",
    ],
  ]);
});

describe("5 maybe_paid", () => {
  all("accepted within 20 days, and nothing tells them apart", [
    ["asha 100", ["EARLIER1:3 accepted 20d ago asha 100"], "held maybe_paid EARLIER1:3"],
    ["asha 100", ["EARLIER1:3 accepted 20.001d ago asha 100"], "ready"],
    ["asha 100", ["EARLIER1:3 settled_done 1d ago asha 100"], "held maybe_paid EARLIER1:3"],
    ["asha 100 of 2026-11", ["EARLIER1:3 accepted 1d ago asha 100"], "held maybe_paid EARLIER1:3"],
    ["asha 100", ["EARLIER1:3 accepted 1d ago asha 100 of 2026-11"], "held maybe_paid EARLIER1:3"],
    ["asha 100 ref A", ["EARLIER1:3 accepted 1d ago asha 100"], "held maybe_paid EARLIER1:3"],
    ["asha 100 ref A", ["EARLIER1:3 accepted 1d ago asha 100 ref B"], "ready"],
  ]);
  all("periods tell apart only in one form, with their labels", [
    ["asha 100 of 2026-12", ["EARLIER1:3 accepted 1d ago asha 100 of 2026-11"], "ready"],
    ["asha 100 of 2026-W48", ["EARLIER1:3 accepted 1d ago asha 100 of 2026-W47"], "ready"],
    ["asha 100 of 2026-11-27", ["EARLIER1:3 accepted 1d ago asha 100 of 2026-11-26"], "ready"],
    ["asha 100 of 2026-11 (bonus)", ["EARLIER1:3 accepted 1d ago asha 100 of 2026-11"], "ready"],
    ["asha 100 of 2026-W47", ["EARLIER1:3 accepted 1d ago asha 100 of 2026-11"], "held maybe_paid EARLIER1:3"],
    ["asha 100 of 2026-11-27", ["EARLIER1:3 accepted 1d ago asha 100 of 2026-11"], "held maybe_paid EARLIER1:3"],
  ]);
  all("the last one is told", [
    [
      "asha 100",
      ["EARLIER1:3 accepted 9d ago asha 100", "EARLIER2:4 accepted 2d ago asha 100"],
      "held maybe_paid EARLIER2:4",
    ],
  ]);
});

describe("6 other_amount", () => {
  all("in a batch that this file corrects", [
    ["asha 120", ["CORRECTD:3 accepted 20d ago asha 100"], "held other_amount CORRECTD:3"],
    ["asha 120", ["CORRECTD:3 accepted 21d ago asha 100"], "ready"],
    ["asha 120", ["CORRECTD:3 unknown 1d ago asha 100"], "held other_amount CORRECTD:3"],
    ["asha 120", ["CORRECTD:3 ready asha 100"], "held other_amount CORRECTD:3"],
    ["asha 120", ["CORRECTD:3 held asha 100"], "ready"],
    ["asha 120", ["EARLIER1:3 accepted 1d ago asha 100"], "ready"],
    ["asha 120 ref A", ["CORRECTD:3 accepted 1d ago asha 100 ref B"], "ready"],
    ["asha 120 of 2026-12", ["CORRECTD:3 accepted 1d ago asha 100 of 2026-11"], "ready"],
    ["asha 120 of 2026-11", ["CORRECTD:3 accepted 1d ago asha 100 of 2026-11"], "held other_amount CORRECTD:3"],
  ]);
});

describe("7 repeat_in_file", () => {
  all("a row above it is the same payment", [
    ["asha 100", [":2 ready asha 100"], "held repeat_in_file :2"],
    ["asha 100", [":2 held asha 100"], "held repeat_in_file :2"],
    ["asha 100", [":2 duplicate asha 100"], "held repeat_in_file :2"],
    ["asha 100", [":2 invalid asha 100"], "ready"],
    ["asha 100 ref A", [":2 ready asha 100 ref B"], "ready"],
    ["asha 100 ref A", [":2 ready asha 100"], "held repeat_in_file :2"],
    ["asha 100 of 2026-12", [":2 ready asha 100 of 2026-11"], "ready"],
    ["asha 100", [":12 ready asha 100"], "ready"],
  ]);

  test("repeats are allowed → they go", () => {
    expect(verdict("asha 100", [":2 ready asha 100"], { ...KNOWN, allowRepeats: true })).toBe("ready");
  });
});

describe("8 same_file", () => {
  test.each([
    ["asha 100 of 2026-12", "accepted 5d ago asha 100 of 2026-11", true],
    ["asha 100 of 2026-12", "unknown 5d ago asha 100 of 2026-11", true],
    ["asha 100 of 2026-12", "on_its_way asha 100 of 2026-11", true],
    ["asha 100 of 2026-12", "accepted 5d ago asha 100", false],
    ["asha 100 of 2026-11", "accepted 5d ago asha 100 of 2026-11", false],
    ["asha 100", "accepted 30d ago asha 100 of 2026-11", true],
    ["asha 100", "accepted 30d ago asha 100", true],
    ["asha 100", "accepted 5d ago asha 100", false],
    ["asha 100 ref A", "accepted 30d ago asha 100", true],
    ["asha 100 ref A", "accepted 30d ago asha 100 ref B", false],
    ["asha 100 ref A of 2026-12", "accepted 5d ago asha 100 ref B of 2026-11", false],
  ])("%s, and before %s → asked: %s", (row, before, expected) => {
    expect(isSameFileAgain(rowOf(row), seenOf(`EARLIER1:3 ${before}`), KNOWN)).toBe(expected);
  });

  const MONTHS = ["2026-11", "2026-12"] as const;
  const WEEKS = ["2026-W47", "2026-W48"] as const;
  const DAYS = ["2026-11-26", "2026-11-27"] as const;
  const HALVES = ["2026-11 first half", "2026-11 second half"] as const;
  const NEXT_HALVES = ["2026-11 second half", "2026-12 first half"] as const;
  test.each([
    ["monthly, an hour later", MONTHS, 1, "asked"],
    ["monthly, a day too soon", MONTHS, 14 * 24, "asked"],
    ["monthly, early for a holiday", MONTHS, 16 * 24, "goes"],
    ["monthly", MONTHS, 28 * 24, "goes"],
    ["semi-monthly, an hour later", HALVES, 1, "asked"],
    ["semi-monthly, three days later", NEXT_HALVES, 3 * 24, "asked"],
    ["semi-monthly, around a weekend", HALVES, 13 * 24, "goes"],
    ["semi-monthly, into the next month", NEXT_HALVES, 16 * 24, "goes"],
    ["a bonus three days after the month", ["2026-11", "2026-11 bonus"], 3 * 24, "asked"],
    ["the month nine days after an advance", ["2026-11 advance", "2026-11"], 9 * 24, "goes"],
    ["weekly, an hour later", WEEKS, 1, "asked"],
    ["weekly, three days later", WEEKS, 3 * 24, "asked"],
    ["weekly, a holiday on the day before", WEEKS, 6 * 24, "goes"],
    ["weekly", WEEKS, 7 * 24, "goes"],
    ["twice a week", ["2026-W47 first", "2026-W47 second"], 3 * 24, "goes"],
    ["weekly, over the turn of the year", ["2026-W53", "2027-W01"], 7 * 24, "goes"],
    ["daily, an hour later", DAYS, 1, "asked"],
    ["daily, in the morning after a late evening", DAYS, 13, "goes"],
    ["daily", DAYS, 24, "goes"],
    ["a week after a month", ["2026-11", "2026-W48"], 1, "goes"],
    ["a day after a week", ["2026-W47", "2026-11-27"], 1, "goes"],
    ["the clock is behind", WEEKS, -30 * 24, "asked"],
  ] as const)("%s, %j after %d hours → %s", (_cadence, [period, own], hours, expected) => {
    const before = { period, wentAt: KNOWN.now - hours * 3_600_000 };
    // it does not hang on how long equal payments are asked about
    for (const recentMs of [0, KNOWN.recentMs, 4000 * KNOWN.recentMs]) {
      expect(isSameFileAgain({ period: own }, before, { ...KNOWN, recentMs })).toBe(expected === "asked");
    }
  });
});

test.each([
  { rows: 100, repeated: 97, others: 3, notGone: 3, expected: false },
  { rows: 100, repeated: 97, others: 3, notGone: 2, expected: true },
  { rows: 100, repeated: 50, others: 50, notGone: 0, expected: false },
  { rows: 100, repeated: 51, others: 49, notGone: 0, expected: true },
])("$repeated of $rows repeat a batch in which $notGone did not go → all wait: $expected", ({ expected, ...file }) => {
  expect(isMostlyPaid(file)).toBe(expected);
});
