import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { FileRefusedError } from "../../src/errors.ts";
import type { FileFault } from "../../src/errors.ts";
import { openSheet } from "../../src/reader/sheet.ts";
import type { ReaderOptions } from "../../src/reader/sheet.ts";
import type { Cell, Row, Sheet } from "../../src/reader/row.ts";

/** A folder of its own that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-files-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Writes a file into a folder of its own and gives its path. */
export function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

export interface ReadSheet {
  readonly sheet: Sheet;
  readonly rows: readonly Row[];
}

/** Opens the file and reads it to its end. */
export async function readFile(path: string, options: Partial<ReaderOptions> = {}): Promise<ReadSheet> {
  const fileName = path.slice(path.lastIndexOf("/") + 1);
  const sheet = await openSheet(path, { fileName, encoding: "utf-8", knownNames: KNOWN_NAMES, ...options });
  const rows: Row[] = [];
  for await (const chunk of sheet.rows()) rows.push(...chunk);
  return { sheet, rows };
}

/** Writes `content` and reads it back. */
export async function read(
  name: string,
  content: string | Uint8Array,
  options: Partial<ReaderOptions> = {},
): Promise<ReadSheet> {
  return readFile(fileOf(name, content), options);
}

/** The cells of the rows, without the rest. */
export async function cellsOf(name: string, content: string | Uint8Array): Promise<readonly (readonly Cell[])[]> {
  return (await read(name, content)).rows.map((row) => row.cells);
}

/** The one fault that a file is refused for. */
export async function faultOf(reading: Promise<unknown>): Promise<FileFault> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FileRefusedError)) throw new Error("the file was not refused", { cause: error });
  const [fault] = error.faults;
  if (!fault || error.faults.length > 1) throw new Error("expected one fault");
  return fault;
}

const KNOWN_NAMES = ["debit_account_id", "name", "bank_acc_num", "ifsc_code", "amount", "narration", "bene_id"];
