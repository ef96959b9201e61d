import { NUMBER_FORMATS } from "../figures.ts";
import * as z from "zod/mini";
import { listed } from "../messages/sentence.ts";
import { fieldsOf, OPERATION_NAMES, OPERATIONS, type OperationName } from "../operations/index.ts";
import * as kinds from "./kinds.ts";
import type { Kind } from "./kinds.ts";
import type { Mapping } from "./mapping.ts";
import type { Secret } from "./secret.ts";
import type { Layout } from "./statement.ts";

/** What a setting is beyond its schema. Everything that is said of settings is made from this. */
export interface SettingFacts {
  readonly kind: Omit<Kind<unknown>, "type">;
  /** Its meaning in one sentence, without a full stop. */
  readonly shown: string;
  /** A person's word for one run: it does not belong in a file that lasts. */
  readonly once?: true;
  /** What the file says no flag or variable changes. */
  readonly firm?: true;
  /** A value for the annotated paydrop.toml, where there is no default. */
  readonly example?: string;
  /** Shown in place of a default where there is none. */
  readonly unless?: string;
}

const FACTS = z.registry<SettingFacts>();

type More = Omit<SettingFacts, "kind" | "shown">;

/** A setting with a default. Durations are milliseconds. */
function usual<T>(kind: Kind<T>, value: T, shown: string, more: More = {}): z.ZodMiniDefault<z.ZodMiniType<T>> {
  return z
    ._default(kind.type, value as z.util.NoUndefined<T>)
    .register(FACTS, { kind: kind as Kind<unknown>, shown, ...more });
}

function maybe<T>(kind: Kind<T>, shown: string, more: More = {}): z.ZodMiniExactOptional<z.ZodMiniType<T>> {
  return z.exactOptional(kind.type).register(FACTS, { kind: kind as Kind<unknown>, shown, ...more });
}

const { text, flag, choice, operation, whole, rate, duration, path, list, timeZone, amount, url, serverUrl, pattern } =
  kinds;
/** The path of a ping address is often a secret: whoever knows it can report runs that never happened. */
const pingUrl: Kind<string> = { ...url, written: (address) => `${new URL(address).origin}/…` };
const PADDING = choice("pkcs7", "zero", "iso7816", "ansix923", "none");
const AMOUNT_FORMAT = choice("plain", "indian", "western", "european");
const once = { once: true } as const;
const firm = { firm: true } as const;

/**
 * Every setting but the secrets (README §10): the one list from which flags, variables, paydrop.toml, its example and
 * its JSON schema, and `paydrop help settings` are made. `state_dir` is `--state-dir` and `PAYDROP_STATE_DIR`.
 */
export const SETTINGS = z.object({
  base_url: maybe(url, "address of the service, without the /v1 path", { example: "https://api.bank.example" }),
  environment: maybe(choice("live", "test"), "live or test, whose memories are kept apart", {
    unless: "test on this machine and in the sandbox, else live",
  }),
  state_dir: maybe(path, "private folder of the journal", {
    example: "/var/lib/paydrop",
    unless: "$STATE_DIRECTORY, else $XDG_STATE_HOME/paydrop",
  }),

  journal_url: maybe(serverUrl, "journal of many hosts, in PostgreSQL; its password only in PAYDROP_JOURNAL_URL", {
    example: "postgres://paydrop@db.example/paydrop?sslmode=verify-full",
    unless: "a file in the state folder",
  }),
  host_lanes: maybe(whole(1, 1000), "requests in flight at most by this host, of those of all hosts", {
    example: "8",
    unless: "as many as concurrency",
  }),

  operation: maybe(operation, `what every row is: ${listed(OPERATION_NAMES, "or")}`, once),
  period: maybe(text, "what the file pays for: 2026-11, 2026-W47 or 2026-11-27", once),
  mapping: maybe(text, "name of the column mapping to read the file by, or none", once),
  sheet: maybe(text, "sheet of a workbook to read", { example: "November", unless: "the one that has the columns" }),
  expect_rows: maybe(whole(1, 999_999_999), "number of rows that the file must have", once),
  expect_total: maybe(amount, "sum of amounts that the file must have", once),
  require_control: usual(flag, false, "refuse a file without control totals"),
  allow_repeats: usual(flag, false, "send equal rows of one file without asking", once),
  all_or_nothing: usual(flag, false, "hold the whole file when one row is invalid"),
  accept_destination: usual(flag, false, "go on at another base URL or environment than the batch began with", once),
  accept_lost_journal: usual(flag, false, "send although the journal was lost (with --by)", once),
  by: maybe(text, "the name of the person who acts, for the history", once),
  yes: usual(flag, false, "send without asking on a terminal", once),

  concurrency: usual(whole(1, 1000), 8, "requests in flight at most"),
  rate: maybe(rate, "requests per second at most", { example: "20", unless: "no limit" }),
  timeout: usual(duration(1, 3_600_000), 120_000, "how long to wait for one answer; then the row is unknown"),
  connect_timeout: usual(duration(1, 600_000), 10_000, "how long to wait for a connection"),
  settle: usual(duration(0, 3_600_000), 5_000, "how long a dropped file must lie still; three times that when polling"),
  duplicate_days: usual(whole(0, 3660), 20, "days in which an equal payment is asked about"),
  changed_account: usual(
    choice("hold", "point_out"),
    "hold",
    "what becomes of a row whose person was paid to another account until now",
  ),
  reuse_connections: usual(flag, true, "keep connections for the next row"),
  ca_file: maybe(path, "certificates to trust, as a PEM file", { example: "/etc/paydrop/ca.pem", unless: "built in" }),
  client_cert_file: maybe(path, "own certificate, as a PEM file", { example: "/etc/paydrop/client.pem" }),
  client_key_file: maybe(path, "key of the own certificate, as a PEM file", { example: "/etc/paydrop/client.key" }),

  desk_url: maybe(url, "address of the desk behind a web server, whose forwarded headers count then", {
    example: "https://pay.example",
    unless: "none: only this machine reaches it",
  }),
  approval: usual(choice("never", "always"), "never", "whether others must approve every file before it goes", firm),
  approval_above: maybe(amount, "files whose sum is above this must be approved", { ...firm, example: "100000" }),
  approvers: usual(whole(1, 2), 1, "how many must approve, who brought the file not being one of them", firm),
  approval_hours: usual(whole(1, 720), 24, "hours after which an approval lapses", firm),

  padding: usual(PADDING, "pkcs7", "padding of encrypted payout payloads"),
  hex_case: usual(choice("lower", "upper"), "lower", "case of the ciphertext's hex digits"),
  key_encoding: usual(choice("auto", "hex", "base64", "utf8"), "auto", "how AES key and IV are written"),
  empty_fields: usual(choice("omit", "send"), "omit", "empty optional cells are left out, or sent as empty text"),
  retry_429: usual(flag, true, "a row refused with 429 waits and goes again; no: it becomes unknown"),
  doubtful_2xx: usual(choice("unknown", "accepted"), "unknown", "what a row is whose 2xx answer speaks of failure"),
  amount_digits_max: usual(whole(1, 18), 15, "digits of an amount at most"),
  amount_decimals_max: usual(whole(0, 4), 2, "of them after the point at most"),
  amount_format: usual(AMOUNT_FORMAT, "plain", "amounts as 100000.50, 1,00,000.50, 100,000.50 or 100.000,50"),
  encoding: usual(choice("utf-8", "windows-1252", "macintosh"), "utf-8", "encoding of text files without a BOM"),
  own_columns: usual(list, [], "columns of your own that look like misspelt fields", { example: "Cost centre, Grade" }),
  number_format: usual(
    choice(...NUMBER_FORMATS),
    "indian",
    "sums on pages, in reports and messages: ₹1,00,000.50, ₹100,000.50 or 100000.50",
  ),
  time_zone: maybe(timeZone, "where a day begins, and whose times people read", {
    example: "Asia/Kolkata",
    unless: "that of this machine",
  }),

  json: usual(flag, false, "JSON lines on stdout"),
  quiet: usual(flag, false, "print nothing when the exit code is 0"),
  verbose: usual(flag, false, "tell more, also where a failure comes from"),
  no_color: usual(flag, false, "no colours (also NO_COLOR)"),
  log_level: usual(choice("trace", "debug", "info", "warn", "error", "silent"), "info", "how much is logged"),
  log_format: usual(choice("json", "text"), "text", "form of the log"),
  log_file: maybe(path, "log into this file", { example: "/var/log/paydrop/paydrop.log", unless: "stderr" }),
  metrics_file: maybe(path, "keep Prometheus metrics in this file", { example: "/var/lib/node_exporter/paydrop.prom" }),
  metrics_port: maybe(whole(1, 65_535), "serve Prometheus metrics on this port of 127.0.0.1", { example: "9471" }),
  ping_url: maybe(
    pingUrl,
    "address that is asked with /EXIT-CODE behind it when a run has ended, and every minute by a watch that is well",
    {
      example: "https://hc-ping.example/0b9c",
    },
  ),
});

export type Settings = z.output<typeof SETTINGS>;
export type SettingName = keyof Settings;
export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS.shape) as SettingName[];

/** The most that the amounts of one operation may come to, in plain decimal text. */
export const CAPS = {
  max_per_row: { kind: amount, example: '"200000"', shown: "amount of one row at most" },
  max_per_file: {
    kind: amount,
    example: '"5000000"',
    shown: "amounts of one file at most; a file above it is refused",
  },
  max_per_day: { kind: amount, example: '"8000000"', shown: "amounts of one day at most, as the journal knows them" },
} as const;

/** What a field may hold. Where `required` is not said, the operation decides. */
export const FIELD_RULES = {
  required: { kind: flag, example: "true", shown: "the cell must hold a value, or need not" },
  allowed: { kind: list, example: '["NEFT", "IMPS"]', shown: "the values that may stand there, exactly so" },
  pattern: { kind: pattern, example: '"[A-Za-z0-9 ]*"', shown: "the whole value has this form" },
  min_length: { kind: whole(1, 10_000), example: "4", shown: "characters at least" },
  max_length: { kind: whole(1, 10_000), example: "30", shown: "characters at most" },
} as const;

/** Where people are told of what happens (README §14). */
export const NOTIFY = {
  webhook_url: { kind: kinds.hookUrl, example: '"https://hooks.example/T0/B0"', shown: "address of a chat" },
  email_to: { kind: kinds.addresses, example: '["payroll@bank.example"]', shown: "mail, by PAYDROP_SMTP_URL" },
} as const;

/** What an answer looks like that takes a row; any other 2xx is unknown then (README §8). */
export const ANSWERS = {
  field: { kind: text, example: '"status"', shown: "where the answer says yes; data.status for one in another" },
  accepted: { kind: list, example: '["SUCCESS", "PENDING"]', shown: "what stands there when the row was taken" },
} as const;

/** A longer value fits no pattern: together with the pattern's own length it bounds the time that one can take. */
export const PATTERN_VALUE_MAX = 1000;

type Rule = { readonly kind: Kind<unknown> };
type Written<Rules extends Readonly<Record<string, Rule>>> = {
  readonly [Name in keyof Rules]?: z.output<Rules[Name]["kind"]["type"]>;
};
export type FieldRules = Written<typeof FIELD_RULES>;
/** The rules of one operation, and beside them those of its fields. */
export type OperationRules = Written<typeof CAPS> & { readonly fields: Readonly<Record<string, FieldRules>> };
export type Notify = Written<typeof NOTIFY>;
export type Yes = Required<Written<typeof ANSWERS>>;
export type Answers = Readonly<Partial<Record<OperationName, Yes>>>;
/** By the folder name of the operation: `payouts`. */
export type Rules = Readonly<Record<string, OperationRules>>;

/** `[rules.payouts]` and its like. Every key is checked: a rule with a slip in its name must not be ignored. */
export function rulesTable(): z.ZodMiniType<Rules> {
  const all = OPERATIONS.map(({ folder, forms }) => {
    const fields = forms.flatMap(fieldsOf).filter(({ kind }) => kind !== "amount");
    const ofField = z.exactOptional(kinds.table(`[rules.${folder}.FIELD]`, typesOf(FIELD_RULES)));
    const ofFields = Object.fromEntries(fields.map(({ name }) => [name, ofField]));
    const written = kinds.table(`[rules.${folder}]`, { ...typesOf(CAPS), ...ofFields });
    return [folder, z.exactOptional(z.pipe(written, z.transform(withFields)))];
  });
  return kinds.table("[rules.payouts]", Object.fromEntries(all) as Record<string, z.ZodMiniType<OperationRules>>);
}

/** `[answers.payout]` and its like, by the name of the operation. */
export function answersTable(): z.ZodMiniType<Answers> {
  const { field, accepted } = ANSWERS;
  const all = OPERATION_NAMES.map((name) => {
    const one = kinds.table(`[answers.${name}]`, { field: field.kind.type, accepted: accepted.kind.type });
    return [name, z.exactOptional(one)];
  });
  return kinds.table("[answers.payout]", Object.fromEntries(all) as Record<string, z.ZodMiniType<Yes>>);
}

export const notifyTable = () => kinds.table("[notify]", typesOf(NOTIFY));

function typesOf(rules: Readonly<Record<string, Rule>>): Record<string, z.ZodMiniType> {
  return Object.fromEntries(Object.entries(rules).map(([name, { kind }]) => [name, z.exactOptional(kind.type)]));
}

function withFields(written: Readonly<Record<string, unknown>>): OperationRules {
  const { caps = [], fields = [] } = Object.groupBy(Object.entries(written), ([name]) =>
    name in CAPS ? "caps" : "fields",
  );
  return { ...Object.fromEntries(caps), fields: Object.fromEntries(fields) as OperationRules["fields"] };
}

/**
 * All settings of a run, frozen; durations in milliseconds. What has a default, or follows from other things
 * (`environment`, `state_dir`), is always there. `mapping` is the name that a person said; the sections
 * `[mapping.NAME]` are `mappings`, `[statement.NAME]` are `statements`. Secrets are not in it: `config/secret.ts`.
 */
export interface Config extends Readonly<Omit<Settings, "environment" | "state_dir">> {
  readonly environment: "live" | "test";
  readonly state_dir: string;
  /** `[rules.payouts]` and so on, by the folder name of the operation. */
  readonly rules: Rules;
  readonly notify: Notify;
  /** `[answers.payout]` and so on, by the name of the operation. */
  readonly answers: Answers;
  /** `[mapping.NAME]`: column mappings that were confirmed. */
  readonly mappings: readonly Mapping[];
  /** `[statement.NAME]`: columns of banks' statements that were confirmed. */
  readonly statements: readonly Layout[];
  /** Of a journal that several hosts share: `journal_url` with its password, and `PAYDROP_JOURNAL_KEY`. */
  readonly shared?: Readonly<Record<"url" | "key" | "password", Secret>>;
}

export function factsOf(name: SettingName): SettingFacts {
  const facts = FACTS.get(SETTINGS.shape[name]);
  if (!facts) throw new Error(`the setting ${name} has no facts`);
  return facts;
}

/** `PAYDROP_STATE_DIR` for `state_dir`. */
export const variableOf = (name: string): string => `PAYDROP_${name.toUpperCase()}`;
/** `--state-dir` for `state_dir`. */
export const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`;

/** The default as a person would write it; undefined where there is none. */
export function defaultOf(name: SettingName): string | undefined {
  const { def } = SETTINGS.shape[name]._zod as { def: { defaultValue?: unknown } };
  return def.defaultValue === undefined ? undefined : factsOf(name).kind.written(def.defaultValue) || undefined;
}

/** What `--help` says of a setting's flag: `--rate <n>` and its meaning. */
export function flagHelp(name: SettingName): readonly [flags: string, shown: string] {
  const { kind, shown, unless } = factsOf(name);
  const usual = defaultOf(name) ?? unless;
  // a flag without a value says yes: where that is the default already, it needs one
  const value = kind === flag && usual === "false" ? "" : ` <${kind.word}>`;
  return [`${flagOf(name)}${value}`, usual === undefined || value === "" ? shown : `${shown} (default: ${usual})`];
}

/** Settings that may stand in a file that lasts. */
export const LASTING: readonly SettingName[] = SETTING_NAMES.filter((name) => !factsOf(name).once);
