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
  /** A hash of the payments of its valid rows, whatever their order (DESIGN §7, rule 8). */
  readonly payments: Key;
  readonly remarks: readonly Fault[];
}

export interface BatchRecord extends NewBatch, Omit<Totals, "payments"> {
  readonly phase: Phase;
  /** The latest time that something happened to it. */
  readonly lastAt: number;
  /** Its results are to be written (again) into the folder of its file. */
  readonly owesResults: boolean;
  readonly tallies: Tallies;
  /** Ready rows whose turn was let go: on their way, if a process is at work on it. */
  readonly onItsWay: number;
}

/** One row as it is written down before anything is sent, with its keys. */
export interface NewRow extends OrNone<Omit<Judged, "row" | "inPlaceOf"> & Pick<RowRecord, Told> & Lying> {
  readonly row: number;
  readonly state: Extract<RowState, "ready" | "invalid" | "held">;
  /** Of an invalid row its faults, of a held one why it is not to go now. */
  readonly faults: readonly Fault[];
  readonly notices: readonly Fault[];
}

type OrNone<T> = { readonly [Name in keyof T]?: T[Name] | undefined };
type Told = "operation" | "option" | "amount";

export interface RowRecord extends RowName, Pick<Seen, "period" | "retryOf"> {
  readonly state: RowState;
  readonly onItsWay: boolean;
  readonly operation?: OperationName;
  readonly option?: "A" | "B";
  readonly amount?: string;
  /** The first reason of its state: a fault's code, a hold code, the reason of an outcome. */
  readonly code?: string;
  readonly faults: readonly Fault[];
  readonly notices: readonly Fault[];
  /** Of held and duplicate rows (DESIGN §7). */
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
  /** Of a shared journal: whether the commit that let it go is recent enough for it to leave now (DESIGN §13, the guard). */
  readonly mayLeave?: () => boolean;
}

export interface Committed {
  readonly leaving: readonly Leaving[];
  readonly phase: Phase;
  /** Another host has stopped the batch. */
  readonly stop?: Stop | undefined;
  /** A folder of the batch is held (STOP): nothing new goes. */
  readonly isHeld: boolean;
}

export interface BatchChange {
  readonly phase?: Phase;
  readonly destination?: string;
  readonly owesResults?: boolean;
  /** This version of the file (`identity`) at this path is the batch. */
  readonly source?: { readonly path: string; readonly identity: string };
}

/** Which batches; all given conditions hold. */
export interface BatchFilter {
  readonly id?: string;
  /** Ids that begin with this: people type the first letters. */
  readonly idPrefix?: string;
  readonly sha256?: string;
  readonly environment?: Environment;
  /** Rows of them were let go, to this base URL. */
  readonly wentTo?: string;
  readonly folders?: readonly string[];
  /** Taken from this very path. */
  readonly path?: string;
  /** Open ones with rows that the next run sends, or that are on their way, and any that owe results. */
  readonly isUnfinished?: boolean;
  /** With `isUnfinished`: rows that were rejected for one of these reasons are sent by the next run, too. */
  readonly rejectedFor?: readonly string[];
}

export interface RowFilter {
  readonly batch?: string;
  readonly environment?: Environment;
  readonly states?: readonly RowState[];
  /** Rows whose first reason is one of these. */
  readonly codes?: readonly string[];
  readonly rows?: readonly number[];
  /** Page on from here: rows of one batch behind this one. */
  readonly after?: number;
  readonly limit?: number;
}

/** What is kept beside payments (DESIGN §14): who may sign in, who is signed in, which file somebody brought, what people were told. */
export type KeptKind = "account" | "session" | "upload" | "notice";

export interface Kept<T> {
  readonly name: string;
  readonly value: T;
}

/** What the journal itself knows, for the folder's mark (I12) and the clock of the rules. */
export interface JournalFacts {
  readonly stateId: string;
  /** Rows that were ever let go. */
  readonly letGo: number;
  /** Those of batches of the folder that was asked for. */
  readonly letGoHere: number;
  /** The latest time that it knows. */
  readonly lastAt: number;
  /** Secret of the keyed hashes: 32 bytes in hex. */
  readonly keySecret: string;
}

/**
 * The durable memory of what was sent and answered (DESIGN §1, §3). Every call that resolves is durable. Calls are
 * shaped as arrays, so that a group is one transaction and one fsync. It knows no rule of DESIGN §7: it finds what the
 * rules ask for, and writes down what they say.
 */
export interface JournalStore {
  facts(folder?: string): Promise<JournalFacts>;
  /** I4, under the instance lock: ready rows at or below the mark become unknown, batches half written down go. */
  recover(who: Who): Promise<{ readonly unknown: readonly RowName[] }>;

  /** Phase `recording`. */
  addBatch(batch: NewBatch): Promise<void>;
  /** A page of rows, in row order; each gets the next turn. */
  addRows(batch: string, rows: readonly NewRow[]): Promise<void>;
  /** All rows are in: enters their keys. Still `recording`, and seen by no other batch. */
  endRows(batch: string, totals: Totals): Promise<void>;
  /** A recorded batch is opened inside `judging` only, together with the verdicts on its rows (I14). */
  setBatch(batch: string, change: BatchChange, act?: Act): Promise<void>;
  /** Of a file that was refused while its rows were written down. */
  dropBatch(batch: string): Promise<void>;
  /** The oldest first. One that is being recorded is found by its id only. */
  batches(filter: BatchFilter): Promise<readonly BatchRecord[]>;
  rows(filter: RowFilter): Promise<readonly RowRecord[]>;

  /** I14: one at a time over all processes of this journal; the work sees and writes through this store. Not to be nested. */
  judging<T>(work: () => Promise<T>): Promise<T>;
  /**
   * The rows to judge, in row order, and for each the other rows of the environment, but for batches being recorded: those
   * with its payment or its reference that went, go, or wait for a person (of this batch only rows before it, duplicates as
   * well), unless two references or two periods of one form tell them apart; and its corrections, whatever became of them:
   * the row that `retryOf` names, or `inPlaceOf`, the one that that row names in its turn and so on, and all rows that
   * correct it or one of those, one after the other. At most 200 for each key, the newest ones. Pages have the rows that are ready, held or
   * duplicate, and not on their way; `isConcerned`: of the ready ones only those that a payment, a reference or a
   * correction ties to another row.
   */
  seen(
    batch: string,
    rows: {
      readonly after?: number;
      readonly limit?: number;
      readonly rows?: readonly number[];
      readonly isConcerned?: boolean;
    },
    /** For rule 6: rows with the same payee in these batches, too. */
    corrected: readonly string[],
  ): Promise<readonly SeenRow[]>;
  /** Other batches, but for those being recorded, with payments of this batch, or with rows that it names by `retryOf`. */
  overlaps(batch: string): Promise<readonly Overlap[]>;
  /**
   * By operation, for the cap of a day: what went since then in its environment, is on its way there, or is ready: in it,
   * and in batches whose runs began before its own and have no end, for those go as well.
   */
  sumsOfDay(batch: string, since: number): Promise<Readonly<Record<string, Tally>>>;
  /**
   * Moves rows, all that are still in `from` and not on their way, with the act that moves them; gives the rows that were
   * moved, which the act then names. What becomes ready gets a new turn at the end: inside `judging` only (I14).
   */
  move(batch: string, moves: readonly Move[], act?: Act): Promise<readonly number[]>;

  /**
   * I2, I8: outcomes in, and the mark up for as many ready rows as lanes are free, in one durable commit. `freeLanes` counts
   * the lanes of these outcomes, and not those of rows that were let go and have none yet. Rejects with PaydropError
   * `journal` where the journal failed; outcomes may be given once more then, with no free lanes: what can be saved is saved.
   */
  commit(batch: string, outcomes: readonly Outcome[], freeLanes: number): Promise<Committed>;
  beginRun(batch: string, who: Who, at: number): Promise<number>;
  /** A run that ends with a word: ready rows at or below the mark get new turns. */
  endRun(
    run: number,
    ended: Required<Pick<Run, "endedAt" | "exitCode" | "requests">> & Pick<Run, "stop">,
  ): Promise<void>;
  runs(batch: string): Promise<readonly Run[]>;
  acts(filter: { readonly batch?: string; readonly since?: number }): Promise<readonly Act[]>;

  /** The batch that this version of the file at this path was taken as. */
  sourceOf(path: string, identity: string): Promise<string | undefined>;
  /** Folders that are held: by a STOP file until a person resumes them. */
  heldFolders(): Promise<readonly { readonly folder: string; readonly reason: string; readonly at: number }[]>;
  holdFolder(folder: string, reason: string | undefined, act: Act): Promise<void>;

  /** Writes down, replaces or (undefined) removes one thing that is no payment, with the act that does so. */
  keep(kind: KeptKind, name: string, value: object | undefined, act?: Act): Promise<void>;
  /** All of a kind, or the one of that name, by name. */
  kept<T extends object>(kind: KeptKind, name?: string): Promise<readonly Kept<T>[]>;

  /** Removes answers and faults of batches that ended before; gives their ids, so that their private copies go, too. */
  purge(before: number): Promise<readonly string[]>;
  /** A copy of the journal while it is in use. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
  /** Of a journal that several hosts share (DESIGN §13): there rows leave by shares, and not by `commit`. */
  readonly hosts?: Hosts;
}

/** What hosts that share a journal do beside it. All times are by the clock of its server. */
export interface Hosts {
  /** This process: `pay1:4711:k3f9`. */
  readonly me: string;
  /** Of a batch that is written down: its private copies and its payloads, encrypted, for the other hosts. */
  keepCopies(batch: string, copies: ReadonlyMap<string, string>, spool: string): Promise<void>;
  /** Puts a private copy at this path where none is. Rejects with PaydropError `copy_missing`. */
  bringCopy(sha256: string, path: string): Promise<void>;
  /** A share to send, of this batch or of any; undefined: none is free. What dead hosts held is taken over first. */
  claim(which: {
    readonly batch?: string;
    readonly destination: string;
    readonly environment: Environment;
    readonly lanes: number;
    readonly concurrency: number;
  }): Promise<Share | undefined>;
  /** Where a batch stands that is being sent by shares. */
  progress(batch: string): Promise<Progress>;
  /** Lets nothing more of a batch go, on any host, until its next run. */
  stop(batch: string, stop: Stop): Promise<void>;
  /** Batches that are being sent to this destination and have shares that nobody holds. */
  open(
    destination: string,
    environment: Environment,
  ): Promise<readonly { readonly batch: string; readonly share: number }[]>;
  /** Takes what only one host does at a time, or keeps it: renewed until it is given back, lost when this process ends. */
  lease(name: string): Promise<boolean>;
  giveBack(name: string): Promise<void>;
  /** Reserves so many starts of requests; milliseconds until the first one may be, each `1000 / rate` after the one before. */
  reserve(destination: string, starts: number, rate: number): Promise<number>;
  /** Milliseconds until nothing of a row can be on the wire any more whose host was lost; 0: now. */
  quietIn(batch: string, row: number, timeoutMs: number): Promise<number>;
  /** Who is here, since when, and what each holds. */
  all(): Promise<readonly HostRecord[]>;
}

/** `held`: shares that some host has; `ready`: rows; `letGo`: rows that were ever let go. */
export interface Progress {
  readonly held: number;
  readonly ready: number;
  readonly letGo: number;
  readonly phase: Phase;
  readonly isHeld: boolean;
  readonly stop?: Stop;
}

export interface HostRecord {
  readonly host: string;
  readonly name: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly seenAt: number;
  /** Since then, by the clock of the server. */
  readonly silentMs: number;
  readonly shares: readonly {
    readonly batch: string;
    readonly share: number;
    readonly lanes: number;
    readonly since: number;
  }[];
  readonly leases: readonly string[];
}

/** A share that this process holds. */
export interface Share {
  readonly batch: string;
  readonly share: number;
  /** Requests of it in flight at most. */
  readonly lanes: number;
  /** A row of this run was accepted already: nothing has to go alone. */
  readonly isProven: boolean;
  readonly spool: { read(lying: Lying): string };
  /** As `JournalStore.commit`. What another host holds by now lets nothing go, and its outcomes are kept as late answers. */
  commit(outcomes: readonly Outcome[], freeLanes: number): Promise<Committed & { readonly isLost: boolean }>;
  /** Gives it back, with a word: what was let go and did not leave gets new turns. */
  end(): Promise<void>;
}

export interface SeenRow {
  readonly row: Judged & Pick<Seen, "state"> & Partial<Pick<RowRecord, "amount" | "faults" | "reasons">>;
  readonly others: readonly Seen[];
}

export interface Overlap {
  readonly batch: BatchRecord;
  /** Rows of the batch that is judged whose payment it has, too. */
  readonly shared: number;
  /** Its payments are the very same. */
  readonly isSame: boolean;
  /** Rows of the batch that is judged name rows of it by `retryOf`. */
  readonly isNamed: boolean;
}
