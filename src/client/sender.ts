import { readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { SECRETS } from "../config/secrets-in.ts";
import { defined } from "../defined.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { Operation } from "../operations/operation.ts";
import type { Answer } from "./answer.ts";
import { assertCertificates, type Certificates } from "./certificates.ts";
import { createRequestBody, noEnvelope } from "./envelope.ts";
import { envelopeFrom } from "./given-envelope.ts";
import { readAesIv, readAesKey } from "./keys.ts";
import { proxyFor } from "./proxy.ts";
import { createTransport } from "./transport.ts";

/** Sends payloads with the keys, certificates, address and choices of the configuration. */
export interface Sender {
  /** Never rejects: what goes wrong before a connection is `unsent`. */
  send(operation: Operation, payload: string, signal: AbortSignal): Promise<Answer>;
  /** Host and port of the proxy in between. */
  readonly proxy: string | undefined;
  close(): Promise<void>;
}

/** Throws PaydropError `config` for a payload that must be encrypted where there is nothing to encrypt it with. */
export function assertCanEncrypt({ aesKey, aesIv, origins }: Config): void {
  if (aesKey !== undefined && aesIv !== undefined) return;
  // a caller of the library gives options: no environment variable is read
  if (origins?.["PAYDROP_API_KEY"] === "option") throw noEnvelope("a payout");
  throw missing(aesKey ? "PAYDROP_AES_IV" : "PAYDROP_AES_KEY");
}

/**
 * Throws one PaydropError `config` that names all keys, certificates and the proxy that cannot be right. To be called
 * before a file is taken in, or a person's word about rows is written down.
 */
export function assertSendable({ baseUrl, aesKey, aesIv, choices, ...config }: Config): void {
  const { caFile, clientCertFile, clientKeyFile } = config;
  const looks: readonly (() => unknown)[] = [
    () => aesKey && aesIv && readAesKey(aesKey.reveal(), choices.keyEncoding),
    () => aesKey && aesIv && readAesIv(aesIv.reveal(), choices.keyEncoding),
    () => assertFiles([caFile], pem("ca", caFile)),
    () =>
      assertFiles([clientCertFile, clientKeyFile], {
        ...pem("clientCert", clientCertFile),
        ...pem("clientKey", clientKeyFile),
      }),
    () => baseUrl !== undefined && proxyFor(new URL(baseUrl), process.env),
  ];
  const wrong = looks.flatMap(wrongIn);
  if (wrong.length === 0) return;
  const message = wrong.map((error) => error.message).join("; ");
  throw new PaydropError("config", message, [...new Set(wrong.map((error) => error.hint))].join("; "));
}

function wrongIn(look: () => unknown): readonly PaydropError[] {
  try {
    look();
    return [];
  } catch (error) {
    if (error instanceof PaydropError) return [error];
    throw error;
  }
}

/** As `assertCertificates`, with the names of the files in the message. */
function assertFiles(files: readonly (string | undefined)[], certificates: Certificates): void {
  try {
    assertCertificates(certificates);
  } catch (error) {
    if (!(error instanceof PaydropError)) throw error;
    const message = `${files.filter(Boolean).join(", ")}: ${error.message}`;
    throw new PaydropError(error.code, message, error.hint, { cause: error });
  }
}

/** Throws PaydropError `config` for missing or malformed keys, certificates or address, before anything is sent. */
export function createSender(config: Config): Sender {
  const { baseUrl, apiKey, aesKey, aesIv, choices } = config;
  if (baseUrl === undefined || apiKey === undefined) {
    throw missing(baseUrl === undefined ? "PAYDROP_BASE_URL" : "PAYDROP_API_KEY");
  }
  const { keyEncoding, padding, hexCase } = choices;
  const keys = defined({ aesKey, aesIv, keyEncoding, padding, hexCase });
  const bodyOf = createRequestBody(envelopeFrom(keys, { key: SECRETS.aesKey.variable, iv: SECRETS.aesIv.variable }));
  const transport = createTransport({
    baseUrl,
    apiKey,
    concurrency: config.concurrency,
    timeoutMs: config.timeoutMs,
    connectTimeoutMs: config.connectTimeoutMs,
    reuseConnections: config.reuseConnections,
    useProxyFromEnvironment: true,
    ...pem("ca", config.caFile),
    ...pem("clientCert", config.clientCertFile),
    ...pem("clientKey", config.clientKeyFile),
  });
  return {
    send: (operation, payload, signal) => {
      let body: string;
      try {
        body = bodyOf(operation, payload);
      } catch (error) {
        return Promise.resolve({ kind: "unsent", cause: "local", detail: messageOf(error), durationMs: 0 });
      }
      return transport.post(operation.path, body, { signal });
    },
    proxy: proxyFor(new URL(baseUrl), process.env)?.host,
    close: () => transport.close(),
  };
}

function missing(variable: string): PaydropError {
  return new PaydropError(
    "config",
    `${variable} is not set`,
    "set it (or …_FILE with a path); to try without any keys: paydrop run --sandbox FILE",
  );
}

function pem<Name extends string>(name: Name, path: string | undefined): Partial<Record<Name, string>> {
  if (path === undefined) return {};
  try {
    return { [name]: readFileSync(path, "utf8") } as Record<Name, string>;
  } catch (error) {
    throw new PaydropError("config", `${path} cannot be read: ${messageOf(error)}`, "mend the path or its rights");
  }
}
