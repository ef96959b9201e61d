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
  const wanted = new Wanted(ready);
  await wanted.step();
  if (wanted.number === undefined) return;
  for await (const rows of sheet.rows(wanted.number)) {
    const chosen: Row[] = [];
    for (const row of rows) {
      if (wanted.number === undefined) break;
      if (row.number !== wanted.number) continue;
      chosen.push(row);
      if (!wanted.stepInPage()) await wanted.step();
    }
    const sendable: Sendable[] = [];
    for (const checked of chosen.length > 0 ? checker.check(chosen) : []) {
      if (checked.instruction) sendable.push(asSendable(checked.row, checked.instruction));
      else onFault(checked.row.number, checked.faults[0] ?? NO_FAULT);
    }
    if (sendable.length > 0) yield sendable;
    if (wanted.number === undefined) return;
  }
  throw new Error(`row ${String(wanted.number)} is ready, and the snapshot has no such row`);
}

/** Walks over numbers that come in pages, and waits only between two pages: at each number it would cost a microsecond. */
class Wanted {
  /** The number walked to; undefined at the end. */
  number: number | undefined;
  readonly #pages: AsyncIterator<readonly number[]>;
  #page: readonly number[] = [];
  #at = 0;

  constructor(pages: AsyncIterable<readonly number[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** Walks to the next number of the page at hand; false where the page is at its end. */
  stepInPage(): boolean {
    if (this.#at >= this.#page.length) return false;
    this.number = this.#page[this.#at++];
    return true;
  }

  async step(): Promise<void> {
    while (!this.stepInPage()) {
      const next = await this.#pages.next();
      if (next.done) {
        this.number = undefined;
        return;
      }
      [this.#page, this.#at] = [next.value, 0];
    }
  }
}

function asSendable(row: Row, { operation, form, payload, values, amount }: Instruction): Sendable {
  return { number: row.number, operation, form, payload, values, amount };
}

const NO_FAULT: Fault = { code: "invalid", message: "it is no instruction", hint: "" };
