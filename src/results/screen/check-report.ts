import type { Correction } from "../../checks/correction.ts";
import type { HoldCode } from "../../checks/duplicates/duplicates.ts";
import type { Fault } from "../../checks/fault.ts";
import type { FileFault } from "../../errors.ts";
import type { AccountTotals, CorrectionsSaid, MappingSaid } from "../../events.ts";
import { gravest } from "../../exit-codes.ts";
import type { BatchPhase, Tallies, Tally } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import { Complaints, holdOf, type ComplaintGroup } from "../words/complaints.ts";
import { byStatusOf, takenText, type TakenBefore } from "../words/taken-words.ts";
import { addedUp, NO_ROWS } from "../sums.ts";

/** What is known of a file apart from what became of its rows. */
interface CheckFacts {
  readonly file: string;
  readonly operation: string;
  /** What is stated for the whole file. */
  readonly period?: string;
  readonly rows: number;
  readonly total: string;
  readonly accounts: readonly AccountTotals[];
  readonly columnsKnown: number;
  readonly columnsAll: number;
  readonly mapping?: MappingSaid;
  readonly corrections?: CorrectionsSaid;
  /** The file went before: rows stand as they do in its batch, and `duplicate` is what was accepted in it. */
  readonly taken?: TakenBefore;
  readonly control: CheckedControl;
  /** Caps of the file and of the day that the file exceeds: it is refused for these too. */
  readonly caps: readonly FileFault[];
  readonly remarks: readonly string[];
}

/** What a check found. `faults`, `holds` and `warnings` are the first thousand rows of each, unless all were asked for. */
export interface CheckReport extends CheckFacts {
  readonly ready: Tally;
  readonly invalid: Tally;
  readonly held: Tally;
  readonly duplicate: Tally;
  /** Rows that correct earlier ones, and what was changed in them; the first thousand, unless all were asked for. */
  readonly corrected: readonly { readonly row: number; readonly correction: Correction }[];
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
  /** All that was found, by kind, with complete counts. */
  readonly groups: readonly ComplaintGroup[];
  /** The exit code of `paydrop check` for this file alone. */
  readonly exitCode: number;
}

/** What somebody said the file would hold, and where the file says otherwise. */
interface CheckedControl {
  /** `payroll.csv.control`, `the command line`; empty when nobody said anything. */
  readonly sources: readonly string[];
  /** With these the file is refused, whatever its rows are. */
  readonly faults: readonly FileFault[];
}

const SHOWN_ROWS_MAX = 1000;

/**
 * What the checks made of a file. `tallies`: those of the batch that the file would be; `rows`: every row that there is
 * something to say of; `facts`: part of the report as they are.
 */
export async function checkReport(
  tallies: Promise<Tallies>,
  batchId: string,
  rows: AsyncIterable<readonly RowRecord[]>,
  facts: CheckFacts,
  all: boolean,
): Promise<CheckReport> {
  const { taken } = facts;
  const lists = new CheckLists(batchId, taken?.batch.phase, all);
  const [counted] = await Promise.all([tallies, lists.addAll(rows)]);
  const byStatus = taken?.byStatus ?? byStatusOf(counted);
  const { invalid = NO_ROWS, held = NO_ROWS, rejected = NO_ROWS, unknown = NO_ROWS } = byStatus;
  return {
    ...facts,
    remarks: [...(taken ? [takenText(taken, lists.waiting)] : []), ...facts.remarks],
    ...{ ready: byStatus.not_sent ?? NO_ROWS, invalid, held },
    duplicate: addedUp([byStatus.duplicate, byStatus.accepted, byStatus.settled_done]),
    ...lists.listed(),
    exitCode: gravest([
      facts.control.faults.length + facts.caps.length > 0 ? 5 : 0,
      unknown.rows > 0 ? 4 : 0,
      invalid.rows + rejected.rows > 0 ? 3 : 0,
      held.rows > 0 ? 6 : 0,
    ]),
  };
}

class CheckLists {
  readonly #batchId: string;
  readonly #taken: BatchPhase | undefined;
  readonly #rowsMax: number;
  readonly #complaints: Complaints;
  readonly #faults: CheckReport["faults"][number][] = [];
  readonly #holds: CheckReport["holds"][number][] = [];
  readonly #corrected: CheckReport["corrected"][number][] = [];
  readonly #warnings: CheckReport["warnings"][number][] = [];
  #warned = 0;
  #waiting = 0;

  constructor(batchId: string, taken: BatchPhase | undefined, all: boolean) {
    this.#batchId = batchId;
    this.#taken = taken;
    this.#rowsMax = all ? Number.POSITIVE_INFINITY : SHOWN_ROWS_MAX;
    this.#complaints = new Complaints(all ? Number.POSITIVE_INFINITY : undefined);
  }

  /** How many rows are held only for another row, and not for a person's word. */
  get waiting(): number {
    return this.#waiting;
  }

  async addAll(rows: AsyncIterable<readonly RowRecord[]>): Promise<void> {
    for await (const page of rows) for (const record of page) this.#add(record);
  }

  #add(record: RowRecord): void {
    this.#complaints.addRow(record, this.#batchId, this.#taken);
    const { number: row, faults, state, correction, warnings = [] } = record;
    if (correction && this.#corrected.length < this.#rowsMax) this.#corrected.push({ row, correction });
    if (faults && this.#faults.length < this.#rowsMax) this.#faults.push({ row, faults });
    if (state === "held" && record.code === ("other_row_open" satisfies HoldCode)) this.#waiting += 1;
    if (state === "held" && this.#holds.length < this.#rowsMax) {
      const { code, message, hint } = holdOf(record, this.#batchId, this.#taken);
      this.#holds.push({ row, code, message, hint });
    }
    if (warnings.length === 0) return;
    this.#warned += 1;
    if (this.#warnings.length < this.#rowsMax) this.#warnings.push({ row, warnings });
  }

  listed(): Pick<CheckReport, "faults" | "holds" | "corrected" | "warnings" | "warned" | "groups"> {
    return {
      ...{ faults: this.#faults, holds: this.#holds, warnings: this.#warnings, warned: this.#warned },
      corrected: this.#corrected,
      groups: this.#complaints.groups(),
    };
  }
}
