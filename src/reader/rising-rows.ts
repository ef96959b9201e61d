import type { Row, Sheet } from "./row.ts";

/**
 * Single rows of a file that was read to its end before. To be asked for by rising numbers: the file is read once, and
 * only as far as the last of them.
 */
export class RisingRows {
  readonly #sheet: Sheet;
  #chunks: AsyncIterator<readonly Row[]> | undefined;
  #chunk: readonly Row[] = [];
  #at = 0;

  constructor(sheet: Sheet) {
    this.#sheet = sheet;
  }

  /** undefined where the file has no such row. */
  async row(number: number): Promise<Row | undefined> {
    this.#chunks ??= this.#sheet.rows(number)[Symbol.asyncIterator]();
    for (;;) {
      while ((this.#chunk[this.#at]?.number ?? number) < number) this.#at += 1;
      const row = this.#chunk[this.#at];
      if (row) return row.number === number ? row : undefined;
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      this.#chunk = next.value;
      this.#at = 0;
    }
  }

  async close(): Promise<void> {
    await this.#chunks?.return?.();
  }
}
