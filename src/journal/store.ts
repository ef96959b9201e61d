import type { ActCalls } from "./act-calls.ts";
import type { ArchiveCalls } from "./archive-calls.ts";
import type { AttemptCalls } from "./attempt-calls.ts";
import type { BatchCalls } from "./batch-calls.ts";
import type { PlaceCalls } from "./place-calls.ts";

/**
 * The durable memory of what was sent and answered; the only source of truth. Asynchronous, so that another engine
 * fits. Every method that changes something has reached stable storage when its promise resolves. Whoever needs one
 * group of calls only can ask for that.
 */
export interface JournalStore extends BatchCalls, AttemptCalls, ActCalls, ArchiveCalls, PlaceCalls {
  readonly stateId: string;
  close(): Promise<void>;
}

export type { Act, BatchesAsked, WaitingBatch } from "./act-calls.ts";
export type { Begun } from "./attempt-calls.ts";
export type { HeldInbox, InboxHold, LockHolder, Mark } from "./place-calls.ts";
