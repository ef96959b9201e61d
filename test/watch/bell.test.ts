import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Bell } from "../../src/drop-folder/bell.ts";

/** Longer than a test may take. */
const FOR_EVER_MS = 90_000;

test("a ring that comes while nobody waits wakes the next one, and that one only", async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  await bell.wait(FOR_EVER_MS);
  let isAwake = false;
  const waiting = bell.wait(FOR_EVER_MS).then(() => (isAwake = true));
  await setImmediate();
  expect(isAwake).toBe(false);
  bell.ring();
  await waiting;
  // nobody rang since
  await bell.wait(1);
});
