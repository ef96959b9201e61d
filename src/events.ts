import type { RowName } from "./checks/correction.ts";
import type { AmountUnit } from "./config/mapping.ts";
import type { ByStatus, Tally } from "./journal/batch-record.ts";
import type { ResultStatus } from "./journal/state.ts";
import type { OperationName } from "./operations/operation.ts";

/** Totals of one debit account, masked where it is an account number. */
export interface AccountTotals {
  readonly account: string;
  readonly total: Tally;
  readonly byStatus: ByStatus;
}

/** The column mapping that a file is read by; `amount` where its unit is not the one that travels. */
export interface MappingSaid {
  readonly name: string;
  readonly amount?: {
    readonly unit: AmountUnit;
    /** The first row that shows it. */
    readonly row: number;
    readonly read: string;
    readonly sent: string;
  };
}

/** Rows of a file that correct rows of earlier ones; nothing in it is in clear. */
export interface CorrectionsSaid {
  readonly rows: number;
  /** How many of these rows pay another account than the row that they correct. */
  readonly payeesChanged: number;
  /** What changed in rows with another payee, by their operations: `payee account`, `payer`, `borrower`. */
  readonly others: readonly string[];
  /** The first of them: `{row: 2, corrects: "row 14 of batch K7Q29F3M: bank_acc_num ••4471 → ••4417"}`. */
  readonly first: readonly { readonly row: number; readonly corrects: string }[];
}

/**
 * Every reason for which a run ends before its last row. Tables that are keyed by it list all reasons, or say why some
 * are missing.
 */
export type StopCode =
  // the key, the address or the connection: no row would fare better
  | "key_refused"
  | "address_refused"
  | "certificate_refused"
  | "no_tls"
  | "local_error"
  | "unreachable"
  | "rate_limited"
  // something else than the service answers, or nothing answers clearly
  | "redirect"
  | "html_answer"
  | "unknown_in_a_row"
  // the rows of this one batch
  | "same_refusal"
  | "day_over_cap"
  | "reads_otherwise"
  // another file of the run, or whoever listens to it
  | "work_failed"
  // people
  | "signal"
  | "stop_file"
  | "paused"
  | "cancelled"
  | "folder_held";

/** Why a run ended before its last row. */
export interface Stop {
  readonly code: StopCode;
  /** A sentence for a person. */
  readonly message: string;
  readonly hint: string;
  /** The operation whose endpoint gave the reason, where one did: it says nothing of other operations. */
  readonly operation?: OperationName;
}

/** What a run tells while it works; the commands turn it into progress, plain lines or JSON lines. */
export type RunEvent =
  | {
      readonly type: "start";
      readonly batch: string;
      readonly file: string;
      /** `payout, option B`; `mixed`. */
      readonly operation: string;
      readonly destination: string;
      /** What was stated for the whole file. */
      readonly period?: string;
      readonly mapping?: MappingSaid;
      readonly rows: number;
      readonly total: string;
      readonly accounts: readonly AccountTotals[];
      /** Told when the file is taken in. */
      readonly corrections?: CorrectionsSaid;
      /** Rows that will be sent in this run. */
      readonly toSend: number;
      /** The batch had been begun by an earlier run. */
      readonly resumed: boolean;
    }
  | {
      readonly type: "row";
      readonly batch: string;
      readonly row: number;
      readonly status: ResultStatus;
      readonly reason: string;
      readonly httpStatus?: number;
      readonly amount: string;
      readonly attempts: number;
      /** Milliseconds since 1970. */
      readonly sentAt?: number;
      readonly durationMs?: number;
      /** The row went alone, as each one does until a row was accepted or refused for its own sake. */
      readonly alone: boolean;
    }
  | { readonly type: "waiting"; readonly batch: string; readonly reason: string; readonly waitMs: number }
  | { readonly type: "stopped"; readonly batch: string; readonly stop: Stop; readonly remaining: number };

/** What became of a batch when a run of it ended. */
export interface BatchReport {
  readonly batch: string;
  readonly file: string;
  /** What was stated for the whole file. */
  readonly period?: string;
  readonly operation: string;
  readonly destination: string;
  /** Control totals, equal to the sums over all states (I13). */
  readonly total: Tally;
  readonly byStatus: ByStatus;
  readonly accounts: readonly AccountTotals[];
  /** Requests of this run that may have left the machine. */
  readonly requests: number;
  /** When the file was taken in, milliseconds since 1970; only where this run had nothing to send, because an earlier one sent what could go. */
  readonly sentBefore?: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly stop?: Stop;
  /** Set where a person said that nothing more of the batch goes: until `paydrop resume`, or never. */
  readonly phase?: "paused" | "cancelled";
  readonly files: WrittenFiles;
  readonly remarks: readonly string[];
  /**
   * Rejected rows that were refused for the key or the address: the next run sends them. Left out where there are none.
   */
  readonly goesAgain?: number;
  /**
   * Set where held rows may be another month's payments and no period is stated: the month in the file's name, else
   * `YYYY-MM`.
   */
  readonly asksPeriod?: string;
  /** Where no held row can be released yet: what the first of them waits for. */
  readonly waitsFor?: RowName;
  /** The batch was taken up by its id, not by its file, which may be gone by now, or be another batch's. */
  readonly isById?: true;
  /** Rows of a few kinds that a person must look at, the first of each: `{unknown: [91, 164]}`. */
  readonly rowsToLookAt: Readonly<Partial<Record<ResultStatus, readonly number[]>>>;
  /** The exit code that `paydrop run` would have for this batch alone. */
  readonly exitCode: number;
}

/** Paths of the files out; `elsewhere` says why they are not beside the input. */
export interface WrittenFiles {
  readonly results?: string;
  readonly retry?: string;
  /** How many rows the retry file holds. */
  readonly retryRows?: number;
  readonly summary?: string;
  /** Where a person had changed the results that were there: the path at which that version is kept. */
  readonly kept?: string;
  readonly elsewhere?: string;
  /**
   * What keeps them elsewhere may end without them: a full disk, a missing right, a program that has the file open, or a
   * file that is not ours and has their name. Then they come.
   */
  readonly mayComeLater?: true;
}
