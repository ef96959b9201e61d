import { describe, expect, test } from "vitest";
import type { Verdict } from "../../src/checks/duplicates/duplicates.ts";
import type { Seen, Stated } from "../../src/checks/duplicates/seen.ts";
import { createJudge } from "../../src/checks/duplicates/duplicates.ts";
import { meet } from "../../src/checks/duplicates/same-bytes.ts";
import type { SameBytes } from "../../src/checks/duplicates/same-bytes.ts";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-20T10:00:00Z");
const judge = createJudge({ duplicateDays: 20, allowRepeats: false });

/** Another row with the same core fields, accepted five days ago in another batch. */
function seen(over: Partial<Seen> = {}): Seen {
  const base: Seen = {
    batch: "OTHER111",
    row: 7,
    sameBatch: false,
    sameKey: false,
    sameCore: true,
    sameReference: false,
    standing: "accepted",
    hasReference: false,
    isDoubtful: false,
    acceptedAt: NOW - 5 * DAY_MS,
    originBatch: "OTHER111",
  };
  return { ...base, ...over };
}

const PLAIN: Stated = { takenAt: NOW, row: 2, hasReference: false };
const REFERENCE: Stated = { takenAt: NOW, row: 2, hasReference: true };
const NOVEMBER: Stated = { takenAt: NOW, row: 2, hasReference: false, period: "2026-11" };
/** A person let the row go just now. */
const RELEASED = { before: 100, act: 50, at: NOW } as const;
const sameReference = { sameReference: true, hasReference: true } as const;
const otherReference = { hasReference: true } as const;
const LONG_AGO = { acceptedAt: NOW - 400 * DAY_MS } as const;

function said(verdict: Verdict): string {
  return verdict.state === "held" ? `held ${verdict.code}` : verdict.state;
}

type Case = readonly [what: string, stated: Stated, other: Partial<Seen>, verdict: string];

const TABLE: Readonly<Record<string, readonly Case[]>> = {
  "surely the same: nothing to do, however long ago": [
    ["same reference", REFERENCE, sameReference, "duplicate"],
    ["same reference, long ago", REFERENCE, { ...sameReference, ...LONG_AGO }, "duplicate"],
    ["same reference, another period", { ...REFERENCE, period: "2026-12" }, { ...sameReference, period: "2026-11" }, "duplicate"],
    ["same stated period and core", NOVEMBER, { sameKey: true, period: "2026-11" }, "duplicate"],
    ["the same row of the same file, before its month was stated", { ...NOVEMBER, file: "ab12" }, { row: 2, file: "ab12", guessedPeriod: "2026-11", ...LONG_AGO }, "duplicate"],
    ["another row of the same file", { ...NOVEMBER, file: "ab12" }, { row: 3, file: "ab12", guessedPeriod: "2026-11" }, "held possible_duplicate"],
    ["the same row of the same file, whose later month is stated a few days later", { ...NOVEMBER, period: "2026-12", file: "ab12" }, { row: 2, file: "ab12" }, "held possible_duplicate"],
    ["the same, under a name that says that month", { ...NOVEMBER, period: "2026-12", guessedPeriod: "2026-12", file: "ab12" }, { row: 2, file: "ab12" }, "ready"],
    ["the same, a month later", { ...NOVEMBER, period: "2026-12", file: "ab12" }, { row: 2, file: "ab12", acceptedAt: NOW - 30 * DAY_MS }, "ready"],
    ["the same row of another file", { ...NOVEMBER, file: "ab12" }, { row: 2, file: "cd34", guessedPeriod: "2026-11" }, "held possible_duplicate"],
    ["the same row of the same file, with no month in its name", { ...NOVEMBER, file: "ab12" }, { row: 2, file: "ab12" }, "held possible_duplicate"],
    ["the same row of the same file, with another month in its name", { ...NOVEMBER, file: "ab12" }, { row: 2, file: "ab12", guessedPeriod: "2026-10" }, "ready"],
    ["the same row of the same file, whose name says another month now", { ...NOVEMBER, file: "ab12", guessedPeriod: "2026-12" }, { row: 2, file: "ab12", guessedPeriod: "2026-11" }, "held possible_duplicate"],
    ["the same row of a workbook", NOVEMBER, { row: 2, guessedPeriod: "2026-11" }, "held possible_duplicate"],
    ["another row of the file that this one corrects a row of", { ...NOVEMBER, originBatch: "OTHER111" }, { sameKey: true, period: "2026-11" }, "held possible_duplicate"],
    ["the very row that this one corrects", { ...NOVEMBER, originBatch: "OTHER111" }, { sameKey: true, period: "2026-11", kin: "origin" }, "duplicate"],
    ["the same, long ago", NOVEMBER, { sameKey: true, period: "2026-11", ...LONG_AGO }, "duplicate"],
    ["a month of no year, of this year", { ...NOVEMBER, period: "Nov" }, { sameKey: true, period: "Nov", acceptedAt: NOW - 299 * DAY_MS }, "duplicate"],
    ["a month of no year, of the last one", { ...NOVEMBER, period: "Nov" }, { sameKey: true, period: "Nov", acceptedAt: NOW - 350 * DAY_MS }, "held possible_duplicate"],
    ["a week of no year, of this year", { ...NOVEMBER, period: "W47" }, { sameKey: true, period: "W47", acceptedAt: NOW - 30 * DAY_MS }, "duplicate"],
    ["a word that says nothing of when, a few days ago", { ...NOVEMBER, period: "Monthly" }, { sameKey: true, period: "Monthly" }, "duplicate"],
    ...["Monthly", "EMI", "12", "H1", "2026", "weekly"].map((period): Case => [`"${period}", a month ago`, { ...NOVEMBER, period }, { sameKey: true, period, acceptedAt: NOW - 30 * DAY_MS }, "held possible_duplicate"]),
    ["a word that comes every year", { ...NOVEMBER, period: "bonus" }, { sameKey: true, period: "bonus", acceptedAt: NOW - 350 * DAY_MS }, "held possible_duplicate"],
  ],
  "same core fields, nothing stated": [
    ["five days ago", PLAIN, {}, "held possible_duplicate"],
    ["five days ago, the only such row of either file", PLAIN, { sameKey: true }, "held possible_duplicate"],
    ["just inside the days", PLAIN, { acceptedAt: NOW - 20 * DAY_MS }, "held possible_duplicate"],
    ["just outside the days", PLAIN, { acceptedAt: NOW - 20 * DAY_MS - 1 }, "ready"],
    ["accepted, it is not known when", PLAIN, { acceptedAt: undefined } as unknown as Seen, "held possible_duplicate"],
    ["accepted in the future", PLAIN, { acceptedAt: NOW + 400 * DAY_MS }, "held possible_duplicate"],
    ["the same guessed period, long ago", { ...PLAIN, guessedPeriod: "2025-10" }, { guessedPeriod: "2025-10", ...LONG_AGO }, "held possible_duplicate"],
    ["another guessed period inside the days: a guess frees nothing", { ...PLAIN, guessedPeriod: "2026-12" }, { guessedPeriod: "2026-11" }, "held possible_duplicate"],
    ["another guessed period outside the days", { ...PLAIN, guessedPeriod: "2026-12" }, { guessedPeriod: "2025-10", ...LONG_AGO }, "ready"],
    ["the other one had a reference", PLAIN, otherReference, "held possible_duplicate"],
    ["the other one had a period", PLAIN, { period: "2026-11" }, "held possible_duplicate"],
  ],
  "same core fields, a reference stated": [
    ["another reference", REFERENCE, otherReference, "ready"],
    ["the other one had none", REFERENCE, {}, "held possible_duplicate"],
    ["the other one had none, long ago", REFERENCE, LONG_AGO, "ready"],
  ],
  "same core fields, a period stated": [
    ["another stated period", NOVEMBER, { period: "2026-10" }, "ready"],
    ["another guessed period", NOVEMBER, { guessedPeriod: "2026-10" }, "ready"],
    ["the same guessed period", NOVEMBER, { guessedPeriod: "2026-11" }, "held possible_duplicate"],
    ["the same guessed period, long ago", NOVEMBER, { guessedPeriod: "2026-11", ...LONG_AGO }, "held possible_duplicate"],
    ["the same period, another how-manieth row", NOVEMBER, { period: "2026-11" }, "held possible_duplicate"],
    ["a part of the other's period", { ...NOVEMBER, period: "2026-11-A" }, { period: "2026-11" }, "held possible_duplicate"],
    ["nothing known of the other, accepted this month", NOVEMBER, {}, "held possible_duplicate"],
    ["a later month than the other was accepted in", { ...NOVEMBER, period: "2026-12" }, {}, "ready"],
    ["a later month than the other was accepted in, while this row waited", { ...NOVEMBER, period: "2026-12", takenAt: NOW - 5 * DAY_MS }, {}, "held possible_duplicate"],
    ["the month that had begun in India when the other was accepted", { ...NOVEMBER, period: "2026-12" }, { acceptedAt: Date.parse("2026-11-30T18:31:00Z") }, "held possible_duplicate"],
    ["the same month in another writing", { ...NOVEMBER, period: "202611" }, { period: "2026-11" }, "held possible_duplicate"],
    ["the same month in another writing, long ago", { ...NOVEMBER, period: "Nov-26" }, { period: "2026-11", ...LONG_AGO }, "held possible_duplicate"],
    ["the same week in another writing, long ago", { ...NOVEMBER, period: "2026W47" }, { period: "2026-W47", ...LONG_AGO }, "held possible_duplicate"],
    ["the same quarter in another writing, long ago", { ...NOVEMBER, period: "Q4-2026" }, { period: "2026-Q4", ...LONG_AGO }, "held possible_duplicate"],
    ["a later month in another writing", { ...NOVEMBER, period: "12-2026" }, {}, "ready"],
    ["a day of the month that the other was accepted in", { ...NOVEMBER, period: "2026-11-30" }, {}, "held possible_duplicate"],
    ["an earlier month: perhaps its late correction", { ...NOVEMBER, period: "2026-10" }, {}, "held possible_duplicate"],
    ["a period that is no month", { ...NOVEMBER, period: "W47" }, {}, "held possible_duplicate"],
    ["a day that could be taken for a month of 2028", { ...NOVEMBER, period: "11-28" }, {}, "held possible_duplicate"],
    ["a month of 2028 with its year in full", { ...NOVEMBER, period: "11-2028" }, {}, "ready"],
    ["a later month with two digits of its year", { ...NOVEMBER, period: "12-26" }, {}, "ready"],
    ["a week that could be taken for a later month", { ...NOVEMBER, period: "2026-47" }, {}, "held possible_duplicate"],
    ["the other one had a reference and that period", NOVEMBER, { hasReference: true, period: "2026-11" }, "held possible_duplicate"],
  ],
  "the other one has no end": [
    ["same core fields", PLAIN, { standing: "open" }, "held other_row_open"],
    ["long ago", PLAIN, { standing: "open", ...LONG_AGO }, "held other_row_open"],
    ["another reference", REFERENCE, { standing: "open", ...otherReference }, "held other_row_open"],
    ["another period", NOVEMBER, { standing: "open", period: "2026-10" }, "held other_row_open"],
    ["same reference", REFERENCE, { standing: "open", ...sameReference }, "held other_row_open"],
    ["a person released this one: still", { ...PLAIN, released: RELEASED }, { standing: "open" }, "held other_row_open"],
    ["held, nothing stated", PLAIN, { standing: "held" }, "held other_row_open"],
    ["held, another reference", REFERENCE, { standing: "held", ...otherReference }, "ready"],
    ["held, another period", NOVEMBER, { standing: "held", period: "2026-10" }, "ready"],
    ["held, another period, but it corrects the same row", NOVEMBER, { standing: "held", period: "2026-10", kin: "correction" }, "held other_row_open"],
    ["held, and a person released this one", { ...PLAIN, released: RELEASED }, { standing: "held" }, "ready"],
  ],
  "same reference, other core fields": [
    ["accepted", REFERENCE, { ...sameReference, sameCore: false }, "held reference_conflict"],
    ["accepted long ago", REFERENCE, { ...sameReference, sameCore: false, ...LONG_AGO }, "held reference_conflict"],
    ["unknown", REFERENCE, { ...sameReference, sameCore: false, standing: "open" }, "held reference_conflict"],
    ["held", REFERENCE, { ...sameReference, sameCore: false, standing: "held" }, "held other_row_open"],
    ["rejected: a person corrected it", REFERENCE, { ...sameReference, sameCore: false, standing: "ended" }, "ready"],
  ],
  "the other one ended without the money": [
    ["same core fields", PLAIN, { standing: "ended" }, "ready"],
    ["same reference", REFERENCE, { ...sameReference, standing: "ended" }, "ready"],
    ["same period", NOVEMBER, { sameKey: true, period: "2026-11", standing: "ended" }, "ready"],
  ],
  "in the same file": [
    ["equal core, no reference", PLAIN, { sameBatch: true, standing: "open" }, "held repeat_in_file"],
    ["equal core, references of their own", REFERENCE, { sameBatch: true, standing: "open", ...otherReference }, "ready"],
    ["equal core, periods of their own", NOVEMBER, { sameBatch: true, standing: "open", period: "2026-10" }, "ready"],
    ["the same reference and core", REFERENCE, { sameBatch: true, standing: "open", ...sameReference }, "held repeat_in_file"],
    ["the same reference, another core", REFERENCE, { sameBatch: true, standing: "open", ...sameReference, sameCore: false }, "held reference_conflict"],
  ],
  "a person released this row": [
    ["accepted five days ago", { ...PLAIN, released: RELEASED }, {}, "ready"],
    ["surely accepted", { ...REFERENCE, released: RELEASED }, sameReference, "ready"],
    ["accepted by the attempt just before", { ...PLAIN, released: RELEASED }, { lastAttempt: 99 }, "ready"],
    ["accepted since", { ...PLAIN, released: RELEASED }, { lastAttempt: 100 }, "held possible_duplicate"],
    ["on its way or unknown by then", { ...PLAIN, released: { before: 100, act: 50, at: NOW - 6 * DAY_MS } }, { lastAttempt: 99 }, "held possible_duplicate"],
    ["accepted the day before", { ...PLAIN, released: { before: 100, act: 50, at: NOW - 4 * DAY_MS } }, { lastAttempt: 99 }, "ready"],
    ["accepted by a clock that was ahead", { ...PLAIN, released: { before: 100, act: 50, at: NOW - DAY_MS } }, { acceptedAt: NOW + 60 * DAY_MS }, "ready"],
    ["settled as done before that", { ...PLAIN, released: RELEASED }, { lastAttempt: 99, decided: 49 }, "ready"],
    ["settled as done since, whatever the clock said", { ...PLAIN, released: RELEASED }, { lastAttempt: 99, decided: 51 }, "held possible_duplicate"],
    ["accepted since, long before this one goes", { ...PLAIN, takenAt: NOW - 60 * DAY_MS, released: { ...RELEASED, at: NOW - 50 * DAY_MS } }, { lastAttempt: 100, acceptedAt: NOW - 49 * DAY_MS }, "held possible_duplicate"],
    ["surely accepted since", { ...REFERENCE, released: RELEASED }, { ...sameReference, lastAttempt: 101 }, "duplicate"],
    ["one that is held again since its attempt", { ...PLAIN, released: RELEASED }, { standing: "held", lastAttempt: 101 }, "ready"],
    ["another one accepted since", { ...REFERENCE, released: RELEASED }, { ...otherReference, lastAttempt: 101 }, "ready"],
  ],
}; // prettier-ignore

describe.each(Object.entries(TABLE))("%s", (_title, cases) => {
  test.each(cases)("%s", (_what, stated, other, verdict) => {
    expect(said(judge(stated, [seen(other)], NOW))).toBe(verdict);
  });
});

describe("several others", () => {
  test("nothing seen: it goes", () => {
    for (const stated of [PLAIN, REFERENCE, NOVEMBER]) expect(judge(stated, [], NOW)).toEqual({ state: "ready" });
  });

  test("what was surely accepted is named before what is unknown", () => {
    const others = [seen({ standing: "open", row: 1 }), seen({ ...sameReference, row: 2 })];
    expect(judge(REFERENCE, others, NOW)).toMatchObject({ state: "duplicate", other: { row: 2 } });
  });

  test("an unknown one outweighs one that is only possible, whatever their order", () => {
    const others = [seen({ row: 1 }), seen({ standing: "open", row: 2 })];
    for (const order of [others, [...others].reverse()]) {
      expect(judge(PLAIN, order, NOW)).toMatchObject({ code: "other_row_open", other: { row: 2 } });
    }
  });

  test("one that may have been accepted is named before one that only waits", () => {
    const others = [seen({ standing: "held", row: 1 }), seen({ row: 2 })];
    for (const order of [others, [...others].reverse()]) {
      expect(judge(PLAIN, order, NOW)).toMatchObject({ code: "possible_duplicate", other: { row: 2 } });
    }
  });

  test("one that is stated different does not hide one that is not", () => {
    const others = [seen({ period: "2026-10", row: 1 }), seen({ guessedPeriod: "2026-11", row: 2 })];
    for (const order of [others, [...others].reverse()]) {
      expect(judge(NOVEMBER, order, NOW)).toMatchObject({ code: "possible_duplicate", other: { row: 2 } });
    }
  });

  test("no rule of the days frees a row whose reference was accepted", () => {
    const rules = createJudge({ duplicateDays: 0, allowRepeats: true });
    expect(said(rules(REFERENCE, [seen({ ...sameReference, ...LONG_AGO })], NOW))).toBe("duplicate");
  });
});

describe("the month in the name of the very file that went a few days ago is stated", () => {
  const december = { ...NOVEMBER, period: "2026-12", guessedPeriod: "2026-12", file: "ab12" };
  const went = seen({ row: 2, file: "ab12" });
  const recency = { duplicateDays: 20, allowRepeats: false };

  test.each([
    ["for what waits of it", { replaces: ["OTHER111"] }, "held possible_duplicate"],
    ["for what waits of another copy", { replaces: ["COPY1111"] }, "ready"],
    ["and its row waited for another one", { waited: true }, "held possible_duplicate"],
    ["as another month's file", {}, "ready"],
  ])("%s", (_what, more, verdict) => {
    const rules = createJudge({ ...recency, ...more });
    expect(said(rules(december, [went], NOW))).toBe(verdict);
    expect(said(rules(december, [{ ...went, acceptedAt: NOW - 30 * DAY_MS }], NOW))).toBe("ready");
    expect(said(rules(december, [{ ...went, row: 3 }], NOW))).toBe("ready");
  });
});

describe("rules a person chose", () => {
  const repeats = createJudge({ duplicateDays: 20, allowRepeats: true });
  const here = { sameBatch: true, standing: "open" } as const;

  test("equal rows of one file are meant", () => {
    expect(said(repeats(PLAIN, [seen(here)], NOW))).toBe("ready");
  });

  test("but not one reference twice", () => {
    expect(said(repeats(REFERENCE, [seen({ ...here, ...sameReference })], NOW))).toBe("held repeat_in_file");
  });

  test("and it frees nothing of another file", () => {
    expect(said(repeats(PLAIN, [seen()], NOW))).toBe("held possible_duplicate");
  });

  test("with no days only the sure ones count", () => {
    const noDays = createJudge({ duplicateDays: 0, allowRepeats: false });
    expect(said(noDays(PLAIN, [seen()], NOW))).toBe("ready");
    expect(said(noDays(PLAIN, [seen({ standing: "open" })], NOW))).toBe("held other_row_open");
  });
});

describe("a file held as a whole", () => {
  const whole = createJudge({ duplicateDays: 20, allowRepeats: false, holdsWholeFile: true });

  test.each([
    ["nothing seen", [], "held same_file"],
    ["possible", [seen()], "held same_file"],
    ["accepted long ago", [seen(LONG_AGO)], "held same_file"],
    ["unknown", [seen({ standing: "open" })], "held other_row_open"],
  ] as const)("%s", (_what, others, verdict) => {
    expect(said(whole(PLAIN, others, NOW))).toBe(verdict);
  });

  test("what was surely accepted stays a duplicate", () => {
    expect(said(whole(REFERENCE, [seen(sameReference)], NOW))).toBe("duplicate");
  });
});

describe("the same bytes", () => {
  const first: SameBytes = { id: "FIRST111", createdAt: NOW - 5 * DAY_MS };
  const old: SameBytes = { id: "OLD11111", createdAt: NOW - 30 * DAY_MS };
  const november: SameBytes = { ...first, id: "NOV11111", guessedPeriod: "2026-11" };
  const stated: SameBytes = { ...first, id: "STATED11", period: "2026-11" };
  const lagging: SameBytes = { ...stated, id: "LAGGING1", guessedPeriod: "2026-12" };

  type File = Parameters<typeof meet>[1];
  const cases: readonly (readonly [string, readonly SameBytes[], File, string])[] = [
    ["never seen", [], {}, "new"],
    ["within the days", [first], {}, "same FIRST111"],
    ["later", [old], {}, "again OLD11111"],
    ["taken by a clock that was ahead", [{ ...old, createdAt: NOW + 90 * DAY_MS }], {}, "again OLD11111"],
    ["later, but still the file that lay there", [old], { lyingThere: "OLD11111" }, "same OLD11111"],
    ["the same month's name", [november], { guessedPeriod: "2026-11" }, "same NOV11111"],
    ["another month's name", [november], { guessedPeriod: "2026-12" }, "again NOV11111"],
    ["a month's name where there was none", [first], { guessedPeriod: "2026-12" }, "again FIRST111"],
    ["no month's name where there was one", [november], {}, "same NOV11111"],
    ["a stated period for the first time", [first], { period: "2026-12" }, "new"],
    ["the same stated period, however late", [{ ...stated, createdAt: 0 }], { period: "2026-11" }, "same STATED11"],
    ["another stated period", [stated], { period: "2026-12" }, "new"],
    ["a stated period, and a name of it", [stated], { period: "2026-11", guessedPeriod: "2026-11" }, "same STATED11"],
    ["a stated period, and a name of another month", [stated], { period: "2026-11", guessedPeriod: "2026-12" }, "again STATED11"],
    ["the same, where its month was in that name too", [lagging], { period: "2026-11", guessedPeriod: "2026-12" }, "same LAGGING1"],
    ["the same, where another month was", [lagging], { period: "2026-11", guessedPeriod: "2026-11" }, "again LAGGING1"],
    ["the same, lying there", [stated], { period: "2026-11", guessedPeriod: "2026-12", lyingThere: "STATED11" }, "same STATED11"],
    ["the first name again, once the other one waits", [{ ...lagging, id: "WAITS111" }, stated], { period: "2026-11" }, "same STATED11"],
    ["what is no month may be of any", [{ ...stated, period: "bonus" }], { period: "bonus", guessedPeriod: "2026-12" }, "same STATED11"],
    ["no period, while the first one stated it: a forgotten copy", [stated], {}, "same STATED11"],
    ["the same, later", [{ ...stated, createdAt: 0 }], {}, "again STATED11"],
    ["the same, lying there", [{ ...stated, createdAt: 0 }], { lyingThere: "STATED11" }, "same STATED11"],
    ["a name of the month that was stated", [stated], { guessedPeriod: "2026-11" }, "same STATED11"],
    ["a name of another month than was stated", [stated], { guessedPeriod: "2026-12" }, "again STATED11"],
    ["the newest speaks", [first, old], {}, "same FIRST111"],
    ["but not where it only waited", [november, first], { waited: new Set(["NOV11111"]) }, "same FIRST111"],
    ["unless the name says its month", [november, first], { waited: new Set(["NOV11111"]), guessedPeriod: "2026-11" }, "same NOV11111"],
    ["or none of them went", [november, first], { waited: new Set(["NOV11111", "FIRST111"]) }, "same NOV11111"],
    ["another week's name", [first], { ofOtherTime: new Set(["FIRST111"]) }, "again FIRST111"],
    ["another week's name, once more", [{ ...first, id: "WEEK4711" }, first], { ofOtherTime: new Set(["FIRST111"]), waited: new Set(["WEEK4711"]) }, "same WEEK4711"],
    ["another week's name, lying there", [first], { ofOtherTime: new Set(["FIRST111"]), lyingThere: "FIRST111" }, "same FIRST111"],
    ["another week's name within a stated month", [stated], { period: "2026-11", ofOtherTime: new Set(["STATED11"]) }, "again STATED11"],
    ["the same, lying there", [stated], { period: "2026-11", ofOtherTime: new Set(["STATED11"]), lyingThere: "STATED11" }, "same STATED11"],
    ["but one of its own month before it", [{ ...first, guessedPeriod: "2026-12" }, november], { guessedPeriod: "2026-11" }, "same NOV11111"],
  ]; // prettier-ignore

  test.each(cases)("%s", (_what, known, file, expected) => {
    const meeting = meet(known, file, NOW, 20);
    expect(meeting.kind === "new" ? "new" : `${meeting.kind} ${meeting.batch.id}`).toBe(expected);
  });
});
