import type { Correction } from "../checks/correction.ts";
import type { CorrectionsSaid } from "../events.ts";

const CHANGES_SHOWN = 8;
/** So many corrected rows are told before anything is sent; the results tell of each. */
const ROWS_SHOWN = 5;

/** `row 14 of batch K7Q29F3M: bank_acc_num ••4471 → ••4417`. */
export function correctionText({ of, changes }: Correction): string {
  const place = `row ${of.row} of batch ${of.batch}`;
  if (changes === undefined)
    return `${place}: what was changed cannot be told, the copy of that file is archived or gone`;
  if (changes.length === 0) return `${place}: its values are as they were`;
  const shown = changes
    .slice(0, CHANGES_SHOWN)
    .map(({ column, from, to }) => `${column} ${named(from)} → ${named(to)}`);
  const more = changes.length - CHANGES_SHOWN;
  return `${place}: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

function named(value: string): string {
  return value === "" ? "(empty)" : value;
}

/** The corrected rows of a file as they come, for what is told before it is sent. */
export class CorrectionsHeard {
  #rows = 0;
  #payees = 0;
  readonly #first: { readonly row: number; readonly corrects: string }[] = [];

  add(row: number, correction: Correction | undefined): void {
    if (!correction) return;
    this.#rows += 1;
    if (correction.payeeChanged) this.#payees += 1;
    if (this.#first.length < ROWS_SHOWN) this.#first.push({ row, corrects: correctionText(correction) });
  }

  said(): CorrectionsSaid | undefined {
    return this.#rows === 0 ? undefined : { rows: this.#rows, payeesChanged: this.#payees, first: this.#first };
  }
}

/** Before anything is sent: how many rows correct earlier ones, and what was changed in the first of them. */
export function correctionLines({ rows, payeesChanged, first }: CorrectionsSaid): string[] {
  const payees = payeesChanged === 0 ? "" : `, ${payeesChanged} with another payee account`;
  const head = `${rows} ${rows === 1 ? "row corrects an earlier one" : "rows correct earlier ones"}${payees}`;
  const more = rows - first.length;
  return [
    head,
    ...first.map(({ row, corrects }) => `  row ${row} corrects ${corrects}`),
    ...(more > 0 ? [`  and ${more} more, each in the results`] : []),
  ];
}

export function correctionsObject({ rows, payeesChanged, first }: CorrectionsSaid): Record<string, unknown> {
  return { rows, payees_changed: payeesChanged, first };
}
