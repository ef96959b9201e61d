/**
 * The index behind the JSON value that begins at `from`. Only brackets, braces and strings are looked at; JSON.parse
 * judges the rest. Linear, without recursion.
 */
export function endOfValue(text: string, from: number, nestingMax: number): number | "incomplete" | "too_deep" {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return endOfString(text, from);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(text, from, nestingMax);
  let at = from;
  while (at < text.length && !isEndOfScalar(text.charCodeAt(at))) at += 1;
  return at < text.length ? at : "incomplete";
}

/** The index behind the string whose opening quote stands at `from`. */
export function endOfString(text: string, from: number): number | "incomplete" {
  for (let quote = text.indexOf('"', from + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslash = quote - 1;
    while (text.charCodeAt(backslash) === BACKSLASH) backslash -= 1;
    if ((quote - backslash) % 2 === 1) return quote + 1;
  }
  return "incomplete";
}

/** The first index at or after `from` that is not white space of JSON. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function endOfNested(text: string, from: number, nestingMax: number): number | "incomplete" | "too_deep" {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end === "incomplete") return end;
      at = end - 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > nestingMax) return "too_deep";
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return "incomplete";
}

function isEndOfScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
