import { expect, test } from "vitest";
import { history } from "./history.ts";

// more and longer ones: npm run histories
test.concurrent.each([1, 5, 6])(
  "whatever people do, no payment is made twice and none is forgotten: seed %i",
  async (seed) => {
    expect(await history(seed, 12)).toEqual([]);
  },
);
