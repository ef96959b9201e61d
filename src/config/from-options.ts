import { resolve } from "node:path";
import { PaydropError } from "../errors.ts";
import { assemble } from "./assemble.ts";
import type { Choices, Config } from "./config.ts";
import { assertSafe } from "./load.ts";
import { readMappings } from "./mapping.ts";
import { readRules } from "./rules.ts";
import { Secret } from "./secret.ts";
import { SECRETS, checked, type FoundSecret, type SecretName } from "./secrets-in.ts";
import { SETTINGS, type Setting, type SettingName } from "./settings.ts";
import { unknownOption } from "./nearest.ts";
import { NotRight, saidOf } from "./values.ts";

/** How a file is read and checked. What is left out has the default of the command line; no `paydrop.toml` and no `PAYDROP_…` variable is read. */
export interface CheckOptions extends Partial<
  Omit<Choices, "padding" | "hexCase" | "keyEncoding" | "retry429" | "rules">
> {
  /** What rows, files and days must keep to, with the keys of `[rules.…]` in paydrop.toml. */
  readonly rules?: Readonly<Record<string, unknown>>;
  /** Where a day begins, for `max_per_day`; the machine's own unless said. */
  readonly timeZone?: string;
  /** What the rows are, when neither the file nor its folder says it. */
  readonly operation?: Config["operation"];
  /** What the file pays for, such as `2026-11`. */
  readonly period?: string;
  /** The one of `mappings` that the file is read by, where several fit; `none`: by our own column names only. */
  readonly mapping?: string;
  /** Column mappings by name, with the keys of `[mapping.NAME]` in paydrop.toml. */
  readonly mappings?: Readonly<Record<string, unknown>>;
  /** The sheet of a workbook to read, where several could be meant. */
  readonly sheet?: string;
  /** Rows that the file must have; one with another number is refused whole. */
  readonly expectRows?: number;
  /** Sum of amounts that the file must have, as decimal text, `"11087750.50"`; one with another sum is refused whole. */
  readonly expectTotal?: string;
  /** Refuses a file without control totals. */
  readonly requireControl?: boolean;
  /** Equal rows of one file are not held. */
  readonly allowRepeats?: boolean;
  /** One invalid row holds the whole file. */
  readonly allOrNothing?: boolean;
  /** Days in which an equal payment is held; 20 unless said. */
  readonly duplicateDays?: number;
  /** A corrected row that pays another account waits for a release (`hold`), or goes; `hold` unless said. */
  readonly payeeChange?: Config["payeeChange"];
  /**
   * The memory of what was sent: private, kept, one process at a time. Unless said systemd's `$STATE_DIRECTORY`, else
   * `$XDG_STATE_HOME/paydrop`, else `~/.local/state/paydrop`.
   */
  readonly stateDir?: string;
  /** `test` for an address on this machine, else `live`. Memory is kept apart. */
  readonly environment?: Config["environment"];
}

/** Where a file is sent and how; also what `CheckOptions` says. */
export interface SendOptions extends CheckOptions {
  /** `https://api.bank.example`, without the `/v1` path; http only to this machine. */
  readonly baseUrl?: string;
  /** The key of the header `x-api-key` (§5.1). */
  readonly apiKey?: string | Secret;
  /** 32 bytes, in hex, base64 or as text; for payouts only (§5.2). */
  readonly aesKey?: string | Secret;
  /** 16 bytes, in the same way. */
  readonly aesIv?: string | Secret;
  /** `auto`: the one encoding that gives 32 and 16 bytes. §5.2 shows none. */
  readonly keyEncoding?: Choices["keyEncoding"];
  /** `pkcs7` unless said. §5.2 shows none. */
  readonly padding?: Choices["padding"];
  /** `lower` unless said. */
  readonly hexCase?: Choices["hexCase"];
  /** Requests in flight at most; 8 unless said. */
  readonly concurrency?: number;
  /** Requests per second at most; no limit unless said. */
  readonly rate?: number;
  /** Milliseconds for one answer; 120,000 unless said. After that the row is `unknown`. */
  readonly timeoutMs?: number;
  /** Milliseconds for a connection; 10,000 unless said. */
  readonly connectTimeoutMs?: number;
  /** A row that met a 429 waits as told and goes again. True unless said; false makes it `unknown`. */
  readonly retry429?: boolean;
  /** Milliseconds for which a service that cannot be reached is tried; 30,000 unless said. */
  readonly retryForMs?: number;
  /** False gives every row a connection of its own. */
  readonly reuseConnections?: boolean;
  /** Path of a PEM file: CA certificates, which replace the built-in ones. */
  readonly caFile?: string;
  /** Path of a PEM file: the own certificate; its key belongs to it. */
  readonly clientCertFile?: string;
  /** Path of a PEM file: the key of the own certificate. */
  readonly clientKeyFile?: string;
  /** A batch that began at another address goes on at this one; the address may have changed its environment. */
  readonly acceptDestination?: boolean;
  /** Sends although the journal was lost; needs `by`. */
  readonly acceptLostJournal?: boolean;
  /** Who acts, for the history. */
  readonly by?: string;
}

/** How a folder is watched; also what `SendOptions` says. */
export interface WatchOptions extends SendOptions {
  /** Milliseconds for which a dropped file must lie still; 5,000 unless said, 15,000 when polling. */
  readonly settleMs?: number;
  /** Milliseconds after which a service that was away is tried again, growing to twenty times as long; 30,000 unless said. */
  readonly watchRetryMs?: number;
}

/** An option that has a setting of its own. */
export type SettingOption = Exclude<keyof WatchOptions, SecretName | "mappings" | "rules">;

/** Every option and the setting whose rules hold for it. */
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
/** What the calls take out before: for whoever misspelt one of them. */
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

/** One option by the rules of its setting, so that a value means the same wherever it is said. Throws `config`. */
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

/** The settings say durations as `90s`; an option is a number of milliseconds, and `120` would be hardly any wait. */
function rightInMs(option: string, { read }: Setting<unknown>): NotRight | undefined {
  const { minimum = 0, maximum = 0 } = read.schema;
  return option.endsWith("Ms")
    ? new NotRight(`a number of milliseconds from ${minimum * 1000} to ${maximum * 1000}`)
    : undefined;
}

/** Throws `config` for a text that no key can be, without repeating it. */
export function readSecretOption(name: SecretName, given: unknown): Secret {
  if (given instanceof Secret) return checked(name, given.reveal(), name);
  if (typeof given === "string") return checked(name, given, name);
  throw new PaydropError("config", `${name} is missing or not a text`, "give the key as a string or a Secret");
}
