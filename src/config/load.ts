import { dirname, join, resolve } from "node:path";
import * as z from "zod/mini";
import { PaydropError } from "../errors.ts";
import {
  isLoopback,
  isYes,
  nearest,
  passwordIn,
  path as pathKind,
  serverUrl,
  unknownKey,
  wrongOf,
  wrongText,
  type Wrong,
} from "./kinds.ts";
import { mappingTables } from "./mapping.ts";
import {
  answersTable,
  factsOf,
  flagOf,
  notifyTable,
  rulesTable,
  SETTING_NAMES,
  SETTINGS,
  variableOf,
} from "./schema.ts";
import type { Config, Settings } from "./schema.ts";
import {
  PASSWORD,
  Secret,
  SECRET_NAMES,
  secretOf,
  SECRETS,
  secretText,
  SENDING_SECRETS,
  takeSecrets,
  type Secrets,
} from "./secret.ts";
import { statementTables } from "./statement.ts";
import { homeOf, readTomlFile, wrongKeysIn } from "./toml.ts";

export interface Sources {
  /** What stood on the command line, by the name of the setting (`state_dir`), or `config`. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The three secrets are removed from it. */
  readonly env: NodeJS.ProcessEnv;
}

export interface Loaded {
  readonly config: Config;
  readonly secrets: Secrets;
  /** Where each value came from that is no default, by setting or the secret's variable. */
  readonly origins: Readonly<Record<string, string>>;
  readonly file: string | undefined;
}

const JOURNAL_URL = variableOf("journal_url");

/**
 * Flags over `PAYDROP_…` over paydrop.toml over defaults. `read`: with the keys; a broken key file must not keep a
 * command from working that never sends, and one that sends nothing real (`trial`) knows no journal of other hosts. `mayBeNew`: the settings file that is named may not be there yet. Throws
 * PaydropError `config` that names everything that is wrong at once.
 */
export function loadSettings(
  { flags, env }: Sources,
  keys: "read" | "ignore" | "trial" = "ignore",
  mayBeNew = false,
): Loaded {
  const origins: Record<string, string> = {};
  const named = flags["config"] ?? env["PAYDROP_CONFIG"];
  const wrongs = keys === "read" ? wrongVariables(flags, env) : [];
  const secrets = takeSecrets(env, origins, keys === "read" ? SECRET_NAMES : keys === "ignore" ? ["journalKey"] : []);
  const found = readTomlFile(typeof named === "string" && named !== "" ? resolve(named) : undefined, env, mayBeNew);
  const { path: file, values = {} } = found ?? {};
  if (found) wrongs.push(...wrongKeysIn(found));
  const { rules, notify, answers, mapping, statement: statements } = values;
  // `mapping = "hrms"` is no section, and told as a key that is wrong there
  const said: Said = sectionsOf({
    rules,
    notify,
    answers,
    statements,
    mappings: typeof mapping === "object" ? mapping : undefined,
  });
  // it may hold a password, so it comes as a key does
  const journalUrl = keys === "trial" ? undefined : secretText(JOURNAL_URL, env);
  for (const name of SETTING_NAMES) {
    const sources: readonly (readonly [string, unknown])[] = [
      [flagOf(name), flags[name]],
      // an empty variable says nothing: compose files cannot unset one
      name === "journal_url"
        ? [journalUrl?.[0] ?? "", journalUrl?.[1] || undefined]
        : [variableOf(name), env[variableOf(name)] || undefined],
      [file ?? "", factsOf(name).once ? undefined : values[name]],
    ];
    // of a trial only what was said for it
    const firm = keys === "trial" ? sources.slice(0, 1) : sources.toReversed();
    const inOrder = factsOf(name).firm ? firm : sources;
    const first = inOrder.find(([, value]) => value !== undefined);
    if (first) [origins[name], said[name]] = first;
  }
  const placeOf = (name: string): string => {
    const origin = origins[name] ?? file ?? "";
    return origin === file ? `${origin}: ${name}` : origin;
  };
  if (keys === "trial") delete said["journal_url"];
  const config = settled(said, env, { origins, file }, placeOf, wrongs);
  assertEncrypted(config.journal_url);
  if (origins["journal_url"] !== journalUrl?.[0] && passwordIn(config.journal_url ?? "") !== undefined)
    throw new PaydropError("journal_password");
  if (keys === "read") assertSafe(config, env);
  return { config: withShared(config, secrets), secrets, origins, file };
}

/** Throws where a shared journal is named without its key. Its password shows up nowhere. */
function withShared(config: Config, { journalKey: key }: Secrets): Config {
  const { journal_url: url } = config;
  if (url === undefined) return config;
  if (!key || bytesOfKey(key).length !== 32) throw new PaydropError(key ? "journal_key_wrong" : "journal_key_missing");
  const secrets = { url: new Secret(url), key, password: new Secret(passwordIn(url) ?? "") };
  return Object.freeze({ ...config, journal_url: serverUrl.written(url), shared: secrets });
}

/** The way to another machine is encrypted, or somebody said that it need not be. Throws PaydropError `config`. */
function assertEncrypted(journalUrl: string | undefined): void {
  const url = journalUrl === undefined ? undefined : new URL(journalUrl);
  const host = url?.searchParams.get("host") ?? url?.hostname ?? "";
  const isHere = host === "" || host.startsWith("/") || isLoopback(`http://${host}`);
  if (url && !isHere && !url.searchParams.has("sslmode")) throw new PaydropError("journal_unencrypted", { host });
}

/** `PAYDROP_JOURNAL_KEY` in hex or base64. */
export function bytesOfKey(key: Secret): Buffer {
  const text = key.reveal().trim();
  return Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64");
}

/** By the name of the setting; the sections are `rules`, `mappings`, `statements`, `notify` and `answers`. */
type Said = Record<string, unknown>;

/** Those that were said. */
function sectionsOf(all: Said): Said {
  return Object.fromEntries(Object.entries(all).filter(([, section]) => section !== undefined));
}

/** `placeOf`: where something was said: `--timeout`, `/etc/paydrop/paydrop.toml: timeout`; `wrongs`: known already. */
function settled(
  said: Said,
  env: NodeJS.ProcessEnv,
  { origins, file }: { readonly origins: Record<string, string>; readonly file: string | undefined },
  placeOf: (name: string) => string,
  wrongs: readonly Wrong[],
): Config {
  const folder = file === undefined ? "." : dirname(file);
  const sections = {
    ...(said["rules"] !== undefined && { rules: rulesTable() }),
    ...(said["mappings"] !== undefined && { mappings: mappingTables(folder) }),
    ...(said["statements"] !== undefined && { statements: statementTables() }),
    ...(said["notify"] !== undefined && { notify: notifyTable() }),
    ...(said["answers"] !== undefined && { answers: answersTable() }),
  };
  const read = z.object({ ...SETTINGS.shape, ...sections }).safeParse(said);
  const found = read.error?.issues.flatMap((issue) => {
    const [name, ...more] = issue.path.map(String);
    const isHidden = name === "notify" || SETTING_NAMES.some((one) => one === name && factsOf(one).kind.isHidden);
    const value = issue.path.reduce<unknown>((part, key) => (part as Said | undefined)?.[String(key)], said);
    const key = name === "mappings" || name === "statements" ? name.slice(0, -1) : (name ?? "");
    const place = [placeOf(key), ...more].join(".");
    return wrongOf(issue, place, isHidden ? {} : value);
  });
  const all = [...wrongs, ...(found ?? [])];
  if (!read.success || all.length > 0)
    throw new PaydropError("settings_wrong", { wrong: all.map(wrongText).join("\n") });
  const values: Said = { rules: {}, mappings: [], statements: [], notify: {}, answers: {}, ...read.data };
  for (const name of SETTING_NAMES) {
    const path = factsOf(name).kind === pathKind ? values[name] : undefined;
    if (typeof path === "string") values[name] = resolve(origins[name] === file ? folder : ".", path);
  }
  const { base_url: baseUrl, verbose } = read.data;
  values["environment"] ??= baseUrl !== undefined && isLoopback(baseUrl) ? "test" : "live";
  values["state_dir"] ??= usualStateDir(env, origins);
  if (said["no_color"] === undefined) values["no_color"] = Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb";
  if (said["log_level"] === undefined && verbose) values["log_level"] = "debug";
  return Object.freeze(values) as unknown as Config;
}

/** The first folder of `$STATE_DIRECTORY`, systemd's list with colons; else by the XDG convention. Throws `config`. */
function usualStateDir(env: NodeJS.ProcessEnv, origins: Record<string, string>): string {
  const systemd = env["STATE_DIRECTORY"]?.split(":")[0];
  if (systemd) origins["state_dir"] = "STATE_DIRECTORY";
  if (systemd) return resolve(systemd);
  const folder = homeStateDir(env);
  if (folder === undefined) throw new PaydropError("no_home");
  return folder;
}

/** What every shell of this user finds without a word. */
export function homeStateDir(env: NodeJS.ProcessEnv): string | undefined {
  const home = homeOf(env, "XDG_STATE_HOME", join(".local", "state"));
  return home && join(home, "paydrop");
}

/** Variables whose names are nearly those of settings; others with this prefix may belong to somebody else. */
function wrongVariables(flags: Sources["flags"], env: NodeJS.ProcessEnv): Wrong[] {
  const secrets = [...Object.values(SECRETS), JOURNAL_URL, PASSWORD];
  const known = [...SETTING_NAMES.map(variableOf), ...secrets, ...secrets.map((name) => `${name}_FILE`)];
  const said = Object.keys(env).filter((name) => name.startsWith("PAYDROP_") && env[name] && !known.includes(name));
  const bare = (variable: string): string => variable.slice("PAYDROP_".length);
  const wrongs = said.flatMap((variable): Wrong[] => {
    const meant = nearest(bare(variable), known.map(bare));
    return meant === undefined ? [] : [{ code: "unknown_variable", facts: { variable, meant: `PAYDROP_${meant}` } }];
  });
  const isMeant = flags["sandbox"] !== true && isYes(env["PAYDROP_SANDBOX"]);
  return isMeant ? [...wrongs, { code: "sandbox_variable", facts: {} }] : wrongs;
}

/** Throws for settings that would give keys or money to somebody else, or for which nobody answers. */
function assertSafe(config: Config, env: NodeJS.ProcessEnv): void {
  const isRemote = config.base_url !== undefined && !isLoopback(config.base_url);
  if (isRemote && env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") throw new PaydropError("tls_off");
  if (config.accept_lost_journal && config.by === undefined) throw new PaydropError("lost_journal_by");
}

/**
 * Throws one PaydropError that names everything missing for sending at once. AES key and IV are for payouts only (§5.2):
 * their absence alone is an error only with `payouts`. `by`: `options` of a program.
 */
export function requireSending(config: Partial<Config>, secrets: Secrets, { payouts = false, by = "" } = {}): void {
  const unset = SENDING_SECRETS.filter((name) => !secrets[name]);
  const ofPayouts = unset.filter((name) => name !== "apiKey").map((name) => `${SECRETS[name]} (payouts only)`);
  const always = [
    ...(config.base_url === undefined ? ["PAYDROP_BASE_URL"] : []),
    ...(secrets.apiKey ? [] : [SECRETS.apiKey]),
    ...(config.notify?.email_to && !secrets.smtpUrl ? [`${SECRETS.smtpUrl} (for email_to)`] : []),
  ];
  if (always.length === 0 && !(payouts && ofPayouts.length > 0)) return;
  const missing = [...always, ...ofPayouts].join(", ");
  const options = missing.replaceAll(/PAYDROP_(\w+)/g, (_, name: string) => optionOf(name.toLowerCase()));
  throw new PaydropError("missing_for_sending", { by, missing: by === "options" ? options : missing });
}

/** `state_dir` → `stateDir`; a duration says its unit: `timeout` → `timeoutMs`. */
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type OptionName<Name extends string> = Name extends Duration ? `${Camel<Name>}Ms` : Camel<Name>;

const DURATIONS = ["timeout", "connect_timeout", "settle"] as const;
type Duration = (typeof DURATIONS)[number];

/**
 * Every setting, but those of commands alone, as an option of a library call, in camelCase: `baseUrl`, `timeoutMs` in
 * milliseconds. What is left out has the default of the command line; neither paydrop.toml nor any `PAYDROP_…` variable is read.
 */
export type SettingOptions = {
  readonly [Name in Exclude<keyof Settings, OfCommand> as OptionName<Name>]?: Settings[Name];
};

/** What only a command tells, asks and shows. */
const OF_COMMANDS = /^(?:json|quiet|verbose|no_color|yes|ping_url|(?:log|metrics)_.*)$/;
type OfCommand = "json" | "quiet" | "verbose" | "no_color" | "yes" | "ping_url" | `${"log" | "metrics"}_${string}`;

const OPTION_SECRETS = SECRET_NAMES.filter((name) => name !== "smtpUrl");

export interface Options extends SettingOptions {
  /** The key of the header `x-api-key` (§5.1). */
  readonly apiKey?: string | Secret;
  /** 32 bytes, in hex, base64 or as text; for payouts only (§5.2). */
  readonly aesKey?: string | Secret;
  /** 16 bytes, written as `aesKey` is. */
  readonly aesIv?: string | Secret;
  /** Of a journal that several hosts share (`journalUrl`): 32 bytes, in hex or base64. */
  readonly journalKey?: string | Secret;
  /** What rows, files and days must keep to, with the keys of `[rules.…]` in paydrop.toml. */
  readonly rules?: Readonly<Record<string, unknown>>;
  /** Column mappings by name, with the keys of `[mapping.NAME]` in paydrop.toml. */
  readonly mappings?: Readonly<Record<string, unknown>>;
  /** Columns of other banks' statements by name, with the keys of `[statement.NAME]` in paydrop.toml. */
  readonly statements?: Readonly<Record<string, unknown>>;
  /** What an answer looks like that takes a row, by operation, with the keys of `[answers.payout]` in paydrop.toml. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

function optionOf(name: string): string {
  const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (DURATIONS as readonly string[]).includes(name) ? `${camel}Ms` : camel;
}

/** What a caller in JavaScript may give amiss. Throws PaydropError `config`. */
export function assertOption(option: string, isRight: boolean, right: string): void {
  if (!isRight) throw new PaydropError("option_wrong", { option, right });
}

/** Options of a library call as settings. Throws PaydropError `config`, which names every option that is wrong. */
export function loadOptions(given: Options): Loaded {
  assertOption("options", Object(given) === given, "an object");
  const { rules, mappings, statements, answers, ...options } = given;
  const sections = { rules, mappings, statements, answers };
  const said = sectionsOf(sections);
  const secrets: Partial<Record<keyof Secrets, Secret>> = {};
  const wrongs: Wrong[] = [];
  const known = SETTING_NAMES.filter((name) => !OF_COMMANDS.test(name));
  const names = new Map(known.map((name) => [optionOf(name), name]));
  for (const [option, value] of Object.entries(options) as [string, unknown][]) {
    const [name, secret] = [names.get(option), OPTION_SECRETS.find((one) => one === option)];
    if (value === undefined) continue;
    const isRight = !option.endsWith("Ms") || typeof value === "number";
    assertOption(option, isRight, "milliseconds as a number, such as 30000");
    if (secret) secrets[secret] = secretOf(secret, value, option);
    // a plain number would be read as seconds
    else if (name) said[name] = option.endsWith("Ms") ? `${value as number}ms` : value;
    else wrongs.push(unknownKey("options", option, [...names.keys(), ...OPTION_SECRETS, ...Object.keys(sections)]));
  }
  const [env, origins, file] = [process.env, {}, undefined];
  const config = withShared(settled(said, env, { origins, file }, optionOf, wrongs), secrets);
  assertSafe(config, env);
  return { config, secrets, origins, file };
}
