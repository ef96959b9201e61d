import { dirname, resolve } from "node:path";
import { defined } from "../defined.ts";
import { PaydropError } from "../errors.ts";
import { assemble, type Tables } from "./assemble.ts";
import { isLoopback } from "./base-url.ts";
import type { Config } from "./config.ts";
import { readMappings } from "./mapping.ts";
import { readRules } from "./rules.ts";
import { SECRETS, forgetSecrets, takeSecrets, type FoundSecret, type SecretName } from "./secrets-in.ts";
import { SETTINGS, SETTING_NAMES, flagOf, variableOf, type SettingName, type SettingValues } from "./settings.ts";
import { readTomlFile, type TomlFile } from "./toml-file.ts";
import { NotRight, saidOf } from "./values.ts";

export interface Sources {
  /** What stood on the command line, by the name of the setting (`state_dir`) or `config`. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** The three secrets are removed from it. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** `ignore`: a broken key file must not keep a command from working that never sends. */
  readonly secrets?: "read" | "ignore";
  /** The settings file that is named may not be there yet: it is about to be written. */
  readonly mayBeNew?: boolean;
}

/** Flags over environment over credential files over paydrop.toml over defaults. Throws PaydropError `config`. */
export function loadConfig(sources: Sources): Config {
  return loadSettings(sources).config;
}

/** `loadConfig` for a command that never sends: the three secrets are removed from `env`, and not read. */
export function loadWithoutKeys({ flags, env }: Required<Pick<Sources, "flags" | "env">>): Config {
  return loadConfig({ flags, env, secrets: "ignore" });
}

export interface LoadedSettings {
  readonly config: Config;
  /** The settings that a source said, without defaults. */
  readonly said: SettingValues;
  /** The paydrop.toml that was read. */
  readonly file?: string;
}

/** `loadConfig`, and what the sources said one by one. */
export function loadSettings(sources: Sources): LoadedSettings {
  const { env, flags = {}, cwd = process.cwd() } = sources;
  const secrets = sources.secrets === "ignore" ? forgetAll(env) : takeSecrets(env);
  const named = configNamed(flags, env);
  const place = named === undefined ? undefined : resolve(cwd, named);
  const file = readTomlFile(place, env, sources.mayBeNew);
  const { values, origins } = readSettings(flags, env, file, cwd);
  const config = assemble(values, env, secrets, origins, tablesIn(file, origins));
  if (sources.secrets !== "ignore") assertSafe(config, env);
  return defined({ config: Object.freeze(config), said: values, file: file?.path });
}

/** The settings file that somebody named, as they wrote it. */
export function configNamed(flags: Sources["flags"], env: NodeJS.ProcessEnv): string | undefined {
  const named = flags?.["config"] ?? (env["PAYDROP_CONFIG"] || undefined);
  return typeof named === "string" ? named : undefined;
}

/**
 * Throws one PaydropError that names everything missing for sending at once. AES key and IV are for payouts only
 * (§5.2): their absence alone is an error only with `payouts`.
 */
export function requireSending(config: Config, payouts = false): void {
  const missing = [
    config.baseUrl === undefined ? "PAYDROP_BASE_URL" : "",
    config.apiKey === undefined ? SECRETS.apiKey.variable : "",
  ].filter(Boolean);
  const missingForPayouts = [
    config.aesKey === undefined ? SECRETS.aesKey.variable : "",
    config.aesIv === undefined ? SECRETS.aesIv.variable : "",
  ].filter(Boolean);
  if (missing.length === 0 && !(payouts && missingForPayouts.length > 0)) return;
  const forPayouts = missingForPayouts.length > 0 ? `${missingForPayouts.join(", ")} (payouts only)` : "";
  throw new PaydropError(
    "config",
    `missing: ${[...missing, forPayouts].filter(Boolean).join(", ")}`,
    "set them (each key also as …_FILE with a path); to try without any: paydrop run --sandbox FILE",
  );
}

/** What stands in the tables whose keys are names that a person chose. */
function tablesIn(file: TomlFile | undefined, origins: Record<string, string>): Tables {
  if (!file) return { mappings: [], rules: {} };
  const place = (path: readonly string[]): string => `${file.path}: ${file.placeWithin(path)}`;
  const { mapping, rules } = file.values;
  if (rules !== undefined) origins["rules"] = file.path;
  return {
    mappings: mapping === undefined ? [] : readMappings(mapping, dirname(file.path), place),
    rules: rules === undefined ? {} : readRules(rules, dirname(file.path), place),
  };
}

function forgetAll(env: NodeJS.ProcessEnv): Partial<Record<SecretName, FoundSecret>> {
  forgetSecrets(env);
  return {};
}

interface Settled {
  readonly values: SettingValues;
  readonly origins: Record<string, string>;
}

function readSettings(
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  file: TomlFile | undefined,
  cwd: string,
): Settled {
  const values: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  const wrong: string[] = [];
  for (const name of SETTING_NAMES) {
    const said = firstThatSays(name, flags, env, file);
    if (!said) continue;
    const value = understood(name, said, wrong);
    const isPath = SETTINGS[name].path && typeof value === "string";
    values[name] = isPath ? resolve(said.origin === file?.path ? dirname(file.path) : cwd, value) : value;
    origins[name] = said.origin;
  }
  if (wrong.length > 0) throw new PaydropError("config", wrong.join("; "), "correct it and run again");
  return { values, origins };
}

interface Said {
  readonly raw: unknown;
  readonly origin: string;
  /** Where a person finds it, for messages. */
  readonly place: string;
}

function firstThatSays(
  name: SettingName,
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  file: TomlFile | undefined,
): Said | undefined {
  if (flags[name] !== undefined) return { raw: flags[name], origin: flagOf(name), place: flagOf(name) };
  const variable = variableOf(name);
  // an empty variable says nothing: unit files and compose files cannot unset one
  if (env[variable]) return { raw: env[variable], origin: variable, place: variable };
  // a table may have the name of a setting for one run: `[mapping.hrms]` and `--mapping hrms`
  if (file && !SETTINGS[name].perRun && Object.hasOwn(file.values, name)) {
    return { raw: file.values[name], origin: file.path, place: `${file.path}: ${file.placeOf(name)}${name}` };
  }
  return undefined;
}

/** The value that was said. What is wrong with it is added to `wrong`: whoever sets up a machine sees all at once. */
function understood(name: SettingName, said: Said, wrong: string[]): unknown {
  try {
    return SETTINGS[name].read(said.raw);
  } catch (error) {
    if (!(error instanceof NotRight)) throw error;
    wrong.push(`${said.place}: ${saidOf(said.raw, error)}`);
    return undefined;
  }
}

/**
 * Throws PaydropError `config` for settings that would give the keys or the money to somebody else, `usage` for a lost
 * journal that nobody answers for.
 */
export function assertSafe(config: Config, env: NodeJS.ProcessEnv): void {
  const remote = config.baseUrl !== undefined && !isLoopback(config.baseUrl);
  if (remote && env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    throw new PaydropError(
      "config",
      "NODE_TLS_REJECT_UNAUTHORIZED=0 is set: anybody on the way could read the key and change payments",
      "unset it; to trust a certificate of your own, set PAYDROP_CA_FILE",
    );
  }
  if ((config.clientCertFile === undefined) !== (config.clientKeyFile === undefined)) {
    throw new PaydropError(
      "config",
      "PAYDROP_CLIENT_CERT_FILE and PAYDROP_CLIENT_KEY_FILE belong together, and one is missing",
      "set both, or neither",
    );
  }
  if (config.acceptLostJournal && config.by === undefined) {
    throw new PaydropError("usage", "--accept-lost-journal needs a person's name", "add --by NAME");
  }
}
