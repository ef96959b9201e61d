import { counted } from "../text/counted.ts";

const RANGES_MAX = 8;

/**
 * Rows that a person is told of. Either rows that the sheet hides: nobody who looks at it sees that they are sent. Or
 * rows that hold nothing but formulas: they are not sent.
 */
export class NotedRows {
  readonly #ranges: [first: number, last: number][] = [];
  #count = 0;

  /** To be called in the order of the rows. */
  add(row: number): void {
    this.#count += 1;
    const last = this.#ranges.at(-1);
    if (last?.[1] === row - 1) last[1] = row;
    else if (this.#ranges.length <= RANGES_MAX) this.#ranges.push([row, row]);
  }

  hidden(isFiltered: boolean): string[] {
    const how = isFiltered ? "hidden by a filter" : "hidden in the sheet";
    const [are, were] = this.#count === 1 ? ["is", "it was"] : ["are", "they were"];
    return this.#count === 0 ? [] : [`CAREFUL: ${this.#which()} ${are} ${how}; ${were} read like all others`];
  }

  calculated(): string[] {
    const [hold, were] = this.#count === 1 ? ["holds", "it was"] : ["hold", "they were"];
    const what = "nothing but formulas that give 0 or nothing";
    return this.#count === 0 ? [] : [`${this.#which()} ${hold} ${what}; ${were} passed over`];
  }

  #which(): string {
    const shown = this.#ranges
      .slice(0, RANGES_MAX)
      .map(([first, last]) => (first === last ? first : `${first}-${last}`));
    const which = `${shown.join(", ")}${this.#ranges.length > RANGES_MAX ? " …" : ""}`;
    return `${counted(this.#count, "row")} (${which})`;
  }
}
