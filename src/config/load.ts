import { dirname, isAbsolute, join, resolve } from "node:path";
import { defined } from "../defined.ts";
import { PaydropError } from "../errors.ts";
import { isLoopback } from "./base-url.ts";
import { USUAL, type Choices, type Config } from "./config.ts";
import { readMappings } from "./mapping.ts";
import { readRules } from "./rules.ts";
import { SECRETS, forgetSecrets, takeSecrets } from "./secrets-in.ts";
import type { FoundSecret, SecretName } from "./secrets-in.ts";
import { SETTINGS, SETTING_NAMES, flagOf, variableOf } from "./settings.ts";
import type { SettingName, SettingValues } from "./settings.ts";
import { homeOf, readTomlFile } from "./toml-file.ts";
import type { TomlFile } from "./toml-file.ts";
import { NotRight, saidOf } from "./values.ts";

export interface Sources {
  /** By setting name (`state_dir`), and `config`; only what stood on the command line. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** The three secrets are removed from it. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** `ignore`: a broken key file must not stand in the way of what never sends. */
  readonly secrets?: "read" | "ignore";
  /** The settings file that is named may not be there yet: it is about to be written. */
  readonly mayBeNew?: boolean;
}

/** Flags over environment over credential files over paydrop.toml over defaults. Throws PaydropError `config`. */
export function loadConfig(sources: Sources): Config {
  return loadSettings(sources).config;
}

/** The same for a command that never sends. */
export function loadWithoutKeys({ flags, env }: Required<Pick<Sources, "flags" | "env">>): Config {
  return loadConfig({ flags, env, secrets: "ignore" });
}

export interface LoadedSettings {
  readonly config: Config;
  /** What some source said, by setting. */
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

/** What stands in tables of names that a person chose. */
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
  for (const name of SETTING_NAMES) {
    const said = firstThatSays(name, flags, env, file);
    if (!said) continue;
    const value = understood(name, said);
    const isPath = SETTINGS[name].path && typeof value === "string";
    values[name] = isPath ? resolve(said.origin === file?.path ? dirname(file.path) : cwd, value) : value;
    origins[name] = said.origin;
  }
  return { values, origins };
}

interface Said {
  readonly raw: unknown;
  readonly origin: string;
  /** How a person would find it. */
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
  // a table of the same name is no setting: `[mapping.hrms]` beside `--mapping hrms`
  if (file && !SETTINGS[name].perRun && Object.hasOwn(file.values, name)) {
    return { raw: file.values[name], origin: file.path, place: `${file.path}: ${file.placeOf(name)}${name}` };
  }
  return undefined;
}

function understood(name: SettingName, said: Said): unknown {
  try {
    return SETTINGS[name].read(said.raw);
  } catch (error) {
    if (!(error instanceof NotRight)) throw error;
    throw new PaydropError("config", `${said.place}: ${saidOf(said.raw, error)}`, "correct it and run again");
  }
}

type Tables = Pick<Config, "mappings"> & Pick<Choices, "rules">;

/** The one place of the defaults: for a command and for a call of the library alike. */
export function assemble(
  values: SettingValues,
  env: NodeJS.ProcessEnv,
  secrets: Partial<Record<SecretName, FoundSecret>>,
  origins: Record<string, string>,
  tables: Tables,
): Config {
  for (const [name, found] of Object.entries(secrets)) origins[SECRETS[name as SecretName].variable] = found.origin;
  const verbose = values.verbose ?? false;
  return defined({
    baseUrl: values.base_url,
    environment: values.environment ?? (values.base_url && isLoopback(values.base_url) ? "test" : "live"),
    stateDir: values.state_dir ?? usualStateDir(env, origins),
    apiKey: secrets.apiKey?.secret,
    aesKey: secrets.aesKey?.secret,
    aesIv: secrets.aesIv?.secret,

    operation: values.operation,
    period: values.period,
    mapping: values.mapping,
    mappings: tables.mappings,
    sheet: values.sheet,
    expectRows: values.expect_rows,
    expectTotal: values.expect_total,
    requireControl: values.require_control ?? false,
    allowRepeats: values.allow_repeats ?? false,
    allOrNothing: values.all_or_nothing ?? false,
    acceptDestination: values.accept_destination ?? false,
    acceptLostJournal: values.accept_lost_journal ?? false,
    by: values.by,

    concurrency: values.concurrency ?? USUAL.concurrency,
    rate: values.rate,
    timeoutMs: values.timeout ?? USUAL.timeoutMs,
    connectTimeoutMs: values.connect_timeout ?? USUAL.connectTimeoutMs,
    retryForMs: values.retry_for ?? 30_000,
    settleMs: values.settle ?? 5_000,
    watchRetryMs: values.watch_retry ?? 30_000,
    duplicateDays: values.duplicate_days ?? 20,
    payeeChange: values.payee_change ?? "hold",

    caFile: values.ca_file,
    clientCertFile: values.client_cert_file,
    clientKeyFile: values.client_key_file,
    reuseConnections: values.reuse_connections ?? USUAL.reuseConnections,
    timeZone: values.time_zone,

    choices: Object.freeze({
      padding: values.padding ?? USUAL.padding,
      hexCase: values.hex_case ?? USUAL.hexCase,
      keyEncoding: values.key_encoding ?? "auto",
      emptyFields: values.empty_fields ?? "omit",
      retry429: values.retry_429 ?? true,
      amountDigitsMax: values.amount_digits_max ?? 15,
      amountDecimalsMax: values.amount_decimals_max ?? 2,
      ifscFormat: values.ifsc_format ?? "refuse",
      encoding: values.encoding ?? "utf-8",
      ownColumns: values.own_columns ?? [],
      ...groupingOf(values),
      rules: tables.rules,
    }),

    json: values.json ?? false,
    quiet: values.quiet ?? false,
    verbose,
    color: !(values.no_color ?? (Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb")),
    logLevel: values.log_level ?? (verbose ? "debug" : "info"),
    logFormat: values.log_format ?? "text",
    logFile: values.log_file,
    metricsFile: values.metrics_file,
    metricsPort: values.metrics_port,
    pingUrl: values.ping_url,
    origins,
  });
}

/** One sign cannot stand before decimals and between groups. */
function groupingOf(values: SettingValues): Pick<Choices, "numberGrouping" | "decimalSign"> {
  const { number_grouping: numberGrouping = "none", decimal_sign: decimalSign = "point" } = values;
  const isPoint = numberGrouping === "point";
  const isComma = numberGrouping === "indian" || numberGrouping === "western";
  if (decimalSign === "point" ? !isPoint : !isComma) return { numberGrouping, decimalSign };
  throw new PaydropError(
    "config",
    `number_grouping = "${numberGrouping}" and decimal_sign = "${decimalSign}" use one sign for both`,
    `set decimal_sign = "${decimalSign === "point" ? "comma" : "point"}", or another number_grouping`,
  );
}

/** `$STATE_DIRECTORY` is systemd's, a list with colons; the rest is the XDG convention. */
function usualStateDir(env: NodeJS.ProcessEnv, origins: Record<string, string>): string {
  const systemd = env["STATE_DIRECTORY"]?.split(":")[0];
  if (systemd) {
    origins["state_dir"] = "STATE_DIRECTORY";
    return resolve(systemd);
  }
  const xdg = env["XDG_STATE_HOME"];
  return join(xdg && isAbsolute(xdg) ? xdg : join(homeOf(env), ".local", "state"), "paydrop");
}

/** What would hand the keys or the money to somebody else (G8). */
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
