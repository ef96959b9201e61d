import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { CheckChoices } from "../src/checks/compile.ts";
import type { OperationRules } from "../src/config/rule-settings.ts";
import { createChecker } from "../src/checks/check-row.ts";
import { compareControl, createControlCounter } from "../src/checks/control.ts";
import { operationOf, operationsComplete } from "../src/checks/operation-of.ts";
import { ROW_FAULT_CODES, SECOND_LOOK_CODES } from "../src/checks/sentences.ts";
import { readMappings, type Mapping } from "../src/config/mapping.ts";
import { FILE_FAULT_CODES, FileRefusedError } from "../src/errors.ts";
import { readControlFile } from "../src/intake/control.ts";
import { OPERATIONS } from "../src/operations/catalogue.ts";
import { chooseMapping } from "../src/reader/mapping/choose.ts";
import { readLookupTable, type LookupTable } from "../src/reader/mapping/lookup.ts";
import { createRowMapper } from "../src/reader/mapping/mapped-rows.ts";
import { READER_FAULT_CODES } from "../src/reader/refusals.ts";
import { openSheet } from "../src/reader/sheet.ts";
import { runProgram } from "./support/program.ts";
import { DEFAULT_CHOICES, codesOf } from "./support/rows.ts";
import { temporaryDirectory } from "./support/state-dir.ts";

const SAMPLES = join(import.meta.dirname, "../samples");
const GALLERY = join(SAMPLES, "faults");

/** Codes of which no file alone can be an example. */
const NOT_BY_ONE_FILE: Readonly<Record<string, string>> = {
  retry_not_corrected: "the journal must have noted what it wrote",
  archived: "an earlier batch of the same bytes was archived",
  name_unfit: "it is the name of the file, and no fault of what it holds",
  account_new: "the name had another account in an accepted row",
  zeros_lost: "a payment to the whole account was accepted",
  zeros_gone: "the row that it corrects was taken in before",
  retry_of_operation: "the row that it corrects was taken in before, as another operation",
};

/** Codes that are given behind the checks of rows, or by settings of the whole file: the program itself shows them. */
const BY_THE_PROGRAM = [
  ...["file_over_cap", "day_over_cap", "encoding_differs", "own_results_file"],
  ...["payee_twice", "amount_unusual", "retry_of_malformed", "retry_of_unknown"],
];

/** Codes that stop nothing by themselves. */
const ONLY_WARNINGS = [
  "vpa_malformed",
  "currency_malformed",
  "date_as_text",
  "digits_lost",
  "letters_garbled",
  "period_says_no_time",
  "shown_in_currency",
  "shown_otherwise",
  "shown_rounded",
  "value_not_in_list",
];

/** Codes that only a configuration knows, with one that does. */
const BY_CONFIGURATION: Readonly<Record<string, Partial<CheckChoices>>> = {
  value_not_allowed: payoutRules({ payment_mode: { allowed: ["NEFT", "IMPS"] } }),
  pattern_differs: payoutRules({ narration: { pattern: "[A-Za-z0-9 ]*" } }),
  value_too_long: payoutRules({ narration: { max_length: 20 } }),
  value_not_in_list: payoutRules({ ifsc_code: { list: "ifsc.txt" } }),
  amount_over_cap: { rules: { payouts: { max_per_row: "200000", fields: {} } } },
  decimal_point: { decimalSign: "comma" },
};

function payoutRules(fields: OperationRules["fields"]): Partial<CheckChoices> {
  return { rules: { payouts: { fields } } };
}

const KNOWN = new Map([["ifsc.txt", new Set(["EXMB"])]]);

interface Outcome {
  readonly refused: readonly string[];
  /** Fault codes by row number. */
  readonly invalid: Readonly<Record<number, readonly string[]>>;
  /** What is only pointed out, in the order of the rows. */
  readonly warnings: readonly string[];
  readonly ready: number;
  readonly operations: readonly string[];
}

/** Everything that is done with a file before the journal, with what DESIGN gives as defaults. */
async function checkFile(path: string, code = ""): Promise<Outcome> {
  try {
    return await checkReadable(path, code);
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error;
    return { refused: error.faults.map((fault) => fault.code), invalid: {}, warnings: [], ready: 0, operations: [] };
  }
}

async function checkReadable(path: string, code: string): Promise<Outcome> {
  const fileName = basename(path);
  const knownNames = OPERATIONS.flatMap((one) => one.forms.flatMap((form) => form.fields.map((field) => field.name)));
  const sheet = await openSheet(path, {
    fileName,
    encoding: "utf-8",
    knownNames,
    ...(code === "sheet_missing" ? { sheetName: "November" } : {}),
  });
  const rows = [];
  for await (const chunk of sheet.rows()) rows.push(...chunk);
  const wrapperOperation = sheet.wrapper?.operation;
  const columns = sheet.header ?? rows[0]?.columns ?? [];
  const mappings = mappingsBeside(path);
  const mapping = chooseMapping({ columns, mappings, ownOperations: operationsComplete(columns), path: fileName });
  if (mapping && "code" in mapping) throw new FileRefusedError(fileName, [mapping]);
  const file = operationOf({
    filePath: path,
    columns,
    ...(mapping ? { mapping } : {}),
    ...(wrapperOperation === undefined ? {} : { wrapperOperation }),
  });
  if ("code" in file) throw new FileRefusedError(fileName, [file]);
  const { operation } = file;
  const choices = { ...DEFAULT_CHOICES, ...BY_CONFIGURATION[code] };
  const options = { fileName, format: sheet.format, choices, sandbox: false, known: KNOWN };
  const checked = createChecker({ ...options, ...(operation ? { operation } : {}) }).check(
    mapping ? rows.map(createRowMapper(mapping, await tablesOf(mapping))) : rows,
  );
  const counter = createControlCounter();
  counter.add(checked);
  const expected = [
    { source: "the wrapper", ...sheet.wrapper?.control },
    { source: "the control file", ...(await readControlFile(`${path}.control`)) },
  ];
  const faults = compareControl(expected, counter.totals(), code === "control_missing");
  if (faults.length > 0) throw new FileRefusedError(fileName, faults);
  const invalid = checked.filter((one) => one.faults);
  return {
    refused: [],
    invalid: Object.fromEntries(invalid.map((one) => [one.row.number, codesOf(one)])),
    warnings: checked.flatMap((one) => one.warnings?.map((warning) => warning.code) ?? []),
    ready: checked.length - invalid.length,
    operations: [...new Set(checked.map((one) => one.instruction?.operation.name ?? "none"))].sort(),
  };
}

/** What `paydrop.toml` would say: a file of that ending beside the sample. */
function mappingsBeside(path: string): readonly Mapping[] {
  if (!existsSync(`${path}.toml`)) return [];
  const { mapping } = parse(readFileSync(`${path}.toml`, "utf8"));
  return readMappings(mapping, dirname(path), () => "");
}

function tablesOf(mapping: Mapping): Promise<LookupTable[]> {
  const tables = mapping.lookups.map(async (lookup) => {
    const fileName = basename(lookup.file);
    return readLookupTable(
      await openSheet(lookup.file, { fileName, encoding: "utf-8", knownNames: [] }),
      lookup,
      fileName,
    );
  });
  return Promise.all(tables);
}

const gallery = readdirSync(GALLERY).filter((name) => !/\.(?:control|toml|table\.csv)$/.test(name));
const codeOf = (name: string): string => name.slice(0, name.indexOf("."));

describe("the gallery of faults", () => {
  test("has a file for every code, and no other", () => {
    const codes = [...ROW_FAULT_CODES, ...READER_FAULT_CODES, ...FILE_FAULT_CODES, ...SECOND_LOOK_CODES];
    const shown = codes.filter((code) => !Object.hasOwn(NOT_BY_ONE_FILE, code));
    expect(gallery.map(codeOf).sort()).toEqual([...new Set(shown)].sort());
  });

  test.each(BY_THE_PROGRAM)("%s is what check tells of its file, and nothing else", async (code) => {
    const path = join(GALLERY, `${code}.csv`);
    const settings = existsSync(`${path}.toml`) ? ["--config", `${path}.toml`] : [];
    const env = { HOME: temporaryDirectory() };
    const { stdout, stderr } = await runProgram(["check", path, ...settings, "--json"], { env });
    const told = new Set([...`${stdout}${stderr}`.matchAll(/"code":"([a-z_]+)"/g)].map(([, one]) => one));
    told.delete("file_refused");
    expect([...told]).toEqual([code]);
  });

  test.each(gallery.filter((name) => !BY_THE_PROGRAM.includes(codeOf(name))))(
    "%s shows exactly its fault",
    async (name) => {
      const code = codeOf(name);
      const { refused, invalid, warnings } = await checkFile(join(GALLERY, name), code);
      expect(warnings).toEqual(ONLY_WARNINGS.includes(code) ? [code] : []);
      if (ONLY_WARNINGS.includes(code)) return;
      const isOfRow = (ROW_FAULT_CODES as readonly string[]).includes(code);
      expect(refused).toEqual(isOfRow ? [] : [code]);
      expect(Object.values(invalid)).toEqual(isOfRow ? [[code]] : []);
    },
  );
});

describe("the samples", () => {
  test("of a payroll have three rows to correct, in CSV, JSON and a workbook alike", async () => {
    const rows = [["ifsc_malformed"], ["scientific_notation"], ["thousands_separator"]];
    const { invalid, ready } = await checkFile(join(SAMPLES, "payroll.csv"));
    expect(ready).toBe(21);
    expect(invalid).toEqual({ 8: rows[0], 15: rows[1], 21: rows[2] });
    const book = await checkFile(join(SAMPLES, "payroll.xlsx"));
    expect(book).toMatchObject({ ready: 21, invalid: { 8: rows[0], 15: ["number_not_text"], 21: rows[2] } });
    expect((await checkFile(join(SAMPLES, "payroll.json"))).invalid).toEqual({ 7: rows[0], 14: rows[1], 20: rows[2] });
  });

  test.each([
    ["vendors.csv", 6, "payout"],
    ["vendors.json", 6, "payout"],
    ["payouts-both-options.csv", 7, "payout"],
    ["payouts-both-options.json", 7, "payout"],
    ["payroll-wrapped.json", 6, "payout"],
    ["transfers.csv", 5, "transfer"],
    ["transfers.json", 5, "transfer"],
    ["transfers-semicolon.csv", 5, "transfer"],
    ["transfers-utf16.txt", 5, "transfer"],
    ["loans.csv", 4, "loan"],
    ["loans.json", 4, "loan"],
    ["collections.csv", 4, "collection"],
    ["collections.json", 4, "collection"],
    ["collections.jsonl", 4, "collection"],
    ["mixed.csv", 6, "collection loan payout transfer"],
    ["mixed.json", 6, "collection loan payout transfer"],
  ])("%s is ready to go: %i rows, %s", async (name, ready, operations) => {
    const outcome = await checkFile(join(SAMPLES, name));
    expect({ ...outcome, operations: outcome.operations.join(" ") }).toEqual({
      refused: [],
      invalid: {},
      warnings: [],
      ready,
      operations,
    });
  });
});
