import type { CheckedRow } from "../checks/check-row.ts";
import type { Keys, PaymentsDigest } from "../duplicates/keys.ts";
import type { NewRow } from "./store.ts";

/** Where a row leaves its payload, and what hides its texts. */
interface Places {
  readonly keys: Keys;
  readonly payments: PaymentsDigest;
  readonly spool: { add(payload: string): { readonly place: number; readonly size: number } };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * What the journal remembers of a checked row: texts become keyed hashes (I10), the payload goes into the spool.
 * `period`: what was stated for the whole file.
 */
export function newRowOf(checked: CheckedRow, period: string | undefined, { keys, payments, spool }: Places): NewRow {
  const { row, instruction, faults, notices, notNow, operation, option, amount, payee, reference, retryOf } = checked;
  const state = instruction ? (notNow ? "held" : "ready") : "invalid";
  const found: Writable<NewRow> = { row: row.number, state, faults: notNow ? [notNow] : faults, notices };
  const own = checked.period ?? period;
  if (operation !== undefined) found.operation = operation;
  if (option !== undefined) found.option = option;
  if (amount !== undefined) found.amount = amount;
  if (own !== undefined) found.period = own;
  if (retryOf !== undefined) found.retryOf = retryOf;
  if (payee !== undefined) found.payee = keys.of("payee", payee);
  if (reference !== undefined) found.reference = keys.of("reference", reference);
  if (!instruction) return found;
  const payment = keys.of("payment", instruction.payment);
  payments.add(payment);
  return Object.assign(found, { payment }, spool.add(instruction.payload));
}
