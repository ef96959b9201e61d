import fc from "fast-check";
import { expect, test } from "vitest";
import { startOfDay } from "../src/day.ts";

test.each([
  ["2026-11-21T18:29:59.999Z", "Asia/Kolkata", "2026-11-20T18:30:00.000Z"],
  ["2026-11-21T18:30:00.000Z", "Asia/Kolkata", "2026-11-21T18:30:00.000Z"],
  ["2026-11-21T00:00:00.000Z", "UTC", "2026-11-21T00:00:00.000Z"],
  ["2026-11-21T00:10:00.000Z", "America/New_York", "2026-11-20T05:00:00.000Z"],
  // the clock went forward at 2 o'clock, back at 2 o'clock
  ["2026-03-29T10:00:00.000Z", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
  ["2026-10-25T10:00:00.000Z", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
  // there was no midnight: the day began at 1 o'clock
  ["2026-04-24T12:00:00.000Z", "Africa/Cairo", "2026-04-23T22:00:00.000Z"],
  // there were two: the clock went back to it at 1 o'clock
  ["2026-11-01T15:00:00.000Z", "America/Havana", "2026-11-01T04:00:00.000Z"],
  ["2026-11-01T04:30:00.000Z", "America/Havana", "2026-11-01T04:00:00.000Z"],
])("at %s in %s the day began at %s", (now, timeZone, start) => {
  expect(new Date(startOfDay(Date.parse(now), timeZone)).toISOString()).toBe(start);
});

test("it began at most a long day before, and never after now", () => {
  const zones = fc.constantFrom("Asia/Kolkata", "UTC", "Pacific/Apia", "Europe/London", "America/St_Johns", undefined);
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2040, 0) }), zones, (now, timeZone) => {
      const start = startOfDay(now, timeZone);
      expect(start).toBeLessThanOrEqual(now);
      expect(now - start).toBeLessThan(25 * 3_600_000);
    }),
  );
});
