import pLimit, { type LimitFunction } from "p-limit";
import { conceal } from "../config/conceal.ts";
import { Secret } from "../config/secret.ts";
import { USUAL } from "../config/usual.ts";
import { defined } from "../defined.ts";
import { collections } from "../operations/collections.ts";
import { loans } from "../operations/loans.ts";
import type { Operation } from "../operations/operation.ts";
import { payouts } from "../operations/payouts.ts";
import { transfers } from "../operations/transfers.ts";
import type { Answer } from "./answer.ts";
import { signalOf } from "./call-options.ts";
import { createRequestBody, type EnvelopeOptions } from "./envelope.ts";
import { envelopeFrom } from "./given-envelope.ts";
import type { KeyEncoding } from "./keys.ts";
import { createPayload } from "./payload.ts";
import type {
  CollectionRequest,
  LoanApplication,
  PayoutInline,
  PayoutToExisting,
  TransferRequest,
} from "./requests.ts";
import { createTransport } from "./transport.ts";

/**
 * What became of one request. `accepted`: a 2xx, nothing more. `unknown`: it may have been carried out, do not send it
 * again. `not_sent`: it was not carried out and may go again.
 */
export interface CallResult {
  readonly outcome: "accepted" | "rejected" | "unknown" | "not_sent";
  /** `refused`, `key_refused`, `no_answer`, `unreachable` …: the reasons of the results file. */
  readonly reason: string;
  /** Missing when no status line came back. */
  readonly status?: number;
  /** The first 64 KiB, with `[secret]` in place of keys. Its shape is not shown in the interface. */
  readonly body?: string;
  /** Where no status line came back: why, for a log, without secrets. `ECONNREFUSED: connect ECONNREFUSED …` */
  readonly detail?: string;
  readonly durationMs: number;
}

/** What one call is told beside its fields. */
export interface CallOptions {
  /** Gives up waiting: `not_sent` while it waits its turn; a request that may have left is `unknown`. */
  readonly signal?: AbortSignal;
}

export interface ClientOptions {
  /** `https://api.bank.example`, without the `/v1` path; http only to this machine. */
  readonly baseUrl: string;
  /** The key of the header `x-api-key` (§5.1). */
  readonly apiKey: string | Secret;
  /** 32 bytes, in hex, base64 or as text; needed for payouts only, and then with the IV (§5.2). */
  readonly aesKey?: string | Secret;
  /** 16 bytes, written as `aesKey` is. */
  readonly aesIv?: string | Secret;
  /** `auto`, unless said: the one encoding that gives 32 and 16 bytes. §5.2 shows no encoding. */
  readonly keyEncoding?: KeyEncoding;
  /** `pkcs7` unless said. §5.2 shows no padding. */
  readonly padding?: NonNullable<EnvelopeOptions["padding"]>;
  /** `lower` unless said. */
  readonly hexCase?: NonNullable<EnvelopeOptions["hexCase"]>;
  /** Most requests at one time, 8 unless said; further calls wait. */
  readonly concurrency?: number;
  /** Total time per request, 120 s unless said. */
  readonly timeoutMs?: number;
  /** 10 s unless said. */
  readonly connectTimeoutMs?: number;
  /** True unless said; false gives every request a connection of its own. */
  readonly reuseConnections?: boolean;
  /** CA certificates as PEM text, not a path; they replace the built-in ones. */
  readonly ca?: string;
  /** The own certificate as PEM text; its key belongs to it. */
  readonly clientCert?: string;
  /** The key of the own certificate as PEM text. */
  readonly clientKey?: string;
  /** Heeds HTTPS_PROXY, HTTP_PROXY and NO_PROXY. False unless said. */
  readonly useProxyFromEnvironment?: boolean;
}

/** Reads an answer by the outcome table of DESIGN §8. */
type OutcomeOf = (answer: Answer) => { readonly state: CallResult["outcome"]; readonly reason: string };

/**
 * Every call is sent at most once. It resolves with what became of it, whatever network and service do; it rejects only
 * for a mistake in the call: PaydropError `usage` or `config`, and then nothing was sent.
 */
export interface Client {
  /** POST /v1/upi/collect (§4). */
  collect(request: CollectionRequest, options?: CallOptions): Promise<CallResult>;
  /** POST /v1/banking/transfer (§4). */
  transfer(request: TransferRequest, options?: CallOptions): Promise<CallResult>;
  /** POST /v1/lending/loan/apply (§4). */
  applyForLoan(application: LoanApplication, options?: CallOptions): Promise<CallResult>;
  /** POST /v1/tech/product/payouts/pay, encrypted (§4, §5.2). */
  payout(payout: PayoutToExisting | PayoutInline, options?: CallOptions): Promise<CallResult>;
  /** Waits for all calls made before, also those that wait for their turn, then closes. Later calls are `not_sent`. */
  close(): Promise<void>;
}

/** The four operations as functions. Throws PaydropError `config` for wrong keys, certificates or address. */
export function createTypedClient(options: ClientOptions, outcomeOf: OutcomeOf): Client {
  const { aesKey, aesIv, keyEncoding, padding, hexCase } = options;
  const keys = defined({ aesKey, aesIv, keyEncoding, padding, hexCase });
  const requestBody = createRequestBody(envelopeFrom(keys, { key: "aesKey", iv: "aesIv" }));
  const concurrency = options.concurrency ?? USUAL.concurrency;
  // calls wait here and not in the transport, whose clock is already running
  const limit = pLimit(concurrency);
  const transport = createTransport({
    ...options,
    concurrency,
    timeoutMs: options.timeoutMs ?? USUAL.timeout,
    connectTimeoutMs: options.connectTimeoutMs ?? USUAL.connect_timeout,
    reuseConnections: options.reuseConnections ?? USUAL.reuse_connections,
    apiKey: options.apiKey instanceof Secret ? options.apiKey : new Secret(options.apiKey),
  });
  const underWay = new Set<Promise<Answer>>();
  let isClosed = false;

  async function call(operation: Operation, fields: object, callOptions?: CallOptions): Promise<CallResult> {
    const signal = signalOf(operation, callOptions);
    const body = requestBody(operation, createPayload(operation, fields));
    const post = (): Promise<Answer> => transport.post(operation.path, body, { signal });
    const turn = isClosed ? Promise.resolve(AFTER_CLOSE) : inTurn(limit, post, signal);
    underWay.add(turn);
    const answer = await turn.finally(() => underWay.delete(turn));
    const { state: outcome, reason } = outcomeOf(answer);
    const { durationMs } = answer;
    if (answer.kind !== "answered") return { outcome, reason, detail: answer.detail, durationMs };
    // a service may repeat the key that it refuses in its answer, and whoever logs a result would log the key
    return { outcome, reason, status: answer.status, body: conceal(answer.body), durationMs };
  }

  return {
    collect: (request, callOptions) => call(collections, request, callOptions),
    transfer: (request, callOptions) => call(transfers, request, callOptions),
    applyForLoan: (application, callOptions) => call(loans, application, callOptions),
    payout: (payout, callOptions) => call(payouts, payout, callOptions),
    async close() {
      isClosed = true;
      await Promise.allSettled(underWay);
      await transport.close();
    },
  };
}

/** A call whose signal is aborted before its turn has its end at once: `post` sends nothing for such a signal. */
function inTurn(limit: LimitFunction, post: () => Promise<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
  if (signal?.aborted) return post();
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(post());
    signal?.addEventListener("abort", giveUp, { once: true });
    limit(() => {
      signal?.removeEventListener("abort", giveUp);
      return post();
    }).then(resolve, reject);
  });
}

const AFTER_CLOSE: Answer = { kind: "unsent", cause: "local", detail: "the client is closed", durationMs: 0 };
