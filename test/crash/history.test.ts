import { expect, test } from "vitest";
import { history } from "./history.ts";

// more and longer ones: npm run histories
test.concurrent.each([1])("whatever people do, no payment is made twice, none is forgotten: seed %i", async (seed) => {
  expect(await history(seed, 10)).toEqual([]);
});
