import { OPERATION_NAMES, operationSaid } from "../operations/catalogue.ts";
import type { OperationName } from "../operations/operation.ts";
import { pingShown, readBaseUrl } from "./base-url.ts";
import {
  NotRight,
  duration,
  oneOf,
  path,
  plainAmount,
  rate,
  reader,
  text,
  textList,
  timeZone,
  trimmed,
  wholeNumber,
  yesOrNo,
  type ValueReader,
} from "./values.ts";

/**
 * One setting under its three names: `state_dir` in paydrop.toml, `PAYDROP_STATE_DIR`, and `--state-dir` where it is a
 * flag. What a person says for one run (`perRun`) does not belong in a file that lasts.
 */
export interface Setting<T> {
  readonly read: ValueReader<T>;
  /** The word for the flag's value in `--help`; `""` for a flag without one; left out: not a flag. */
  readonly flag?: string;
  readonly perRun?: true;
  /** It is a path; a relative one in a file starts at the folder of that file. */
  readonly path?: true;
  readonly shown: string;
  /** The default as a person would write it. */
  readonly default?: string;
  /** A value for the annotated paydrop.toml, where there is no default that could be written down. */
  readonly example?: string;
}

const operation: ValueReader<OperationName> = reader({ type: "string", enum: OPERATION_NAMES }, (raw) => {
  const found = typeof raw === "string" ? operationSaid(raw) : undefined;
  if (found) return found.name;
  throw new NotRight(`one of ${OPERATION_NAMES.join(", ")}`);
});

const address = { type: "string", format: "uri" } as const;

/** The type of the result says whether the setting has a default. */
function setting<T, const More extends Partial<Setting<T>> = object>(
  shown: string,
  read: ValueReader<T>,
  more?: More,
): Setting<T> & Pick<More, keyof More & "default"> {
  return { shown, read, ...more } as Setting<T> & More;
}

/** Stands in place of a default where there is no limit unless one is said. */
export const NO_LIMIT = "no limit";

const once = { perRun: true } as const;
const onceFlag = { perRun: true, flag: "" } as const;

/** Every setting but the secrets. The order is that of `--help` and the README. */
export const SETTINGS = {
  base_url: setting("address of the service, without the /v1 path", reader(address, readBaseUrl), {
    flag: "url",
    example: "https://api.bank.example",
  }),
  environment: setting("live or test; test without asking on this machine", oneOf("live", "test"), { example: "live" }),
  state_dir: setting("private folder of the journal", path, {
    flag: "folder",
    path: true,
    example: "/var/lib/paydrop",
  }),

  operation: setting("payout, transfer, loan or collection", operation, { flag: "name", ...once }),
  period: setting("what the file pays for, such as 2026-11", trimmed, { flag: "period", ...once }),
  mapping: setting("name of the column mapping, or none", text, { flag: "name", ...once }),
  sheet: setting("sheet of a workbook to read", text, { flag: "name", example: "November" }),
  expect_rows: setting("number of rows the file must have", wholeNumber(1, 999_999_999), { flag: "n", ...once }),
  expect_total: setting("sum of amounts the file must have", plainAmount, { flag: "sum", ...once }),
  require_control: setting("refuse a file without control totals", yesOrNo, { flag: "", default: "false" }),
  allow_repeats: setting("send equal rows of one file without asking", yesOrNo, onceFlag),
  all_or_nothing: setting("hold the whole file when one row is invalid", yesOrNo, { flag: "", default: "false" }),
  accept_destination: setting("go on at a changed base URL or environment", yesOrNo, onceFlag),
  accept_lost_journal: setting("send although the journal was lost (with --by)", yesOrNo, onceFlag),
  by: setting("who acts, for the history", text, { flag: "name", ...once }),

  concurrency: setting("requests in flight at most", wholeNumber(1, 1000), { flag: "n", default: "8" }),
  rate: setting("requests per second at most", rate, { flag: "n", default: NO_LIMIT, example: "20" }),
  timeout: setting("wait for one answer", duration(1, 3_600_000), { flag: "duration", default: "120s" }),
  connect_timeout: setting("wait for a connection", duration(1, 600_000), { default: "10s" }),
  retry_for: setting("try a service that cannot be reached for", duration(0, 3_600_000), { default: "30s" }),
  settle: setting("a dropped file must lie still for", duration(0, 3_600_000), { default: "5s" }),
  watch_retry: setting("a watched folder tries the service again after", duration(1, 3_600_000), { default: "30s" }),
  duplicate_days: setting("days in which an equal payment is held", wholeNumber(0, 3660), { default: "20" }),
  payee_change: setting("a corrected row that pays another account", oneOf("hold", "allow"), { default: "hold" }),
  reuse_connections: setting("keep connections for the next row", yesOrNo, { default: "true" }),
  ca_file: setting("certificates to trust (PEM)", path, { path: true, example: "/etc/paydrop/ca.pem" }),
  client_cert_file: setting("own certificate (PEM)", path, { path: true, example: "/etc/paydrop/client.pem" }),
  client_key_file: setting("its key (PEM)", path, { path: true, example: "/etc/paydrop/client.key" }),

  padding: setting("padding of payout payloads", oneOf("pkcs7", "zero", "iso7816", "ansix923", "none"), {
    default: "pkcs7",
  }),
  hex_case: setting("case of the ciphertext's hex", oneOf("lower", "upper"), { default: "lower" }),
  key_encoding: setting("how AES key and IV are written", oneOf("auto", "hex", "base64", "utf8"), { default: "auto" }),
  empty_fields: setting("empty optional cells", oneOf("omit", "send"), { default: "omit" }),
  retry_429: setting("rows refused with 429 wait and go again", yesOrNo, { default: "true" }),
  amount_digits_max: setting("digits of an amount at most", wholeNumber(1, 18), { default: "15" }),
  amount_decimals_max: setting("of which after the point", wholeNumber(0, 4), { default: "2" }),
  ifsc_format: setting("an ifsc_code of another shape", oneOf("refuse", "warn", "any"), { default: "refuse" }),
  encoding: setting("of files without byte order mark", oneOf("utf-8", "windows-1252"), { default: "utf-8" }),
  number_grouping: setting(
    "digits of amounts in groups",
    oneOf("none", "indian", "western", "point", "space", "apostrophe"),
    { default: "none" },
  ),
  decimal_sign: setting("what stands before decimals of amounts", oneOf("point", "comma"), { default: "point" }),
  time_zone: setting("where a day begins, for max_per_day", timeZone, { example: "Asia/Kolkata" }),
  own_columns: setting("columns that look misspelt and are your own", textList, { example: "Cost centre, Grade" }),

  json: setting("JSON lines on stdout", yesOrNo, { flag: "", default: "false" }),
  quiet: setting("print nothing when the exit code is 0", yesOrNo, { flag: "", default: "false" }),
  verbose: setting("tell more, also where a failure comes from", yesOrNo, { flag: "", default: "false" }),
  no_color: setting("no colours (also NO_COLOR)", yesOrNo, { flag: "", default: "false" }),
  log_level: setting("how much is logged", oneOf("trace", "debug", "info", "warn", "error", "silent"), {
    default: "info",
  }),
  log_format: setting("json or text", oneOf("json", "text"), { flag: "format", default: "text" }),
  log_file: setting("log to a file instead of stderr", path, {
    flag: "file",
    path: true,
    example: "/var/log/paydrop/paydrop.log",
  }),
  metrics_file: setting("keep Prometheus metrics in a file", path, {
    flag: "file",
    path: true,
    example: "/var/lib/node_exporter/textfile/paydrop.prom",
  }),
  metrics_port: setting("serve Prometheus metrics on 127.0.0.1", wholeNumber(1, 65_535), {
    flag: "n",
    example: "9471",
  }),
  ping_url: setting("GET this + /exit-code when a run has ended", reader(address, readBaseUrl, pingShown), {
    flag: "url",
    example: "https://hc-ping.example/0b9c",
  }),
};

export type SettingName = keyof typeof SETTINGS;

/** What the sources said, each setting at most once. */
export type SettingValues = { -readonly [K in SettingName]?: ReturnType<(typeof SETTINGS)[K]["read"]> };

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS) as SettingName[];

/** `PAYDROP_STATE_DIR` for `state_dir`. */
export function variableOf(name: string): string {
  return `PAYDROP_${name.toUpperCase()}`;
}

/** `--state-dir` for `state_dir`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}
