import { counted } from "../counted.ts";

const RANGES_MAX = 8;

/** Rows that the sheet hides: nobody who looks at it sees that they are sent. */
export class HiddenRows {
  readonly #ranges: [first: number, last: number][] = [];
  #count = 0;

  /** Rows come in order. */
  add(row: number): void {
    this.#count += 1;
    const last = this.#ranges.at(-1);
    if (last?.[1] === row - 1) last[1] = row;
    else if (this.#ranges.length <= RANGES_MAX) this.#ranges.push([row, row]);
  }

  remarks(isFiltered: boolean): string[] {
    if (this.#count === 0) return [];
    const shown = this.#ranges
      .slice(0, RANGES_MAX)
      .map(([first, last]) => (first === last ? first : `${first}-${last}`));
    const which = `${shown.join(", ")}${this.#ranges.length > RANGES_MAX ? " …" : ""}`;
    const how = isFiltered ? "hidden by a filter" : "hidden in the sheet";
    const [are, were] = this.#count === 1 ? ["is", "it was"] : ["are", "they were"];
    return [`CAREFUL: ${counted(this.#count, "row")} (${which}) ${are} ${how}; ${were} read like all others`];
  }
}
