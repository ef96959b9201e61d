import { types } from "node:util";

/** Calls the callbacks that a caller gave us. If one throws, no row is held back: the error comes at the end. */
export class Listener {
  readonly #onThrow: () => void;
  #thrown: { readonly error: unknown } | undefined;
  #ended = false;

  /** `onThrow`: called once; nothing is called after it. */
  constructor(onThrow: () => void = () => undefined) {
    this.#onThrow = onThrow;
  }

  /** `tell`, made safe to call: what it throws is kept for `rethrow`. Nobody waits for the promise of an async one. */
  guard<Told>(tell: ((told: Told) => unknown) | undefined): (told: Told) => void {
    return (told) => {
      if (this.#thrown || !tell) return;
      try {
        const pending = tell(told);
        // a rejection that nobody handles would end the process with rows in flight
        if (types.isPromise(pending)) pending.catch((error: unknown) => this.#keep(error));
      } catch (error) {
        this.#keep(error);
      }
    };
  }

  #keep(error: unknown): void {
    // the work has ended: no `rethrow` will tell of it
    if (this.#ended) throw error as Error;
    if (this.#thrown) return;
    this.#thrown = { error };
    this.#onThrow();
  }

  rethrow(): void {
    this.#ended = true;
    if (this.#thrown) throw this.#thrown.error as Error;
  }
}
