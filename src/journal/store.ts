import type { RowName } from "../checks/beside.ts";
import type { Judged, Key, Seen } from "../duplicates/seen.ts";
import type { Fault } from "../messages/sentence.ts";
import type { Stop } from "../messages/outcomes.ts";
import type { Act, BatchRecord, Committed, Environment, Move, NewBatch, NewRow } from "./records.ts";
import type { RowRecord, Run, Tally, Totals, Who } from "./records.ts";
import type { Commit, Hosts, Progress, Share, Wanted } from "./sharing.ts";
import type { Phase, RowState, WaitingState } from "./states.ts";

export type * from "./records.ts";
export type * from "./sharing.ts";

export interface BatchChange {
  readonly phase?: Phase;
  readonly destination?: string;
  readonly owesResults?: boolean;
  /** Never fewer than before. What fewer approved until then changes nothing. */
  readonly approvers?: number;
  readonly approvedUntil?: number;
  readonly remarks?: readonly Fault[];
  /** This version of the file (`identity`) at this path is the batch. */
  readonly source?: { readonly path: string; readonly identity: string };
}

/** A key by which a search finds rows; `isPayee`: however the payee is written. */
export interface FoundBy {
  readonly key: Key;
  readonly isPayee: boolean;
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
  /** Rows of them are in one of these states: what has none is not looked at, however many there are. */
  readonly states?: readonly ("ready" | WaitingState)[];
  readonly isPaused?: true;
  /** Something of it happened since then, or happens now. */
  readonly since?: number;
  /** Rows of them have one of these keys. */
  readonly foundBy?: readonly FoundBy[] | undefined;
  /** Only so many, the newest. */
  readonly newest?: number;
}

export interface RowFilter {
  /** With the hidden texts of their payees and of what stood in them, which are only compared. */
  readonly hasHidden?: boolean;
  readonly batch?: string;
  readonly batches?: readonly string[];
  readonly environment?: Environment;
  readonly states?: readonly RowState[];
  /** Rows whose first reason is one of these. */
  readonly codes?: readonly string[];
  readonly rows?: readonly number[];
  /** With one of these keys, of batches that are named. */
  readonly foundBy?: readonly FoundBy[] | undefined;
  /** Page on from here: rows of one batch behind this one. */
  readonly after?: number;
  readonly limit?: number;
}

/**
 * What is kept beside payments (README §14): who may sign in, who is signed in, which file somebody brought, what people were
 * told; whose account a statement is of, and which of its lines are rows (§15).
 */
export type KeptKind = "account" | "session" | "upload" | "notice" | "statement" | "seen" | "came_back";

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
 * The durable memory of what was sent and answered (README §1, §3). Every call that resolves is durable. Calls are
 * shaped as arrays, so that a group is one transaction and one fsync. It knows no rule of README §7: it finds what the
 * rules ask for, and writes down what they say.
 */
export interface JournalStore {
  facts(folder?: string): Promise<JournalFacts>;
  /** What time it is, in milliseconds since 1970, for all that is judged and written down: by one clock for all hosts (§13). */
  now(): number;
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
  /** Those that files were taken from. */
  folders(): Promise<readonly string[]>;
  rows(filter: RowFilter): Promise<readonly RowRecord[]>;

  /** I14: one at a time over all processes of this journal; the work sees and writes through this store. Not to be nested. */
  judging<T>(work: () => Promise<T>): Promise<T>;
  /**
   * The rows to judge, in row order, and for each the other rows of the environment, but for batches being recorded: those
   * with its payment or its reference that went, go, or wait for a person (of this batch only rows before it, duplicates as
   * well), unless two references or two periods of one form tell them apart; and its corrections, whatever became of them:
   * the row that `retryOf` names, or `inPlaceOf`, the one that that row names in its turn and so on, and all rows that
   * correct it or one of those, one after the other. So many are read (`FOUND_MAX`) of what went or goes, of what waits, of
   * a payee and of corrections; where there are more, the row says so (`isCut`). Pages have the rows that are ready, held or
   * duplicate, and not on their way; `isConcerned`: of the ready ones only those that a payment, a reference or a
   * correction ties to another row, and those of a person whom none went to at this account.
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
   * Valid rows in row order, each beside the row of the `other` batch with its payee or person, and beside what went before
   * (README §16).
   */
  compared(
    batch: string,
    page: { readonly after: number; readonly limit: number; readonly other?: string | undefined },
  ): Promise<readonly Compared[]>;
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

  /** A share of the batch to send. undefined: none is free, or nothing of it goes now. What dead hosts held is taken over first. */
  claim(wanted: Wanted): Promise<Share | undefined>;
  /**
   * I2, I8: outcomes in, and marks up for as many ready rows as lanes are free, in one durable commit of all these shares; the
   * answers stand in their order. Rejects with PaydropError `journal` where the journal failed; outcomes may be given once
   * more then, with no free lanes: what can be saved is saved.
   */
  commit(all: readonly Commit[]): Promise<readonly Committed[]>;
  /** Where a batch stands that is being sent. */
  progress(batch: string): Promise<Progress>;
  /** Lets nothing more of a run go, on any host; where another run has begun since, that one goes on. */
  stop(batch: string, run: number, stop: Stop): Promise<void>;
  beginRun(batch: string, who: Who, at: number): Promise<number>;
  endRun(
    run: number,
    ended: Required<Pick<Run, "endedAt" | "exitCode" | "requests">> & Pick<Run, "stop">,
  ): Promise<void>;
  runs(batch: string): Promise<readonly Run[]>;
  acts(filter: {
    readonly batch?: string;
    readonly batches?: readonly string[];
    readonly since?: number;
  }): Promise<readonly Act[]>;

  /** The batch that this version of the file at this path was taken as. */
  sourceOf(path: string, identity: string): Promise<string | undefined>;
  /** Folders that are held: by a STOP file until a person resumes them. */
  heldFolders(): Promise<readonly { readonly folder: string; readonly reason: string; readonly at: number }[]>;
  holdFolder(folder: string, reason: string | undefined, act: Act): Promise<void>;

  /** Writes down, replaces or (undefined) removes one thing that is no payment, with the act that does so. */
  keep(kind: KeptKind, name: string, value: object | undefined, act?: Act): Promise<void>;
  /** All of a kind, or the one of that name, by name. */
  kept<T extends object>(kind: KeptKind, name?: string): Promise<readonly Kept<T>[]>;

  /**
   * Removes answers and faults of batches that ended before, and what people were told of them, with the act that does so: of
   * some, the oldest first, and only once of each. `after`: on from where the step before ended.
   */
  purge(before: number, act: Act, after?: number): Promise<Purged>;
  /** Of all batches: what their private copies are found by, and whether they were purged. */
  copied(): Promise<readonly Copied[]>;
  /** A copy of the journal while it is in use. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
  readonly hosts: Hosts;
}

export interface Purged {
  readonly ids: readonly string[];
  /** Where to go on: undefined after the last one. */
  readonly next?: number;
  /** Batches that were taken until then were looked at. */
  readonly until?: number;
}

export interface Copied extends Pick<BatchRecord, "id" | "sha256" | "reading"> {
  readonly isPurged: boolean;
}

export interface SeenRow {
  readonly row: Judged & Pick<Seen, "state"> & Partial<Pick<RowRecord, "amount" | "faults" | "reasons">>;
  readonly others: readonly Seen[];
}

export interface Compared extends Pick<RowRecord, "row" | "state" | "last4"> {
  readonly amount: string;
  readonly there?: { readonly row: number; readonly amount: string | null };
  /** A payment to its payee went before. */
  readonly isPayeeKnown: boolean;
  /** The last one to its person that went before, to this very payee if any did (`isHere`). */
  readonly toPerson?: { readonly last4: string | null; readonly isHere: boolean };
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
