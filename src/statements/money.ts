import { SUMMABLE, unitsOf } from "../amount.ts";
import type { Cell } from "../reader/row.ts";

export type Direction = "debit" | "credit";

/** An amount as a statement writes it: its sign, and what `Cr` or `Dr` beside it says, are kept apart. */
export interface Money {
  /** Ten-thousandths, without a sign. */
  readonly units: bigint;
  readonly isNegative: boolean;
  readonly side: Direction | undefined;
}

/** Groups of thousands, or of lakhs and crores; never of anything else. */
const WITH_POINT = /^(?:\d{1,15}|\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d\d)*,\d{3})?(?:\.\d{1,8})?$/;
const WITH_COMMA = /^(?:\d{1,15}|\d{1,3}(?:\.\d{3})+)(?:,\d{1,8})?$/;
const CHARACTERS_MAX = 60;
const NOTHING = /^(?:[-–—]*|n\/?a|nil)$/i;
const SIDE_BEFORE = /^(?:(cr|dr|credit|debit)\b\.?|\((cr|dr)\.?\))\s*/i;
const SIDE_BEHIND = /\s*(?:(cr|dr|credit|debit)\.?|\((cr|dr)\.?\))$/i;
const BRACKETS = /^(?:\((.*)\)|\[(.*)\])$/;
const CURRENCY = "(?:\\p{Sc}|rs\\.?|inr|eur)?";
const MINUS = "([-\\u2010-\\u2015\\u2212\\ufe63\\uff0d]?)";
const SIGNED = new RegExp(`^${MINUS}\\s*\\+?\\s*${CURRENCY}\\s*${MINUS}([\\d.,]+)\\s*${CURRENCY}\\s*${MINUS}$`, "iu");

/** What stands in a cell for money: "none" where it is empty or holds a dash; "wrong" for what is no amount. */
export function moneyIn(cell: Cell, hasDecimalComma = false): Money | "none" | "wrong" {
  if (typeof cell !== "string") return cell.token === "number" ? ofText(cell.source, false) : "wrong";
  const text = cell.trim();
  if (text.length > CHARACTERS_MAX) return "wrong";
  return NOTHING.test(text) ? "none" : ofText(text, hasDecimalComma);
}

function ofText(text: string, hasDecimalComma: boolean): Money | "wrong" {
  const before = SIDE_BEFORE.exec(text);
  const rest = before ? text.slice(before[0].length) : text;
  const behind = SIDE_BEHIND.exec(rest);
  if (before && behind) return "wrong";
  const core = behind ? rest.slice(0, behind.index) : rest;
  const brackets = BRACKETS.exec(core);
  const [, ...parts] = SIGNED.exec(brackets ? (brackets[1] ?? brackets[2] ?? "") : core) ?? [];
  const [first = "", second = "", digits = "", last = ""] = parts;
  const signs = [brackets ? "-" : "", first, second, last].join("").length;
  const units = unitsIn(digits, hasDecimalComma);
  if (units === undefined || signs > 1) return "wrong";
  return { units, isNegative: signs === 1, side: sideIn((before ?? behind)?.find((word, at) => at > 0 && word)) };
}

/** What a word says, such as `DR` in a column of its own; undefined where it says nothing. */
export function sideIn(word = ""): Direction | undefined {
  const [letter = ""] = word.trim().toLowerCase();
  if (!/^(?:[cd]|[cd]r|credit|debit)\.?$/i.test(word.trim())) return undefined;
  return letter === "d" ? "debit" : "credit";
}

function unitsIn(digits: string, hasDecimalComma: boolean): bigint | undefined {
  if (!(hasDecimalComma ? WITH_COMMA : WITH_POINT).test(digits)) return undefined;
  const plain = hasDecimalComma ? digits.replaceAll(".", "").replace(",", ".") : digits.replaceAll(",", "");
  // `.50`, and decimals that say nothing
  const text = plain.replace(/^\./, "0.").replace(/(\.\d{4})0+$/, "$1");
  return SUMMABLE.test(text) ? unitsOf(text) : undefined;
}

/** Columns of amounts, in the order of the file, and of both directions, of which only one is filled. */
interface Amounts {
  readonly width: number;
  readonly amounts: readonly number[];
  readonly directions: readonly number[];
}

/** An amount in groups has no more parts. */
const PARTS_MAX = 6;

/**
 * A record with too many cells, whose amounts were cut at their commas: with the amounts put together again where exactly
 * one way to do so makes it fit its columns.
 */
export function joined(
  cells: readonly string[],
  { width, amounts, directions }: Amounts,
): readonly string[] | undefined {
  const ways: string[][] = [];
  const look = (at: number, row: readonly string[]): void => {
    const left = cells.length - at;
    if (row.length === width && left === 0) ways.push([...row]);
    if (left < width - row.length || row.length === width || ways.length > 1) return;
    const parts = amounts.includes(row.length) ? Math.min(PARTS_MAX, left) : 1;
    for (let count = 1; count <= parts; count += 1) {
      const cell = cells.slice(at, at + count).join(",");
      if (amounts.includes(row.length) && !isAmount(cell, count)) continue;
      const filled = directions.filter((place) => place < row.length && isFilled(row[place]));
      if (directions.includes(row.length) && filled.length > 0 && isFilled(cell)) continue;
      look(at + count, [...row, cell]);
    }
  };
  look(0, []);
  return ways.length === 1 ? ways[0] : undefined;
}

function isAmount(cell: string, parts: number): boolean {
  const money = moneyIn(cell.replaceAll(/\s*,\s*/g, ","));
  return money !== "wrong" && (parts === 1 || money !== "none");
}

function isFilled(cell = ""): boolean {
  const money = moneyIn(cell);
  return typeof money !== "string" && money.units > 0n;
}
