import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/operations/catalogue.ts";
import { workbookOf } from "../../src/workbook/write.ts";
import { openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk.ts";
import { answer, type FaultServer } from "../support/fault-server.ts";
import { readFile } from "../support/files.ts";
import { tomlAt, transferToml } from "../support/mappings.ts";
import { paydrop } from "../support/paydrop.ts";
import { runProgram, type ProgramEnded } from "../support/program.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { startService } from "../support/service.ts";

async function office(): Promise<{
  desk: Desk;
  server: FaultServer;
  call: (...said: string[]) => Promise<ProgramEnded>;
}> {
  const server = await startService();
  const desk = openDesk(server.url);
  return { desk, server, call: (...said) => runProgram(said, { env: desk.env, cwd: desk.folder }) };
}

/** The first word behind `batch`. */
function batchOf({ stdout }: ProgramEnded): string {
  return /batch (\w+)/.exec(stdout)?.[1] ?? "";
}

describe("a template as a workbook", () => {
  test.each(OPERATIONS.map(({ name, folder, forms }) => [name, folder, forms.at(-1)] as const))(
    "%s: columns as text, an explanation of each, and examples that are refused",
    async (name, folder, form) => {
      const path = join(temporaryDirectory(), "new.xlsx");
      const { code, stdout, stderr } = await paydrop(["template", name, "--out", path]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).toContain("EXAMPLE");
      const { sheet, rows } = await readFile(path, { knownNames: form?.fields.map((field) => field.name) ?? [] });
      expect(sheet.sheetName).toBe(folder);
      expect(sheet.header).toEqual(form?.fields.map((field) => field.name));
      expect(rows).toHaveLength(2);
      const explained = await readFile(path, { sheetName: "How to fill in" });
      expect(explained.rows.slice(0, sheet.header?.length).map(({ cells }) => cells[0])).toEqual(sheet.header);
      const checked = await paydrop(["check", path]);
      expect(checked.code).toBe(3);
      expect(checked.stdout).toContain("still says EXAMPLE");
    },
  );

  test("it is never written over a file, nor printed, nor under another name", async () => {
    const path = join(temporaryDirectory(), "new.xlsx");
    expect((await paydrop(["template", "loan", "--out", path])).code).toBe(0);
    const before = readFileSync(path);
    expect(await paydrop(["template", "payout", "--out", path])).toMatchObject({ code: 2 });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect((await paydrop(["template", "loan", "--xlsx"])).stderr).toContain("--out");
    expect((await paydrop(["template", "loan", "--csv", "--out", path])).code).toBe(2);
    expect((await paydrop(["template", "loan", "--out", join(temporaryDirectory(), "x.pdf")])).code).toBe(2);
  });
});

describe("an earlier batch to start from", () => {
  const HEADER = ["from_account", "to_account", "amount", "Reference", "period", "mine"];
  const ROWS = [
    ["50100271828001", "60200000000001", "100.00", "R-1", "2026-11", "=1+1"],
    ["50100271828001", "60200000000002", "", "R-2", "2026-11", "x"],
  ];

  test("a workbook: same payees and amounts, references and periods empty, ready for the next month", async () => {
    const { desk, server, call } = await office();
    desk.write("nov.xlsx", workbookOf([{ name: "Pay", header: HEADER, rows: ROWS }]));
    const batch = batchOf(await desk.run("nov.xlsx"));
    const made = await call("template", "--from", batch, "--out", "dec.xlsx");
    expect(made).toMatchObject({ code: 0, stdout: "" });
    expect(made.stderr).toContain("Emptied, because they belong to that payment alone: Reference, period.");
    expect(made.stderr).toContain("1 of its rows were invalid then: correct or delete them.");
    const { sheet, rows } = await readFile(join(desk.folder, "dec.xlsx"));
    expect(sheet).toMatchObject({ sheetName: "Pay", header: HEADER });
    expect(rows.map(({ cells }) => cells)).toEqual(ROWS.map((row) => [...row.slice(0, 3), "", "", row[5]]));
    expect((await desk.run("dec.xlsx", "--period", "2026-12")).code).toBe(3);
    expect(server.requests).toHaveLength(2);
  });

  test("whose refused and corrected rows are named: they stand there as they were", async () => {
    const { desk, server, call } = await office();
    const row = (account: string): string => `50100271828001,6020000000000${account},1${account}.00`;
    server.use(({ body }) => answer(/0000[23]"/.test(body) ? 422 : 200));
    desk.write("nov.csv", ["from_account,to_account,amount", row("1"), row("2"), row("3"), ""].join("\n"));
    const batch = batchOf(await desk.run("nov.csv"));
    server.use(() => answer(200));
    desk.write("fix.csv", `from_account,to_account,amount,retry_of\n${row("9")},${batch}:4\n`);
    const fix = batchOf(await desk.run("fix.csv"));
    await call("release", fix, "--all", "--by", "ravi", "--reason", "his new account");
    const made = await call("template", "--from", batch, "--csv");
    expect(made.stderr).toContain("Rows of that file (4) were corrected since, and accepted in another file");
    expect(made.stderr).toContain("Rows of that file (3) were refused by the service then");
  });

  test("in another format what was invalid stays behind: it would become text that looks right", async () => {
    const { desk, call } = await office();
    const number = { token: "cell_number", source: "60200000000003", stored: "60200000000003" } as const;
    const rows = [ROWS[0] ?? [], ["50100271828001", number, "5.00", "", "", ""]];
    desk.write("nov.xlsx", workbookOf([{ name: "Pay", header: HEADER, rows }]));
    const batch = batchOf(await desk.run("nov.xlsx"));
    const made = await call("template", "--from", batch, "--csv");
    expect(made.stderr).toContain("1 of its rows were invalid then: they were left out.");
    expect(parse(made.stdout, { bom: true })).toEqual([
      HEADER,
      ["50100271828001", "60200000000001", "100.00", "", "", "'=1+1"],
    ]);
  });

  test("JSON, also as a workbook; a mapped file keeps its own columns", async () => {
    const { desk, call } = await office();
    const rows = [
      { from_account: "50100271828001", to_account: "60200000000001", amount: 100.5, reference: "R-1" },
      { to_account: "60200000000002", from_account: "50100271828001", amount: 7, note: null },
    ];
    desk.write("nov.json", JSON.stringify({ operation: "transfer", period: "2026-11", rows }));
    const batch = batchOf(await desk.run("nov.json"));
    const printed = JSON.parse((await call("template", "transfer", "--from", batch)).stdout) as object;
    expect(printed).toEqual({ operation: "transfer", rows: [{ ...rows[0], reference: "" }, rows[1]] });
    expect((await call("template", "--from", batch, "--out", "dec.xlsx")).code).toBe(0);
    const book = await readFile(join(desk.folder, "dec.xlsx"));
    expect(book.sheet.header).toEqual(["from_account", "to_account", "amount", "reference", "note"]);
    expect(book.rows.map(({ cells }) => cells[2])).toEqual(["100.5", "7"]);

    desk.write("hr.csv", "Ref,Payee Account,Net Pay\nR-9,60200000000009,2500\n");
    const config = tomlAt(join(desk.folder, "paydrop.toml"), transferToml("hr", "rupees"));
    const mapped = batchOf(await desk.run("hr.csv", "--config", config));
    expect((await call("template", "--from", mapped)).stdout).toBe("\ufeffRef,Payee Account,Net Pay\r\n,60200000000009,2500\r\n"); // prettier-ignore
  });

  test("a batch that is not there, or of another operation, is said", async () => {
    const { desk, call } = await office();
    copyFileSync(join(import.meta.dirname, "../../samples/transfers.json"), join(desk.folder, "t.json"));
    const batch = batchOf(await desk.run("t.json"));
    expect(await call("template", "--from", "ZZZZZZZZ")).toMatchObject({ code: 2 });
    expect((await call("template", "payout", "--from", batch)).stderr).toContain("is transfer, not payout");
  });
});
