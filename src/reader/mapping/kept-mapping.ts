import { basename } from "node:path";
import type { Mapping } from "../../config/mapping.ts";
import { CopyGoneError, PaydropError } from "../../errors.ts";
import type { MappingSaid } from "../../events.ts";
import { formatOfName } from "../../format.ts";
import type { KeptFiles } from "../../intake/kept-files.ts";
import type { KeptFile } from "../../intake/snapshot.ts";
import { openSheet } from "../sheet.ts";
import { inspectEncoding } from "../stated-encoding.ts";
import type { Row, Sheet } from "../row.ts";
import type { Encoding } from "../decoders.ts";
import { cellWords } from "./cell-words.ts";
import { readLookupTable } from "./lookup.ts";
import { createRowMapper, type RowMapper } from "./mapped-rows.ts";

/**
 * Where a batch remembers the mapping that it was read by: files in the private folder of the snapshots, since a
 * mapping may hold account numbers. Settings and tables may change afterwards; the batch reads as it was read (I7).
 */
export interface KeptMapping {
  readonly name: string;
  readonly file: string;
  readonly sha256: string;
}

interface Document {
  readonly mapping: Mapping;
  /** A copy of the table of each lookup. */
  readonly tables: readonly KeptFile[];
}

/** Copies a mapping and its tables. Throws PaydropError `config` for a table that cannot be read as it is. */
export async function keepMapping(mapping: Mapping, encoding: Encoding, store: KeptFiles): Promise<KeptMapping> {
  const tables: KeptFile[] = [];
  for (const { file } of mapping.lookups) {
    const table = await copyTable(mapping.name, file, store);
    const isText = formatOfName(file) !== "xlsx";
    const otherwise = isText ? await inspectEncoding(store.pathOf(table), encoding) : undefined;
    if (otherwise) throw new PaydropError("config", `the lookup table ${file}: ${otherwise.message}`, otherwise.hint);
    tables.push(table);
  }
  const { name, sha256 } = await store.keep(JSON.stringify({ mapping, tables } satisfies Document), ".mapping");
  return { name: mapping.name, file: name, sha256 };
}

async function copyTable(mapping: string, file: string, store: KeptFiles): Promise<KeptFile> {
  try {
    return await store.copy(file);
  } catch (error) {
    if (!(error instanceof PaydropError) || error.code === "journal") throw error;
    const hint = `look at file = "…" below [[mapping.${mapping}.lookup]]`;
    throw new PaydropError("config", `the lookup table of the mapping ${mapping}: ${error.message}`, hint, {
      cause: error,
    });
  }
}

/** A mapping ready to read rows by. */
export interface MappingInUse {
  readonly mapping: Mapping;
  readonly view: RowMapper;
}

/** Opens a mapping that `keepMapping` kept. Throws CopyGoneError where its file or a table is missing or damaged. */
export async function openMapping(kept: KeptMapping, encoding: Encoding, store: KeptFiles): Promise<MappingInUse> {
  const text = await store.read({ name: kept.file, sha256: kept.sha256 });
  if (text === undefined) throw gone(kept.name);
  const { mapping, tables } = JSON.parse(text) as Document;
  const read = mapping.lookups.map(async (lookup, index) => {
    const table = tables[index];
    if (!table || (await store.read(table)) === undefined) throw gone(kept.name);
    const fileName = basename(lookup.file);
    const sheet = await openSheet(store.pathOf(table), { fileName, encoding, knownNames: [lookup.key] });
    return readLookupTable(sheet, lookup, fileName);
  });
  return { mapping, view: createRowMapper(mapping, await Promise.all(read)) };
}

function gone(name: string): PaydropError {
  return new CopyGoneError(
    `the private copy of the mapping ${name} that this file was read by is missing or damaged`,
    "restore the state directory from a backup; nothing more is sent till then",
  );
}

/**
 * What a person must see before anything goes: the mapping, and where its unit is not rupees, the first amount as it
 * was read and as it is sent. `sentOf`: what would be sent as the amount of a row; undefined: nothing.
 */
export async function sayMapping(
  { mapping, view }: MappingInUse,
  sheet: Sheet,
  sentOf: (row: Row) => string | undefined,
): Promise<MappingSaid> {
  const { name, amountUnit: unit } = mapping;
  if (unit === "rupees") return { name };
  for await (const rows of sheet.rows()) {
    for (const row of rows) {
      const sent = sentOf(row);
      if (sent === undefined) continue;
      const { columns, mapped } = view(row);
      const read = cellWords(mapped?.from.cells[mapped.at[columns.indexOf("amount")] ?? -1] ?? "");
      return { name, amount: { unit, row: row.number, read, sent } };
    }
  }
  return { name };
}
