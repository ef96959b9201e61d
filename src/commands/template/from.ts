import type { Config } from "../../config/config.ts";
import { PaydropError } from "../../errors.ts";
import { isTable, type FileFormat } from "../../format.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import { normalizeName } from "../../text/names.ts";
import { operationSaid } from "../../operations/catalogue.ts";
import { withProcessor } from "../../processor.ts";
import type { Row, Sheet } from "../../reader/row.ts";
import { lockstep } from "../../results/lockstep.ts";
import { RowRanges } from "../../results/row-ranges.ts";
import { isOfRetryFile } from "../../results/rows.ts";
import { tableIn, type TableRow } from "../../results/table.ts";
import { openWhole, readingOf, snapshotsIn, type OpenedSnapshot } from "../../reading.ts";
import { wholeBatch } from "../known-batch.ts";
import type { TemplateMade } from "../template.ts";

interface StartingFile {
  /** A batch by its id. */
  readonly from: string;
  /** What a person said beside it. */
  readonly operation: string | undefined;
  /** undefined: as the batch's own file. */
  readonly format: FileFormat | undefined;
}

/**
 * The rows of an earlier batch as the file to start the next one from: the same payees and amounts in the file's own
 * columns; references and periods are emptied, since they are of that payment alone.
 */
export async function startingFile(
  config: Config,
  asked: StartingFile,
  write: (made: TemplateMade, isBinary: boolean) => Promise<number>,
): Promise<number> {
  return withProcessor({ config }, "read", async ({ journal }) => {
    const batch = await wholeBatch(journal, asked.from);
    const { operation: taken } = readingOf(batch);
    const operation = asked.operation === undefined ? undefined : operationSaid(asked.operation);
    if (asked.operation !== undefined && operation?.name !== taken) {
      const message = `batch ${batch.id} is ${taken ?? "mixed"}, not ${asked.operation}`;
      throw new PaydropError("usage", message, "leave the operation out");
    }
    const snapshot = await openWhole(batch, snapshotsIn(config));
    const format = asked.format ?? batch.format;
    const made = copyOf(batch, snapshot, () => journal.rows(batch.id), format);
    return write(made, format === "xlsx");
  });
}

type Records = () => AsyncIterable<readonly RowRecord[]>;

function copyOf(batch: BatchRecord, opened: OpenedSnapshot, records: Records, format: FileFormat): TemplateMade {
  const { sheet } = opened;
  // a value that is invalid because it is no text would become text in another format: invalid rows stay behind
  const isOtherFormat = format !== batch.format;
  const counts = { copied: 0, invalid: 0 };
  const [corrected, refused] = [new RowRanges(), new RowRanges()];
  const { emptied, blank } = emptying(opened);
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    const header = sheet.header ?? (isTable(format) ? await columnsOf(sheet) : []);
    const name = sheet.sheetName ?? "payments";
    const shape = { before: [], after: [], isDropped: isOfRetryFile, sheetName: name };
    const { operation } = sheet.wrapper ?? {};
    const table = tableIn(format, shape, header, operation === undefined ? undefined : { operation });
    yield table.begin();
    for await (const step of lockstep(sheet.rows(), records())) {
      const rows: TableRow[] = [];
      for (const [index, row] of step.rows.entries()) {
        const record = step.records[index];
        const isInvalid = record?.state === "invalid";
        if (isInvalid) counts.invalid += 1;
        if (record?.correctedBy) corrected.add(row.number);
        else if (record?.state === "rejected") refused.add(row.number);
        if (isInvalid && isOtherFormat) continue;
        counts.copied += 1;
        const copy = blank(row);
        rows.push({ before: [], row: isTable(format) ? inColumns(copy, header) : copy, after: [] });
      }
      yield table.rows(rows);
    }
    yield table.end();
  }
  const fate = isOtherFormat ? "they were left out" : "correct or delete them";
  const notes = (): string[] => [
    `${counts.copied} rows of batch ${batch.id} to start from: the same payees, and the same amounts.`,
    ...(emptied.size === 0 ? [] : [`Emptied, because they belong to that payment alone: ${[...emptied].join(", ")}.`]),
    ...(counts.invalid === 0 ? [] : [`${counts.invalid} of its rows were invalid then: ${fate}.`]),
    ...noteOf(
      corrected,
      "corrected since, and accepted in another file: what went instead stands in that file, not here",
    ),
    ...noteOf(refused, "refused by the service then: look at these before they go again"),
    "Look through amounts, narration and notes, and say the new period: --period 2026-12, or a column period.",
  ];
  return { pieces: pieces(), notes };
}

function noteOf(rows: RowRanges, what: string): readonly string[] {
  const named = rows.toString();
  return named === "" ? [] : [`Rows of that file (${named}) were ${what}.`];
}

/** Takes out what belongs to one payment alone; `emptied`: in which columns. */
function emptying(opened: OpenedSnapshot): {
  readonly emptied: ReadonlySet<string>;
  readonly blank: (row: Row) => Row;
} {
  const isEmptied = emptiedColumns(opened);
  const emptied = new Set<string>();
  const blank = (row: Row): Row => ({
    ...row,
    cells: row.cells.map((cell, index) => {
      const name = row.columns[index] ?? "";
      if (!isEmptied(name)) return cell;
      emptied.add(name);
      return "";
    }),
  });
  return { emptied, blank };
}

/** `reference` and `period`, under the names that the file gives them. */
function emptiedColumns({ mapping }: OpenedSnapshot): (column: string) => boolean {
  const own = ["reference", "period"];
  const columns = mapping?.mapping.columns ?? [];
  const names = mapping
    ? columns.filter(({ fields }) => fields.some((field) => own.includes(field))).map(({ column }) => column)
    : own;
  const normal = new Set(names.map(normalizeName));
  return (column) => normal.has(normalizeName(column));
}

/** Every name that a row of JSON has, in the order in which they come. */
async function columnsOf(sheet: Sheet): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const rows of sheet.rows()) for (const { columns } of rows) for (const name of columns) names.add(name);
  return [...names];
}

function inColumns(row: Row, header: readonly string[]): Row {
  if (row.columns === header) return row;
  const cells = header.map((name) => {
    const cell = row.cells[row.columns.indexOf(name)] ?? "";
    return typeof cell !== "string" && cell.token === "null" ? "" : cell;
  });
  return { ...row, columns: header, cells };
}
