import { expect, test } from "vitest";
import { settledText, severalTexts } from "../../src/commands/settle/settled-words.ts";
import { settlingOf, wordOf, type Settling } from "../../src/commands/settle/settling.ts";
import { batchRecord, rowRecord } from "../support/records.ts";

function settling(number: number, as: "settled_done" | "settled_not_done", state: "unknown" | "accepted"): Settling {
  return { batch: "K7Q29F3M", row: { number, state, amount: "1.00" }, word: wordOf(as, "asha", "looked up") };
}

test("of a long list the first five of each word are told one by one, then how many more, and every one that was accepted", () => {
  const list = Array.from({ length: 40 }, (_, at) =>
    settling(at + 2, at % 2 === 0 ? "settled_done" : "settled_not_done", "unknown"),
  );
  const accepted = settling(100, "settled_not_done", "accepted");
  const texts = severalTexts([...list, accepted]);
  expect(list.filter((one) => !texts.has(one)).map(({ row }) => row.number)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect([...texts.values()].filter((text) => text !== "")).toEqual([
    "and 15 more of batch K7Q29F3M settled as done by asha: rows 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40",
    "and 15 more of batch K7Q29F3M settled as not done by asha: rows 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41",
  ]);
  expect(texts.has(accepted)).toBe(false);
  // six are no more than five and one line
  expect(severalTexts(list.filter(({ word }) => word.as === "settled_done").slice(0, 6)).size).toBe(0);
});

test.each([
  ["payout", "the money goes out twice unless the bank gave it back"],
  ["transfer", "the money goes out twice unless the bank gave it back"],
  ["loan", "the borrower has two applications unless the first one came to nothing"],
  ["collection", "the payer is asked for the money twice unless the first request came to nothing"],
] as const)("what an accepted %s would do if it went again is said of that operation", (operation, said) => {
  const row = rowRecord(3, { operation, state: "accepted" });
  const settled = settlingOf("K7Q29F3M", row, wordOf("settled_not_done", "asha", "looked up"));
  expect(settledText(settled, batchRecord())).toContain(`Sent again, ${said}.`);
});
