import { join, resolve } from "node:path";
import { defined } from "../defined.ts";
import { PaydropError } from "../errors.ts";
import { isLoopback } from "./base-url.ts";
import type { Choices, Config } from "./config.ts";
import { SECRETS, type FoundSecret, type SecretName } from "./secrets-in.ts";
import type { SettingValues } from "./settings.ts";
import { homeOf } from "./toml-file.ts";
import { USUAL } from "./usual.ts";

/** Settings under names that a person chose: mappings and rules, as they were read. */
export type Tables = Pick<Config, "mappings"> & Pick<Choices, "rules">;

/** The configuration of a run: what was said, over the defaults. Notes in `origins` where the secrets come from. */
export function assemble(
  said: SettingValues,
  env: NodeJS.ProcessEnv,
  secrets: Partial<Record<SecretName, FoundSecret>>,
  origins: Record<string, string>,
  tables: Tables,
): Config {
  for (const [name, found] of Object.entries(secrets)) origins[SECRETS[name as SecretName].variable] = found.origin;
  const values: Values = { ...USUAL, ...said };
  return defined({
    baseUrl: values.base_url,
    environment: values.environment ?? (values.base_url && isLoopback(values.base_url) ? "test" : "live"),
    stateDir: values.state_dir ?? usualStateDir(env, origins),
    apiKey: secrets.apiKey?.secret,
    aesKey: secrets.aesKey?.secret,
    aesIv: secrets.aesIv?.secret,

    ...fileOf(values),
    mappings: tables.mappings,
    by: values.by,
    ...sendingOf(values),
    timeZone: values.time_zone,
    choices: Object.freeze({ ...choicesOf(values), rules: tables.rules }),
    ...tellingOf(values, said, env),
    origins,
  });
}

type Values = SettingValues & typeof USUAL;

/** What is said of a file, and what a person allows for it. */
function fileOf(values: Values) {
  return {
    operation: values.operation,
    period: values.period,
    mapping: values.mapping,
    sheet: values.sheet,
    expectRows: values.expect_rows,
    expectTotal: values.expect_total,
    requireControl: values.require_control,
    allowRepeats: values.allow_repeats ?? false,
    allOrNothing: values.all_or_nothing,
    acceptDestination: values.accept_destination ?? false,
    acceptLostJournal: values.accept_lost_journal ?? false,
  };
}

function sendingOf(values: Values) {
  return {
    concurrency: values.concurrency,
    rate: values.rate,
    timeoutMs: values.timeout,
    connectTimeoutMs: values.connect_timeout,
    retryForMs: values.retry_for,
    settleMs: values.settle,
    watchRetryMs: values.watch_retry,
    duplicateDays: values.duplicate_days,
    payeeChange: values.payee_change,

    caFile: values.ca_file,
    clientCertFile: values.client_cert_file,
    clientKeyFile: values.client_key_file,
    reuseConnections: values.reuse_connections,
  };
}

function choicesOf(values: Values): Omit<Choices, "rules"> {
  return {
    padding: values.padding,
    hexCase: values.hex_case,
    keyEncoding: values.key_encoding,
    emptyFields: values.empty_fields,
    retry429: values.retry_429,
    amountDigitsMax: values.amount_digits_max,
    amountDecimalsMax: values.amount_decimals_max,
    ifscFormat: values.ifsc_format,
    encoding: values.encoding,
    ownColumns: values.own_columns ?? [],
    ...groupingOf(values),
  };
}

/** What is told, how and where. Unless said, colour depends on NO_COLOR and TERM, the log level on `verbose`. */
function tellingOf(values: Values, said: SettingValues, env: NodeJS.ProcessEnv) {
  return {
    json: values.json,
    quiet: values.quiet,
    verbose: values.verbose,
    color: !(said.no_color ?? (Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb")),
    logLevel: said.log_level ?? (values.verbose ? "debug" : USUAL.log_level),
    logFormat: values.log_format,
    logFile: values.log_file,
    metricsFile: values.metrics_file,
    metricsPort: values.metrics_port,
    pingUrl: values.ping_url,
  };
}

/** Throws `config` where one sign would stand before decimals and between groups. */
function groupingOf(values: Values): Pick<Choices, "numberGrouping" | "decimalSign"> {
  const { number_grouping: numberGrouping, decimal_sign: decimalSign } = values;
  const isPoint = numberGrouping === "point";
  const isComma = numberGrouping === "indian" || numberGrouping === "western";
  if (decimalSign === "point" ? !isPoint : !isComma) return { numberGrouping, decimalSign };
  throw new PaydropError(
    "config",
    `number_grouping = "${numberGrouping}" and decimal_sign = "${decimalSign}" use one sign for both`,
    `set decimal_sign = "${decimalSign === "point" ? "comma" : "point"}", or another number_grouping`,
  );
}

/** The first folder of `$STATE_DIRECTORY`, systemd's list with colons; else by the XDG convention. Throws `config`. */
function usualStateDir(env: NodeJS.ProcessEnv, origins: Record<string, string>): string {
  const systemd = env["STATE_DIRECTORY"]?.split(":")[0];
  if (systemd) {
    origins["state_dir"] = "STATE_DIRECTORY";
    return resolve(systemd);
  }
  const home = homeOf(env, "XDG_STATE_HOME", join(".local", "state"));
  if (home !== undefined) return join(home, "paydrop");
  throw new PaydropError(
    "config",
    "this user has no home folder (HOME), so the memory of what was sent has no place",
    "name a folder that is kept with --state-dir or PAYDROP_STATE_DIR",
  );
}
