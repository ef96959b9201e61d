import { describe, expect, test } from "vitest";
import { todoShown } from "../../src/desk/places.ts";
import type { RowState } from "../../src/journal/states.ts";
import type { RowRecord } from "../../src/journal/store.ts";
import { HOLDS, NOT_RELEASED, notReleasedFacts, tellHold, type HoldReason } from "../../src/messages/holds.ts";
import { wordsOf } from "../../src/messages/faults.ts";
import { todoLine, told, type Told } from "../../src/messages/sentence.ts";
import { OUTCOMES } from "../../src/messages/outcomes.ts";
import { POINTED_OUT, ROW_FAULTS } from "../../src/messages/row-faults.ts";
import { STATUSES } from "../../src/messages/statuses.ts";
import { tellRow } from "../../src/results/columns.ts";
import { rowRecord } from "../support/records.ts";

/** What a sentence may choose by: for each code with none of it, and with each. */
const CHOICES: readonly object[] = [{}, { period: "2026-10" }, { isHeld: true }, { zeros: 2 }];
const FACTS = [
  {},
  { found: "empty" },
  { required: 1 },
  { value: "####" },
  { value: "" },
  { in: "json" },
  { plain: "1.00" },
];
const other = { batch: "S4B5Q25C", row: 2 };
const PHASES = ["open", "paused", "cancelled"] as const;

/** Nobody is left alone with a row, in the results or at the desk, which shows no commands. */
function expectTodo(record: RowRecord, needsAPerson = true): void {
  for (const phase of PHASES) {
    const words = tellRow(record, { id: "K7Q29F3M", fileName: "pay day.csv", phase });
    const about = `${record.state} ${record.code ?? ""} ${phase}: ${words.text} → ${todoLine(words)}`;
    expect(todoLine(words), about).not.toBe("");
    if (needsAPerson) expectShown(words, about);
  }
}

/** As the desk shows it. */
function expectShown(words: Told, about: string): void {
  const shown = todoShown(words).toString();
  expect(shown, about).not.toBe("");
  expect(shown, about).not.toMatch(/paydrop [a-z]|--[a-z]/);
}

describe("what is right is never empty", () => {
  test.each(Object.keys(HOLDS) as (keyof typeof HOLDS)[])("held or duplicate: %s", (code) => {
    const byRule = code === "other_payee" || code === "other_writing";
    const form: object =
      code === "other_payee" ? { isOtherPayee: true } : code === "other_writing" ? { written: "payee" } : {};
    for (const choice of CHOICES) {
      const reason = { code: byRule ? "correction" : code, other, ...form, ...choice } as HoldReason;
      for (const state of ["held", "duplicate"] as const) expectTodo(rowRecord(9, { state, reasons: [reason] }));
      expectShown(tellHold(reason, { batch: "B", row: 9, file: "f.csv" }), code);
    }
  });

  test.each(Object.keys(ROW_FAULTS))("invalid: %s", (code) => {
    for (const facts of FACTS) {
      expectShown(wordsOf({ code, facts }), code);
      for (const state of ["invalid", "held"] as const)
        expectTodo(rowRecord(9, { state, code, faults: [{ code, facts }] }));
    }
  });

  test.each([...Object.keys(OUTCOMES), "of_another_version"])("sent: %s", (code) => {
    for (const state of ["accepted", "rejected", "unknown", "not_sent"] as const)
      expectTodo(rowRecord(9, { state, code }));
    expectTodo(rowRecord(9, { state: "unknown", code, lateAnswer: "too late" }));
  });

  test.each(["ready", ...Object.keys(STATUSES)] as RowState[])("whatever else is known: %s", (state) => {
    for (const notices of [[], Object.keys(POINTED_OUT).map((code) => ({ code }))])
      for (const onItsWay of [false, true])
        expectTodo(rowRecord(9, { state, code: "of_another_version", notices, onItsWay }));
  });

  test.each(Object.keys(NOT_RELEASED) as (keyof typeof NOT_RELEASED)[])("not released: %s", (why) => {
    expectShown(told(NOT_RELEASED[why], notReleasedFacts({ row: 9, other }, "K7Q29F3M")), why);
  });
});
