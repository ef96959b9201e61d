import type { PaymentTexts } from "../../checks/payment-texts.ts";
import type { NewRow, RowRecord } from "../row-record.ts";

/**
 * Rows as they cross threads. Nearly all rows of a page say the same in most of their fields: that travels once, and the
 * rest as one list for each field, which costs a tenth of what as many objects would.
 */
export interface Columns<Row> {
  readonly count: number;
  /** What every row has. */
  readonly same: Partial<Row>;
  /** As many values as rows; undefined where a row has none. */
  readonly varying: readonly (readonly [field: keyof Row, values: readonly unknown[]])[];
}

type Unpaid = Omit<NewRow, "payment">;

/** `payments` of rows without a payment are empty. */
export interface NewRowColumns {
  readonly rows: Columns<Unpaid>;
  readonly payments: Columns<Partial<PaymentTexts>>;
}

/** Every field of a row; the compiler knows when one is missing. */
const RECORD_FIELDS = fieldsOf<RowRecord>({
  number: 0,
  state: 0,
  attempts: 0,
  operation: 0,
  option: 0,
  amount: 0,
  code: 0,
  faults: 0,
  warnings: 0,
  correction: 0,
  correctedBy: 0,
  other: 0,
  hasPeriod: 0,
  givenBackIn: 0,
  httpStatus: 0,
  sentAt: 0,
  durationMs: 0,
  untilAt: 0,
  response: 0,
  settledBy: 0,
});
const NEW_ROW_FIELDS = fieldsOf<Unpaid>({
  number: 0,
  operation: 0,
  option: 0,
  amount: 0,
  faults: 0,
  warnings: 0,
  correction: 0,
});
const PAYMENT_FIELDS = fieldsOf<PaymentTexts>({
  reference: 0,
  isDoubtful: 0,
  period: 0,
  core: 0,
  beneficiary: 0,
  account: 0,
});

export function recordsAsColumns(rows: readonly RowRecord[]): Columns<RowRecord> {
  return asColumns(rows, RECORD_FIELDS);
}

/** The very rows that `recordsAsColumns` was given. */
export function recordsFromColumns(columns: Columns<RowRecord>): RowRecord[] {
  return fromColumns(columns);
}

export function newRowsAsColumns(rows: readonly NewRow[]): NewRowColumns {
  const payments = rows.map((row): Partial<PaymentTexts> => row.payment ?? NO_PAYMENT);
  return { rows: asColumns<Unpaid>(rows, NEW_ROW_FIELDS), payments: asColumns(payments, PAYMENT_FIELDS) };
}

/** The very rows that `newRowsAsColumns` was given. */
export function newRowsFromColumns({ rows, payments }: NewRowColumns): NewRow[] {
  const paid = fromColumns(payments);
  return fromColumns(rows).map((row, index) => {
    const payment = paid[index];
    return payment?.core === undefined ? row : { ...row, payment: payment as PaymentTexts };
  });
}

const NO_PAYMENT = {};

function fieldsOf<Row>(fields: Readonly<Record<keyof Row, 0>>): (keyof Row)[] {
  return Object.keys(fields) as (keyof Row)[];
}

function asColumns<Row extends object>(rows: readonly Row[], fields: readonly (keyof Row)[]): Columns<Row> {
  const same: Partial<Row> = {};
  const varying: [keyof Row, unknown[]][] = [];
  for (const field of fields) {
    const first = rows[0]?.[field];
    if (rows.some((row) => row[field] !== first)) varying.push([field, rows.map((row) => row[field])]);
    else if (first !== undefined) same[field] = first;
  }
  return { count: rows.length, same, varying };
}

function fromColumns<Row extends object>({ count, same, varying }: Columns<Row>): Row[] {
  const rows: Row[] = [];
  for (let index = 0; index < count; index += 1) {
    const row: Partial<Row> = { ...same };
    for (const [field, values] of varying) {
      if (values[index] !== undefined) row[field] = values[index] as Row[keyof Row];
    }
    rows.push(row as Row);
  }
  return rows;
}
