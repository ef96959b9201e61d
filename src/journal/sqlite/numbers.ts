import type { SQLInputValue, StatementSync } from "node:sqlite";

/** The row numbers that a statement finds, one after the other: an object for each of a large file is dear. */
export function numbersIn(statement: StatementSync, ...values: readonly SQLInputValue[]): number[] {
  const numbers: number[] = [];
  for (const { number } of statement.iterate(...values) as Iterable<{ number: number }>) numbers.push(number);
  return numbers;
}
