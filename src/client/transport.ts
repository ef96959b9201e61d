import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import type { EnvHttpProxyAgent } from "undici";
// only these parts of undici: to load the rest would take most of the time of the start
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import { isLoopback } from "../config/kinds.ts";
import type { Config } from "../config/schema.ts";
import type { Secret } from "../config/secret.ts";
import { messageOf, PaydropError } from "../errors.ts";
import type { Answer } from "./answer.ts";
import { KEEP_ALIVE_MS, RestingConnections, type Opener } from "./connections.ts";
import { Exchange } from "./exchange.ts";

/**
 * Settings as `Config` has them. `reuse_connections = false` gives every request its own connection (I6): slower, and
 * safe against a server that answers one request twice. With reuse, a connection on which bytes came is dropped before
 * the next request is written; bytes that come later cannot be told from the answer to that request.
 */
export interface TransportOptions extends Pick<
  Config,
  | ("concurrency" | "timeout" | "connect_timeout" | "reuse_connections")
  | ("ca_file" | "client_cert_file" | "client_key_file")
> {
  readonly base_url: string;
  readonly apiKey: Secret;
  /** How long the body of an answer may take once its head is there. 5 s unless said. */
  readonly bodyTimeoutMs?: number;
}

/** Every request that carries a row goes through here (README §4). */
export interface Transport {
  /**
   * Sends one request body to a path of §4 and says what became of it; never throws for anything the network does. No
   * redirect is followed and nothing is ever sent a second time.
   */
  post(path: string, body: string, signal?: AbortSignal, mayLeave?: () => boolean): Promise<Answer>;
  /** Makes a connection as `post` does. */
  readonly open: Opener;
  /** Waits for what is under way, at most its timeout, then closes every connection. */
  close(): Promise<void>;
}

/** Throws PaydropError "config" for wrong certificates or a wrong proxy. */
export function createTransport(options: TransportOptions): Transport {
  const { origin, pathname } = new URL(options.base_url);
  const open = openerTo(origin, options);
  const connections = new RestingConnections(Math.max(RESTING_MIN, options.concurrency * RESTING_PER_LANE), open);
  const prefix = pathname.replace(/\/+$/, "");
  const headers = ["content-type", "application/json", "x-api-key", options.apiKey.reveal()];
  // said of the request and not of the connection: a connection through a SOCKS proxy would be kept all the same
  const always = { origin, method: "POST", headers, ...(options.reuse_connections ? {} : { reset: true }) } as const;
  const limits = {
    connectTimeoutMs: options.connect_timeout + CONNECT_MARGIN_MS,
    timeoutMs: options.timeout,
    bodyTimeoutMs: options.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
  };
  const underWay = new UnderWay();

  return {
    post(path, body, signal, mayLeave) {
      return new Promise((resolve) => {
        const connection = connections.take();
        const exchange = new Exchange({ ...limits, mayLeave }, signal, (answer) => {
          underWay.delete(exchange);
          // the connection may still wait for its proxy, and the next row would wait behind it
          if (answer.kind === "unsent") connections.drop(connection);
          else connections.rest(connection);
          resolve(answer);
        });
        underWay.add(exchange);
        if (signal?.aborted) exchange.look(0);
        else connection.client.dispatch({ ...always, path: prefix + path, body }, exchange);
      });
    },
    open,
    async close() {
      while (underWay.size > 0) await sleep(CLOCK_MS);
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
/** How many connections may be open: enough for each to rest between two requests, and no more than a service bears. */
const RESTING_PER_LANE = 4;
const RESTING_MIN = 64;
/** A request may end by so much later than its timeout says; it is small against any timeout that makes sense. */
const CLOCK_MS = 20;
/** So long a standstill (process stopped, container frozen, machine paused) leaves answers that are not read yet. */
const STANDSTILL_MS = 1_000;

/** The requests that have not ended yet, with one clock for all of them. */
class UnderWay extends Set<Exchange> {
  #clock: NodeJS.Timeout | undefined;
  #lookedAtMs = 0;

  override add(exchange: Exchange): this {
    this.#lookedAtMs = this.#clock ? this.#lookedAtMs : performance.now();
    this.#clock ??= setInterval(() => this.#look(), CLOCK_MS);
    return super.add(exchange);
  }

  override delete(exchange: Exchange): boolean {
    const isDeleted = super.delete(exchange);
    if (this.size === 0) {
      clearInterval(this.#clock);
      this.#clock = undefined;
    }
    return isDeleted;
  }

  #look(): void {
    const nowMs = performance.now();
    const stoodStill = nowMs - this.#lookedAtMs > STANDSTILL_MS;
    this.#lookedAtMs = nowMs;
    // what came meanwhile is read before the next look
    if (!stoodStill) for (const exchange of this) exchange.look(nowMs);
  }
}

/** Connections to one origin: nothing can be sent anywhere else. */
function openerTo(origin: string, options: TransportOptions): Opener {
  const { connect_timeout: timeout } = options;
  // said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing
  const safety = { rejectUnauthorized: true, minVersion: "TLSv1.2", allowH2: false } as const;
  const tls = { ...safety, timeout, ...certificatesOf(options) };
  const connect = buildConnector(tls);
  const settings = {
    ...{ pipelining: 1, allowH2: false, useMilo: false },
    ...{ keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS },
    // the exchange has its own clock, for the total time; these two would count idle time
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  };
  const proxied = isLoopback(origin) ? undefined : proxyAgent();
  const open: Opener = (onSocket) => {
    const told: buildConnector.connector = (to, callback) =>
      connect(to, (...[error, socket]) => {
        const isKept = onSocket(socket ?? undefined) === "keep";
        if (error) callback(error, null);
        else if (!isKept) callback(null, socket);
      });
    if (!proxied) return new Client(origin, { ...settings, connect: told });
    // `told` is for addresses that NO_PROXY lists; behind a proxy undici alone knows the socket
    return new proxied({ ...settings, connections: 1, connect: told, requestTls: tls, connectTimeout: timeout });
  };
  try {
    if (proxied) void open(() => undefined).destroy();
  } catch {
    // it is not repeated: it may hold a password
    throw new PaydropError("proxy_wrong");
  }
  return open;
}

const PROXY_VARIABLES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/** undici's own agent for HTTPS_PROXY, HTTP_PROXY and NO_PROXY, where a proxy is set. */
function proxyAgent(): typeof EnvHttpProxyAgent | undefined {
  if (!PROXY_VARIABLES.some((name) => process.env[name])) return undefined;
  const undici = createRequire(import.meta.url)("undici") as { readonly EnvHttpProxyAgent: typeof EnvHttpProxyAgent };
  return undici.EnvHttpProxyAgent;
}

/** Throws for what TLS would refuse at every connection, or ignore in silence: an empty file, another one's key. */
function certificatesOf(options: TransportOptions) {
  if ((options.client_cert_file === undefined) !== (options.client_key_file === undefined))
    throw new PaydropError("pem_alone");
  const ca = pemIn(options.ca_file, (pem) => new X509Certificate(pem));
  const cert = pemIn(options.client_cert_file, (pem) => new X509Certificate(pem));
  const key = pemIn(options.client_key_file, (pem) => createSecureContext({ cert, key: pem || "empty" }));
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

function pemIn(path: string | undefined, use: (pem: string) => unknown): string | undefined {
  if (path === undefined) return undefined;
  try {
    const pem = readFileSync(path, "utf8");
    use(pem);
    return pem;
  } catch (error) {
    throw new PaydropError("pem_wrong", { path, why: messageOf(error) });
  }
}
