import type { ResultStatus, RowState } from "../../journal/state.ts";
import type { BatchPhase, ByStatus, Tally } from "../../journal/batch-record.ts";

/** Every status of a results file, in the order in which people are told of them. */
export const RESULT_STATUSES = [
  "accepted",
  "rejected",
  "unknown",
  "not_sent",
  "invalid",
  "held",
  "duplicate",
  "settled_done",
  "settled_not_done",
] as const satisfies readonly ResultStatus[];

/**
 * What people read for a state of a row. What happened to one row of it, with the reason, is said by `row-words.ts`; where
 * several states share a column or a line, that has a heading of its own.
 */
export const STATE_WORDS: Readonly<Record<RowState, string>> = {
  ready: "ready",
  sending: "being sent",
  accepted: "accepted",
  rejected: "rejected",
  unknown: "unknown",
  not_sent: "not sent",
  invalid: "invalid",
  held: "held",
  duplicate: "duplicate",
  settled_done: "settled as done",
  settled_not_done: "settled as not done",
};

/** `settled not done`: the very words of the results file, for whoever looks the row up there. */
export function asInResults(state: RowState): string {
  return state.replaceAll("_", " ");
}

const STATUS_NOTES: Readonly<Record<ResultStatus, string>> = {
  accepted: "the service took the request; not proof that money arrived",
  rejected: "correct and drop again",
  unknown: "DO NOT SEND AGAIN before you checked",
  not_sent: "nothing was sent",
  invalid: "correct and drop again",
  held: "a person must decide",
  duplicate: "accepted before; nothing to do",
  settled_done: "a person looked it up",
  settled_not_done: "may go again",
};

/** What a status means to a person, in half a line. What a person cancelled waits for nobody. */
export function statusNote(status: ResultStatus, phase?: BatchPhase): string {
  return phase === "cancelled" && UNSENT_STATES.includes(status) ? STAYS_UNSENT : STATUS_NOTES[status];
}

/** What a batch that is cancelled leaves unsent. */
export const UNSENT_STATES: readonly RowState[] = ["ready", "not_sent", "held", "settled_not_done"];
export const STAYS_UNSENT = "cancelled: stays unsent";

/** Whether anything of a batch that a person stopped did not go. `resumable`: rejected rows that a resumed run sends. */
export function isAnyUnsent(rows: Readonly<Partial<Record<RowState, Tally>>>, resumable = 0): boolean {
  return rowsIn(rows, ...UNSENT_STATES) + resumable > 0;
}

/** A row that was refused for the key or the address needs no correction: the next run sends it, unless it is cancelled. */
export function rejectedNote(rows: number, goAgain: number, phase?: BatchPhase): string {
  if (goAgain === 0) return STATUS_NOTES.rejected;
  if (phase === "cancelled")
    return goAgain === rows ? STAYS_UNSENT : `${STATUS_NOTES.rejected}, but for ${goAgain} that stay unsent`;
  if (goAgain === rows) return "not for its own sake: goes again with the next run";
  return `${STATUS_NOTES.rejected}, but for ${goAgain} that the next run sends`;
}

/** Of these statuses those that occur, with their rows and sums. */
export function occurringIn(byStatus: ByStatus, statuses: readonly ResultStatus[] = RESULT_STATUSES) {
  return statuses.flatMap((status): [ResultStatus, Tally][] => {
    const tally = byStatus[status];
    return tally ? [[status, tally]] : [];
  });
}

/** How many rows are in these states, or have these statuses. */
export function rowsIn<S extends RowState>(
  tallies: Readonly<Partial<Record<S, Tally>>>,
  ...states: readonly S[]
): number {
  return states.reduce((sum, state) => sum + (tallies[state]?.rows ?? 0), 0);
}

/** `{accepted: 235, rejected: 3}`: the rows of each that occurs. */
export function countsOf(tallies: Readonly<Record<string, Tally>>): Record<string, number> {
  return Object.fromEntries(Object.entries(tallies).map(([name, { rows }]) => [name, rows]));
}

/** A person cancelled the batch, and this run sent nothing of it: what is left of it waits for nobody. */
export function isLeftUnsent(phase: BatchPhase | undefined, requests: number): boolean {
  return phase === "cancelled" && requests === 0;
}

/** What results call a state of the journal: a row whose answer is awaited has no clear answer yet (I4). */
export function statusOf(state: RowState): ResultStatus {
  if (state === "ready") return "not_sent";
  return state === "sending" ? "unknown" : state;
}
