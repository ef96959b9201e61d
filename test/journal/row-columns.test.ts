import fc from "fast-check";
import { expect, it } from "vitest";
import {
  newRowsAsColumns,
  newRowsFromColumns,
  recordsAsColumns,
  recordsFromColumns,
} from "../../src/journal/sqlite/row-columns.ts";
import type { NewRow, RowRecord } from "../../src/journal/row-record.ts";

const plain = { noNullPrototype: true };
const fault = fc.record({ code: fc.constant("ifsc_form"), message: fc.string(), hint: fc.string() }, plain);
const batch = fc.constant("H2MM0000");

/** Few values for most fields, so that pages come up in which all rows, some or none have the same. */
const row: fc.Arbitrary<RowRecord> = fc.record(
  {
    number: fc.nat(),
    state: fc.constantFrom("accepted", "held", "invalid"),
    attempts: fc.nat(1),
    operation: fc.constantFrom("payout", "loan"),
    option: fc.constant("B"),
    amount: fc.constantFrom("100.00", "7"),
    code: fc.constantFrom("accepted", "refused"),
    faults: fc.array(fault, { minLength: 1, maxLength: 2 }),
    warnings: fc.array(fault, { minLength: 1, maxLength: 2 }),
    correction: fc.record({ of: fc.record({ batch, row: fc.nat(3) }, plain), payeeChanged: fc.boolean() }, plain),
    other: fc.record({ batch, row: fc.nat(3), at: fc.nat() }, { requiredKeys: ["batch"], ...plain }),
    httpStatus: fc.constantFrom(200, 422),
    sentAt: fc.nat(),
    durationMs: fc.nat(1),
    response: fc.constantFrom("", '{"status":"OK"}'),
    settledBy: fc.constant("priya"),
  },
  { requiredKeys: ["number", "state", "attempts"], ...plain },
) as fc.Arbitrary<RowRecord>;

it("gives back the very rows after they crossed threads, what is missing still missing", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
      expect(recordsFromColumns(structuredClone(recordsAsColumns(rows)))).toStrictEqual(rows);
    }),
  );
});

const payment = fc.record(
  {
    reference: fc.constantFrom("", "INV-7"),
    period: fc.constant("2026-11"),
    core: fc.constantFrom("", "a\u001f100"),
    beneficiary: fc.string({ maxLength: 2 }),
    account: fc.string({ maxLength: 2 }),
  },
  { requiredKeys: ["core", "beneficiary"], ...plain },
);
const newRow: fc.Arbitrary<NewRow> = fc.record(
  {
    number: fc.nat(),
    operation: fc.constantFrom("payout", "loan"),
    option: fc.constant("B"),
    amount: fc.constantFrom("100.00", "7"),
    payment,
    faults: fc.array(fault, { minLength: 1, maxLength: 2 }),
    warnings: fc.array(fault, { minLength: 1, maxLength: 2 }),
    correction: fc.record({ of: fc.record({ batch, row: fc.nat(3) }, plain), payeeChanged: fc.boolean() }, plain),
  },
  { requiredKeys: ["number"], ...plain },
);

it("gives back the very rows that are to be written down, invalid ones without a payment", () => {
  fc.assert(
    fc.property(fc.array(newRow, { maxLength: 6 }), (rows) => {
      expect(newRowsFromColumns(structuredClone(newRowsAsColumns(rows)))).toStrictEqual(rows);
    }),
  );
});
