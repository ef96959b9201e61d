import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import type { Mapping } from "../../src/config/mapping.ts";
import { PaydropError } from "../../src/errors.ts";
import { chooseMapping, readLookup, TEMPLATES, templateOf } from "../../src/reader/mapping.ts";
import { openTable } from "../../src/reader/open-table.ts";
import { fileOf } from "../support/tables.ts";
import { bookFile, textRow } from "../support/workbooks.ts";

const BARE: Mapping = {
  name: "hrms",
  operation: "payout",
  option: "B",
  amountUnit: "rupees",
  header: ["Employee", "Account", "IFSC", "Net Pay"],
  columns: [],
  constants: {},
  values: {},
  mustBe: [],
  lookups: [],
};
const PAISE: Mapping = {
  ...BARE,
  name: "paise",
  amountUnit: "paise",
  header: ["from_account", "to_account", "amount"],
};
const RAZORPAYX = TEMPLATES[1]?.headers[0] ?? [];

function chosen(names: readonly string[], mappings: readonly Mapping[], wanted?: string): unknown {
  const found = chooseMapping(names, mappings, wanted);
  if (found === undefined) return undefined;
  return "code" in found ? found.code : found.name;
}

describe("which mapping a file is read by", () => {
  const OTHER = { ...BARE, name: "other" };
  const OURS = ["from_account", "to_account", "amount"];
  const RUPEES: Mapping = { ...PAISE, amountUnit: "rupees", operation: "transfer" };

  test.each<[string, readonly string[], readonly Mapping[], string | undefined, string | undefined]>([
    ["its columns, otherwise written", ["net-pay", "IFSC", "ACCOUNT", "employee"], [BARE], undefined, "hrms"],
    ["a retry file of it", [...BARE.header, "retry_message", "retry_of", ""], [BARE], undefined, "hrms"],
    ["one column more", [...BARE.header, "Bonus"], [BARE], undefined, "mapping_differs"],
    ["one column less", BARE.header.slice(1), [BARE], undefined, "mapping_differs"],
    ["half of its columns", ["Employee", "Account", "x", "y"], [BARE], undefined, undefined],
    ["two that fit", BARE.header, [BARE, OTHER], undefined, "mapping_ambiguous"],
    ["one of the two, said", BARE.header, [BARE, OTHER], "other", "other"],
    ["none, said", BARE.header, [BARE], "none", undefined],
    ["another file than the one said", ["a", "b"], [BARE], "hrms", "mapping_differs"],
    ["our own columns in paise", PAISE.header, [PAISE], undefined, "mapping_ambiguous"],
    ["our own columns in paise, said", PAISE.header, [PAISE], "paise", "paise"],
    ["our own columns, complete, beside a mapping of rupees", [...OURS, "x"], [RUPEES], undefined, undefined],
    ["a published template", RAZORPAYX, [], undefined, "mapping_unconfirmed"],
    ["a template, confirmed in the wrong unit", RAZORPAYX, [{ ...BARE, header: RAZORPAYX }], undefined, "mapping_unit"],
    ["our own names", OURS, [BARE], undefined, undefined],
    ["a payment where the header should stand", ["a@mail.example", "12.50", "INR"], [], undefined, "header_missing"],
    ["values where the header should stand", ["ACC1", "50100271828001", "100.00"], [], undefined, "header_missing"],
  ])("%s → %s", (_, names, mappings, wanted, expected) => {
    expect(chosen(names, mappings, wanted)).toBe(expected);
  });

  test("a mapping that is not there → usage", () => {
    expect(() => chooseMapping([], [BARE], "x")).toThrow(PaydropError);
  });

  test("columns that differ → named, but never more than five", () => {
    const names = [...BARE.header.slice(0, 3), "a", "b", "c"];
    expect(chooseMapping(names, [{ ...BARE, header: [...BARE.header] }], "hrms")).toMatchObject({
      facts: { missing: '"Net Pay"', added: '"a", "b", "c"' },
    });
    const many = Array.from({ length: 9 }, (_, at) => `c${at}`);
    expect(chooseMapping(many, [BARE], "hrms")).toMatchObject({
      facts: { added: expect.stringContaining("and 4 more") as string },
    });
  });

  test("each published header → its own template, nearly complete ones too", () => {
    for (const template of TEMPLATES) {
      for (const header of template.headers) expect(templateOf(header)?.name).toBe(template.name);
      expect(templateOf([...(template.headers[0] ?? []), "extra"])?.name).toBe(template.name);
    }
    expect(templateOf(["amount", "name", "email"])).toBeUndefined();
  });

  test("PayPal's customer id is the payee's, every month the same → no reference", () => {
    const paypal = TEMPLATES.find(({ name }) => name === "paypal");
    expect(paypal?.columns).toEqual({ amount: ["amount"], note: ["narration"] });
    expect(paypal?.headers[0]).toContain("customer id");
  });
});

describe("lookup tables", () => {
  const read = async (path: string): Promise<unknown> => {
    const lookup = { file: path, by: "Employee", key: "Name", fields: { bene_id: "Bene", bene_bank_id: "Bank" } };
    return [...(await readLookup(await openTable(path, basename(path)), lookup, "the table"))];
  };

  test("a table → values by key, equal lines once, different ones ambiguous", async () => {
    const text = "Name,Bene,Bank,Note\nAsha,B-1,1,x\n Ravi ,B-2,2,\nAsha,B-1,1,y\nRavi,B-9,2,\n,B-5,1,\n";
    expect(await read(fileOf("t.csv", text))).toEqual([
      ["Asha", ["B-1", "1"]],
      ["Ravi", "ambiguous"],
    ]);
    const json = '[{"Name":"Asha","Bene":"B-1","Bank":7},{"Name":5,"Bene":null,"Bank":"x"}]';
    expect(await read(fileOf("t.json", json))).toEqual([
      ["Asha", ["B-1", { token: "number", source: "7" }]],
      ["5", ["", "x"]],
    ]);
  });

  test.each([["t.csv", "Name,Bene\nAsha,B-1\n", "lookup_no_column"]])(
    "%s that is wrong → a setting to correct",
    async (name, text, reason) => {
      await expect(read(fileOf(name, text))).rejects.toMatchObject({ code: "config", reason });
    },
  );

  test("a number in a workbook → a setting to correct", async () => {
    const sheet = `${textRow(1, ["Name", "Bene", "Bank"])}<row r="2"><c r="A2" t="inlineStr"><is><t>A</t></is></c><c r="B2"><v>12</v></c></row>`;
    await expect(read(bookFile({ sheets: { a: sheet } }))).rejects.toMatchObject({ reason: "lookup_not_text" });
  });
});
