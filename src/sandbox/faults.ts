import { PaydropError } from "../errors.ts";

/** What the sandbox can do to a request instead of a plain 200. The first six do not carry it out, the others do. */
const FAULTS = [
  /** 422. */
  "refuse",
  /** 429 with `Retry-After: 1`. */
  "rateLimit",
  /** 500, not carried out. */
  "serverErrorBefore",
  /** The connection is reset, not carried out. */
  "resetBefore",
  /** 200 with a web page, as a captive portal does. */
  "html",
  /** 307 to another path. */
  "redirect",
  /** 500 although it was carried out. */
  "serverErrorAfter",
  /** Carried out, then the connection is reset. */
  "resetAfter",
  /** Carried out and never answered. */
  "noAnswer",
  /** 200 whose body comes at one byte per second. */
  "slowBody",
  /** 200 with a body of 1 MiB. */
  "hugeBody",
] as const;

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
export function createFates(seed: number, rates: FaultRates, latencyMs: LatencyRange): (payload: string) => Fate {
  const unknown = Object.keys(rates).find((name) => !(FAULTS as readonly string[]).includes(name));
  if (unknown !== undefined) throw notRight(`there is no fault "${unknown}"`, `there are ${FAULTS.join(", ")}`);
  if (!(latencyMs.min >= 0 && latencyMs.max >= latencyMs.min)) {
    throw notRight("latencyMs is not { min, max } in milliseconds", "give the same number twice for a fixed time");
  }
  const bounds = FAULTS.map((name) => rates[name] ?? 0);
  const total = bounds.reduce((sum, rate) => sum + rate, 0);
  if (bounds.some((rate) => !Number.isFinite(rate) || rate < 0) || total > 1 + 1e-9) {
    throw notRight("fault rates are shares from 0 to 1 and together at most 1", "correct faults");
  }
  const seen = new Map<number, number>();

  return (payload) => {
    const drawsNeeded = total > 0 || latencyMs.max > latencyMs.min;
    const marked = payload.includes("SANDBOX-");
    if (!drawsNeeded && !marked) return { latencyMs: latencyMs.min };

    const hash = fnv1a(payload, seed);
    const times = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, times);
    const latency = latencyMs.min + (latencyMs.max - latencyMs.min) * draw(hash, times, 1);
    const said = marked ? faultSaid(payload, times) : undefined;
    if (said) return { ...said, latencyMs: latency };
    return { fault: total > 0 ? pick(bounds, draw(hash, times, 2)) : undefined, latencyMs: latency };
  };
}

function notRight(message: string, hint: string): PaydropError {
  return new PaydropError("config", message, hint);
}

function pick(bounds: readonly number[], drawn: number): FaultName | undefined {
  let edge = 0;
  for (const [index, rate] of bounds.entries()) {
    edge += rate;
    if (drawn < edge) return FAULTS[index];
  }
  return undefined;
}

const WORDS: Readonly<Record<string, FaultName>> = {
  "429": "rateLimit",
  "500-AFTER": "serverErrorAfter",
  RESET: "resetAfter",
  "RESET-BEFORE": "resetBefore",
  TIMEOUT: "noAnswer",
  HTML: "html",
  REDIRECT: "redirect",
  SLOW: "slowBody",
  HUGE: "hugeBody",
};

/** `SANDBOX-404` is that status, not carried out; `SANDBOX-429` only the first time, so that waiting helps. */
function faultSaid(payload: string, times: number): { fault?: FaultName; status?: number } | undefined {
  const word = /SANDBOX-([A-Z0-9]+(?:-(?:AFTER|BEFORE))?)/.exec(payload)?.[1] ?? "";
  if (word === "429" && times > 1) return {};
  const fault = WORDS[word];
  if (fault) return { fault };
  return /^[45]\d\d$/.test(word) ? { status: Number(word) } : undefined;
}

/** FNV-1a, 32 bits. */
function fnv1a(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** A number from 0 to 1 that depends on nothing but its arguments (the finalizer of MurmurHash3). */
function draw(hash: number, times: number, purpose: number): number {
  let mixed = hash ^ Math.imul(times, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
