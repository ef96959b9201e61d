import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { OperationName } from "../operations/operation.ts";

/** One request that the sandbox carried out. */
export interface LedgerEntry {
  /** From 1, in the order of carrying out. */
  readonly number: number;
  readonly operation: OperationName;
  /** The plaintext JSON exactly as it arrived; for a payout, as it was decrypted. */
  readonly payload: string;
  /** What the caller was told; 0 when no answer was given. */
  readonly status: number;
}

export interface Ledger {
  /** Requests carried out since the start. */
  readonly count: number;
  /** All requests that reached one of the four endpoints, carried out or refused. */
  readonly requests: number;
  /** In order; where there were more than are kept, only the newest. */
  readonly entries: readonly LedgerEntry[];
}

export interface LedgerWriter {
  received(): void;
  add(operation: OperationName, payload: string, status: number): number;
  read(): Ledger;
  close(): void;
}

/** Keeps the newest entries in memory; with a file every entry is on stable storage, one JSON line, before `add` returns. */
export function openLedger(entriesMax: number, file?: string): LedgerWriter {
  const descriptor = file === undefined ? undefined : openSync(file, "a", 0o600);
  let entries: LedgerEntry[] = [];
  let count = 0;
  let requests = 0;
  return {
    received() {
      requests += 1;
    },
    add(operation, payload, status) {
      count += 1;
      const entry = { number: count, operation, payload, status };
      if (descriptor !== undefined) {
        writeSync(descriptor, `${JSON.stringify(entry)}\n`);
        fsyncSync(descriptor);
      }
      entries.push(entry);
      // shortened now and then, not at every entry
      if (entries.length >= 2 * entriesMax + 1000) entries = entries.slice(entries.length - entriesMax);
      return count;
    },
    read() {
      return { count, requests, entries: entries.slice(Math.max(0, entries.length - entriesMax)) };
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}
