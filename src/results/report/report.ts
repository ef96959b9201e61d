import type { RowName } from "../../checks/correction.ts";
import { defined } from "../../defined.ts";
import type { MappingSaid } from "../../events.ts";
import type { ResultStatus } from "../../journal/state.ts";
import type { BatchRecord, Tally } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import type { Act } from "../../journal/store.ts";
import type { Row, Sheet } from "../../reader/row.ts";
import { lockstep } from "../lockstep.ts";
import { debitFieldOf, ownCell } from "../own-cell.ts";
import { RESULT_STATUSES } from "../words/status.ts";
import { exitCodeOfTotals } from "../exit-code.ts";
import { addedUp } from "../sums.ts";
import { assertControlTotals, TotalsCollector, type Totals } from "../totals.ts";
import { actsOf, type Acts } from "./acts.ts";
import { NeedsCollector, type Need } from "./needs.ts";
import { TimelineCollector, type Timeline } from "./timeline.ts";

/** Everything a report says of a batch, before it is put into any form. The same journal gives the same report. */
export interface Report {
  readonly batch: BatchRecord;
  /** `payout, option B`; `mixed`. */
  readonly operation: string;
  /** How the columns were read, where they did not have our own names. */
  readonly mapping?: MappingSaid;
  readonly totals: Totals;
  /** Sentences about the file and its answers. */
  readonly remarks: readonly string[];
  /** Rows that the checks or a person let go, whatever became of them. */
  readonly approved: Tally;
  /** Rows whose answer is awaited, or was by a process that died: they stand here as unknown (I4). */
  readonly inFlight: number;
  /** Tries to send a row, of all runs; those that never left the machine too. */
  readonly attempts: number;
  /** The gravest first; none where nobody has to do anything. */
  readonly needs: readonly Need[];
  /** Where no held row can be released yet: what the first of them waits for. */
  readonly waitsFor?: RowName;
  readonly acts: Acts;
  readonly timeline: Timeline | undefined;
  /** The last thing that the journal knows of this batch; milliseconds since 1970. */
  readonly latestAt: number;
  /** DESIGN §10. */
  readonly exitCode: number;
}

interface ReportInput {
  readonly batch: BatchRecord;
  readonly operation: string;
  /** The snapshot, read again. */
  readonly sheet: Sheet;
  /** The row under our own column names. */
  readonly view: (row: Row) => Row;
  readonly mapping?: MappingSaid;
  /** The rows of the journal in input order. */
  readonly records: AsyncIterable<readonly RowRecord[]>;
  readonly history: readonly Act[];
  readonly waitsFor?: RowName | undefined;
}

/** Reads journal and snapshot once, side by side; memory does not grow with the rows. */
export async function collectReport(input: ReportInput): Promise<Report> {
  const { batch, operation, sheet, view, mapping, records, history, waitsFor } = input;
  const collected = { totals: new TotalsCollector(), needs: new NeedsCollector(batch), times: new TimelineCollector() };
  let attempts = 0;
  let inFlight = 0;
  for await (const step of lockstep(sheet.rows(), records)) {
    for (const [index, record] of step.records.entries()) {
      const raw = step.rows[index];
      if (!raw) continue;
      const row = view(raw);
      collected.totals.add(record, ownCell(row, debitFieldOf(record)));
      collected.needs.add(record, row);
      collected.times.add(record);
      attempts += record.attempts;
      if (record.state === "sending") inFlight += 1;
    }
  }
  const totals = collected.totals.totals();
  const timeline = collected.times.timeline();
  assertControlTotals(totals, batch);
  const times = [batch.createdAt, timeline?.lastAt ?? 0, ...history.map(({ at }) => at)];
  return {
    ...defined({ batch, operation, mapping, totals, attempts, inFlight, needs: collected.needs.needs(), waitsFor }),
    timeline,
    approved: approvedOf(totals),
    remarks: [...batch.remarks, ...totals.remarks],
    acts: actsOf(history),
    latestAt: times.reduce((latest, at) => Math.max(latest, at), 0),
    exitCode: exitCodeOfTotals(totals, undefined, false, batch.phase === "cancelled"),
  };
}

const KEPT_BACK: ReadonlySet<ResultStatus> = new Set(["invalid", "duplicate", "held"]);

/** What is invalid, a duplicate or still held has nobody's word to go. */
function approvedOf({ byStatus }: Totals): Tally {
  return addedUp(RESULT_STATUSES.filter((status) => !KEPT_BACK.has(status)).map((status) => byStatus[status]));
}
