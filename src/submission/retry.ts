import { httpDateMs } from "./http-date.ts";

/** How long rows that are proven unsent, or were refused for rate, are tried again (DESIGN §8). */
export interface RetryLimits {
  /** How long a service that cannot be reached is tried before rows are given up, in milliseconds. */
  readonly unreachableMs: number;
  /** How many 429s one row may meet while the service takes no row in between. */
  readonly rateLimitedMax: number;
  /** The longest wait that a `Retry-After` may ask for; a longer one is cut to it. */
  readonly retryAfterMaxMs: number;
}

/** `unreachableMs` is not among them: it is a setting. */
export const RETRY_LIMITS: Omit<RetryLimits, "unreachableMs"> = { rateLimitedMax: 5, retryAfterMaxMs: 300_000 };

const UNREACHABLE_BASE_MS = 250;
const UNREACHABLE_CAP_MS = 5_000;
const RATE_LIMITED_BASE_MS = 1_000;

/** Full jitter: anything up to a bound that doubles (AWS Architecture Blog, "Exponential backoff and jitter"). */
export function backoffMs(tries: number, baseMs: number, capMs: number, random: () => number): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** tries));
}

/**
 * Counts the failures of a run, and says how long to wait before the next attempt, or that rows are to be given up. All
 * rows wait so long, not only the one that failed.
 */
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

  /** A wait in milliseconds; undefined when the service could not be reached for `unreachableMs`. */
  unreachable(): number | undefined {
    this.#unreachableSince ??= this.#now();
    if (this.#now() - this.#unreachableSince >= this.#limits.unreachableMs) return undefined;
    this.#unreachableTries += 1;
    return backoffMs(this.#unreachableTries, UNREACHABLE_BASE_MS, UNREACHABLE_CAP_MS, this.#random);
  }

  /** Notes that the service was reached: the time without it is counted anew. */
  reached(): void {
    this.#unreachableSince = undefined;
    this.#unreachableTries = 0;
  }

  /**
   * A wait in milliseconds; undefined when the row is to be given up. `times`: how often it was refused for rate since
   * any row was taken, this refusal included.
   */
  rateLimited(times: number, retryAfter: string | undefined): number | undefined {
    if (times > this.#limits.rateLimitedMax) return undefined;
    const told = retryAfter === undefined ? undefined : retryAfterMs(retryAfter);
    if (told !== undefined) return Math.min(told, this.#limits.retryAfterMaxMs);
    const leastMs = (RATE_LIMITED_BASE_MS / 2) * 2 ** (times - 1);
    return leastMs + Math.round(this.#random() * leastMs);
  }
}

/** Milliseconds from seconds or an HTTP date (RFC 9110 §10.2.3); undefined for anything else. */
function retryAfterMs(text: string): number | undefined {
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const nowMs = Date.now();
  const date = httpDateMs(text, nowMs);
  return date === undefined ? undefined : Math.max(0, date - nowMs);
}
