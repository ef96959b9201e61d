import { expect, test } from "vitest";
import { createChecker } from "../../../src/checks/check-row.ts";
import type { CheckedRow } from "../../../src/checks/instruction.ts";
import { operationNamed } from "../../../src/operations/catalogue.ts";
import { readLookupTable } from "../../../src/reader/mapping/lookup.ts";
import { createRowMapper } from "../../../src/reader/mapping/mapped-rows.ts";
import { read } from "../../support/files.ts";
import { mappingsOf } from "../../support/mappings.ts";
import { DEFAULT_CHOICES, rowOf } from "../../support/rows.ts";

const PAY = [
  '[mapping.m]\noperation="payout"\noption="A"\namount_unit="rupees"\nheader=["Employee","Net Pay"]',
  '[mapping.m.columns]\n"Net Pay"="amount"',
  '[mapping.m.constants]\ndebit_account_id="ACC-OPS-01"',
  '[[mapping.m.lookup]]\nfile="b.json"\nby="Employee"\nkey="No"\nfields={bene_id="Id",bene_bank_id="Bank",payment_mode="Mode"}',
  '[mapping.m.values.payment_mode]\n"1"="NEFT"',
].join("\n");

/** The row of employee 7, by a table with this one line. */
async function lookedUp(line: object | string): Promise<CheckedRow> {
  const [mapping] = mappingsOf(PAY);
  const [lookup] = mapping?.lookups ?? [];
  if (!mapping || !lookup) throw new Error("no mapping");
  const { sheet } = await read("b.json", typeof line === "string" ? line : JSON.stringify([line]));
  const view = createRowMapper(mapping, [await readLookupTable(sheet, lookup, "b.json")]);
  const options = { fileName: "pay.csv", format: "csv", choices: DEFAULT_CHOICES, sandbox: false } as const;
  const checker = createChecker({ ...options, operation: operationNamed("payout") });
  const [checked] = checker.check([view(rowOf({ Employee: "7", "Net Pay": "10.00" }))]);
  if (!checked) throw new Error("no row came back");
  return checked;
}

test("an id that a JSON table gives as a number is told, masked, like one that a row gives as a number", async () => {
  const { faults = [] } = await lookedUp({ No: 7, Id: 501002718280, Bank: "12", Mode: "1" });
  expect(faults.map(({ code, column }) => [code, column])).toEqual([["json_number_for_text", "Employee (bene_id)"]]);
  expect(faults[0]?.message).toContain('"••8280" is a JSON number');
  for (const id of ["1e11", "true", "[1]", '{"a":"b"}']) {
    const checked = await lookedUp(`[{"No":"7","Id":${id},"Bank":12,"Mode":"1"}]`);
    expect(checked.faults).toHaveLength(1);
  }
});

test.each([
  ["1.5E+12", 'in the lookup table b.json: "1.5E+12" '],
  [null, "in the lookup table b.json: there is no value, and bene_id is required"],
])("a fault of what the table holds names the table: %j", async (id, said) => {
  const { faults = [] } = await lookedUp({ No: "7", Id: id, Bank: "12", Mode: "1" });
  expect(faults.map(({ column }) => column)).toEqual(["Employee (bene_id)"]);
  expect(faults[0]?.message.slice(0, said.length)).toBe(said);
});

test("a line that the table lacks, or a value that nothing translates, is not told as one of what it holds", async () => {
  const line = { No: "7", Id: "B-1", Bank: "12", Mode: "1" };
  const missing = await lookedUp({ ...line, No: "8" });
  expect(missing.faults?.[0]?.message).toBe('"••" is not in the lookup table b.json');
  const untranslated = await lookedUp({ ...line, Mode: "2" });
  expect(untranslated.faults?.[0]?.message).toContain('"7" is none of the values');
});

test("keys, numbers for fields that are numbers, and numbers that are translated stay what they are; null is empty", async () => {
  const sent = '"bene_id":"BENE-1","bene_bank_id":12,"amount":10.00,"payment_mode":"NEFT"}';
  for (const line of [
    { No: 7, Id: "BENE-1", Bank: 12, Mode: 1 },
    { No: "7", Id: "BENE-1", Bank: "12", Mode: "1" },
  ]) {
    expect((await lookedUp(line)).instruction?.payload).toContain(sent);
  }
  expect((await lookedUp({ No: 7, Id: null, Bank: 12, Mode: 1 })).faults?.map(({ code }) => code)).toEqual(["value_missing"]); // prettier-ignore
});
