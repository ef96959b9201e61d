import type { Lying } from "../checks/spool.ts";
import type { Stop } from "../messages/outcomes.ts";
import type { Committed, Environment, HoldOfBatch, Outcome, Phase } from "./records.ts";

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
  /** What the server has lost of what it had confirmed (I12), where that is known, and nobody has accepted it: nothing goes. */
  loss(): Promise<string | undefined>;
  /** Hosts that may have sent rows which a new server has forgotten: nothing goes before they have looked at it. */
  waitsFor(): Promise<readonly string[]>;
  /** Who is here, since when, and what each holds. */
  all(): Promise<readonly HostRecord[]>;
}

/** `held`: shares that some host has; `ready`: rows; `letGo`: rows that were ever let go. */
export interface Progress {
  readonly held: number;
  readonly ready: number;
  readonly letGo: number;
  readonly phase: Phase;
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
  /** Gives it back, with a word, where each row that was let go has its outcome; else it is left. */
  end(): Promise<void>;
  /** Says nothing more of it: when its lease is over, what was let go and has no outcome becomes unknown (I15). */
  leave(): void;
}
