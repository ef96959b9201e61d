import type { ResultStatus, RowState } from "../journal/state.ts";

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

/** What results call a state of the journal: a row whose answer is awaited has no clear answer yet (I4). */
export function statusOf(state: RowState): ResultStatus {
  if (state === "ready") return "not_sent";
  return state === "sending" ? "unknown" : state;
}
