import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { help as print } from "../../src/commands/help-completion.ts";
import { COMMANDS } from "../../src/commands/list.ts";
import { nameOf, type Call } from "../../src/commands/command.ts";
import { flagOf, SETTING_NAMES, SETTINGS } from "../../src/config/schema.ts";
import { EXIT_CODES } from "../../src/exit-codes.ts";
import { DESK_WORDS } from "../../src/messages/desk.ts";
import { told } from "../../src/messages/sentence.ts";
import { againTable } from "../../src/submission/again.ts";

const FOLDER = join(import.meta.dirname, "../../src/help");
const TOPICS = readdirSync(FOLDER).map((name) => basename(name, ".md"));

async function help(topic?: string): Promise<string> {
  const written: string[] = [];
  const output = { write: (text: string) => void written.push(text), isTerminal: false, columns: 100 };
  const call: Call = {
    operands: topic === undefined ? [] : [topic],
    flags: {},
    env: {},
    stdout: output,
    stderr: output,
  };
  expect(await print(call)).toBe(0);
  return written.join("");
}

test("the README, the topic periods and the desk → say one and the same of periods", () => {
  const plain = (text: string): string => text.replaceAll(/\s+/g, " ");
  const said = plain(told(DESK_WORDS.period_means, { days: 20 }).text);
  expect(plain(readFileSync(join(FOLDER, "../../README.md"), "utf8"))).toContain(said);
  expect(plain(readFileSync(join(FOLDER, "periods.md"), "utf8"))).toContain(said);
});

test("the list of topics names every file, each with its title", async () => {
  const list = await help();
  for (const topic of TOPICS) expect(list).toMatch(new RegExp(`^  ${topic} +\\S`, "m"));
});

describe.each(TOPICS)("the topic %s", (topic) => {
  test("opens with a title and the rule, has no placeholder left, and fits a screen", async () => {
    const text = await help(topic);
    expect(text).toMatch(/^# .+\n\n[A-Z`].+/);
    expect(text).not.toContain("{{");
    const wide = readFileSync(join(FOLDER, `${topic}.md`), "utf8")
      .split("\n")
      .filter((line) => line.length > 120);
    expect(wide).toEqual([]);
  });

  test("tells only commands, flags, settings and topics that there are", () => {
    const text = readFileSync(join(FOLDER, `${topic}.md`), "utf8");
    const commands = [...text.matchAll(/\bpaydrop ([a-z]+)((?: +[^\s`]+)*)/g)].filter(([, name]) => name !== "help");
    for (const [line, name = "", rest = ""] of commands) {
      const command = COMMANDS.find((one) => nameOf(one) === name);
      // `paydrop recognises …` is a sentence, not a command
      if (!command) expect(line, line).not.toMatch(/--/);
      const own = Object.keys(command?.options ?? {}).map((flags) => flags.split(" ")[0]);
      const known = [...own, "--config", ...SETTING_NAMES.map(flagOf)];
      if (command) for (const [flag] of rest.matchAll(/--[a-z][a-z-]*/g)) expect(known, line).toContain(flag);
    }
    for (const [, other] of text.matchAll(/`(?:paydrop )?help (\w+)`/g)) expect(TOPICS).toContain(other);
    for (const [, name = ""] of text.matchAll(/`([a-z]+(?:_[a-z0-9]+)+) = /g))
      expect(Object.keys(SETTINGS.shape)).toContain(name);
  });
});

test("generated tables: all settings, all exit codes, what may go again", async () => {
  const settings = await help("settings");
  for (const name of SETTING_NAMES) expect(settings).toContain(flagOf(name));
  const operate = await help("operate");
  for (const { code, sentence } of EXIT_CODES) expect(operate).toContain(`| ${code} | ${sentence} |`);
  const again = await help("again");
  for (const { text, todo } of againTable()) expect(again).toContain(`| ${text} | ${todo} |`);
});
