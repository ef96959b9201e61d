import { expect, onTestFinished, test, vi } from "vitest";
import { Sight, type ServerNews } from "../../src/postgres/sight.ts";

test("the server is away → told once, then every minute, and when it is back; silence is told later than a failure", () => {
  vi.useFakeTimers({ now: 1_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const news: ServerNews[] = [];
  const codes = (): string[] => news.splice(0).map(({ code }) => code);
  const sight = new Sight((one) => void news.push(one));
  sight.begin();
  for (let at = 0; at < 20; at += 1) {
    vi.advanceTimersByTime(5_000);
    sight.answered();
  }
  // another connection is refused while this one answers
  for (let at = 0; at < 20; at += 1) {
    vi.advanceTimersByTime(1_000);
    sight.failed(new Error("too many connections"));
    sight.answered();
  }
  expect([codes(), sight.awaySince]).toEqual([[], undefined]);

  const since = Date.now();
  sight.failed(new Error("ECONNREFUSED"));
  vi.advanceTimersByTime(4_000);
  expect(news).toEqual([{ code: "server_gone", since, found: "ECONNREFUSED" }]);
  expect(sight.awaySince).toBe(since);
  vi.advanceTimersByTime(130_000);
  expect(codes()).toEqual(["server_gone", "server_still_gone", "server_still_gone"]);
  sight.answered();
  expect(news).toEqual([{ code: "server_back", since, found: "ECONNREFUSED" }]);
  expect([codes(), sight.awaySince]).toEqual([["server_back"], undefined]);

  vi.advanceTimersByTime(11_000);
  expect(codes()).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(news).toMatchObject([{ code: "server_gone", found: "" }]);
  sight.close();
  vi.advanceTimersByTime(600_000);
  expect(news).toHaveLength(1);
});
