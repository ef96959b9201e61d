import { PLAIN_DECIMAL } from "../amount.ts";

/** A setting as its source gives it: text from a flag or variable, anything from paydrop.toml. */
type Raw = unknown;

/** What a value may look like in paydrop.toml, for editors (JSON Schema). */
export interface ValueSchema {
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly items?: ValueSchema;
}

/** Gives the value, or throws `NotRight` with what would be right (`a whole number from 1 to 256`). */
export interface ValueReader<T> {
  (raw: Raw): T;
  readonly schema: ValueSchema;
  /** The value as a person would write or may see it; `String` unless said. */
  written(value: T): string;
}

export class NotRight extends Error {
  /** What is shown in place of the value, where that may hold a secret. */
  readonly shownAs: string | undefined;

  constructor(right: string, shownAs?: string) {
    super(right);
    this.shownAs = shownAs;
  }
}

/** The sentence for a wrong value, such as `"many" is not a whole number from 1 to 1000`. */
export function saidOf(raw: Raw, error: NotRight): string {
  return `${error.shownAs ?? shown(raw)} is not ${error.message}`;
}

function shown(raw: Raw): string {
  if (typeof raw === "number" || typeof raw === "bigint") return String(raw);
  if (typeof raw === "function" || typeof raw === "symbol") return `a ${typeof raw}`;
  try {
    return JSON.stringify(raw);
  } catch {
    return "the value";
  }
}

/** A reader with what editors and `config show` need to know of its values. */
export function reader<T>(
  schema: ValueSchema,
  read: (raw: Raw) => T,
  written: (value: T) => string = String,
): ValueReader<T> {
  return Object.assign((raw: Raw) => read(raw), { schema, written });
}

export function wholeNumber(min: number, max: number): ValueReader<number> {
  return reader({ type: "integer", minimum: min, maximum: max }, (raw) => {
    const value = typeof raw === "string" && /^[0-9]{1,9}$/.test(raw) ? Number(raw) : raw;
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new NotRight(`a whole number from ${min} to ${max}`);
  });
}

/** Requests per second: `50`, `0.5`. */
export const rate: ValueReader<number> = reader({ type: "number", exclusiveMinimum: 0, maximum: 100_000 }, (raw) => {
  const value = typeof raw === "string" && PLAIN_DECIMAL.test(raw) ? Number(raw) : raw;
  if (typeof value === "number" && value > 0 && value <= 100_000) return value;
  throw new NotRight("a number of requests per second, such as 50 or 0.5");
});

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, "": 1000 };

const DURATION = /^([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h|)$/;

/** `90s`, `2m`, `500ms` or plain seconds, as milliseconds. */
export function duration(minMs: number, maxMs: number): ValueReader<number> {
  const schema = { type: ["string", "number"], pattern: DURATION.source, minimum: minMs / 1000, maximum: maxMs / 1000 };
  const written = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);
  const read = (raw: Raw): number => {
    const found = DURATION.exec(typeof raw === "number" ? String(raw) : text(raw));
    const ms = found ? Math.round(Number(found[1]) * (UNIT_MS[found[2] ?? ""] ?? Number.NaN)) : Number.NaN;
    if (ms >= minMs && ms <= maxMs) return ms;
    throw new NotRight(
      `a duration such as 90s, 2m, 500ms or plain seconds, from ${minMs / 1000} to ${maxMs / 1000} seconds`,
    );
  };
  return reader(schema, read, written);
}

const YES = new Set(["1", "true", "yes", "on"]);
const NO = new Set(["0", "false", "no", "off", ""]);

export const yesOrNo: ValueReader<boolean> = reader({ type: "boolean" }, (raw) => {
  if (typeof raw === "boolean") return raw;
  const word = typeof raw === "string" ? raw.toLowerCase() : undefined;
  if (word !== undefined && YES.has(word)) return true;
  if (word !== undefined && NO.has(word)) return false;
  throw new NotRight("true or false");
});

export function isYes(text: string): boolean {
  return YES.has(text.toLowerCase());
}

export function isNo(text: string): boolean {
  return NO.has(text.toLowerCase());
}

export function oneOf<T extends string>(...words: readonly T[]): ValueReader<T> {
  return reader({ type: "string", enum: words }, (raw) => {
    const found = words.find((word) => word === raw);
    if (found !== undefined) return found;
    throw new NotRight(`one of ${words.join(", ")}`);
  });
}

export const text: ValueReader<string> = reader({ type: "string", minLength: 1 }, (raw) => {
  if (typeof raw === "string" && raw.trim() !== "") return raw;
  throw new NotRight("a text of at least one character");
});

/** A text without the blanks around it. */
export const trimmed: ValueReader<string> = reader({ type: "string", minLength: 1 }, (raw) => text(raw).trim());

/** A path. The text of a key that was given in its place is not repeated: it would stand in every log. */
export const path: ValueReader<string> = reader({ type: "string", minLength: 1 }, (raw) => {
  const given = text(raw);
  // only a shell reads ~ as the home folder, and not everywhere: a folder named ~ would be a second memory of what was
  // sent
  if (OF_HOME.test(given)) {
    throw new NotRight(`a path: ~ is read by a shell only; write the whole path, or "./${given}" for a folder named ~`);
  }
  if (!/[\r\n\0]|-----BEGIN/.test(given)) return given;
  throw new NotRight("a path: write the text into a file, and its path here", "the value");
});

/** Paths in a home folder: `~`, `~/state`, `~asha/state`. */
const OF_HOME = /^~(?:$|[\w.-]*[/\\])/;

/** `["Cost centre", "Grade"]` in paydrop.toml, `Cost centre,Grade` in a variable. */
export const textList: ValueReader<readonly string[]> = reader<readonly string[]>(
  { type: "array", items: { type: "string" } },
  (raw) => {
    const list: unknown = typeof raw === "string" ? raw.split(",").map((entry) => entry.trim()) : raw;
    if (Array.isArray(list) && list.every((entry) => typeof entry === "string")) return list;
    throw new NotRight('a list of texts, such as ["Cost centre", "Grade"]');
  },
  (list) => list.join(", "),
);

/** The name of a time zone that this Node knows, such as `Asia/Kolkata`. */
export const timeZone: ValueReader<string> = reader({ type: "string" }, (raw) => {
  try {
    const name = text(raw);
    new Intl.DateTimeFormat("en", { timeZone: name }).format();
    return name;
  } catch {
    throw new NotRight("a time zone such as Asia/Kolkata");
  }
});

const AMOUNT = /^[0-9]{1,24}(?:\.[0-9]{1,4})?$/;

/** An exact sum: plain decimal text with at most four decimals. */
export const plainAmount: ValueReader<string> = reader({ type: "string", pattern: AMOUNT.source }, (raw) => {
  if (typeof raw === "string" && PLAIN_DECIMAL.test(raw) && AMOUNT.test(raw)) return raw;
  throw new NotRight("a plain amount such as 11087750.50, without separators");
});
