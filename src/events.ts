import type { Checked } from "./checks/check-file.ts";
import type { Environment, Tally } from "./journal/store.ts";
import type { RowState } from "./journal/states.ts";
import type { Fault } from "./messages/sentence.ts";
import type { Stop } from "./messages/outcomes.ts";
import type { Step } from "./messages/statuses.ts";
import type { SendingEvent } from "./submission/outcome.ts";

/** The states that results show: `ready` reads `not_sent` there. */
export type ResultStatus = Exclude<RowState, "ready">;

/** Rows and sums by the status that a results file shows. */
export type ByStatus = Readonly<Partial<Record<ResultStatus, Tally>>>;

/** Totals of one debit account, masked where it is an account number. */
export interface AccountTotals {
  readonly account: string;
  readonly total: Tally;
  readonly byStatus: ByStatus;
}

export type { Stop } from "./messages/outcomes.ts";

/** What was checked of a file, and how its rows were judged, before anything is sent. */
export interface CheckedFile extends Omit<Checked, "accounts"> {
  readonly environment: Environment;
  readonly destination: string;
  readonly byStatus: ByStatus;
  readonly accounts: readonly AccountTotals[];
  /** The first rows of each kind, and how many there are. */
  readonly held: readonly Fault[];
  readonly heldCount: number;
}

/** What a run tells while it works; screen and log turn it into progress, plain lines or JSON lines. */
export type RunEvent =
  | {
      readonly type: "start";
      readonly batch: string;
      readonly checked: CheckedFile;
      /** Rows that will be sent in this run, and their sum. */
      readonly toSend: number;
      readonly toSendTotal: string;
      /** The batch had been begun by an earlier run. */
      readonly resumed: boolean;
    }
  | SendingEvent
  | { readonly type: "stopped"; readonly batch: string; readonly stop: Stop; readonly remaining: number };

/** Paths of the files out; `elsewhere` says why they are not beside the input. */
export interface WrittenFiles {
  readonly results?: string | undefined;
  readonly retry?: string | undefined;
  readonly retryRows?: number | undefined;
  readonly summary?: string | undefined;
  readonly elsewhere?: string | undefined;
}

/** What became of a batch when a run of it ended. Times are milliseconds since 1970. */
export interface BatchReport {
  readonly batch: string;
  readonly file: string;
  readonly period?: string | undefined;
  readonly operation: string;
  readonly destination: string;
  /** Control totals, equal to the sums over all states (I13). */
  readonly total: Tally;
  readonly byStatus: ByStatus;
  readonly accounts: readonly AccountTotals[];
  /** Requests of this run that may have left the machine. */
  readonly requests: number;
  /** The path that was run, where what lies there is the batch's file, byte for byte, under another name. */
  readonly copy?: string | undefined;
  /** Only where this run had nothing to send, because an earlier one sent what could go: when the file was taken. */
  readonly sentBefore?: number | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly stop?: Stop | undefined;
  readonly phase?: "paused" | "cancelled" | undefined;
  readonly files: WrittenFiles;
  readonly remarks: readonly Fault[];
  readonly invalid: readonly Fault[];
  readonly held: readonly Fault[];
  /** Rejected rows that were refused for the key or the address: the next run sends them. */
  readonly goesAgain?: number | undefined;
  /** Rows of a few kinds that a person must look at, the first of each: `{unknown: [91, 164]}`. */
  readonly rowsToLookAt: Readonly<Partial<Record<ResultStatus, readonly number[]>>>;
  /** What to do next, harmless first, each with its commands. */
  readonly next: readonly Step[];
  readonly exitCode: number;
}
