import type { Fault } from "../checks/fault.ts";
import type { AccountTotals, MappingSaid } from "../events.ts";
import { gravest } from "../exit-codes.ts";
import type { JournalStore, RowRecord, Tally } from "../journal/store.ts";
import { labelOf } from "../operations/label.ts";
import { sentenceOf } from "./sentences.ts";

/** What a check found. `faults`, `holds` and `warnings` are the first thousand rows of each. */
export interface CheckReport {
  readonly file: string;
  readonly operation: string;
  readonly rows: number;
  readonly total: string;
  readonly ready: Tally;
  readonly invalid: Tally;
  readonly held: Tally;
  readonly duplicate: Tally;
  readonly columnsKnown: number;
  readonly columnsAll: number;
  readonly mapping?: MappingSaid;
  readonly faults: readonly { readonly row: number; readonly faults: readonly Fault[] }[];
  readonly holds: readonly {
    readonly row: number;
    readonly code: string;
    readonly message: string;
    readonly hint: string;
  }[];
  /** What a person should look at, of rows in any state; it stops nothing. */
  readonly warnings: readonly { readonly row: number; readonly warnings: readonly Fault[] }[];
  /** How many rows have warnings. */
  readonly warned: number;
  readonly remarks: readonly string[];
  readonly accounts: readonly AccountTotals[];
  readonly exitCode: number;
}

const SHOWN_ROWS_MAX = 1000;

/** What the checks made of a file, as the journal has it. `file` and the counts of columns pass through. */
export async function checkReport(
  journal: JournalStore,
  batchId: string,
  facts: Pick<
    CheckReport,
    "file" | "rows" | "total" | "accounts" | "columnsKnown" | "columnsAll" | "mapping" | "remarks"
  >,
): Promise<CheckReport> {
  const tallies = await journal.tallies(batchId);
  const { ready = NOTHING, invalid = NOTHING, held = NOTHING, duplicate = NOTHING } = tallies;
  const faults: { row: number; faults: readonly Fault[] }[] = [];
  const warnings: { row: number; warnings: readonly Fault[] }[] = [];
  let warned = 0;
  const holds: { row: number; code: string; message: string; hint: string }[] = [];
  for await (const page of journal.rows(batchId)) {
    for (const row of page) {
      if (row.faults && faults.length < SHOWN_ROWS_MAX) faults.push({ row: row.number, faults: row.faults });
      if (row.warnings) {
        warned += 1;
        if (warnings.length < SHOWN_ROWS_MAX) warnings.push({ row: row.number, warnings: row.warnings });
      }
      if (row.state === "held" && holds.length < SHOWN_ROWS_MAX) {
        holds.push({ row: row.number, code: row.code ?? "", ...holdWords(row, batchId) });
      }
    }
  }
  return {
    ...facts,
    operation: labelOf(await journal.operations(batchId)).label,
    ready,
    invalid,
    held,
    duplicate,
    faults,
    holds,
    warnings,
    warned,
    exitCode: gravest([invalid.rows > 0 ? 3 : 0, held.rows > 0 ? 6 : 0]),
  };
}

function holdWords(row: RowRecord, batchId: string): { message: string; hint: string } {
  const { message, action } = sentenceOf(row, { id: batchId, phase: "open" });
  return { message, hint: action };
}

const NOTHING: Tally = { rows: 0, amount: "0.00" };
