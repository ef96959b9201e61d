import { describe, expect, test } from "vitest";
import { folded } from "../../src/results/screen/folded.ts";

const NARROW = { color: false, width: 20, folds: true } as const;

describe("on a narrow terminal", () => {
  test("a line is broken between words, what follows stands further in", () => {
    expect(folded("  three words and then three more\nshort", NARROW)).toBe(
      "  three words and\n    then three more\nshort",
    );
  });

  test("a command goes on after a backslash, and never inside quotes", () => {
    expect(folded(`paydrop run --set "a b c d" 'e f g' it\\'s h`, NARROW)).toBe(
      `paydrop run --set \\\n  "a b c d" \\\n  'e f g' it\\'s h`,
    );
    expect(folded("paydrop run 'it'\\''s one word' last", NARROW)).toBe(
      "paydrop run \\\n  'it'\\''s one word' \\\n  last",
    );
  });

  test("a word that is wider stays whole", () => {
    expect(folded(`to ${"x".repeat(30)} now`, NARROW)).toBe(`to\n  ${"x".repeat(30)}\n  now`);
  });

  test("colours take no room", () => {
    const green = "\u001b[32mtwenty letters here!\u001b[39m";
    expect(folded(green, NARROW)).toBe(green);
  });

  test("an end of line, an empty line and gaps stay", () => {
    expect(folded("a   b\n\n", NARROW)).toBe("a   b\n\n");
  });
});

test("elsewhere nothing is broken", () => {
  const long = "word ".repeat(100);
  expect(folded(long, { color: false, width: 20 })).toBe(long);
});
