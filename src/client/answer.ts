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
  /** `no_tls`: what answered does not speak TLS. `local`: encryption, a header value, anything before a connection. */
  readonly cause: "unreachable" | "certificate" | "no_tls" | "local";
  readonly detail: string;
  readonly durationMs: number;
}
