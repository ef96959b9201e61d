// kept in the declarations: since TypeScript 6 a project that names no types has none of Node's
/// <reference types="node" preserve="true" />
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import * as z from "zod/mini";
import { createOpener, readAesIv, readAesKey, type Padding } from "../client/envelope.ts";
import { SETTINGS } from "../config/schema.ts";
import { PaydropError } from "../errors.ts";
import { createFates, FAULTS, ledgerOf, serve } from "./serve.ts";
import type { FaultRates, LatencyRange, Ledger, Service } from "./serve.ts";

export type { FaultName, FaultRates, LatencyRange, Ledger, LedgerEntry } from "./serve.ts";

/** Well known on purpose: they open nothing but the sandbox. */
export const SANDBOX_API_KEY = "sandbox-api-key-no-secret";
export const SANDBOX_AES_KEY = "73616e64626f782d6165732d6b65792d6e6f742d612d7365637265742d303031";
export const SANDBOX_AES_IV = "73616e64626f782d69762d3030303031";

/** How a sandbox is started, and what it does wrong on purpose. */
export interface SandboxOptions {
  /** On 127.0.0.1; 7900 unless said, 0 takes a free one. */
  readonly port?: number | undefined;
  /** The key that requests must bring; `SANDBOX_API_KEY` unless said. */
  readonly apiKey?: string;
  /** `pkcs7` unless said. */
  readonly padding?: Padding;
  /** The same seed and payloads meet the same faults. */
  readonly seed?: number;
  /** `{ resetAfter: 0.01 }`: shares of the requests. None unless said, but where a row asks for one: `SANDBOX-422`. */
  readonly faults?: FaultRates;
  /** Time before each answer, `{ min, max }` in milliseconds; none unless said. */
  readonly latencyMs?: LatencyRange;
}

/** A sandbox that answers until `close`. */
export interface Sandbox {
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

// an import asks for all that it exports, and so loads all of Node's own fetch
const { createServer } = process.getBuiltinModule("node:http");

const SHARES = `shares from 0 to 1, together at most 1, of ${FAULTS.join(", ")}`;
const share = z.number(SHARES).check(z.minimum(0, SHARES));
const isShare = (rates: FaultRates): boolean => Object.values(rates).reduce((sum, rate) => sum + rate, 0) <= 1 + 1e-9;
const RANGE = "{ min, max } in milliseconds";
const range = z.object({ min: z.number(RANGE).check(z.minimum(0, RANGE)), max: z.number(RANGE) }, RANGE);
const whole = (max: number, right: string) => z.int(right).check(z.minimum(0, right), z.maximum(max, right));

/** A misspelt option is refused: a test that asks for faults must not pass without any. */
const OPTIONS = z.strictObject(
  {
    port: z._default(whole(65_535, "from 0 to 65535"), 7900),
    apiKey: z._default(z.string("a text").check(z.minLength(1, "a text")), SANDBOX_API_KEY),
    padding: SETTINGS.shape.padding,
    seed: z._default(whole(2 ** 31, "a whole number"), 1),
    faults: z._default(z.partialRecord(z.enum(FAULTS), share, SHARES).check(z.refine(isShare, SHARES)), {}),
    latencyMs: z._default(range.check(z.refine(({ min, max }) => max >= min, RANGE)), { min: 0, max: 0 }),
  },
  "an option: port, apiKey, padding, seed, faults, latencyMs",
);

/**
 * A server with the endpoints of §4, for trying and testing; nothing in it moves money. Where §4 to §8 are silent its
 * answers are its own. Rejects with PaydropError `config` for an option that cannot be right, with the system's error
 * when the port is taken (`EADDRINUSE`).
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port: wanted, apiKey, padding, seed, faults, latencyMs } = readOptions(options);
  const keys = { apiKey, aesKey: SANDBOX_AES_KEY, aesIv: SANDBOX_AES_IV };
  const service: Service = {
    ...{ apiKey, entries: [], requests: 0, isClosed: false },
    open: createOpener({ key: readAesKey(keys.aesKey), iv: readAesIv(keys.aesIv), padding }),
    fateOf: createFates(seed, faults, latencyMs),
  };
  // who hangs up in the middle of a request gets no answer
  const server = createServer((request, response) => void serve(service, request, response).catch(() => undefined));
  server.listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    ...{ port, url: `http://127.0.0.1:${port}`, ...keys, ledger: () => ledgerOf(service) },
    async close() {
      if (service.isClosed) return;
      service.isClosed = true;
      const ended = once(server, "close");
      server.close();
      server.closeAllConnections();
      await ended;
    },
  };
}

function readOptions(options: SandboxOptions): z.output<typeof OPTIONS> {
  const { success, data, error } = OPTIONS.safeParse(options);
  if (success) return data;
  const [issue] = error.issues;
  const isUnknown = issue?.code === "unrecognized_keys";
  const option = isUnknown ? issue.keys[0] : issue?.path[0];
  const right = isUnknown && issue.path[0] === "faults" ? `a fault: ${FAULTS.join(", ")}` : issue?.message;
  throw new PaydropError("option_wrong", { option: String(option ?? "this"), right });
}
