import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorOf } from "../../src/messages/errors.ts";
import { tellFault } from "../../src/messages/faults.ts";
import { ACTED } from "../../src/messages/acts.ts";
import { NOT_RELEASED } from "../../src/messages/holds.ts";
import { counted, told, toldOnPage } from "../../src/messages/sentence.ts";

const SOURCES = join(import.meta.dirname, "../../src");
const textOf = (path: string): string => readFileSync(join(SOURCES, path), "utf8");
const CODE = /^ {2,6}(\w+):(?= [`"'(]|$)/gm;

test("a sentence: text, what to do, facts, and things in the right number", () => {
  const sentence = "{rows:row is|rows are} in {name} → Look at {rows:row}, {batches:batch|batches}.";
  const one = { text: "1 row is in a", todo: "Look at 1 row, 2 batches." };
  expect(told(sentence, { rows: 1, batches: 2, name: "a" })).toEqual(one);
  expect(told(sentence, { rows: 2, batches: 1, name: "b → {rows}" }).text).toBe("2 rows are in b → {rows}");
  expect(told(({ rows }) => (rows === 0 ? "none" : "some"), { rows: 0 })).toEqual({ text: "none", todo: "" });
  expect([counted(1), counted(2, "byte")]).toEqual(["1 row", "2 bytes"]);
});

test("a second arrow → what is typed is told after what is to be done, and on no page", () => {
  expect(told("It waits. → Look. → Type: paydrop status")).toEqual({ text: "It waits.", todo: "Look. Type: paydrop status" }); // prettier-ignore
  expect(toldOnPage("It waits. → Look. → Type: paydrop status")).toEqual({ text: "It waits.", todo: "Look." });
  expect([told, toldOnPage].map((tell) => tell("It waits. → → paydrop status").todo)).toEqual(["paydrop status", ""]);
});

test("what acts say on pages → without a command", () => {
  const errors = [
    ...["approval_not_asked", "approval_own", "approval_total", "batch_cancelled", "batch_paused", "batch_phase"],
    ...["cancel_state", "left_empty", "release_total", "row_changed", "row_missing", "settle_accepted", "settle_state"],
    ...["settle_too_soon", "settle_not_quiet", "folder_not_held", "stop_stays", "no_such_batch", "unwritable"],
    ...["folder_exchanged", "in_the_way", "journal_lost", "journal_damaged", "journal_busy", "journal_failed"],
  ] as const;
  const { left: _left, journal_copied: _copied, unmarked: _unmarked, ...acted } = ACTED;
  const sentences = [
    ...Object.entries({ ...acted, ...NOT_RELEASED }),
    ...errors.map((reason) => [reason, errorOf(reason)[1]] as const),
  ];
  for (const [code, sentence] of sentences)
    for (const facts of [
      {},
      { left: 1, before: "Asha", rows: 1, phase: "cancelled", by: "Asha", count: 2, isWhole: 1 },
    ]) {
      const { text, todo } = toldOnPage(sentence, facts);
      expect(`${text} ${todo}`, code).not.toMatch(
        /\bpaydrop (?:run|status|results|release|retry|resume|cancel|settle|approve|watch)\b|--[a-z]/,
      );
    }
});

test("a fault: its place, and codes among its facts in words", () => {
  const place = { row: 14, column: "ifsc_code", cell: "G14" };
  expect(tellFault({ code: "malformed", ...place, facts: { value: "SBIN", found: 4, thing: "ifsc" } })).toEqual({
    text: 'row 14, column ifsc_code (G14): "SBIN" has 4 characters; an IFSC is 4 letters, a zero, and 6 letters or digits',
    todo: "Compare it with the original and write it again.",
  });
  expect(tellFault({ code: "line_under_table", row: 9, facts: { what: "total" } }).text).toBe(
    "row 9: this line is a total",
  );
});

test("a reason stands under one code of an error, and no other reason hides it", () => {
  const reasons = [...textOf("messages/errors.ts").matchAll(CODE)].map(([, reason]) => reason);
  const own = [...textOf("messages/config.ts").matchAll(CODE)].map(([, reason]) => reason);
  expect(new Set(reasons).size).toBe(reasons.length);
  expect(reasons.filter((reason) => own.includes(reason) && reason !== "wrong")).toEqual([]);
  expect(errorOf("locked")[0]).toBe("locked");
  expect(errorOf("keys_missing")[0]).toBe("config");
});

test("every code is used somewhere", () => {
  const code = globSync("**/*.ts", { cwd: SOURCES }).filter((path) => !path.startsWith("messages/"));
  const used = code.map(textOf).join("\n");
  const catalogues = globSync("messages/*.ts", { cwd: SOURCES });
  const codes = catalogues.flatMap((path) => [...textOf(path).matchAll(CODE)].map(([, one = ""]) => one));
  const isUsed = (one: string): boolean => new RegExp(`\\b${one}\\b`).test(used);
  // the rules say `correction` for it, and that it is another payee's
  expect(codes.filter((one) => !isUsed(one))).toEqual(["other_payee", "other_writing"]);
});
