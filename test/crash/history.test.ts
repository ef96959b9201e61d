import { expect, test } from "vitest";
import { history } from "./history.ts";

/** Dozens of processes one after the other, on a machine that has more to do: not a measure. */
const HANGS = { timeout: 600_000 };

// more and longer ones: npm run histories
test.concurrent.each([1, 5, 6])(
  "whatever people do, no payment is made twice and none is forgotten: seed %i",
  HANGS,
  async (seed) => {
    expect(await history(seed, 12)).toEqual([]);
  },
);
