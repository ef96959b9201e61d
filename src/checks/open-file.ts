import { dirname, join } from "node:path";
import type { Lookup, Mapping } from "../config/mapping.ts";
import type { Config } from "../config/schema.ts";
import { FileRefusedError, PaydropError, systemCodeOf } from "../errors.ts";
import { isOwnHeader } from "../intake/names.ts";
import { takeSnapshot, type Snapshot } from "../intake/snapshot.ts";
import { mask } from "../mask.ts";
import type { Fault } from "../messages/sentence.ts";
import { fieldsOf, operationNamed, operationSaid, type OperationName } from "../operations/index.ts";
import { printable } from "../printable.ts";
import { createColumnPlan, type ColumnPlan, type LookupTable } from "../reader/columns.ts";
import { chooseMapping, readLookup } from "../reader/mapping.ts";
import { openTable } from "../reader/open-table.ts";
import type { Reading, Row, Table } from "../reader/row.ts";
import { cellOf, isFinding, readCell } from "./cells.ts";
import { statedControl, type StatedControl } from "./control.ts";
import { operationOf } from "./operation-of.ts";
import { periodInName, readPeriod } from "./periods.ts";

/** How a file was read: what the journal keeps of it as JSON (`keptOf`). */
interface Kept {
  readonly reading: Reading;
  /** Missing: a column `operation` says it row by row. */
  readonly operation?: OperationName | undefined;
  readonly mapping?: Mapping | undefined;
  /** Copies of the mapping's lookup tables, in their order. */
  readonly tables: readonly { readonly sha256: string; readonly fileName: string; readonly reading: Reading }[];
}

/** A file whose operation, columns and statements are known, before its rows are checked. */
export interface OpenedFile extends Omit<Kept, "reading"> {
  readonly snapshot: Snapshot;
  readonly table: Table;
  readonly plan: ColumnPlan;
  /** What was stated for the whole file, in one of the three forms. */
  readonly period?: string | undefined;
  readonly control: readonly StatedControl[];
}

/** Opens a snapshot and finds out what it is (DESIGN §6). Throws FileRefusedError where a person has to be asked. */
export async function openFile(snapshot: Snapshot, config: Config): Promise<OpenedFile> {
  const { path, fileName, copy, folder } = snapshot;
  const refused = (...faults: readonly Fault[]): FileRefusedError => new FileRefusedError(fileName, faults);
  const { sheet, encoding } = config;
  const table = await openTable(copy, fileName, { encoding, sheet });
  const columns = table.header ?? (await firstColumns(table));
  if (isOwnHeader(columns)) throw refused({ code: "own_results_file" });
  const mapping = chooseMapping(columns, config.mappings, config.mapping);
  if (mapping && "code" in mapping) throw refused(mapping);
  const clues = { wrapper: table.wrapper?.operation, folder, columns, mapping, isTable: table.header !== undefined };
  const found = operationOf(clues, config);
  if (typeof found !== "string") throw refused(...found);
  const period = statedPeriod(table, fileName, config);
  if (typeof period === "object") throw refused(period);
  const control = await statedControl(path, table.wrapper, config);
  const tables = await Promise.all((mapping?.lookups ?? []).map((lookup) => keepTable(lookup, config)));
  const lines = tables.map((one) => one.lines);
  const operation = found === "mixed" ? undefined : found;
  return { snapshot, table, control, period, operation, mapping, tables, plan: createColumnPlan(mapping, lines) };
}

/** By `--period`, the wrapper, or the file's name when it holds exactly one. */
function statedPeriod(table: Table, fileName: string, config: Config): string | Fault | undefined {
  for (const [by, text = ""] of [["flag", config.period] as const, ["wrapper", table.wrapper?.period] as const]) {
    const said = readPeriod(text);
    if (said === "malformed") return { code: "period_unclear", facts: { by, said: printable(text, 40) } };
    if (said !== "none") return said.period;
  }
  return periodInName(fileName);
}

async function firstColumns(table: Table): Promise<readonly string[]> {
  for await (const [row] of table.rows()) if (row) return row.columns;
  return [];
}

/** Copies a lookup table beside the snapshots, so that the file is always read by the same one. */
async function keepTable(lookup: Lookup, config: Config): Promise<Kept["tables"][number] & { lines: LookupTable }> {
  const { copy, fileName, sha256 } = await takeSnapshot(lookup.file, config.state_dir);
  const table = await openTable(copy, fileName, { encoding: config.encoding });
  return { sha256, fileName, reading: table.reading, lines: await readLookup(table, lookup, fileName) };
}

/** How the file was read, so that it is read the same way for its results, whatever the settings say by then. */
export function keptOf({ table, operation, mapping, tables }: OpenedFile): string {
  const copies = tables.map(({ sha256, fileName, reading }) => ({ sha256, fileName, reading }));
  return JSON.stringify({ reading: table.reading, operation, mapping, tables: copies } satisfies Kept);
}

/** What a row says of itself, for results: in clear, but for `payee`, which is masked. */
export interface OwnValues {
  readonly reference?: string | undefined;
  readonly debit?: string | undefined;
  readonly payee?: string | undefined;
  readonly operation?: OperationName | undefined;
}

async function openCopy(path: string, fileName: string, reading?: Reading): Promise<Table> {
  try {
    return await openTable(path, fileName, reading);
  } catch (cause) {
    if (systemCodeOf(cause) !== "ENOENT") throw cause;
    throw new PaydropError("copy_missing", { name: printable(fileName, 200), path }, { cause });
  }
}

/** Opens a private copy as it was read when its batch was made. Throws PaydropError `journal` where it is gone. */
export async function openKept(
  copy: string,
  batch: { readonly fileName: string; readonly reading: string },
): Promise<{ readonly table: Table; readonly plan: ColumnPlan; own(row: Row): OwnValues }> {
  const { reading, operation, mapping, tables } = JSON.parse(batch.reading) as Kept;
  const table = await openCopy(copy, batch.fileName, reading);
  const lines = (mapping?.lookups ?? []).map(async (lookup, at) => {
    const { sha256 = "", fileName = "", reading: how } = tables[at] ?? {};
    return readLookup(await openCopy(join(dirname(copy), sha256), fileName, how), lookup, fileName);
  });
  const plan = createColumnPlan(mapping, await Promise.all(lines));
  const textOf = (row: Row, name: string): string | undefined => {
    const given = cellOf(row, plan(row.columns).sources.get(name));
    const text = isFinding(given) ? "" : readCell(given, { name, kind: "id" }, reading.format === "xlsx");
    return typeof text === "string" && text !== "" ? text : undefined;
  };
  const own = (row: Row): OwnValues => {
    const said = operation ?? operationSaid(textOf(row, "operation") ?? "")?.name;
    const { debit, forms = [] } = said ? operationNamed(said) : {};
    const payees = forms.flatMap((form) => {
      const text = textOf(row, form.payee);
      const sensitive = fieldsOf(form).find(({ name }) => name === form.payee)?.sensitive;
      return text === undefined ? [] : [mask(text, sensitive ?? "account")];
    });
    const reference = textOf(row, "reference");
    return { operation: said, debit: debit && textOf(row, debit), payee: payees[0], reference };
  };
  return { table, plan, own };
}
