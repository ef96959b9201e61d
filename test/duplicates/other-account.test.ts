import { expect, onTestFinished, test } from "vitest";
import { House } from "./house.ts";

async function houseWith(...months: readonly (readonly string[])[]): Promise<House> {
  const house = await House.open();
  onTestFinished(() => house.close());
  for (const [at, month] of months.entries()) {
    await house.run(month, { period: `2026-0${at + 1}` });
    house.letPass(30);
  }
  return house;
}

/** Rule 9 (README §7): what the last files paid, and what becomes of the rows of the next one. */
const SITUATIONS: readonly (readonly [
  name: string,
  months: readonly (readonly string[])[],
  now: readonly string[],
  is: string,
])[] = [
  [
    "another account under the same employee number → held",
    [["a1 100 emp E1", "b1 100 emp E2"]],
    ["a9 100 emp E1", "b1 100 emp E2"],
    "2 held other_account, 3 ready",
  ],
  ["the first file of all → goes", [], ["a1 100 emp E1 mob 98"], "2 ready"],
  [
    "employee numbers are new, the mobile is the same → held",
    [["a1 100 mob 98", "b1 100 mob 97"]],
    ["a9 100 emp E1 mob 98", "b1 100 emp E2 mob 97"],
    "2 held other_account, 3 ready",
  ],
  [
    "the mobile of HR in every row → names tell people apart",
    [["a1 100 mob 98 name asha", "b1 100 mob 98 name ravi"]],
    ["a1 100 mob 98 name asha", "b9 100 mob 98 name ravi", "c1 100 mob 98 name meena"],
    "2 ready, 3 held other_account, 4 ready",
  ],
  [
    "one address for all, and nothing else → nobody is known",
    [["a1 100 mail hr@x name asha", "b1 100 mail hr@x name ravi"]],
    ["a9 100 mail hr@x name asha", "b9 100 mail hr@x name ravi"],
    "2 ready, 3 ready",
  ],
  [
    "a name twice, each with a mobile of its own → each by that",
    [["a1 100 mob 98 name ravi", "b1 100 mob 97 name ravi"]],
    ["a1 100 mob 98 name ravi", "c1 100 mob 97 name ravi"],
    "2 ready, 3 held other_account",
  ],
  ["a name alone → nobody is known", [["a1 100 name ravi"]], ["b1 100 name ravi"], "2 ready"],
  [
    "two jobs with an account each → both are known",
    [["a1 100 emp E1 name asha", "a2 50 emp E1 name asha"]],
    ["a2 100 emp E1 name asha", "a1 50 emp E1 name asha"],
    "2 ready, 3 ready",
  ],
  [
    "a number that several people have → it is nobody's",
    [["a1 100 emp NEW name asha", "b1 100 emp NEW name ravi"]],
    ["c1 100 emp NEW name meena"],
    "2 ready",
  ],
  ["other numbers, one mobile → not one person", [["a1 100 emp E1 mob 98"]], ["b1 100 emp E2 mob 98"], "2 ready"],
  [
    "an account that a colleague has → held",
    [["a1 100 emp E1", "b1 100 emp E2"]],
    ["b1 100 emp E1"],
    "2 held other_account",
  ],
  [
    "back to an account of two months ago → goes",
    [["a1 100 emp E1"], ["a1 100 emp E1", "a2 70 emp E1"]],
    ["a1 100 emp E1"],
    "2 ready",
  ],
  [
    "dues of leavers, of whom one changes → that one is held",
    [["a1 100 emp E1", "b1 100 emp E2", "c1 100 emp E3"]],
    ["a1 900 emp E1", "c9 900 emp E3"],
    "2 ready, 3 held other_account",
  ],
];

test.each(SITUATIONS)("%s", async (_name, months, now, is) => {
  const house = await houseWith(...months);
  expect(await house.rows(await house.take(now, { period: "2026-09" }))).toBe(is);
});

test("what never went says nothing of an account", async () => {
  const house = await houseWith();
  await house.run(["a1 100 emp E1", "~b1 emp E2"], { period: "2026-01", answers: { 2: "rejected" } });
  await house.take(["c1 100 emp E3"], { period: "2026-01", name: "waits.csv" });
  const next = await house.take(["a2 100 emp E1", "b2 100 emp E2", "c2 100 emp E3"], { period: "2026-02" });
  expect(await house.rows(next)).toBe("2 ready, 3 ready, 4 ready");
});

test("the settings only point it out → it goes", async () => {
  const house = await houseWith(["a1 100 emp E1"]);
  const rules = { changed_account: "point_out" } as const;
  expect(await house.rows(await house.take(["a9 100 emp E1"], { rules, period: "2026-09" }))).toBe("2 ready");
});

test("a person let the other account go → next month it is known", async () => {
  const house = await houseWith(["a1 100 emp E1"]);
  const id = await house.take(["a9 100 emp E1"], { period: "2026-02" });
  expect((await house.release(id, "all")).fourEyes).toBe(1);
  await house.send(id);
  house.letPass(30);
  expect(await house.rows(await house.take(["a9 100 emp E1"], { period: "2026-03" }))).toBe("2 ready");
});
