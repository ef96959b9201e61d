import type { FileFormat } from "../../format.ts";
import type { BatchPhase, BatchRecord, Environment } from "../batch-record.ts";

/** A batch as its table has it. */
export interface BatchColumns {
  readonly seq: number;
  readonly id: string;
  readonly environment: Environment;
  readonly destination: string;
  readonly file_name: string;
  readonly folder: string;
  readonly format: FileFormat;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly period: string | null;
  readonly guessed_period: string | null;
  readonly choices: string;
  readonly rows: number;
  readonly total: string;
  readonly remarks: string;
  readonly phase: BatchPhase;
  readonly created_at: number;
  readonly archive: string | null;
}

/** SQL: the batch that the statement calls `batch` is written down in full and judged: it is remembered for good. */
export function wasOpened(batch: string): string {
  return `${batch}.phase <> 'recording'`;
}

/** SQL: the period is a plain month such as `2026-11`: two of them that differ are surely two months. */
export function isMonth(period: string): string {
  return `${period} GLOB '20[0-9][0-9]-[01][0-9]'`;
}

export function asBatches(rows: readonly unknown[]): BatchRecord[] {
  return (rows as readonly BatchColumns[]).map(asBatch);
}

function asBatch(row: BatchColumns): BatchRecord {
  return {
    id: row.id,
    environment: row.environment,
    destination: row.destination,
    fileName: row.file_name,
    folder: row.folder,
    format: row.format,
    sha256: row.sha256,
    sizeBytes: row.size_bytes,
    rows: row.rows,
    total: row.total,
    ...(row.period === null ? {} : { period: row.period }),
    ...(row.guessed_period === null ? {} : { guessedPeriod: row.guessed_period }),
    choices: row.choices,
    remarks: JSON.parse(row.remarks) as string[],
    phase: row.phase,
    createdAt: row.created_at,
    ...(row.archive === null ? {} : { archive: row.archive }),
  };
}
