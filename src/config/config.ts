import type { Environment } from "../journal/batch-record.ts";
import type { OperationName } from "../operations/operation.ts";
import type { Mapping } from "./mapping.ts";
import type { Rules } from "./rule-settings.ts";
import type { Secret } from "./secret.ts";

/** Every choice of a run, frozen. Durations are milliseconds. What the interface leaves open stands under `choices`. */
export interface Config {
  /** The address of the service, without credentials and without a slash at the end. */
  readonly baseUrl?: string;
  /** `test`: loopback, the sandbox, or so configured. */
  readonly environment: Environment;
  readonly stateDir: string;
  readonly apiKey?: Secret;
  readonly aesKey?: Secret;
  readonly aesIv?: Secret;

  readonly operation?: OperationName;
  readonly period?: string;
  /** The name of the mapping that a person chose for this run, or `none`. */
  readonly mapping?: string;
  /** Column mappings that were confirmed: `[mapping.NAME]`. */
  readonly mappings: readonly Mapping[];
  /** The sheet of a workbook by its name; undefined: the one that has our columns. */
  readonly sheet?: string;
  readonly expectRows?: number;
  readonly expectTotal?: string;
  readonly requireControl: boolean;
  readonly allowRepeats: boolean;
  readonly allOrNothing: boolean;
  readonly acceptDestination: boolean;
  readonly acceptLostJournal: boolean;
  /** Who acts, for the history. */
  readonly by?: string;

  readonly concurrency: number;
  /** Requests per second; undefined: as fast as `concurrency` allows. */
  readonly rate?: number;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** How long a service that cannot be reached is tried before its rows are given up. */
  readonly retryForMs: number;
  readonly settleMs: number;
  /** First wait of a watched folder before it tries a service again that took no rows; it grows to twenty times. */
  readonly watchRetryMs: number;
  readonly duplicateDays: number;
  /** What becomes of a corrected row whose payee is not the one of the row that it corrects. */
  readonly payeeChange: "hold" | "allow";

  readonly caFile?: string;
  readonly clientCertFile?: string;
  readonly clientKeyFile?: string;
  readonly reuseConnections: boolean;

  readonly choices: Choices;
  /** Where a day begins, for `max_per_day`; the machine's own unless said. */
  readonly timeZone?: string;

  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  readonly logFormat: "json" | "text";
  readonly logFile?: string;
  readonly metricsFile?: string;
  /** The port of the metrics' page on 127.0.0.1. */
  readonly metricsPort?: number;
  /** The address to GET at the end of a run, without a slash at the end: `/` and the exit code follow. */
  readonly pingUrl?: string;

  /** Where each value came from that is not a default: a flag, a variable, or the path of a paydrop.toml. */
  readonly origins?: Readonly<Record<string, string>>;
}

/** After `none`: `1,00,000.00`; `100,000.00`; `100.000,00`; `100 000,00`; `100'000.00`. */
export type Grouping = "none" | "indian" | "western" | "point" | "space" | "apostrophe";

/** The named choices of DESIGN §1: what the interface does not show. Listed by `paydrop doctor`. */
export interface Choices {
  /** §5.2 shows no padding. */
  readonly padding: "pkcs7" | "zero" | "iso7816" | "ansix923" | "none";
  /** §5.2 says HEX, not its case. */
  readonly hexCase: "lower" | "upper";
  /** §5.2 shows no encoding of the key and IV. `auto`: the one encoding that gives exactly 32 and 16 bytes. */
  readonly keyEncoding: "auto" | "hex" | "base64" | "utf8";
  /** §2.6: an empty optional cell is left out of the payload (`omit`, unless said) or sent as `""`. */
  readonly emptyFields: "omit" | "send";
  /** §7: a 429 waits and goes again; false: unknown. */
  readonly retry429: boolean;
  /** Most digits of an amount, 15 unless said; §8 shows no bounds. */
  readonly amountDigitsMax: number;
  /** Most digits of an amount after the point, 2 unless said. */
  readonly amountDecimalsMax: number;
  /** What becomes of an `ifsc_code` of another shape than the Indian one (§2.5 shows none): `refuse` unless said. */
  readonly ifscFormat: "refuse" | "warn" | "any";
  /** Encoding of input files without a byte order mark; `utf-8` unless said. */
  readonly encoding: "utf-8" | "windows-1252";
  /** Columns that look like a misspelt field and are the user's own. */
  readonly ownColumns: readonly string[];
  /** How the digits of an amount may be grouped, at the exact places; `none` unless said. */
  readonly numberGrouping: Grouping;
  /** What stands before the decimals of an amount; `point` unless said. */
  readonly decimalSign: "point" | "comma";
  /** `[rules.payouts]` and so on: what the interface leaves open (§2.6, §8), and this user does not. */
  readonly rules: Rules;
}
