import type { ResultStatus } from "../events.ts";
import type { Act, BatchRecord, JournalStore, RowRecord, Run } from "../journal/store.ts";
import { maskStray } from "../mask.ts";
import { didText, ranText } from "../messages/acts.ts";
import { listed } from "../messages/sentence.ts";
import { STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import type { Row } from "../reader/row.ts";
import { goesAgainAsItIs } from "../submission/again.ts";
import { lockstep, recordsOf } from "./lockstep.ts";
import { tellRow } from "./row-text.ts";
import { assertControlTotals, exitCodeOfBatch, occurringIn, statusOf, TotalsCollector, type Totals } from "./totals.ts";
import type { ResultsInput } from "./write.ts";

/** All rows of one status that need a person, and the first of them in cells that may be shown. */
export interface Need {
  readonly status: ResultStatus;
  count: number;
  readonly rows: (readonly (string | number)[])[];
}

/** What stands of each such row. */
export const NEED_COLUMNS = ["Row#", "Amount#", "To or from", "Reference", "What happened", "What to do"];

/** Everything a report says of a batch. The same journal gives the same report. */
export interface Report {
  readonly batch: BatchRecord;
  readonly totals: Totals;
  /** What became of the payments in the end, in one line. */
  readonly headline: string;
  /** The gravest first; none where nobody has to do anything. */
  readonly needs: readonly Need[];
  readonly acts: readonly Act[];
  readonly runs: readonly Run[];
  readonly exitCode: number;
}

const NEED_ROWS_MAX = 100;
const TEXT_CHARACTERS_MAX = 600;
const GRAVEST_FIRST = ["unknown", "rejected", "held", "invalid", "not_sent", "settled_not_done"] as const;

type Own = Partial<Readonly<Record<"reference" | "debit" | "payee", string | undefined>>>;

interface ReportInput extends Pick<ResultsInput, "batch" | "table"> {
  /** What the file says of a row; `payee` masked (`openKept`). */
  readonly own: (row: Row) => Own;
  readonly store: Pick<JournalStore, "rows" | "runs" | "acts">;
}

/** Reads journal and snapshot once, side by side; memory does not grow with the rows, but for corrected ones. */
export async function collectReport({ store, batch, table, own }: ReportInput): Promise<Report> {
  const collector = new TotalsCollector();
  const needs = GRAVEST_FIRST.map((status): Need => ({ status, count: 0, rows: [] }));
  const here: Partial<Record<ResultStatus, number>> = {};
  const correctedIn = new Map<string, number[]>();
  for await (const pairs of lockstep(table.rows(), recordsOf(store, batch.id))) {
    for (const { row, record } of pairs) {
      const said = own(row);
      const status = statusOf(record);
      const { correctedBy } = record;
      collector.add(record, said.debit);
      if (correctedBy) {
        const rows = correctedIn.get(correctedBy.batch) ?? [];
        correctedIn.set(correctedBy.batch, rows);
        rows.push(correctedBy.row);
        continue;
      }
      here[status] = (here[status] ?? 0) + 1;
      const need = needs.find((one) => one.status === status);
      if (!need || !needsPerson(record, batch)) continue;
      need.count += 1;
      if (need.rows.length < NEED_ROWS_MAX) need.rows.push(needCells(record, batch, said));
    }
  }
  const totals = collector.totals();
  assertControlTotals(totals, batch);
  const later: Later[] = [];
  for (const [other, rows] of correctedIn) {
    const byStatus = Map.groupBy(await store.rows({ batch: other, rows }), statusOf);
    later.push(...[...byStatus].map(([status, { length }]) => ({ batch: other, status, rows: length })));
  }
  const acts = await store.acts({ batch: batch.id });
  return {
    ...{ batch, totals, acts, runs: await store.runs(batch.id) },
    headline: headlineOf(totals.total.rows, here, later, acts),
    needs: needs.filter(({ count }) => count > 0),
    exitCode: exitCodeOfBatch(totals, { isCancelled: batch.phase === "cancelled" }),
  };
}

/** In a cancelled batch what was left unsent waits for nobody; an unknown row stays unknown. */
function needsPerson(record: RowRecord, { phase }: BatchRecord): boolean {
  const stays = ["unknown", "invalid", "rejected"].includes(record.state) && !goesAgainAsItIs(record);
  return phase !== "cancelled" || stays;
}

function needCells(record: RowRecord, batch: BatchRecord, { reference = "", payee = "" }: Own): Need["rows"][number] {
  const { text, todo } = tellRow(record, batch);
  // the user's own id, unless it is an account number (I10)
  const named = [payee, maskStray(reference)].map((one) => printable(one, 60));
  const said = [text, todo].map((one) => printable(one, TEXT_CHARACTERS_MAX));
  return [record.row, record.amount ?? "not readable", ...named, ...said];
}

/** Rows that a later batch corrected, by what became of them there. */
interface Later {
  readonly batch: string;
  readonly status: ResultStatus;
  readonly rows: number;
}

/** `29 of 30 accepted: 27 here, 2 corrected in batch KWDV99FS; 1 cancelled by Asha Rao`. */
export function headlineOf(
  rows: number,
  here: Readonly<Partial<Record<ResultStatus, number>>>,
  later: readonly Later[],
  acts: readonly Act[],
): string {
  const { accepted = 0, ...others } = here;
  const went = later.filter(({ status }) => status === "accepted");
  const parts = went.map((one) => `${one.rows} corrected in batch ${one.batch}`);
  if (accepted > 0) parts.unshift(`${accepted} here`);
  const all = went.reduce((sum, one) => sum + one.rows, accepted);
  const by = ` by ${listed([...new Set(acts.filter(({ kind }) => kind === "cancel").map(whoOf))])}`;
  return [
    `${all} of ${rows} accepted${went.length === 0 ? "" : `: ${parts.join(", ")}`}`,
    ...later
      .filter(({ status }) => status !== "accepted")
      .map((one) => `${one.rows} ${STATUSES[one.status].word} in batch ${one.batch}`),
    ...occurringIn<number>(others).map(
      ([status, count]) => `${count} ${STATUSES[status].word}${status === "cancelled" ? by : ""}`,
    ),
  ].join("; ");
}

/** Runs and acts as one list, by time: when, who, what, and why. */
export function historyOf(acts: readonly Act[], runs: readonly Run[] = []) {
  return [
    ...acts.map((act) => ({ at: act.at, who: whoOf(act), what: didText(act), why: printable(act.note ?? "", 1000) })),
    ...runs.map((run) => ({ at: run.startedAt, who: `${whoOf(run)} on ${run.host}`, what: ranText(run), why: "" })),
  ].toSorted((one, other) => one.at - other.at);
}

/** The name that was said, else the login. */
function whoOf({ by, login }: Pick<Act, "by" | "login">): string {
  return printable(by ?? login, 80);
}
