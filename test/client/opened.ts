import { once } from "node:events";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import type { Answer } from "../../src/client/answer.ts";
import { createTransport, type Transport, type TransportOptions } from "../../src/client/transport.ts";
import { Secret } from "../../src/config/secret.ts";
import * as wire from "../support/fault-server.ts";
import type { FaultServerOptions, Script } from "../support/fault-server.ts";

export const KEY = "pk_test_4f9a-not-for-logs";
export const PATH = "/v1/banking/transfer";
export const BODY = '{"amount":100.50}';

export const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export function open(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({
    baseUrl,
    apiKey: new Secret(KEY),
    concurrency: 4,
    timeoutMs: 3_000,
    connectTimeoutMs: 500,
    reuseConnections: true,
    ...options,
  });
  cleanups.push(() => transport.close());
  return transport;
}

export async function serve(script: Script, options: FaultServerOptions = {}) {
  const server = await wire.startFaultServer(script, options);
  cleanups.push(() => server.close());
  return server;
}

export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export function detailOf(answer: Answer): string {
  return answer.kind === "answered" ? "" : answer.detail;
}

export function catchError(act: () => unknown): Error {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof Error) return thrown;
  }
  throw new Error("nothing was thrown");
}
