import * as z from "zod/mini";
import { flag } from "./kinds.ts";
import type { Loaded } from "./load.ts";
import { mappingTables } from "./mapping.ts";
import { CAPS, FIELD_RULES, factsOf, flagOf, LASTING, rulesTable, SETTING_NAMES, SETTINGS } from "./schema.ts";
import type { SettingName } from "./schema.ts";
import { SECRET_NAMES, SECRETS } from "./secret.ts";

/** The default as a person would write it; undefined where there is none. */
export function defaultOf(name: SettingName): string | undefined {
  const { def } = SETTINGS.shape[name]._zod as { def: { defaultValue?: unknown } };
  return def.defaultValue === undefined ? undefined : factsOf(name).kind.written(def.defaultValue) || undefined;
}

/** What `--help` says of a setting's flag: `--rate <n>` and its meaning. */
export function flagHelp(name: SettingName): readonly [flags: string, shown: string] {
  const { kind, shown, unless } = factsOf(name);
  const usual = defaultOf(name) ?? unless;
  // a flag without a value says yes: where that is the default already, it needs one
  const value = kind === flag && usual === "false" ? "" : ` <${kind.word}>`;
  return [`${flagOf(name)}${value}`, usual === undefined || value === "" ? shown : `${shown} (default: ${usual})`];
}

/** The rules as lines of a paydrop.toml, each with what it means. */
export function rulesExample(rules: typeof CAPS | typeof FIELD_RULES): string {
  return Object.entries(rules)
    .map(([name, { example, shown }]) => `${`${name} = ${example}`.padEnd(32)}# ${shown}`)
    .join("\n");
}

const HEAD = `# paydrop.toml: the settings of one installation. Take away the # of a line to change its value; what is shown is the
# default, or an example where there is none. Each is also a flag (--state-dir) and a variable (PAYDROP_STATE_DIR).
# Nobody but its owner may write this file: chmod go-w. No keys in here: they are PAYDROP_API_KEY, PAYDROP_AES_KEY and
# PAYDROP_AES_IV, each also with _FILE. Columns of another system: tables [mapping.NAME], as \`paydrop map FILE --write\`
# adds them. Rules: for payouts, transfers, loans or collections, and for each of their fields.
`;

/** A paydrop.toml with all settings that may stand in one, explained, commented out, with a default or an example. */
export function tomlExample(): string {
  const settings = LASTING.map((name) => {
    const { shown, kind, example, unless } = factsOf(name);
    const said = example ?? defaultOf(name) ?? kind.word.split("|")[0] ?? "";
    const value = /^(?:true|false|[0-9.]+)$/.test(said) ? said : JSON.stringify(said);
    return `# ${shown} (${kind.word})${unless === undefined ? "" : `; unless said: ${unless}`}\n${name} = ${value}\n`;
  });
  const rules = [
    "[rules.payouts]",
    rulesExample(CAPS),
    "",
    "[rules.payouts.payment_mode]",
    rulesExample(FIELD_RULES),
    "",
  ];
  return [HEAD, ...settings, ...rules].join("\n").replaceAll(/^(?=[a-z0-9_]+ = |\[)/gm, "# ");
}

/** JSON Schema (2020-12) of paydrop.toml, for editors that complete and check TOML by a schema. */
export function tomlSchema(): object {
  const settings = Object.fromEntries(LASTING.map((name) => [name, SETTINGS.shape[name]]));
  const whole = z.strictObject({ ...settings, mapping: mappingTables("/"), rules: rulesTable() });
  return z.toJSONSchema(z.partial(whole), {
    ...{ io: "input", unrepresentable: "any" },
    override({ zodSchema, jsonSchema }) {
      const name = LASTING.find((one) => SETTINGS.shape[one] === zodSchema);
      if (name) Object.assign(jsonSchema, { description: flagHelp(name)[1], default: undefined });
    },
  });
}

/** One setting as it holds now. */
export interface InForce {
  readonly name: string;
  /** As a person would write it; a secret only as its length; undefined: not set. */
  readonly value: string | undefined;
  /** A flag, a variable, the path of a paydrop.toml, `default` or `not set`. */
  readonly origin: string;
}

/** Every setting and secret, with where it came from. */
export function inForce({ config, secrets, origins }: Loaded): InForce[] {
  const settings = SETTING_NAMES.map((name) => {
    const found = config[name];
    const value = found === undefined ? undefined : factsOf(name).kind.written(found);
    return { name, value, origin: origins[name] ?? (value === undefined ? "not set" : "default") };
  });
  const kept = SECRET_NAMES.map((name) => {
    const variable = SECRETS[name];
    const secret = secrets[name];
    return { name: variable, value: secret && `${secret.length} characters`, origin: origins[variable] ?? "not set" };
  });
  return [...settings, ...kept];
}
