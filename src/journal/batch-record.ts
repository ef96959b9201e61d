import type { FileFormat } from "../format.ts";
import type { ResultStatus, RowState } from "./state.ts";

export type Environment = "live" | "test";

/** `recording`: rows are still being written down; nothing of it may be sent. */
export type BatchPhase = "recording" | "open" | "paused" | "cancelled";

/** One batch as the journal knows it. Times are milliseconds since 1970, UTC. */
export interface BatchRecord {
  /** Eight characters, such as `K7Q29F3M`. */
  readonly id: string;
  readonly environment: Environment;
  /** The base URL it began with, without credentials. */
  readonly destination: string;
  /** The name of the input file, without its folder. */
  readonly fileName: string;
  /** The folder the input file lay in: the files out go there. */
  readonly folder: string;
  readonly format: FileFormat;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Control totals: rows and the exact sum of the amounts that could be read. */
  readonly rows: number;
  readonly total: string;
  readonly period?: string;
  readonly guessedPeriod?: string;
  /** How the file was read (operation, encoding, empty fields …) as JSON, so that it is read the same way again. */
  readonly choices: string;
  readonly remarks: readonly string[];
  readonly phase: BatchPhase;
  readonly createdAt: number;
  /** The file in the archive that its details were moved to; none: they are here. */
  readonly archive?: string;
}

/** What the statements about rows must know of a batch. `seq`: its number in the tables. */
export interface BatchSeq {
  readonly seq: number;
  readonly environment: Environment;
  readonly period?: string;
  readonly guessedPeriod?: string;
  /** Hash of its bytes, with the sheet of a workbook. */
  readonly file?: string;
}

/** What is known of a batch when its last row was read. */
export type OpeningTotals = Pick<BatchRecord, "rows" | "total" | "remarks">;

export interface NewBatch extends Omit<BatchRecord, "rows" | "total" | "remarks" | "phase" | "archive"> {
  /** When the system says that the file was last put there or changed: nobody can set that. */
  readonly laidAt?: number;
}

export interface Tally {
  readonly rows: number;
  /** Exact sum as text. */
  readonly amount: string;
}

/** Rows and sums of a batch by the state of its rows in the journal. */
export type Tallies = Readonly<Partial<Record<RowState, Tally>>>;

/** Rows and sums of a batch by the status that a results file shows, which is not always the state in the journal. */
export type ByStatus = Readonly<Partial<Record<ResultStatus, Tally>>>;
