/**
 * How a file becomes a batch: intake → reader → checks → journal. With `processor.ts` the only place where stages meet.
 */
import { basename, dirname, join } from "node:path";
import { compareDay, compareFile, createSumCounter, hasDayCap, type CapFindings } from "./checks/caps.ts";
import { createChecker, type Checker } from "./checks/check-row.ts";
import { createColumnPlan } from "./checks/columns.ts";
import { compareControl, createControlCounter, type ControlTotals, type ExpectedControl } from "./checks/control.ts";
import type { JudgeRules } from "./checks/duplicates.ts";
import type { CheckedRow } from "./checks/instruction.ts";
import { operationOf, operationsComplete, type FileOperation } from "./checks/operation-of.ts";
import type { KnownValues } from "./checks/rules.ts";
import { readKnownValues } from "./config/known-values.ts";
import type { Rules } from "./config/rule-settings.ts";
import type { Choices, Config } from "./config/config.ts";
import { startOfDay } from "./day.ts";
import { FileRefusedError, type FileFault } from "./errors.ts";
import type { AccountTotals, CorrectionsSaid, MappingSaid } from "./events.ts";
import { formatOfName, isTable } from "./format.ts";
import { faultPoint } from "./fault-point.ts";
import { readControlFile } from "./intake/control.ts";
import { filesKeptIn } from "./intake/kept-files.ts";
import { isOwnHeader } from "./intake/own.ts";
import type { Snapshot } from "./intake/snapshot.ts";
import type { BatchRecord, JournalStore, NewRow, RowRecord } from "./journal/store.ts";
import { OPERATIONS, operationNamed } from "./operations/catalogue.ts";
import type { OperationName } from "./operations/operation.ts";
import type { Origins, Tie } from "./origins.ts";
import { chooseMapping, type HeaderClues } from "./reader/mapping/choose.ts";
import { keepMapping, openMapping, sayMapping, type KeptMapping, type MappingInUse } from "./reader/mapping/kept-mapping.ts"; // prettier-ignore
import type { RowMapper } from "./reader/mapping/mapped-rows.ts";
import type { Sheet } from "./reader/row.ts";
import { openSheet } from "./reader/sheet.ts";
import { CorrectionsHeard } from "./results/correction-words.ts";
import { debitFieldOf, ownCell } from "./results/own-cell.ts";
import { TotalsCollector } from "./results/totals.ts";
import { RESUMABLE_REFUSALS } from "./submission/reason.ts";
import type { Services } from "./processor.ts";

/** What must be known to read a snapshot the same way again, whatever the configuration says by then. */
export interface Reading extends Pick<
  Choices,
  | "emptyFields"
  | "amountDigitsMax"
  | "amountDecimalsMax"
  | "ifscFormat"
  | "ownColumns"
  | "encoding"
  | "numberGrouping"
  | "decimalSign"
  | "rules"
> {
  /** File name of the snapshot. */
  readonly snapshot: string;
  readonly operation?: OperationName;
  /** Of a workbook: the sheet, and the row of its header. */
  readonly sheet?: string;
  readonly headerRow?: number;
  readonly sandbox: boolean;
  /** The column mapping; none: the columns have our own names. */
  readonly mapping?: KeptMapping;
}

/** A file that can be read, before anything is made of its columns. */
export interface InputFile {
  readonly path: string;
  readonly fileName: string;
  readonly snapshot: Snapshot;
  readonly sheet: Sheet;
  readonly columns: readonly string[];
}

export interface OpenedFile extends InputFile {
  readonly columnsKnown: number;
  readonly mapping?: MappingInUse;
  readonly reading: Reading;
  readonly checker: Checker;
  /** Control totals that somebody stated. */
  readonly control: readonly ExpectedControl[];
}

/** Opens a snapshot. Throws FileRefusedError. */
export async function openInput(path: string, snapshot: Snapshot, { config }: Services): Promise<InputFile> {
  const fileName = basename(path);
  const { encoding } = config.choices;
  const sheet = await openSheet(snapshot.path, {
    fileName,
    encoding,
    // the sheet and header row of a workbook are remembered; how a CSV file was cut is found again by our names alone
    knownNames: formatOfName(fileName) === "xlsx" ? [...FIELD_NAMES, ...theirNames(config)] : FIELD_NAMES,
    sheetName: config.sheet,
  });
  const columns = sheet.header ?? (await firstColumns(sheet));
  if (isOwnHeader(columns)) throw refused(fileName, "own_results_file");
  return { path, fileName, snapshot, sheet, columns };
}

/** Finds out the operation of a file, the mapping of its columns and what was stated about it. Throws FileRefusedError. */
export async function understand(input: InputFile, services: Services): Promise<OpenedFile> {
  const { config, sandbox = false } = services;
  const { fileName, sheet, snapshot } = input;
  const { choices } = config;
  const snapshots = dirname(snapshot.path);
  const chosen = chooseMapping({ ...input, ...mappingClues(input, config) });
  if (chosen && "code" in chosen) throw new FileRefusedError(fileName, [chosen]);
  const found = operationOf({
    columns: input.columns,
    filePath: input.path,
    ...(config.operation === undefined ? {} : { operation: config.operation }),
    ...(sheet.wrapper?.operation === undefined ? {} : { wrapperOperation: sheet.wrapper.operation }),
    ...(chosen ? { mapping: chosen } : {}),
  });
  if ("code" in found) throw new FileRefusedError(fileName, [found]);
  const { amountDecimalsMax, amountDigitsMax, emptyFields, encoding, ifscFormat, ownColumns } = choices;
  const { numberGrouping, decimalSign, rules } = choices;
  const reading: Reading = {
    snapshot: basename(snapshot.path),
    ...(found.operation === undefined ? {} : { operation: found.operation.name }),
    ...(sheet.sheetName === undefined ? {} : { sheet: sheet.sheetName }),
    ...(sheet.headerRow === undefined ? {} : { headerRow: sheet.headerRow }),
    ...{ amountDecimalsMax, amountDigitsMax, emptyFields, encoding, ifscFormat, ownColumns, sandbox },
    ...(chosen ? { mapping: await keepMapping(chosen, filesKeptIn(snapshots)) } : {}),
    ...{ numberGrouping, decimalSign, rules },
  };
  const mapping = await mappingOf(reading, snapshots);
  return {
    ...input,
    ...(mapping ? { mapping } : {}),
    columnsKnown: mapping ? mapping.mapping.columns.length : knownColumns(input.columns, found, choices),
    reading,
    checker: checkerOf({ fileName, format: sheet.format }, reading, mapping, await readKnownValues(rules)),
    control: await statedControl(input.path, sheet, config),
  };
}

function mappingClues(
  { columns }: InputFile,
  { mapping, mappings }: Config,
): Pick<HeaderClues, "mappings" | "wanted" | "ownOperations"> {
  // prettier-ignore
  return { mappings, ownOperations: operationsComplete(columns), ...(mapping === undefined ? {} : { wanted: mapping }) };
}

function knownColumns(columns: readonly string[], found: FileOperation, { ownColumns }: Choices): number {
  const operations = found.operation && !found.mixed ? [found.operation] : OPERATIONS;
  const plan = createColumnPlan(columns, { operations, ownColumns, mustBeComplete: false });
  return "knownCount" in plan ? plan.knownCount : 0;
}

function theirNames({ mappings }: Config): readonly string[] {
  return mappings.flatMap(({ header }) => header);
}

async function firstColumns(sheet: Sheet): Promise<readonly string[]> {
  for await (const rows of sheet.rows()) if (rows[0]) return rows[0].columns;
  return [];
}

async function statedControl(file: string, sheet: Sheet, config: Config): Promise<ExpectedControl[]> {
  const flags = {
    ...(config.expectRows === undefined ? {} : { rows: config.expectRows }),
    ...(config.expectTotal === undefined ? {} : { total: config.expectTotal }),
  };
  const beside = await readControlFile(file);
  return [
    ...(Object.keys(flags).length > 0 ? [{ source: "the command line", ...flags }] : []),
    ...(sheet.wrapper?.control ? [{ source: `"control" in the file`, ...sheet.wrapper.control }] : []),
    ...(beside ? [{ source: `${basename(file)}.control`, ...beside }] : []),
  ];
}

/** Reads, checks and writes down every row, then compares the control totals; only then is the batch open. */
export async function recordRows(
  journal: JournalStore,
  batchId: string,
  opened: OpenedFile,
  origins: Origins,
  period: string | undefined,
  rules: JudgeRules,
  config: Config,
  now: number,
): Promise<RowsWritten> {
  const { differing, caps, ...totals } = await writeDownRows(journal, batchId, opened, origins, period, config);
  refuseFor(opened, [...differing, ...caps.refused]);
  await journal.judgeRows(batchId, rules);
  const ofDay = await compareToday(journal, opened.reading.rules, config, now);
  refuseFor(opened, ofDay.refused);
  faultPoint("rows.recorded");
  const remarks = [...opened.sheet.remarks, ...caps.remarks, ...ofDay.remarks];
  await journal.openBatch(batchId, { rows: totals.rows, total: totals.total, remarks }, config.allOrNothing);
  faultPoint("batch.opened");
  return totals;
}

function refuseFor({ fileName }: OpenedFile, faults: readonly FileFault[]): void {
  if (faults.length > 0) throw new FileRefusedError(fileName, faults);
}

/**
 * What `max_per_day` says of what went today and what may still go: when a file is taken in, of every file of today, so
 * that what is let in can go on whatever cuts it off. `ofBatch`: when that one is about to send, of its own rows only.
 */
export async function compareToday(
  journal: JournalStore,
  rules: Rules,
  { environment, timeZone }: Pick<Config, "environment" | "timeZone">,
  nowMs: number,
  ofBatch?: string,
): Promise<CapFindings> {
  if (!hasDayCap(rules)) return { refused: [], remarks: [] };
  const sinceMs = startOfDay(nowMs, timeZone);
  const day = { environment, sinceMs, reasons: RESUMABLE_REFUSALS, ...(ofBatch === undefined ? {} : { ofBatch }) };
  const sums = await journal.goneOrWaiting(day);
  return compareDay(rules, new Map([...sums].map(([name, sum]) => [operationNamed(name).folder, sum])));
}

type RowsWritten = Pick<ControlTotals, "rows" | "total"> & {
  readonly accounts: readonly AccountTotals[];
  readonly corrections?: CorrectionsSaid;
};

/** Every row, checked, in the journal; where the control totals differ, and what caps the file passes. */
export async function writeDownRows(
  journal: JournalStore,
  batchId: string,
  opened: OpenedFile,
  origins: Origins,
  period: string | undefined,
  config: Config,
): Promise<RowsWritten & { readonly differing: readonly FileFault[]; readonly caps: CapFindings }> {
  const counter = createControlCounter();
  const sums = createSumCounter(opened.reading.rules);
  const accounts = new TotalsCollector();
  const heard = new CorrectionsHeard();
  for await (const rows of opened.sheet.rows()) {
    const checked = opened.checker.check(rows);
    const ties = await origins.tie(checked, isTable(opened.sheet.format));
    const newRows = checked.map((one, index) => asNewRow(one, period, ties[index]));
    counter.add(checked);
    sums.add(checked);
    for (const [index, one] of checked.entries()) {
      const newRow = newRows[index];
      if (!newRow) continue;
      heard.add(newRow.number, newRow.correction);
      const record = asIfReady(newRow);
      accounts.add(record, one.instruction?.debitAccount ?? ownCell(one.row, debitFieldOf(record)));
    }
    await journal.addRows(batchId, newRows);
  }
  const found = counter.totals();
  const differing = compareControl(opened.control, found, config.requireControl);
  const caps = compareFile(opened.reading.rules, sums.sums);
  const corrections = heard.said();
  return {
    ...{ rows: found.rows, total: found.total, accounts: accounts.totals().accounts, differing, caps },
    ...(corrections ? { corrections } : {}),
  };
}

export function judgeRulesOf({ duplicateDays, allowRepeats, payeeChange }: Config): JudgeRules {
  return { duplicateDays, allowRepeats, payeeChange };
}

function asNewRow(checked: CheckedRow, period: string | undefined, tie: Tie = {}): NewRow {
  const { row, instruction } = checked;
  const noted = tie.warning ? [...(checked.warnings ?? []), tie.warning] : checked.warnings;
  const warnings = {
    ...(noted ? { warnings: noted } : {}),
    ...(tie.correction ? { correction: tie.correction } : {}),
  };
  if (!instruction) {
    return {
      number: row.number,
      faults: checked.faults,
      ...warnings,
      ...(checked.operation === undefined ? {} : { operation: checked.operation.name }),
      ...(checked.amount === undefined ? {} : { amount: checked.amount }),
    };
  }
  const stated = instruction.period ?? period;
  return {
    number: row.number,
    operation: instruction.operation.name,
    ...(instruction.option === undefined ? {} : { option: instruction.option }),
    amount: instruction.amount,
    ...warnings,
    payment: {
      core: instruction.core,
      beneficiary: instruction.beneficiary,
      ...(instruction.reference === undefined ? {} : { reference: instruction.reference }),
      ...(stated === undefined ? {} : { period: stated }),
    },
  };
}

function asIfReady({ number, operation, amount, faults }: NewRow): RowRecord {
  return {
    ...{ number, state: "ready", attempts: 0 },
    ...(faults?.[0] ? { code: faults[0].code } : {}),
    ...(operation === undefined ? {} : { operation }),
    ...(amount === undefined ? {} : { amount }),
  };
}

/** `known`: only a file that is taken in is compared with lists; what they pointed out stands in the journal. */
export function checkerOf(
  batch: Pick<BatchRecord, "fileName" | "format">,
  reading: Reading,
  mapping?: MappingInUse,
  known: KnownValues = new Map(),
): Checker {
  const checker = createChecker({
    fileName: batch.fileName,
    format: batch.format,
    choices: reading,
    headerRow: reading.headerRow,
    sandbox: reading.sandbox,
    known,
    ...(reading.operation === undefined ? {} : { operation: operationNamed(reading.operation) }),
  });
  return mapping ? { check: (rows) => checker.check(rows.map(mapping.view)) } : checker;
}

/** A batch's snapshot, read the way it was read first. */
export interface OpenedSnapshot {
  /** The rows as they stand in the file. */
  readonly sheet: Sheet;
  /** A row under the names of our fields. */
  readonly view: RowMapper;
  readonly mapping?: MappingInUse;
  readonly checker: Checker;
}

export async function openSnapshot(batch: BatchRecord, reading: Reading, snapshots: string): Promise<OpenedSnapshot> {
  const sheet = await openSheet(join(snapshots, reading.snapshot), {
    fileName: batch.fileName,
    format: batch.format,
    encoding: reading.encoding,
    knownNames: FIELD_NAMES,
    sheetName: reading.sheet,
    headerRow: reading.headerRow,
  });
  const mapping = await mappingOf(reading, snapshots);
  const view = mapping?.view ?? ((row) => row);
  return { sheet, view, checker: checkerOf(batch, reading, mapping), ...(mapping ? { mapping } : {}) };
}

/** `mapping`: what is to be said of the one that a file is read by; nothing where there is none. */
export async function mappingSaid({
  mapping,
  sheet,
  checker,
}: Pick<OpenedSnapshot, "mapping" | "sheet" | "checker">): Promise<{ mapping?: MappingSaid }> {
  if (!mapping) return {};
  return { mapping: await sayMapping(mapping, sheet, (row) => checker.check([row])[0]?.instruction?.amount) };
}

async function mappingOf(reading: Reading, snapshots: string): Promise<MappingInUse | undefined> {
  return reading.mapping && openMapping(reading.mapping, reading.encoding, filesKeptIn(snapshots));
}

export function readingOf(batch: BatchRecord): Reading {
  // what was not asked of a file when it was taken in is not asked of it later
  return { ...UNASKED, ...(JSON.parse(batch.choices) as Reading) };
}

const UNASKED = { numberGrouping: "none", decimalSign: "point", rules: {} } as const;

const FIELD_NAMES: readonly string[] = [
  ...new Set(OPERATIONS.flatMap((one) => one.forms.flatMap((form) => form.fields.map((field) => field.name)))),
  ...["operation", "reference", "period"],
];

export function refused(fileName: string, code: keyof typeof OWN_FILES): FileRefusedError {
  return new FileRefusedError(fileName, [{ code, ...OWN_FILES[code] }]);
}

const OWN_FILES = {
  own_results_file: {
    message: "this is a results file that paydrop wrote (it has the columns result_row and result_status)",
    hint: "Run the file that it reports on, or the retry file after you corrected it.",
  },
  retry_not_corrected: {
    message: "this retry file is just as paydrop wrote it: nothing in it was corrected",
    hint: "Correct its rows, save it, then run it again.",
  },
} as const;
