import { once } from "node:events";
import net from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";

/**
 * A real server whose every byte is scripted. It writes down each request before it answers it:
 *
 *     const server = await startFaultServer((request) => (request.number === 1 ? reset() : answer(200)));
 *     …
 *     expect(server.requests).toHaveLength(2);
 *     await server.close();
 */
export interface FaultServer {
  readonly port: number;
  /** `http://127.0.0.1:port`, or `https://localhost:port` with TLS. */
  readonly url: string;
  /** In the order of arrival. */
  readonly requests: Received[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Bytes received so far over all connections; after TLS, what was inside. */
  readonly bytesReceived: number;
  /** Another script from now on. */
  use(script: Script): void;
  close(): Promise<void>;
}

export interface Received {
  /** Counts the requests of this server, from 1. */
  readonly number: number;
  /** Which connection, and the how-manieth request on it, both from 1. */
  readonly connection: number;
  readonly onConnection: number;
  readonly method: string;
  readonly path: string;
  readonly httpVersion: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Request line and headers as they came. */
  readonly head: string;
  readonly body: string;
}

/** What to do on the wire with one request. */
export type Reply = (socket: Socket) => void | Promise<void>;
export type Script = (request: Received) => Reply;

export interface FaultServerOptions {
  /** Certificate and key make it a TLS server. */
  readonly tls?: tls.TlsOptions;
  /** Called for each new connection before a byte is read; may reset, close or hold it (then nothing is read). */
  readonly onConnection?: (socket: Socket, number: number) => "hold" | undefined;
  readonly port?: number;
}

/** `HTTP/1.1 200 OK` with a body of the right length; objects as JSON. */
export function answer(status: number, body: unknown = { ok: true }, headers: Record<string, string> = {}): Reply {
  return raw(response(status, body, headers));
}

/** These very bytes. */
export function raw(bytes: string | Uint8Array): Reply {
  return (socket) => void socket.write(bytes);
}

/** One reply after another. */
export function inOrder(...replies: readonly Reply[]): Reply {
  return async (socket) => {
    for (const reply of replies) await reply(socket);
  };
}

export function pause(durationMs: number): Reply {
  return () => sleep(durationMs);
}

/** FIN. */
export function close(): Reply {
  return (socket) => void socket.end();
}

/** RST. */
export function reset(): Reply {
  return (socket) => void socket.resetAndDestroy();
}

/** Never an answer. */
export function silence(): Reply {
  return () => undefined;
}

/** A head that announces more body than comes, then a FIN. */
export function cutBody(status: number): Reply {
  return inOrder(
    raw(`HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a`),
    close(),
  );
}

/** A head that announces more body than comes, and nothing more. */
export function stalledBody(status: number): Reply {
  return raw(`HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a`);
}

/** One byte per interval until the connection goes. */
export function slowly(bytes: string, intervalMs: number): Reply {
  return async (socket) => {
    for (const byte of bytes) {
      if (socket.destroyed) return;
      socket.write(byte);
      await sleep(intervalMs);
    }
  };
}

export function redirect(status: number, location: string): Reply {
  return answer(status, "", { location });
}

/** The bytes of a whole answer. */
export function response(status: number, body: unknown = { ok: true }, headers: Record<string, string> = {}): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join("")}\r\n${text}`;
}

export async function startFaultServer(script: Script, options: FaultServerOptions = {}): Promise<FaultServer> {
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  let current = script;
  let connections = 0;
  let bytesReceived = 0;

  function onSocket(socket: Socket): void {
    connections += 1;
    const connection = connections;
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
    if (options.onConnection?.(socket, connection) === "hold") return;
    let pending: Buffer = Buffer.alloc(0);
    let onConnection = 0;
    socket.on("data", (chunk: Buffer) => {
      bytesReceived += chunk.length;
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      for (let parsed = parse(pending); parsed; parsed = parse(pending)) {
        pending = pending.subarray(parsed.bytes);
        onConnection += 1;
        const request = { number: requests.length + 1, connection, onConnection, ...parsed.request };
        requests.push(request);
        void current(request)(socket);
      }
    });
  }

  const server = options.tls ? tls.createServer(options.tls, onSocket) : net.createServer(onSocket);
  if (options.tls) {
    // a handshake that fails is the client's to report
    server.on("tlsClientError", () => undefined);
  }
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: options.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    get bytesReceived() {
      return bytesReceived;
    },
    use: (next) => (current = next),
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

type Parsed = { bytes: number; request: Omit<Received, "number" | "connection" | "onConnection"> } | undefined;

/** The first whole request in the bytes. */
function parse(bytes: Buffer): Parsed {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.subarray(0, headEnd).toString("latin1");
  const [requestLine = "", ...lines] = head.split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const bodyStart = headEnd + 4;
  const bodyEnd = bodyStart + Number(headers["content-length"] ?? 0);
  if (bytes.length < bodyEnd) return undefined;
  const [method = "", path = "", version = ""] = requestLine.split(" ");
  const body = bytes.subarray(bodyStart, bodyEnd).toString("utf8");
  return { bytes: bodyEnd, request: { method, path, httpVersion: version.replace("HTTP/", ""), headers, head, body } };
}
