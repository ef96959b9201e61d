// kept in the declarations: since TypeScript 6 a project that names no types has none of Node's
/// <reference types="node" preserve="true" />
/**
 * paydrop as a library: the four calls of the service, and whole files. Nothing here ends the process, reads its
 * environment for keys, or writes to its output.
 */
import { createTypedClient, type Client } from "./client/client.ts";
import { encryptPayload as encrypt, type EnvelopeOptions } from "./client/envelope.ts";
import { readAesIv, readAesKey, type KeyEncoding } from "./client/keys.ts";
import { readOption, readSecretOption } from "./config/from-options.ts";
import type { Secret } from "./config/secret.ts";
import { unknownOption } from "./config/nearest.ts";
import { PaydropError } from "./errors.ts";
import { readClientOptions, type CreateClientOptions } from "./library/client-options.ts";
import { assertOptions } from "./library/given.ts";
import { outcomeOf } from "./submission/outcome.ts";

export { FileRefusedError, PaydropError } from "./errors.ts";
export type { ErrorCode, FileFault } from "./errors.ts";
export { Secret } from "./config/secret.ts";
export type { CallOptions, CallResult, Client } from "./client/client.ts";
export type {
  CollectionRequest,
  LoanApplication,
  PayoutInline,
  PayoutToExisting,
  TransferRequest,
} from "./client/requests.ts";
export type { CreateClientOptions } from "./library/client-options.ts";
export { checkFile, processFile } from "./library/files.ts";
export type { ProcessOptions } from "./library/files.ts";
export { watchFolder } from "./library/folder.ts";
export type { WatchedFolder, WatchFolderOptions } from "./library/folder.ts";
export type { CheckOptions, SendOptions } from "./config/options.ts";
export type { AccountTotals, BatchReport, RunEvent, Stop, StopCode, WrittenFiles } from "./events.ts";
export type { CheckReport } from "./results/screen/check-report.ts";
export type { Fault } from "./checks/fault.ts";
export type { ResultStatus } from "./journal/state.ts";
export type { Tally } from "./journal/batch-record.ts";
export type { OperationName } from "./operations/operation.ts";

/**
 * The four operations of §1 as functions, on connections of their own:
 *
 *     const client = createClient({ baseUrl: "https://api.bank.example", apiKey });
 *     const result = await client.transfer({ from_account: "ACC-1", to_account: "ACC-2", amount: "2500.00" });
 *     if (result.outcome === "unknown") …; // it may have been carried out: never send it again unseen
 *     await client.close();
 *
 * Amounts are decimal strings and travel with their digits. A call remembers nothing: keeping track of what was sent is
 * the caller's own work, or that of `processFile`. Throws PaydropError `config` for an option that cannot be right; a
 * call rejects only with `usage` (fields that no service could take) or `config` (a payout without AES key and IV).
 */
export function createClient(options: CreateClientOptions): Client {
  const { retry429 = true, ...read } = readClientOptions(options);
  return createTypedClient(read, (answer) => outcomeOf(answer, { retry429 }));
}

/** How a payload is encrypted (§5.2). */
export interface EncryptOptions {
  /** 32 bytes, or the key as the dashboard shows it: hex, base64 or text. */
  readonly aesKey: string | Secret | Uint8Array;
  /** 16 bytes, in the same way. */
  readonly aesIv: string | Secret | Uint8Array;
  /** `auto` unless said: the one encoding that gives 32 and 16 bytes. */
  readonly keyEncoding?: KeyEncoding;
  /** `pkcs7` unless said; §5.2 shows none. */
  readonly padding?: NonNullable<EnvelopeOptions["padding"]>;
  /** `lower` unless said. */
  readonly hexCase?: NonNullable<EnvelopeOptions["hexCase"]>;
}

/**
 * A payout's payload (compact JSON) as the HEX text of its AES-256-CBC ciphertext: steps 2 and 3 of §5.2. It travels as
 * `{"body": hex}`. Throws PaydropError `config` for a key or IV of another length, and for other options that cannot be
 * right, `usage` for a payload that is no text.
 */
export function encryptPayload(payload: string, options: EncryptOptions): string {
  assertOptions("encryptPayload", options);
  const { aesKey, aesIv, keyEncoding, padding, hexCase, ...others } = options;
  const form = { keyEncoding, padding, hexCase };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw unknownOption(unknown, ["aesKey", "aesIv", ...Object.keys(form)]);
  for (const name of ["keyEncoding", "padding", "hexCase"] as const) {
    if (form[name] !== undefined) readOption(name, form[name]);
  }
  if (typeof payload !== "string") throw new PaydropError("usage", "the payload is no text", "give compact JSON");
  const key = bytesOf(aesKey, (text) => readAesKey(text, keyEncoding, "aesKey"), "aesKey", 32);
  const iv = bytesOf(aesIv, (text) => readAesIv(text, keyEncoding, "aesIv"), "aesIv", 16);
  return encrypt(payload, { key, iv, ...(padding ? { padding } : {}), ...(hexCase ? { hexCase } : {}) });
}

function bytesOf(
  given: string | Secret | Uint8Array,
  read: (text: string) => Uint8Array,
  name: "aesKey" | "aesIv",
  length: number,
): Uint8Array {
  if (!(given instanceof Uint8Array)) return read(readSecretOption(name, given).reveal());
  if (given.length === length) return given;
  throw new PaydropError("config", `${name} has ${given.length} bytes`, `right would be ${length}`);
}
