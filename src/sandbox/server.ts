// kept in the declarations: since TypeScript 6 a project that names no types has none of Node's
/// <reference types="node" preserve="true" />
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpener } from "../client/envelope.ts";
import { readAesIv, readAesKey } from "../client/keys.ts";
import { createFates } from "./faults.ts";
import { openLedger, type Ledger } from "./ledger.ts";
import { assertSandboxOptions, type SandboxOptions } from "./options.ts";
import { digest, serve, type Service } from "./serve.ts";

export type { FaultName, FaultRates, LatencyRange } from "./faults.ts";
export type { Ledger, LedgerEntry } from "./ledger.ts";
export type { SandboxOptions } from "./options.ts";

/** Well known on purpose: they open nothing but the sandbox. */
export const SANDBOX_API_KEY = "sandbox-api-key-no-secret";
export const SANDBOX_AES_KEY = "73616e64626f782d6165732d6b65792d6e6f742d612d7365637265742d303031";
export const SANDBOX_AES_IV = "73616e64626f782d69762d3030303031";

/** A sandbox that answers until `close`. */
export interface Sandbox {
  readonly host: string;
  /** The port that was taken, where `port: 0` asked for a free one. */
  readonly port: number;
  /** The base URL. */
  readonly url: string;
  readonly apiKey: string;
  readonly aesKey: string;
  readonly aesIv: string;
  /** What it carried out, also at `GET /sandbox/ledger`. */
  ledger(): Ledger;
  /** Takes no more requests and cuts those in flight; resolves when the port is free again. */
  close(): Promise<void>;
}

/**
 * A server with the four endpoints of §4, for trying and testing; nothing in it moves money. Where §4 to §8 are silent
 * its answers are its own. Rejects with PaydropError `config` for an option that cannot be right, with the system's
 * error when the port is taken (`EADDRINUSE`).
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  assertSandboxOptions(options);
  const { host = "127.0.0.1", apiKey = SANDBOX_API_KEY, aesKey = SANDBOX_AES_KEY, aesIv = SANDBOX_AES_IV } = options;
  const open = createOpener({
    key: readAesKey(aesKey, "auto", "aesKey"),
    iv: readAesIv(aesIv, "auto", "aesIv"),
    ...(options.padding === undefined ? {} : { padding: options.padding }),
  });
  const fateOf = createFates(options.seed ?? 1, options.faults ?? {}, options.latencyMs ?? { min: 0, max: 0 });
  const ledger = openLedger(options.ledgerEntriesMax ?? 10_000, options.ledgerFile);
  const service: Service = { open, fateOf, ledger, keyDigest: digest(apiKey), isClosed: false };
  const server = createServer((request, response) => serve(service, request, response));
  server.listen(options.port ?? 7900, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    host,
    port,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    apiKey,
    aesKey,
    aesIv,
    ledger: () => ledger.read(),
    async close() {
      if (service.isClosed) return;
      service.isClosed = true;
      const ended = once(server, "close");
      server.close();
      server.closeAllConnections();
      await ended;
      ledger.close();
    },
  };
}
