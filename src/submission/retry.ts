import { httpDateMs } from "./http-date.ts";

/** When a row that is proven unsent, or was refused for rate, goes again (DESIGN §8): the whole run waits, not one row. */
export interface RetryLimits {
  /** How long a service that cannot be reached is tried before rows are given up. */
  readonly unreachableMs: number;
  /** 429s of one row, without any row that was taken in between. */
  readonly rateLimitedMax: number;
  /** Cap of `Retry-After`. */
  readonly retryAfterMaxMs: number;
}

/** But for `unreachableMs`, which is a setting. */
export const RETRY_LIMITS: Omit<RetryLimits, "unreachableMs"> = { rateLimitedMax: 5, retryAfterMaxMs: 300_000 };

const UNREACHABLE_BASE_MS = 250;
const UNREACHABLE_CAP_MS = 5_000;
const RATE_LIMITED_BASE_MS = 1_000;

/** Full jitter: anywhere between nothing and a bound that doubles (AWS Architecture Blog, "Exponential backoff and jitter"). */
export function backoffMs(tries: number, baseMs: number, capMs: number, random: () => number): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** tries));
}

/** Counts over a run what it has been through, and says how long to wait before the next attempt, or that it is enough. */
export class Retries {
  readonly #limits: RetryLimits;
  readonly #now: () => number;
  readonly #random: () => number;
  #unreachableSince: number | undefined;
  #unreachableTries = 0;

  constructor(limits: RetryLimits, now: () => number, random: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#random = random;
  }

  /** A wait in milliseconds, or undefined when the run's patience with this spell is used up. */
  unreachable(): number | undefined {
    this.#unreachableSince ??= this.#now();
    if (this.#now() - this.#unreachableSince >= this.#limits.unreachableMs) return undefined;
    this.#unreachableTries += 1;
    return backoffMs(this.#unreachableTries, UNREACHABLE_BASE_MS, UNREACHABLE_CAP_MS, this.#random);
  }

  /** The service was reached: the next spell starts anew. */
  reached(): void {
    this.#unreachableSince = undefined;
    this.#unreachableTries = 0;
  }

  /** `times`: how often this row was refused for rate since any row was taken, this one included. */
  rateLimited(times: number, retryAfter: string | undefined): number | undefined {
    if (times > this.#limits.rateLimitedMax) return undefined;
    const told = retryAfter === undefined ? undefined : retryAfterMs(retryAfter);
    if (told !== undefined) return Math.min(told, this.#limits.retryAfterMaxMs);
    const leastMs = (RATE_LIMITED_BASE_MS / 2) * 2 ** (times - 1);
    return leastMs + Math.round(this.#random() * leastMs);
  }
}

/** Seconds or an HTTP date (RFC 9110 §10.2.3); undefined for anything else. */
function retryAfterMs(text: string): number | undefined {
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const nowMs = Date.now();
  const date = httpDateMs(text, nowMs);
  return date === undefined ? undefined : Math.max(0, date - nowMs);
}
