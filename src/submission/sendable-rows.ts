import type { Checker } from "../checks/check-row.ts";
import type { Fault } from "../checks/fault.ts";
import type { Instruction } from "../checks/instruction.ts";
import type { Form, Operation } from "../operations/operation.ts";
import type { Row, Sheet } from "../reader/row.ts";

export interface Sendable {
  readonly number: number;
  readonly payload: string;
  readonly amount: string;
  readonly operation: Operation;
  /** `form` and `values` are there to find the row's values in an answer, and mask them. */
  readonly form: Form;
  readonly values: readonly string[];
}

/**
 * The instructions of the rows that are ready, made again from the snapshot, only as fast as they are taken. `onFault`
 * is called for rows in which this version of paydrop finds a fault that an earlier one did not: they do not go.
 */
export async function* sendableRows(
  sheet: Sheet,
  checker: Checker,
  ready: AsyncIterable<readonly number[]>,
  onFault: (row: number, fault: Fault) => void,
): AsyncGenerator<readonly Sendable[]> {
  const wanted = new NumbersInPages(ready);
  let next = await wanted.next();
  if (next === undefined) return;
  for await (const rows of sheet.rows(next)) {
    const chosen: Row[] = [];
    for (const row of rows) {
      if (next === undefined) break;
      if (row.number !== next) continue;
      chosen.push(row);
      next = wanted.nextAtHand() ?? (await wanted.next());
    }
    const sendable: Sendable[] = [];
    for (const checked of chosen.length > 0 ? checker.check(chosen) : []) {
      if (checked.instruction) sendable.push(asSendable(checked.row, checked.instruction));
      else onFault(checked.row.number, checked.faults[0] ?? NO_FAULT);
    }
    if (sendable.length > 0) yield sendable;
    if (next === undefined) return;
  }
  throw new Error(`row ${String(next)} is ready, and the snapshot has no such row`);
}

/** Numbers that come in pages, one after the other: to wait at each of them would cost a microsecond. */
class NumbersInPages {
  readonly #pages: AsyncIterator<readonly number[]>;
  #page: readonly number[] = [];
  #at = 0;

  constructor(pages: AsyncIterable<readonly number[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** undefined at the end of the page at hand. */
  nextAtHand(): number | undefined {
    return this.#page[this.#at++];
  }

  /** undefined at the end of the last page. */
  async next(): Promise<number | undefined> {
    for (;;) {
      const number = this.nextAtHand();
      if (number !== undefined) return number;
      const page = await this.#pages.next();
      if (page.done) return undefined;
      [this.#page, this.#at] = [page.value, 0];
    }
  }
}

function asSendable(row: Row, { operation, form, payload, values, amount }: Instruction): Sendable {
  return { number: row.number, operation, form, payload, values, amount };
}

const NO_FAULT: Fault = { code: "invalid", message: "it is no instruction", hint: "" };
