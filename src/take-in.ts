/**
 * What a file is before it becomes a batch: intake → reader → the operation, the mapping and the checks of its rows.
 * Like `reading.ts`, `processor.ts` and `batch/` a place where stages meet.
 */
import { basename, dirname } from "node:path";
import { type Checker } from "./checks/check-row.ts";
import { createColumnPlan } from "./checks/columns.ts";
import { type ExpectedControl } from "./checks/control.ts";
import { inspectFilePeriod } from "./checks/cells/read-own.ts";
import { operationOf, operationsComplete, type FileOperation, type OperationClues } from "./checks/operation-of.ts";
import { readKnownValues } from "./config/known-values.ts";
import type { Choices, Config } from "./config/config.ts";
import type { Mapping } from "./config/mapping.ts";
import { defined } from "./defined.ts";
import { FileRefusedError, type FileFault } from "./errors.ts";
import { formatOfName } from "./format.ts";
import { misnamedControl, readControlFiles } from "./intake/control.ts";
import { filesKeptIn } from "./intake/kept-files.ts";
import { isOwnHeader, ownFileRefused } from "./intake/own.ts";
import type { Snapshot } from "./intake/snapshot.ts";
import { OPERATIONS } from "./operations/catalogue.ts";
import type { OperationName } from "./operations/operation.ts";
import { chooseMapping } from "./reader/mapping/choose.ts";
import { keepMapping, type KeptMapping, type MappingInUse } from "./reader/mapping/kept-mapping.ts";
import type { Sheet } from "./reader/row.ts";
import { openSheet } from "./reader/sheet.ts";
import { inspectEncoding } from "./reader/stated-encoding.ts";
import { checkerOf, FIELD_NAMES, mappingOf, type Reading } from "./reading.ts";
import type { Services } from "./processor.ts";

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
  /** The name of a file beside it that was surely meant to state control totals; set where nobody stated any. */
  readonly misnamed?: string;
  /** What is to be said of the file; complete only after its rows were read. */
  readonly remarks: () => readonly string[];
}

/** Opens a snapshot. Throws FileRefusedError. */
export async function openInput(path: string, snapshot: Snapshot, { config }: Services): Promise<InputFile> {
  const fileName = basename(path);
  const { encoding } = config.choices;
  const sheet = await openSheet(snapshot.path, {
    fileName,
    encoding,
    // the sheet and header row of a workbook are remembered; how a CSV file is divided must be found again by our own
    // names alone
    knownNames: formatOfName(fileName) === "xlsx" ? [...FIELD_NAMES, ...theirNames(config)] : FIELD_NAMES,
    sheetName: config.sheet,
    passesFormulas: true,
    isComplete: (columns) => operationsComplete(columns).length > 0,
  });
  const columns = sheet.header ?? (await firstColumns(sheet));
  if (isOwnHeader(columns)) throw ownFileRefused(fileName, "own_results_file");
  return { path, fileName, snapshot, sheet, columns };
}

/** The operation of the rows that all rows of a file correct; asked where nothing else says what the file is. */
type Corrects = () => Promise<OperationName | undefined>;

/** Finds out the operation of a file, the mapping of its columns and what was stated about it. Throws FileRefusedError. */
export async function understand(input: InputFile, services: Services, corrects: Corrects): Promise<OpenedFile> {
  const { config } = services;
  const { path, fileName, sheet, snapshot } = input;
  const { chosen, found } = await unquestioned(input, config, corrects);
  const snapshots = dirname(snapshot.path);
  const kept = chosen && (await keepMapping(chosen, config.choices.encoding, filesKeptIn(snapshots)));
  const reading = newReading(input, services, found, kept);
  const mapping = await mappingOf(reading, snapshots);
  const control = await statedControl(path, sheet, config);
  const misnamed = control.length === 0 ? await misnamedControl(path) : undefined;
  const unread = `${misnamed ?? ""} is not read: control totals of this file are read from ${fileName}.control`;
  return defined({
    ...{ ...input, mapping },
    columnsKnown: mapping ? mapping.mapping.columns.length : knownColumns(input.columns, found, config.choices),
    reading,
    checker: checkerOf({ fileName, format: sheet.format }, reading, mapping, await readKnownValues(reading.rules)),
    ...{ control, misnamed },
    remarks: () => (misnamed === undefined ? sheet.remarks : [...sheet.remarks, unread]),
  });
}

/** The mapping and the operation of a file. Throws FileRefusedError where a person has to be asked first. */
async function unquestioned(
  input: InputFile,
  config: Config,
  corrects: Corrects,
): Promise<{ readonly chosen: Mapping | undefined; readonly found: FileOperation }> {
  const { path, fileName, columns, sheet, snapshot } = input;
  const { choices, mappings, mapping: wanted } = config;
  const refuse = (fault: FileFault): never => {
    throw new FileRefusedError(fileName, [fault]);
  };
  const otherwise = sheet.format === "xlsx" ? undefined : await inspectEncoding(snapshot.path, choices.encoding);
  if (otherwise) refuse(otherwise);
  const ownOperations = operationsComplete(columns);
  const chosen = chooseMapping(defined({ path, columns, mappings, wanted, ownOperations }));
  if (chosen && "code" in chosen) return refuse(chosen);
  const clues = defined({ ...statementsOf(input, config), columns, ownColumns: choices.ownColumns, mapping: chosen });
  const asRead = operationOf(clues);
  const found = "code" in asRead ? operationOf(defined({ ...clues, corrects: await corrects() })) : asRead;
  if ("code" in found) return refuse(found);
  const unclear = unclearPeriod(sheet, config);
  if (unclear) refuse(unclear);
  return { chosen, found };
}

/** How the file is read, by the settings of now: stored with the batch, so that it is always read the same way. */
function newReading(
  { snapshot, sheet }: InputFile,
  { config, sandbox = false }: Services,
  { operation }: FileOperation,
  mapping: KeptMapping | undefined,
): Reading {
  const { amountDecimalsMax, amountDigitsMax, emptyFields, encoding, ifscFormat, ownColumns } = config.choices;
  const { numberGrouping, decimalSign, rules } = config.choices;
  return defined({
    snapshot: basename(snapshot.path),
    ...{ operation: operation?.name, sheet: sheet.sheetName, headerRow: sheet.headerRow },
    passesFormulas: sheet.format === "xlsx" ? true : undefined,
    ...{ amountDecimalsMax, amountDigitsMax, emptyFields, encoding, ifscFormat, ownColumns, sandbox },
    mapping,
    ...{ numberGrouping, decimalSign, rules },
  });
}

/** What is said of a file's operation, apart from its columns. */
export function statementsOf(
  { path, sheet }: Pick<InputFile, "path" | "sheet">,
  { operation }: Config,
): Omit<OperationClues, "columns"> {
  return defined({ filePath: path, operation, wrapperOperation: sheet.wrapper?.operation });
}

function knownColumns(columns: readonly string[], found: FileOperation, { ownColumns }: Choices): number {
  const operations = found.operation && !found.mixed ? [found.operation] : OPERATIONS;
  const plan = createColumnPlan(columns, { operations, ownColumns, mustBeComplete: false });
  return "knownCount" in plan ? plan.knownCount : 0;
}

function unclearPeriod({ wrapper }: Sheet, { period }: Config): FileFault | undefined {
  if (period !== undefined) return inspectFilePeriod(period, "--period");
  return wrapper?.period === undefined ? undefined : inspectFilePeriod(wrapper.period, '"period" in the file');
}

function theirNames({ mappings }: Config): readonly string[] {
  return mappings.flatMap(({ header }) => header);
}

async function firstColumns(sheet: Sheet): Promise<readonly string[]> {
  for await (const rows of sheet.rows()) if (rows[0]) return rows[0].columns;
  return [];
}

/** The control totals that somebody states for a file. Throws FileRefusedError for a file of them that cannot be read. */
export async function statedControl(file: string, sheet: Sheet, config: Config): Promise<ExpectedControl[]> {
  const flags = defined({ rows: config.expectRows, total: config.expectTotal });
  return [
    ...(Object.keys(flags).length > 0 ? [{ source: "the command line", ...flags }] : []),
    ...(sheet.wrapper?.control ? [{ source: `"control" in the file`, ...sheet.wrapper.control }] : []),
    ...(await readControlFiles(file)),
  ];
}
