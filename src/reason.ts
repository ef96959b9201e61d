import type { RowRecord } from "./journal/row-record.ts";

/**
 * Why a row that was attempted is in its state. Stored in the journal; the sentences a person reads are in
 * `results/words/sentences.ts`.
 */
export type Reason =
  // accepted
  | "accepted"
  | "accepted_incomplete"
  | "accepted_reports_failure"
  // rejected
  | "refused"
  | "key_refused"
  | "address_refused"
  // unknown
  | "html_answer"
  | "redirect"
  | "service_fault"
  | "unclear_refusal"
  | "incomplete_refusal"
  | "malformed_answer"
  | "no_answer"
  | "connection_broken"
  | "interrupted"
  | "rate_limited_unclear"
  // not sent
  | "rate_limited"
  | "unreachable"
  | "certificate_refused"
  | "no_tls"
  | "local_error";

/** Refusals that are not for the row itself: a resumed run sends it again (DESIGN §8). */
export const RESUMABLE_REFUSALS: readonly string[] = ["key_refused", "address_refused"] satisfies readonly Reason[];

/** Whether a rejected row goes again with the next run as it is; every other one needs a correction. */
export function isResumable({ state, code }: Pick<RowRecord, "state" | "code">): boolean {
  return state === "rejected" && RESUMABLE_REFUSALS.includes(code ?? "");
}
