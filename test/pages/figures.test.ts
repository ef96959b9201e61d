import { expect, test } from "vitest";
import { Figures, NUMBER_FORMATS } from "../../src/figures.ts";

const FIGURES = NUMBER_FORMATS.map((number_format) => new Figures({ number_format, time_zone: "Asia/Kolkata" }));
const all = (write: (figures: Figures) => string): readonly string[] =>
  FIGURES.map((figures) => write(figures).replaceAll("\u00a0", " "));

test.each([
  ["0", "₹0.00", "₹0.00", "0.00"],
  ["999.5", "₹999.50", "₹999.50", "999.50"],
  ["100000", "₹1,00,000.00", "₹100,000.00", "100000.00"],
  ["2481900.50", "₹24,81,900.50", "₹2,481,900.50", "2481900.50"],
  [
    "192076400000000000.0125",
    "₹1,92,07,64,00,00,00,00,000.0125",
    "₹192,076,400,000,000,000.0125",
    "192076400000000000.0125",
  ],
  ["-1000", "−₹1,000.00", "−₹1,000.00", "-1000.00"],
])("%s of money → %s, %s, %s", (amount, ...written) => {
  expect(all((figures) => figures.money(amount))).toEqual(written);
});

test.each([
  ["2197742", "2481900.50", "+₹2,84,158.50", "+₹284,158.50", "+284158.50"],
  ["100.5", "50", "−₹50.50", "−₹50.50", "-50.50"],
  ["7", "7.00", "+₹0.00", "+₹0.00", "+0.00"],
])("from %s to %s → %s, %s, %s", (before, now, ...written) => {
  expect(all((figures) => figures.change(before, now))).toEqual(written);
});

const NOW = Date.parse("2026-11-28T17:01:04Z");

test.each([
  ["2026-11-28T16:58:59Z", "22:28", "28 Nov"],
  // yesterday in London, today in Kolkata
  ["2026-11-27T18:30:00Z", "00:00", "28 Nov"],
  ["2026-11-27T18:29:59Z", "27 Nov, 23:59", "27 Nov"],
  ["2026-01-02T03:04:05Z", "2 Jan, 08:34", "2 Jan"],
  // another year there, the same one here
  ["2025-12-31T18:30:00Z", "1 Jan, 00:00", "1 Jan"],
  ["2025-12-31T18:29:59Z", "31 Dec 2025, 23:59", "31 Dec 2025"],
])("%s in Kolkata → %s, the day %s", (at, time, day) => {
  const [figures] = FIGURES as [Figures];
  const plain = (text: string): string => text.replaceAll("\u00a0", " ");
  expect([figures.time(Date.parse(at), NOW), figures.day(Date.parse(at), NOW)].map(plain)).toEqual([time, day]);
});

test("a moment in two zones → its own day, second and month", () => {
  const written = ["Asia/Kolkata", "America/New_York"].map((time_zone) => {
    const figures = new Figures({ number_format: "indian", time_zone });
    const at = Date.parse("2026-11-30T20:00:05Z");
    return [figures.longDay(at), figures.second(at), figures.month(at), figures.count(100_000)];
  });
  expect(written).toEqual([
    ["Tuesday, 1 December 2026", "01:30:05", "2026-12", "1,00,000"],
    ["Monday, 30 November 2026", "15:00:05", "2026-11", "1,00,000"],
  ]);
});
