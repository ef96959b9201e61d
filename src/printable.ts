/**
 * Text of strangers (file names, cells, answers) made safe for one line of a terminal or log: control characters
 * (C0, DEL, C1), bidi controls and what has no width become visible escapes (CWE-117, CWE-150).
 */
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]/g;

export function printable(text: string, charactersMax: number = Number.POSITIVE_INFINITY): string {
  const clean = text.replace(UNPRINTABLE, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\r") return "\\r";
    if (character === "\t") return "\\t";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return clean.length > charactersMax ? `${clean.slice(0, charactersMax - 1)}…` : clean;
}

/**
 * The same for a whole table: line breaks and tabs stay, and so do characters without width that belong to a script.
 */
export function printableTable(text: string): string {
  return text.replace(CONTROL_OR_BIDI, (character) => printable(character));
}

const CONTROL_OR_BIDI =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `U+202E`. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** `"Net Pay", "IFSC"`: names that somebody else chose, in a sentence. */
export function quotedNames(names: readonly string[]): string {
  return names.map((name) => `"${printable(name, NAME_CHARACTERS_MAX)}"`).join(", ");
}

const NAME_CHARACTERS_MAX = 60;

/** A name in a command to copy: as one word of a shell. */
export function asWord(name: string): string {
  const shown = printable(name);
  return /^[\w./-]+$/.test(shown) && !shown.startsWith("-") ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

const TEXT_CHARACTERS_MAX = 1000;

/** What a person wrote, fit for the journal; undefined where it is empty. */
export function textIn(said = ""): string | undefined {
  return printable(said.trim(), TEXT_CHARACTERS_MAX) || undefined;
}
