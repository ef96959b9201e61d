import { describe, expect, test } from "vitest";
import { createChecker } from "../../src/checks/check-row.ts";
import { FileRefusedError } from "../../src/errors.ts";
import type { FileFormat } from "../../src/format.ts";
import { operationNamed } from "../../src/operations/catalogue.ts";
import { createRowMapper } from "../../src/reader/mapping/mapped-rows.ts";
import type { Row } from "../../src/reader/row.ts";
import { read } from "../support/files.ts";
import { mappingsOf } from "../support/mappings.ts";
import { DEFAULT_CHOICES, codesOf } from "../support/rows.ts";

const HEADER = "from_account,to_account,amount,remarks";
const GOOD = "ACC-OPS-01,50100271820,100.00,x";

function codes(rows: readonly Row[], format: FileFormat = "csv"): readonly string[] {
  const options = { fileName: "a.csv", format, sandbox: false, choices: DEFAULT_CHOICES } as const;
  const checker = createChecker({ ...options, operation: operationNamed("transfer") });
  return checker.check(rows).map((one) => codesOf(one).join(" "));
}

async function codesOfLines(...lines: readonly string[]): Promise<readonly string[]> {
  return codes((await read("a.csv", [...lines, ""].join("\n"))).rows);
}

describe("a second header whose columns stand in another order refuses the file", () => {
  test.each([
    ["two exports put together", "to_account,from_account,amount,remarks"],
    ["written another way", "To Account,FROM-ACCOUNT,Amount,Remarks"],
    ["one column to the right", ",from_account,to_account,amount"],
    ["without the last column, and empty at its end", "to_account,from_account,amount,"],
    ["with columns of its own", "to_account,amount,from_account,paid on"],
    ["below a title", "Vendors,,,\nto_account,from_account,amount,remarks"],
  ])("%s", async (_, names) => {
    const error = await codesOfLines(HEADER, GOOD, names, "50100271821,ACC-OPS-01,200.00,x").catch(
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof FileRefusedError)) throw new Error("the file was not refused", { cause: error });
    expect(error.faults).toMatchObject([{ code: "columns_change", row: names.includes("\n") ? 4 : 3 }]);
    expect(error.faults[0]?.hint).toContain("Save each table as a file of its own");
  });

  test("also in a mapped file, by the names of its own columns", async () => {
    const [mapping] = mappingsOf(`[mapping.m]
      operation = "transfer"
      amount_unit = "rupees"
      header = ["From", "To", "Net Pay"]
      columns = { From = "from_account", To = "to_account", "Net Pay" = "amount" }`);
    if (!mapping) throw new Error("no mapping");
    const { rows } = await read("a.csv", "From,To,Net Pay\nA-1,B-1,5\nTo,From,Net Pay\nB-1,A-1,5\n");
    expect(() => codes(rows.map(createRowMapper(mapping, [])))).toThrow("not in the order of the header");
  });
});

test("one in the order of the header is a row to delete, however its names are written", async () => {
  const again = ["From Account,to-account,AMOUNT,Remarks", HEADER, "from_account,to_account,amount,"];
  for (const names of again) expect(await codesOfLines(HEADER, GOOD, names, GOOD)).toEqual(["", "header_again", ""]);
});

test.each([
  ["an amount among the names", "to_account,from_account,5,remarks", ""],
  ["one name alone", "ACC-1,ACC-2,amount,x", "not_a_number"],
  ["an empty amount", "ACC-1,amount,,remarks", "value_missing"],
  ["a text called like its column", "ACC-1,ACC-2,5,remarks", ""],
])("what only holds a name refuses nothing: %s", async (_, row, code) => {
  const [found] = await codesOfLines(HEADER, row).catch(() => ["refused"]);
  expect(found).toBe(code);
});

test("rows of JSON have names of their own", async () => {
  const text = '[{"from_account":"to_account","to_account":"from_account","amount":"amount"}]';
  expect(codes((await read("a.json", text)).rows, "json")).toEqual(["not_a_number"]);
});
