import { Places } from "../places.ts";
import type { Exchange } from "./exchange.ts";

/** The requests that have not ended yet, one clock for all of them, and one listener for each signal of theirs. */
export class UnderWay {
  readonly #exchanges = new Places<Exchange>();
  /** Only signals of requests under way: a caller may have one for each call, or one that outlives many transports. */
  readonly #signals = new Map<AbortSignal, { requests: number; readonly abortAll: () => void }>();
  #clock: NodeJS.Timeout | undefined;
  #lookedAtMs = 0;
  readonly #waiters: (() => void)[] = [];

  /** Gives the place to remove it from. */
  add(exchange: Exchange): number {
    if (!this.#clock) {
      this.#lookedAtMs = performance.now();
      this.#clock = setInterval(() => this.#expire(), CLOCK_MS);
    }
    if (exchange.signal) this.#listenTo(exchange.signal);
    return this.#exchanges.put(exchange);
  }

  remove(place: number): void {
    const signal = this.#exchanges.take(place)?.signal;
    if (signal) this.#leave(signal);
    if (this.#exchanges.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
    for (const nothingLeft of this.#waiters.splice(0)) nothingLeft();
  }

  async ended(): Promise<void> {
    if (this.#exchanges.size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #listenTo(signal: AbortSignal): void {
    const known = this.#signals.get(signal);
    if (known) {
      known.requests++;
      return;
    }
    const abortAll = (): void => {
      for (const exchange of this.#exchanges) if (exchange.signal === signal) exchange.abort();
    };
    signal.addEventListener("abort", abortAll, { once: true });
    this.#signals.set(signal, { requests: 1, abortAll });
  }

  #leave(signal: AbortSignal): void {
    const known = this.#signals.get(signal);
    if (!known || --known.requests > 0) return;
    signal.removeEventListener("abort", known.abortAll);
    this.#signals.delete(signal);
  }

  #expire(): void {
    const nowMs = performance.now();
    const stoodStill = nowMs - this.#lookedAtMs > STANDSTILL_MS;
    this.#lookedAtMs = nowMs;
    for (const exchange of this.#exchanges) {
      if (stoodStill) exchange.extendTo(nowMs + AFTER_STANDSTILL_MS);
      exchange.expireAt(nowMs);
    }
  }
}

/** A request may end by so much later than its timeout says; it is small against any timeout that makes sense. */
const CLOCK_MS = 20;
/** So long a standstill (process stopped, container frozen, machine paused) leaves answers that are not read yet. */
const STANDSTILL_MS = 1_000;
const AFTER_STANDSTILL_MS = 5_000;
