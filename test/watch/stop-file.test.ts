import { expect, test } from "vitest";
import { sentSoFar } from "../../src/drop-folder/stop-file.ts";
import type { Tallies, Tally } from "../../src/journal/batch-record.ts";
import type { JournalStore } from "../../src/journal/store.ts";

const tally = (rows: number): Tally => ({ rows, amount: "0.00" });

/** Every state has a number of rows of its own. */
const ALL: Tallies = {
  ...{ accepted: tally(1), rejected: tally(2), unknown: tally(4), settled_done: tally(8), settled_not_done: tally(16) },
  ...{ ready: tally(32), sending: tally(64), not_sent: tally(128) },
  ...{ invalid: tally(1000), duplicate: tally(1000), held: tally(1000) },
};

test("of the batches that a STOP cut off: what has gone, and what would have gone with it", async () => {
  const journal = { tallies: () => Promise.resolve(ALL) } as Pick<JournalStore, "tallies"> as JournalStore;
  expect(await sentSoFar(journal, ["AAAA1111"])).toEqual({ sent: 31, of: 255, left: ["AAAA1111"] });
  const both = ["AAAA1111", "BBBB2222"];
  expect(await sentSoFar(journal, both)).toEqual({ sent: 62, of: 510, left: both });
  expect(await sentSoFar(journal, [])).toBeUndefined();
});
