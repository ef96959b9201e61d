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
  /** To know its values again in an answer. */
  readonly form: Form;
  readonly values: readonly string[];
}

/**
 * The instructions of the rows that are ready, made again from the snapshot, only as fast as they are taken. `onFault`
 * hears of those that a newer paydrop finds something wrong with: they do not go.
 */
export async function* sendableRows(
  sheet: Sheet,
  checker: Checker,
  ready: AsyncIterable<readonly number[]>,
  onFault: (row: number, fault: Fault) => void,
): AsyncGenerator<readonly Sendable[]> {
  const pages = ready[Symbol.asyncIterator]();
  let wanted = await nextPage(pages);
  let at = 0;
  if (wanted.length === 0) return;
  for await (const rows of sheet.rows(wanted[0])) {
    const chosen: Row[] = [];
    for (const row of rows) {
      if (row.number !== wanted[at]) continue;
      chosen.push(row);
      at += 1;
      if (at < wanted.length) continue;
      wanted = await nextPage(pages);
      at = 0;
      if (wanted.length === 0) break;
    }
    const sendable: Sendable[] = [];
    for (const checked of chosen.length > 0 ? checker.check(chosen) : []) {
      if (checked.instruction) sendable.push(asSendable(checked.row, checked.instruction));
      else onFault(checked.row.number, checked.faults[0] ?? NO_FAULT);
    }
    if (sendable.length > 0) yield sendable;
    if (wanted.length === 0) return;
  }
  throw new Error(`row ${String(wanted[at])} is ready, and the snapshot has no such row`);
}

/** An empty one at the end. By pages: one step of a generator for each row costs more than its check. */
async function nextPage(pages: AsyncIterator<readonly number[]>): Promise<readonly number[]> {
  const next = await pages.next();
  return next.done ? [] : next.value;
}

function asSendable(row: Row, { operation, form, payload, values, amount }: Instruction): Sendable {
  return { number: row.number, operation, form, payload, values, amount };
}

const NO_FAULT: Fault = { code: "invalid", message: "it is no instruction", hint: "" };
