import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { httpDateMs } from "../../src/submission/http-date.ts";
import { Pace } from "../../src/submission/pace.ts";
import { backoffMs, Retries, RETRY_LIMITS } from "../../src/submission/retry.ts";
import type { Outcome } from "../../src/submission/outcome.ts";
import { StopRules, UnknownsInARow } from "../../src/submission/stop-rules.ts";

const LIMITS = { ...RETRY_LIMITS, unreachableMs: 1000, rateLimitedMax: 2 };
const NEVER = new AbortController().signal;

describe("backoff", () => {
  test("is anywhere between nothing and a bound that doubles up to a cap", () => {
    expect(backoffMs(0, 100, 1000, () => 0)).toBe(0);
    const bounds = [0, 1, 2, 3, 4, 50].map((tries) => backoffMs(tries, 100, 1000, () => 1));
    expect(bounds).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(backoffMs(3, 100, 1000, () => 0.5)).toBe(400);
  });
});

describe("a service that cannot be reached", () => {
  test("is tried for so long, however many rows find it so, and anew once it was reached", () => {
    let nowMs = 0;
    const retries = new Retries(LIMITS, () => nowMs, () => 0.5); // prettier-ignore
    expect(retries.unreachable()).toBe(250);
    expect(retries.unreachable()).toBe(500);
    nowMs = 999;
    expect(retries.unreachable()).toBe(1000);
    nowMs = 1000;
    expect(retries.unreachable()).toBeUndefined();
    expect(retries.unreachable()).toBeUndefined();
    retries.reached();
    expect(retries.unreachable()).toBe(250);
  });

  test("is waited for longer each time, and never longer than five seconds: when it is back, rows go soon", () => {
    const retries = new Retries(LIMITS, () => 0, () => 1); // prettier-ignore
    const waits = Array.from({ length: 6 }, () => retries.unreachable());
    expect(waits).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
  });
});

describe("429", () => {
  const retries = (): Retries => new Retries(LIMITS, () => performance.now(), () => 0.5); // prettier-ignore

  test("waits as many seconds as it was told", () => {
    expect(retries().rateLimited(1, "2")).toBe(2000);
    expect(retries().rateLimited(1, " 0 ")).toBe(0);
  });

  test("waits until the date it was told, by the clock on the wall", () => {
    const waitMs = retries().rateLimited(1, new Date(Date.now() + 10_000).toUTCString());
    expect(waitMs).toBeGreaterThan(8_000);
    expect(waitMs).toBeLessThanOrEqual(10_000);
    expect(retries().rateLimited(1, "Sun, 06 Nov 1994 08:49:37 GMT")).toBe(0);
  });

  test("reads a date without a zone as UTC, wherever the machine stands", () => {
    const program = `
      import { Retries, RETRY_LIMITS } from ${JSON.stringify(new URL("../../src/submission/retry.ts", import.meta.url).href)};
      const waits = process.argv.slice(1).map((text) => new Retries({ ...RETRY_LIMITS, unreachableMs: 1000 }, () => 0, () => 0.5).rateLimited(1, text));
      console.log(JSON.stringify(waits));`;
    const [day = "", date = "", month = "", year = "", time = ""] = new Date(Date.now() + 60_000)
      .toUTCString()
      .split(/,? /);
    const asctime = `${day} ${month} ${date.replace(/^0/, " ")} ${time} ${year}`;
    for (const TZ of ["Asia/Kolkata", "America/New_York"]) {
      const run = spawnSync(process.execPath, ["--input-type=module", "--eval", program, asctime], {
        env: { ...process.env, TZ },
        encoding: "utf8",
      });
      const [waitMs] = JSON.parse(run.stdout) as number[];
      expect(waitMs, TZ).toBeGreaterThan(30_000);
      expect(waitMs, TZ).toBeLessThanOrEqual(60_000);
    }
  });

  test("never longer than the cap", () => {
    expect(retries().rateLimited(1, "999999999")).toBe(300_000);
    expect(retries().rateLimited(1, "99999999999999999999")).toBe(300_000);
    expect(retries().rateLimited(1, "9".repeat(400))).toBe(300_000);
    expect(retries().rateLimited(1, "Fri, 31 Dec 2100 23:59:59 GMT")).toBe(300_000);
  });

  test.each([undefined, "", "soon", "-1", "1.5", "Mon 5", "Sat Soon", "Sun, 31 Feb 2100 08:49:37 GMT"])(
    "with Retry-After %j it waits a while of its own that grows",
    (retryAfter) => {
      const first = retries().rateLimited(1, retryAfter);
      const second = retries().rateLimited(2, retryAfter);
      expect(first).toBeGreaterThanOrEqual(500);
      expect(first).toBeLessThanOrEqual(1000);
      expect(second).toBeGreaterThanOrEqual(1000);
      expect(second).toBeLessThanOrEqual(2000);
    },
  );

  test("a row is given up after so many", () => {
    expect(retries().rateLimited(2, "0")).toBe(0);
    expect(retries().rateLimited(3, "0")).toBeUndefined();
  });
});

describe("HTTP dates", () => {
  const NOW_MS = Date.UTC(2026, 10, 24);

  test.each(["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])(
    "%s: the same moment in each form of RFC 9110",
    (text) => {
      expect(httpDateMs(text, NOW_MS)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
    },
  );

  test("a year of two digits is no more than 50 years ahead", () => {
    expect(httpDateMs("Tuesday, 24-Nov-76 00:00:00 GMT", NOW_MS)).toBe(Date.UTC(2076, 10, 24));
    expect(httpDateMs("Thursday, 24-Nov-77 00:00:00 GMT", NOW_MS)).toBe(Date.UTC(1977, 10, 24));
  });

  test.each([
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 +0530",
    "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "1994-11-06T08:49:37Z",
    "Mon 5",
  ])("%s is none", (text) => {
    expect(httpDateMs(text, NOW_MS)).toBeUndefined();
  });
});

describe("pace", () => {
  test("at a rate requests start that far apart", async () => {
    const pace = new Pace(100);
    const startedAt = performance.now();
    for (let count = 0; count < 11; count += 1) await pace.turn(NEVER);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
  });

  test("many at once share one rate", async () => {
    const pace = new Pace(100);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 11 }, () => pace.turn(NEVER)));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
  });

  test("a pause is not made up for by a burst", async () => {
    const pace = new Pace(50);
    await pace.turn(NEVER);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const startedAt = performance.now();
    for (let count = 0; count < 3; count += 1) await pace.turn(NEVER);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(39);
  });

  test("a wait holds for everybody, also for who waits already, and a shorter one does not end it", async () => {
    const pace = new Pace(undefined);
    const startedAt = performance.now();
    pace.waitMs(60);
    const waiting = [pace.turn(NEVER), pace.turn(NEVER)];
    pace.waitMs(120);
    pace.waitMs(10);
    await Promise.all(waiting);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(119);
  });

  test("nobody waits for a turn that will not come", async () => {
    const pace = new Pace(undefined);
    const stop = new AbortController();
    pace.waitMs(600_000);
    const waiting = pace.turn(stop.signal);
    stop.abort();
    await waiting;
    await pace.turn(stop.signal);
    expect(stop.signal.aborted).toBe(true);
  });
});

describe("stop rules", () => {
  const accepted: Outcome = { state: "accepted", reason: "accepted", httpStatus: 200 };
  const refused: Outcome = { state: "rejected", reason: "refused", httpStatus: 422 };
  const unknown: Outcome = { state: "unknown", reason: "service_fault", httpStatus: 500 };
  const unreachable: Outcome = { state: "not_sent", reason: "unreachable" };

  function codes(...outcomes: readonly (readonly [Outcome, string?])[]): (string | undefined)[] {
    const rules = new StopRules(new UnknownsInARow());
    return outcomes.map(([outcome, text]) => rules.observe(outcome, text ?? "")?.code);
  }

  test("three unknown in a row, not three among others", () => {
    expect(codes([unknown], [unknown], [unknown])).toEqual([undefined, undefined, "unknown_in_a_row"]);
    expect(codes([unknown], [unknown], [accepted], [unknown], [unknown]).every((one) => one === undefined)).toBe(true);
    const said = codes(...Array.from({ length: 6 }, () => [unknown] as const));
    expect(said, "the next run counts anew").toEqual([...said.slice(0, 3), undefined, undefined, "unknown_in_a_row"]);
  });

  test("three unknown in a row of several files, also where each file has other rows between", () => {
    const ofAll = new UnknownsInARow();
    const files = [new StopRules(ofAll), new StopRules(ofAll), new StopRules(ofAll)];
    expect(files.map((one) => one.observe(unknown, "")?.code)).toEqual([undefined, undefined, "unknown_in_a_row"]);
    expect(files.map((one) => one.observe(accepted, ""))).toEqual([undefined, undefined, undefined]);
    const [first, second] = files;
    const said = [unknown, unknown, unknown].map((one) => {
      second?.observe(accepted, "");
      return first?.observe(one, "")?.code;
    });
    expect(said).toEqual([undefined, undefined, "unknown_in_a_row"]);
  });

  test("five rows that found nobody", () => {
    const all = codes(...Array.from({ length: 5 }, () => [unreachable] as const));
    expect(all).toEqual([undefined, undefined, undefined, undefined, "unreachable"]);
    const four = Array.from({ length: 4 }, () => [unreachable] as const);
    expect(codes(...four, [accepted], ...four).every((one) => one === undefined)).toBe(true);
  });

  test("a last row that found nobody, also where it is the only one", () => {
    const rules = new StopRules(new UnknownsInARow());
    rules.observe(unreachable, "");
    expect(rules.atEnd()?.code).toBe("unreachable");
    rules.observe(accepted, "");
    expect(rules.atEnd()).toBeUndefined();
  });

  test("ten refusals that say the same, whatever ids and amounts they name", () => {
    const said = (index: number): string =>
      JSON.stringify({ error: "no funds", id: `9f${index}a-3c-x${index}`, at: `2026-11-0${index % 9}T10:00:00Z`, need: index });
    const all = codes(...Array.from({ length: 10 }, (_, index) => [refused, said(index)] as const));
    expect(all.slice(0, 9).every((one) => one === undefined)).toBe(true);
    expect(all[9]).toBe("same_refusal");
  }); // prettier-ignore

  test("refusals for reasons of their own do not stop, nor do ten with an accepted row between", () => {
    const words = "abcdefghijklmnop".split("");
    expect(codes(...words.map((word) => [refused, `wrong ${word}`] as const)).every((one) => one === undefined)).toBe(true);
    const nine = Array.from({ length: 9 }, () => [refused, "no"] as const);
    expect(codes(...nine, [accepted], ...nine).every((one) => one === undefined)).toBe(true);
    expect(codes(...nine, [{ ...refused, httpStatus: 400 }, "no"], ...nine.slice(1)).every((one) => one === undefined)).toBe(true);
  }); // prettier-ignore

  test.each([
    "key_refused",
    "address_refused",
    "redirect",
    "html_answer",
    "certificate_refused",
    "no_tls",
    "local_error",
  ] as const)("%s stops at once", (reason) => {
    const stop = new StopRules(new UnknownsInARow()).observe(
      { state: "rejected", reason, stop: reason, httpStatus: 401 },
      "",
    );
    expect(stop).toMatchObject({ code: reason });
    expect(stop?.message).toContain("(HTTP 401)");
    expect(stop?.hint).not.toBe("");
  });

  test("a long answer costs no time", () => {
    const startedAt = performance.now();
    const rules = new StopRules(new UnknownsInARow());
    for (let count = 0; count < 100; count += 1) rules.observe(refused, "a-".repeat(32_768));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
