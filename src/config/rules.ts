import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PaydropError } from "../errors.ts";
import { maskNumbers } from "../mask.ts";
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
import { NotRight } from "./values.ts";

type Path = readonly string[];

/**
 * `[rules.payouts]` and its like, checked to the last key: a rule with a slip in its name must not pass as one that was
 * not made. Paths of lists are relative to `folder`. `placeOf`: how a place is spoken of, such as
 * `/etc/paydrop/paydrop.toml: line 12: `. Throws PaydropError `config`.
 */
export function readRules(raw: unknown, folder: string, placeOf: (path: Path) => string): Rules {
  return new RulesReader(folder, placeOf).rules(raw);
}

class RulesReader {
  readonly #folder: string;
  readonly #placeOf: (path: Path) => string;

  constructor(folder: string, placeOf: (path: Path) => string) {
    this.#folder = folder;
    this.#placeOf = placeOf;
  }

  rules(raw: unknown): Rules {
    const rules: Record<string, OperationRules> = {};
    for (const { name, value, path } of this.#entriesOf(raw, ["rules"])) {
      const operation = OPERATIONS.find(({ folder }) => folder === name);
      if (!operation) throw this.#unknown(path, FOLDERS);
      rules[name] = this.#ofOperation(value, operation, path);
    }
    return rules;
  }

  #ofOperation(raw: unknown, operation: Operation, table: Path): OperationRules {
    const kinds = new Map(operation.forms.flatMap((form) => form.fields).map(({ name, kind }) => [name, kind]));
    const caps: Partial<Record<CapName, string>> = {};
    const fields: Record<string, FieldRules> = {};
    let warn: unknown;
    for (const { name, value, path } of this.#entriesOf(raw, table)) {
      if (name === "warn") warn = value;
      else if (isCap(name)) caps[name] = this.#understood(CAPS[name], value, path);
      else if (!kinds.has(name)) throw this.#unknown(path, [...Object.keys(CAPS), "warn", ...kinds.keys()]);
      else if (kinds.get(name) === "amount") throw this.#wrong(path, "an amount has no rules of its own", USE_CAPS);
      else fields[name] = this.#ofField(value, path);
    }
    return { ...caps, fields, ...this.#warn<CapName>(warn, caps, table) };
  }

  #ofField(raw: unknown, table: Path): FieldRules {
    const rules: Partial<Record<FieldRuleName, unknown>> = {};
    let warn: unknown;
    for (const { name, value, path } of this.#entriesOf(raw, table)) {
      if (name === "warn") warn = value;
      else if (!isFieldRule(name)) throw this.#unknown(path, [...Object.keys(FIELD_RULES), "warn"]);
      else if (name === "list") rules.list = this.#file(value, path);
      else rules[name] = this.#understood<unknown>(FIELD_RULES[name], value, path);
    }
    return { ...(rules as FieldRules), ...this.#warn<FieldRuleName>(warn, rules, table) };
  }

  /** The rules of a table that only warn: each must be one that the table makes. */
  #warn<Name extends string>(raw: unknown, made: object, table: Path): { readonly warn?: readonly Name[] } {
    if (raw === undefined) return {};
    const path = [...table, "warn"];
    const names = this.#understood(WARN, raw, path);
    const stranger = names.find((name) => !Object.hasOwn(made, name));
    if (stranger === undefined) return { warn: names as Name[] };
    const rules = Object.keys(made).join(", ");
    throw this.#wrong(
      path,
      `there is no rule "${stranger}" in this table`,
      `name rules that it makes: ${rules || "none yet"}`,
    );
  }

  #file(raw: unknown, path: Path): string {
    const file = resolve(this.#folder, this.#understood(FIELD_RULES.list, raw, path));
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
    throw this.#wrong(path, `there is no file ${file}`, "write its path, or one relative to the settings file");
  }

  #entriesOf(raw: unknown, table: Path): { name: string; value: unknown; path: Path }[] {
    if (typeof raw === "object" && raw !== null && !Array.isArray(raw)) {
      return Object.entries(raw).map(([name, value]: [string, unknown]) => ({ name, value, path: [...table, name] }));
    }
    throw this.#wrong(table, "this is not a table", "write [rules.payouts] and below it one line for each rule");
  }

  #understood<T>(setting: RuleSetting<T>, raw: unknown, path: Path): T {
    try {
      return setting.read(raw);
    } catch (error) {
      if (!(error instanceof NotRight)) throw error;
      // a list may hold account numbers: it is not repeated
      const shown = typeof raw === "object" ? "the value" : JSON.stringify(raw);
      throw this.#wrong(path, maskNumbers(`${shown} is not ${error.message}`), "correct it and run again");
    }
  }

  #unknown(path: Path, known: readonly string[]): PaydropError {
    const name = path.at(-1) ?? "";
    return this.#wrong(path, `"${name}" is not a rule`, meantOrAll(name, known));
  }

  #wrong(path: Path, message: string, hint: string): PaydropError {
    return new PaydropError("config", `${this.#placeOf(path)}${path.join(".")}: ${message}`, hint);
  }
}

const FOLDERS = OPERATIONS.map(({ folder }) => folder);
const USE_CAPS = `use ${Object.keys(CAPS).join(", ")}, amount_digits_max or amount_decimals_max`;

function isCap(name: string): name is CapName {
  return Object.hasOwn(CAPS, name);
}

function isFieldRule(name: string): name is FieldRuleName {
  return Object.hasOwn(FIELD_RULES, name);
}
