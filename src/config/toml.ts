import { existsSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import type * as Toml from "smol-toml";
import * as z from "zod/mini";
import { PaydropError, messageOf } from "../errors.ts";
import { listed } from "../messages/sentence.ts";
import { OPERATION_FOLDERS } from "../operations/index.ts";
import { asWord } from "../printable.ts";
import { readOwn } from "./secret.ts";
import { unknownKey, type Wrong } from "./kinds.ts";
import { mappingTables } from "./mapping.ts";
import * as schema from "./schema.ts";
import { statementTables } from "./statement.ts";

export interface TomlFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * The paydrop.toml that counts: the one named, else the user's, else the machine's. Never one in the inbox or the
 * working folder: who can drop a file must not be able to change the base URL. `mayBeNew`: the file that is named may
 * not be there yet. Throws PaydropError `config`.
 */
export function readTomlFile(
  named: string | undefined,
  env: NodeJS.ProcessEnv,
  mayBeNew: boolean,
): TomlFile | undefined {
  // where it cannot be found out whether one is there this throws: rows could go elsewhere without it
  const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
  let path = named;
  let read: ReturnType<typeof readOwn>;
  try {
    path ??= usualPlaces(env).find(isThere);
    if (path === undefined || (mayBeNew && !existsSync(path))) return undefined;
    read = readOwn(path);
  } catch (error) {
    const facts = { path: path ?? "paydrop.toml", why: messageOf(error) };
    throw new PaydropError("settings_unreadable", facts, { cause: error });
  }
  if (read.isOpen) throw new PaydropError("settings_open", { path, word: asWord(path) });
  return { path, values: parsed(path, read.text) };
}

function parsed(path: string, text: string): Readonly<Record<string, unknown>> {
  // loaded only here: most users have no such file
  const { TomlError, parse } = createRequire(import.meta.url)("smol-toml") as typeof Toml;
  try {
    return parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = (error.message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
    const { line, column } = error;
    throw new PaydropError("settings_broken", { path, line, column, what }, { cause: error });
  }
}

/** The user's own settings file, if there can be one, and the machine's. */
export function usualPlaces(env: NodeJS.ProcessEnv): readonly string[] {
  const own = homeOf(env, "XDG_CONFIG_HOME", ".config");
  const machine = "/etc/paydrop/paydrop.toml";
  return own === undefined ? [machine] : [join(own, "paydrop", "paydrop.toml"), machine];
}

/**
 * The folder of the XDG convention: `variable`, else `usual` in the home folder; undefined for a user without one, such
 * as a nameless user of a container. A relative path does not count: it would be another folder in every working folder.
 */
export function homeOf(env: NodeJS.ProcessEnv, variable: string, usual: string): string | undefined {
  const xdg = env[variable];
  if (xdg && isAbsolute(xdg)) return xdg;
  try {
    const home = env["HOME"] || homedir();
    return isAbsolute(home) ? join(home, usual) : undefined;
  } catch {
    return undefined;
  }
}

/** Settings never come from a folder that others drop files into. Throws PaydropError `config`. */
export function refuseSettingsIn(inboxes: readonly string[], path: string | undefined): void {
  const inbox = path && inboxes.find((folder) => isWithin(path, folder));
  if (path && inbox !== undefined) throw new PaydropError("settings_in_inbox", { path, inbox });
}

export function isWithin(path: string, folder: string): boolean {
  return `${realPath(path)}${sep}`.startsWith(`${realPath(folder)}${sep}`);
}

/** The real path; what is not there yet is put behind the real path of the nearest folder that is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}

const SECRET_KEY = /^(?:paydrop_)?(?:x_)?(?:api_key|aes_key|aes_iv|iv|key|secret|password|token)(?:_file)?$/;

export function looksSecret(name: string): boolean {
  return SECRET_KEY.test(name.toLowerCase().replaceAll("-", "_"));
}

const SECTIONS: readonly string[] = ["rules", "notify", "answers", "statement"];

/** Keys that may not stand in a paydrop.toml: misspelt ones, secrets, and a person's word for one run. */
export function wrongKeysIn({ path, values }: TomlFile): Wrong[] {
  return Object.keys(values).flatMap((key): Wrong[] => {
    const place = `${path}: ${key}`;
    const value = values[key];
    // `[mapping.hrms]` is a table, `--mapping hrms` a person's word
    if (SECTIONS.includes(key) || (key === "mapping" && typeof value === "object")) return [];
    if (looksSecret(key)) return [{ code: "secret_key", facts: { place } }];
    const name = schema.SETTING_NAMES.find((one) => one === key);
    if (name === undefined) return [unknownKey(path, key, [...schema.LASTING, "mapping", ...SECTIONS])];
    return schema.factsOf(name).once ? [{ code: "once_key", facts: { place, flag: schema.flagOf(key) } }] : [];
  });
}

/** Rules, or the lines of another section, as lines of a paydrop.toml, each with what it means. */
export function rulesExample(
  rules: typeof schema.CAPS | typeof schema.FIELD_RULES | typeof schema.NOTIFY | typeof schema.ANSWERS,
): string {
  return Object.entries(rules)
    .map(([name, { example, shown }]) => `${`${name} = ${example}`.padEnd(32)}# ${shown}`)
    .join("\n");
}

const HEAD = `# paydrop.toml: the settings of one installation. Take away the # of a line to change its value; what is shown is the
# default, or an example where there is none. Each is also a flag (--state-dir) and a variable (PAYDROP_STATE_DIR).
# Nobody but its owner may write this file: chmod go-w. No keys in here: they are PAYDROP_API_KEY, PAYDROP_AES_KEY and
# PAYDROP_AES_IV, each also with _FILE. Columns of another system: tables [mapping.NAME], of another bank's statements:
# tables [statement.NAME]; \`paydrop map FILE --write\` adds them. Rules: for ${listed(OPERATION_FOLDERS, "or")}, and
# for each of their fields.
`;

/** A paydrop.toml with all settings that may stand in one, explained, commented out, with a default or an example. */
export function tomlExample(): string {
  const settings = schema.LASTING.map((name) => {
    const { shown, kind, example, unless } = schema.factsOf(name);
    const said = example ?? schema.defaultOf(name) ?? kind.word.split("|")[0] ?? "";
    const value = /^(?:true|false|[0-9.]+)$/.test(said) ? said : JSON.stringify(said);
    return `# ${shown} (${kind.word})${unless === undefined ? "" : `; unless said: ${unless}`}\n${name} = ${value}\n`;
  });
  const caps = `[rules.payouts]\n${rulesExample(schema.CAPS)}\n`;
  const ofField = `[rules.payouts.payment_mode]\n${rulesExample(schema.FIELD_RULES)}\n`;
  const notify = `[notify]\n${rulesExample(schema.NOTIFY)}\n`;
  const answers = `[answers.payout]\n${rulesExample(schema.ANSWERS)}\n`;
  return [HEAD, ...settings, notify, answers, caps, ofField].join("\n").replaceAll(/^(?=[a-z0-9_]+ = |\[)/gm, "# ");
}

/** JSON Schema (2020-12) of paydrop.toml, for editors that complete and check TOML by a schema. */
export function tomlSchema(): object {
  const settings = Object.fromEntries(schema.LASTING.map((name) => [name, schema.SETTINGS.shape[name]]));
  const rest = { rules: schema.rulesTable(), notify: schema.notifyTable(), answers: schema.answersTable() };
  const sections = { mapping: mappingTables("/"), statement: statementTables(), ...rest };
  const whole = z.strictObject({ ...settings, ...sections });
  return z.toJSONSchema(z.partial(whole), {
    ...{ io: "input", unrepresentable: "any" },
    override({ zodSchema, jsonSchema }) {
      const name = schema.LASTING.find((one) => schema.SETTINGS.shape[one] === zodSchema);
      if (name) Object.assign(jsonSchema, { description: schema.flagHelp(name)[1], default: undefined });
    },
  });
}
