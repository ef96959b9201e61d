import type { StopSignal } from "../processor.ts";
import { STOPS } from "../submission/stop-rules.ts";

/** Sending stops for a signal, for good, or for a STOP file, until a person says resume. */
export class Gate implements StopSignal {
  readonly hard: AbortSignal;
  readonly #asked: AbortSignal;
  #stop = new AbortController();

  /** `asked`: what ends it for good. */
  constructor(asked: StopSignal) {
    this.hard = asked.hard;
    this.#asked = asked.soft;
    this.onEnd(() => this.#end());
    if (this.isOver) this.#end();
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

  /** A STOP file was found. */
  close(): void {
    this.#stop.abort(STOPS.stop_file);
  }

  /** Something else of the run failed, and nobody asked this to stop. */
  closeForFailure(): void {
    this.#stop.abort(STOPS.work_failed);
  }

  open(): void {
    if (this.#stop.signal.aborted && !this.isOver) this.#stop = new AbortController();
  }

  #end(): void {
    this.#stop.abort(this.#asked.reason);
  }
}
