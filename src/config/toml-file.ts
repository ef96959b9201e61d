import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type * as Toml from "smol-toml";
import { PaydropError, messageOf, systemCodeOf } from "../errors.ts";
import { SETTINGS, SETTING_NAMES, flagOf } from "./settings.ts";
import { asWord } from "../text/printable.ts";
import { nearest } from "./nearest.ts";

export interface TomlFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The line of a key, as `line 3: `; empty where it cannot be found. */
  placeOf(key: string): string;
  /**
   * The line of a key within tables, as `line 7: `. `path`: the names of the tables and the key. Where the key is not
   * there, the line of the nearest table.
   */
  placeWithin(path: readonly string[]): string;
}

/**
 * The paydrop.toml that counts: the one named, else the user's, else the machine's. Never one in the inbox or the
 * working folder: who can drop a file must not be able to change the base URL. `mayBeNew`: the file that is named may
 * not be there yet. Throws `config`.
 */
export function readTomlFile(
  named: string | undefined,
  env: NodeJS.ProcessEnv,
  mayBeNew = false,
): TomlFile | undefined {
  const path = named ?? usualPlaces(env).find(isThere);
  if (path === undefined || (mayBeNew && !isThere(path))) return undefined;
  const text = readPrivately(path);
  const values = parsed(path, text);
  const placeOf = (key: string): string => placeIn(text, key);
  for (const key of Object.keys(values)) assertKnown(`${path}: ${placeOf(key)}`, key);
  return { path, values, placeOf, placeWithin: (keys) => placeWithin(text, keys) };
}

/** Tables beside the settings, whose keys are names that a person chose. */
export const TABLES: readonly string[] = ["mapping", "rules"];

function placeIn(text: string, key: string): string {
  const found = text.split("\n").findIndex((line) => keyOfLine(line) === key);
  return found < 0 ? "" : `line ${found + 1}: `;
}

/** The first name in a line such as `name = …`, `"name" = …`, `name.more = …` or `[name]`. */
function keyOfLine(line: string): string | undefined {
  const [, bare, quoted] = /^\s*\[{0,2}\s*(?:([A-Za-z0-9_-]+)|["']([^"']*)["'])\s*[=.\]]/.exec(line) ?? [];
  return bare ?? quoted;
}

/** Looks at tables such as `[mapping.hrms.columns]` and the lines below them; a name in quotes is one name. */
function placeWithin(text: string, path: readonly string[]): string {
  let best = { line: 0, depth: 0 };
  let table: readonly string[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const [, head, key] =
      /^\s*(?:\[{1,2}(.+?)\]{1,2}\s*(?:#.*)?$|((?:[A-Za-z0-9_.\s-]|"[^"]*"|'[^']*')+?)\s*=)/.exec(line) ?? [];
    if (head !== undefined) table = namesIn(head);
    const here = key === undefined ? (head === undefined ? [] : table) : [...table, ...namesIn(key)];
    const isOnTheWay = here.every((name, depth) => name === path[depth]);
    if (isOnTheWay && here.length > best.depth) best = { line: index + 1, depth: here.length };
  }
  return best.depth === 0 ? "" : `line ${best.line}: `;
}

function namesIn(dotted: string): string[] {
  const names = dotted.matchAll(/"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)/g);
  return Array.from(names, ([, one, two, bare]) => one ?? two ?? bare ?? "");
}

/** The user's own settings file, if there can be one, and the machine's. */
export function usualPlaces(env: NodeJS.ProcessEnv): [string, ...string[]] {
  const own = homeOf(env, "XDG_CONFIG_HOME", ".config");
  const machine = "/etc/paydrop/paydrop.toml";
  return own === undefined ? [machine] : [join(own, "paydrop", "paydrop.toml"), machine];
}

/**
 * The folder of the XDG convention: `variable`, else `usual` in the home folder. undefined for a user without a home
 * folder, such as a nameless user of a container. A relative path does not count: it would be another folder in every
 * working folder.
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

/** Throws `config` where it cannot be found out: rows could go elsewhere without the settings of this user. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const hint = "is HOME that of another user? Set it, or name the settings with --config";
    throw new PaydropError("config", messageOf(error), hint, { cause: error });
  }
}

function readPrivately(path: string): string {
  try {
    const writableByOthers = process.platform !== "win32" && (statSync(path).mode & 0o022) !== 0;
    if (!writableByOthers) return readFileSync(path, "utf8");
  } catch (error) {
    const why = systemCodeOf(error) === "ENOENT" ? "there is no such file" : messageOf(error);
    throw new PaydropError("config", `${path}: ${why}`, "check --config or PAYDROP_CONFIG", { cause: error });
  }
  throw new PaydropError(
    "config",
    `${path} may be written by others than its owner: whoever can change it can redirect payments`,
    `take that right from them: chmod go-w ${asWord(path)}`,
  );
}

function parsed(path: string, text: string): Record<string, unknown> {
  // loaded only here: most users have no such file
  const { TomlError, parse } = createRequire(import.meta.url)("smol-toml") as typeof Toml;
  try {
    return parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.split("\n")[0] ?? "";
    throw new PaydropError(
      "config",
      `${path}: line ${error.line}, column ${error.column}: ${what.replace(/^Invalid TOML document: /, "")}`,
      'a line reads key = value, texts in quotes: timeout = "90s"',
      { cause: error },
    );
  }
}

const SECRET_KEY = /^(?:paydrop_)?(?:x_)?(?:api_key|aes_key|aes_iv|iv|key|secret|password|token)(?:_file)?$/;

function assertKnown(place: string, key: string): void {
  const setting = Object.hasOwn(SETTINGS, key) ? SETTINGS[key as keyof typeof SETTINGS] : undefined;
  if ((setting && !setting.perRun) || TABLES.includes(key)) return;
  if (setting) {
    throw new PaydropError(
      "config",
      `${place}${key} is a person's word for one run`,
      `give it with that run: ${flagOf(key)}`,
    );
  }
  if (SECRET_KEY.test(key.toLowerCase().replaceAll("-", "_"))) {
    throw new PaydropError(
      "config",
      `${place}${key} does not belong here: a settings file is copied, mailed and checked in`,
      "use PAYDROP_API_KEY, PAYDROP_AES_KEY, PAYDROP_AES_IV, or the same with _FILE; take it out of this file",
    );
  }
  const meant = nearest(key, [...SETTING_NAMES.filter((name) => !SETTINGS[name].perRun), ...TABLES]);
  throw new PaydropError(
    "config",
    `${place}there is no setting "${key}"`,
    meant ? `did you mean ${meant}?` : "paydrop config example lists all settings",
  );
}
