/** mulberry32: the same seed gives the same numbers from 0 to 1, on every machine. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What is drawn from one seed. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomFrom(seed);
    // neighbouring seeds begin alike
    for (let times = 0; times < 4; times += 1) this.#next();
  }

  /** A whole number from 0, below `count`. */
  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  is(share: number): boolean {
    return this.#next() < share;
  }

  pick<T>(from: readonly T[]): T {
    const one = from[this.below(from.length)];
    if (one === undefined) throw new Error("there is nothing to pick from");
    return one;
  }
}
