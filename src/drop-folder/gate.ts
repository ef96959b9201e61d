import type { StopSignal } from "../processor.ts";

/** Sending stops for a signal, for good, or for a STOP file, until a person says resume. */
export class Gate implements StopSignal {
  readonly hard: AbortSignal;
  readonly #asked: AbortSignal;
  #stop = new AbortController();

  /** `asked`: what ends it for good. */
  constructor(asked: StopSignal) {
    this.hard = asked.hard;
    this.#asked = asked.soft;
    this.onEnd(() => this.close());
    if (this.isOver) this.close();
  }

  get soft(): AbortSignal {
    return this.#stop.signal;
  }

  get isOver(): boolean {
    return this.#asked.aborted;
  }

  onEnd(then: () => void): void {
    this.#asked.addEventListener("abort", then);
  }

  close(): void {
    this.#stop.abort();
  }

  open(): void {
    if (this.#stop.signal.aborted && !this.isOver) this.#stop = new AbortController();
  }
}
