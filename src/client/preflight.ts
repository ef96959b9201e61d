import { request, type IncomingMessage } from "node:http";
import { connect as connectTcp } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { messageOf, systemCodeOf } from "../errors.ts";
import { tlsOf, type Certificates } from "./certificates.ts";
import { describeFailure } from "./failure.ts";
import { proxyFor } from "./proxy.ts";

interface PreflightOptions extends Certificates {
  readonly baseUrl: string;
  readonly connectTimeoutMs: number;
  /** Where HTTPS_PROXY and NO_PROXY are looked up. */
  readonly env: NodeJS.ProcessEnv;
}

export type Preflight =
  | {
      /** The proxy is a SOCKS proxy: only undici can speak to it. */
      readonly kind: "not_checked";
      readonly proxy: string;
    }
  | {
      readonly kind: "reached";
      readonly durationMs: number;
      /** Address and port that were connected to, such as `203.0.113.7:443`. */
      readonly address: string;
      /** Host and port of the proxy in between. */
      readonly proxy?: string;
      /** Missing for plain http to this machine. */
      readonly tls?: {
        readonly protocol: string;
        readonly issuer: string;
        readonly validTo: number;
      };
    }
  | {
      readonly kind: "failed";
      /** The step that failed. */
      readonly stage: "connect" | "proxy" | "tls";
      /** `ENOTFOUND`, `CERT_HAS_EXPIRED` …, empty when there is none. */
      readonly code: string;
      readonly message: string;
      readonly proxy?: string;
    };

/**
 * Connects to the service as a run would, by the same proxy, trust and client certificate, and hangs up: no request is
 * sent. Never rejects.
 */
export async function preflight(options: PreflightOptions): Promise<Preflight> {
  const base = new URL(options.baseUrl);
  const startedMs = performance.now();
  let via: { readonly proxy?: string } = {};
  let stage: "connect" | "proxy" | "tls" = "connect";
  let socket: Socket | undefined;
  try {
    const proxy = proxyFor(base, options.env);
    if (proxy) {
      via = { proxy: proxy.host };
      if (proxy.protocol.startsWith("socks")) return { kind: "not_checked", proxy: proxy.host };
      stage = "proxy";
    }
    socket = proxy
      ? await tunnel(proxy, base, options.connectTimeoutMs)
      : await connected(connectTcp({ host: hostOf(base), port: portOf(base) }), "connect", options.connectTimeoutMs);
    const address = `${socket.remoteAddress ?? hostOf(base)}:${socket.remotePort ?? portOf(base)}`;
    if (base.protocol === "http:")
      return { kind: "reached", durationMs: performance.now() - startedMs, address, ...via };
    stage = "tls";
    const secured = await shakeHands(socket, base, options);
    socket = secured;
    const durationMs = performance.now() - startedMs;
    const tls = describe(secured.getPeerCertificate(), secured.getProtocol() ?? "TLS");
    await assertWelcome(secured, options.clientCert !== undefined);
    return { kind: "reached", durationMs, address, ...via, tls };
  } catch (error) {
    return {
      kind: "failed",
      stage,
      code: systemCodeOf(error) ?? "",
      message: messageOf(error) || describeFailure(error, ""),
      ...via,
    };
  } finally {
    socket?.destroy();
  }
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

function connected<T extends Socket>(socket: T, event: "connect" | "secureConnect", timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      reject(noAnswerWithin(timeoutMs));
    }, timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const onClose = (): void => fail(new Error("the other side hung up"));
    socket.once("error", fail).once("close", onClose);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off("error", fail).off("close", onClose);
      resolve(socket);
    });
  });
}

/** A connection through the proxy. The proxy is told the service's name and its own login, nothing else. */
function tunnel(proxy: URL, base: URL, timeoutMs: number): Promise<Socket> {
  const target = `${base.hostname}:${portOf(base)}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const headers = {
    host: target,
    ...(proxy.username ? { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` } : {}),
  };
  const place = { host: hostOf(proxy), port: portOf(proxy) };
  const toProxy = proxy.protocol === "https:" ? connectTls({ ...place, rejectUnauthorized: true }) : connectTcp(place);
  return new Promise((resolve, reject) => {
    const asked = request({ createConnection: () => toProxy, method: "CONNECT", path: target, headers });
    const fail = (error: Error): void => {
      clearTimeout(timer);
      toProxy.destroy();
      asked.destroy();
      reject(error);
    };
    // the option `timeout` of a request has no effect on a socket that it is given
    const timer = setTimeout(() => fail(noAnswerWithin(timeoutMs)), timeoutMs);
    const refuse = (answer: IncomingMessage): void => fail(new Error(`the proxy answered ${answer.statusCode ?? 0}`));
    asked.on("connect", (answer, socket: Socket) => {
      if (answer.statusCode !== 200) {
        refuse(answer);
        return;
      }
      clearTimeout(timer);
      resolve(socket);
    });
    asked.on("response", refuse);
    asked.on("error", fail);
    asked.end();
  });
}

function noAnswerWithin(timeoutMs: number): Error {
  return new Error(`no answer within ${timeoutMs / 1000} s`);
}

function shakeHands(socket: Socket, base: URL, options: PreflightOptions): Promise<TLSSocket> {
  const host = hostOf(base);
  const secured = connectTls({
    socket,
    // `servername` only for a name: an address must not stand in the TLS greeting (RFC 6066 §3)
    ...(/^[\d.]+$|:/.test(host) ? { host } : { servername: host }),
    ALPNProtocols: ["http/1.1"],
    ...tlsOf(options),
  });
  return connected(secured, "secureConnect", options.connectTimeoutMs);
}

/** With TLS 1.3 a server refuses our certificate, or misses one, only after our side thinks that all is well. */
const WELCOME_MS = 500;

function assertWelcome(socket: TLSSocket, waitsLonger: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, waitsLonger ? 2 * WELCOME_MS : WELCOME_MS);
    const done = (settle: () => void) => (): void => {
      clearTimeout(timer);
      settle();
    };
    // a session ticket shows that the handshake is over on the server's side too
    socket.once("session", done(resolve));
    socket.once("error", (error: Error) => done(() => reject(error))());
    socket.once(
      "close",
      done(() => reject(new Error("the other side hung up after the handshake"))),
    );
    socket.resume();
  });
}

function describe(
  certificate: PeerCertificate,
  protocol: string,
): NonNullable<(Preflight & { kind: "reached" })["tls"]> {
  const { issuer, valid_to: to } = certificate;
  // a hostile certificate may have a name twice, which makes it a list
  const name = [issuer.O ?? issuer.CN].flat()[0] ?? "an unnamed authority";
  return { protocol, issuer: name, validTo: Date.parse(to) };
}
