import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SETTINGS, SETTING_NAMES, flagOf, variableOf } from "../../src/config/settings.ts";
import { EXIT_CODES } from "../../src/exit-codes.ts";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** The cells of the table below a heading row that begins with `first`. */
function table(first: string): string[][] {
  const lines = README.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${first} `));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  const rows = lines.slice(start + 2, end);
  return rows.map((row) =>
    row
      .split(/ +\| +|^\| +| +\|$/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("the exit codes of the README are those of the program", () => {
  expect(table("Code")).toEqual(EXIT_CODES.map(({ code, sentence, todo }) => [String(code), sentence, todo]));
});

test("the settings of the README are those of the program", () => {
  const lines = README.split("\n").filter((line) => line.includes("`PAYDROP_") && line.split("|").length === 7);
  const told = lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const expected = SETTING_NAMES.map((name) => {
    const setting: { shown: string; flag?: string; perRun?: true; default?: string } = SETTINGS[name];
    const quoted = (text: string | undefined): string => (text === undefined ? "" : `\`${text}\``);
    return [
      quoted(setting.perRun ? undefined : name),
      quoted(variableOf(name)),
      quoted(setting.flag === undefined ? undefined : flagOf(name)),
      setting.shown,
      quoted(setting.default),
    ];
  });
  expect(told).toEqual(expected);
});

test("the promise is at most once, and nothing more", () => {
  expect(README).toContain("at most once, and never silent");
  expect(README.toLowerCase()).not.toContain("exactly once");
});
