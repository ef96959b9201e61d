import { systemCodeOf } from "../errors.ts";
import { printable } from "../text/printable.ts";
import type { NoAnswer, Unsent } from "./answer.ts";

/** Why a request that certainly never left did not leave. */
export function causeOfUnsent(error: unknown): Unsent["cause"] {
  for (const one of chain(error)) {
    const code = systemCodeOf(one) ?? "";
    // the first bytes of the other side are not TLS: mostly there is plain http at that port
    if (code === "ERR_SSL_WRONG_VERSION_NUMBER") return "no_tls";
    if (CERTIFICATE_CODES.has(code) || code.startsWith("ERR_TLS_") || code.startsWith("ERR_SSL_")) return "certificate";
    if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") return "local";
  }
  return "unreachable";
}

/** Why a request that may have left got no status line. */
export function causeOfNoAnswer(error: unknown): NoAnswer["cause"] {
  // not every parser error has a code
  const malformed = error instanceof Error && error.name === "HTTPParserError";
  return malformed || MALFORMED_CODES.has(systemCodeOf(error) ?? "") ? "malformed" : "broken";
}

/** Whether the answer was a 101: undici has no code of its own for an upgrade that nobody asked for. */
export function isSwitch(error: unknown): boolean {
  return systemCodeOf(error) === "UND_ERR_SOCKET" && error instanceof Error && error.message === "bad upgrade";
}

/** An error for a log, such as `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1`; no API key, no URL credentials. */
export function describeFailure(error: unknown, apiKey: string): string {
  const said = chain(error)
    .map((one) => {
      const message = one instanceof Error ? one.message : String(one);
      const code = systemCodeOf(one);
      return code === undefined || message.includes(code) ? message : message ? `${code}: ${message}` : code;
    })
    .filter((text, index, all) => text !== "" && all.indexOf(text) === index)
    .join("; ");
  const withoutKey = apiKey === "" ? said : said.replaceAll(apiKey, "[secret]");
  return printable(withoutKey.replaceAll(/\/\/[^/\s@]*@/g, "//"), DETAIL_CHARACTERS_MAX);
}

const DETAIL_CHARACTERS_MAX = 300;

/** An error, what it was caused by, and the parts of an AggregateError (one per address of a host name). */
function chain(error: unknown): unknown[] {
  const found: unknown[] = [];
  const open = [error];
  while (open.length > 0 && found.length < 6) {
    const one = open.shift();
    found.push(one);
    if (one instanceof AggregateError) open.push(...(one.errors as unknown[]));
    if (one instanceof Error && one.cause !== undefined) open.push(one.cause);
  }
  return found;
}

const MALFORMED_CODES: ReadonlySet<string> = new Set([
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_HEADERS_OVERFLOW",
]);

/** OpenSSL's verification failures as Node names them. */
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_CRL",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "CERT_SIGNATURE_FAILURE",
  "CRL_SIGNATURE_FAILURE",
  "CERT_NOT_YET_VALID",
  "CERT_HAS_EXPIRED",
  "CRL_NOT_YET_VALID",
  "CRL_HAS_EXPIRED",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_CHAIN_TOO_LONG",
  "CERT_REVOKED",
  "INVALID_CA",
  "PATH_LENGTH_EXCEEDED",
  "INVALID_PURPOSE",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "HOSTNAME_MISMATCH",
]);
