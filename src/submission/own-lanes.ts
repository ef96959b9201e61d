import type { LimitFunction } from "p-limit";

/** The lanes that all batches of a process share, and how many rows of this batch are in them. */
export class OwnLanes {
  readonly #lanes: LimitFunction;
  #inFlight = 0;
  #nothingInFlight: (() => void) | undefined;

  constructor(lanes: LimitFunction) {
    this.#lanes = lanes;
  }

  /** Resolves when `send` has got a free lane, not when it is done. `send` must never reject. */
  start(send: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      void this.#lanes(() => {
        const ended = this.#lane(send);
        resolve();
        return ended;
      });
    });
  }

  /** Resolves when no row of this batch is on its way. */
  async ended(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#nothingInFlight = resolve));
  }

  async #lane(send: () => Promise<void>): Promise<void> {
    this.#inFlight += 1;
    try {
      await send();
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#nothingInFlight?.();
    }
  }
}
