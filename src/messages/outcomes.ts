import * as commands from "./commands.ts";
import { flag, led, typed } from "./commands.ts";
import { told, type Catalogue, type Facts, type Told } from "./sentence.ts";

const CHECK = "Check in the dashboard first";
const ASK_IT = "Ask IT; check in the dashboard first";
const BY_RETRY = "Will go when the file is run again";
const MAYBE = "It may or may not have taken the row.";

/**
 * What came of a row that was tried: `result_message` and `result_action`. Facts: `accepted` (what a 2xx means for the
 * operation), `http` (` (HTTP 503)`), `after` (` within 120 s`), `said` (`: "…"`, the words of the service), `batch`.
 */
export const OUTCOMES = {
  accepted: "{accepted}",
  accepted_incomplete: "{accepted}; the rest of the answer did not arrive",
  accepted_doubtful: "{accepted}, but its answer speaks of a problem{said} → Look at it in the dashboard",

  refused: "The service refused this row{said} → Correct and drop again",
  no_funds: [
    "The service refused this row{said} → Nothing to correct in the file.",
    led("When there are funds", commands.retryRejected),
  ],
  as_it_was: [
    "Refused before ({other}), and the row is as it was then: it was not sent → Correct it.",
    led("If nothing in it is wrong", commands.retryRejected),
  ],
  key_refused: "The service did not accept our key. No further rows were sent. → Ask IT",
  address_refused: "The service does not know this address{http}. No further rows were sent. → Ask IT",

  doubtful: `The service answered, but its answer speaks of a problem{said}. ${MAYBE} → ${CHECK}`,
  no_yes: `The service answered, but not as it does when it takes a row{said}. ${MAYBE} → ${CHECK}`,
  unreadable_answer: `We sent the row, and what was answered cannot be read. ${MAYBE} → ${CHECK}`,
  html_answer: `Something other than the service answered. The run stopped. → ${ASK_IT}`,
  redirect: `Something other than the service answered{http}. The run stopped. → ${ASK_IT}`,
  service_fault: `The service reported a fault{http}. ${MAYBE} → ${CHECK}`,
  unclear_refusal: `The service did not say clearly whether it took the row{http}. → ${CHECK}`,
  incomplete_refusal: `The service's answer{http} broke off. ${MAYBE} → ${CHECK}`,
  malformed_answer: `We sent the row, but the answer could not be read. → ${CHECK}`,
  no_answer: `We sent the row but got no answer{after} → ${CHECK}`,
  connection_broken: `The connection broke while we waited for the answer. → ${CHECK}`,
  interrupted: `paydrop was stopped while this row was on its way. → ${CHECK}`,
  commit_lost: `The journal had forgotten what went when this row may have gone. → ${CHECK}`,
  rate_limited_unclear: `The service asked us to slow down{http}. ${MAYBE} → ${CHECK}`,

  rate_limited: `The service asked us to slow down; this row was not taken. → ${BY_RETRY}`,
  unreachable: `We could not reach the service; nothing was sent. → ${BY_RETRY}`,
  certificate_refused: "No safe connection (TLS) could be made; nothing was sent. → Ask IT",
  local_error: "This row could not be made ready on this machine; nothing was sent. → Ask IT",
} as const satisfies Catalogue;

export type OutcomeCode = keyof typeof OUTCOMES;

/** What the journal knows of a row that was tried, and what a 2xx means for its operation. */
export interface OutcomeFacts {
  readonly batch: string;
  readonly accepted: string;
  /** The row that it corrects. */
  readonly other?: string | undefined;
  readonly httpStatus?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly response?: string | undefined;
}

/** undefined: nobody knows the code any more. */
export function tellOutcome(code: string, facts: OutcomeFacts): Told | undefined {
  if (!Object.hasOwn(OUTCOMES, code)) return undefined;
  const said = wordsOf(facts.response ?? "");
  const all: Facts = {
    batch: facts.batch,
    ...{ accepted: facts.accepted, other: facts.other ?? "in an earlier file" },
    http: facts.httpStatus === undefined ? "" : ` (HTTP ${facts.httpStatus})`,
    after: facts.durationMs === undefined ? "" : ` within ${Math.max(1, Math.round(facts.durationMs / 1000))} s`,
    said: said === "" ? "" : `: "${said}"`,
  };
  return told(OUTCOMES[code as OutcomeCode], all);
}

const WORDS = /"(?:\w*(?:message|description|detail|reason)|error|title)"\s*:\s*"((?:[^"\\]|\\.)+)/i;

/** What an answer says in words, where it is JSON with a message in it, perhaps cut off; else the answer as it is. */
function wordsOf(response: string): string {
  return (WORDS.exec(response)?.[1] ?? response).replaceAll(/\\(["\\/])/g, "$1").trim();
}

const CORRECTED = "a corrected file, or the retry file";

/** Who lets a row go again (`submission/again.ts`): its state, and by what it goes again. */
export const AGAIN = {
  waiting: "ready, not sent → the next run of its file, or `paydrop resume BATCH`; a watch by itself",
  not_for_itself: `rejected for the key or the address
    → the next run of its file, or \`paydrop retry BATCH\`; a watch by itself, once the service took a row again`,
  for_itself: `rejected for itself
    → ${CORRECTED}; as it is (no funds, a wrong AES key for a while): \`paydrop retry BATCH --rejected --by NAME --reason TEXT\``,
  invalid: `invalid → ${CORRECTED}`,
  settled_not_done: "settled as not done → `paydrop retry BATCH`",
  unknown: "unknown → nothing: look it up, then `paydrop settle`",
  held: "held → `paydrop release`",
  duplicate: "duplicate → `paydrop release`, when the same payment is meant once more",
  over: "accepted, settled as done → nothing; `paydrop settle --as not-done` when the bank gave it back",
  cancelled: "cancelled → nothing: a row that must go after all goes in a new file",
} as const satisfies Catalogue;

const SAME_FILE = "run the same file again: the rest goes, nothing goes twice";
const LOOK_UP = "look the unknown row up in the service's dashboard";

/** Why a run ends before its last row. `{http}` is ` (HTTP 401)`, `{for}` is ` for payouts` where other operations may go on. */
export const STOPS = {
  key_refused: `the service did not accept our key{for}{http} → ask IT to check PAYDROP_API_KEY, then ${SAME_FILE}`,
  address_refused: [
    `the service does not know this address{for}{http} → check PAYDROP_BASE_URL, then ${SAME_FILE}`,
    led("Where that address was wrong, add", flag({ accept_destination: true })),
  ],
  redirect: `something answered with a redirect, which is never followed{http}
    → ask IT whether PAYDROP_BASE_URL is the service itself, and ${LOOK_UP}`,
  html_answer: `a web page answered instead of the service{http} → ask IT about a proxy or login page, and ${LOOK_UP}`,
  certificate_refused: `no safe connection (TLS) could be made: a certificate was refused, or none was shown; nothing was sent over it
    → ask IT to check PAYDROP_BASE_URL, its port and PAYDROP_CA_FILE, then ${SAME_FILE}`,
  local_error: [
    `a request could not be prepared on this machine; it was not sent → check the keys, then ${SAME_FILE}`,
    led("To check them", typed("doctor")),
  ],
  rate_limited: `the service kept asking us to slow down → later, or at a lower rate, ${SAME_FILE}`,
  unknown_in_a_row: `{rows:row} in a row had no clear answer → look them up in the dashboard, then ${SAME_FILE}`,
  many_unknown: `{rows:row} of the last {of} had no clear answer → look them up in the dashboard, then ${SAME_FILE}`,
  same_refusal: [
    `{rows:row} in a row were refused for the same reason
      → read the reason in the results file. A wrong account: correct the rows in the retry file. For the rest ${SAME_FILE}`,
    led("No funds, or a key that was wrong: when it is mended,", commands.retryRejected),
  ],
  unreachable: `the service could not be reached → when it is back (or the proxy, if one is set), ${SAME_FILE}`,
  signal: `it was asked to stop → ${SAME_FILE}`,
  folder_held: ["the folder is held by a file named STOP", led("to go on", commands.resumeInbox)],
  work_failed: `something else failed in the same run, and ended it → mend what was told of that, then ${SAME_FILE}`,
  day_over_cap: `with this batch the {operation} of today come to {sum}, {over} more than max_per_day ({most})
    → run the same file again tomorrow (a watched folder does it by itself), or have max_per_day raised in paydrop.toml`,
  approval_wanted: [
    `the file waits for approval by somebody who did not bring it
      → when it is approved, ${SAME_FILE} (a watched folder does it by itself)`,
    led("To approve it", commands.approve),
  ],
  paused: ["the batch was paused", led("to go on", commands.resume)],
  cancelled: "the batch was cancelled → what was not sent stays unsent",
} as const satisfies Catalogue;

export type StopCode = keyof typeof STOPS;

/** A stop as events and reports tell of it. `operation`: it says nothing of other operations. */
export interface Stop extends Told {
  readonly code: string;
  readonly operation?: string;
}

export function stopFor(code: StopCode, facts: Facts = {}, operation?: string): Stop {
  return { code, ...told(STOPS[code], facts), ...(operation === undefined ? {} : { operation }) };
}

const OF_REST: readonly string[] = [
  "same_refusal",
  "signal",
  "folder_held",
  "work_failed",
  "approval_wanted",
  "paused",
  "cancelled",
];

/** Where no row is left to go, such a stop ended nothing, and is not told. */
export function isStopOfRest(code: string): boolean {
  return OF_REST.includes(code);
}
