// kept in the declarations: a project that names no types has none of Node since TypeScript 6
/// <reference types="node" preserve="true" />
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpener, type Padding } from "../client/envelope.ts";
import { readAesIv, readAesKey } from "../client/keys.ts";
import { unknownOption } from "../config/nearest.ts";
import { createFates, type FaultRates, type LatencyRange } from "./faults.ts";
import { openLedger, type Ledger } from "./ledger.ts";
import { digest, serve, type Service } from "./serve.ts";

export type { FaultName, FaultRates, LatencyRange } from "./faults.ts";
export type { Ledger, LedgerEntry } from "./ledger.ts";

/** Well known on purpose: they open nothing but the sandbox. */
export const SANDBOX_API_KEY = "sandbox-api-key-no-secret";
export const SANDBOX_AES_KEY = "73616e64626f782d6165732d6b65792d6e6f742d612d7365637265742d303031";
export const SANDBOX_AES_IV = "73616e64626f782d69762d3030303031";

/** How a sandbox is started, and what it does wrong on purpose. */
export interface SandboxOptions {
  /** 7900 unless said; 0 takes a free one. */
  readonly port?: number;
  /** 127.0.0.1 unless said. */
  readonly host?: string;
  /** The key that requests must bring; `SANDBOX_API_KEY` unless said. */
  readonly apiKey?: string;
  /** Hex, base64 or text, as `PAYDROP_AES_KEY`; `SANDBOX_AES_KEY` unless said. */
  readonly aesKey?: string;
  /** In the same way; `SANDBOX_AES_IV` unless said. */
  readonly aesIv?: string;
  /** `pkcs7` unless said. */
  readonly padding?: Padding;
  /** The same seed and payloads meet the same faults. */
  readonly seed?: number;
  /** `{ resetAfter: 0.01, refuse: 0.02 }`: shares of the requests. None unless said, but what a row asks for: `SANDBOX-422`. */
  readonly faults?: FaultRates;
  /** Time before each answer, `{ min, max }` in milliseconds; none unless said. */
  readonly latencyMs?: LatencyRange;
  /** Every request carried out is on stable storage here, one JSON line, before it is answered. */
  readonly ledgerFile?: string;
  /** Entries kept in memory for `ledger()`; 10,000 unless said. */
  readonly ledgerEntriesMax?: number;
}

/** A sandbox that answers until `close`. */
export interface Sandbox {
  readonly host: string;
  /** The one that was taken, where `port: 0` asked for a free one. */
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
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) throw unknownOption(unknown, Object.keys(OPTIONS));
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

/** Named once more, so that a misspelt one is seen: a test that asks for faults must not pass without any. */
const OPTIONS: Readonly<Record<keyof SandboxOptions, true>> = {
  ...{ port: true, host: true, apiKey: true, aesKey: true, aesIv: true, padding: true },
  ...{ seed: true, faults: true, latencyMs: true, ledgerFile: true, ledgerEntriesMax: true },
};
