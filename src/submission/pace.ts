import { setTimeout as sleep } from "node:timers/promises";

/** When the next request may start: at most `rate` per second, and not before a wait that holds for all batches. */
export class Pace {
  readonly #intervalMs: number;
  #nextAt = 0;
  #notBefore = 0;
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
  waitMs(ms: number): void {
    this.#notBefore = Math.max(this.#notBefore, performance.now() + ms);
  }

  /** Resolves when a request may start, or at once when `signal` says that none will. */
  async turn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = performance.now();
      const at = Math.max(this.#nextAt, this.#notBefore);
      if (at <= now) {
        this.#nextAt = now + this.#intervalMs;
        return;
      }
      await sleep(at - now, undefined, { signal }).catch(() => undefined);
    }
  }
}

/**
 * Counts how often one row was told to wait (429) while the service took no other row either. With more lanes than the
 * service lets through at a time, a row may lose again and again while others go: that is no reason to give it up.
 */
export class TurnedAway {
  readonly #pace: Pace;
  #takenBefore: number;
  #times = 0;

  constructor(pace: Pace) {
    this.#pace = pace;
    this.#takenBefore = pace.taken;
  }

  onceMore(): number {
    const { taken } = this.#pace;
    this.#times = taken === this.#takenBefore ? this.#times + 1 : 1;
    this.#takenBefore = taken;
    return this.#times;
  }
}
