import { normalizeName } from "../column-name.ts";
import { mappingNamed, type AmountUnit, type Lookup, type Mapping } from "../config/mapping.ts";
import { PaydropError } from "../errors.ts";
import type { Fault } from "../messages/sentence.ts";
import type { OperationName } from "../operations/index.ts";
import { quotedNames } from "../printable.ts";
import { cellWords, completeOperations, LEFT_OUT, type LookupTable } from "./columns.ts";
import type { Cell, Row, Table } from "./row.ts";
import { looksLikeValues } from "./lines.ts";
import { templateOf, type Template } from "./templates.ts";

/**
 * The mapping that a file is read by; undefined: its columns have our own names. A mapping is for exactly the columns
 * that a person confirmed; for any other file that looks like one of another system a fault asks a person. `names`: the
 * header, or the keys of the first JSON row; `wanted`: `--mapping`, a name or `none`. Throws PaydropError `usage` for a
 * `--mapping` that does not exist.
 */
export function chooseMapping(
  names: readonly string[],
  mappings: readonly Mapping[],
  wanted: string | undefined,
): Mapping | Fault | undefined {
  if (wanted === "none") return undefined;
  const said = wanted === undefined ? undefined : mappingNamed(wanted, mappings);
  if (said && !sameHeader(said.header, names)) return differs(said, names);
  const [only, ...others] = said ? [said] : mappings.filter((mapping) => sameHeader(mapping.header, names));
  const complete = completeOperations(names);
  const template = templateOf(names);
  if (only && others.length > 0) return ambiguous([only, ...others]);
  if (only && template && template.amountUnit !== only.amountUnit) return wrongUnit(only, template);
  // columns of our own names, whose amounts the mapping reads in another unit: a guess may be wrong ×100
  if (only && !said && complete.length > 0 && only.amountUnit !== "rupees") return ambiguous([only], only.amountUnit);
  if (only) return only;
  const near = nearestMapping(names, mappings, complete);
  if (near) return differs(near, names);
  if (template) return { code: "mapping_unconfirmed", facts: { title: template.title } };
  return looksLikeValues(names) ? { code: "header_missing" } : undefined;
}

/** The columns that make up a header: neither nameless ones nor those that a retry file adds. */
export function headerOf(names: readonly string[]): readonly string[] {
  return names.filter((name) => !LEFT_OUT.has(normalizeName(name)));
}

export function sameHeader(confirmed: readonly string[], names: readonly string[]): boolean {
  const [left, right] = [normalSet(confirmed), normalSet(names)];
  return left.size === right.size && left.isSubsetOf(right);
}

function normalSet(names: readonly string[]): ReadonlySet<string> {
  return new Set(headerOf(names).map(normalizeName));
}

/**
 * The mapping that shares most columns with the file: more than half of the mapping's, and of the file's. A mapping of
 * rupees is left out where the file is complete for its operation in our own names: both mean the same.
 */
function nearestMapping(
  names: readonly string[],
  mappings: readonly Mapping[],
  complete: readonly OperationName[],
): Mapping | undefined {
  const there = normalSet(names);
  const near = mappings.flatMap((mapping) => {
    if (mapping.amountUnit === "rupees" && complete.includes(mapping.operation)) return [];
    const confirmed = normalSet(mapping.header);
    const share = confirmed.intersection(there).size / Math.max(confirmed.size, there.size);
    return share > 0.5 ? [{ mapping, share }] : [];
  });
  return near.sort((left, right) => right.share - left.share)[0]?.mapping;
}

function ambiguous(mappings: readonly Mapping[], unit?: AmountUnit): Fault {
  const names = mappings.map(({ name }) => name);
  const flags = [...names, "none"].map((name) => `--mapping ${name}`).join(" or ");
  return { code: "mapping_ambiguous", facts: { names: names.join(" and "), unit, flags } };
}

/** The columns are a published template whose amounts have another unit than the mapping says: wrong ×100. */
function wrongUnit({ name, amountUnit: said }: Mapping, { title, amountUnit: unit }: Template): Fault {
  const factor = said === "rupees" ? "a hundred times too much" : "a hundredth of it";
  return { code: "mapping_unit", facts: { title, name, said, unit, factor } };
}

function differs({ name, header }: Mapping, names: readonly string[]): Fault {
  const lacking = (from: readonly string[], in_: readonly string[]): string => {
    const there = normalSet(in_);
    const some = headerOf(from).filter((column) => !there.has(normalizeName(column)));
    const more = some.length - NAMES_SHOWN;
    return `${quotedNames(some.slice(0, NAMES_SHOWN))}${more > 0 ? ` and ${more} more` : ""}`;
  };
  return { code: "mapping_differs", facts: { name, missing: lacking(header, names), added: lacking(names, header) } };
}

const NAMES_SHOWN = 5;

/**
 * Reads a whole lookup table into memory. `name`: of its file. Throws PaydropError `config` for a column that it lacks and
 * a value that is no text; FileRefusedError for a broken file.
 */
export async function readLookup(table: Table, lookup: Lookup, name: string): Promise<LookupTable> {
  const lines = new Map<string, readonly Cell[] | "ambiguous">();
  for await (const page of table.rows()) {
    for (const row of page) {
      const cellOf = (column: string): Cell => lookupCell(row, column, name, table.reading.format === "xlsx");
      const key = cellWords(cellOf(lookup.key));
      if (key === "") continue;
      const values = Object.values(lookup.fields).map(cellOf);
      const before = lines.get(key);
      const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(values);
      lines.set(key, isSame ? values : "ambiguous");
    }
  }
  return lines;
}

function lookupCell(row: Row, column: string, name: string, isWorkbook: boolean): Cell {
  const at = row.columns.findIndex((one) => normalizeName(one) === normalizeName(column));
  const facts = { name, row: row.number, column: quotedNames([column]) };
  if (at < 0) throw new PaydropError("lookup_no_column", { ...facts, has: quotedNames(row.columns) });
  const cell = row.cells[at] ?? "";
  // an account number stored as a number has no leading zeros
  if (typeof cell !== "string" && isWorkbook) throw new PaydropError("lookup_not_text", facts);
  return typeof cell === "string" || cell.token === "null" ? cellWords(cell) : cell;
}
