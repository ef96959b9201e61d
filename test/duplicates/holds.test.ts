import { expect, test } from "vitest";
import { HOLDS, NOT_RELEASED, notReleasedFacts, tellHold, type HoldReason } from "../../src/messages/holds.ts";
import { todoLine, told } from "../../src/messages/sentence.ts";

const about = { batch: "K7Q29F3M", row: 34, file: "pay roll.csv" };
const other = { batch: "S4B5Q25C", row: 2 };

test.each(Object.keys(HOLDS) as (keyof typeof HOLDS)[])(
  "%s → a sentence, and what to do: the harmless thing first",
  (code) => {
    const reason: HoldReason =
      code === "other_payee"
        ? { code: "correction", isOtherPayee: true }
        : code === "other_writing"
          ? { code: "correction", written: "reference" }
          : { code };
    const told = tellHold({ ...reason, other, at: Date.UTC(2026, 10, 26) }, about);
    const [text, todo] = [told.text, todoLine(told)];
    expect(`${text} ${todo}`).not.toMatch(/[{}]|undefined|NaN/);
    // a release is never the first step, and never only a paste away
    const [first = "", ...more] = todo.split(/(?<=[.?]) /);
    expect(first).not.toContain("paydrop release");
    expect(more.filter((step) => step.includes("paydrop release")).every((step) => step.includes("--by NAME"))).toBe(
      true,
    );
    expect(text.length).toBeLessThan(120);
  },
);

test("where and when → in plain words", () => {
  const told = tellHold({ code: "maybe_paid", other, at: Date.UTC(2026, 10, 26) }, about);
  expect(told.text).toBe(
    "The same payment was accepted on 26 Nov 2026 (row 2 of batch S4B5Q25C), and nothing tells them apart",
  );
  expect(todoLine(told)).not.toContain("--period");
  const ofMonth = tellHold({ code: "maybe_paid", other, period: "2026-11" }, about);
  expect(todoLine(ofMonth)).toContain("than 2026-11: after that, paydrop run 'pay roll.csv' --period YYYY-MM");
  const ofWeek = tellHold({ code: "mostly_paid", other, period: "2026-W46" }, about);
  expect(todoLine(ofWeek)).toContain(
    "Another week than 2026-W46: after that, paydrop run 'pay roll.csv' --period YYYY-Www",
  );
  const short = tellHold({ code: "correction", other, isOtherPayee: true, zeros: -2 }, about);
  expect(short.text).toContain("has 2 zeros fewer in front than in row");
  const repeat = tellHold({ code: "repeat_in_file", other: { batch: about.batch, row: 2 } }, about);
  expect(repeat.text).toBe("Row 2 of this file is the same payment, and nothing tells them apart");
});

test("the same file for another period → both periods, and no advice to state one", () => {
  const at = Date.UTC(2026, 10, 12);
  const told = tellHold({ code: "same_file", other, at, periods: ["2026-W46", "2026-W47"] }, about);
  expect(told.text).toBe(
    "These very payments went already on 12 Nov 2026 (batch S4B5Q25C, period 2026-W46), and this file says 2026-W47",
  );
  expect(todoLine(told)).toBe(
    "Nothing to do if it is the same file by mistake. To say so: paydrop cancel K7Q29F3M --held --by NAME." +
      " If 2026-W47 is right: paydrop release K7Q29F3M --all --by NAME --reason TEXT --total SUM",
  );
  const long = tellHold({ code: "same_file", other, at, period: "that one" }, about);
  expect(todoLine(long)).toContain("Another month than that one: after that, paydrop run");
});

test.each(Object.keys(NOT_RELEASED) as (keyof typeof NOT_RELEASED)[])(
  "not released, %s → why, and what first",
  (why) => {
    const words = told(NOT_RELEASED[why], notReleasedFacts({ row: 34, other }, about.batch));
    const lines = `${words.text}\n${todoLine(words)}`;
    expect(lines).toMatch(/^Row 34 .+\n.+$/);
    expect(lines).not.toMatch(/[{}]|undefined/);
  },
);
