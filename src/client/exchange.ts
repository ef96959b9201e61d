import { brotliDecompressSync, unzipSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { concealOfCut } from "../config/secret.ts";
import { causeOfNoAnswer, causeOfUnsent, describeFailure } from "./answer.ts";
import type { Answer, Answered, NoAnswer, Unsent } from "./answer.ts";

export interface ExchangeOptions {
  /** From now to the first byte that is written. */
  readonly connectTimeoutMs: number;
  /** From now to the end of the answer. */
  readonly timeoutMs: number;
  /** From the end of the answer's head to the end of its body. */
  readonly bodyTimeoutMs: number;
  /** Asked just before the first byte would be written. */
  readonly mayLeave?: (() => boolean) | undefined;
}

const BODY_BYTES_MAX = 64 * 1024;
/** Codings that some proxies use unasked (we send no `Accept-Encoding`); a failure inside must not pass as accepted. */
const DECODE: Readonly<Record<string, typeof unzipSync>> = {
  gzip: unzipSync,
  "x-gzip": unzipSync,
  deflate: unzipSync,
  br: brotliDecompressSync,
};

/**
 * One request and what became of it. It settles one time only, and is never written twice, or after it has settled:
 * undici calls `onRequestStart` just before the first byte is written. Only where that call never came is it proven
 * that nothing was sent.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #signal: AbortSignal | undefined;
  readonly #settled: (answer: Answer) => void;
  readonly #startedAt = performance.now();
  /** When the time is over, by `performance.now()`. */
  #deadlineMs: number;
  /** Set from the moment that a byte may have left. */
  #wire: Dispatcher.DispatchController | undefined;
  #done = false;
  #status = 0;
  #contentType = "";
  #retryAfter: string | undefined;
  #coding = "";
  #statesLength = false;
  #chunks: Buffer[] = [];
  #bodyBytes = 0;

  constructor(options: ExchangeOptions, signal: AbortSignal | undefined, settled: (answer: Answer) => void) {
    this.#options = options;
    this.#signal = signal;
    this.#settled = settled;
    this.#deadlineMs = this.#startedAt + Math.min(options.connectTimeoutMs, options.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#done || this.#wire || this.#signal?.aborted) {
      controller.abort(new Error("not to be sent any more"));
      return;
    }
    if (this.#options.mayLeave?.() === false) {
      this.#endWithout("aborted", "too_late", "let go too long ago");
      controller.abort(new Error("too late"));
      return;
    }
    this.#wire = controller;
    this.#deadlineMs = this.#startedAt + this.#options.timeoutMs;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // after 1xx the answer is still to come
    if (this.#done || status < 200) return;
    this.#status = status;
    this.#contentType = first(headers["content-type"]) ?? "";
    this.#retryAfter = first(headers["retry-after"]);
    this.#coding = (first(headers["content-encoding"]) ?? "").trim().toLowerCase();
    this.#statesLength =
      headers["content-length"] !== undefined || /chunked\s*$/i.test(String(headers["transfer-encoding"] ?? ""));
    this.#deadlineMs = Math.min(this.#deadlineMs, performance.now() + this.#options.bodyTimeoutMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    const room = BODY_BYTES_MAX - this.#bodyBytes;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bodyBytes += chunk.length;
    if (chunk.length > room) this.#end(this.#answered("too_large"));
  }

  onResponseEnd(): void {
    // a body whose length nothing states ends with its connection, and nobody knows whether that was cut off (RFC 9112
    // §9.8): a refusal counts as whole only where that is certain
    const isDoubtful = !this.#statesLength && this.#status >= 400;
    this.#end(this.#answered(isDoubtful ? "cut" : "complete"));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    if (this.#status > 0) this.#end(this.#answered("cut"));
    else this.#endWithout(causeOfNoAnswer(error), causeOfUnsent(error), error);
  }

  /** Ends the exchange if its time is over or its caller gave it up. One clock asks all, instead of timers for each. */
  look(nowMs: number): void {
    const isOver = nowMs >= this.#deadlineMs;
    if (this.#signal?.aborted) {
      if (this.#status > 0) this.#end(this.#answered("cut"));
      else this.#endWithout("aborted", "local", "given up by its caller");
    } else if (isOver && this.#status > 0) this.#end(this.#answered("stalled"));
    else if (isOver)
      this.#endWithout("timeout", "unreachable", `${this.#wire ? "no answer" : "no connection"} in time`);
  }

  #end(answer: Answer): void {
    if (this.#done) return;
    this.#done = true;
    this.#chunks = [];
    // After a complete answer this does nothing; otherwise it destroys the connection, which is no longer in step.
    if (answer.kind !== "answered" || answer.bodyEnd !== "complete") this.#wire?.abort(new Error("given up"));
    this.#settled(answer);
  }

  #answered(ended: Answered["bodyEnd"]): Answered {
    const [only = Buffer.alloc(0), ...more] = this.#chunks;
    const bytes = more.length > 0 ? Buffer.concat(this.#chunks) : only;
    const read = decoded(bytes, this.#coding);
    // what cannot be read says as little as what did not come
    const bodyEnd = read === undefined && ended === "complete" ? "cut" : ended;
    const text = read ?? "";
    // a filter further on would not know half a key at the edge of the text
    const body = this.#bodyBytes > BODY_BYTES_MAX ? concealOfCut(text) : text;
    const [status, contentType, durationMs] = [this.#status, this.#contentType, this.#durationMs()];
    const answered: Answered = { kind: "answered", status, body, contentType, bodyEnd, durationMs };
    return this.#retryAfter === undefined ? answered : { ...answered, retryAfter: this.#retryAfter };
  }

  /** Without a status line: whether a byte may have left decides. */
  #endWithout(ifLeft: NoAnswer["cause"], ifNot: Unsent["cause"], why: unknown): void {
    if (this.#done) return;
    const rest = { detail: describeFailure(why), durationMs: this.#durationMs() };
    this.#end(this.#wire ? { kind: "no_answer", cause: ifLeft, ...rest } : { kind: "unsent", cause: ifNot, ...rest });
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

/** The text of a body; undefined where its coding cannot be undone, or it is larger than what is kept of one. */
function decoded(bytes: Buffer, coding: string): string | undefined {
  if (coding === "" || coding === "identity" || bytes.length === 0) return bytes.toString("utf8");
  try {
    return DECODE[coding]?.(bytes, { maxOutputLength: BODY_BYTES_MAX }).toString("utf8");
  } catch {
    return undefined;
  }
}

function first(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
