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

/** 201 equal rows of a later file that a person lets go. */
async function crowdOf(house: House): Promise<string> {
  const numbers = Array.from({ length: 201 }, (_, at) => at + 2);
  const crowd = await house.take(
    numbers.map(() => "asha 100"),
    { name: "crowd.csv" },
  );
  const moves = numbers.map((row) => ({ row, to: "ready" as const, from: ["held" as const] }));
  await house.store.judging(() => house.store.move(crowd, moves));
  return crowd;
}

/** Of a file with others, so that nothing corrects it. */
const AMONG_OTHERS = ["asha 100", "ravi 5", "meena 6"];

test("an unclear row behind more than 200 that were accepted → settle that one first", async () => {
  const house = await House.open();
  try {
    await house.run(AMONG_OTHERS, { answers: { 2: "unknown" } });
    await house.send(await crowdOf(house));
    const last = await house.take(["asha 100"], { name: "last.csv" });
    expect((await house.release(last, [2])).refused.map(({ why }) => why)).toEqual(["settle_first"]);
  } finally {
    await house.close();
  }
});

test("an accepted row behind more than 200 that wait to go → let go with its sum only", async () => {
  const house = await House.open();
  try {
    await house.run(AMONG_OTHERS);
    await crowdOf(house);
    const last = await house.take(["asha 100"], { name: "last.csv" });
    expect((await house.release(last, [2])).acceptedBefore.rows).toBe(1);
  } finally {
    await house.close();
  }
});

test("more than 200 rows of one reference, repeats allowed → those beyond are asked about", async () => {
  const house = await House.open();
  try {
    const rows = Array.from({ length: 204 }, () => "asha 100 ref A");
    const id = await house.take(rows, { rules: { allow_repeats: true } });
    expect(await house.sums(id)).toBe("201 ready, 3 held too_many");
  } finally {
    await house.close();
  }
});
