import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { run } from "../../src/commands/template.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import { OPERATIONS } from "../../src/operations/index.ts";
import { completeOperations } from "../../src/reader/columns.ts";
import type { Reading, Row } from "../../src/reader/row.ts";
import { snapshotPath } from "../../src/state-dir.ts";
import { called } from "../support/calls.ts";
import type { Ended } from "../support/paydrop.ts";
import { fileOf, readFile } from "../support/tables.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

const template = (operands: readonly string[], flags: Readonly<Record<string, unknown>> = {}): Promise<Ended> =>
  called(run, { operands, flags, env: { HOME: temporaryDirectory() } });

/** `amount=1250.00` for each cell that holds something, whatever it holds it as. */
function filledIn({ columns, cells }: Row): readonly string[] {
  return columns.flatMap((column, at) => {
    const cell = cells[at] ?? "";
    return cell === "" ? [] : [`${column}=${typeof cell === "string" ? cell : cell.source}`];
  });
}

describe("examples", () => {
  test.each(OPERATIONS.flatMap(({ name, forms }) => forms.map(({ option }) => [name, option] as const)))(
    "%s, option %s → in each format the same rows, complete, amounts with their digits",
    async (name, option) => {
      const flags = option === undefined ? {} : { option: option.toLowerCase() };
      const folder = temporaryDirectory();
      const printed = await template([name], flags);
      expect(printed.stdout).toMatch(/^\ufeff.*\r\n.*\r\n.*\r\n$/);
      const { table, rows } = await readFile(fileOf("a.csv", printed.stdout));
      expect(completeOperations(table.header ?? [])).toContain(name);
      expect(rows).toHaveLength(2);
      for (const ending of ["csv", "xlsx"]) {
        const out = join(folder, `a.${ending}`);
        expect((await template([name], { ...flags, out })).code).toBe(0);
        expect((await readFile(out)).rows.map(filledIn)).toEqual(rows.map(filledIn));
      }
    },
  );

  test.each<[string, readonly string[], Readonly<Record<string, unknown>>, RegExp]>([
    ["no operation", [], {}, /no operation ""\n.*payout, transfer, loan, collection/],
    ["another operation", ["salary"], {}, /no operation "salary"/],
    ["another option", ["payout"], { option: "C" }, /no option "C"\n.*A, B/],
    ["an option of none", ["loan"], { option: "A" }, /a loan has no options/],
    ["another format", ["loan"], { out: "/tmp/a.json" }, /does not end in/],
    ["a folder that is not there", ["loan"], { out: "/nowhere/a.csv" }, /Is there a folder \/nowhere/],
  ])("%s → says what would be right", async (_, operands, flags, message) => {
    const { code, stdout, stderr } = await template(operands, flags);
    expect({ code: [2, 74].includes(code), stdout }).toEqual({ code: true, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("a file that is there → never written over; quiet → no notes", async () => {
    const out = fileOf("filled.csv", "mine");
    expect((await template(["loan"], { out })).stderr).toContain("is there already");
    expect(readFileSync(out, "utf8")).toBe("mine");
    expect((await template(["payout"], { quiet: true })).stderr).toBe("");
    expect((await template(["payout"])).stderr).toContain("May stay empty: mobile, email, bank_id");
  });
});

describe("the rows of an earlier batch", () => {
  async function batchOf(
    fileName: string,
    content: string,
    reading: Reading,
    invalid: readonly number[] = [],
    more: object = {},
  ): Promise<(flags: Readonly<Record<string, unknown>>) => Promise<Ended>> {
    const stateDir = join(temporaryDirectory(), "state");
    const sha256 = createHash("sha256").update(content).digest("hex");
    const store = await openJournal(stateDir);
    const facts = {
      id: "K7Q29F3M",
      environment: "test",
      destination: "sandbox",
      folder: "/in",
      sizeBytes: content.length,
      createdAt: 1,
    } as const;
    await store.addBatch({
      ...facts,
      fileName,
      format: reading.format,
      sha256,
      reading: JSON.stringify({ reading, operation: "payout", ...more }),
    });
    const faults = [{ code: "value_missing" }];
    await store.addRows(
      facts.id,
      invalid.map((row) => ({ row, state: "invalid", faults, notices: [] })),
    );
    await store.endRows(facts.id, {
      rows: invalid.length,
      total: "0",
      label: "payout",
      payments: "none",
      remarks: [],
    });
    await store.judging(() => store.setBatch(facts.id, { phase: "open" }));
    await store.close();
    mkdirSync(join(stateDir, "snapshots"), { recursive: true, mode: 0o700 });
    writeFileSync(snapshotPath(stateDir, sha256), content, { mode: 0o600 });
    return (flags) =>
      called(run, { flags: { from: "K7Q29F3M", state_dir: stateDir, ...flags }, env: { HOME: temporaryDirectory() } });
  }

  const CSV =
    'Reference,period,name,bank_acc_num,amount,note,retry_message,retry_of\nR-1,2026-11,Asha,0012,"1,0","=x",,\nR-2,2026-11,Ravi,0013,2.00,"a\nb",no,AAAAAAAA:4\n';
  const READING: Reading = { format: "csv", encoding: "utf-8", delimiter: "," };

  test("CSV, also as a workbook → payees and amounts; what was invalid, references and retry columns gone", async () => {
    const { code, stdout, stderr } = await (await batchOf("nov.csv", CSV, READING))({});
    expect(code).toBe(0);
    expect(stdout).toBe(
      '\ufeffReference,period,name,bank_acc_num,amount,note\r\n,,Asha,0012,"1,0",\'=x\r\n,,Ravi,0013,2.00,"a\nb"\r\n',
    );
    expect(stderr).toContain("2 rows of batch K7Q29F3M to start from");
    const from = await batchOf("nov.csv", CSV, READING, [2]);
    const out = join(temporaryDirectory(), "december.xlsx");
    expect((await from({ out })).stderr).toContain("Left out, because they were invalid then: 1 row.");
    const { rows, table } = await readFile(out);
    expect(table.header).toEqual(["Reference", "period", "name", "bank_acc_num", "amount", "note"]);
    expect(rows.map(({ cells }) => cells)).toEqual([["", "", "Ravi", "0013", "2.00", "a\nb"]]);
    expect((await from({ out })).stderr).toContain("is there already");
  });

  test("JSON as CSV; a mapped file → its own columns, its own reference emptied", async () => {
    const json =
      '{"operation":"payout","period":"2026-11","rows":[{"Ref No":"R-1","Net":100.50},{"Net":5,"Grade":"x","Ref No":"R-2"}]}';
    const mapping = {
      name: "hr",
      operation: "payout",
      amountUnit: "rupees",
      header: ["Ref No", "Net", "Grade"],
      constants: {},
      values: {},
      mustBe: [],
      lookups: [],
      columns: [
        { column: "Ref No", fields: ["reference"] },
        { column: "Net", fields: ["amount"] },
      ],
    };
    const from = await batchOf("nov.json", json, { format: "json", encoding: "utf-8" }, [], { mapping });
    const out = join(temporaryDirectory(), "a.csv");
    expect((await from({ out })).code).toBe(0);
    expect((await readFile(out)).rows.map(({ cells }) => cells)).toEqual([
      ["", "100.50", ""],
      ["", "5", "x"],
    ]);
  });

  test("a batch that is not there → said", async () => {
    expect((await (await batchOf("nov.csv", CSV, READING))({ from: "ZZZZZZZZ" })).code).toBe(2);
  });
});
