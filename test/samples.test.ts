import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkOne } from "../src/acts/check.ts";
import { loadSettings } from "../src/config/load.ts";
import { FileRefusedError } from "../src/errors.ts";
import { processFile } from "../src/index.ts";
import { FILE_FAULTS } from "../src/messages/faults.ts";
import { POINTED_OUT } from "../src/messages/row-faults.ts";
import { ROW_FAULTS } from "../src/messages/row-faults.ts";
import { startSandbox } from "../src/sandbox/server.ts";
import { readFile } from "./support/tables.ts";
import { temporaryDirectory } from "./support/state-dir.ts";
import { workbookOf } from "./support/workbooks.ts";

const SAMPLES = join(import.meta.dirname, "../samples");
const GALLERY = join(SAMPLES, "faults");
const EXPECTED = join(SAMPLES, "expected");

/** What went before must be in the journal. */
const NOT_BY_ONE_FILE = ["taken_before", "day_over_cap", "compared_in_part", "still_as_it_was"];
/** A row is held by what a column says, and the column is pointed out. */
const TOLD_WITH_IT: Readonly<Record<string, readonly string[]>> = { not_now: ["says_when"] };

describe("the gallery of faults", () => {
  const samples = readdirSync(GALLERY).filter((name) => !/\.(?:control|toml|table\.csv)$/.test(name));
  const codeOf = (name: string): string => name.slice(0, name.indexOf("."));

  test("every code → has a file, and no other has one", () => {
    const told = Object.keys({ ...ROW_FAULTS, ...FILE_FAULTS, ...POINTED_OUT, own_results_file: {} });
    expect([...new Set(samples.map(codeOf))].sort()).toEqual(
      told.filter((code) => !NOT_BY_ONE_FILE.includes(code)).sort(),
    );
  });

  test.each(samples)("%s → told for what its name says, and nothing else", async (name) => {
    const code = codeOf(name);
    expect(await codesTold(join(GALLERY, name))).toEqual([code, ...(TOLD_WITH_IT[code] ?? [])]);
  });
});

/** Every code that `check` tells of a file, with the settings beside it. */
async function codesTold(path: string): Promise<string[]> {
  const settings = existsSync(`${path}.toml`) ? { config: `${path}.toml` } : {};
  const { config } = loadSettings({ flags: { state_dir: temporaryDirectory(), ...settings }, env: {} });
  try {
    const { invalid, held, pointedOut, remarks } = await checkOne(path, config, true);
    return [...new Set([...invalid, ...held, ...pointedOut, ...remarks].map(({ code }) => code))];
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error;
    return error.faults.map(({ code }) => code);
  }
}

/** `vitest run test/samples.test.ts -u` writes the expected results again. */
describe("the samples", () => {
  // what a run writes beside a sample has more than one point in its name
  const samples = readdirSync(SAMPLES).filter((name) => /^[^.]+\.(?:csv|json|jsonl|txt|xlsx)$/.test(name));
  const WITH_ROWS_TO_CORRECT = ["payroll.csv", "payroll.json", "payroll.xlsx"];

  test("every sample → has its expected results, and nothing else has", () => {
    const expected = [
      ...samples.map(resultsName),
      ...WITH_ROWS_TO_CORRECT.map((name) => name + ".retry" + extname(name)),
    ];
    expect(readdirSync(EXPECTED).sort()).toEqual(expected.sort());
  });

  test.each(samples)("%s → each valid row leaves once, results as expected", async (name) => {
    const folder = temporaryDirectory();
    for (const file of [name, `${name}.control`]) {
      if (existsSync(join(SAMPLES, file))) copyFileSync(join(SAMPLES, file), join(folder, file));
    }
    const sandbox = await startSandbox({ port: 0 });
    onTestFinished(() => sandbox.close());
    const report = await processFile(join(folder, name), { sandbox });
    const hasRowsToCorrect = WITH_ROWS_TO_CORRECT.includes(name);
    expect(report.exitCode).toBe(hasRowsToCorrect ? 3 : 0);
    expect(report.files.retry !== undefined).toBe(hasRowsToCorrect);

    const isWorkbook = name.endsWith(".xlsx");
    const path = join(folder, resultsName(name));
    const results = isWorkbook ? await asJson(path) : readFileSync(path, "utf8");
    const { requests, entries } = sandbox.ledger();
    const accepted = rowsOf(results, name).filter((row) => row["result_status"] === "accepted");
    expect(requests).toBe(accepted.length);
    expect(entries.map(sentRow).sort()).toEqual(accepted.map(acceptedRow(entries)).sort());

    await compare(asAlways(results), join(EXPECTED, resultsName(name)), isWorkbook);
    const { retry } = report.files;
    if (retry === undefined) return;
    const rows = isWorkbook ? await asJson(retry) : readFileSync(retry, "utf8");
    await compare(rows, join(EXPECTED, `${name}.retry${extname(name)}`), isWorkbook);
  });
});

function resultsName(name: string): string {
  return `${name}.results${extname(name) === ".txt" ? ".csv" : extname(name)}`;
}

async function compare(found: string, expected: string, isWorkbook: boolean): Promise<void> {
  if (!isWorkbook) return expect(found).toMatchFileSnapshot(expected);
  const rows = JSON.parse(found) as Record<string, string>[];
  const header = Object.keys(rows[0] ?? {});
  // written when it is not there; the first test says that it was not
  if (!existsSync(expected)) {
    const cells = rows.map((row) => header.map((name) => row[name] ?? ""));
    writeFileSync(expected, workbookOf({ name: "results", header, rows: cells }));
  }
  expect(rows).toEqual(JSON.parse(await asJson(expected)));
}

/** The rows of a workbook as objects: what is in its cells counts, not how it was packed. */
async function asJson(path: string): Promise<string> {
  const { table, rows } = await readFile(path);
  const objects = rows.map(({ cells }) =>
    Object.fromEntries(
      cells.map((cell, at) => [table.header?.[at] ?? "", typeof cell === "string" ? cell : cell.source]),
    ),
  );
  return JSON.stringify(objects);
}

/** What differs from run to run: the time, the duration, the order in which the sandbox was reached. */
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
  return results
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Fields);
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
