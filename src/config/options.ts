import type { Choices, Config } from "./config.ts";
import type { Secret } from "./secret.ts";

/**
 * How a file is read and checked. What is left out has the default of the command line; neither `paydrop.toml` nor any
 * `PAYDROP_…` variable is read.
 */
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
  /** The mapping that the file is read by, where several of `mappings` fit; `none`: by our own column names only. */
  readonly mapping?: string;
  /** Column mappings by name, with the keys of `[mapping.NAME]` in paydrop.toml. */
  readonly mappings?: Readonly<Record<string, unknown>>;
  /** The sheet of a workbook to read, where several could be meant. */
  readonly sheet?: string;
  /** Number of rows that the file must have; a file with another number is refused whole. */
  readonly expectRows?: number;
  /** Sum of amounts that the file must have, as text, `"11087750.50"`; a file with another sum is refused whole. */
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

/** Where a file is sent and how, beside what `CheckOptions` says. */
export interface SendOptions extends CheckOptions {
  /** `https://api.bank.example`, without the `/v1` path; http only to this machine. */
  readonly baseUrl?: string;
  /** The key of the header `x-api-key` (§5.1). */
  readonly apiKey?: string | Secret;
  /** 32 bytes, in hex, base64 or as text; for payouts only (§5.2). */
  readonly aesKey?: string | Secret;
  /** 16 bytes, written as `aesKey` is. */
  readonly aesIv?: string | Secret;
  /** `auto`, unless said: the one encoding that gives 32 and 16 bytes. §5.2 shows no encoding. */
  readonly keyEncoding?: Choices["keyEncoding"];
  /** `pkcs7` unless said. §5.2 shows no padding. */
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

/** How a folder is watched, beside what `SendOptions` says. */
export interface WatchOptions extends SendOptions {
  /** Milliseconds for which a dropped file must lie still; 5,000 unless said, 15,000 when polling. */
  readonly settleMs?: number;
  /** Milliseconds before a service that was away is tried again, growing up to twenty times; 30,000 unless said. */
  readonly watchRetryMs?: number;
}
