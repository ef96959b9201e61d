/** Wakes one that waits: a ring that comes while nobody waits is kept. */
export class Bell {
  #wake: (() => void) | undefined;
  #isRung = false;

  readonly ring = (): void => {
    this.#isRung = true;
    this.#wake?.();
  };

  /** Resolves at the next ring, or after so long. */
  async wait(ms: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isRung = false;
  }
}
