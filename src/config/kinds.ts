import { unescape } from "node:querystring";
import * as z from "zod/mini";
import { PLAIN_DECIMAL } from "../amount.ts";
import { looksMisspelt, normalizeName } from "../column-name.ts";
import { maskNumbers } from "../mask.ts";
import { SETTING_FAULTS } from "../messages/config.ts";
import { told, type Facts } from "../messages/sentence.ts";
import { OPERATION_NAMES, operationSaid, type OperationName } from "../operations/index.ts";
import { printable } from "../printable.ts";
import { conceal } from "./secret.ts";

/** A kind of value: how a person writes it, and what it is in `Config`. */
export interface Kind<T> {
  /** Takes text from flags and variables, and whatever TOML gives. Its errors continue `"many" is not …`. */
  readonly type: z.ZodMiniType<T>;
  readonly word: string;
  /** As a person would write it, or may see it. */
  written(value: T): string;
  /** The value is not repeated in a complaint: it may hold a secret. */
  readonly isHidden?: true;
}

/** `inFile`: JSON Schema of what stands in paydrop.toml, where it is not that of the value. */
type More<T> = Partial<Omit<Kind<T>, "type" | "word">> & {
  readonly read?: (raw: unknown) => unknown;
  readonly inFile?: z.core.JSONSchema.BaseSchema;
};

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

export const isYes = (said: unknown): boolean => /^(?:1|true|yes|on)$/i.test(String(said));

export const flag: Kind<boolean> = kind("yes|no", z.boolean("true or false"), {
  read: (raw) => isYes(raw) || (/^(?:0|false|no|off)?$/i.test(String(raw)) ? false : raw),
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

const partsOf = (raw: unknown): unknown => (typeof raw === "string" ? raw.split(",").map((one) => one.trim()) : raw);
const TEXTS = 'a list of texts, such as ["NEFT", "IMPS"]';
/** `["Cost centre", "Grade"]` in paydrop.toml, `Cost centre,Grade` in a variable or flag. */
export const list: Kind<readonly string[]> = kind<readonly string[]>("a,b", z.array(z.string(TEXTS), TEXTS), {
  read: partsOf,
  written: (texts) => texts.join(", "),
});

const ADDRESSES = 'a list of addresses such as ["payroll@bank.example"]';
const ADDRESS = z.string(ADDRESSES).check(z.regex(/^[^\s@<>(),;:"\\]+@[^\s@<>(),;:"\\]+$/, ADDRESSES));
/** Of people who get mail. */
export const addresses: Kind<readonly string[]> = kind<readonly string[]>(
  "a,b",
  z.array(ADDRESS, ADDRESSES).check(z.minLength(1, ADDRESSES)),
  { read: partsOf, isHidden: true },
);

export const timeZone: Kind<string> = textOf("zone", "a time zone such as Asia/Kolkata", (name) =>
  succeeds(() => new Intl.DateTimeFormat("en", { timeZone: name })),
);

/** The source of a regular expression for whole values, with flag `v`. */
export const pattern: Kind<string> = textOf(
  "pattern",
  "a regular expression of at most 500 characters",
  (source) => source.length <= 500 && succeeds(() => new RegExp(source, "v")),
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
  return isSafe(found) ? `${found.origin}${found.pathname}`.replace(/\/+$/, "") : undefined;
}

function isSafe(address: URL | null): address is URL {
  if (!address || address.username || address.password) return false;
  return address.protocol === "https:" || (address.protocol === "http:" && isLoopback(address.href));
}

/** Of a chat: it often has a token, also behind a `?`. */
export const hookUrl: Kind<string> = textOf(
  "url",
  "an https address such as https://hooks.example/T0/B0 (http only to this machine)",
  (said) => isSafe(URL.parse(said)),
  { isHidden: true },
);

/** Of a PostgreSQL server: `postgres://paydrop@db.example/paydrop`. What it may hold of a password is shown to nobody. */
export const serverUrl: Kind<string> = textOf(
  "url",
  "the address of one database server such as postgres://paydrop@db.example/paydrop",
  // several servers in one address are not tried in turn
  (said) => /^postgres(?:ql)?:\/\//.test(said) && URL.parse(said)?.host.includes(",") === false,
  {
    isHidden: true,
    written(said) {
      const url = new URL(said);
      url.password = "";
      url.searchParams.delete("password");
      return url.href;
    },
  },
);

/** `pg` takes it from both places. */
export function passwordIn(address: string): string | undefined {
  const url = URL.parse(address);
  return (url?.password && unescape(url.password)) || url?.searchParams.get("password") || undefined;
}

/** Whether the address is this very machine: 127.0.0.0/8, ::1, localhost. */
export function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

export function table<Shape extends z.core.$ZodLooseShape>(
  name: string,
  shape: Shape,
): z.ZodMiniObject<Shape, z.core.$strict> {
  const error = ({ code }: { readonly code?: string }): string =>
    code === "unrecognized_keys" ? knownNames(Object.keys(shape)) : `a table: write ${name} and its lines below it`;
  return z.strictObject(shape, { error });
}

/** The message of an issue about a name that is not known: it carries those that are. */
export const knownNames = (names: readonly string[]): string => names.join("\n");

/** One thing that is wrong with the settings: a code of `SETTING_FAULTS` and where it stands. */
export interface Wrong {
  readonly code: keyof typeof SETTING_FAULTS;
  readonly facts: Facts;
}

/** A complaint of zod about `said`, which stands at `place`; `undefined`: it is missing, or is not to be repeated. */
export function wrongOf(issue: z.core.$ZodIssue, place: string, said: unknown): readonly Wrong[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey(place, key, issue.message.split("\n")));
  }
  if (issue.code === "custom" && issue.params)
    return [{ code: issue.message as Wrong["code"], facts: { place, ...issue.params } }];
  if (said === undefined) return [{ code: "missing", facts: { place, right: issue.message } }];
  // a table or list may hold account numbers; a key that is masked would not be known as one any more
  const shown = typeof said === "object" ? "what stands there" : maskNumbers(conceal(JSON.stringify(said)));
  return [{ code: "value", facts: { place, shown: printable(shown, 80), right: issue.message } }];
}

export function unknownKey(place: string, key: string, known: readonly string[]): Wrong {
  const meant = nearest(key, known);
  const advice = meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${meant}?`;
  return { code: "unknown_key", facts: { place, key: printable(key), advice } };
}

export function wrongText({ code, facts }: Wrong): string {
  const { text, todo } = told(SETTING_FAULTS[code], facts);
  return todo === "" ? text : `${text}: ${todo}`;
}

/** The name that a person most likely meant. */
export function nearest(said: string, names: readonly string[]): string | undefined {
  return names.find((name) => looksMisspelt(normalizeName(said), normalizeName(name)));
}
