import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { API_KEY, payloadOf } from "../support/ledger-server.ts";

interface Line {
  /** The narration of its row. */
  readonly marker: string;
  /** What it was or will be answered with. */
  readonly status: number;
  /** By `performance.now()`, when all of it had arrived. */
  readonly at: number;
}

/** A service that several hosts send to, with a ledger of all requests that arrived. */
export class Service {
  readonly lines: Line[] = [];
  /** Requests that waited for their answer at one moment, at most. */
  inFlightMax = 0;
  /** May be changed while it runs. */
  status = 200;
  latencyMs: number;
  readonly #server = createServer();
  #inFlight = 0;

  private constructor(latencyMs: number) {
    this.latencyMs = latencyMs;
  }

  static async start(latencyMs: number): Promise<Service> {
    const service = new Service(latencyMs);
    const server = service.#server;
    server.keepAliveTimeout = 60_000;
    server.on("request", (request, response) => void service.#carryOut(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return service;
  }

  async #carryOut(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const payload = payloadOf(request.url ?? "", Buffer.concat(chunks).toString("utf8"));
    const status = request.headers["x-api-key"] === API_KEY ? this.status : 401;
    this.lines.push({ marker: String(payload["narration"]), status, at: performance.now() });
    this.#inFlight += 1;
    this.inFlightMax = Math.max(this.inFlightMax, this.#inFlight);
    await sleep(this.latencyMs);
    this.#inFlight -= 1;
    response.writeHead(status, { "content-type": "application/json" }).end(`{"status_was":${status}}`);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Rows of which more than one request arrived. */
  get twice(): string[] {
    const seen = new Set<string>();
    return this.lines.map(({ marker }) => marker).filter((marker) => seen.has(marker) || !seen.add(marker));
  }

  has(marker: string): boolean {
    return this.lines.some((line) => line.marker === marker);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
