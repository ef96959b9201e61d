import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { FileRefusedError } from "../../src/errors.ts";
import { tellFault } from "../../src/messages/faults.ts";
import type { Fault, Told } from "../../src/messages/sentence.ts";
import { openTable } from "../../src/reader/open-table.ts";
import type { Asked, Cell, Row, Table } from "../../src/reader/row.ts";
import { temporaryDirectory } from "./state-dir.ts";

/** Writes a file into a folder of its own and gives its path. */
export function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
}

export interface ReadTable {
  readonly table: Table;
  readonly rows: readonly Row[];
}

/** Opens the file and reads it to its end. */
export async function readFile(path: string, asked: Asked = {}): Promise<ReadTable> {
  const table = await openTable(path, basename(path), asked);
  const rows: Row[] = [];
  for await (const page of table.rows()) rows.push(...page);
  return { table, rows };
}

/** Writes `content` and reads it back. */
export function read(name: string, content: string | Uint8Array, asked: Asked = {}): Promise<ReadTable> {
  return readFile(fileOf(name, content), asked);
}

export async function cellsOf(name: string, content: string | Uint8Array): Promise<readonly (readonly Cell[])[]> {
  return (await read(name, content)).rows.map((row) => row.cells);
}

/** The one fault that a file is refused for, with its sentence. */
export async function faultOf(reading: Promise<unknown>): Promise<Fault & Told> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FileRefusedError)) throw new Error("the file was not refused", { cause: error });
  const [fault] = error.faults;
  if (!fault || error.faults.length > 1) throw new Error("expected one fault");
  return { ...fault, ...tellFault(fault) };
}
