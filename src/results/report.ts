import type { RowName } from "../checks/beside.ts";
import type { ResultStatus } from "../events.ts";
import type { Act, BatchRecord, JournalStore, RowRecord, Run } from "../journal/store.ts";
import { didText, ranText } from "../messages/acts.ts";
import { listed } from "../messages/sentence.ts";
import { STATUSES } from "../messages/statuses.ts";
import { printable } from "../printable.ts";
import type { Row, Table } from "../reader/row.ts";
import { goesAgainAsItIs } from "../submission/again.ts";
import { tellRow } from "./columns.ts";
import { detailIn, type Detail } from "./details.ts";
import { inStatements, seenRemarks } from "./in-statement.ts";
import { assertControlTotals, exitCodeOfBatch, lockstep, occurringIn } from "./totals.ts";
import { recordsOf, statusOf, TotalsCollector } from "./totals.ts";

const NEED_ROWS_MAX = 100;
/** So many payments are listed by name; of a larger file the results list them. */
const PAYMENTS_MAX = 2_000;
const TEXT_CHARACTERS_MAX = 600;
const GRAVEST_FIRST = ["unknown", "rejected", "held", "invalid", "not_sent", "settled_not_done"] as const;

interface ReportInput {
  readonly batch: BatchRecord;
  readonly table: Table;
  /** What the file says of a row (`openKept`). */
  readonly own: (row: Row) => Detail;
  readonly store: Pick<JournalStore, "rows" | "runs" | "acts" | "kept">;
  /** Some process sends from this state folder. */
  readonly isSending?: () => boolean;
}

/** Everything a report says of a batch. The same journal gives the same report. */
export type Report = Awaited<ReturnType<typeof collectReport>>;

/**
 * Reads journal and snapshot once, side by side; memory does not grow with the rows, but for those that went in other
 * batches. `headline`: what became of the payments in the end. `needs`: all rows of one status that need a person, the
 * gravest first, of each the first ones. `payments`: the first of all, in the order of the file. Both as they may be shown.
 */
export async function collectReport({ store, batch, table, own, isSending = () => false }: ReportInput) {
  const collector = new TotalsCollector();
  const needs = GRAVEST_FIRST.map((status) => ({ status, count: 0, rows: [] as Need[] }));
  const payments: Payment[] = [];
  const here: Partial<Record<ResultStatus, number>> = {};
  const corrected: RowName[] = [];
  const repeats = new Map<string, { readonly status: ResultStatus; readonly other: RowName }>();
  for await (const pairs of lockstep(table.rows(), recordsOf(store, batch.id))) {
    for (const { row, record } of pairs) {
      const said = own(row);
      const status = statusOf(record);
      collector.add(record, said.debit);
      if (payments.length < PAYMENTS_MAX) payments.push(paymentOf(record, said));
      if (record.correctedBy) {
        corrected.push(record.correctedBy);
        continue;
      }
      const other = wentBefore(record);
      // each payment that went before is counted once
      if (other && !repeats.has(nameOf(other))) repeats.set(nameOf(other), { status, other });
      else here[status] = (here[status] ?? 0) + 1;
      const need = needs.find((one) => one.status === status);
      if (!need || !needsPerson(record, batch)) continue;
      need.count += 1;
      if (need.rows.length < NEED_ROWS_MAX) need.rows.push(needOf(record, batch, said));
    }
  }
  const totals = collector.totals();
  assertControlTotals(totals, batch);
  const elsewhere: Elsewhere[] = [];
  for (const [other, rows] of Map.groupBy(Array.from(repeats.values()), (one) => one.other.batch)) {
    const there = await store.rows({ batch: other, rows: rows.map((one) => one.other.row) });
    for (const status of ["accepted", "settled_done"] as const) {
      const went = there.filter(({ state }) => state === status);
      if (went.length > 0) elsewhere.push({ how: "before", batch: other, status, rows: went.length });
      for (const one of went) repeats.delete(nameOf(one));
    }
  }
  for (const { status } of repeats.values()) here[status] = (here[status] ?? 0) + 1;
  for (const [other, rows] of Map.groupBy(corrected, (one) => one.batch)) {
    const there = await store.rows({ batch: other, rows: rows.map(({ row }) => row) });
    for (const [status, { length }] of Map.groupBy(there, statusOf))
      elsewhere.push({ how: "corrected", batch: other, status, rows: length });
  }
  const acts = await store.acts({ batch: batch.id });
  return {
    ...{
      batch,
      totals,
      seen: seenRemarks(batch, await inStatements(store, batch.id)),
      history: historyOf(acts, await store.runs(batch.id), isSending),
    },
    headline: headlineOf(totals.total.rows, here, elsewhere, acts),
    needs: needs.filter(({ count }) => count > 0),
    payments,
    exitCode: exitCodeOfBatch(totals, { isCancelled: batch.phase === "cancelled" }),
  };
}

/** The row of another batch by which this payment went, of a row that is not to go for it (README §7). */
function wentBefore({ batch, state, reasons }: RowRecord): RowName | undefined {
  if (state !== "duplicate" && state !== "cancelled") return undefined;
  const other = reasons.find(({ code }) => code === "same_payment" || code === "maybe_paid")?.other;
  return other?.batch === batch ? undefined : other;
}

function nameOf({ batch, row }: RowName): string {
  return `${batch}:${row}`;
}

/** In a cancelled batch what was left unsent waits for nobody; an unknown row stays unknown. */
function needsPerson(record: RowRecord, { phase }: BatchRecord): boolean {
  const stays = ["unknown", "invalid", "rejected"].includes(record.state) && !goesAgainAsItIs(record);
  return phase !== "cancelled" || stays;
}

/** One payment, as it may be shown. */
export interface Payment {
  readonly row: number;
  /** undefined: it cannot be read. */
  readonly amount: string | undefined;
  readonly status: ResultStatus;
  readonly detail: Detail;
}

/** One that needs a person, with what happened and what is to be done. */
export interface Need extends Payment {
  readonly text: string;
  readonly todo: string;
}

const paymentOf = (record: RowRecord, own: Detail): Payment => ({
  ...{ row: record.row, amount: record.amount, status: statusOf(record), detail: detailIn(own) },
});

function needOf(record: RowRecord, batch: BatchRecord, own: Detail): Need {
  const words = tellRow(record, batch);
  const [text, todo] = [words.text, words.todo].map((one) => printable(one, TEXT_CHARACTERS_MAX)) as [string, string];
  return { ...paymentOf(record, own), text, todo };
}

/** Rows whose payments went in other batches: before, or corrected, by what became of them there. */
interface Elsewhere {
  readonly how: "before" | "corrected";
  readonly batch: string;
  readonly status: ResultStatus;
  readonly rows: number;
}

/** `29 of 30 accepted: 3 here, 24 before in batch K7Q29F3M, 2 corrected in batch KWDV99FS; 1 cancelled by Asha Rao`. */
export function headlineOf(
  rows: number,
  { accepted = 0, ...others }: Readonly<Partial<Record<ResultStatus, number>>>,
  elsewhere: readonly Elsewhere[],
  acts: readonly Act[],
): string {
  const went = elsewhere.filter(({ status }) => status === "accepted");
  const all = went.reduce((sum, one) => sum + one.rows, accepted);
  const where = [
    ...(accepted > 0 ? [`${accepted} here`] : []),
    ...went.map((one) => `${one.rows} ${one.how} in batch ${one.batch}`),
  ];
  const by = ` by ${listed([...new Set(acts.filter(({ kind }) => kind === "cancel").map(({ by, login }) => printable(by ?? login, 80)))])}`;
  return [
    `${all} of ${rows} accepted${went.length === 0 ? "" : `: ${where.join(", ")}`}`,
    ...elsewhere
      .filter(({ status }) => status !== "accepted")
      .map((one) => `${one.rows} ${STATUSES[one.status].word} in batch ${one.batch}`),
    ...occurringIn<number>(others).map(
      ([status, count]) => `${count} ${STATUSES[status].word}${status === "cancelled" ? by : ""}`,
    ),
  ].join("; ");
}

/** Acts and runs as one list, by time. Of a batch only the last run can be alive. */
export function historyOf(acts: readonly Act[], runs: readonly Run[], isSending: () => boolean): readonly Act[] {
  const last = new Map(runs.map((run) => [run.batch, run]));
  const ran = runs.map(({ startedAt: at, batch, login, host, by, ...run }): Act => {
    const note = ranText(run, run.exitCode === undefined && last.get(batch)?.startedAt === at && isSending());
    return { at, kind: "run", login, host, batch, note, ...(by === undefined ? {} : { by }) };
  });
  return [...acts, ...ran].toSorted((one, other) => one.at - other.at);
}

/** Who, what and why: `meera (asha@pay1)`; what a machine did by itself was done by no person. */
export function actTexts(act: Act): readonly [who: string, what: string, why: string] {
  const { kind, by, login, host, note = "" } = act;
  const from = `${login}@${host}`;
  const who = kind === "recover" ? `paydrop on ${host}` : by === undefined ? from : `${by} (${from})`;
  return [printable(who, 200), didText(act), printable(note, 1000)];
}
