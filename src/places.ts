/**
 * Holds things that come and go all the time, each at a place that is used again afterwards. A Set or Map makes a new
 * table for every few of them, and each table that V8 has moved to its old generation keeps alive what was in it:
 * nearly all that comes and goes would be collected late, and at a high cost.
 */
export class Places<T extends object> {
  readonly #things: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#things.length - this.#free.length;
  }

  /** Gives its place, from 1. */
  put(thing: T): number {
    const place = this.#free.pop() ?? this.#things.length + 1;
    this.#things[place - 1] = thing;
    return place;
  }

  /** Frees the place, and gives what stood there; undefined where nothing did. */
  take(place: number): T | undefined {
    const thing = this.#things[place - 1];
    if (thing === undefined) return undefined;
    this.#things[place - 1] = undefined;
    this.#free.push(place);
    return thing;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const thing of this.#things) if (thing !== undefined) yield thing;
  }
}
