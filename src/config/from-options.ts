import { resolve } from "node:path";
import { PaydropError } from "../errors.ts";
import { assemble } from "./assemble.ts";
import type { Config } from "./config.ts";
import { assertSafe } from "./load.ts";
import { readMappings } from "./mapping.ts";
import { readRules } from "./rules.ts";
import { Secret } from "./secret.ts";
import { SECRETS, checked, type FoundSecret, type SecretName } from "./secrets-in.ts";
import { SETTINGS, type Setting, type SettingName } from "./settings.ts";
import { unknownOption } from "./nearest.ts";
import type { WatchOptions } from "./options.ts";
import { NotRight, saidOf } from "./values.ts";

/** An option that has a setting of its own. */
export type SettingOption = Exclude<keyof WatchOptions, SecretName | "mappings" | "rules">;

/** The setting of each option: an option is read as its setting is. */
const OPTIONS = {
  operation: "operation",
  period: "period",
  mapping: "mapping",
  sheet: "sheet",
  expectRows: "expect_rows",
  expectTotal: "expect_total",
  requireControl: "require_control",
  allowRepeats: "allow_repeats",
  allOrNothing: "all_or_nothing",
  duplicateDays: "duplicate_days",
  payeeChange: "payee_change",
  stateDir: "state_dir",
  environment: "environment",
  emptyFields: "empty_fields",
  amountDigitsMax: "amount_digits_max",
  amountDecimalsMax: "amount_decimals_max",
  ifscFormat: "ifsc_format",
  encoding: "encoding",
  ownColumns: "own_columns",
  numberGrouping: "number_grouping",
  decimalSign: "decimal_sign",
  timeZone: "time_zone",
  baseUrl: "base_url",
  keyEncoding: "key_encoding",
  padding: "padding",
  hexCase: "hex_case",
  concurrency: "concurrency",
  rate: "rate",
  timeoutMs: "timeout",
  connectTimeoutMs: "connect_timeout",
  retry429: "retry_429",
  retryForMs: "retry_for",
  reuseConnections: "reuse_connections",
  caFile: "ca_file",
  clientCertFile: "client_cert_file",
  clientKeyFile: "client_key_file",
  acceptDestination: "accept_destination",
  acceptLostJournal: "accept_lost_journal",
  by: "by",
  settleMs: "settle",
  watchRetryMs: "watch_retry",
} as const satisfies Record<SettingOption, SettingName>;

const SECRET_NAMES: readonly string[] = Object.keys(SECRETS);
/** Options that the library's calls take out themselves; known here, since a misspelt option may mean one of them. */
const OF_CALLS = ["sandbox", "signal", "giveUpSignal", "onEvent", "onReport", "onRefused", "onMessage", "poll"];

/** Options of a library call as a frozen Config. Throws PaydropError `config`, which names the option. */
export function configFromOptions(options: WatchOptions): Config {
  const values: Record<string, unknown> = {};
  const secrets: Partial<Record<SecretName, FoundSecret>> = {};
  const { mappings, rules, ...settings } = options;
  for (const [option, given] of Object.entries(settings) as [string, unknown][]) {
    if (given === undefined) continue;
    if (SECRET_NAMES.includes(option)) {
      const name = option as SecretName;
      secrets[name] = { secret: readSecretOption(name, given), origin: "option" };
    } else if (Object.hasOwn(OPTIONS, option)) {
      values[OPTIONS[option as SettingOption]] = readOption(option as SettingOption, given);
    } else throw unknownOption(option, [...Object.keys(OPTIONS), "mappings", "rules", ...SECRET_NAMES, ...OF_CALLS]);
  }
  const tables = {
    mappings: mappings === undefined ? [] : readMappings(mappings, process.cwd(), () => ""),
    rules: rules === undefined ? {} : readRules(rules, process.cwd(), () => ""),
  };
  const config = assemble(values, process.env, secrets, {}, tables);
  assertSafe(config, process.env);
  return Object.freeze(config);
}

/** Reads an option as its setting is read, so that a value means the same wherever it is said. Throws `config`. */
export function readOption(option: SettingOption, given: unknown): unknown {
  const setting: Setting<unknown> = SETTINGS[OPTIONS[option]];
  try {
    // a plain number would be read as seconds
    const value = setting.read(option.endsWith("Ms") ? `${String(given)}ms` : given);
    return setting.path ? resolve(value as string) : value;
  } catch (error) {
    if (!(error instanceof NotRight)) throw error;
    throw new PaydropError(
      "config",
      `${option}: ${saidOf(given, rightInMs(option, setting) ?? error)}`,
      "correct the option",
    );
  }
}

/** What is right for an option in milliseconds: the words of its setting speak of `90s`, which an option cannot be. */
function rightInMs(option: string, { read }: Setting<unknown>): NotRight | undefined {
  const { minimum = 0, maximum = 0 } = read.schema;
  return option.endsWith("Ms")
    ? new NotRight(`a number of milliseconds from ${minimum * 1000} to ${maximum * 1000}`)
    : undefined;
}

/** A secret that was given as an option. Throws `config` for a text that no key can be, without repeating it. */
export function readSecretOption(name: SecretName, given: unknown): Secret {
  if (given instanceof Secret) return checked(name, given.reveal(), name);
  if (typeof given === "string") return checked(name, given, name);
  throw new PaydropError("config", `${name} is missing or not a text`, "give the key as a string or a Secret");
}
