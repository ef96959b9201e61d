import type { Mapping } from "../../config/mapping.ts";
import { maskStray } from "../../text/mask.ts";
import { normalizeName } from "../../text/names.ts";
import type { Cell, MappedFault, Row } from "../row.ts";
import { cellWords } from "./cell-words.ts";
import { LEFT_OUT } from "./choose.ts";
import type { LookupTable } from "./lookup.ts";

/** Gives a row of another system's file as a row of ours; the given row stays as it is, for the results. */
export type RowMapper = (row: Row) => Row;

/** Where a field of ours comes from, found once per set of columns. */
interface Source {
  /** Position in the file's row; -1 for a constant and for a key that a JSON row leaves out. */
  readonly at: number;
  readonly read: (cell: Cell) => Cell | MappedFault;
  /** The name of the lookup table. */
  readonly table?: string;
}

/** `tables`: one for each of the mapping's lookups, in their order. */
export function createRowMapper(mapping: Mapping, tables: readonly LookupTable[]): RowMapper {
  const columns = fieldsOf(mapping);
  const confirmed = new Set(mapping.header.map(normalizeName));
  const known = new WeakMap<readonly string[], RowMapper>();
  let last: { readonly from: Row; readonly to: Row } | undefined;
  return (row) => {
    // checks and results ask for the same row more than once
    if (last?.from === row) return last.to;
    let mapper = known.get(row.columns);
    if (!mapper) {
      mapper = mapperFor(row.columns, columns, mapping, tables, confirmed);
      known.set(row.columns, mapper);
    }
    last = { from: row, to: mapper(row) };
    return last.to;
  };
}

/** The fields that a mapping fills, in the order of its columns, constants and lookups. */
function fieldsOf(mapping: Mapping): readonly string[] {
  return [
    ...mapping.columns.flatMap(({ fields }) => fields),
    ...Object.keys(mapping.constants),
    ...mapping.lookups.flatMap(({ fields }) => Object.keys(fields)),
  ];
}

function mapperFor(
  theirs: readonly string[],
  columns: readonly string[],
  mapping: Mapping,
  tables: readonly LookupTable[],
  confirmed: ReadonlySet<string>,
): RowMapper {
  const names = theirs.map(normalizeName);
  const positionOf = (column: string): number => names.indexOf(normalizeName(column));
  const sources: readonly Source[] = [
    ...mapping.columns.flatMap((one) =>
      one.fields.map((field) => columnSource(field, positionOf(one.column), mapping)),
    ),
    ...Object.values(mapping.constants).map((value) => ({ at: -1, read: () => value })),
    ...mapping.lookups.flatMap((lookup, index) =>
      lookupSources(positionOf(lookup.by), lookup.file, tables[index], mapping),
    ),
  ];
  const at = sources.map((source) => source.at);
  const inTables = sources.map((source) => source.table);
  const guards = mapping.mustBe.map((one) => ({ at: positionOf(one.column), column: one.column, values: one.values }));
  const guarded = guards.map((guard) => guard.at);
  const strangers = names.flatMap((name, index) => (LEFT_OUT.has(name) || confirmed.has(name) ? [] : [index]));

  return (row) => {
    const cells: Cell[] = [];
    const faults = new Map<number, MappedFault>();
    sources.forEach((source, index) => {
      const cell = source.at < 0 ? "" : (row.cells[source.at] ?? "");
      const read = source.read(cell);
      if (typeof read === "object" && "code" in read) faults.set(index, read);
      // a cell with a fault still counts as filled
      cells.push(typeof read === "object" && "code" in read ? cell : read);
    });
    const others = [
      ...guards.flatMap((guard) => guardFault(guard, row)),
      ...strangers.map((index) => ({ at: index, column: theirs[index] ?? "", fault: STRANGER })),
    ];
    return {
      number: row.number,
      columns,
      cells,
      ...(row.repeatedKey === undefined ? {} : { repeatedKey: row.repeatedKey }),
      mapped: { from: row, at, tables: inTables, amountUnit: mapping.amountUnit, faults, guarded, others },
    };
  };
}

function columnSource(field: string, at: number, mapping: Mapping): Source {
  const values = mapping.values[field];
  const translate = values && translator(values);
  return { at, read: translate ?? ((cell) => cell) };
}

function translator(values: Readonly<Record<string, string>>): Source["read"] {
  const known = Object.keys(values).map((value) => (value === "" ? "an empty cell" : maskStray(value)));
  return (cell) => {
    const text = cellWords(cell);
    if (Object.hasOwn(values, text)) return values[text] ?? "";
    return text === "" ? "" : { code: "value_not_mapped", found: known.join(", ") };
  };
}

function lookupSources(at: number, file: string, table: LookupTable | undefined, mapping: Mapping): Source[] {
  const { fields = [], rows = new Map<string, readonly Cell[] | "ambiguous">() } = table ?? {};
  const name = file.split(/[\\/]/).at(-1) ?? file;
  return fields.map((field, index) => {
    const values = mapping.values[field];
    const translate = values && translator(values);
    const read = (cell: Cell): Cell | MappedFault => {
      const key = cellWords(cell);
      if (key === "") return "";
      const found = rows.get(key);
      if (found === undefined) return { code: "lookup_missing", found: name };
      if (found === "ambiguous") return { code: "lookup_ambiguous", found: name };
      const value = found[index] ?? "";
      return translate ? translate(value) : value;
    };
    return { at, read, table: name };
  });
}

interface Guard {
  readonly at: number;
  readonly column: string;
  readonly values: readonly string[];
}

function guardFault({ at, column, values }: Guard, row: Row): { at: number; column: string; fault: MappedFault }[] {
  const text = cellWords(row.cells[at] ?? "");
  if (values.includes(text)) return [];
  const found = values.map((value) => (value === "" ? "an empty cell" : `"${maskStray(value)}"`)).join(" or ");
  return [{ at, column, fault: { code: "value_not_taken", found } }];
}

/** A key that only this JSON row has: nobody confirmed what it means. */
const STRANGER: MappedFault = { code: "column_not_confirmed" };
