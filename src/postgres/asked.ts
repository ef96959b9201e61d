import type { Seen } from "../duplicates/seen.ts";
import { FOUND_MAX } from "../journal/states.ts";
import type { Postgres } from "./postgres.ts";

/** Rows that were found in one way; `isCut`: there are more. */
export interface Found {
  readonly others: readonly Seen[];
  readonly isCut?: true | undefined;
}

const NONE: Found = { others: [] };

/** `more`: the first one that was not read. */
export type ReadOnce = Found & { readonly more?: Seen };

/** What is looked for; equal things once. */
export class Asked {
  readonly #numbers = new Map<string, number>();
  readonly #all: object[] = [];

  ask(one: object, last?: number): void {
    const name = JSON.stringify(one);
    const n = this.#numbers.get(name) ?? this.#all.length;
    this.#numbers.set(name, n);
    this.#all[n] = { ...one, n, ...(last !== undefined && { last }) };
  }

  async find(
    postgres: Postgres,
    sql: string,
    ...values: readonly (string | number)[]
  ): Promise<(one: object) => ReadOnce> {
    const lists: Seen[][] = [];
    if (this.#all.length > 0) {
      const found = await postgres.query<Seen & { n: number }>(sql, JSON.stringify(this.#all), ...values);
      for (const { n, ...seen } of found) (lists[n] ??= []).push(seen);
    }
    const answers = lists.map((all): ReadOnce => {
      const more = all[FOUND_MAX];
      return more ? { others: all.slice(0, FOUND_MAX), isCut: true, more } : { others: all };
    });
    return (one) => answers[this.#numbers.get(JSON.stringify(one)) ?? -1] ?? NONE;
  }
}
