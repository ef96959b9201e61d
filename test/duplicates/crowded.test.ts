import { expect, test } from "vitest";
import { TestDesk, transfers } from "../support/desk.ts";
import { describePostgres } from "../support/postgres.ts";
import { sharedDesk } from "../support/shared-desk.ts";
import { House } from "./house.ts";

const PAYMENT = ["T1", "5.00"] as const;

async function heldRowsHideNothing(desk: TestDesk): Promise<void> {
  const ledger: string[] = [];
  const accept = (payload: string): undefined => void ledger.push(payload);
  const first = await desk.run("first.csv", transfers(PAYMENT), () => 401);
  await desk.run("paid.csv", transfers(PAYMENT, ["T2", "1.00"]), accept);
  expect(ledger).toHaveLength(2);
  for (let at = 0; at < 4; at += 1) {
    const crowd = Array.from({ length: 51 }, () => ["T1", "5.00", `${at}`] as const);
    expect(await desk.run(`later${at}.csv`, transfers(...crowd), accept)).toMatchObject({ requests: 0 });
  }
  // refused for the key: the next run of its file would send it
  expect(await desk.run("first.csv", undefined, accept)).toMatchObject({ exitCode: 6, requests: 0 });
  expect(ledger).toHaveLength(2);
  const [row] = await desk.store.rows({ batch: first.batch });
  expect(row?.reasons.map(({ code }) => code)).toEqual(["maybe_paid", "too_many"]);
  expect(desk.read("first.csv.results.csv")).toContain("More rows than can be compared");
}

test("200 held rows of a payment in later files → what was accepted is seen, and it does not go again", async () => {
  await heldRowsHideNothing(await TestDesk.open());
});

describePostgres("in a shared journal", () => {
  test("200 held rows of a payment in later files → what was accepted is seen, and it does not go again", async () => {
    await heldRowsHideNothing((await sharedDesk()).desk);
  });
});

test("600 equal payments of a month went, that file is dropped with one more, much later → none goes", async () => {
  const house = await House.open();
  try {
    const rows = (count: number): string[] => Array.from({ length: count }, () => "asha 100");
    const meant = { period: "2026-11", rules: { allow_repeats: true } };
    expect(await house.sums(await house.run(rows(600), meant))).toBe("600 accepted");
    house.letPass(40);
    const more = await house.take(rows(601), { ...meant, name: "more.csv" });
    expect(await house.sums(more)).toBe("200 duplicate same_payment, 401 held too_many");
    const next = await house.take(rows(600), { ...meant, name: "next.csv", period: "2026-12" });
    expect(await house.sums(next)).toBe("600 ready");
    // a person may say so, with the sum
    const { refused, acceptedBefore } = await house.release(more, [602]);
    expect([refused, acceptedBefore.rows, await house.rows(more, 602)]).toEqual([[], 1, "602 ready"]);
  } finally {
    await house.close();
  }
});

test("an unclear row behind more than 200 that were accepted → settle that one first", async () => {
  const house = await House.open();
  try {
    await house.run(["asha 100"], { answers: { 2: "unknown" } });
    const crowd = await house.take(
      Array.from({ length: 201 }, () => "asha 100"),
      { name: "crowd.csv" },
    );
    await house.store.judging(() =>
      house.store.move(
        crowd,
        Array.from({ length: 201 }, (_, at) => ({ row: at + 2, to: "ready" as const, from: ["held" as const] })),
      ),
    );
    await house.send(crowd);
    const last = await house.take(["asha 100"], { name: "last.csv" });
    expect((await house.release(last, [2])).refused.map(({ why }) => why)).toEqual(["settle_first"]);
  } finally {
    await house.close();
  }
});
