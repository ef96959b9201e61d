import { join, resolve } from "node:path";
import { defined } from "../defined.ts";
import { PaydropError } from "../errors.ts";
import { isLoopback } from "./base-url.ts";
import { USUAL, type Choices, type Config } from "./config.ts";
import { SECRETS, type FoundSecret, type SecretName } from "./secrets-in.ts";
import type { SettingValues } from "./settings.ts";
import { homeOf } from "./toml-file.ts";

/** Tables of names that a person chose, as they are understood. */
export type Tables = Pick<Config, "mappings"> & Pick<Choices, "rules">;

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

/** Throws `config` where one sign would stand before decimals and between groups. */
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
  const home = homeOf(env, "XDG_STATE_HOME", join(".local", "state"));
  if (home !== undefined) return join(home, "paydrop");
  throw new PaydropError(
    "config",
    "this user has no home folder (HOME), so the memory of what was sent has no place",
    "name a folder that is kept with --state-dir or PAYDROP_STATE_DIR",
  );
}
