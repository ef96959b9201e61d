import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Ledger } from "./oracle.ts";
import type { Written } from "./office-files.ts";
import { paymentOf } from "./two-services.ts";
import type { Environment } from "./two-services.ts";

/** One row of a batch, as the journal has it, and the payment that it is meant to be. */
export interface PaymentRow {
  /** `BATCH:NUMBER`. */
  readonly name: string;
  readonly batch: string;
  readonly environment: Environment;
  readonly phase: string;
  /** From the folder of the files on. */
  readonly file: string;
  readonly number: number;
  readonly state: string;
  readonly attempts: number;
  /** Of each attempt; null: no status line came. */
  readonly statuses: readonly (number | null)[];
  /** Why it is in this state. */
  readonly code: string | null;
  /** The row that it repeats, as `BATCH:NUMBER`, and how many more. */
  readonly other: string | null;
  readonly more: number;
  readonly isArchived: 0 | 1;
  readonly sha256: string;
  readonly marker: string;
  readonly payment: string;
  readonly amount: string;
}

/** What a person said of a row, at its last attempt. */
interface Word {
  readonly row: PaymentRow;
  readonly isDone: boolean;
}

/** All batches of a state folder, seen as payments: a marker is one, however many rows of however many files have it. */
export class Payments {
  readonly #folder: string;
  readonly #stateDir: string;
  /** By the SHA-256 of a file: what its rows are. */
  readonly #files = new Map<string, Written>();
  /** Of unknown rows, and of accepted ones that the bank gave back. */
  readonly #words = new Map<string, Word>();
  readonly #givenBack: string[] = [];

  constructor(folder: string, stateDir: string) {
    [this.#folder, this.#stateDir] = [folder, stateDir];
  }

  know(file: Written): void {
    this.#files.set(file.sha256, file);
  }

  settle(row: PaymentRow, isDone: boolean): void {
    this.#words.set(`${row.name} attempt ${row.attempts}`, { row, isDone });
  }

  giveBack(row: PaymentRow): void {
    this.settle(row, false);
    this.#givenBack.push(row.payment);
  }

  isSettled(name: string, attempts: number): boolean {
    return this.#words.has(`${name} attempt ${attempts}`);
  }

  /** How often people said that it was not made. */
  notDone(payment: string): number {
    return [...this.#words.values()].filter(({ row, isDone }) => row.payment === payment && !isDone).length;
  }

  /** What the service carried out, and the bank did not give back. */
  made(payment: string, ledger: Ledger): number {
    return (ledger.get(payment)?.executed ?? 0) - this.#givenBack.filter((one) => one === payment).length;
  }

  /** `stateDir`: another one that was used. */
  rows(stateDir = this.#stateDir): PaymentRow[] {
    const journal = join(stateDir, "journal.db");
    if (!existsSync(journal)) return [];
    const database = new DatabaseSync(journal, { readOnly: true, timeout: 10_000 });
    try {
      return database
        .prepare(ROWS)
        .all()
        .map((row) => this.#paymentRow(row as unknown as JournalRow));
    } finally {
      database.close();
    }
  }

  #paymentRow({ folder, fileName, statuses, ...row }: JournalRow): PaymentRow {
    const { rows = [], firstRow = 0 } = this.#files.get(row.sha256) ?? {};
    const { marker = "", amount = "" } = rows[row.number - firstRow] ?? {};
    return {
      ...row,
      ...{ marker, amount, payment: paymentOf(row.environment, marker) },
      file: relative(this.#folder, join(folder, fileName)),
      statuses: JSON.parse(statuses) as (number | null)[],
    };
  }
}

type JournalRow = Omit<PaymentRow, "file" | "statuses"> & Readonly<Record<"folder" | "fileName" | "statuses", string>>;

const ROWS = `
  SELECT b.id || ':' || r.number AS name, b.id AS batch, b.environment, b.phase, b.sha256, b.folder,
    b.file_name AS fileName, r.number, r.state, r.attempts, r.code, r.other_batch || ':' || r.other_row AS other,
    r.other_more AS more, b.archive IS NOT NULL AS isArchived,
    (SELECT json_group_array(a.http_status) FROM attempt a WHERE a.batch = r.batch AND a.row = r.number) AS statuses
  FROM row r JOIN batch b ON b.seq = r.batch WHERE b.phase <> 'recording' ORDER BY b.seq, r.number`;
