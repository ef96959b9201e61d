import { expect, test } from "vitest";
import { fuzz, type Figures } from "./fuzz.ts";

// more of them: npm run fuzz
test("50 files changed by life → what stands there goes, nothing else", async () => {
  const all: Figures[] = [];
  await fuzz(1, 50, (figures) => all.push(figures));
  expect(all.flatMap(({ faults }) => faults)).toEqual([]);
  // they are no heap of refusals
  expect(all.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThan(60);
});
