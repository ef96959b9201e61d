import { afterEach, expect, test, vi } from "vitest";
import { Away, kindOfStop, mendingOf } from "../../src/drop-folder/service-away.ts";
import type { StopCode } from "../../src/events.ts";
import { STOPS } from "../../src/submission/stop-rules.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const FIRST_MS = 3000;

test("the wait for a service that is away has room for the first word, doubles, and has an end", () => {
  vi.spyOn(performance, "now").mockReturnValue(0);
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  const away = new Away(FIRST_MS);
  expect([away.isAway, away.retryInMs]).toEqual([false, undefined]);
  away.failed("unreachable", false);
  expect([away.isAway, away.retryInMs]).toEqual([true, FIRST_MS / 30]);
  random.mockReturnValue(1);
  const waits = Array.from({ length: 7 }, () => {
    away.failed("unreachable", true);
    return (away.retryInMs ?? 0) / FIRST_MS;
  });
  expect(waits).toEqual([2, 4, 8, 16, 20, 20, 20]);
});

test("that it is away is news once for each reason, and again when it was back", () => {
  const away = new Away(FIRST_MS);
  const codes = ["unreachable", "unreachable", "key_refused"] as const;
  const said = codes.map((code) => away.failed(code, true));
  expect([said, away.code]).toEqual([[true, false, true], "key_refused"]);
  away.isBack();
  expect([away.isAway, away.code, away.retryInMs]).toEqual([false, undefined, undefined]);
  expect(away.failed("key_refused", false)).toBe(true);
});

test("each stop is either waited out, or held for a person, or about one batch alone", () => {
  const kinds: Readonly<Record<string, readonly StopCode[]>> = {
    service: [
      "unreachable",
      "rate_limited",
      "key_refused",
      "address_refused",
      "certificate_refused",
      "no_tls",
      "local_error",
    ],
    person: ["redirect", "html_answer", "unknown_in_a_row"],
    batch: ["same_refusal", "day_over_cap", "reads_otherwise", "paused", "cancelled"],
    signal: ["signal", "stop_file", "work_failed"],
  };
  const codes = Object.keys(STOPS);
  expect(Object.values(kinds).flat().sort()).toEqual([...codes].sort());
  for (const [kind, of] of Object.entries(kinds))
    expect([kind, of.map((code) => kindOfStop({ code }))]).toEqual([kind, of.map(() => kind)]);
  // of a folder that a person holds
  expect(kindOfStop({ code: "folder_held" })).toBe("batch");
});

test("who can mend what keeps rows waiting is told how", () => {
  expect(mendingOf("key_refused")).toContain("PAYDROP_API_KEY; a new key is read when paydrop starts again");
  expect(mendingOf("unreachable")).toBeUndefined();
});
