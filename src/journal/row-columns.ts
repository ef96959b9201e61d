import type { RowRecord } from "./store.ts";

type Field = keyof RowRecord;

/**
 * Rows as they cross threads. Nearly all rows of a page say the same in most of their fields: that travels once, and the
 * rest as one list for each field, which costs a tenth of what as many objects would.
 */
export interface RowColumns {
  readonly count: number;
  /** What every row has. */
  readonly same: Partial<RowRecord>;
  /** As many values as rows; undefined where a row has none. */
  readonly varying: readonly (readonly [field: Field, values: readonly unknown[]])[];
}

/** Every field of a row; the compiler knows when one is missing. */
const FIELDS = Object.keys({
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
  other: 0,
  httpStatus: 0,
  sentAt: 0,
  durationMs: 0,
  response: 0,
  settledBy: 0,
} satisfies Record<Field, 0>) as Field[];

export function asColumns(rows: readonly RowRecord[]): RowColumns {
  const same: Partial<Record<Field, unknown>> = {};
  const varying: [Field, unknown[]][] = [];
  for (const field of FIELDS) {
    const first = rows[0]?.[field];
    if (rows.some((row) => row[field] !== first)) varying.push([field, rows.map((row) => row[field])]);
    else if (first !== undefined) same[field] = first;
  }
  return { count: rows.length, same: same as Partial<RowRecord>, varying };
}

/** The very rows that `asColumns` was given. */
export function fromColumns({ count, same, varying }: RowColumns): RowRecord[] {
  const rows: RowRecord[] = [];
  for (let index = 0; index < count; index += 1) {
    const row: Partial<Record<Field, unknown>> = { ...same };
    for (const [field, values] of varying) if (values[index] !== undefined) row[field] = values[index];
    rows.push(row as unknown as RowRecord);
  }
  return rows;
}
