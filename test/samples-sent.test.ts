import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, onTestFinished, test } from "vitest";
import { processFile } from "../src/index.ts";
import { startSandbox } from "../src/sandbox/server.ts";
import { workbookOf } from "../src/workbook/write.ts";
import { readFile } from "./support/files.ts";
import { temporaryDirectory } from "./support/state-dir.ts";

/** `vitest run test/samples-sent.test.ts -u` writes the expected results again. */
const SAMPLES = join(import.meta.dirname, "../samples");
const EXPECTED = join(SAMPLES, "expected");
// what a run writes beside a sample has more than one point in its name
const samples = readdirSync(SAMPLES).filter((name) => /^[^.]+\.(?:csv|json|jsonl|txt|xlsx)$/.test(name));
const WITH_ROWS_TO_CORRECT = ["payroll.csv", "payroll.json", "payroll.xlsx"];

test("every expected result belongs to a sample", () => {
  const expected = [
    ...samples.map(resultsName),
    ...WITH_ROWS_TO_CORRECT.map((name) => name + ".retry" + extname(name)),
  ];
  expect(readdirSync(EXPECTED).sort()).toEqual(expected.sort());
});

test.each(samples)("%s: each valid row is sent once, and the results are the expected ones", async (name) => {
  const folder = temporaryDirectory();
  for (const file of [name, `${name}.control`]) {
    if (existsSync(join(SAMPLES, file))) copyFileSync(join(SAMPLES, file), join(folder, file));
  }
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const path = join(folder, name);

  const report = await processFile(path, { sandbox });
  expect(report.exitCode).toBe(WITH_ROWS_TO_CORRECT.includes(name) ? 3 : 0);

  const isWorkbook = name.endsWith(".xlsx");
  const results = isWorkbook
    ? await asJson(join(folder, resultsName(name)))
    : readFileSync(join(folder, resultsName(name)), "utf8");
  const ledger = sandbox.ledger();
  const accepted = rowsOf(results, name).filter((row) => row["result_status"] === "accepted");
  expect(ledger.requests).toBe(accepted.length);
  expect(ledger.entries.map(sentRow).sort()).toEqual(accepted.map(acceptedRow(ledger.entries)).sort());

  if (isWorkbook) await compareWorkbook(asAlways(results), join(EXPECTED, resultsName(name)));
  else await expect(asAlways(results)).toMatchFileSnapshot(join(EXPECTED, resultsName(name)));
  expect(report.files.retry !== undefined).toBe(WITH_ROWS_TO_CORRECT.includes(name));
  if (report.files.retry !== undefined && isWorkbook) {
    await compareWorkbook(await asJson(report.files.retry), join(EXPECTED, `${name}.retry.xlsx`));
  } else if (report.files.retry !== undefined) {
    const retry = readFileSync(report.files.retry, "utf8");
    await expect(retry).toMatchFileSnapshot(join(EXPECTED, `${name}.retry${extname(name)}`));
  }
  // a snapshot is also content with other ends of lines
  if (resultsName(name).endsWith(".csv")) expect(results).not.toMatch(/(?<!\r)\n/);
});

function resultsName(name: string): string {
  return `${name}.results${extname(name) === ".txt" ? ".csv" : extname(name)}`;
}

/** The rows of a workbook as objects: what is in its cells counts, not how it was packed. */
async function asJson(path: string): Promise<string> {
  const { sheet, rows } = await readFile(path);
  return JSON.stringify(
    rows.map(({ cells }) =>
      Object.fromEntries(
        cells.map((cell, index) => [sheet.header?.[index] ?? "", typeof cell === "string" ? cell : cell.source]),
      ),
    ),
  );
}

/** The expected workbook is written when it is not there; the first test of this file says that it was not. */
async function compareWorkbook(json: string, expected: string): Promise<void> {
  const rows = JSON.parse(json) as Record<string, string>[];
  const header = Object.keys(rows[0] ?? {});
  if (!existsSync(expected)) {
    writeFileSync(
      expected,
      workbookOf([{ name: "results", header, rows: rows.map((row) => header.map((name) => row[name] ?? "")) }]),
    );
  }
  expect(rows).toEqual(JSON.parse(await asJson(expected)));
}

/** What differs from run to run: the time, the duration, and the order in which the sandbox was reached. */
function asAlways(results: string): string {
  let row = 0;
  return results
    .replaceAll(/\b\d{4}-\d\d-\d\dT[0-9:.]{12}Z(",".+?":"?|,)\d+/g, "2026-11-06T04:00:00.000Z$112")
    .replaceAll(/(number\\?"+:)\d+/g, (_, before: string) => `${before}${++row}`);
}

type Fields = Readonly<Record<string, unknown>>;

function rowsOf(results: string, name: string): Fields[] {
  if (resultsName(name).endsWith(".csv")) return parse(results, { bom: true, columns: true });
  if (/\.(?:json|xlsx)$/.test(name)) return JSON.parse(results) as Fields[];
  return results.trimEnd().split("\n").map((line) => JSON.parse(line) as Fields); // prettier-ignore
}

interface Entry {
  readonly operation: string;
  readonly payload: string;
}

/** A request as text, its fields in the order of their names, the amount with its digits. */
function sentRow({ operation, payload }: Entry): string {
  const amount = /"amount":([0-9.]+)/.exec(payload)?.[1];
  return asText(operation, { ...(JSON.parse(payload) as Fields), amount });
}

/** What must have been sent for a row of the results: those of its own cells that are fields of its operation. */
function acceptedRow(entries: readonly Entry[]): (row: Fields) => string {
  const fieldNames = new Set(entries.flatMap(({ payload }) => Object.keys(JSON.parse(payload) as Fields)));
  return (row) => {
    const sent: Record<string, unknown> = {};
    for (const [column, cell] of Object.entries(row)) {
      const field = column.toLowerCase().replaceAll(" ", "_");
      // the spreadsheet's guard is taken off again
      const value = typeof cell === "string" ? cell.replace(/^'(?=[=+\-@])/, "") : cell;
      if (fieldNames.has(field) && value !== "") sent[field] = value;
    }
    const operation = String(row["result_operation"]);
    if (operation === "collection") sent["currency"] ??= "INR";
    return asText(operation, { ...sent, amount: row["result_amount"] });
  };
}

function asText(operation: string, fields: Fields): string {
  const names = Object.keys(fields).sort();
  return `${operation} ${names.map((field) => `${field}=${String(fields[field])}`).join(" ")}`;
}
