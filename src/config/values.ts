import { PLAIN_DECIMAL } from "../amount.ts";

/** What a setting may look like at its source: text from a flag or variable, anything from paydrop.toml. */
export type Raw = unknown;

/** Gives the value, or throws `NotRight` with what would be right (`a whole number from 1 to 256`). */
export type ValueReader<T> = (raw: Raw) => T;

export class NotRight extends Error {}

export function wholeNumber(min: number, max: number): ValueReader<number> {
  return (raw) => {
    const value = typeof raw === "string" && /^[0-9]{1,9}$/.test(raw) ? Number(raw) : raw;
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new NotRight(`a whole number from ${min} to ${max}`);
  };
}

/** Requests per second: `50`, `0.5`. */
export const rate: ValueReader<number> = (raw) => {
  const value = typeof raw === "string" && PLAIN_DECIMAL.test(raw) ? Number(raw) : raw;
  if (typeof value === "number" && value > 0 && value <= 100_000) return value;
  throw new NotRight("a number of requests per second, such as 50 or 0.5");
};

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, "": 1000 };

/** `90s`, `2m`, `500ms` or plain seconds, as milliseconds. */
export function duration(minMs: number, maxMs: number): ValueReader<number> {
  return (raw) => {
    const found = /^([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h|)$/.exec(typeof raw === "number" ? String(raw) : text(raw));
    const ms = found ? Math.round(Number(found[1]) * (UNIT_MS[found[2] ?? ""] ?? Number.NaN)) : Number.NaN;
    if (ms >= minMs && ms <= maxMs) return ms;
    throw new NotRight(
      `a duration such as 90s, 2m, 500ms or plain seconds, from ${minMs / 1000} to ${maxMs / 1000} seconds`,
    );
  };
}

const YES = new Set(["1", "true", "yes", "on"]);
const NO = new Set(["0", "false", "no", "off", ""]);

export const yesOrNo: ValueReader<boolean> = (raw) => {
  if (typeof raw === "boolean") return raw;
  const word = typeof raw === "string" ? raw.toLowerCase() : undefined;
  if (word !== undefined && YES.has(word)) return true;
  if (word !== undefined && NO.has(word)) return false;
  throw new NotRight("true or false");
};

export function oneOf<T extends string>(...words: readonly T[]): ValueReader<T> {
  return (raw) => {
    const found = words.find((word) => word === raw);
    if (found !== undefined) return found;
    throw new NotRight(`one of ${words.join(", ")}`);
  };
}

export const text: ValueReader<string> = (raw) => {
  if (typeof raw === "string" && raw.trim() !== "") return raw;
  throw new NotRight("a text that is not empty");
};

/** `["Cost centre", "Grade"]` in paydrop.toml, `Cost centre,Grade` in a variable. */
export const textList: ValueReader<readonly string[]> = (raw) => {
  const list: unknown = typeof raw === "string" ? raw.split(",").map((entry) => entry.trim()) : raw;
  if (Array.isArray(list) && list.every((entry) => typeof entry === "string")) return list;
  throw new NotRight('a list of texts, such as ["Cost centre", "Grade"]');
};

/** An exact sum: plain decimal text with at most four decimals. */
export const plainAmount: ValueReader<string> = (raw) => {
  if (typeof raw === "string" && PLAIN_DECIMAL.test(raw) && /^[0-9]{1,24}(?:\.[0-9]{1,4})?$/.test(raw)) return raw;
  throw new NotRight("a plain amount such as 11087750.50, without separators");
};
