import { stepsIn, type DayOrder, type Days } from "./dates.ts";
import type { Direction } from "./money.ts";

/** One entry of the account as the file labels it. A line that only tells a balance moves nothing: its `units` are 0. */
export interface Move {
  readonly line: number;
  /** Undefined for a line without a day of its own. */
  readonly days: Days | undefined;
  readonly units: bigint;
  readonly label: Direction;
  /** Beside a label that says the direction by itself, a minus may say it once more, or turn it round. */
  readonly isNegative: boolean;
  /** With its sign. */
  readonly balance: bigint | undefined;
}

export type Chain = "whole" | "none" | { readonly brokenAt: number };

/** How a file's labels and its order are to be understood. */
interface Reading {
  readonly isReversed: boolean;
  readonly isExchanged: boolean;
  readonly isTurnedByMinus: boolean;
}

export interface Understood extends Reading {
  readonly chain: Chain;
}

/**
 * Which direction the labels mean, and whether the file begins with its newest entry: as each balance follows from the
 * one before it. Labels alone were met exchanged. They count where there are no balances, or none that proves anything.
 */
export function understood(moves: readonly Move[], order: DayOrder): Understood {
  const readings = readingsOf(moves, order);
  const tried = readings.map((reading) => ({ reading, ...followed(moves, reading) }));
  const [first = { reading: AS_WRITTEN, links: 0, held: 0, brokenAt: 0 }] = tried;
  if (first.links === 0) return { ...first.reading, chain: "none" };
  const whole = tried.filter(({ links, held }) => links === held);
  const [proven = first, ...others] = whole;
  if (whole.length === 0) {
    const best = tried.reduce((one, other) => (other.held > one.held ? other : one));
    return { ...best.reading, chain: { brokenAt: best.brokenAt } };
  }
  // equal amounts of one day: ascending debits and descending credits have the same balances
  const isProven = others.every(({ reading }) => isSameDirection(moves, reading, proven.reading));
  return { ...proven.reading, chain: isProven ? "whole" : "none" };
}

const AS_WRITTEN: Reading = { isReversed: false, isExchanged: false, isTurnedByMinus: false };

/** The likely one first. */
function readingsOf(moves: readonly Move[], order: DayOrder): readonly Reading[] {
  const { up, down } = stepsIn(moves.flatMap(({ days }) => days?.[order] ?? []));
  const both = down > up ? [true, false] : [false, true];
  const orders = up > 0 && down === 0 ? [false] : down > 0 && up === 0 ? [true] : both;
  const debits = moves.filter(({ label, units }) => label === "debit" && units > 0n);
  const isDecoration = debits.length > 0 && debits.every(({ isNegative }) => isNegative);
  const minus = moves.some(({ isNegative }) => isNegative) ? [!isDecoration, isDecoration] : [false];
  return [false, true].flatMap((isExchanged) =>
    minus.flatMap((isTurnedByMinus) => orders.map((isReversed) => ({ isReversed, isExchanged, isTurnedByMinus }))),
  );
}

/** `links`: the balances that have one before them; `held`: those that follow from it. */
function followed(moves: readonly Move[], reading: Reading) {
  let balance: bigint | undefined;
  let [links, held, brokenAt] = [0, 0, 0];
  for (const move of inOrder(moves, reading)) {
    if (balance !== undefined) balance += directionOf(move, reading) === "credit" ? move.units : -move.units;
    if (move.balance === undefined) continue;
    if (balance !== undefined) {
      links += 1;
      if (balance === move.balance) held += 1;
      else brokenAt ||= move.line;
    }
    balance = move.balance;
  }
  return { links, held, brokenAt };
}

function isSameDirection(moves: readonly Move[], one: Reading, other: Reading): boolean {
  return moves.every((move) => move.units === 0n || directionOf(move, one) === directionOf(move, other));
}

export function inOrder<One>(all: readonly One[], { isReversed }: Pick<Reading, "isReversed">): readonly One[] {
  return isReversed ? all.toReversed() : all;
}

export function directionOf({ label, isNegative }: Move, { isExchanged, isTurnedByMinus }: Reading): Direction {
  const isDebit = (label === "debit") !== (isExchanged !== (isTurnedByMinus && isNegative));
  return isDebit ? "debit" : "credit";
}
