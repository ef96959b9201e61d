import fc from "fast-check";
import { expect, test } from "vitest";
import { oneSpelling, zerosInFront } from "../../src/one-spelling.ts";
import { TestDesk, transfers } from "../support/desk.ts";
import { House } from "./house.ts";

test.for([
  [
    ["ACC-PETTY-07", "acc-petty-07", "ACC PETTY 07", "Acc.Petty/07", "ACCPETTY07", "ＡＣＣ－ＰＥＴＴＹ－０７"],
    "accpetty07",
  ],
  [["INV-881", "inv-881", "Inv 881", "INV/881", "inv_881", "INV-८८१"], "inv881"],
  [["0012", "12", "00 12", "１２", "٠١٢", "#12"], "12"],
  [["5010 0271 8280", "5010-0271-8280", "501002718280", "05010.0271.8280"], "501002718280"],
  [["12-345", "12/345", "12 - 345", "１２–３４５"], "12-345"],
  [["0", "00", "000"], "0"],
  [["---"], "---"],
] as const)("%j → one spelling", ([all, one]) => {
  expect(new Set(all.map(oneSpelling))).toEqual(new Set([one]));
});

test("signs that keep two groups of digits apart, a letter, another digit → other ids", () => {
  const all = ["12-345", "123-45", "12345", "A12-345", "12-345A", "120-345", "INV-1", "INV-10", "INV-01"];
  expect(new Set(all.map(oneSpelling)).size).toBe(all.length);
  expect(["0012", "12", "A-0012", "0", "000 12"].map(zerosInFront)).toEqual([2, 0, 0, 0, 3]);
});

test("the spelling of a spelling → the same", () => {
  const text = fc.string({ unit: fc.constantFrom(...Array.from("aZ09 -./०９ß")), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, (one) => {
      expect(oneSpelling(oneSpelling(one))).toBe(oneSpelling(one));
    }),
  );
});

const IDS = transfers(["ACC-PETTY-07", "2500.00"], ["ACC-PETTY-08", "300.00"], ["ACC-PETTY-09", "410.00"]);
const IDS_AGAIN = transfers(["acc-petty-07", "2500.00"], ["ACC-PETTY-08", "300.00"], ["ACC PETTY 09", "410.00"]);

test("cases 35 and 36: the same ids in other capitals and signs → held, and it says so", async () => {
  const desk = await TestDesk.open();
  expect(await desk.run("ids.csv", IDS)).toMatchObject({ exitCode: 0, requests: 3 });
  const { batch, ...again } = await desk.run("again.csv", IDS_AGAIN);
  expect(again).toMatchObject({ exitCode: 6, requests: 0 });
  const codes = (await desk.store.rows({ batch })).map(({ reasons }) => reasons.map(({ code }) => code).join("+"));
  expect(codes).toEqual(["correction+maybe_paid", "maybe_paid", "correction+maybe_paid"]);
  expect(desk.read("again.csv.results.csv")).toContain("Its payee is written otherwise in row 2 of batch");
  // another amount, months later
  desk.now += 60 * 86_400_000;
  expect(await desk.run("more.csv", transfers(["ACC-petty-08", "11.00"], ["ACC-PETTY-08", "12.00"]))).toMatchObject({
    exitCode: 6,
    requests: 1,
  });
});

test("cases 37 and 38: the same reference in other capitals → held, neither sent nor taken for a duplicate, however late", async () => {
  const desk = await TestDesk.open();
  const file = (reference: string, amount = "2500.00"): string =>
    `reference,from_account,to_account,amount\r\n${reference},ACC-OPS-01,ACC-PETTY-07,${amount}\r\n`;
  await desk.run("first.csv", file("INV-881"));
  for (const [days, reference] of [
    [0, "inv-881"],
    [60, "INV 881"],
    [0, "Inv/881"],
  ] as const) {
    desk.now += days * 86_400_000;
    const { batch, ...report } = await desk.run(`${desk.names().length}.csv`, file(reference));
    expect(report).toMatchObject({ exitCode: 6, requests: 0 });
    const [row] = await desk.store.rows({ batch });
    expect(row).toMatchObject({ state: "held", code: row?.code });
    expect(row?.reasons[0]).toMatchObject(
      reference === "inv-881" || days > 0 ? { code: "correction", written: "reference" } : {},
    );
    await desk.move(batch, "cancelled", [2]);
  }
  expect(await desk.run("same.csv", `${file("INV-881")}\r\n`)).toMatchObject({ exitCode: 0, requests: 0 });
  const used = await desk.run("used.csv", file("inv-881", "7.00"));
  expect([used.requests, (await desk.store.rows({ batch: used.batch }))[0]?.code]).toEqual([0, "reference_used"]);
});

test("UPI ids in other capitals → surely the same payment", async () => {
  const desk = await TestDesk.open({ operation: "collection", period: "2026-11" });
  const file = (vpa: string): string => `amount,vpa\r\n499.00,${vpa}\r\n`;
  await desk.run("one.csv", file("payer.one@bank"));
  const { batch } = await desk.run("two.csv", file("Payer.One@BANK"));
  expect(await desk.store.rows({ batch })).toMatchObject([{ state: "duplicate" }]);
});

test("the same payment of the same month, zeros in front lost, and both spellings went before → held, however late", async () => {
  const house = await House.open();
  try {
    await house.run(["00asha 100"], { period: "2026-10", name: "a.csv" });
    const other = await house.take(["asha 200"], { name: "b.csv" });
    await house.release(other, [2]);
    await house.send(other);
    house.letPass(60);
    const next = await house.take(["asha 100"], { period: "2026-10", name: "c.csv" });
    expect(await house.rows(next)).toBe("2 held correction");
  } finally {
    await house.close();
  }
});
