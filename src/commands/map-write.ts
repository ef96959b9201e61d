import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse, stringify } from "smol-toml";
import { normalizeName } from "../column-name.ts";
import { mappingTables } from "../config/mapping.ts";
import type { Config } from "../config/schema.ts";
import { statementTables } from "../config/statement.ts";
import { usualPlaces } from "../config/toml.ts";
import { isoDay } from "../day.ts";
import { makePrivateFolder, writeAtomically } from "../disk.ts";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { maskStray } from "../mask.ts";
import { ACTED } from "../messages/acts.ts";
import { complete } from "../messages/commands.ts";
import { told, toldLines } from "../messages/sentence.ts";
import { printable, quotedNames } from "../printable.ts";
import { commandsIn, optionOf, show, textsOf, type Call } from "./command.ts";

/** A file by its path and, for people, its name. */
export interface Named {
  readonly path: string;
  readonly file: string;
}

/** How a file is read, as a person has seen it. */
export interface Confirmed {
  /** `[mapping.NAME]` or `[statement.NAME]`. */
  readonly section: "mapping" | "statement";
  readonly name: string;
  readonly file: string;
  readonly table: object;
  /** Comments above the table. */
  readonly remarks: readonly string[];
  /** Of it for a program. */
  readonly said: object;
}

/** Writes the table into the settings where a person said so, else shows it. Gives the exit code. */
export async function confirm(
  call: Call,
  config: Config,
  settings: string | undefined,
  { section, name, file, table, remarks, said }: Confirmed,
): Promise<number> {
  const mayWrite = call.flags["write"] === true;
  const from = `How the columns of ${printable(file)} are read, confirmed on ${isoDay(Date.now())}.`;
  const toml = tomlOf(section, name, table, [from, ...remarks]);
  const given = optionOf(call, "config");
  const target = settings ?? resolve((given ?? call.env["PAYDROP_CONFIG"]) || (usualPlaces(call.env)[0] ?? ""));
  if (mayWrite) await addToToml(target, toml);
  const line = { type: section, name, ...said, written_to: mayWrite ? target : null, toml };
  const done = complete(told(ACTED[`${section}_written`], { name, path: printable(target), file }), {
    all: given ? { config: given } : {},
  });
  // the lines are what was asked for: quiet or not
  if (mayWrite || config.json) show(call, config, { ...line, ...commandsIn(done) }, `${toldLines(done)}\n`);
  else call.stdout.write(toml);
  return 0;
}

export function usualName(fileName: string): string {
  return /^[A-Za-z][A-Za-z_-]{1,39}/.exec(fileName.replace(/\.[^.]*$/, ""))?.[0] ?? "mapping";
}

/** `--set field=column` and its like. `field`: as we write it; undefined where it is none of `fields`. */
export function pairsSaid(call: Call, flag: string, fields: readonly string[]) {
  return textsOf(call, flag).map((pair) => {
    const [, said = "", value = ""] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
    return { field: fields.find((one) => normalizeName(one) === normalizeName(said)), value, pair };
  });
}

export function wrongPair(flag: string, pair: string, fields: readonly string[]): PaydropError {
  return new PaydropError("map_pair", {
    ...{ flag: `--${flag}`, pair: printable(maskStray(pair)), fields: fields.join(", ") },
  });
}

export function columnNamed(said: string, columns: readonly string[]): string {
  const found = columns.find((column) => normalizeName(column) === normalizeName(said));
  if (found !== undefined) return found;
  throw new PaydropError("map_column", { column: quotedNames([said]), columns: quotedNames(columns) });
}

/** The remarks as comments, and the table. Throws where it could not be read again. */
function tomlOf(section: string, name: string, table: object, remarks: readonly string[]): string {
  // sections without a line, and an option that there is not, are left out
  const isFilled = (value: unknown): boolean => typeof value !== "object" || Object.keys(value ?? {}).length > 0;
  const filled = Object.entries(table).filter(([, value]) => value !== undefined && isFilled(value));
  const lines = stringify({ [section]: { [name]: Object.fromEntries(filled) } }).replace(`[${section}]\n\n`, "");
  assertReadable(lines, name);
  return `${remarks.map((remark) => `# ${remark}\n`).join("")}${lines}`;
}

/** Throws PaydropError `results_unwritable` where tables of this paydrop.toml could not be read. */
function assertReadable(text: string, path: string): void {
  const { mapping = {}, statement = {} } = parse(text.replace(/^\ufeff/, ""));
  const isRead = mappingTables("/").safeParse(mapping).success && statementTables().safeParse(statement).success;
  if (!isRead) throw new PaydropError("map_unwritable", { path: printable(path), why: "settings_wrong" });
}

/** Adds the tables at the end; what stands in the file stays byte for byte. */
async function addToToml(path: string, tables: string): Promise<void> {
  try {
    const target = await realpath(path).catch(() => path);
    const before = await readFile(target, "utf8").catch((error: unknown) => {
      // a file that the disk does not give must not be taken for a missing one, and replaced
      if (systemCodeOf(error) === "ENOENT") return "";
      throw error;
    });
    const text = before + (before === "" ? "" : before.endsWith("\n") ? "\n" : "\n\n") + tables;
    assertReadable(text, path);
    makePrivateFolder(dirname(target));
    const mode = before === "" ? 0o600 : (await stat(target)).mode & 0o777;
    await writeAtomically(target, [text], { replace: true, mode });
  } catch (error) {
    if (error instanceof PaydropError) throw error;
    throw new PaydropError("map_unwritable", { path: printable(path), why: messageOf(error) }, { cause: error });
  }
}
