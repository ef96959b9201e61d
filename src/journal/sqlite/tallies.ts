import type { DatabaseSync, StatementSync } from "node:sqlite";
import { AMOUNT_SCALE, formatUnits } from "../../amount.ts";
import { wasOpened } from "./batch-columns.ts";
import type { RowState } from "../state.ts";
import type { Tallies, Tally } from "../batch-record.ts";

/** An integer sum of SQLite ends at 9.2e18: amounts are added in two halves, so that a million of 15 digits fit. */
const HALF = 1_000_000_000;

interface SumColumns {
  readonly state: RowState;
  /** Null where the rows have no readable amount. */
  readonly decimals: bigint | null;
  readonly rows: bigint;
  readonly high: bigint | null;
  readonly low: bigint | null;
}

/** Rows and exact sums of a batch by state, added up by SQLite: as digits without the point, by number of decimals. */
export class RowTallies {
  readonly #sums: StatementSync;
  readonly #kept: StatementSync;
  readonly #keep: StatementSync;

  constructor(database: DatabaseSync) {
    this.#kept = database.prepare("SELECT tallies FROM batch WHERE seq = ?");
    this.#keep = database.prepare(`UPDATE batch SET tallies = ? WHERE seq = ? AND ${wasOpened("batch")}`);
    this.#sums = database.prepare(
      `SELECT state, CASE instr(amount, '.') WHEN 0 THEN 0 ELSE length(amount) - instr(amount, '.') END AS decimals,
         count(*) AS rows,
         sum(CAST(replace(amount, '.', '') AS INTEGER) / ${HALF}) AS high,
         sum(CAST(replace(amount, '.', '') AS INTEGER) % ${HALF}) AS low
       FROM row WHERE batch = ? GROUP BY 1, 2`,
    );
    this.#sums.setReadBigInts(true);
  }

  of(batchSeq: number): Tallies {
    const kept = this.#kept.get(batchSeq)?.["tallies"] as string | null | undefined;
    return typeof kept === "string" ? (JSON.parse(kept) as Tallies) : this.#count(batchSeq);
  }

  /** Until a row of the batch changes nobody counts again. Called inside a transaction of its caller. */
  keep(batchSeq: number): void {
    this.#keep.run(JSON.stringify(this.of(batchSeq)), batchSeq);
  }

  #count(batchSeq: number): Tallies {
    const totals = new Map<RowState, { rows: number; units: bigint }>();
    for (const sum of this.#sums.all(batchSeq) as unknown as SumColumns[]) {
      const total = totals.get(sum.state) ?? { rows: 0, units: 0n };
      total.rows += Number(sum.rows);
      const digits = (sum.high ?? 0n) * BigInt(HALF) + (sum.low ?? 0n);
      total.units += digits * 10n ** (BigInt(AMOUNT_SCALE) - (sum.decimals ?? 0n));
      totals.set(sum.state, total);
    }
    const tallies: Partial<Record<RowState, Tally>> = {};
    for (const [state, { rows, units }] of totals) tallies[state] = { rows, amount: formatUnits(units) };
    return tallies;
  }
}
