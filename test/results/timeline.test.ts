import { expect, test } from "vitest";
import { stretchesOf } from "../../src/results/report/timeline-axis.ts";
import { SENT_KINDS, TimelineCollector, type Timeline } from "../../src/results/report/timeline.ts";
import { rowRecord } from "../support/records.ts";

const START = Date.UTC(2026, 9, 31, 12, 0, 0);

function timelineOf(count: number, atOf: (index: number) => number): Timeline | undefined {
  const collector = new TimelineCollector();
  for (let index = 0; index < count; index += 1) {
    collector.add(rowRecord(index + 2, { sentAt: atOf(index), durationMs: 1 + (index % 100) }));
  }
  return collector.timeline();
}

function rowsIn(slots: readonly { readonly rows: Timeline["slots"][number]["rows"] }[]): number {
  return slots.reduce((sum, { rows }) => sum + SENT_KINDS.reduce((all, kind) => all + rows[kind], 0), 0);
}

test("however many rows and however long: at most a thousand slots, and no row is lost", () => {
  for (const stepMs of [0, 1, 700, 60_000, 86_400_000]) {
    // as with several lanes the times are not in order
    const timeline = timelineOf(20_000, (index) => START + (index ^ 5) * stepMs);
    expect(timeline?.slots.length).toBeLessThanOrEqual(1024);
    expect(rowsIn(timeline?.slots ?? [])).toBe(20_000);
    expect(timeline).toMatchObject({ answered: 20_000, slowest: { row: 101, durationMs: 100 } });
    expect(timeline?.medianMs).toBeGreaterThan(44);
    expect(timeline?.medianMs).toBeLessThan(56);
  }
});

test("rows that were never sent are on no timeline", () => {
  const collector = new TimelineCollector();
  collector.add(rowRecord(2, { state: "invalid" }));
  expect(collector.timeline()).toBeUndefined();
});

test("long breaks are cut out of the drawing, and every row is still in a column within its width", () => {
  const timeline = timelineOf(1000, (index) => START + index * 100 + Math.floor(index / 250) * 7_200_000);
  const stretches = stretchesOf(timeline as Timeline, 600, 60);
  expect(stretches).toHaveLength(4);
  expect(rowsIn(stretches.flatMap(({ columns }) => columns.map(({ slot }) => slot)))).toBe(1000);
  for (const { x, width, columns, ticks } of stretches) {
    for (const column of columns) {
      expect(column.x).toBeGreaterThanOrEqual(x);
      expect(column.x + column.width).toBeLessThanOrEqual(x + width + 0.001);
    }
    expect(ticks.length).toBeGreaterThan(0);
  }
  expect((stretches.at(-1)?.x ?? 0) + (stretches.at(-1)?.width ?? 0)).toBeLessThanOrEqual(600.001);
});
