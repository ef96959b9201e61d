import { constants } from "node:os";
import type { ReaderFaultCode } from "./reader/refusals.ts";

/**
 * What a program can branch on. A fault of a row is a value (`Fault`); an error is thrown when the work cannot go on.
 *
 * - `usage`: the call, or a file that is not there; `config`: an option or a setting
 * - `file_refused`: the file is broken (FileRefusedError); `stopped`: it is still being written. Nothing was sent
 * - `locked`: another run has the state directory; `destination`: the batch began at another address
 * - `journal`: the state directory or its disk; `results_unwritable`: the results, while payments are as they were
 */
export type ErrorCode =
  "usage" | "config" | "file_refused" | "journal" | "locked" | "destination" | "results_unwritable" | "stopped";

/**
 * What paydrop throws: `code` says what to branch on, `hint` what to do. Neither holds a key or a full account number.
 */
export class PaydropError extends Error {
  readonly code: ErrorCode;
  /** What to do about it, for a person; may be empty. */
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint = "", options?: ErrorOptions) {
    super(message, options);
    this.name = "PaydropError";
    this.code = code;
    this.hint = hint;
  }
}

/** What is remembered of one batch cannot be trusted. The journal itself is whole: other batches go on. */
export class OneBatchError extends PaydropError {
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super("journal", message, hint, options);
  }
}

/** What is kept of one batch is missing or damaged. */
export class CopyGoneError extends OneBatchError {}

/** I12: what may tell of what was sent cannot be read. */
export class UnreadPlaceError extends PaydropError {
  constructor(message: string, hint: string, options: ErrorOptions) {
    super("journal", message, hint, options);
  }
}

/** What a whole file is refused for, beside the faults that its reader finds (`READER_FAULT_CODES`). */
export const FILE_FAULT_CODES = [
  ...(["operation_unknown", "operation_ambiguous", "operation_mismatch"] as const),
  ...(["column_missing", "column_misspelt", "columns_change"] as const),
  ...(["mapping_ambiguous", "mapping_differs", "mapping_headerless", "mapping_unconfirmed", "mapping_unit"] as const),
  ...(["control_rows_differ", "control_total_differs", "control_missing", "control_malformed"] as const),
  ...(["file_over_cap", "day_over_cap", "encoding_differs", "period_malformed"] as const),
  ...(["own_results_file", "retry_not_corrected", "archived", "name_unfit"] as const),
] as const;

/** One reason why a whole file is refused. `row` as a spreadsheet shows it; `column` by its own header. */
export interface FileFault {
  /** `list_…`, with the column, and `twice` are faults of a list to settle by. */
  readonly code: ReaderFaultCode | (typeof FILE_FAULT_CODES)[number] | `list_${string}` | "twice";
  readonly row?: number;
  readonly column?: string;
  readonly message: string;
  readonly hint: string;
}

/** A broken file is refused whole and nothing of it is sent. */
export class FileRefusedError extends PaydropError {
  readonly file: string;
  readonly faults: readonly FileFault[];
  /** The batch that the file was taken as before, if it was: what was sent of it stays as it was. */
  readonly batch: string | undefined;

  constructor(file: string, faults: readonly FileFault[], batch?: string) {
    super("file_refused", faults.map((fault) => describeFileFault(file, fault)).join("\n"), faults[0]?.hint);
    this.name = "FileRefusedError";
    this.file = file;
    this.faults = faults;
    this.batch = batch;
  }
}

/** `payroll.csv: row 14, column amount: …`: the place, then what was found. */
export function describeFileFault(file: string, fault: FileFault): string {
  const place = [fault.row === undefined ? "" : `row ${fault.row}`, fault.column ? `column ${fault.column}` : ""];
  const where = place.filter(Boolean).join(", ");
  return `${file}: ${where ? `${where}: ` : ""}${fault.message}`;
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return named(thrown instanceof Error ? thrown.message : String(thrown));
}

/** What paydrop or the system says of a file that cannot be read; anything else thrown is a bug. */
export function isFileTrouble(thrown: unknown): boolean {
  return thrown instanceof PaydropError || systemCodeOf(thrown) !== undefined;
}

/** The system error code (`ENOENT`) of anything thrown, if it has one. */
export function systemCodeOf(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? named(code) : undefined;
}

/** Node has no name for some errors of the system, such as EDQUOT and ESTALE, and says their number twice. */
function named(said: string): string {
  return said.replace(/Unknown system error -(\d+)(?:: Unknown system error -\1)?/, (whole, number: string) => {
    return Object.entries(constants.errno).find(([, one]) => one === Number(number))?.[0] ?? whole;
  });
}

/**
 * A refusal of the system that nobody foresaw (a failing disk, too many open files) as PaydropError; anything else
 * unchanged.
 */
export function foreseen(thrown: unknown): unknown {
  if (thrown instanceof PaydropError || !isRefusal(systemCodeOf(thrown) ?? "")) return thrown;
  const hint =
    "look at the disk (space, rights, health) and at the limits (open files, threads), then run again; " +
    "nothing that was sent is forgotten";
  return new PaydropError("journal", `the system refused: ${messageOf(thrown)}`, hint, { cause: thrown });
}

/** No list knows which error codes a disk, a network share or a file system of a program may give. */
function isRefusal(code: string): boolean {
  return OF_SYSTEM.test(code) && !OF_OUR_CALL.includes(code);
}

/** `ERR_WORKER_INIT_FAILED`: a thread could not be made. */
const OF_SYSTEM = /^(?:E[A-Z0-9]+|Unknown system error .+|ERR_WORKER_INIT_FAILED)$/;
/** Codes that say that our call made no sense: a mistake of ours. */
const OF_OUR_CALL: readonly string[] = ["ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ENOTEMPTY", "EINVAL", "EBADF"];
