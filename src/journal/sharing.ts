import type { Lying } from "../checks/spool.ts";
import type { Stop } from "../messages/outcomes.ts";
import type { Environment, HoldOfBatch, Outcome, Phase } from "./records.ts";

/** What hosts that share a journal do beside it; where there is only one, nothing. All times are by the journal's clock. */
export interface Hosts {
  /** This process: `pay1:4711:k3f9`. */
  readonly me: string;
  /** Of a batch that is written down: its private copies and its payloads, encrypted, for the other hosts. */
  keepCopies(batch: string, copies: ReadonlyMap<string, string>, spool: string): Promise<void>;
  /** Puts a private copy at this path where none is. Rejects with PaydropError `copy_missing`. */
  bringCopy(sha256: string, path: string): Promise<void>;
  /** Takes what only one host does at a time, or keeps it: renewed until it is given back, lost when this process ends. */
  lease(name: string): Promise<boolean>;
  /** Whether it was still ours when leases were renewed last. */
  holds(name: string): boolean;
  giveBack(name: string): Promise<void>;
  /** Milliseconds until nothing of a row can be on the wire any more whose host was lost; 0: now. */
  quietIn(batch: string, row: number, timeoutMs: number): Promise<number>;
  /** What the server has lost of what it had confirmed (I12), where that is known, and nobody has accepted it: nothing goes. */
  loss(): Promise<string | undefined>;
  /** Hosts that may have sent rows which a new server has forgotten: nothing goes before they have looked at it. */
  waitsFor(): Promise<readonly string[]>;
  /** What time it is here and for the journal, where they are more than a minute apart: then this host judges nothing. */
  readonly clockApart: { readonly now: string; readonly server: string } | undefined;
  /** Who is here, since when, and what each holds. */
  all(): Promise<readonly HostRecord[]>;
  /** How several hosts tell each other what there is to send; one alone has nobody to tell. */
  readonly others?: OtherHosts;
}

export interface OtherHosts {
  /** Batches that are being sent to this destination and have shares that nobody holds. */
  open(
    destination: string,
    environment: Environment,
  ): Promise<readonly { readonly batch: string; readonly share: number }[]>;
  /** Reserves so many starts of requests; milliseconds until the first one may be, each `1000 / rate` after the one before. */
  reserve(destination: string, starts: number, rate: number): Promise<number>;
  /** SQL of the queue, which lies beside the journal. */
  beside(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** `held`: shares that are held; `ready`: rows that wait; `letGo`: rows that were ever let go. */
export interface Progress {
  readonly held: number;
  readonly ready: number;
  readonly letGo: number;
  readonly phase: Phase;
  /** The newest one that has begun and not ended. */
  readonly run?: number;
  readonly hold?: HoldOfBatch;
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

/** Of which batch a share is wanted. */
export interface Wanted {
  readonly batch: string;
  /** Of all of it. */
  readonly rows: number;
  readonly destination: string;
  readonly environment: Environment;
  /** Requests in flight at most by this process, and over all hosts. */
  readonly lanes: number;
  readonly concurrency: number;
}

/** What one process sends of a batch in one go, and nobody else (I9): a batch of SQLite's journal is one share. */
export interface Share {
  readonly batch: string;
  /** Requests of it in flight at most. */
  readonly lanes: number;
  /** A row of this run was accepted already: nothing has to go alone. */
  readonly isProven: boolean;
  readonly spool: { read(lying: Lying): string };
  /** When each row that was let go has its outcome: anyone may claim it. */
  end(): Promise<void>;
  /** Without a word: what was let go and has no outcome becomes unknown (I15). */
  leave(): void;
}

/** What a share asks of a commit. `freeLanes`: those of these outcomes, and not those of rows that have none yet. */
export interface Commit {
  readonly share: Share;
  readonly outcomes: readonly Outcome[];
  readonly freeLanes: number;
}
