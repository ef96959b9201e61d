import type { RowName } from "../checks/beside.ts";
import type { Lying } from "../checks/spool.ts";
import type { Judged, Key, Reason, Seen } from "../duplicates/seen.ts";
import type { ActKind } from "../messages/acts.ts";
import type { Fault } from "../messages/sentence.ts";
import type { Stop } from "../messages/outcomes.ts";
import type { OperationName } from "../operations/index.ts";
import type { FileFormat } from "../file-format.ts";
import type { Phase, RowState } from "./states.ts";

export type { Phase } from "./states.ts";
export type Environment = "live" | "test";

export interface Tally {
  readonly rows: number;
  /** Exact sum as text. */
  readonly amount: string;
}

export type Tallies = Readonly<Partial<Record<RowState, Tally>>>;

/** One batch. Times are milliseconds since 1970, UTC. */
export interface NewBatch {
  /** Eight characters, such as `K7Q29F3M`. */
  readonly id: string;
  readonly environment: Environment;
  /** The base URL it began with, without credentials. */
  readonly destination: string;
  /** The name of the input file, without its folder, and the folder: the files out go there. */
  readonly fileName: string;
  readonly folder: string;
  readonly format: FileFormat;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** What was stated for the whole file. */
  readonly period?: string;
  /** How the file was read, and what its columns are, as JSON: results are made from the snapshot with it. */
  readonly reading: string;
  readonly createdAt: number;
}

export interface Totals {
  /** Control totals: rows and the exact sum of the amounts that could be read. */
  readonly rows: number;
  readonly total: string;
  /** `payout, option B`; `mixed`. */
  readonly label: string;
  /** A hash of the payments of its valid rows, whatever their order (README §7, rule 8). */
  readonly payments: Key;
  readonly remarks: readonly Fault[];
}

export interface BatchRecord extends NewBatch, Omit<Totals, "payments"> {
  readonly phase: Phase;
  /** So many people must approve it before anything of it goes (README §14), and have, until then; 0: have not, or not any more. */
  readonly approvers: number;
  readonly approvedUntil: number;
  /** The latest time that something happened to it. */
  readonly lastAt: number;
  /** Its results are to be written (again) into the folder of its file. */
  readonly owesResults: boolean;
  readonly tallies: Tallies;
  /** Ready rows whose turn was let go: on their way, if a process is at work on it. */
  readonly onItsWay: number;
}

/** One row as it is written down before anything is sent, with its keys. */
export interface NewRow extends OrNone<Omit<Judged, "row" | "inPlaceOf" | "isCut"> & Pick<RowRecord, Told> & Lying> {
  readonly row: number;
  /** `rejected`: it corrects a rejected row, and is as that one was. */
  readonly state: Extract<RowState, "ready" | "invalid" | "held" | "rejected">;
  /** Of an invalid row its faults, of a held one why it is not to go now; the first one gives the row its code, where it has none. */
  readonly faults: readonly Fault[];
  readonly notices: readonly Fault[];
}

type OrNone<T> = { readonly [Name in keyof T]?: T[Name] | undefined };
type Told = "operation" | "option" | "amount" | "last4" | "content" | "code";

export interface RowRecord extends RowName, Pick<Seen, "payee" | "period" | "retryOf"> {
  readonly state: RowState;
  readonly onItsWay: boolean;
  readonly operation?: OperationName;
  readonly option?: "A" | "B";
  readonly amount?: string;
  /** The last four of the account or id of its payee. */
  readonly last4?: string;
  /** What stood in its cells, hidden, to be compared with a row that corrects it (`checks/as-it-was.ts`). */
  readonly content?: string;
  /** The first reason of its state: a fault's code, a hold code, the reason of an outcome. */
  readonly code?: string;
  readonly faults: readonly Fault[];
  readonly notices: readonly Fault[];
  /** Of held and duplicate rows (README §7). */
  readonly reasons: readonly Reason[];
  readonly attempts: number;
  readonly httpStatus?: number;
  readonly sentAt?: number;
  /** The same by a clock that never goes back: what the rules go by. */
  readonly wentAt?: number;
  readonly durationMs?: number;
  /** A cleaned excerpt of the answer. */
  readonly response?: string;
  /** Who settled it. */
  readonly settledBy?: string;
  /** Of an unknown row: what its host heard after another one had taken its share over (§13). */
  readonly lateAnswer?: string;
  /** The later row that corrected it and went since, of an invalid or rejected one. */
  readonly correctedBy?: RowName;
}

/** Who says or starts something. */
export interface Who {
  readonly login: string;
  readonly host: string;
  /** `--by`, where it was said. */
  readonly by?: string;
}

/** A person's word, or what the program did to rows by itself. Acts are never changed or removed. */
export interface Act extends Who {
  readonly at: number;
  readonly kind: ActKind;
  readonly batch?: string;
  readonly rows?: readonly number[];
  /** `done`, `not-done`, a folder … */
  readonly as?: string;
  /** `--reason`, `--note`. */
  readonly note?: string;
}

export interface Run extends Who {
  readonly batch: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly exitCode?: number;
  /** Requests that may have left the machine. */
  readonly requests?: number;
  /** Why it stopped before the end. */
  readonly stop?: string;
}

/** What one row becomes. `from`: the states that it may come from; a row in another one is left as it is. */
export interface Move {
  readonly row: number;
  readonly to: RowState;
  readonly from: readonly RowState[];
  /** The first one gives it its code, unless it becomes ready. */
  readonly reasons?: readonly Reason[];
}

/** What came of one try. */
export interface Outcome {
  readonly row: number;
  /** `again`: it stays ready and gets a new turn at the end (429, proven unsent, or not sent because the run stops). */
  readonly state: "accepted" | "rejected" | "unknown" | "not_sent" | "again";
  readonly code: string;
  /** All tries of this run that this outcome ends. */
  readonly tries: number;
  /** It stops the batch; `all`: and what else goes to its destination. For other hosts. */
  readonly stop?: (Stop & { readonly all: boolean }) | undefined;
  readonly httpStatus?: number | undefined;
  readonly sentAt?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly response?: string | undefined;
}

/** A row that may leave now: the commit that holds its turn is durable. */
export interface Leaving extends Lying {
  readonly row: number;
  readonly operation: OperationName;
  readonly amount: string;
  readonly attempts: number;
  /** Of a shared journal: whether the commit that let it go is recent enough for it to leave now (README §13, the guard). */
  readonly mayLeave?: () => boolean;
}

export interface Committed {
  readonly leaving: readonly Leaving[];
  readonly phase: Phase;
  /** Another host holds the share by now: it lets nothing go here, and what was heard is kept as late answers. */
  readonly isLost: boolean;
  /** Another host has stopped the batch. */
  readonly stop?: Stop | undefined;
  readonly hold?: HoldOfBatch | undefined;
}

/** Why nothing new of an open batch goes: its folder is held (STOP), or nobody approves it, or did so too long ago. */
export type HoldOfBatch = "folder_held" | "approval_wanted";
