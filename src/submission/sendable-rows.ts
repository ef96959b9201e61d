import type { Checker } from "../checks/check-row.ts";
import type { CheckedRow } from "../checks/instruction.ts";
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

/** The instructions of the rows that are ready, made again from the snapshot, only as fast as they are taken. */
export async function* sendableRows(
  sheet: Sheet,
  checker: Checker,
  ready: AsyncIterable<readonly number[]>,
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
    if (chosen.length > 0) yield checker.check(chosen).map(asSendable);
    if (next.done) return;
  }
  throw new Error(`row ${String(next.value)} is ready, and the snapshot has no such row`);
}

async function* flat<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page;
}

function asSendable({ row, instruction, faults }: CheckedRow): Sendable {
  if (!instruction) throw new Error(`row ${row.number} is ready, but reads as ${faults[0]?.code ?? "invalid"} now`);
  const { operation, form, payload, values, amount } = instruction;
  return { number: row.number, operation, form, payload, values, amount };
}
