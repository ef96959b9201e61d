import { createRequire } from "node:module";
import type { ProxyAgent } from "undici";
// only these parts of undici: to load the rest would take most of the time of the start
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import { readBaseUrl } from "../config/base-url.ts";
import { Secret } from "../config/secret.ts";
import { NotRight, saidOf } from "../config/values.ts";
import { PaydropError } from "../errors.ts";
import type { Answer } from "./answer.ts";
import { assertCertificates, tlsOf, type Certificates } from "./certificates.ts";
import { KEEP_ALIVE_MS, RestingConnections, type Opener } from "./connections.ts";
import { Exchange } from "./exchange.ts";
import { connectionsPossible } from "./open-files.ts";
import { proxyFor } from "./proxy.ts";
import { UnderWay } from "./under-way.ts";

export interface TransportOptions extends Certificates {
  /** The service's address without credentials; plain http only to this machine. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** Most requests at one time. With reuse more connections are open, most of them at rest (`RESTING_PER_LANE`). */
  readonly concurrency: number;
  /** Total time: from `post` to the end of the answer. */
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** How long the body of an answer may take once its head is there. 5 s unless said. */
  readonly bodyTimeoutMs?: number;
  /**
   * False gives every request its own connection (I6): that is slower, and safe against a server that answers one
   * request twice. With reuse, a connection on which bytes came is dropped before the next request is written; bytes
   * that come later cannot be told from the answer to that request.
   */
  readonly reuseConnections: boolean;
  /** Heeds HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Never for an address on this machine. */
  readonly useProxyFromEnvironment?: boolean;
}

/**
 * Every request that carries a row goes through here (DESIGN §4). What else uses the network carries no row, and has
 * sockets of its own: doctor's probe, the ping, and the page of metrics.
 */
export interface Transport {
  /**
   * Sends one request body to a path of §4 and says what became of it; never throws for anything the network does. No
   * redirect is followed and nothing is ever sent a second time.
   */
  post(path: string, body: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Answer>;
  /** Waits for what is under way, at most its timeout, then closes every connection. */
  close(): Promise<void>;
}

/** Throws PaydropError "config" for an address that must not be used, and for wrong certificates or a wrong proxy. */
export function createTransport(options: TransportOptions): Transport {
  const base = addressOf(options.baseUrl);
  assertCertificates(options);
  const apiKey = options.apiKey.reveal();
  const connections = connectionsTo(base, options);
  const prefix = base.pathname.replace(/\/+$/, "");
  const headers = ["content-type", "application/json", "x-api-key", apiKey];
  const always = {
    ...{ origin: base.origin, method: "POST", headers },
    // said of the request and not of the connection: a connection through a SOCKS proxy would be kept all the same
    ...(options.reuseConnections ? {} : { reset: true }),
  } as const;
  const exchangeOptions = {
    connectTimeoutMs: options.connectTimeoutMs + CONNECT_MARGIN_MS,
    timeoutMs: options.timeoutMs,
    bodyTimeoutMs: options.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
    bodyBytesMax: BODY_BYTES_MAX,
    isSecure: base.protocol === "https:",
    apiKey,
  };
  const underWay = new UnderWay();

  return {
    post(path, body, { signal } = {}) {
      return new Promise((resolve) => {
        const connection = connections.take();
        const ended = (answer: Answer): void => {
          underWay.remove(place);
          // the connection may still wait for its proxy, and the next row would wait behind it
          if (answer.kind === "unsent") connections.drop(connection);
          else connections.rest(connection);
          resolve(answer);
        };
        const isBroken = (): boolean => Boolean(connection.socket?.errored);
        const exchange = new Exchange(exchangeOptions, signal, ended, isBroken);
        const place = underWay.add(exchange);
        if (signal?.aborted) exchange.abort();
        if (exchange.done) return;
        connection.client.dispatch({ ...always, path: prefix + path, body }, exchange);
      });
    },
    async close() {
      await underWay.ended();
      await connections.destroy();
    },
  };
}

const BODY_TIMEOUT_MS = 5_000;
/**
 * Our clock runs so much longer than undici's, which can say what did not connect. But undici waits without end for a
 * proxy that takes the connection and is silent: then our clock ends it.
 */
const CONNECT_MARGIN_MS = 1_500;
const BODY_BYTES_MAX = 64 * 1024;

function addressOf(baseUrl: string): URL {
  try {
    return new URL(readBaseUrl(baseUrl));
  } catch (error) {
    if (!(error instanceof NotRight)) throw error;
    throw new PaydropError("config", `base URL: ${saidOf(baseUrl, error)}`, "correct it");
  }
}

/** Connections to one origin: nothing can be sent anywhere else. */
function connectionsTo(base: URL, options: TransportOptions): RestingConnections {
  const tls = { ...tlsOf(options), timeout: options.connectTimeoutMs };
  const settings = {
    pipelining: 1,
    allowH2: false,
    useMilo: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // the exchange has its own clock, for the total time; these two would count idle time
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const { concurrency } = options;
  const wanted = Math.max(RESTING_MIN, concurrency * RESTING_PER_LANE);
  const connectionsMax = connectionsPossible(wanted, concurrency);
  const proxy = options.useProxyFromEnvironment === true ? proxyFor(base, process.env) : undefined;
  const ways = proxy && {
    ...{ connections: 1, uri: proxy.href, requestTls: tls, connectTimeout: options.connectTimeoutMs },
    // only for https: undici would speak TLS to a SOCKS proxy if these were given
    ...(proxy.protocol === "https:" ? { proxyTls: { rejectUnauthorized: true } } : {}),
  };
  const connect = buildConnector({ ...tls, allowH2: false });
  const opener: Opener = (onSocket) =>
    ways
      ? new (proxyAgent())({ ...settings, ...ways })
      : new Client(base.origin, { ...settings, connect: told(connect, onSocket) });
  // With `wanted` connections only a service as fast as loopback leaves them no time to rest. With fewer, for want of
  // open files, any service does, and its second answer to one row would be taken for the answer to the next. So then a
  // new connection is opened instead, though that is slower.
  return new RestingConnections(connectionsMax, opener, connectionsMax < wanted);
}

function proxyAgent(): typeof ProxyAgent {
  return (createRequire(import.meta.url)("undici") as { readonly ProxyAgent: typeof ProxyAgent }).ProxyAgent;
}

function told(connect: buildConnector.connector, onSocket: Parameters<Opener>[0]): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      onSocket(socket ?? undefined);
      if (error) callback(error, null);
      else callback(null, socket);
    });
}

/** How many connections may be open: enough for each to rest between two requests, and no more than a service bears. */
const RESTING_PER_LANE = 4;
const RESTING_MIN = 64;
