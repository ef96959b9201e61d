import { afterEach, expect, test, vi } from "vitest";
import { BatchQueue } from "../../src/drop-folder/batch-queue.ts";
import type { BatchReport } from "../../src/events.ts";
import type { Processor } from "../../src/processor.ts";
import { STOPS } from "../../src/submission/stop-rules.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const RETRY_MS = 1000;

const PAUSED = "P";

/** `waiting`: how many rows of each batch wait for one of another file; less than none: for one that has its end. */
function queue(
  handedOver: readonly string[] = [],
  waiting: Readonly<Record<string, number>> = {},
  timeZone?: string,
): BatchQueue {
  const journal = {
    waitsForOthers: () => Promise.resolve(true),
    waitingBatches: ({ batches = Object.keys(waiting) }: { batches?: readonly string[] }) =>
      Promise.resolve(
        batches.flatMap((batch) => {
          const rows = waiting[batch] ?? 1;
          return rows === 0 ? [] : [{ batch, rows: Math.abs(rows), isOver: rows < 0 }];
        }),
      ),
  };
  const processor = {
    ...{ journal, handedOver: () => Promise.resolve(handedOver) },
    unfinished: () => Promise.resolve(Object.keys(waiting).filter((batch) => batch !== PAUSED)),
  };
  return new BatchQueue(processor as unknown as Processor, RETRY_MS, timeZone);
}

function all(batches: BatchQueue): string[] {
  return Array.from({ length: batches.length }, () => batches.next() ?? "");
}

test("each batch is done once, in the order it came in; what was stopped goes on first", () => {
  const batches = queue();
  batches.add(["A", "B"]);
  batches.add(["B", "C", "A"]);
  batches.putFirst("D");
  expect([batches.length, all(batches), batches.next()]).toEqual([4, ["D", "A", "B", "C"], undefined]);
});

test("what people let go comes before all others, and only once", async () => {
  const batches = queue(["B", "X"]);
  batches.add(["A", "B"]);
  await batches.addHandedOver();
  expect(all(batches)).toEqual(["X", "A", "B"]);
});

/** Results that could not be written into a folder that is there. */
function undelivered(over: Partial<BatchReport> = {}): BatchReport {
  const files = { results: "/state/a.csv.results.csv", elsewhere: "read-only", mayComeLater: true };
  const report = { batch: "A", file: "/a.csv", byStatus: {}, requests: 0, exitCode: 74, files, ...over };
  return report as unknown as BatchReport;
}

const NOWHERE: BatchReport["files"] = {};

test("results that cannot be written are tried again after a wait that doubles, where their folder is", async () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const batches = queue();
  const dueAt = (ms: number, folders = ["/"]): string[] => {
    clock.mockReturnValue(ms);
    batches.addUndelivered(folders);
    return all(batches);
  };
  await batches.noteEnd(undelivered());
  expect([dueAt(999), dueAt(1000, ["/other"]), dueAt(1000)]).toEqual([[], [], ["A"]]);
  await batches.noteEnd(undelivered());
  expect([dueAt(2999), dueAt(3000)]).toEqual([[], ["A"]]);
  await batches.noteEnd(undelivered({ files: { results: "/a.csv.results.csv", summary: "/a.csv.summary.json" } }));
  expect(dueAt(1_000_000)).toEqual([]);
});

test("that they cannot is said once for each reason, and again when something was sent", async () => {
  const batches = queue();
  const isSaid = async (over?: Partial<BatchReport>): Promise<boolean> =>
    (await batches.noteEnd(undelivered(over))).isSaid;
  expect([await isSaid(), await isSaid(), await isSaid({ requests: 1 })]).toEqual([false, true, false]);
  const files = { ...undelivered().files, elsewhere: "the disk is full" };
  expect([await isSaid({ files }), await isSaid({ files })]).toEqual([false, true]);
});

test("the wait is never longer than twenty times the first one", async () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const batches = queue();
  for (let times = 0; times < 10; times += 1) await batches.noteEnd(undelivered());
  clock.mockReturnValue(20 * RETRY_MS - 1);
  batches.addUndelivered(["/"]);
  expect(all(batches)).toEqual([]);
  clock.mockReturnValue(20 * RETRY_MS);
  batches.addUndelivered(["/"]);
  expect(all(batches)).toEqual(["A"]);
});

test("what waited for a row of another file is done again when that has its end, also in a later process", async () => {
  const waiting: Record<string, number> = { A: 1, B: 1 };
  const batches = queue([], waiting);
  const held = { held: { rows: 1, amount: "1.00" } };
  for (const batch of ["A", "B"]) await batches.noteEnd(undelivered({ batch, byStatus: held, files: NOWHERE }));
  await batches.lookAgain(["/"]);
  expect(all(batches)).toEqual([]);
  for (const done of ["A", "B"]) {
    waiting[done] = -1;
    await batches.lookAgain(["/"]);
    expect(all(batches)).toEqual([done]);
  }
  const later = queue([], { C: 1, D: -1 });
  await later.lookAgainIn(["/"]);
  expect(all(later)).toEqual(["D"]);
});

test("only what is held may wait for others", async () => {
  const batches = queue();
  const held = { held: { rows: 1, amount: "1.00" } };
  expect((await batches.noteEnd(undelivered({ byStatus: held }))).isWaiting).toBe(true);
  expect((await batches.noteEnd(undelivered())).isWaiting).toBe(false);
});

test("what a person freed by settling the other row is gone through once, also where other rows still wait", async () => {
  const waiting: Record<string, number> = { A: 2, [PAUSED]: 1 };
  const batches = queue([], waiting);
  await batches.lookAgainIn(["/"]);
  const looked = async (): Promise<string[]> => {
    await batches.lookAgain(["/"]);
    return all(batches);
  };
  expect(await looked()).toEqual([]);
  waiting["A"] = 1;
  waiting[PAUSED] = 0;
  expect([await looked(), await looked()]).toEqual([["A"], []]);
  waiting["A"] = 0;
  expect([await looked(), await looked()]).toEqual([["A"], []]);
});

test("what comes to its end while the others are looked at is not forgotten", async () => {
  const waiting: Record<string, number> = { A: 1, B: 1 };
  const batches = queue([], waiting);
  const held = { held: { rows: 1, amount: "1.00" } };
  const noteEnd = (batch: string) => batches.noteEnd(undelivered({ batch, byStatus: held, files: NOWHERE }));
  await noteEnd("A");
  await Promise.all([batches.lookAgain(["/"]), noteEnd("B")]);
  waiting["A"] = -1;
  waiting["B"] = -1;
  await batches.lookAgain(["/"]);
  expect(all(batches)).toEqual(["A", "B"]);
});

test("what max_per_day stopped goes on when the next day has begun where days begin, once", async () => {
  const clock = vi.spyOn(Date, "now");
  const batches = queue([], {}, "Asia/Kolkata");
  const dueAt = (time: string): string[] => {
    clock.mockReturnValue(Date.parse(time));
    batches.addOfNewDay();
    return all(batches);
  };
  expect(dueAt("2026-11-24T12:00:00Z")).toEqual([]);
  for (const batch of ["A", "B"])
    await batches.noteEnd(undelivered({ batch, stop: STOPS.day_over_cap, files: NOWHERE }));
  await batches.noteEnd(undelivered({ batch: "B", files: NOWHERE }));
  expect(dueAt("2026-11-24T18:29:59Z")).toEqual([]);
  expect(dueAt("2026-11-24T18:30:00Z")).toEqual(["A"]);
  expect(dueAt("2026-11-26T12:00:00Z")).toEqual([]);
});
