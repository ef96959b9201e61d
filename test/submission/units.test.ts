import { describe, expect, test, vi } from "vitest";
import { OUTCOMES, tellOutcome } from "../../src/messages/outcomes.ts";
import { todoLine, toldLines } from "../../src/messages/sentence.ts";
import { isStopOfRest, stopFor, STOPS, type StopCode } from "../../src/messages/outcomes.ts";
import { Commits, type Committing } from "../../src/submission/commits.ts";
import { Pace } from "../../src/submission/pace.ts";
import { Retries } from "../../src/submission/pace.ts";
import { LastRows, StopRules, UnknownsInARow } from "../../src/submission/shared.ts";
import { bareShare } from "../support/commit.ts";

const PACE = new Pace(undefined);

describe("429", () => {
  /** Of the last of so many times. */
  function waitFor(retryAfter?: string, times = 1): number | undefined {
    const retries = new Retries(PACE, () => 0.5);
    let waitMs: number | undefined;
    for (let time = 0; time < times; time += 1) waitMs = retries.waitMs(2, "as_told", retryAfter);
    return waitMs;
  }

  test("waits as told, in seconds or until a date, never longer than five minutes", () => {
    expect([waitFor("2"), waitFor(" 0 "), waitFor("9".repeat(400))]).toEqual([2_000, 0, 300_000]);
    const untilDate = waitFor(new Date(Date.now() + 10_000).toUTCString());
    expect(untilDate).toBeGreaterThan(8_000);
    expect(untilDate).toBeLessThanOrEqual(10_000);
    expect(waitFor("Sun, 06 Nov 1994 08:49:37 GMT")).toBe(0);
  });

  test.each([undefined, "", "soon", "-1", "1.5", "Mon 5", "Sun, 31 Feb 2100 08:49:37 GMT"])(
    "with Retry-After %j it waits a while of its own that grows, five times",
    (retryAfter) => {
      expect([1, 2, 3, 5].map((times) => waitFor(retryAfter, times))).toEqual([750, 1_500, 3_000, 12_000]);
      expect(waitFor(retryAfter, 6)).toBeUndefined();
    },
  );

  test("a row that loses while others go is not given up", () => {
    const pace = new Pace(undefined);
    const retries = new Retries(pace);
    for (let time = 0; time < 20; time += 1) {
      expect(retries.waitMs(2, "as_told", "0")).toBe(0);
      if (time % 4 === 3) pace.took();
    }
  });
});

test("a service that is away is tried for 30 s, with waits that grow to 5 s", () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const retries = new Retries(PACE, () => 1);
  const waits = Array.from({ length: 6 }, (_, row) => retries.waitMs(row, "backoff", undefined));
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  now = 30_000;
  expect(retries.waitMs(9, "backoff", undefined)).toBeUndefined();
  retries.reached();
  expect(retries.waitMs(9, "backoff", undefined)).toBe(500);
  vi.restoreAllMocks();
});

test("the pace: so many a second, and a wait that holds for all", () => {
  let now = 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const pace = new Pace(10);
  expect([pace.start(), pace.start()]).toEqual([true, false]);
  expect([pace.delayMs(), pace.delayMs(true)]).toEqual([100, 0]);
  pace.wait(5_000);
  pace.wait(1_000);
  expect([pace.delayMs(), pace.delayMs(true), pace.start()]).toEqual([5_000, 5_000, false]);
  now += 5_000;
  expect([pace.delayMs(), pace.start(), pace.delayMs()]).toEqual([0, true, 100]);
  vi.restoreAllMocks();
});

describe("what people read", () => {
  test("every outcome has a sentence and something to do, without a gap", () => {
    const facts = { batch: "K7Q29F3M", accepted: "Transfer initiated", httpStatus: 503, durationMs: 120_100 };
    for (const code of Object.keys(OUTCOMES)) {
      for (const response of [undefined, '{"error":{"description":"No \\"such\\" account","code":"X"}}']) {
        const { text = "", todo = "", commands = [] } = tellOutcome(code, { ...facts, response }) ?? {};
        const line = todoLine({ todo, commands });
        expect(`${text} ${line}`).not.toMatch(/[{}]|undefined/);
        // of what the service took nothing is left to do
        expect(line === "", code).toBe(code === "accepted" || code === "accepted_incomplete");
      }
    }
    expect(tellOutcome("no_longer_known", facts)).toBeUndefined();
  });

  test("the words of the service stand in it, not its JSON", () => {
    const said = (response: string): string | undefined =>
      tellOutcome("refused", { batch: "B", accepted: "", response })?.text;
    expect(said('{"error":{"code":"BAD","description":"No \\"such\\" account"}}')).toBe(
      'The service refused this row: "No "such" account"',
    );
    expect(said('{"message":"Your account does not have enou…')).toBe(
      'The service refused this row: "Your account does not have enou…"',
    );
    expect(said("closed")).toBe('The service refused this row: "closed"');
    expect(said("")).toBe("The service refused this row");
    expect(tellOutcome("no_answer", { batch: "B", accepted: "", durationMs: 120_030 })?.text).toBe(
      "We sent the row but got no answer within 120 s",
    );
  });

  test("every stop has a sentence; only those of the rest are none where no row is left", () => {
    for (const code of Object.keys(STOPS) as StopCode[]) {
      const stop = stopFor(code, { http: " (HTTP 401)", rows: 3, for: " for payouts" });
      expect(toldLines(stop)).not.toMatch(/[{}]|undefined/);
    }
    expect([isStopOfRest("signal"), isStopOfRest("key_refused"), isStopOfRest("nothing")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test("a fifth of the last 50 rows without a clear answer stops the run, wherever they stand", () => {
  const stopAfter = (isUnknown: (row: number) => boolean): number | undefined => {
    const rules = new StopRules({ unknowns: new UnknownsInARow(), lastRows: new LastRows() });
    for (let row = 1; row <= 240; row += 1) {
      const outcome = isUnknown(row)
        ? ({ state: "unknown", code: "no_answer" } as const)
        : ({ state: "accepted", code: "accepted" } as const);
      if (rules.observe(outcome, "payout", "")?.code === "many_unknown") return row;
    }
    return undefined;
  };
  expect(stopAfter((row) => row % 5 === 0)).toBe(50);
  expect(stopAfter((row) => row % 2 === 0)).toBe(20);
  expect(stopAfter((row) => row % 6 === 0)).toBeUndefined();
});

test("an answer that comes alone waits for no other; those of one moment share a commit", async () => {
  const lanesOf: number[] = [];
  const commits = new Commits(
    {
      commit(all) {
        lanesOf.push(...all.map(({ freeLanes }) => freeLanes));
        return Promise.resolve(all.map(() => ({ leaving: [], phase: "open", isLost: false })));
      },
    },
    3_600_000,
  );
  const nothing = (): void => undefined;
  const of: Committing = {
    ...{ share: bareShare("A"), isStopping: () => false, heard: nothing, told: nothing },
    failed(error) {
      throw error;
    },
  };
  await commits.next(of, undefined, true);
  await Promise.all([commits.next(of, undefined, true), commits.next(of, undefined, true)]);
  expect(lanesOf).toEqual([1, 2]);
});
