/** Calls what a caller gave us. One that throws holds no row back: what it threw comes at the end. */
export class Listener {
  readonly #onThrow: () => void;
  #thrown: { readonly error: unknown } | undefined;

  /** `onThrow`: called once; nothing is called after it. */
  constructor(onThrow: () => void = () => undefined) {
    this.#onThrow = onThrow;
  }

  /** The same function, made safe to call. */
  guard<Told>(tell: ((told: Told) => void) | undefined): (told: Told) => void {
    return (told) => {
      if (this.#thrown || !tell) return;
      try {
        tell(told);
      } catch (error) {
        this.#thrown = { error };
        this.#onThrow();
      }
    };
  }

  rethrow(): void {
    if (this.#thrown) throw this.#thrown.error as Error;
  }
}
