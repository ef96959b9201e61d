import { resolve } from "node:path";
import { fieldsToFill, type AmountUnit, type Lookup } from "../../config/mapping.ts";
import { meantOrAll } from "../../config/nearest.ts";
import { defined } from "../../defined.ts";
import { PaydropError } from "../../errors.ts";
import { normalizeName } from "../../text/names.ts";
import { OPERATIONS } from "../../operations/catalogue.ts";
import { printable, quotedNames } from "../../text/printable.ts";
import type { Call } from "../command.ts";
import { assertConstant, setFlag } from "./constants.ts";

/** What a person said on the command line of `paydrop map`. */
export interface MapFlags {
  readonly name?: string;
  readonly option?: string;
  readonly unit?: AmountUnit;
  /** Our field → column. */
  readonly set: Readonly<Record<string, string>>;
  readonly constants: Readonly<Record<string, string>>;
  readonly lookups: readonly Lookup[];
  readonly write: boolean;
}

export function readMapFlags({ flags }: Call, columns: readonly string[]): MapFlags {
  const { name, option, unit } = flags;
  if (unit !== undefined && unit !== "rupees" && unit !== "paise") {
    throw new PaydropError(
      "usage",
      `--unit ${printable(typeof unit === "string" ? unit : "")} is not one of rupees, paise`,
      "correct it",
    );
  }
  return defined({
    name: typeof name === "string" ? name : undefined,
    option: typeof option === "string" ? option.toUpperCase() : undefined,
    unit,
    set: pairsOf(flags["set"], "--set", (header) => columnNamed(header, columns, "--set")),
    constants: pairsOf(flags["const"], "--const", (value, field) => {
      assertConstant({ from: `--const ${field}`, field, value }, columns, setFlag);
      return value;
    }),
    lookups: lookupsOf(flags, columns),
    write: flags["write"] === true,
  });
}

/** `field=value`, each field once. */
function pairsOf(given: unknown, flag: string, read: (value: string, field: string) => string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of Array.isArray(given) ? given.map(String) : []) {
    const [, said = "", value = ""] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (said === "" || value === "") {
      throw new PaydropError("usage", `${flag} ${printable(pair)} is not field=…`, `write ${flag} debit_account_id=…`);
    }
    const field = fieldNamed(said, flag);
    if (field in pairs) throw new PaydropError("usage", `${flag} names ${field} twice`, "leave one of the two out");
    pairs[field] = read(value, field);
  }
  return pairs;
}

function fieldNamed(said: string, flag: string): string {
  const fields = fieldsToFill(OPERATIONS.flatMap(({ forms }) => forms));
  const found = fields.find((field) => normalizeName(field) === normalizeName(said));
  if (found !== undefined) return found;
  throw new PaydropError("usage", `${flag}: there is no field "${printable(said)}"`, meantOrAll(said, fields));
}

export function columnNamed(said: string, columns: readonly string[], flag: string): string {
  const found = columns.find((column) => normalizeName(column) === normalizeName(said));
  if (found !== undefined) return found;
  const message = `${flag}: the file has no column "${printable(said)}"`;
  throw new PaydropError("usage", message, `it has ${quotedNames(columns)}`);
}

/** `--lookup bene_id=payees.csv:Beneficiary … --lookup-by "Employee Name"`: one lookup for each table. */
function lookupsOf(flags: Call["flags"], columns: readonly string[]): Lookup[] {
  const targets = pairsOf(flags["lookup"], "--lookup", (value) => value);
  if (Object.keys(targets).length === 0) return [];
  const by = flags["lookup_by"];
  if (typeof by !== "string") {
    throw new PaydropError(
      "usage",
      "--lookup needs the column of the file to look up by",
      'add --lookup-by "Employee Name"',
    );
  }
  const column = columnNamed(by, columns, "--lookup-by");
  const key = typeof flags["lookup_key"] === "string" ? flags["lookup_key"] : column;
  const tables = new Map<string, Record<string, string>>();
  for (const [field, target] of Object.entries(targets)) {
    const [, file = target, from = field] = /^(.*\.[A-Za-z]{1,6}):(.+)$/s.exec(target) ?? [];
    tables.set(file, { ...tables.get(file), [field]: from });
  }
  return [...tables].map(([file, fields]) => ({ file: resolve(file), by: column, key, fields }));
}
