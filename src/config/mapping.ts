import { PaydropError } from "../errors.ts";
import { normalizeName } from "../text/names.ts";
import { operationNamed, operationSaid, OPERATION_NAMES } from "../operations/catalogue.ts";
import type { Form, OperationName, PayoutOption } from "../operations/operation.ts";
import { printable } from "../text/printable.ts";
import { assertComplete, assertUnit } from "./mapping-rules.ts";
import { meantOrAll } from "./nearest.ts";
import { TableText, type PlaceOf } from "./table-text.ts";

/** What the file's amounts count. `rupees`: an amount is sent as written; `paise`: a hundredth of it is sent. */
export type AmountUnit = "rupees" | "paise";

/** How the columns of another system are read as ours: `[mapping.NAME]` of paydrop.toml. */
export interface Mapping {
  readonly name: string;
  readonly operation: OperationName;
  /** Payouts: the only option that the rows may have. */
  readonly option?: PayoutOption;
  readonly amountUnit: AmountUnit;
  /** The header that a person confirmed, in any order: the mapping is for files with exactly these columns. */
  readonly header: readonly string[];
  readonly columns: readonly MappedColumn[];
  /** The value that every row gets, by our field. */
  readonly constants: Readonly<Record<string, string>>;
  /** Their value → ours, by our field. A value that is not listed is a fault. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Columns in which any value but these is a fault; `""` is an empty cell. */
  readonly mustBe: readonly { readonly column: string; readonly values: readonly string[] }[];
  readonly lookups: readonly Lookup[];
}

interface MappedColumn {
  /** The name in the file's own header. */
  readonly column: string;
  readonly fields: readonly string[];
}

/** Fields that a table of the user's holds, found by what stands in one column of the file. */
export interface Lookup {
  /** Path of the table, a file in any format that is read. */
  readonly file: string;
  /** Column of the file. */
  readonly by: string;
  /** Column of the table in which the value of `by` is looked for. */
  readonly key: string;
  /** Our field → column of the table. */
  readonly fields: Readonly<Record<string, string>>;
}

/** All tables `[mapping.NAME]`. Relative paths start at `folder`. Throws PaydropError `config` with the place. */
export function readMappings(raw: unknown, folder: string, placeOf: PlaceOf): readonly Mapping[] {
  return new TableText(raw, ["mapping"], placeOf).entries().map(([name, text]) => readMapping(name, text, folder));
}

const KEYS = ["operation", "option", "amount_unit", "header", "columns", "constants", "values", "must_be", "lookup"];

function readMapping(name: string, text: TableText, folder: string): Mapping {
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name) || name === "none") {
    throw text.wrong(`"${name}" cannot be the name of a mapping`, "use letters, digits, _ and -; not none");
  }
  assertKeys(text, KEYS);
  const { operation, option, forms } = readOperation(text);
  const fields = fieldsToFill(forms);
  const header = text.at("header").texts();
  const columns = readColumns(text.at("columns"), header, fields);
  const lookups = text.at("lookup").tables();
  const mapping: Mapping = {
    name,
    operation,
    ...(option === undefined ? {} : { option }),
    amountUnit: text.at("amount_unit").oneOf(["rupees", "paise"]),
    header,
    columns,
    constants: text.at("constants").byName(fields, (one) => one.text()),
    values: text.at("values").byName(fields, (one) => one.map((value) => value.text())),
    mustBe: Object.entries(text.at("must_be").map((one) => one.list())).map(([column, values]) => ({
      column: text.at("must_be").at(column).known(column, header, "column in header"),
      values,
    })),
    lookups: lookups.map((one) => readLookup(one, header, fields, folder)),
  };
  assertOneHeader(text, header);
  assertOneSource(text, mapping);
  assertComplete(text, mapping, forms);
  assertUnit(text, mapping);
  return mapping;
}

/** What a mapping may fill: the fields of these forms, and our own columns that are not sent. */
export function fieldsToFill(forms: readonly Form[]): readonly string[] {
  const sent = forms.flatMap((form) => form.fields.map((field) => field.name));
  return [...new Set([...sent, "reference", "period"])];
}

function assertKeys(text: TableText, known: readonly string[]): void {
  const [stranger] = text.entries().filter(([key]) => !known.includes(key));
  if (!stranger) return;
  const [key, line] = stranger;
  throw line.wrong(`there is no "${printable(key)}" in a mapping`, meantOrAll(key, known));
}

interface ReadOperation {
  readonly operation: OperationName;
  readonly option?: PayoutOption;
  readonly forms: readonly Form[];
}

function readOperation(text: TableText): ReadOperation {
  const said = text.at("operation").text();
  const operation = operationSaid(said);
  if (!operation) throw text.at("operation").notOneOf(said, OPERATION_NAMES);
  const { name, forms } = operationNamed(operation.name);
  if (!text.has("option")) return { operation: name, forms };
  const options = forms.flatMap((form) => form.option ?? []);
  if (options.length === 0) throw text.at("option").wrong(`a ${name} has no options`, "remove the line");
  const option = text.at("option").oneOf(options);
  return { operation: name, option, forms: forms.filter((form) => form.option === option) };
}

function readColumns(text: TableText, header: readonly string[], fields: readonly string[]): MappedColumn[] {
  return Object.entries(text.map((one) => one.textOrTexts())).map(([column, targets]) => {
    const place = text.at(column);
    return {
      column: place.known(column, header, "column in header"),
      fields: targets.map((field) => place.known(field, fields, "field")),
    };
  });
}

function readLookup(text: TableText, header: readonly string[], fields: readonly string[], folder: string): Lookup {
  assertKeys(text, ["file", "by", "key", "fields"]);
  const by = text.at("by").known(text.at("by").text(), header, "column in header");
  return {
    file: text.at("file").path(folder),
    by,
    key: text.has("key") ? text.at("key").text() : by,
    fields: text.at("fields").byName(fields, (one) => one.text()),
  };
}

function assertOneHeader(text: TableText, header: readonly string[]): void {
  const names = header.map(normalizeName);
  const twice = header.find((name, index) => names.indexOf(normalizeName(name)) !== index);
  if (twice !== undefined) throw text.at("header").wrong(`"${twice}" stands there twice`, "remove one of them");
  if (header.length === 0) throw text.at("header").wrong("there are no columns", "write the header of the file");
}

/** Throws where a field has two sources: nobody could say which value is sent. Also where values have no source. */
function assertOneSource(text: TableText, mapping: Mapping): void {
  const sources = [
    ...mapping.columns.flatMap(({ fields }) => fields),
    ...Object.keys(mapping.constants),
    ...mapping.lookups.flatMap((lookup) => Object.keys(lookup.fields)),
  ];
  const twice = sources.find((field, index) => sources.indexOf(field) !== index);
  if (twice !== undefined) {
    throw text.wrong(`${twice} has two sources`, "fill it from one column, one constant or one lookup table");
  }
  const unused = Object.keys(mapping.values).find((field) => !sources.includes(field));
  if (unused !== undefined) {
    throw text.at("values").wrong(`${unused} has no column`, "give it one under columns, or remove its values");
  }
}

/** The mapping that `--mapping` names. Throws PaydropError `usage` where there is none of this name. */
export function mappingNamed(name: string, mappings: readonly Mapping[]): Mapping {
  const found = mappings.find((mapping) => mapping.name === name);
  if (found) return found;
  const names = [...mappings.map((mapping) => mapping.name), "none"].join(", ");
  throw new PaydropError("usage", `there is no mapping "${name}" in paydrop.toml`, `--mapping may be ${names}`);
}
