import { told, type Facts, type Sentence, type Told } from "./sentence.ts";

const NOTHING = "Nothing";
const CHECK = "Check in the dashboard first";
const ASK_IT = "Ask IT; check in the dashboard first";
const CORRECT = "Correct and drop again";
const BY_RETRY = "Will go when the file is run again";
const MAYBE = "It may or may not have taken the row.";

/**
 * What came of a row that was tried: `result_message` and `result_action`. Facts: `accepted` (what a 2xx means for the
 * operation), `http` (` (HTTP 503)`), `after` (` within 120 s`), `said` (`: "…"`, the words of the service), `batch`.
 */
export const OUTCOMES = {
  accepted: { text: "{accepted}", todo: NOTHING },
  accepted_incomplete: { text: "{accepted}; the rest of the answer did not arrive", todo: NOTHING },
  accepted_doubtful: {
    text: "{accepted}, but its answer speaks of a problem{said}",
    todo: "Look at it in the dashboard",
  },

  refused: { text: "The service refused this row{said}", todo: CORRECT },
  no_funds: {
    text: "The service refused this row{said}",
    todo: "Nothing to correct in the file. When there are funds: paydrop retry {batch} --rejected --by NAME --reason TEXT",
  },
  key_refused: { text: "The service did not accept our key. No further rows were sent.", todo: "Ask IT" },
  address_refused: { text: "The service does not know this address{http}. No further rows were sent.", todo: "Ask IT" },

  doubtful: { text: `The service answered, but its answer speaks of a problem{said}. ${MAYBE}`, todo: CHECK },
  html_answer: { text: "Something other than the service answered. The run stopped.", todo: ASK_IT },
  redirect: { text: "Something other than the service answered{http}. The run stopped.", todo: ASK_IT },
  service_fault: { text: `The service reported a fault{http}. ${MAYBE}`, todo: CHECK },
  unclear_refusal: { text: "The service did not say clearly whether it took the row{http}.", todo: CHECK },
  incomplete_refusal: { text: `The service's answer{http} broke off. ${MAYBE}`, todo: CHECK },
  malformed_answer: { text: "We sent the row, but the answer could not be read.", todo: CHECK },
  no_answer: { text: "We sent the row but got no answer{after}", todo: CHECK },
  connection_broken: { text: "The connection broke while we waited for the answer.", todo: CHECK },
  interrupted: { text: "paydrop was stopped while this row was on its way.", todo: CHECK },
  rate_limited_unclear: { text: `The service asked us to slow down{http}. ${MAYBE}`, todo: CHECK },

  rate_limited: { text: "The service asked us to slow down; this row was not taken.", todo: BY_RETRY },
  unreachable: { text: "We could not reach the service; nothing was sent.", todo: BY_RETRY },
  certificate_refused: { text: "No safe connection (TLS) could be made; nothing was sent.", todo: "Ask IT" },
  local_error: { text: "This row could not be made ready on this machine; nothing was sent.", todo: "Ask IT" },
} as const satisfies Readonly<Record<string, Sentence>>;

export type OutcomeCode = keyof typeof OUTCOMES;

/** What the journal knows of a row that was tried, and what a 2xx means for its operation. */
export interface OutcomeFacts {
  readonly batch: string;
  readonly accepted: string;
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
    accepted: facts.accepted,
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
  waiting: { text: "ready, not sent", todo: "the next run of its file, or `paydrop resume BATCH`; a watch by itself" },
  not_for_itself: {
    text: "rejected for the key or the address",
    todo: "the next run of its file, or `paydrop retry BATCH`; a watch by itself, once the service took a row again",
  },
  for_itself: {
    text: "rejected for itself",
    todo: `${CORRECTED}; as it is (no funds, a wrong AES key for a while): \`paydrop retry BATCH --rejected --by NAME --reason TEXT\``,
  },
  invalid: { text: "invalid", todo: CORRECTED },
  settled_not_done: { text: "settled as not done", todo: "`paydrop retry BATCH`" },
  unknown: { text: "unknown", todo: "nothing: look it up, then `paydrop settle`" },
  held: { text: "held", todo: "`paydrop release`" },
  duplicate: { text: "duplicate", todo: "`paydrop release`, when the same payment is meant once more" },
  over: {
    text: "accepted, settled as done",
    todo: "nothing; `paydrop settle --as not-done` when the bank gave it back",
  },
  cancelled: { text: "cancelled", todo: "nothing: a row that must go after all goes in a new file" },
} as const satisfies Readonly<Record<string, Told>>;
