/**
 * Why a row that was attempted is in its state. Stored in the journal; the sentences a person reads are in
 * `results/sentences.ts`.
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
  | "local_error";

/** Refused not for itself: a resumed run sends it again. */
export const RESUMABLE_REFUSALS: readonly string[] = ["key_refused", "address_refused"] satisfies readonly Reason[];
