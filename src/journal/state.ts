import { RESUMABLE_REFUSALS } from "../reason.ts";

/** The states of a row in the journal (DESIGN §2). In results `ready` and `not_sent` both read `not_sent`. */
export const ROW_STATES = [
  "ready",
  "sending",
  "accepted",
  "rejected",
  "unknown",
  "not_sent",
  "invalid",
  "duplicate",
  "held",
  "settled_done",
  "settled_not_done",
] as const;

export type RowState = (typeof ROW_STATES)[number];

/** The states that a results file shows. */
export type ResultStatus = Exclude<RowState, "ready" | "sending">;

/** What a person says became of a row. */
export type SettledAs = Extract<RowState, "settled_done" | "settled_not_done">;

/**
 * Every legal move and what causes it. Whoever moves a row names the state that it comes from; a move that is not here
 * is a bug or a damaged journal, and either stops everything. To `settled_done` also where an earlier attempt, settled
 * as not done, turned out to be done (`maySettle`).
 */
const LEGAL_MOVES: Readonly<Record<RowState, readonly RowState[]>> = {
  // an attempt is durable; or the check inside its transaction found the same payment elsewhere
  ready: ["sending", "duplicate", "held", "settled_done"],
  // the answer, or none
  sending: ["accepted", "rejected", "unknown", "not_sent"],
  // the bank gave the money back: settle
  accepted: ["settled_not_done"],
  // refused for the key or the address: a resumed run
  rejected: ["ready", "settled_done"],
  // a person only
  unknown: ["settled_done", "settled_not_done"],
  // bounded retry, or a resumed run
  not_sent: ["ready", "settled_done"],
  invalid: [],
  // release
  duplicate: ["ready", "duplicate", "settled_done"],
  // release, or the end of the row it was held for
  held: ["ready", "duplicate", "held", "settled_done"],
  // a person corrects a person
  settled_done: ["settled_not_done"],
  settled_not_done: ["ready", "settled_done"],
};

/** States of a row whose payment was made: the service accepted it, or a person says that it was done. */
export const PAID: readonly RowState[] = ["accepted", "settled_done"];
/** States of a row whose payment was made, or of which nobody knows that yet. */
export const MAY_BE_PAID: readonly RowState[] = [...PAID, "unknown", "sending"];

/** SQL: the row that the statement calls `row` is in one of these states. */
export function isIn(row: string, states: readonly RowState[]): string {
  return `${row}.state IN (${states.map((state) => `'${state}'`).join(", ")})`;
}

/** SQL: the row was paid. */
export function isPaid(row: string): string {
  return isIn(row, PAID);
}

/** SQL: the row was paid, or nobody knows yet. */
export function mayBePaid(row: string): string {
  return isIn(row, MAY_BE_PAID);
}

/** SQL: the row `r` was refused for the key or the address. */
export const RESUMABLE = `(r.state = 'rejected' AND r.code IN (${RESUMABLE_REFUSALS.map((reason) => `'${reason}'`).join(", ")}))`;
/** SQL: the next run sends the row `r`, of a batch that is not cancelled. */
export const STILL_GOES = `(r.state IN ('ready', 'not_sent') OR ${RESUMABLE})`;

/** Throws for an illegal move: an assertion, not a fault. */
export function assertMove(from: RowState, to: RowState): void {
  if (!LEGAL_MOVES[from].includes(to)) throw new Error(`a row may not move from ${from} to ${to}`);
}

/** What a row that a person let go again may have become without being accepted. */
const NOT_ACCEPTED_SINCE: readonly RowState[] = ["ready", "not_sent", "held", "duplicate", "rejected"];

/**
 * What a person's word may change. `wasSettled`: one of its attempts was settled before. What was settled as not done and
 * shows up at the bank after all must not go once more, whatever the retry has made of it meanwhile.
 */
export function maySettle(from: RowState, as: SettledAs, wasSettled: boolean): boolean {
  if (from === "unknown") return true;
  if (as === "settled_not_done") return from === "accepted" || from === "settled_done";
  return from === "settled_not_done" || (wasSettled && NOT_ACCEPTED_SINCE.includes(from));
}

/** The hint where a row may not be settled. */
export const MAY_NOT_SETTLE =
  "only an unknown row can be settled, or an accepted one that the bank gave back (as not-done); nothing was settled";
