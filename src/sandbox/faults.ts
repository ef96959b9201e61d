import { createHash } from "node:crypto";

/**
 * What the sandbox can do to a request instead of a plain 200, without carrying it out: 422; 429 with `Retry-After: 1`;
 * 500; a reset; 200 with a web page, as a captive portal does; 307 to another path.
 */
const NOT_CARRIED_OUT = ["refuse", "rateLimit", "serverErrorBefore", "resetBefore", "html", "redirect"] as const;
/** And after carrying it out: 500; a reset; no answer; a body at one byte per second; a body of 1 MiB. */
const CARRIED_OUT = ["serverErrorAfter", "resetAfter", "noAnswer", "slowBody", "hugeBody"] as const;
export const FAULTS = [...NOT_CARRIED_OUT, ...CARRIED_OUT] as const;

/** What can go wrong with a request, by name. */
export type FaultName = (typeof FAULTS)[number];

/** Share of the requests that meet each fault, 0 to 1, together at most 1. */
export type FaultRates = Readonly<Partial<Record<FaultName, number>>>;

/** Milliseconds. */
export interface LatencyRange {
  readonly min: number;
  readonly max: number;
}

/** One request's fate: a fault, a plain status that refuses, or nothing; and how long it takes. */
export interface Fate {
  readonly fault?: FaultName | undefined;
  readonly status?: number | undefined;
  readonly latencyMs: number;
}

/**
 * Decides by seed, payload and how often that payload has come, so that the same file meets the same faults in whatever
 * order its rows arrive. A word in the payload (`SANDBOX-422`, `SANDBOX-TIMEOUT`, …) goes before the rates.
 */
export function createFates(seed: number, rates: FaultRates, { min, max }: LatencyRange): (payload: string) => Fate {
  const seen = new Map<string, number>();
  return (payload) => {
    const isMarked = payload.includes("SANDBOX-");
    if (Object.keys(rates).length === 0 && max === min && !isMarked) return { latencyMs: min };
    const times = (seen.get(payload) ?? 0) + 1;
    seen.set(payload, times);
    const drawn = createHash("sha256").update(`${seed} ${times} ${payload}`).digest();
    // two numbers from 0 to 1 that depend on nothing else
    const [forLatency, forFault] = [drawn.readUInt32BE(0) / 2 ** 32, drawn.readUInt32BE(4) / 2 ** 32];
    let edge = 0;
    const fault = FAULTS.find((name) => forFault < (edge += rates[name] ?? 0));
    const said = isMarked ? faultSaid(payload, times) : undefined;
    return { ...(said ?? { fault }), latencyMs: min + (max - min) * forLatency };
  };
}

const WORDS: Readonly<Record<string, FaultName>> = {
  ...{ "429": "rateLimit", "500-AFTER": "serverErrorAfter", RESET: "resetAfter", "RESET-BEFORE": "resetBefore" },
  ...{ TIMEOUT: "noAnswer", HTML: "html", REDIRECT: "redirect", SLOW: "slowBody", HUGE: "hugeBody" },
};

/** `SANDBOX-404` is that status, not carried out; `SANDBOX-429` only the first time, so that waiting helps. */
function faultSaid(payload: string, times: number): { fault?: FaultName; status?: number } | undefined {
  const word = /SANDBOX-([A-Z0-9]+(?:-(?:AFTER|BEFORE))?)/.exec(payload)?.[1] ?? "";
  if (word === "429" && times > 1) return {};
  const fault = WORDS[word];
  if (fault) return { fault };
  return /^[45]\d\d$/.test(word) ? { status: Number(word) } : undefined;
}
