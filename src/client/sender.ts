import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { requireSending } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { Secrets } from "../config/secret.ts";
import { messageOf, PaydropError } from "../errors.ts";
import { operationNamed, type OperationName } from "../operations/index.ts";
import { describeFailure, type Answer } from "./answer.ts";
import { createEnvelope, encryptionOf } from "./envelope.ts";
import { createTransport, type Transport } from "./transport.ts";

/** Sends payloads (compact JSON, §2) with the keys, certificates, address and choices that it was opened with. */
export interface Sender {
  /** AES key and IV are there: without them no payout can go (§5.2). */
  readonly encrypts: boolean;
  /**
   * Never rejects: what goes wrong before a connection is `unsent`. Aborting `signal` gives up on the answer; `mayLeave` is
   * asked just before the first byte is written.
   */
  send(operation: OperationName, payload: string, signal?: AbortSignal, mayLeave?: () => boolean): Promise<Answer>;
  /** Connects as `send` would and hangs up, for `paydrop doctor`; no byte of a request is sent. */
  preflight(): Promise<Preflight>;
  /** Waits for what is under way, at most its timeout. */
  close(): Promise<void>;
}

/**
 * The sender of a configuration. Throws PaydropError `config` for a missing or malformed address, key, IV, certificate
 * or proxy: call it before a file is taken. AES key and IV may be missing, but only both.
 */
export function openSender(config: Config, secrets: Secrets): Sender {
  const { aesKey, aesIv, apiKey } = secrets;
  const { base_url, connect_timeout: timeoutMs } = config;
  // no act by hand must have what only notices need
  requireSending({ ...config, notify: {} }, secrets, { payouts: aesKey !== undefined || aesIv !== undefined });
  if (base_url === undefined || apiKey === undefined) throw new Error("there is an address and a key");
  const encryption = encryptionOf(config, secrets);
  const envelope = encryption && createEnvelope(encryption);
  const transport = createTransport({ ...config, base_url, apiKey });
  return {
    encrypts: envelope !== undefined,
    send(operation, payload, signal, mayLeave) {
      const { path, encrypted } = operationNamed(operation);
      try {
        if (!encrypted) return transport.post(path, payload, signal, mayLeave);
        if (!envelope) throw new PaydropError("keys_missing", { operation });
        return transport.post(path, envelope(payload), signal, mayLeave);
      } catch (error) {
        return Promise.resolve({ kind: "unsent", cause: "local", detail: messageOf(error), durationMs: 0 });
      }
    },
    preflight: () => preflight(transport, new URL(base_url).origin, timeoutMs),
    close: () => transport.close(),
  };
}

export interface Preflight {
  readonly durationMs: number;
  /** Address and port that were connected to, such as `203.0.113.7:443`; not known behind a proxy. */
  readonly address?: string;
}

/**
 * Connects to the service as a run would, by the same proxy, trust and client certificate, and hangs up: no byte of a
 * request is sent. Rejects with PaydropError `not_reached`.
 */
export async function preflight(transport: Transport, origin: string, timeoutMs: number): Promise<Preflight> {
  const startedMs = performance.now();
  let socket: Socket | undefined;
  try {
    socket = await connected(transport, origin, timeoutMs);
    const durationMs = Math.round(performance.now() - startedMs);
    if (!socket) return { durationMs };
    // known only until the other side hangs up
    const address = `${socket.remoteAddress ?? ""}:${socket.remotePort ?? ""}`;
    if (socket instanceof TLSSocket) await assertWelcome(socket);
    return { durationMs, address };
  } catch (error) {
    throw new PaydropError("not_reached", { why: describeFailure(error) }, { cause: error });
  } finally {
    socket?.destroy();
  }
}

/** A socket that is kept from undici; behind a proxy none, there the request is aborted where it could be written. */
async function connected(transport: Transport, origin: string, timeoutMs: number): Promise<Socket | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket | undefined>();
  const timer = setTimeout(() => reject(new Error(`no connection within ${timeoutMs} ms`)), timeoutMs);
  const client = transport.open((socket) => {
    if (!socket) return undefined;
    resolve(socket);
    return "keep";
  });
  const nothing = (): void => undefined;
  const handler: Parameters<typeof client.dispatch>[1] = {
    onRequestStart(controller) {
      controller.abort(new Error("only looked whether it could be sent"));
      resolve(undefined);
    },
    onResponseError: (_, error) => reject(error),
    ...{ onResponseStart: nothing, onResponseData: nothing, onResponseEnd: nothing },
  };
  client.dispatch({ origin, path: "/", method: "POST" }, handler);
  return promise.finally(() => {
    clearTimeout(timer);
    void client.destroy();
  });
}

const WELCOME_MS = 700;

/**
 * With TLS 1.3 a server refuses our certificate, or misses one, only after our side thinks that all is well. A session
 * ticket shows that the handshake is over on the server's side, too.
 */
function assertWelcome(socket: TLSSocket): Promise<unknown> {
  const hungUp = once(socket, "close").then(() => {
    throw new Error("the other side hung up after the handshake");
  });
  return Promise.race([hungUp, once(socket, "session"), sleep(WELCOME_MS)]);
}
