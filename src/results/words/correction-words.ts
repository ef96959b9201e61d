import type { Correction } from "../../checks/correction.ts";
import { listed } from "../../text/counted.ts";
import type { CorrectionsSaid } from "../../events.ts";
import type { NewRow, RowRecord } from "../../journal/row-record.ts";
import { operationNamed } from "../../operations/catalogue.ts";
import type { OperationName } from "../../operations/operation.ts";

const CHANGES_SHOWN = 8;
/** So many corrected rows are told before anything is sent; the results tell of each. */
const ROWS_SHOWN = 5;

/** `row 14 of batch K7Q29F3M: bank_acc_num ••4471 → ••4417; its period is 2026-11, not the one stated for this file`. */
export function correctionText({ period, ...correction }: Correction): string {
  const kept = period === undefined ? "" : `; its period is ${period}, not the one stated for this file`;
  return `${changesText(correction)}${kept}`;
}

function changesText({ of, changes }: Correction): string {
  const place = `row ${of.row} of batch ${of.batch}`;
  if (changes === undefined) {
    return `${place}: what was changed cannot be told, the copy of that file is gone or archived (\`paydrop archive --restore ${of.batch}\` brings it back)`;
  }
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
  readonly #others = new Set<string>();
  readonly #first: { readonly row: number; readonly corrects: string }[] = [];

  add({ number: row, correction, operation }: Pick<NewRow, "number" | "correction" | "operation">): void {
    if (!correction) return;
    this.#rows += 1;
    // where the rows cannot be compared, nobody knows whether the payee changed
    if (correction.payeeChanged && correction.changes !== undefined) {
      this.#payees += 1;
      this.#others.add(otherOf(operation));
    }
    if (this.#first.length < ROWS_SHOWN) this.#first.push({ row, corrects: correctionText(correction) });
  }

  said(): CorrectionsSaid | undefined {
    if (this.#rows === 0) return undefined;
    return { rows: this.#rows, payeesChanged: this.#payees, others: [...this.#others], first: this.#first };
  }
}

/** What is told as changed when a payee is: money is collected from a payer, and a borrower applies. */
function otherOf(operation: OperationName | undefined): string {
  const party = operation ? operationNamed(operation).party : "payee";
  return party === "payee" ? "payee account" : party;
}

/** The same once the rows are in the journal: only then is known which period each of the first ones has. */
export async function correctionsAsWritten(
  said: CorrectionsSaid,
  rowOf: (number: number) => Promise<RowRecord | undefined>,
): Promise<CorrectionsSaid> {
  const first = said.first.map(async ({ row, corrects }) => {
    const correction = (await rowOf(row))?.correction;
    return { row, corrects: correction ? correctionText(correction) : corrects };
  });
  return { ...said, first: await Promise.all(first) };
}

/** Before anything is sent: how many rows correct earlier ones, and what was changed in the first of them. */
export function correctionLines({ rows, payeesChanged, others, first }: CorrectionsSaid): string[] {
  const payees = payeesChanged === 0 ? "" : `, ${payeesChanged} with another ${listed(others, "or")}`;
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
