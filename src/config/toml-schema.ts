import { OPERATION_NAMES } from "../operations/catalogue.ts";
import { rulesSchema } from "./rules-shown.ts";
import { NO_LIMIT, SETTINGS, SETTING_NAMES, type Setting } from "./settings.ts";

/** JSON Schema (2020-12) of paydrop.toml, for editors that complete and check TOML by a schema. */
export function tomlSchema(): Record<string, unknown> {
  const properties = SETTING_NAMES.flatMap((name): [string, unknown][] => {
    const setting: Setting<unknown> = SETTINGS[name];
    if (setting.perRun) return [];
    return [[name, { description: setting.shown, ...setting.read.schema, ...defaultOf(setting) }]];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "paydrop.toml",
    description: "Settings of paydrop. No keys: they come from the environment or from files of their own.",
    type: "object",
    additionalProperties: false,
    properties: { ...Object.fromEntries(properties), mapping: MAPPINGS, rules: rulesSchema() },
  };
}

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const BY_NAME = { type: "object", additionalProperties: TEXT };
const LOOKUP = {
  type: "object",
  additionalProperties: false,
  required: ["file", "by", "fields"],
  properties: { file: TEXT, by: TEXT, key: TEXT, fields: BY_NAME },
};
const MAPPINGS = {
  description: "column mappings by name, as paydrop map writes them",
  type: "object",
  additionalProperties: {
    type: "object",
    additionalProperties: false,
    required: ["operation", "amount_unit", "header", "columns"],
    properties: {
      operation: { enum: OPERATION_NAMES },
      option: { enum: ["A", "B"] },
      amount_unit: { enum: ["rupees", "paise"] },
      header: TEXTS,
      columns: { type: "object", additionalProperties: { anyOf: [TEXT, TEXTS] } },
      constants: { type: "object", additionalProperties: { type: ["string", "integer"] } },
      values: { type: "object", additionalProperties: BY_NAME },
      must_be: { type: "object", additionalProperties: TEXTS },
      lookup: { anyOf: [LOOKUP, { type: "array", items: LOOKUP }] },
    },
  },
};

function defaultOf(setting: Setting<unknown>): { default?: unknown } {
  if (setting.default === undefined || setting.default === NO_LIMIT) return {};
  // a duration is written with its unit, as a text; all other defaults as numbers, booleans or texts of their own
  const isDuration = Array.isArray(setting.read.schema.type);
  return { default: isDuration ? setting.default : setting.read(setting.default) };
}
