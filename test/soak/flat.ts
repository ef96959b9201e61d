import type { Sample } from "./probe.ts";

/** How what a process holds went over its life. */
export interface Flatness {
  readonly samples: number;
  readonly minutes: number;
  /** First and last third, each the median. */
  readonly heapMB: readonly [first: number, last: number];
  readonly rssMB: readonly [first: number, last: number];
  /** Least of the first and of the last third: files in work come and go. */
  readonly descriptors: readonly [first: number, last: number];
  readonly timers: readonly [first: number, last: number];
  /** Of a line through what collections left. */
  readonly heapKBPerMinute: number;
  readonly faults: readonly string[];
}

/** A journal has caches, and code is compiled late: so much may come after the first third of the life. */
const HEAP_GROWTH_MAX = 1.15;
const RSS_GROWTH_MAX = 1.25;
/** Twice what the pool of connections of eight lanes holds. */
const CONNECTIONS_MAX = 128;
const SAMPLES_MIN = 30;

/** undefined: the process did not live for long enough to say anything. */
export function flatness(samples: readonly Sample[]): Flatness | undefined {
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (!first || !last || samples.length < SAMPLES_MIN) return undefined;
  const third = Math.floor(samples.length / 3);
  const thirds = [samples.slice(third, 2 * third), samples.slice(-third)] as const;
  const over = (read: (sample: Sample) => number, sum: (numbers: number[]) => number): [number, number] => [
    sum(thirds[0].map(read)),
    sum(thirds[1].map(read)),
  ];
  const heapMB = over(({ heapBytes }) => heapBytes / MB, median);
  const rssMB = over(({ rssBytes }) => rssBytes / MB, median);
  const descriptors = over((sample) => sample.descriptors, least);
  const timers = over((sample) => sample.timers, least);
  const faults = [
    ...(heapMB[1] > heapMB[0] * HEAP_GROWTH_MAX ? ["the heap grows"] : []),
    ...(rssMB[1] > rssMB[0] * RSS_GROWTH_MAX ? ["the resident memory grows"] : []),
    ...(descriptors[1] > descriptors[0] ? ["descriptors stay open"] : []),
    ...(timers[1] > timers[0] ? ["timers stay"] : []),
    ...(samples.some(({ connections }) => connections > CONNECTIONS_MAX) ? ["connections stay open"] : []),
  ];
  const heapKBPerMinute = slope(samples.slice(third).map(({ at, heapBytes }) => [at / 60_000, heapBytes / 1024]));
  const minutes = (last.at - first.at) / 60_000;
  return { samples: samples.length, minutes, heapMB, rssMB, descriptors, timers, heapKBPerMinute, faults };
}

const MB = 1024 * 1024;

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function least(numbers: readonly number[]): number {
  return Math.min(...numbers);
}

/** Least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (read: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + read(point), 0) / points.length;
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)];
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return below === 0 ? 0 : above / below;
}
