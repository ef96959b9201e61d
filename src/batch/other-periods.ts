import { mayBeSamePeriod } from "../checks/duplicates/same-period.ts";
import type { NewBatch } from "../journal/batch-record.ts";
import type { NewRow } from "../journal/row-record.ts";
import { RowRanges } from "../results/row-ranges.ts";

/**
 * Rows that state another period than their file, or its name. What a row states counts; but a column that was copied
 * from last month's file makes of a new payment one that went already.
 */
export class OtherPeriods {
  readonly #batch: Pick<NewBatch, "period" | "guessedPeriod">;
  readonly #rows = new RowRanges();
  #example: string | undefined;
  #last: string | undefined;
  #isLastSame = false;

  constructor(batch: Pick<NewBatch, "period" | "guessedPeriod">) {
    this.#batch = batch;
  }

  add({ number, payment, correction }: NewRow): void {
    const ofFile = this.#batch.period ?? this.#batch.guessedPeriod;
    const own = payment?.period;
    // a correction keeps the period of the row that it corrects
    if (ofFile === undefined || own === undefined || own === ofFile || correction) return;
    // mostly the one of the row before
    if (own !== this.#last) this.#isLastSame = mayBeSamePeriod(own, ofFile);
    this.#last = own;
    if (this.#isLastSame) return;
    this.#rows.add(number);
    this.#example ??= own;
  }

  remarks(): readonly string[] {
    if (this.#example === undefined) return [];
    const { period, guessedPeriod = "" } = this.#batch;
    const ofFile = period === undefined ? `the file's name says ${guessedPeriod}` : `${period} is stated for the file`;
    return [
      `rows ${this.#rows.toString()} state another period, such as ${this.#example}, and ${ofFile}: what a row states counts; correct the column if it is last month's`,
    ];
  }
}
