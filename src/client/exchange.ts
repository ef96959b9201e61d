import type { Dispatcher } from "undici";
import { concealOfCut } from "../config/conceal.ts";
import type { Answer, Answered, Unsent } from "./answer.ts";
import { bodyText } from "./body-text.ts";
import { causeOfNoAnswer, causeOfUnsent, describeFailure, isSwitch } from "./failure.ts";

interface ExchangeOptions {
  /** From now to the first byte that is written. */
  readonly connectTimeoutMs: number;
  /** From now to the end of the answer. */
  readonly timeoutMs: number;
  /** From the end of the answer's head to the end of its body. */
  readonly bodyTimeoutMs: number;
  readonly bodyBytesMax: number;
  /** The connection is TLS: then nothing shows whether it was cut off or closed as it should be. */
  readonly isSecure: boolean;
  /** Needed only to take it out of error texts. */
  readonly apiKey: string;
}

/**
 * One request and what became of it. It settles one time only, and is never written twice, or after it has settled:
 * undici calls `onRequestStart` just before the first byte is written. Only where that call never came is it proven
 * that nothing was sent.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The signal that may abort this request. */
  readonly signal: AbortSignal | undefined;
  readonly #options: ExchangeOptions;
  readonly #settled: (answer: Answer) => void;
  readonly #isBroken: () => boolean;
  readonly #startedAt = performance.now();
  readonly #connectMs: number;
  /** When the time is over, by `performance.now()`. */
  #deadlineMs: number;
  /** Set from the moment that a byte may have left. */
  #wire: Dispatcher.DispatchController | undefined;
  #isExtended = false;
  #done = false;
  #status = 0;
  #contentType = "";
  #contentEncoding = "";
  #retryAfter: string | undefined;
  #statesLength = false;
  #chunks: Buffer[] = [];
  #bodyBytes = 0;

  /** `isBroken`: whether the connection that the request went over broke, as far as that can be known. */
  constructor(
    options: ExchangeOptions,
    signal: AbortSignal | undefined,
    settled: (answer: Answer) => void,
    isBroken: () => boolean = () => false,
  ) {
    this.#options = options;
    this.signal = signal;
    this.#settled = settled;
    this.#isBroken = isBroken;
    this.#connectMs = Math.min(options.connectTimeoutMs, options.timeoutMs);
    this.#deadlineMs = this.#startedAt + this.#connectMs;
  }

  get done(): boolean {
    return this.#done;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#done || this.#wire) {
      controller.abort(new Error("not to be sent any more"));
      return;
    }
    this.#wire = controller;
    this.#deadlineMs = Math.max(this.#deadlineMs, this.#startedAt + this.#options.timeoutMs);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // after 1xx the answer is still to come; but after 101 the connection speaks no HTTP any more (RFC 9110 §15.2.2)
    if (this.#done || (status < 200 && status !== SWITCHING)) return;
    this.#status = status;
    this.#contentType = first(headers["content-type"]) ?? "";
    this.#contentEncoding = String(headers["content-encoding"] ?? "");
    this.#retryAfter = first(headers["retry-after"]);
    this.#statesLength =
      headers["content-length"] !== undefined || /chunked\s*$/i.test(String(headers["transfer-encoding"] ?? ""));
    this.#deadlineMs = Math.min(this.#deadlineMs, performance.now() + this.#options.bodyTimeoutMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    const room = this.#options.bodyBytesMax - this.#bodyBytes;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bodyBytes += chunk.length;
    if (chunk.length > room) this.#end(this.#answered("too_large"));
  }

  onResponseEnd(): void {
    // A body whose length nothing states ends with its connection, and undici takes a reset for such an end, too. It
    // does not say whether TLS was closed as it should be (RFC 9112 §9.8). A refusal counts as whole only where that is
    // certain.
    const isDoubtful = this.#options.isSecure && !this.#statesLength && this.#status >= 400;
    this.#end(this.#answered(isDoubtful || this.#isBroken() ? "cut" : "complete"));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    if (this.#done) return;
    if (this.#wire && isSwitch(error)) this.#status = SWITCHING;
    if (this.#status > 0) this.#end(this.#answered("cut"));
    else if (this.#wire) this.#end(this.#noAnswer(causeOfNoAnswer(error), error));
    else this.#end(this.#unsent(causeOfUnsent(error), error));
  }

  /** Ends the exchange if its time is over. Called by one clock for all exchanges, instead of two timers for each. */
  expireAt(nowMs: number): void {
    if (nowMs < this.#deadlineMs) return;
    if (this.#status > 0) this.#end(this.#answered("stalled"));
    else if (this.#wire) this.#end(this.#noAnswer("timeout", `no answer within ${this.#options.timeoutMs} ms`));
    else this.#end(this.#unsent("unreachable", `no connection within ${this.#connectMs} ms`));
  }

  /** Gives more time, but only once: a process that stands still again and again does not wait longer and longer. */
  extendTo(deadlineMs: number): void {
    if (this.#isExtended) return;
    this.#isExtended = true;
    this.#deadlineMs = Math.max(this.#deadlineMs, deadlineMs);
  }

  /** Ends the exchange because its caller gave it up. */
  abort(): void {
    if (this.#status > 0) this.#end(this.#answered("cut"));
    else if (this.#wire) this.#end(this.#noAnswer("aborted", "aborted while waiting for the answer"));
    else this.#end(this.#unsent("local", "aborted before it was sent"));
  }

  #end(answer: Answer): void {
    if (this.#done) return;
    this.#done = true;
    this.#chunks = [];
    // After a complete answer this does nothing; otherwise it destroys the connection, which is no longer in step.
    if (answer.kind !== "answered" || answer.bodyEnd !== "complete") this.#wire?.abort(new Error("given up"));
    this.#settled(answer);
  }

  #answered(bodyEnd: Answered["bodyEnd"]): Answered {
    const only = this.#chunks.length === 1 ? this.#chunks[0] : undefined;
    const { bodyBytesMax } = this.#options;
    const text = bodyText(only ?? Buffer.concat(this.#chunks), this.#contentEncoding, bodyBytesMax);
    const isCutOff =
      this.#bodyBytes > bodyBytesMax || (this.#contentEncoding && Buffer.byteLength(text) >= bodyBytesMax);
    // a filter further on would not know half a key at the edge of the text
    const body = isCutOff ? concealOfCut(text) : text;
    const [status, contentType, durationMs] = [this.#status, this.#contentType, this.#durationMs()];
    if (this.#retryAfter === undefined) return { kind: "answered", status, body, contentType, bodyEnd, durationMs };
    return { kind: "answered", status, body, contentType, retryAfter: this.#retryAfter, bodyEnd, durationMs };
  }

  #noAnswer(cause: "timeout" | "broken" | "malformed" | "aborted", why: unknown): Answer {
    return {
      kind: "no_answer",
      cause,
      detail: describeFailure(why, this.#options.apiKey),
      durationMs: this.#durationMs(),
    };
  }

  #unsent(cause: Unsent["cause"], why: unknown): Answer {
    return {
      kind: "unsent",
      cause,
      detail: describeFailure(why, this.#options.apiKey),
      durationMs: this.#durationMs(),
    };
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

const SWITCHING = 101;

function first(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
