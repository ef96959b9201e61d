import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { putAnswer } from "../../src/results/answers/files.ts";
import { NOTE_MARK } from "../../src/results/disk/own.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const OURS = `${NOTE_MARK}b.csv waits.\r\n`;
const NAMES = ["b.csv.refused.txt", "b.csv.waiting.txt"];

test("one answer lies beside a file, or none", async () => {
  const folder = temporaryDirectory();
  const path = join(folder, "b.csv");
  for (const kind of ["waiting", "refused", "waiting"] as const) {
    expect(await putAnswer(path, { kind, text: OURS })).toBe(true);
    expect(readdirSync(folder)).toEqual([`b.csv.${kind}.txt`]);
  }
  expect(await putAnswer(path, { kind: "waiting", text: `${OURS}since noon\r\n` })).toBe(true);
  expect(readFileSync(join(folder, "b.csv.waiting.txt"), "utf8")).toContain("since noon");
  expect(await putAnswer(path, undefined)).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([0o644, 0o640, 0o600])(
  "whoever may read the file (mode %i) may read its answer, and nobody else",
  async (mode) => {
    const path = join(temporaryDirectory(), "b.csv");
    writeFileSync(path, "x");
    chmodSync(path, mode);
    await putAnswer(path, { kind: "waiting", text: OURS });
    const { mode: given, ino } = statSync(`${path}.waiting.txt`);
    expect(given & 0o777).toBe(mode);
    // what says it already is left alone: whoever watches the folder would hear of each look
    await putAnswer(path, { kind: "waiting", text: OURS });
    expect(statSync(`${path}.waiting.txt`).ino).toBe(ino);
  },
);

test.each([
  ["a person's text", (path: string) => writeFileSync(path, "call the bank first\n")],
  ["a long text that begins as ours", (path: string) => writeFileSync(path, OURS.padEnd(100_000))],
  ["a link to one of ours", linkToOurs],
  ["a folder", (path: string) => mkdirSync(path)],
])("%s at the name of an answer is neither replaced nor removed", async (_, put) => {
  const folder = temporaryDirectory();
  for (const name of NAMES) put(join(folder, name));
  const before = contentsOf(folder);
  for (const kind of ["waiting", "refused"] as const) {
    expect(await putAnswer(join(folder, "b.csv"), { kind, text: `${OURS}since noon\r\n` })).toBe(false);
  }
  expect(await putAnswer(join(folder, "b.csv"), undefined)).toBe(true);
  expect(contentsOf(folder)).toEqual(before);
});

function contentsOf(folder: string): string[][] {
  const textOf = (path: string): string => (statSync(path).isDirectory() ? "a folder" : readFileSync(path, "utf8"));
  return readdirSync(folder).map((name) => [name, textOf(join(folder, name))]);
}

function linkToOurs(path: string): void {
  writeFileSync(`${path}.ours`, OURS);
  symlinkSync(`${path}.ours`, path);
}
