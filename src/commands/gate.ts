import type { StopSignal } from "../stop-signal.ts";
import type { Listening } from "./signals.ts";

/** Sending stops for a signal, for good, or for a STOP file, until a person says resume. */
export class Gate implements StopSignal {
  readonly hard: AbortSignal;
  readonly #listening: Listening;
  #stop = new AbortController();

  constructor(listening: Listening) {
    this.#listening = listening;
    this.hard = listening.signal.hard;
    listening.signal.soft.addEventListener("abort", () => this.close());
  }

  get soft(): AbortSignal {
    return this.#stop.signal;
  }

  get isOver(): boolean {
    return this.#listening.stopping;
  }

  onEnd(then: () => void): void {
    this.#listening.signal.soft.addEventListener("abort", then);
  }

  close(): void {
    this.#stop.abort();
  }

  open(): void {
    if (this.#stop.signal.aborted && !this.isOver) this.#stop = new AbortController();
  }
}
