import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorOf } from "../../src/messages/errors.ts";
import { COMMANDS } from "../../src/commands/list.ts";
import { nameOf } from "../../src/commands/command.ts";
import { complete, flag, led, ofBatch, resume, settle } from "../../src/messages/commands.ts";
import { DESK_WORDS } from "../../src/messages/desk.ts";
import { FINDINGS } from "../../src/messages/reconcile.ts";
import { STATEMENT_FAULTS } from "../../src/messages/statements.ts";
import { FILE_FAULTS, tellFault } from "../../src/messages/faults.ts";
import { ACTED } from "../../src/messages/acts.ts";
import { HOLDS, NOT_RELEASED } from "../../src/messages/holds.ts";
import { HOST_WORDS } from "../../src/messages/hosts.ts";
import { OUTCOMES, stopFor, STOPS } from "../../src/messages/outcomes.ts";
import { POINTED_OUT, ROW_FAULTS } from "../../src/messages/row-faults.ts";
import { counted, todoLine, told, toldLines, type Sentence, type Told } from "../../src/messages/sentence.ts";
import { ROW_SENTENCES } from "../../src/messages/statuses.ts";

const SOURCES = join(import.meta.dirname, "../../src");
const textOf = (path: string): string => readFileSync(join(SOURCES, path), "utf8");
const CODE = /^ {2,6}(\w+):(?= [`"'(]|$)/gm;

test("a sentence: text, what to do, facts, and things in the right number", () => {
  const sentence = "{rows:row is|rows are} in {name} → Look at {rows:row}, {batches:batch|batches}.";
  const one = { text: "1 row is in a", todo: "Look at 1 row, 2 batches.", commands: [] };
  expect(told(sentence, { rows: 1, batches: 2, name: "a" })).toEqual(one);
  expect(told(sentence, { rows: 2, batches: 1, name: "b → {rows}" }).text).toBe("2 rows are in b → {rows}");
  expect(told(({ rows }) => (rows === 0 ? "none" : "some"), { rows: 0 })).toEqual({
    text: "none",
    todo: "",
    commands: [],
  });
  expect([counted(1), counted(2, "byte")]).toEqual(["1 row", "2 bytes"]);
});

test("commands of a sentence → data; typed, each with what it is for, in one line", () => {
  const waits = told(["It waits → Look at it", led("To go on", resume), settle()], { batch: "K7Q29F3M", row: 7 });
  expect(waits).toEqual({
    ...{ text: "It waits", todo: "Look at it" },
    commands: [
      { lead: "To go on", name: "resume", batch: "K7Q29F3M", flags: { by: "NAME" } },
      { name: "settle", batch: "K7Q29F3M", flags: { row: "7", as: "DONE-OR-NOT-DONE", by: "NAME", note: "TEXT" } },
    ],
  });
  expect(todoLine(waits, { state_dir: "/srv/pay drop" })).toBe(
    "Look at it. To go on: paydrop resume K7Q29F3M --by NAME --state-dir '/srv/pay drop'." +
      " paydrop settle K7Q29F3M --row 7 --as DONE-OR-NOT-DONE --by NAME --note TEXT --state-dir '/srv/pay drop'",
  );
  expect(toldLines(told(["Held", led("Add", flag({ by: "NAME" }))]))).toBe("Held\n  → Add: --by NAME");
  expect(toldLines(told("Done"))).toBe("Done");
});

test("what was told before the batch was known → of that batch, and with what its commands need", () => {
  const stop = ofBatch(stopFor("approval_wanted"), "K7Q29F3M");
  const needed = { all: { state_dir: "/s" }, sending: { sandbox: true } } as const;
  const commandsIn = (one: Told) => complete(one, needed).commands;
  expect(commandsIn(stop)).toMatchObject([{ name: "approve", batch: "K7Q29F3M", flags: { state_dir: "/s" } }]);
  const [goOn, status] = commandsIn(told(["", resume, led("Where", () => ({ name: "status", flags: {} }))]));
  expect(goOn?.flags).toEqual({ by: "NAME", sandbox: true, state_dir: "/s" });
  expect(status?.flags).toEqual({ state_dir: "/s" });
  // flags alone are for a command that has them already
  expect(commandsIn(told(["", flag({ total: "SUM" })]))).toEqual([{ flags: { total: "SUM" } }]);
});

test("no sentence has a command in it: those are data", () => {
  const command = new RegExp(`\\bpaydrop (?:${COMMANDS.map(nameOf).join("|")})\\b(?! with)`);
  for (const path of globSync("messages/*.ts", { cwd: SOURCES })) {
    // a table of the topic `again`, in Markdown
    const code = textOf(path)
      .replaceAll(/\/\*\*[^]*?\*\/|\/\/.*/g, "")
      .replace(/export const AGAIN[^]*?\n\}/, "");
    expect(
      code.split("\n").filter((line) => command.test(line)),
      path,
    ).toEqual([]);
  }
});

test("what pages may say has no flags in it either", () => {
  const { unmarked: _unmarked, ...acted } = ACTED;
  const errors = [
    ...["approval_not_asked", "approval_own", "approval_total", "batch_cancelled", "batch_paused", "batch_phase"],
    ...["cancel_state", "left_empty", "release_total", "row_changed", "row_missing", "settle_accepted", "settle_state"],
    ...["settle_proposed", "statement_account"],
    ...["settle_too_soon", "settle_not_quiet", "folder_not_held", "stop_stays", "no_such_batch", "unwritable"],
    ...["folder_exchanged", "in_the_way", "journal_lost", "journal_damaged", "journal_busy", "journal_failed"],
    ...["journal_of_another", "journal_older", "mark_damaged", "system_refused", "disk_full"],
  ] as const;
  const catalogues = {
    ...acted,
    ...NOT_RELEASED,
    ...HOLDS,
    ...FILE_FAULTS,
    ...ROW_FAULTS,
    ...POINTED_OUT,
    ...OUTCOMES,
    ...STATEMENT_FAULTS,
    ...FINDINGS,
  };
  const rest = { ...STOPS, ...ROW_SENTENCES, ...HOST_WORDS, ...DESK_WORDS };
  const sentences: readonly (readonly [string, Sentence])[] = [
    ...Object.entries({ ...catalogues, ...rest }),
    ...errors.map((reason) => [reason, errorOf(reason)[1]] as const),
  ];
  const facts = {
    left: 1,
    before: "Asha",
    rows: 1,
    phase: "cancelled",
    by: "Asha",
    count: 2,
    isWhole: 1,
    period: "2026-11",
  };
  for (const [code, sentence] of sentences)
    for (const some of [{}, facts]) {
      const { text, todo } = told(sentence, some);
      expect(`${text} ${todo}`, code).not.toMatch(/--[a-z]/);
    }
});

test("a fault: its place, and codes among its facts in words", () => {
  const place = { row: 14, column: "ifsc_code", cell: "G14" };
  expect(tellFault({ code: "malformed", ...place, facts: { value: "SBIN", found: 4, thing: "ifsc" } })).toEqual({
    text: 'row 14, column ifsc_code (G14): "SBIN" has 4 characters; an IFSC is 4 letters, a zero, and 6 letters or digits',
    todo: "Compare it with the original and write it again.",
    commands: [],
  });
  expect(tellFault({ code: "line_under_table", row: 9, facts: { what: "total" } }).text).toBe(
    "row 9: this line is a total",
  );
});

test("a reason stands under one code of an error, and no other reason hides it", () => {
  const files = ["messages/errors.ts", "messages/journal.ts"];
  const reasons = files.flatMap((path) => [...textOf(path).matchAll(CODE)].map(([, reason]) => reason));
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
