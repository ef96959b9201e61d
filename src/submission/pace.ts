/** When the next request may start: at most `rate` per second, and not before a wait that holds for all batches. */
export class Pace {
  readonly #intervalMs: number;
  #nextAt = 0;
  #heldUntil = 0;
  #taken = 0;

  /** `rate`: requests per second; undefined for no limit. */
  constructor(rate: number | undefined) {
    this.#intervalMs = rate === undefined ? 0 : 1000 / rate;
  }

  /** Number of rows, of all batches, that the service accepted or refused for their own sake, and did not turn away. */
  get taken(): number {
    return this.#taken;
  }

  took(): void {
    this.#taken += 1;
  }

  /** From now on no request starts for so many milliseconds. */
  wait(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, performance.now() + ms);
  }

  /** Milliseconds until a request may start; `isCounted`: one that `start` has counted already. */
  delayMs(isCounted = false): number {
    const at = isCounted ? this.#heldUntil : Math.max(this.#nextAt, this.#heldUntil);
    return at === 0 ? 0 : Math.max(0, at - performance.now());
  }

  /** Counts a request that starts now; false: none may. */
  start(): boolean {
    if (this.delayMs() > 0) return false;
    if (this.#intervalMs > 0) this.#nextAt = Math.max(this.#nextAt, performance.now()) + this.#intervalMs;
    return true;
  }
}

/** Starts are reserved for so much of a second at a time. */
const LOT_OF_SECOND = 10;
const ASKED_AGAIN_MS = 5;

/** The rate of a destination over all hosts: each reserves its starts where they all do. */
export class SharedPace extends Pace {
  readonly #rate: number;
  readonly #reserve: (starts: number) => Promise<number>;
  /** When requests may start, by `performance.now()`. */
  readonly #starts: number[] = [];
  #isAsking = false;

  /** `reserve`: takes so many starts; milliseconds until the first one. */
  constructor(rate: number, reserve: (starts: number) => Promise<number>) {
    super(undefined);
    this.#rate = rate;
    this.#reserve = reserve;
  }

  override delayMs(isCounted = false): number {
    const held = super.delayMs(isCounted);
    if (isCounted) return held;
    const [at] = this.#starts;
    if (at === undefined) void this.#ask();
    return Math.max(held, at === undefined ? ASKED_AGAIN_MS : at - performance.now());
  }

  override start(): boolean {
    if (this.delayMs() > 0) return false;
    this.#starts.shift();
    return true;
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const lot = Math.ceil(this.#rate / LOT_OF_SECOND);
    try {
      const first = performance.now() + (await this.#reserve(lot));
      for (let at = 0; at < lot; at += 1) this.#starts.push(first + (at * 1000) / this.#rate);
    } catch {
      // whoever waits asks again; a journal that fails is told by its commits
    }
    this.#isAsking = false;
  }
}

/** A service that cannot be reached is tried for so long before rows are given up. */
const UNREACHABLE_MS = 30_000;
const UNREACHABLE_BASE_MS = 250;
const UNREACHABLE_CAP_MS = 5_000;
/** So many 429s one row may meet while the service takes no row in between. */
const RATE_LIMITED_MAX = 5;
const RATE_LIMITED_BASE_MS = 1_000;
/** A longer `Retry-After` is cut to it. */
const RETRY_AFTER_MAX_MS = 300_000;

/**
 * Counts the failures of a run, and says how long to wait before the next try, or that rows are to be given up (README
 * §8). All rows wait so long, not only the one that failed.
 */
export class Retries {
  readonly #pace: Pick<Pace, "taken">;
  readonly #random: () => number;
  /** How often a row was turned away (429) since the service took any row, and how many it had taken then. */
  readonly #turnedAway = new Map<number, { readonly times: number; readonly taken: number }>();
  #unreachableSince: number | undefined;
  #unreachableTries = 0;

  /** `random`: from 0 to 1. */
  constructor(pace: Pick<Pace, "taken">, random: () => number = Math.random) {
    this.#pace = pace;
    this.#random = random;
  }

  /** Notes that the service was reached: the time without it is counted anew. */
  reached(): void {
    this.#unreachableSince = undefined;
    this.#unreachableTries = 0;
  }

  /** The row does not go again. */
  ended(row: number): void {
    this.#turnedAway.delete(row);
  }

  /** After one more try of a row: milliseconds until it goes again; undefined when it is to be given up. */
  waitMs(row: number, why: "backoff" | "as_told", retryAfter: string | undefined): number | undefined {
    if (why === "backoff") return this.#unreachable();
    const { taken } = this.#pace;
    const before = this.#turnedAway.get(row);
    // with more lanes than the service lets through, a row may lose while others go: no reason to give it up
    const times = before?.taken === taken ? before.times + 1 : 1;
    this.#turnedAway.set(row, { times, taken });
    return times > RATE_LIMITED_MAX ? undefined : this.#rateLimited(times, retryAfter);
  }

  /** Anything up to a bound that doubles ("full jitter"); undefined when it has been away for too long. */
  #unreachable(): number | undefined {
    const now = performance.now();
    this.#unreachableSince ??= now;
    if (now - this.#unreachableSince >= UNREACHABLE_MS) return undefined;
    this.#unreachableTries += 1;
    const bound = Math.min(UNREACHABLE_CAP_MS, UNREACHABLE_BASE_MS * 2 ** this.#unreachableTries);
    return Math.round(this.#random() * bound);
  }

  #rateLimited(times: number, retryAfter = ""): number {
    const told = retryAfterMs(retryAfter.trim());
    if (told !== undefined) return Math.min(told, RETRY_AFTER_MAX_MS);
    const leastMs = (RATE_LIMITED_BASE_MS / 2) * 2 ** (times - 1);
    return leastMs + Math.round(this.#random() * leastMs);
  }
}

/** Milliseconds from seconds or an HTTP date (RFC 9110 §10.2.3); undefined for anything else. */
function retryAfterMs(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = new Date(text);
  // `Date` takes almost any text; the form that services write today comes out as it went in
  return date.toUTCString() === text ? Math.max(0, date.getTime() - Date.now()) : undefined;
}
