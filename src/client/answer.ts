import { conceal } from "../config/secret.ts";
import { systemCodeOf } from "../errors.ts";
import { printable } from "../printable.ts";

/**
 * What became of one request, as the transport saw it. Whether it may have been on the wire is decided by the
 * dispatch handler, never by an error code.
 */
export type Answer = Answered | NoAnswer | Unsent;

/** A status line came back on this request's own connection (I6). */
export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  /** The first 64 KiB of the body, as text; a little less where the body is larger. */
  readonly body: string;
  readonly contentType: string;
  /** `Retry-After` as written. */
  readonly retryAfter?: string;
  /** `complete`: the body ended as announced; otherwise why it did not. */
  readonly bodyEnd: "complete" | "cut" | "stalled" | "too_large";
  readonly durationMs: number;
}

/** The request may have reached the service, and no status line came back. */
export interface NoAnswer {
  readonly kind: "no_answer";
  readonly cause: "timeout" | "broken" | "malformed" | "aborted";
  /** For a log: an error code and message without secrets. */
  readonly detail: string;
  readonly durationMs: number;
}

/** Proven: no byte of the request was written. */
export interface Unsent {
  readonly kind: "unsent";
  /**
   * `certificate`: of either side, or no TLS at all. `local`: encryption, a header, anything before a connection.
   * `too_late`: its caller does not want it to leave any more.
   */
  readonly cause: "unreachable" | "certificate" | "local" | "too_late";
  readonly detail: string;
  readonly durationMs: number;
}

/** Why a request that certainly never left did not leave. */
export function causeOfUnsent(error: unknown): Unsent["cause"] {
  const codes = chain(error).map((one) => systemCodeOf(one) ?? "");
  if (codes.some((code) => CERTIFICATE_CODES.some((begins) => code.startsWith(begins)))) return "certificate";
  return codes.some((code) => LOCAL_CODES.test(code)) ? "local" : "unreachable";
}

/** Why a request that may have left got no status line. */
export function causeOfNoAnswer(error: unknown): NoAnswer["cause"] {
  // not every parser error has a code
  const malformed = error instanceof Error && error.name === "HTTPParserError";
  return malformed || MALFORMED_CODES.test(systemCodeOf(error) ?? "") ? "malformed" : "broken";
}

/** How OpenSSL's verification failures begin as Node names them, and refusals of the handshake. */
const CERTIFICATE_CODES = [
  ...["ERR_TLS_", "ERR_SSL_", "UNABLE_TO_", "CERT_", "CRL_", "ERROR_IN_C", "DEPTH_ZERO_", "SELF_SIGNED_", "INVALID_"],
  ...["PATH_LENGTH_", "HOSTNAME_"],
];
const LOCAL_CODES = /^UND_ERR_(?:INVALID_ARG|DESTROYED|CLOSED)$/;
const MALFORMED_CODES = /^UND_ERR_(?:RES_CONTENT_LENGTH_MISMATCH|HEADERS_OVERFLOW)$/;
const DETAIL_CHARACTERS_MAX = 300;

/** An error for a log, such as `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1`; no secrets, no URL credentials. */
export function describeFailure(error: unknown): string {
  const said = chain(error).map((one) => {
    const message = one instanceof Error ? one.message : String(one);
    return [systemCodeOf(one), message].filter(Boolean).join(": ");
  });
  const text = conceal([...new Set(said)].join("; "));
  return printable(text.replaceAll(/\/\/[^/\s@]*@/g, "//"), DETAIL_CHARACTERS_MAX);
}

/** An error, the parts of an AggregateError (one per address of a host name), and what it was caused by. */
function chain(error: unknown, depth = 0): unknown[] {
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const causes = error instanceof Error && error.cause !== undefined ? [error.cause] : [];
  return depth > 4 ? [] : [error, ...[...parts, ...causes].flatMap((one) => chain(one, depth + 1))];
}
