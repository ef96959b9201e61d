import { describe, expect, test } from "vitest";
import { createChecker } from "../../src/checks/check-row.ts";
import type { CheckedRow } from "../../src/checks/instruction.ts";
import { operationNamed } from "../../src/operations/catalogue.ts";
import type { OperationName } from "../../src/operations/operation.ts";
import { createRowMapper } from "../../src/reader/mapping/mapped-rows.ts";
import type { Row } from "../../src/reader/row.ts";
import { read } from "../support/files.ts";
import { mappingsOf } from "../support/mappings.ts";
import { DEFAULT_CHOICES } from "../support/rows.ts";

const TRANSFER = "from_account,name,to_account,amount,remarks";
const LOAN = "borrower_name,borrower_id,amount,tenure,remarks";
const PAYOUT = "debit_account_id,bank_acc_num,ifsc_code,amount,payment_mode,name,bank_owner_name,narration,notes".split(
  ",",
);
const GOOD = ["ACC1", "501002718281", "HDFC0001234", "100", "NEFT", "Asha", "Asha", "Salary", "n"];

async function check(operation: OperationName, ...lines: readonly string[]): Promise<CheckedRow[]> {
  return checkRows(operation, (await read("a.csv", [...lines, ""].join("\n"))).rows);
}

function checkRows(operation: OperationName, rows: readonly Row[]): CheckedRow[] {
  const options = { fileName: "a.csv", format: "csv", sandbox: false, choices: DEFAULT_CHOICES } as const;
  return createChecker({ ...options, operation: operationNamed(operation) }).check(rows);
}

/** `goes`, or the codes with their cells, those that only warn in brackets. */
function saidOf({ instruction, faults, warnings = [] }: CheckedRow): string {
  const said = [...(faults ?? []), ...warnings].map(({ code, cell = "", level }) =>
    level ? `(${code} ${cell})` : `${code} ${cell}`,
  );
  return [...(instruction ? ["goes"] : []), ...said].join(" ");
}

describe("a row whose cells a delimiter outside quotes moved aside sends nothing", () => {
  test.each([
    ["transfer", TRANSFER, "ACC-1,Kumar, Ravi,50100271820123,500.00,", "cells_shifted C2"],
    ["transfer", TRANSFER, "ACC-1,Kumar,Ravi,50100271820123,500.00,", "cells_shifted C2"],
    ["transfer", `${TRANSFER},place`, "ACC-1,Rao, Asha, Dr.,50100271820123,500.00,,", "cells_shifted C2"],
    ["transfer", TRANSFER.replaceAll(",", ";"), "ACC-1;Kumar; Ravi;50100271820123;500.00;", "cells_shifted C2"],
    ["loan", LOAN, "Kumar, Ravi,100234,50000,24,", "cells_shifted B2"],
    ["loan", LOAN, "Kumar,Ravi,100234,50000,24,", "cells_shifted B2"],
    ["collection", "payer,vpa,expiry,amount,note", "Kumar, Ravi,ravi@upi,1800,500.00,", "cells_shifted B2"],
    [
      "payout",
      PAYOUT.join(),
      "ACC1,501002718280,HDFC0001234,100,NEFT,Kumar, Ravi,Ravi Kumar,Salary,",
      "cells_shifted G2",
    ],
  ] as const)("%s, %s, %s", async (operation, header, row, said) => {
    const [checked] = await check(operation, header, row);
    expect(checked && saidOf(checked)).toContain(said);
    expect(checked?.instruction).toBeUndefined();
  });

  test("also where every row of the file is so, or none but it", async () => {
    const shifted = ["ACC-1,Kumar, Ravi,50100271820123,500.00,", "ACC-1,Rao, Asha,50100271820124,600.00,"];
    const all = await check("transfer", TRANSFER, ...shifted);
    expect(all.map(saidOf)).toEqual(["cells_shifted C2", "cells_shifted C3"]);
    const one = await check("transfer", TRANSFER, "ACC-1,Asha Rao,50100271821,450.00,ok", shifted[0] ?? "");
    expect(one.map(saidOf)).toEqual(["goes", "cells_shifted C3"]);
  });

  test("and says what to do, with nothing of the row in it", async () => {
    const [checked] = await check("transfer", TRANSFER, "ACC-1,Kumar, Ravi,50100271820123,500.00,");
    const [fault] = checked?.faults ?? [];
    expect(fault).toMatchObject({ column: "to_account", cell: "C2" });
    expect(fault?.message).toContain("one column too far to the right, as where a comma outside quotes");
    expect(fault?.hint).toContain("Put the cell with the comma in double quotes");
    expect(JSON.stringify(fault)).not.toMatch(/Ravi|Kumar|0123/);
    // nor is the account added up
    expect(checked).not.toHaveProperty("amount");
  });

  test("of a mapped file it is told by the columns of the file", async () => {
    const [mapping] = mappingsOf(`[mapping.m]
      operation = "transfer"
      amount_unit = "rupees"
      header = ["From", "Payee", "Account", "Net Pay", "Note"]
      columns = { From = "from_account", Account = "to_account", "Net Pay" = "amount" }`);
    if (!mapping) throw new Error("no mapping");
    const text = "From,Payee,Account,Net Pay,Note\nACC-1,Kumar, Ravi,50100271820123,500.00,\nACC-1,Asha,5010027,5,,\n";
    const checked = checkRows("transfer", (await read("a.csv", text)).rows.map(createRowMapper(mapping, [])));
    expect(checked.map(saidOf)).toEqual(["cells_shifted C2", "goes"]);
    expect(checked[0]?.faults).toMatchObject([{ column: "Account" }]);
  });
});

test("where only texts that may be left out would stand elsewhere, it is pointed out", async () => {
  const header = "from_account,to_account,amount,place,remarks";
  const [checked] = await check("transfer", header, "ACC-1,ACC-2,500.00,Pune, Maharashtra,");
  expect(checked && saidOf(checked)).toBe("goes (cells_shifted E2)");
});

describe("empty cells behind the header alone say nothing", () => {
  test.each([
    ["a delimiter at the end", "transfer", TRANSFER, "ACC-1,Asha Rao,50100271821,450.00,ok,"],
    ["several of them", "transfer", TRANSFER, "ACC-1,Asha Rao,50100271821,450.00,,,,"],
    ["no name", "transfer", TRANSFER, "ACC-1,,50100271821,450.00,,"],
    ["ids without digits", "transfer", TRANSFER, "OPS,Asha Rao,TAX,450.00,7,"],
    ["numbers of their own", "loan", `${LOAN},rate`, "Ravi,RAVI,40000,12,9,8,"],
    ["an amount of ten digits", "transfer", TRANSFER, "ACC-1,Asha,50100271821,4500000000,ok,"],
    ["a space before a name", "transfer", TRANSFER, "ACC-1, Asha Rao,50100271821,450.00,ok,"],
    ["a space before a mode", "payout", PAYOUT.join(), [...GOOD.with(4, " NEFT"), ""].join()],
    ["a space behind every comma", "payout", PAYOUT.join(), `${GOOD.join(", ")},`],
    ["such a space, and an empty cell", "payout", PAYOUT.join(), `${GOOD.with(7, "").join(", ")},`],
    [
      "a purpose behind a mode",
      "payout",
      [...PAYOUT.slice(0, 4), ...PAYOUT.slice(5), "payment_mode", "purpose"].join(),
      `${[...GOOD.slice(0, 4), ...GOOD.slice(5), "NEFT", " Salary"].join()},`,
    ],
    ["amounts set to the right", "transfer", TRANSFER, "ACC-1,Asha,50100271821,    450.00,ok,"],
    ["an expiry of seconds", "collection", "vpa,amount,expiry", "ravi@upi,500.00,1767225600,"],
    ["a quoted comma", "transfer", TRANSFER, 'ACC-1,"Kumar, Ravi",50100271820123,500.00,ok,'],
  ] as const)("%s", async (_, operation, header, row) => {
    const [checked] = await check(operation, header, row);
    expect(checked && saidOf(checked)).toBe("goes");
  });

  test("blocks of rows with and without them, as Excel writes them, all go", async () => {
    const rows = Array.from({ length: 40 }, (_, at) => `ACC-1,Asha Rao,50100271${at},450.00,ok${at < 16 ? "," : ""}`);
    expect((await check("transfer", TRANSFER, ...rows)).every(({ instruction }) => instruction)).toBe(true);
  });
});
