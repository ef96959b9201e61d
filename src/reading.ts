/**
 * How a snapshot is read, the same way every time: what is remembered of it, its rows, the view of its columns and its
 * checks. Like `take-in.ts` and `batch/` a place where stages meet.
 */
import { join } from "node:path";
import { createChecker, type Checker } from "./checks/check-row.ts";
import type { CheckChoices } from "./checks/compile.ts";
import type { KnownValues } from "./checks/rules.ts";
import type { Choices, Config } from "./config/config.ts";
import { defined } from "./defined.ts";
import { CopyGoneError } from "./errors.ts";
import type { MappingSaid } from "./events.ts";
import { filesKeptIn } from "./intake/kept-files.ts";
import { verifySnapshot } from "./intake/snapshot.ts";
import type { BatchRecord } from "./journal/batch-record.ts";
import { OPERATIONS, operationNamed } from "./operations/catalogue.ts";
import type { OperationName } from "./operations/operation.ts";
import { openMapping, sayMapping, type KeptMapping, type MappingInUse } from "./reader/mapping/kept-mapping.ts";
import type { RowMapper } from "./reader/mapping/mapped-rows.ts";
import type { Sheet } from "./reader/row.ts";
import { openSheet } from "./reader/sheet.ts";

/** What must be known to read a snapshot the same way again, whatever the configuration says by then. */
export interface Reading extends CheckChoices, Pick<Choices, "encoding"> {
  /** File name of the snapshot. */
  readonly snapshot: string;
  readonly operation?: OperationName;
  /** For a workbook: the sheet, and the row of its header. */
  readonly sheet?: string;
  readonly headerRow?: number;
  /** Rows of formulas that give nothing are passed over; a batch of an earlier build has them among its rows. */
  readonly passesFormulas?: boolean;
  readonly sandbox: boolean;
  /** The column mapping; none: the columns have our own names. */
  readonly mapping?: KeptMapping;
}

/**
 * `known`: lists that a file is compared with when it is taken in; afterwards the journal has what they pointed out.
 */
export function checkerOf(
  batch: Pick<BatchRecord, "fileName" | "format">,
  reading: Reading,
  mapping?: MappingInUse,
  known: KnownValues = new Map(),
): Checker {
  const { fileName, format } = batch;
  const { headerRow, sandbox } = reading;
  const operation = reading.operation && operationNamed(reading.operation);
  const checker = createChecker(defined({ fileName, format, choices: reading, headerRow, sandbox, known, operation }));
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

/** Where the private copies of files lie. */
export function snapshotsIn({ stateDir }: Pick<Config, "stateDir">): string {
  return join(stateDir, "snapshots");
}

/** Throws CopyGoneError when the private copy is not there as it was taken. */
export async function assertWhole(batch: BatchRecord, snapshots: string): Promise<void> {
  if (await verifySnapshot(join(snapshots, readingOf(batch).snapshot), batch.sha256)) return;
  throw new CopyGoneError(
    `the private copy of ${batch.fileName} (batch ${batch.id}) is missing or damaged`,
    "drop or run the very same file again, or restore the state directory from a backup; nothing more is sent till then",
  );
}

/** `assertWhole`, then opens the snapshot. */
export async function openWhole(batch: BatchRecord, snapshots: string): Promise<OpenedSnapshot> {
  await assertWhole(batch, snapshots);
  return openSnapshot(batch, snapshots);
}

export async function openSnapshot(batch: BatchRecord, snapshots: string): Promise<OpenedSnapshot> {
  const reading = readingOf(batch);
  const sheet = await openSheet(join(snapshots, reading.snapshot), {
    fileName: batch.fileName,
    format: batch.format,
    encoding: reading.encoding,
    knownNames: FIELD_NAMES,
    sheetName: reading.sheet,
    headerRow: reading.headerRow,
    passesFormulas: reading.passesFormulas,
  });
  const mapping = await mappingOf(reading, snapshots);
  const view = mapping?.view ?? ((row) => row);
  return defined({ sheet, view, checker: checkerOf(batch, reading, mapping), mapping });
}

/** `mapping`: what is to be said of the mapping that a file is read by; left out where there is none. */
export async function mappingSaid({
  mapping,
  sheet,
  checker,
}: Pick<OpenedSnapshot, "mapping" | "sheet" | "checker">): Promise<{ mapping?: MappingSaid }> {
  if (!mapping) return {};
  return { mapping: await sayMapping(mapping, sheet, (row) => checker.check([row])[0]?.instruction?.amount) };
}

export async function mappingOf(reading: Reading, snapshots: string): Promise<MappingInUse | undefined> {
  return reading.mapping && openMapping(reading.mapping, reading.encoding, filesKeptIn(snapshots));
}

export function readingOf(batch: BatchRecord): Reading {
  // a batch that was taken before these settings existed is read without them
  return { ...UNASKED, ...(JSON.parse(batch.choices) as Reading) };
}

const UNASKED = { numberGrouping: "none", decimalSign: "point", rules: {} } as const;

export const FIELD_NAMES: readonly string[] = [
  ...new Set(OPERATIONS.flatMap((one) => one.forms.flatMap((form) => form.fields.map((field) => field.name)))),
  ...["operation", "reference", "period"],
];
