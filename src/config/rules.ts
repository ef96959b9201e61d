import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { PaydropError } from "../errors.ts";
import { maskNumbers } from "../text/mask.ts";
import { OPERATIONS } from "../operations/catalogue.ts";
import type { Operation } from "../operations/operation.ts";
import { meantOrAll } from "./nearest.ts";
import {
  CAPS,
  FIELD_RULES,
  WARN,
  type CapName,
  type FieldRuleName,
  type FieldRules,
  type OperationRules,
  type Rules,
  type RuleSetting,
} from "./rule-settings.ts";
import { TableText, type PlaceOf } from "./table-text.ts";
import { NotRight } from "./values.ts";

/**
 * Reads `[rules.payouts]` and its like. Every key is checked: a rule with a slip in its name must not be ignored. Paths
 * of lists are relative to `folder`. `placeOf` says where a key stands, such as
 * `/etc/paydrop/paydrop.toml: line 12: `. Throws PaydropError `config`.
 */
export function readRules(raw: unknown, folder: string, placeOf: PlaceOf): Rules {
  const rules: Record<string, OperationRules> = {};
  for (const [name, text] of new TableText(raw, ["rules"], placeOf).entries(LINES)) {
    const operation = OPERATIONS.find((one) => one.folder === name);
    if (!operation) throw unknown(name, text, FOLDERS);
    rules[name] = readOperation(text, operation, folder);
  }
  return rules;
}

function readOperation(table: TableText, operation: Operation, folder: string): OperationRules {
  const kinds = new Map(operation.forms.flatMap((form) => form.fields).map(({ name, kind }) => [name, kind]));
  const caps: Partial<Record<CapName, string>> = {};
  const fields: Record<string, FieldRules> = {};
  for (const [name, text] of table.entries(LINES)) {
    if (name === "warn") continue;
    if (isCap(name)) caps[name] = understood(CAPS[name], text);
    else if (!kinds.has(name)) throw unknown(name, text, [...Object.keys(CAPS), "warn", ...kinds.keys()]);
    else if (kinds.get(name) === "amount") throw text.wrong("an amount has no rules of its own", USE_CAPS);
    else fields[name] = readField(text, folder);
  }
  return { ...caps, fields, ...readWarn<CapName>(table.at("warn"), caps) };
}

function readField(table: TableText, folder: string): FieldRules {
  const rules: Partial<Record<FieldRuleName, unknown>> = {};
  for (const [name, text] of table.entries(LINES)) {
    if (name === "warn") continue;
    if (!isFieldRule(name)) throw unknown(name, text, [...Object.keys(FIELD_RULES), "warn"]);
    rules[name] = name === "list" ? readList(text, folder) : understood<unknown>(FIELD_RULES[name], text);
  }
  return { ...(rules as FieldRules), ...readWarn<FieldRuleName>(table.at("warn"), rules) };
}

/** The rules of a table that only warn. Throws for one that the table does not make. */
function readWarn<Name extends string>(text: TableText, made: object): { readonly warn?: readonly Name[] } {
  if (text.raw === undefined) return {};
  const names = understood(WARN, text);
  const stranger = names.find((name) => !Object.hasOwn(made, name));
  if (stranger === undefined) return { warn: names as Name[] };
  const rules = Object.keys(made).join(", ");
  throw text.wrong(`there is no rule "${stranger}" in this table`, `name rules that it makes: ${rules || "none yet"}`);
}

function readList(text: TableText, folder: string): string {
  const file = resolve(folder, understood(FIELD_RULES.list, text));
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  throw text.wrong(`there is no file ${file}`, "write its path, or one relative to the settings file");
}

function understood<T>(setting: RuleSetting<T>, text: TableText): T {
  const { raw } = text;
  try {
    return setting.read(raw);
  } catch (error) {
    if (!(error instanceof NotRight)) throw error;
    // a list may hold account numbers: it is not repeated
    const shown = typeof raw === "object" ? "the value" : JSON.stringify(raw);
    throw text.wrong(maskNumbers(`${shown} is not ${error.message}`), "correct it and run again");
  }
}

function unknown(name: string, text: TableText, known: readonly string[]): PaydropError {
  return text.wrong(`"${name}" is not a rule`, meantOrAll(name, known));
}

/** How a table of rules is written. */
const LINES = "write [rules.payouts] and below it one line for each rule";
const FOLDERS = OPERATIONS.map(({ folder }) => folder);
const USE_CAPS = `use ${Object.keys(CAPS).join(", ")}, amount_digits_max or amount_decimals_max`;

function isCap(name: string): name is CapName {
  return Object.hasOwn(CAPS, name);
}

function isFieldRule(name: string): name is FieldRuleName {
  return Object.hasOwn(FIELD_RULES, name);
}
