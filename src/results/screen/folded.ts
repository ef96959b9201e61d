import { stripVTControlCharacters } from "node:util";
import { inLook, roomOf, type Look } from "./look.ts";
import { repeatingFlags } from "../words/told-commands.ts";

/**
 * Lines as the terminal can show them: in its characters, and broken between words before the terminal breaks them
 * inside one. A command goes on after `\`, so that it can be copied all the same; a word that is wider than the terminal
 * stays whole.
 */
export function folded(text: string, look: Look): string {
  const room = roomOf(look);
  return inLook(repeatingFlags(text, look.again), look)
    .split("\n")
    .flatMap((line) => foldedLine(line, room))
    .join("\n");
}

/** What follows the first line stands two characters further in. */
export function foldedLine(line: string, room: number): string[] {
  if (widthOf(line) <= room) return [line];
  const indent = line.length - line.trimStart().length;
  const isCommand = line.startsWith("paydrop ", indent);
  const [mark, words] = isCommand ? [" \\", COMMAND_WORDS] : ["", WORDS];
  const lines: string[] = [];
  let now = " ".repeat(indent);
  for (const [, gap = "", word = ""] of line.trimStart().matchAll(words)) {
    const isFirst = now.trim() === "";
    if (!isFirst && widthOf(now) + gap.length + widthOf(word) + mark.length > room) {
      lines.push(now + mark);
      now = `${" ".repeat(indent + 2)}${word}`;
    } else now += isFirst ? word : gap + word;
  }
  return [...lines, now];
}

/** Words, each with the spaces before it. */
const WORDS = /( *)([^ ]+)/g;
/** As a shell cuts them: spaces in quotes do not part. */
const COMMAND_WORDS = /( *)((?:\\.|[^\s"'\\]|"[^"]*"|'[^']*'|["'\\])+)/g;

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
