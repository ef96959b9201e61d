import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { BatchReport } from "../../src/events.ts";
import type { Step } from "../../src/messages/statuses.ts";
import {
  answerStop,
  clearStaleAnswers,
  openAnswer,
  putAnswer,
  refusedVersion,
  refusedAnswer,
  renewOpenAnswer,
  waitingAnswer,
} from "../../src/results/answers.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const tally = (rows: number): { rows: number; amount: string } => ({ rows, amount: "0.00" });

function reportOf(more: Partial<BatchReport>): BatchReport {
  const report: Partial<BatchReport> = {
    batch: "K7Q29F3M",
    file: "/inbox/a.csv",
    byStatus: {},
    files: {},
    next: [],
    ...more,
  };
  return report as BatchReport;
}

/** What stands behind the head. */
function openLines(more: Partial<BatchReport>, options?: Parameters<typeof openAnswer>[1]): string[] | undefined {
  return openAnswer(reportOf(more), options)?.text.split("\r\n").slice(2).filter(Boolean);
}

describe("what is open of a batch", () => {
  const unsent = { not_sent: tally(3) };
  const stop = { code: "unreachable", text: "the service could not be reached", todo: "run it again", commands: [] };
  const runAgain: Step = { ...stop, code: "stopped", text: stop.todo, todo: "" };
  const run = { name: "run", operand: "a.csv", flags: {} };
  const unsentStep: Step = { code: "unsent", text: "to send 3 rows that did not go:", todo: "", commands: [run] };

  test("nothing where rows have their end, or were cancelled", () => {
    expect(openLines({ byStatus: { accepted: tally(2), rejected: tally(1), invalid: tally(1) } })).toBeUndefined();
    expect(openLines({ byStatus: { ...unsent, held: tally(1) }, phase: "cancelled" })).toBeUndefined();
  });

  test("counts, why, and the next steps, commands with what they need", () => {
    const settle = { name: "settle", batch: "K7Q29F3M", flags: { row: "7" } };
    const lookUp = {
      code: "look_up",
      text: "look up row 7 in the dashboard, then",
      todo: "",
      commands: [settle],
    } as const;
    const byStatus = { ...unsent, unknown: tally(1) };
    const again = { state_dir: "/s" };
    expect(openLines({ byStatus, stop, next: [lookUp, runAgain, unsentStep] }, { again })).toEqual([
      "1 row unknown and 3 rows not sent.",
      "The service could not be reached.",
      "Look up row 7 in the dashboard, then.",
      "    paydrop settle K7Q29F3M --row 7 --state-dir /s",
      "Run it again.",
      "To send 3 rows that did not go:",
      "    paydrop run a.csv --state-dir /s",
      expect.stringContaining("goes as it was taken"),
      "    paydrop cancel K7Q29F3M --by NAME --state-dir /s",
      expect.stringContaining("typed by whoever runs it here"),
    ]);
  });

  test("of a watched folder: it goes on by itself, nobody runs the file", () => {
    const next = [runAgain, unsentStep];
    const lines = openLines({ byStatus: unsent, stop, next }, { goesByItself: true })?.join("\n");
    expect(lines).toContain("tried again by itself");
    expect(lines).not.toContain("paydrop run");
  });

  test("results that lie elsewhere, and rows refused for the key", () => {
    expect(openLines({ files: { elsewhere: "a folder has its name" } })?.[0]).toContain("a folder has its name");
    expect(openLines({ byStatus: { rejected: tally(1) }, goesAgain: 1 })?.[0]).toBe("1 row not sent.");
  });
});

test("a refusal says what and what to do, of the first twenty faults; it is known by its version", async () => {
  const path = join(temporaryDirectory(), "a.csv");
  writeFileSync(path, "");
  const faults = Array.from({ length: 22 }, () => ({ code: "name_too_long", facts: { most: 200 } }));
  const { text } = refusedAnswer(path, { faults }, "v1");
  expect(text.match(/ {2}What to do: Give it a short name/g)).toHaveLength(20);
  expect(text).toContain("… and 2 more.");
  await putAnswer(path, { kind: "refused", text });
  expect([await refusedVersion(path), await refusedVersion(`${path}x`)]).toEqual(["v1", undefined]);
});

describe("answers in a folder", () => {
  const inFolder = (): { folder: string; path: string; names: () => string[] } => {
    const folder = temporaryDirectory();
    const path = join(folder, "a.csv");
    writeFileSync(path, "", { mode: 0o640 });
    return { folder, path, names: () => readdirSync(folder).sort() };
  };

  test("one lies beside a file or none, with its mode; what is not ours stays", async () => {
    const { folder, path, names } = inFolder();
    await putAnswer(path, refusedAnswer(path, { faults: [] }));
    await putAnswer(path, waitingAnswer(path, "being_written"));
    expect([names(), statSync(`${path}.waiting.txt`).mode & 0o777]).toEqual([["a.csv", "a.csv.waiting.txt"], 0o640]);
    await putAnswer(path, undefined);
    expect(names()).toEqual(["a.csv"]);
    writeFileSync(join(folder, "a.csv.waiting.txt"), "mine");
    expect(await putAnswer(path, waitingAnswer(path, "being_written"))).toBe(false);
    expect(readFileSync(`${path}.waiting.txt`, "utf8")).toBe("mine");
  });

  test("left by an earlier process for files that are gone: removed, others stay", async () => {
    const { folder, path, names } = inFolder();
    for (const name of ["a.csv", "b.csv", "c\u001b.csv"])
      await putAnswer(join(folder, name), waitingAnswer(path, "its_turn"));
    writeFileSync(join(folder, "c\u001b.csv"), "");
    writeFileSync(join(folder, "notes.waiting.txt"), "mine");
    await clearStaleAnswers(folder);
    expect(names()).toEqual(["a.csv", "a.csv.waiting.txt", "c\u001b.csv", "c_.csv.waiting.txt", "notes.waiting.txt"]);
  });

  test("after an act what is open is said anew or goes; a refusal stays, none comes", async () => {
    const { path, names } = inFolder();
    await renewOpenAnswer(reportOf({ file: path, byStatus: { held: tally(1) } }));
    expect(names()).toEqual(["a.csv"]);
    await putAnswer(path, openAnswer(reportOf({ file: path, byStatus: { held: tally(2) } })));
    await renewOpenAnswer(reportOf({ file: path, byStatus: { held: tally(1) } }));
    expect(readFileSync(`${path}.waiting.txt`, "utf8")).toContain("1 row held.");
    await renewOpenAnswer(reportOf({ file: path, batch: "OTHERONE", byStatus: {} }));
    expect(names()).toEqual(["a.csv", "a.csv.waiting.txt"]);
    await renewOpenAnswer(reportOf({ file: path }));
    expect(names()).toEqual(["a.csv"]);
  });

  test("STOP is answered in one file, which goes with the hold", async () => {
    const { folder, names } = inFolder();
    rmSync(join(folder, "a.csv"));
    const resume = (inbox: string) => ({ name: "resume", flags: { inbox, by: "NAME" } });
    await answerStop(folder, ["A file named STOP.", resume("x")]);
    await answerStop(folder, ["A file named STOP.", resume("y")]);
    expect(names()).toEqual(["STOP - held.txt"]);
    const text = readFileSync(join(folder, "STOP - held.txt"), "utf8");
    expect(text).toMatch(/^paydrop: everything in this folder is held\.\r\n\r\nA file named STOP\.\r\n.*inbox y/);
    await answerStop(folder, undefined);
    expect(names()).toEqual([]);
  });

  test("a text has CRLF and nothing that a terminal would run", () => {
    const { text } = waitingAnswer("/x/a\u001b[31m.csv", "its_turn");
    expect(text).toContain("\\u{1b}[31m.csv waits. Nothing of it was sent yet.\r\n");
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\u0000-\u001f]/);
  });

  test("a folder that is gone takes none, and that is told", async () => {
    const { folder, path } = inFolder();
    rmSync(folder, { recursive: true });
    expect(await putAnswer(path, waitingAnswer(path, "its_turn"))).toBe(false);
    mkdirSync(folder);
  });
});
