import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { FolderAnswers } from "../../src/drop-folder/folder-answers.ts";
import type { FolderListener } from "../../src/drop-folder/folder-listener.ts";
import type { Sweep } from "../../src/intake/inbox.ts";
import { putAnswer } from "../../src/results/answers/files.ts";
import { heldAnswer, notYetAnswer, type Answer } from "../../src/results/answers/answers.ts";
import { temporaryFolder } from "../support/files.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const MINUTE_MS = 60_000;
const IDENTITY = { dev: "1", ino: "1", sizeBytes: "1", mtimeNs: "1", ctimeNs: "1" };

interface Setting {
  readonly folder: string;
  readonly path: string;
  readonly said: string[];
  readonly answers: FolderAnswers;
  blocked: Answer | undefined;
  /** Looks at the folder after so many minutes; `turn`: the file is complete and waits for its turn. */
  readonly look: (minutes: number, how: "turn" | "being_written" | "done") => Promise<void>;
  readonly notes: () => string[];
}

/** One file in a folder. */
function open(): Setting {
  const folder = temporaryFolder();
  const path = join(folder, "a.csv");
  writeFileSync(path, "x");
  const nothing = (): void => undefined;
  const said: string[] = [];
  const listener: FolderListener = {
    ...{ mention: nothing, ended: nothing, failed: nothing },
    say: (text) => void said.push(text),
  };
  const clock = vi.spyOn(performance, "now");
  const setting: Setting = {
    ...{ folder, path, said, blocked: undefined },
    answers: new FolderAnswers(listener, () => setting.blocked, () => Promise.resolve(false)),
    look: async (minutes, how) => {
      clock.mockReturnValue(minutes * MINUTE_MS);
      const isThere = readdirSync(folder).includes("a.csv");
      const ready = how === "turn" ? [{ path, identity: IDENTITY, sha256: "" }] : [];
      const waiting = how === "being_written" ? [{ path, why: how, forMs: minutes * MINUTE_MS }] : [];
      const sweep: Sweep = { ready, waiting, oddities: [], stops: [], present: new Set(isThere ? [path] : []), folders: [folder] };
      await setting.answers.afterSweep(sweep, ready);
    },
    notes: () => readdirSync(folder).filter((name) => name.endsWith(".txt")),
  }; // prettier-ignore
  return setting;
}

test("a file that stays incomplete for two minutes is told why, and not before", async () => {
  const { folder, look, notes } = open();
  await look(1, "being_written");
  expect(notes()).toEqual([]);
  await look(2, "being_written");
  expect(readFileSync(join(folder, "a.csv.waiting.txt"), "utf8")).toContain("still being written");
});

test("a file whose turn does not come for two minutes is told so; its note goes with it", async () => {
  const { folder, path, look, notes } = open();
  await look(10, "turn");
  await look(11, "turn");
  expect(notes()).toEqual([]);
  await look(12, "turn");
  expect(readFileSync(join(folder, "a.csv.waiting.txt"), "utf8")).toContain("This one comes after it");
  rmSync(path);
  await look(13, "done");
  expect(notes()).toEqual([]);
});

test("a file that was gone meanwhile waits anew", async () => {
  const { look, notes } = open();
  await look(10, "turn");
  await look(11, "done");
  await look(13, "turn");
  expect(notes()).toEqual([]);
});

test("why nothing goes from the folder is told at once", async () => {
  const setting = open();
  setting.blocked = heldAnswer(setting.path, { code: "stop_file", at: 0, message: "STOP" }, "paydrop resume");
  await setting.look(1, "turn");
  expect(setting.notes()).toEqual(["a.csv.waiting.txt"]);
});

test("what an earlier process said goes with the file that it is about; of no file it goes at once", async () => {
  const { folder, path, answers, look, notes } = open();
  await putAnswer(path, notYetAnswer(path, "its_turn"));
  await putAnswer(join(folder, "gone.csv"), notYetAnswer("gone.csv", "its_turn"));
  writeFileSync(join(folder, "theirs.csv.waiting.txt"), "call the bank\n");
  await answers.clearStale([folder]);
  expect(notes()).toEqual(["a.csv.waiting.txt", "theirs.csv.waiting.txt"]);
  rmSync(path);
  await look(1, "done");
  expect(notes()).toEqual(["theirs.csv.waiting.txt"]);
});

test("where a person's file has the name of the note, it stays, and that is said once", async () => {
  const { folder, path, said, answers } = open();
  writeFileSync(join(folder, "a.csv.waiting.txt"), "call the bank\n");
  for (let times = 0; times < 2; times += 1) await answers.put(path, notYetAnswer(path, "its_turn"));
  expect(said).toEqual(["a.csv.waiting.txt could not be written"]);
  expect(readFileSync(join(folder, "a.csv.waiting.txt"), "utf8")).toBe("call the bank\n");
});
