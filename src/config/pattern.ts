import { createRequire } from "node:module";
import type { RE2JS } from "re2js";
import { messageOf } from "../errors.ts";

/**
 * Patterns of the configuration run on an engine whose time is linear in the length of the text (RE2), so that no cell
 * can stall a run, whatever the pattern is. Look-around and backreferences, which cannot be linear, are refused. The
 * engine is loaded only where a pattern is used.
 */
let engine: typeof RE2JS | undefined;

function compile(source: string): RE2JS {
  engine ??= (createRequire(import.meta.url)("re2js") as { RE2JS: typeof RE2JS }).RE2JS;
  return engine.compile(source);
}

/** Gives a function that says whether a whole text has the form of the pattern. */
export function matcherOf(source: string): (text: string) => boolean {
  const compiled = compile(source);
  return (text) => compiled.matches(text);
}

/** What is wrong with a pattern, if anything is. */
export function assertPattern(source: string): string | undefined {
  if (source.length > PATTERN_CHARACTERS_MAX) return `it is longer than ${PATTERN_CHARACTERS_MAX} characters`;
  try {
    compile(source);
    return undefined;
  } catch (error) {
    return messageOf(error).replace(/^error parsing regexp: /, "");
  }
}

const PATTERN_CHARACTERS_MAX = 500;
