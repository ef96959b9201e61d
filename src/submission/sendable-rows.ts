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
  const wanted = flat(ready);
  let next = await wanted.next();
  if (next.done) return;
  for await (const rows of sheet.rows(next.value)) {
    const chosen: Row[] = [];
    for (const row of rows) {
      if (next.done) break;
      if (row.number !== next.value) continue;
      chosen.push(row);
      next = await wanted.next();
    }
    for (let at = 0; at < chosen.length; at += ROWS_TOGETHER) {
      const sendable: Sendable[] = [];
      for (const checked of checker.check(chosen.slice(at, at + ROWS_TOGETHER))) {
        if (checked.instruction) sendable.push(asSendable(checked.row, checked.instruction));
        else onFault(checked.row.number, checked.faults[0] ?? NO_FAULT);
      }
      if (sendable.length > 0) yield sendable;
    }
    if (next.done) return;
  }
  throw new Error(`row ${String(next.value)} is ready, and the snapshot has no such row`);
}

/** A page of instructions would outlive what was made of rows meanwhile, and be copied about as long as it is sent. */
const ROWS_TOGETHER = 50;

/** One row per step, so that memory can be freed in between: with pages, a million rows of JSON took 12 MB more. */
async function* flat<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page;
}

function asSendable(row: Row, { operation, form, payload, values, amount }: Instruction): Sendable {
  return { number: row.number, operation, form, payload, values, amount };
}

const NO_FAULT: Fault = { code: "invalid", message: "it is no instruction", hint: "" };
