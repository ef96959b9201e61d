import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import type * as Toml from "smol-toml";
import { PaydropError, messageOf } from "../errors.ts";
import { asWord } from "../printable.ts";
import { unknownKey, type Wrong } from "./kinds.ts";
import { factsOf, flagOf, LASTING, SETTING_NAMES } from "./schema.ts";

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
  const path = named ?? usualPlaces(env).find(isThere);
  if (path === undefined || (mayBeNew && !existsSync(path))) return undefined;
  let mode: number;
  let text: string;
  try {
    mode = process.platform === "win32" ? 0 : statSync(path).mode;
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new PaydropError("settings_unreadable", { path, why: messageOf(error) }, { cause: error });
  }
  if ((mode & 0o022) !== 0) throw new PaydropError("settings_open", { path, word: asWord(path) });
  return { path, values: parsed(path, text) };
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

/** Keys that may not stand in a paydrop.toml: misspelt ones, secrets, and a person's word for one run. */
export function wrongKeysIn({ path, values }: TomlFile): Wrong[] {
  return Object.keys(values).flatMap((key): Wrong[] => {
    const place = `${path}: ${key}`;
    const value = values[key];
    // `[mapping.hrms]` is a table, `--mapping hrms` a person's word
    if (key === "rules" || (key === "mapping" && typeof value === "object")) return [];
    if (looksSecret(key)) return [{ code: "secret_key", facts: { place } }];
    const name = SETTING_NAMES.find((one) => one === key);
    if (name === undefined) return [unknownKey(path, key, [...LASTING, "mapping", "rules"])];
    return factsOf(name).once ? [{ code: "once_key", facts: { place, flag: flagOf(key) } }] : [];
  });
}
