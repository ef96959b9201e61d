import { afterEach, beforeEach, expect, test } from "vitest";
import type { OpenedFile } from "../../src/checks/open-file.ts";
import type { Config } from "../../src/config/schema.ts";
import { findKnown } from "../../src/journal/record.ts";
import { House } from "./house.ts";

let house: House;
beforeEach(async () => {
  house = await House.open();
});
afterEach(async () => house.close());

const people = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, at) => `payee${at + from} ${1000 + at + from}`);
/** Some rows as something else. */
const with_ = (rows: readonly string[], others: Readonly<Record<number, string>>): string[] =>
  rows.map((row, at) => others[at] ?? row);

test("next month's payroll with its month → all of it goes", async () => {
  await house.run(people(50), { period: "2026-11" });
  house.letPass(28);
  const next = await house.run(people(50), { period: "2026-12" });
  expect(await house.sums(next)).toBe("50 accepted");
});

test("next month's payroll, other amounts, month forgotten for the second time → all of it goes", async () => {
  await house.run(people(50));
  house.letPass(30);
  const next = await house.run(with_(people(50), { 3: "payee4 9999" }));
  expect(await house.sums(next)).toBe("50 accepted");
});

test("the very same rows a month later without a month → the whole file is held", async () => {
  await house.run(people(3));
  house.letPass(30);
  const next = await house.run(people(3).reverse());
  expect(await house.sums(next)).toBe("3 held same_file");
});

test("the very same rows a week later for another month → the whole file is held", async () => {
  await house.run(people(3), { period: "2026-11" });
  house.letPass(7);
  const next = await house.run(people(3), { name: "other.csv", period: "2026-12" });
  expect(await house.sums(next)).toBe("3 held same_file");
});

test("a corrected file with 97 accepted rows and 3 mended ones → exactly 3 go", async () => {
  const first = await house.run(with_(people(100), { 7: "~payee8", 50: "~", 99: "~payee100" }));
  expect(await house.sums(first)).toBe("97 accepted, 3 invalid");
  const second = await house.run(people(100));
  expect(await house.sums(second)).toBe("97 held maybe_paid, 3 accepted");
});

test("the same with its month stated → 97 duplicates, exactly 3 go", async () => {
  await house.run(with_(people(100), { 7: "~", 50: "~", 99: "~" }), { period: "2026-11" });
  const second = await house.run(people(100), { name: "corrected.csv", period: "2026-11" });
  expect(await house.sums(second)).toBe("97 duplicate same_payment, 3 accepted");
});

test("rows refused by the service, the whole file again → only those go", async () => {
  await house.run(people(10), { answers: { 4: "rejected", 5: "rejected" } });
  expect(await house.sums(await house.run(people(10)))).toBe("8 held maybe_paid, 2 accepted");
});

test("the month is forgotten and people came and went → all wait", async () => {
  await house.run(people(20), { period: "2026-11" });
  house.letPass(10);
  const next = await house.run([...people(18), ...people(4, 50)], { name: "december.csv" });
  expect(await house.sums(next)).toBe("18 held maybe_paid, 4 held mostly_paid");
});

test("a file that half repeats another → the other half goes", async () => {
  await house.run(people(10));
  const next = await house.run([...people(10), ...people(10, 50)], { name: "other.csv" });
  expect(await house.sums(next)).toBe("10 held maybe_paid, 10 accepted");
});

test("rows were corrected before, two new ones now → they are no corrections", async () => {
  await house.run(with_(people(10), { 0: "~", 1: "~" }));
  const second = await house.run(people(10));
  expect(await house.sums(second)).toBe("2 accepted, 8 held maybe_paid");
  await house.cancelHeld(second);
  const third = await house.run([...people(10), ...people(2, 50)]);
  expect(await house.sums(third)).toBe("10 held maybe_paid, 2 held mostly_paid");
});

test("other amounts in the same place → held; in another place → they go", async () => {
  await house.run(["asha 100", "ravi 200"]);
  expect(await house.rows(await house.run(["asha 120", "mala 300"]))).toBe("2 held other_amount, 3 accepted");
  expect(await house.rows(await house.run(["asha 130"], { name: "extra.csv" }))).toBe("2 accepted");
});

test("an old file of which a row went recently, another amount in its place → held", async () => {
  const first = await house.take(["!asha 100"]);
  house.letPass(30);
  await house.release(first, [2]);
  await house.send(first);
  house.letPass(19);
  expect(await house.rows(await house.run(["asha 120"]))).toBe("2 held other_amount");
  house.letPass(2);
  expect(await house.rows(await house.run(["asha 130"]))).toBe("2 accepted");
});

test("other amounts in a file that repeats half of an earlier one → held", async () => {
  await house.run(["asha 100", "ravi 200", "mala 300", "devi 400"]);
  const next = await house.run(["asha 100", "ravi 200", "mala 333", "devi 444"], { name: "copy.csv" });
  expect(await house.rows(next)).toBe("2 held maybe_paid, 3 held maybe_paid, 4 held other_amount, 5 held other_amount");
});

test("other amounts beside a row that names an earlier file → held", async () => {
  const first = await house.run(["asha 100", "ravi 200", "mala 300", "~"]);
  const next = await house.run(["asha 120", `devi 5 corrects ${first}:5`], { name: "mended.csv" });
  expect(await house.rows(next)).toBe("2 held other_amount, 3 accepted");
});

test("a retry file by retry_of → its rows go once, and never where another payee is paid", async () => {
  const first = await house.run(["asha 100", "~", "~ravi", "mala 300"], { answers: { 5: "rejected" } });
  const retry = ["asha 100", "devi 200", "ravi 250", "ravi 300"].map((row, at) => `${row} corrects ${first}:${at + 2}`);
  const second = await house.run(retry, { name: "payroll.csv.retry.csv" });
  expect(await house.rows(second)).toBe("2 held correction+maybe_paid, 3 accepted, 4 accepted, 5 held correction");
  const third = await house.run(retry.slice(1), { name: "again.csv" });
  expect(await house.rows(third, 3)).toBe("3 held correction+maybe_paid");
});

test("corrected in its place, and zeros in front were lost → no row goes; with its zeros the mended one goes", async () => {
  await house.run(["00asha 100", "~00ravi"]);
  const lost = await house.run(["asha 100", "ravi 200"]);
  expect(await house.rows(lost)).toBe("2 held correction+maybe_paid, 3 held correction");
  await house.cancelHeld(lost);
  expect(await house.rows(await house.run(["00asha 100", "00ravi 200"]))).toBe("2 held maybe_paid, 3 accepted");
});

test("zeros in front were lost in next month's file, invalid rows mended twice → none goes, until a person lets one go", async () => {
  const [november, january] = ["2026-11", "2027-01"];
  await house.run(["00asha 100", "ravi 200", "00mala 300"], { period: november });
  house.letPass(31);
  const december = { name: "december.csv", period: "2026-12" };
  expect(await house.rows(await house.run(["~asha", "ravi 210", "~mala"], december))).toBe(
    "2 invalid, 3 accepted, 4 invalid",
  );
  const second = await house.run(["asha 110", "ravi 210", "mala 310"], december);
  expect(await house.rows(second)).toBe("2 held correction, 3 duplicate same_payment, 4 held correction");
  await house.release(second, [2]);
  await house.send(second);
  house.letPass(31);
  const third = await house.run(["asha 120", "00mala 320"], { name: "january.csv", period: january });
  expect(await house.rows(third)).toBe("2 accepted, 3 accepted");
  // what was refused with other zeros is taken up again: it is judged, too
  const refused = await house.take(["0devi 1"], { name: "devi.csv" });
  await house.send(refused, { 2: "rejected" });
  const other = await house.take(["devi 2"], { name: "other.csv" });
  expect(await house.rows(other)).toBe("2 held correction");
  await house.release(other, [2]);
  await house.send(other);
  await house.goAgain(refused, [2], "rejected");
  expect(await house.rows(refused)).toBe("2 held correction");
  // of a row that is named, whatever became of it
  const cancelled = await house.take(["!00leela 5"], { name: "leela.csv" });
  await house.cancelHeld(cancelled);
  expect(await house.rows(await house.run([`leela 5 corrects ${cancelled}:2`], { name: "retry.csv" }))).toBe(
    "2 held correction",
  );
});

test("a correction of a correction that was invalid → the payee of the first row counts", async () => {
  const first = await house.run(["asha 100", "ravi 200"], { answers: { 2: "rejected" } });
  const second = await house.run([`~ corrects ${first}:2`], { name: "retry.csv" });
  const third = await house.run([`mala 100 corrects ${second}:2`], { name: "retry2.csv" });
  expect(await house.rows(third)).toBe("2 held correction");
  const fourth = await house.run([`asha 110 corrects ${first}:2`], { name: "retry3.csv" });
  expect(await house.rows(fourth)).toBe("2 held correction");
});

test("a refused row goes again after its correction went → held", async () => {
  const first = await house.run(["asha 100"], { answers: { 2: "rejected" } });
  await house.run([`asha 120 corrects ${first}:2`], { name: "retry.csv" });
  await house.goAgain(first, [2], "rejected");
  expect(await house.rows(first)).toBe("2 held correction");
});

test("a refused row goes again after the corrected file paid another amount → held", async () => {
  const first = await house.run(["asha 100", "ravi 200"], { answers: { 2: "rejected" } });
  house.letPass(0.1);
  await house.run(["asha 120", "ravi 200"]);
  await house.goAgain(first, [2], "rejected");
  expect(await house.rows(first, 2)).toBe("2 held correction+other_amount");
});

test.each(["invalid", "rejected"])(
  "a row that was %s is corrected by a retry file and in place, with another account each → the second one is held, either way",
  async (state) => {
    const run = async (name: string) => {
      const rows = ["ravi 200", state === "invalid" ? "~" : `asha-${name} 100`];
      const first = await house.run(rows, { name, answers: { 3: "rejected" } });
      house.letPass(0.1);
      return { inPlace: (payee: string) => house.run(["ravi 200", `${payee} 100`], { name }), retryOf: `${first}:3` };
    };
    const answered = async (batch: Promise<string>, row: number) => house.rows(await batch, row);
    const one = await run("one.csv");
    expect(await answered(one.inPlace("mala"), 3)).toBe("3 accepted");
    const retry = await house.rows(
      await house.run([`asha-one.csv 100 corrects ${one.retryOf}`], { name: "one-retry.csv" }),
    );
    expect(retry).toBe("2 held correction");
    house.letPass(30);
    const other = await run("two.csv");
    expect(
      await answered(house.run([`asha-two.csv 100 corrects ${other.retryOf}`], { name: "two-retry.csv" }), 2),
    ).toBe("2 accepted");
    expect(await answered(other.inPlace("devi"), 3)).toBe("3 held correction");
    // nobody stated a month, and it is another one by now
    house.letPass(30);
    expect(await answered(other.inPlace("kiran"), 3)).toBe("3 accepted");
  },
);

test("in place: another payee than before goes, and so does the next month's file", async () => {
  const first = await house.run(["ravi 200", "~asha"], { period: "2026-10" });
  await house.run([`asha 100 corrects ${first}:3`], { name: "retry.csv", period: "2026-10" });
  const next = await house.run(["ravi 210", "mala 100"], { period: "2026-11" });
  expect(await house.rows(next)).toBe("2 accepted, 3 accepted");
  await house.run(["devi 5", "asha 6"], { name: "b.csv", answers: { 3: "rejected" } });
  const mended = await house.run(["devi 5", "mala 6"], { name: "b.csv" });
  expect(await house.rows(mended)).toBe("2 held maybe_paid, 3 accepted");
});

test("the same payment is unclear elsewhere → it waits, and is judged again when that has its end", async () => {
  const first = await house.run(["asha 100", "ravi 200"], { answers: { 2: "unknown", 3: "unknown" } });
  const second = await house.run(["asha 100", "ravi 200"], { name: "other.csv" });
  expect(await house.rows(second)).toBe("2 held open_elsewhere, 3 held open_elsewhere");
  await house.settle(first, 2, "settled_not_done");
  await house.settle(first, 3, "settled_done");
  expect(await house.rows(second)).toBe("2 ready, 3 held maybe_paid");
  await house.goAgain(first, [2], "settled_not_done");
  expect(await house.rows(first, 2)).toBe("2 held open_elsewhere");
});

test("two files wait for the same unclear row → the earlier one goes first, then the other is asked about", async () => {
  const unclear = await house.run(["asha 100"], { answers: { 2: "unknown" } });
  house.letPass(0.1);
  const second = await house.take(["asha 100", "ravi 1"], { name: "second.csv" });
  house.letPass(0.1);
  const third = await house.take(["asha 100", "ravi 2"], { name: "third.csv" });
  await house.settle(unclear, 2, "settled_not_done");
  expect(await house.rows(second, 2)).toBe("2 ready");
  expect(await house.rows(third, 2)).toBe("2 held open_elsewhere");
  await house.send(second, { 2: "rejected" });
  await house.judgeWaiting(second);
  expect(await house.rows(third, 2)).toBe("2 ready");
});

test("a held row is cancelled → what waited for it goes", async () => {
  const first = await house.take(["!asha 100"]);
  const second = await house.take(["asha 100"], { name: "other.csv" });
  expect(await house.rows(first)).toBe("2 held not_now");
  expect(await house.rows(second)).toBe("2 held open_elsewhere");
  await house.cancelHeld(first);
  expect(await house.rows(second)).toBe("2 ready");
});

test("what a file says of its own rows stays when they are judged again", async () => {
  const unclear = await house.run(["asha 100"], { answers: { 2: "unknown" } });
  const second = await house.take(["!asha 100", "ravi 1", "asha 100"], { name: "other.csv" });
  expect(await house.rows(second, 2, 4)).toBe("2 held open_elsewhere+not_now, 4 held open_elsewhere+repeat_in_file");
  await house.settle(unclear, 2, "settled_not_done");
  expect(await house.rows(second, 2, 4)).toBe("2 held not_now, 4 held repeat_in_file");
});

test("equal rows of one file: counted where a person let the second one go", async () => {
  const twice = ["asha 100", "asha 100"];
  const first = await house.run(twice, { period: "2026-11" });
  expect(await house.rows(first)).toBe("2 accepted, 3 held repeat_in_file");
  const second = await house.run([...twice, "x 1"], { name: "again.csv", period: "2026-11" });
  expect(await house.rows(second, 2, 3)).toBe(
    "2 duplicate same_payment+open_elsewhere, 3 held open_elsewhere+maybe_paid+repeat_in_file",
  );
  await house.cancelHeld(second);
  await house.release(first, [3]);
  await house.send(first);
  const third = await house.run([...twice, "x 2"], { name: "third.csv", period: "2026-11" });
  expect(await house.rows(third, 2, 3)).toBe("2 duplicate same_payment, 3 duplicate same_payment+repeat_in_file");
});

test("repeats are allowed → all go, and go again after a failure", async () => {
  const allowed = { rules: { allow_repeats: true } };
  const id = await house.run(["asha 100", "asha 100"], { ...allowed, answers: { 3: "not_sent" } });
  await house.goAgain(id, [3], "not_sent");
  expect(await house.rows(id)).toBe("2 accepted, 3 ready");
});

test("all or nothing, and one row is invalid → the whole file is held", async () => {
  const rules = { all_or_nothing: true };
  expect(await house.sums(await house.run([...people(3), "~"], { rules }))).toBe("3 held all_or_nothing, 1 invalid");
  expect(await house.sums(await house.run(people(3, 50), { rules }))).toBe("3 accepted");
});

test("a person lets a row go → no rule holds it again, but what went since does", async () => {
  await house.run(["asha 100"]);
  const id = await house.take(["asha 100", "ravi 200"], { name: "other.csv" });
  expect(await house.rows(id)).toBe("2 held maybe_paid, 3 ready");
  house.letPass(0.1);
  expect((await house.release(id, [2])).refused).toEqual([]);
  await house.send(id, { 2: "not_sent" });
  await house.goAgain(id, [2], "not_sent");
  expect(await house.rows(id)).toBe("2 ready, 3 accepted");
  await house.send(id, { 2: "not_sent" });
  house.letPass(0.1);
  const other = await house.take(["asha 100"], { name: "third.csv" });
  await house.release(other, [2]);
  await house.send(other);
  await house.goAgain(id, [2], "not_sent");
  expect(await house.rows(id, 2)).toBe("2 held maybe_paid");
});

test("a reference that is there three times, all let go → a stop and a failure change nothing", async () => {
  const id = await house.take(["asha 100 ref R", "ravi 200 ref R", "mala 300 ref R"]);
  expect(await house.rows(id)).toBe("2 ready, 3 held reference_used, 4 held reference_used");
  await house.release(id, [3, 4]);
  await house.stop(id);
  house.letPass(0.1);
  await house.send(id, { 4: "not_sent" });
  await house.goAgain(id, [4], "not_sent");
  expect(await house.rows(id)).toBe("2 accepted, 3 accepted, 4 ready");
});

test("a row is let go although another one still waits, and fails → it goes again", async () => {
  const waiting = await house.take(["asha 100"]);
  const id = await house.take(["asha 100"], { name: "other.csv" });
  await house.release(id, [2]);
  await house.send(id, { 2: "not_sent" });
  house.letPass(0.1);
  await house.send(waiting);
  await house.goAgain(id, [2], "not_sent");
  expect(await house.rows(id)).toBe("2 ready");
});

test("a repeat of an unclear row → settle that one first, whether repeats are allowed or not", async () => {
  const id = await house.run(["asha 100", "asha 100"], { answers: { 2: "unknown" } });
  const asked = await house.release(id, [3], { allow_repeats: true });
  expect(asked.refused.map(({ why }) => why)).toEqual(["settle_first"]);
});

test("a duplicate of the earlier file is no row that did not go there", async () => {
  await house.run(["asha 100"], { name: "first.csv", period: "2026-11" });
  await house.run(["asha 100", ...people(5)], { period: "2026-11" });
  const next = await house.run([...people(5), "ravi 200"], { name: "third.csv", period: "2026-11" });
  expect(await house.sums(next)).toBe("5 duplicate same_payment, 1 held mostly_paid");
});

test("release all: what waits for an unclear row stays, duplicates are named, the sum of what was accepted is told", async () => {
  const first = await house.run([...people(3), "asha 100"], { period: "2026-11", answers: { 5: "unknown" } });
  const rows = [...people(3), "asha 100", "ravi 1 of 2026-11"];
  const second = await house.take(rows, { name: "other.csv" });
  const asked = await house.release(second, "all");
  expect(asked.refused).toEqual([{ row: 5, why: "settle_first", other: { batch: first, row: 5 } }]);
  expect(asked.acceptedBefore).toEqual({ rows: 3, amount: "3006.00" });
  expect(await house.rows(second)).toBe("2 ready, 3 ready, 4 ready, 5 held open_elsewhere, 6 ready");
  const third = await house.take(["payee1 1001", "x 1"], { name: "third.csv", period: "2026-11" });
  expect(await house.rows(third)).toBe("2 duplicate same_payment+open_elsewhere, 3 ready");
  expect((await house.release(third, "all")).moves).toEqual([]);
  expect((await house.release(third, [2, 3, 9])).refused.map(({ row, why }) => `${row} ${why}`)).toEqual([
    "3 not_held",
    "9 not_held",
  ]);
  expect(await house.rows(third)).toBe("2 ready, 3 ready");
});

test("a whole file is held as the same again → its release needs the whole sum", async () => {
  await house.run(people(3), { period: "2026-11" });
  const next = await house.take(people(3), { name: "other.csv", period: "2026-12" });
  expect((await house.release(next, "all")).acceptedBefore).toEqual({ rows: 3, amount: "3006.00" });
});

test.each([1, 2])("a batch is judged %i times before it is opened → the same", async (times) => {
  await house.run(people(8), { period: "2026-11", answers: { 3: "rejected" } });
  const rows = [...people(8), "ravi 1", "!x 1", "asha 1 of 2026-12"];
  const id = await house.take(rows, { name: "other.csv", period: "2026-11", times });
  expect(await house.sums(id)).toBe("7 duplicate same_payment, 3 held mostly_paid, 1 held not_now");
});

test("more rows than a page, the same payment far apart → held", async () => {
  await house.run(people(2500));
  const next = await house.take([...people(2500).reverse(), ...people(1)], { name: "other.csv" });
  expect(await house.sums(next)).toBe("2501 held maybe_paid");
  const twice = await house.take([...people(1500, 5000), ...people(1500, 5000)], { name: "third.csv" });
  expect(await house.sums(twice)).toBe("1500 ready, 1500 held repeat_in_file");
});

test.each<[string, (wrongDays: number, pay: () => Promise<unknown>) => Promise<void>]>([
  [
    "paid while it is wrong",
    async (wrongDays, pay) => {
      house.letPass(wrongDays);
      await pay();
      house.letPass(-wrongDays);
    },
  ],
  [
    "paid before",
    async (wrongDays, pay) => {
      await pay();
      house.letPass(wrongDays);
      await house.run(people(2, 50), { name: "other.csv" });
      house.letPass(-wrongDays);
    },
  ],
  [
    "paid afterwards",
    async (wrongDays, pay) => {
      house.letPass(wrongDays);
      await house.run(people(2, 50), { name: "other.csv" });
      house.letPass(-wrongDays);
      await pay();
    },
  ],
])("a clock that is wrong by more than duplicate_days, %s → the same payments are held", async (_, wrong) => {
  await house.run(people(2, 90), { name: "earlier.csv" });
  for (const [at, days] of [-40, -40, 21, 400].entries()) {
    const some = people(3, 100 * (at + 1));
    await wrong(days, () => house.run(some, { name: `y${at}.csv` }));
    const mixed = await house.take([...some, `new${at} 5`], { name: "mix.csv" });
    expect(await house.rows(mixed, 2, 3, 4)).toMatch(/^2 held [^,]*maybe_paid[^,]*, 3 held .*maybe_paid.*, 4 held /);
    await house.cancelHeld(mixed);
  }
});

test("rows taken before a clock was ahead, sent when it is behind → they count as sent then, and the day of the bank stays", async () => {
  const early = await house.take(people(3), { name: "early.csv" });
  house.letPass(30);
  await house.run(people(2, 50), { name: "other.csv" });
  house.letPass(-40);
  await house.send(early);
  house.letPass(45);
  const mixed = await house.take([...people(3), "new 5"], { name: "mix.csv" });
  expect(await house.rows(mixed, 2)).toBe("2 held maybe_paid");
  const [sent] = await house.store.rows({ batch: early });
  expect(sent?.sentAt).toBe(house.now - 45 * 86_400_000);
});

test("the same bytes again → the same batch, for the same or no period, within 20 days, unfinished ones always", async () => {
  const known = async (period?: string, sheet?: string): Promise<string | undefined> => {
    const [batch] = await house.store.batches({ id: first });
    const opened = { snapshot: { sha256: batch?.sha256 }, period, table: { reading: { sheet } } } as OpenedFile;
    const config = { environment: "test", duplicate_days: 20 } as Config;
    const work = { config, store: house.store, destination: "", now: () => house.now };
    return (await findKnown(work, opened))?.id;
  };
  const first = await house.take(people(3), { period: "2026-11" });
  house.letPass(30);
  expect([await known(), await known("2026-11")]).toEqual([first, first]);
  expect([await known("2026-12"), await known(undefined, "Dec")]).toEqual([undefined, undefined]);
  await house.send(first);
  expect(await known()).toBeUndefined();
  const again = await house.run(people(3), { name: "later.csv", period: "2026-11" });
  house.letPass(20);
  expect(await known()).toBe(again);
});

test("a held row is let go where others are asked to approve → held for that, however it is judged again", async () => {
  const id = await house.run(["payee1 100", "payee1 100"]);
  await house.store.setBatch(id, { approvers: 1 });
  await house.release(id, [3]);
  expect(await house.rows(id, 3)).toBe("3 held approval_wanted+repeat_in_file");
  expect(await house.goAgain(id, [3], "held")).toMatchObject({ ready: [] });
  expect(await house.release(id, "all")).toMatchObject({ moves: [], refused: [{ row: 3, why: "approval_wanted" }] });
});
