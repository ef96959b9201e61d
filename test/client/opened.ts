import { once } from "node:events";
import { writeFileSync } from "node:fs";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Answer } from "../../src/client/answer.ts";
import { createTransport, type Transport, type TransportOptions } from "../../src/client/transport.ts";
import { Secret } from "../../src/config/secret.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

export const KEY = "pk_test_4f9a-not-for-logs";
export const PATH = "/v1/banking/transfer";
export const BODY = '{"amount":100.50}';

/** PEM texts in place of paths. */
interface Opened extends Partial<TransportOptions> {
  readonly ca?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
}

export function open(base_url: string, { ca, clientCert, clientKey, ...options }: Opened = {}): Transport {
  const folder = temporaryDirectory();
  const files = Object.entries({ ca_file: ca, client_cert_file: clientCert, client_key_file: clientKey });
  const pems = files.flatMap(([name, text]) => {
    if (text !== undefined) writeFileSync(join(folder, name), text);
    return text === undefined ? [] : [[name, join(folder, name)]];
  });
  const transport = createTransport({
    base_url,
    apiKey: new Secret(KEY),
    concurrency: 4,
    timeout: 3_000,
    connect_timeout: 500,
    reuse_connections: true,
    ...options,
    ...(Object.fromEntries(pems) as object),
  });
  onTestFinished(() => transport.close());
  return transport;
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
