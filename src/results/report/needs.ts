import { formatUnits, unitsOf } from "../../amount.ts";
import { defined } from "../../defined.ts";
import type { BatchRecord } from "../../journal/batch-record.ts";
import type { RowRecord } from "../../journal/row-record.ts";
import { maskStray } from "../../text/mask.ts";
import { printable } from "../../text/printable.ts";
import { isResumable } from "../../reason.ts";
import type { Row } from "../../reader/row.ts";
import { ownCell, payeeOf } from "../own-cell.ts";
import { sentenceOf } from "../words/sentences.ts";
import { statusOf } from "../words/status.ts";

/** Why somebody has to look at rows, the gravest first. */
const NEED_KINDS = ["unknown", "odd_answer", "rejected", "held", "invalid", "not_sent", "not_done", "warned"] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

/** One row that a person must look at. What stands here may be shown and printed. */
export interface NeedRow {
  readonly number: number;
  readonly amount?: string;
  readonly reference?: string;
  /** Who receives or owes the money, masked. */
  readonly payee?: string;
  readonly happened: string;
  readonly todo: string;
  /** When its last request left; milliseconds since 1970. */
  readonly sentAt?: number;
}

/** All rows of one kind: how many, how much, and the first of them. */
export interface Need {
  readonly kind: NeedKind;
  readonly count: number;
  readonly amount: string;
  readonly rows: readonly NeedRow[];
}

/** As many rows of a kind as stand in a report; the results file has them all. */
const NEED_ROWS_MAX = 100;
const REFERENCE_CHARACTERS_MAX = 60;
const HAPPENED_CHARACTERS_MAX = 600;

interface Gathered {
  count: number;
  units: bigint;
  readonly rows: NeedRow[];
}

/** Picks out the rows that need a person; keeps the first of each kind and counts the others. */
export class NeedsCollector {
  readonly #batch: BatchRecord;
  readonly #gathered = new Map<NeedKind, Gathered>();

  constructor(batch: BatchRecord) {
    this.#batch = batch;
  }

  add(record: RowRecord, row: Row): void {
    const kind = kindOf(record, this.#batch);
    if (kind === undefined) return;
    let gathered = this.#gathered.get(kind);
    if (!gathered) this.#gathered.set(kind, (gathered = { count: 0, units: 0n, rows: [] }));
    gathered.count += 1;
    if (record.amount !== undefined) gathered.units += unitsOf(record.amount);
    if (gathered.rows.length < NEED_ROWS_MAX) gathered.rows.push(this.#rowOf(kind, record, row));
  }

  needs(): Need[] {
    return NEED_KINDS.flatMap((kind) => {
      const found = this.#gathered.get(kind);
      return found ? [{ kind, count: found.count, amount: formatUnits(found.units), rows: found.rows }] : [];
    });
  }

  #rowOf(kind: NeedKind, record: RowRecord, row: Row): NeedRow {
    const { message, action } = sentenceOf(record, this.#batch);
    const hints = kind === "warned" ? [...new Set((record.warnings ?? []).map(({ hint }) => hint))].join(" ") : action;
    const reference = ownCell(row, "reference");
    const payee = payeeOf(row, record);
    const { number, amount, sentAt } = record;
    return defined({
      number,
      happened: printable(message, HAPPENED_CHARACTERS_MAX),
      todo: printable(hints, HAPPENED_CHARACTERS_MAX),
      amount,
      reference: reference && maskedReference(reference),
      payee: payee && printable(payee, REFERENCE_CHARACTERS_MAX),
      sentAt,
    });
  }
}

function kindOf(record: RowRecord, batch: BatchRecord): NeedKind | undefined {
  return kindOfState(record, batch) ?? (record.warnings ? "warned" : undefined);
}

/** In a cancelled batch what was left unsent waits for nobody; an unknown row stays unknown. */
function kindOfState(record: RowRecord, batch: BatchRecord): NeedKind | undefined {
  const status = statusOf(record.state);
  const isOver = batch.phase === "cancelled";
  switch (status) {
    case "accepted":
      return record.code === "accepted_reports_failure" ? "odd_answer" : undefined;
    case "unknown":
      return status;
    case "rejected":
    case "invalid":
      return record.correctedBy || (isOver && isResumable(record)) ? undefined : status;
    case "held":
    case "not_sent":
      return isOver ? undefined : status;
    case "settled_not_done":
      return isOver ? undefined : "not_done";
    case "duplicate":
    case "settled_done":
      return undefined;
    default:
      return status satisfies never;
  }
}

/** The user's own id, unless it is an account number (I10). */
function maskedReference(reference: string): string {
  return printable(maskStray(reference), REFERENCE_CHARACTERS_MAX);
}
