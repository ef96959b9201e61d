import type { Padding } from "../client/envelope.ts";
import { unknownOption } from "../config/nearest.ts";
import { SETTINGS } from "../config/settings.ts";
import { PaydropError } from "../errors.ts";
import type { FaultRates, LatencyRange } from "./faults.ts";

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
  /**
   * `{ resetAfter: 0.01, refuse: 0.02 }`: shares of the requests. None unless said, except where a row asks for one:
   * `SANDBOX-422`.
   */
  readonly faults?: FaultRates;
  /** Time before each answer, `{ min, max }` in milliseconds; none unless said. */
  readonly latencyMs?: LatencyRange;
  /** Every request carried out is on stable storage here, one JSON line, before it is answered. */
  readonly ledgerFile?: string;
  /** Entries kept in memory for `ledger()`; 10,000 unless said. */
  readonly ledgerEntriesMax?: number;
}

type Kind =
  "a whole number" | "a port from 0 to 65535" | "a text" | "a padding such as pkcs7" | "an object" | "{ min, max }";

const IS: Readonly<Record<Kind, (given: unknown) => boolean>> = {
  "a whole number": (given) => Number.isSafeInteger(given),
  "a port from 0 to 65535": (given) => Number.isSafeInteger(given) && Number(given) >= 0 && Number(given) <= 65_535,
  "a padding such as pkcs7": (given) => SETTINGS.padding.read.schema.enum?.includes(String(given)) === true,
  "a text": (given) => typeof given === "string" && given !== "",
  "an object": (given) => typeof given === "object" && given !== null,
  // a number passes here: `createFates` says how it should be given
  "{ min, max }": (given) => given !== null,
};

/** Every option once more, so that a misspelt one is seen: a test that asks for faults must not pass without any. */
const OPTIONS: Readonly<Record<keyof SandboxOptions, Kind>> = {
  port: "a port from 0 to 65535",
  host: "a text",
  apiKey: "a text",
  aesKey: "a text",
  aesIv: "a text",
  padding: "a padding such as pkcs7",
  seed: "a whole number",
  faults: "an object",
  latencyMs: "{ min, max }",
  ledgerFile: "a text",
  ledgerEntriesMax: "a whole number",
};

/** Throws `config` for an option that does not exist, or is of another kind than its type says. */
export function assertSandboxOptions(options: SandboxOptions): void {
  if (typeof options !== "object" || (options as unknown) === null || Array.isArray(options)) {
    throw new PaydropError("config", "startSandbox: the options are no object", "give them as { port: 0 }, or none");
  }
  for (const [name, given] of Object.entries(options) as [string, unknown][]) {
    if (!Object.hasOwn(OPTIONS, name)) throw unknownOption(name, Object.keys(OPTIONS));
    const kind = OPTIONS[name as keyof SandboxOptions];
    if (given === undefined || IS[kind](given)) continue;
    throw new PaydropError("config", `${name} is not ${kind}`, "correct the option");
  }
}
