import { addInto, emptySlot, type Slot, type Timeline } from "./timeline.ts";

/** One column of the drawing: what happened in a piece of time. */
export interface Column {
  readonly x: number;
  readonly width: number;
  readonly slot: Omit<Slot, "fromMs">;
}

/** A piece of time in which something happened; between two of them nothing did. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly x: number;
  readonly width: number;
  readonly columns: readonly Column[];
  /** Times to write on the axis. */
  readonly ticks: readonly { readonly atMs: number; readonly x: number }[];
  readonly tickMs: number;
}

const STRETCHES_MAX = 4;
const GAP_SLOTS_MIN = 20;
const GAP_MS_MIN = 15 * 60_000;
const BREAK_WIDTH = 26;
const STRETCH_WIDTH_MIN = 70;
const COLUMN_WIDTH = 6;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168].map((count) => count * HOUR),
];

/** Lays the time out over `width`: long breaks in which nothing was sent are cut out. */
export function stretchesOf(timeline: Timeline, width: number, tickWidth: number): Stretch[] {
  const groups = groupsOf(timeline);
  const durations = groups.map((slots) => spanOf(slots, timeline.slotMs));
  const all = durations.reduce((sum, duration) => sum + duration, 0);
  const free = width - BREAK_WIDTH * (groups.length - 1) - STRETCH_WIDTH_MIN * groups.length;
  let x = 0;
  return groups.map((slots, index) => {
    const ownWidth = STRETCH_WIDTH_MIN + Math.max(0, free) * ((durations[index] ?? 0) / all);
    const stretch = layOut(slots, timeline.slotMs, x, ownWidth, tickWidth);
    x += ownWidth + BREAK_WIDTH;
    return stretch;
  });
}

/** Split at the longest gaps, at most three of them. */
function groupsOf({ slots, slotMs }: Timeline): Slot[][] {
  const gapMin = Math.max(GAP_MS_MIN, GAP_SLOTS_MIN * slotMs);
  const gaps = slots
    .flatMap((slot, index) => {
      const next = slots[index + 1];
      return next === undefined ? [] : [{ after: index, gapMs: next.fromMs - slot.fromMs }];
    })
    .filter(({ gapMs }) => gapMs >= gapMin)
    .sort((a, b) => b.gapMs - a.gapMs)
    .slice(0, STRETCHES_MAX - 1)
    .map(({ after }) => after)
    .sort((a, b) => a - b);
  const starts = [0, ...gaps.map((after) => after + 1)];
  return starts.map((start, index) => slots.slice(start, starts[index + 1]));
}

function spanOf(slots: readonly Slot[], slotMs: number): number {
  return (slots.at(-1)?.fromMs ?? 0) + slotMs - (slots[0]?.fromMs ?? 0);
}

function layOut(slots: readonly Slot[], slotMs: number, x: number, width: number, tickWidth: number): Stretch {
  const fromMs = slots[0]?.fromMs ?? 0;
  const spanMs = spanOf(slots, slotMs);
  const count = Math.max(1, Math.min(Math.floor(width / COLUMN_WIDTH), Math.ceil(spanMs / slotMs)));
  const gathered = new Map<number, ReturnType<typeof emptySlot>>();
  for (const slot of slots) {
    const at = Math.min(count - 1, Math.floor(((slot.fromMs - fromMs) / spanMs) * count));
    const into = gathered.get(at) ?? emptySlot();
    gathered.set(at, into);
    addInto(into, slot);
  }
  const columnWidth = width / count;
  const columns = [...gathered].map(([at, slot]) => ({ x: x + at * columnWidth, width: columnWidth, slot }));
  const tickMs = STEPS.find((step) => (step / spanMs) * width >= (step < SECOND ? 1.5 : 1) * tickWidth) ?? HOUR;
  const ticks: { atMs: number; x: number }[] = [];
  for (let atMs = Math.ceil(fromMs / tickMs) * tickMs; atMs <= fromMs + spanMs; atMs += tickMs) {
    const at = x + ((atMs - fromMs) / spanMs) * width;
    if (at + tickWidth / 2 <= x + width + 8) ticks.push({ atMs, x: at });
  }
  return { fromMs, toMs: fromMs + spanMs, x, width, columns, ticks, tickMs };
}
