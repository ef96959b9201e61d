import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { PaydropError } from "../../src/errors.ts";
import type { Mark } from "../../src/journal/store.ts";
import { AtomicFile, tagOf } from "../../src/results/disk/atomic.ts";
import { Leftovers } from "../../src/results/disk/leftovers.ts";
import { keepMark } from "../../src/results/marks/keep-mark.ts";
import type { MarkInput } from "../../src/results/marks/mark-keeper.ts";
import { ownKey } from "../../src/results/summary.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const BATCH = "K7Q29F3M";
const ROUNDS = 25;

function textOf(batch: string, lastAttempt: number, keeper?: string): string {
  const mark = { stateId: "one", lastAttempt, lastAttemptAt: 1_800_000_000_123 };
  return JSON.stringify({ paydrop: ownKey(mark), batch, keeper });
}

/** Of one who has a copy of a state directory: he knows its attempt, and beside it his own only. */
function inputIn(folder: string, now: () => number): MarkInput {
  const keeper = randomUUID();
  return {
    path: join(folder, "t.csv.summary.json"),
    text: ({ lastAttempt }) => textOf(BATCH, lastAttempt, keeper),
    ...{ keeper, batch: BATCH, leftovers: new Leftovers(), mode: 0o644 },
    now: (): Promise<Mark> => Promise.resolve({ stateId: "one", lastAttempt: now(), lastAttemptAt: 1_800_000_000_123 }),
    assertKnown: ({ mark }) =>
      mark && mark.lastAttempt > 1 ? Promise.reject(new PaydropError("journal", "not known")) : Promise.resolve(),
  };
}

/** As a run does: its mark, a look at what stands there, the first attempt, and that one in the mark. */
async function sendFirst(folder: string): Promise<void> {
  let attempt = 1;
  const keeper = await keepMark(inputIn(folder, () => attempt));
  try {
    await keeper?.assertOwn();
    attempt += 1;
    await keeper?.renewFirst();
  } finally {
    await keeper?.close();
  }
}

/** Between the last look at what stands there and the rename over it a busy machine takes its time. */
function slowDown(): void {
  const publish: (this: AtomicFile) => Promise<void> = Reflect.get(AtomicFile.prototype, "publish");
  const slow = vi.spyOn(AtomicFile.prototype, "publish").mockImplementation(async function (this: AtomicFile) {
    await sleep(Math.random() * 10);
    await publish.call(this);
  });
  onTestFinished(() => slow.mockRestore());
}

it.each([
  ["nothing", undefined],
  ["the summary of the same batch", BATCH],
  ["the summary of another batch", "AAAAAAAA"],
])("of three with copies of one state directory one sends at most, where %s stands (I9)", async (_, stands) => {
  slowDown();
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = temporaryDirectory();
    if (stands !== undefined) writeFileSync(join(folder, "t.csv.summary.json"), textOf(stands, 1));
    const ends = await Promise.allSettled([1, 2, 3].map(() => sendFirst(folder)));
    const failures = ends.flatMap((end) => (end.status === "rejected" ? [String(end.reason)] : []));
    expect(failures.length, `round ${round}: ${failures.join("; ")}`).toBeGreaterThanOrEqual(2);
    const left = readdirSync(folder).filter((name) => name.startsWith("."));
    expect(left).toEqual([]);
  }
});

it("a lock that a crash left does not keep the mark from being replaced", async () => {
  const folder = temporaryDirectory();
  const input = inputIn(folder, () => 1);
  const lock = join(folder, `.paydrop-${tagOf(basename(input.path))}.lock`);
  writeFileSync(lock, "");
  const keeper = await keepMark(input);
  expect(keeper).toBeDefined();
  await keeper?.close();
  expect(existsSync(lock)).toBe(false);
});
