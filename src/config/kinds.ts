import * as z from "zod/mini";
import { PLAIN_DECIMAL } from "../amount.ts";
import { OPERATION_NAMES, operationSaid, type OperationName } from "../operations/index.ts";

/** A kind of value: how a person writes it, and what it is in `Config`. */
export interface Kind<T> {
  /** Takes text from flags and variables, and whatever TOML gives. Its errors continue `"many" is not …`. */
  readonly type: z.ZodMiniType<T>;
  /** The word for the value in `--help`. */
  readonly word: string;
  /** As a person would write it, or may see it. */
  written(value: T): string;
  /** The value is not repeated in a complaint: it may hold a secret. */
  readonly isHidden?: true;
}

interface More<T> extends Partial<Pick<Kind<T>, "written" | "isHidden">> {
  readonly read?: (raw: unknown) => unknown;
  /** JSON Schema of what stands in paydrop.toml, where it is not that of the value. */
  readonly inFile?: z.core.JSONSchema.BaseSchema;
}

function kind<T>(word: string, type: z.core.$ZodType<T>, { read, inFile, ...more }: More<T> = {}): Kind<T> {
  const trimmed = (raw: unknown): unknown => (typeof raw === "string" ? raw.trim() : raw);
  const whole = z.pipe(z.transform(read ? (raw) => read(trimmed(raw)) : trimmed), type);
  if (inFile) z.globalRegistry.add(whole, inFile);
  return { type: whole, word, written: String, ...more };
}

function textOf(word: string, right: string, isRight: (said: string) => boolean, more?: More<string>): Kind<string> {
  return kind(word, z.string(right).check(z.refine(isRight, right)), more);
}

export const text: Kind<string> = textOf("text", "a text of at least one character", (said) => said !== "");

const YES: readonly string[] = ["1", "true", "yes", "on"];
const NO: readonly string[] = ["0", "false", "no", "off", ""];

export function isYes(said: unknown): boolean {
  return YES.includes(String(said).toLowerCase());
}

export const flag: Kind<boolean> = kind("yes|no", z.boolean("true or false"), {
  read: (raw) => isYes(raw) || (NO.includes(String(raw).toLowerCase()) ? false : raw),
});

export function choice<const T extends string>(...words: readonly T[]): Kind<T> {
  return kind(words.join("|"), z.enum(words, `one of ${words.join(", ")}`) as z.core.$ZodType<T>);
}

export const operation: Kind<OperationName> = kind(OPERATION_NAMES.join("|"), choice(...OPERATION_NAMES).type, {
  read: (raw) => (typeof raw === "string" ? (operationSaid(raw)?.name ?? raw) : raw),
});

/** What a plain number in text says; anything else as it is. */
function numberIn(raw: unknown): unknown {
  return typeof raw === "string" && PLAIN_DECIMAL.test(raw) ? Number(raw) : raw;
}

export function whole(min: number, max: number): Kind<number> {
  const right = `a whole number from ${min} to ${max}`;
  return kind("n", z.int(right).check(z.minimum(min, right), z.maximum(max, right)), { read: numberIn });
}

const A_RATE = "a number of requests per second, such as 50 or 0.5";

export const rate: Kind<number> = kind("n", z.number(A_RATE).check(z.positive(A_RATE), z.maximum(100_000, A_RATE)), {
  read: numberIn,
});

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, "": 1000 };
const DURATION = /^([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|)$/;

/** `90s`, `2m` or plain seconds; milliseconds in Config, from `min` to `max`. */
export function duration(min: number, max: number): Kind<number> {
  const right = `a duration such as 90s, 2m or plain seconds, from ${min / 1000} to ${max / 1000} seconds`;
  return kind("duration", z.int(right).check(z.refine((ms) => ms >= min && ms <= max, right)), {
    read(raw) {
      const [, digits, unit = ""] = DURATION.exec(String(raw)) ?? [];
      return digits === undefined ? raw : Math.round(Number(digits) * (UNIT_MS[unit] ?? Number.NaN));
    },
    written: (ms) => `${ms / 1000}s`,
    inFile: { type: ["string", "number"] as never, pattern: DURATION.source },
  });
}

/**
 * A path. Only a shell reads `~` as the home folder: a folder named ~ would be a second memory of what was sent. The
 * text of a key that was given in its place is not repeated: it would stand in every log.
 */
export const path: Kind<string> = textOf(
  "path",
  "a path: write it in full, without ~, and not what the file holds",
  (said) => said !== "" && !/^~(?:$|[\w.-]*[/\\])|[\r\n\0]|-----BEGIN/.test(said),
  { isHidden: true },
);

const TEXTS = 'a list of texts, such as ["NEFT", "IMPS"]';

/** `["Cost centre", "Grade"]` in paydrop.toml, `Cost centre,Grade` in a variable or flag. */
export const list: Kind<readonly string[]> = kind<readonly string[]>("a,b", z.array(z.string(TEXTS), TEXTS), {
  read: (raw) => (typeof raw === "string" ? raw.split(",").map((one) => one.trim()) : raw),
  written: (texts) => texts.join(", "),
});

export const timeZone: Kind<string> = textOf("zone", "a time zone such as Asia/Kolkata", (name) =>
  succeeds(() => new Intl.DateTimeFormat("en", { timeZone: name })),
);

const PATTERN_CHARACTERS_MAX = 500;

/** The source of a regular expression for whole values, with flag `v`. */
export const pattern: Kind<string> = textOf(
  "pattern",
  `a regular expression of at most ${PATTERN_CHARACTERS_MAX} characters`,
  (source) => source.length <= PATTERN_CHARACTERS_MAX && succeeds(() => new RegExp(source, "v")),
);

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

const AMOUNT = /^(?:0|[1-9][0-9]{0,23})(?:\.[0-9]{1,4})?$/;

/** An exact sum as text: at most four decimals. A whole number needs no quotes in TOML; one with a point is a float. */
export const amount: Kind<string> = textOf(
  "sum",
  'a plain amount such as "11087750.50", in quotes and without separators',
  (said) => AMOUNT.test(said),
  {
    read: (raw) => (Number.isSafeInteger(raw) ? String(raw) : raw),
    inFile: { type: ["string", "integer"] as never, pattern: AMOUNT.source },
  },
);

/**
 * An address such as `https://api.bank.example/base`: https, or http to this very machine; no credentials, query or
 * fragment, which would go further than they should; without a slash at the end. It may hold a password: it is never
 * repeated.
 */
export const url: Kind<string> = kind(
  "url",
  z.string(
    "an https address such as https://api.bank.example, without user name, password, ? or # " +
      "(http only to this machine: 127.0.0.1, ::1, localhost)",
  ),
  { read: readUrl, isHidden: true },
);

function readUrl(raw: unknown): string | undefined {
  const found = typeof raw === "string" && !/[?#]/.test(raw) ? URL.parse(raw) : null;
  if (!found || found.username || found.password) return undefined;
  if (found.protocol !== "https:" && !(found.protocol === "http:" && isLoopback(found.href))) return undefined;
  return `${found.origin}${found.pathname}`.replace(/\/+$/, "");
}

/** Whether the address is this very machine: 127.0.0.0/8, ::1, localhost. */
export function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
