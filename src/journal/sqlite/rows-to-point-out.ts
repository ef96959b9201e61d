import type { DatabaseSync } from "node:sqlite";
import type { OperationName } from "../../operations/operation.ts";

/** The amount in the middle of all rows of an operation that are not invalid. */
interface MiddleAmount {
  readonly operation: OperationName;
  /** As written in the file; of an even number the lower one of the two. */
  readonly amount: string;
  readonly rows: number;
}

/** The amount of an operation from which on a row is to be looked at. */
interface LargeAmount {
  readonly operation: OperationName;
  /** A plain decimal without zeros at its end. */
  readonly from: string;
}

export interface RowToPointOut {
  readonly row: number;
  /** The first row of the batch with the same beneficiary; left out of that row itself. */
  readonly samePayeeIn?: number;
  /** Its amount is large. */
  readonly isLarge: boolean;
}

/**
 * The rows of a batch that are to be pointed out to a person, on a connection that only reads. What takes the whole
 * file is left to SQLite, which sorts and groups on disk: memory does not grow with the rows.
 */
export class RowsToPointOut {
  readonly #database: DatabaseSync;
  readonly #batchSeq: number;

  /** Compares the beneficiaries of all rows at once. */
  constructor(database: DatabaseSync, batchSeq: number) {
    this.#database = database;
    this.#batchSeq = batchSeq;
    database.exec("CREATE TEMP TABLE payee_twice (row INTEGER PRIMARY KEY, first INTEGER NOT NULL) STRICT");
    const repeats = database.prepare(
      `INSERT INTO payee_twice
       SELECT r.number, f.first FROM row r JOIN (
         SELECT beneficiary_key, min(number) AS first FROM row WHERE batch = ?1 AND beneficiary_key IS NOT NULL
         GROUP BY beneficiary_key HAVING count(*) > 1) f ON f.beneficiary_key = r.beneficiary_key
       WHERE r.batch = ?1 AND r.number > f.first`,
    );
    repeats.run(batchSeq);
  }

  /** Plain decimals sort by how many digits stand before the point, then as text. */
  middleAmounts(): MiddleAmount[] {
    const counts = this.#database.prepare(
      `SELECT operation, count(*) AS rows FROM row
       WHERE batch = ? AND state <> 'invalid' AND amount IS NOT NULL GROUP BY operation`,
    );
    const middle = this.#database.prepare(
      `SELECT amount FROM row WHERE batch = ? AND state <> 'invalid' AND operation = ? AND amount IS NOT NULL
       ORDER BY ${WHOLE_DIGITS}, amount LIMIT 1 OFFSET ?`,
    );
    const found = counts.all(this.#batchSeq) as unknown as { operation: OperationName; rows: number }[];
    return found.map(({ operation, rows }) => {
      const { amount } = middle.get(this.#batchSeq, operation, Math.floor((rows - 1) / 2)) as { amount: string };
      return { operation, rows, amount };
    });
  }

  /**
   * In input order: rows with faults or warnings, held rows and corrections; of the rows that will go, those with the
   * beneficiary of an earlier row or a large amount; with `allWithNames` also every payout to an inline beneficiary
   * that will go.
   */
  *inOrder(large: readonly LargeAmount[], allWithNames: boolean): Generator<RowToPointOut> {
    const isLarge = ["0", ...large.map(() => `(operation = ? AND (${WHOLE_DIGITS}, amount) >= (?, ?))`)].join(" OR ");
    const noted = this.#database.prepare(
      `SELECT number, first, large FROM (
         SELECT r.number, p.first, r.state, r.option, r.faults, r.origin_row, (${isLarge}) AS large
         FROM row r LEFT JOIN temp.payee_twice p ON p.row = r.number WHERE r.batch = ?)
       WHERE faults IS NOT NULL OR state = 'held' OR origin_row IS NOT NULL
         OR state = 'ready' AND (first IS NOT NULL OR large OR ? AND option = 'B')
       ORDER BY number`,
    );
    const floors = large.flatMap(({ operation, from }) => [operation, wholeDigits(from), from]);
    const rows = noted.iterate(...floors, this.#batchSeq, allWithNames ? 1 : 0) as Iterable<unknown>;
    for (const { number, first, large: isOne } of rows as Iterable<PointedColumns>) {
      yield { row: number, isLarge: isOne === 1, ...(first === null ? {} : { samePayeeIn: first }) };
    }
  }
}

interface PointedColumns {
  readonly number: number;
  readonly first: number | null;
  readonly large: number;
}

const WHOLE_DIGITS = "CASE instr(amount, '.') WHEN 0 THEN length(amount) ELSE instr(amount, '.') - 1 END";

function wholeDigits(amount: string): number {
  const point = amount.indexOf(".");
  return point < 0 ? amount.length : point;
}
