import { told, type Facts, type Sentence } from "./sentence.ts";

/** Why a run ends before its last row. `isOfRest`: it says nothing where no row is left. */
interface StopSentence extends Sentence {
  readonly isOfRest?: true;
}

const AGAIN = "run the same file again: the rest goes, nothing goes twice";
const LOOK_UP = "look the unknown row up in the service's dashboard";

/** `{http}` is ` (HTTP 401)`, `{for}` is ` for payouts` where other operations may go on. */
export const STOPS = {
  key_refused: {
    text: "the service did not accept our key{for}{http}",
    todo: `ask IT to check PAYDROP_API_KEY, then ${AGAIN}`,
  },
  address_refused: {
    text: "the service does not know this address{for}{http}",
    todo: `check PAYDROP_BASE_URL, then, with --accept-destination where it was wrong, ${AGAIN}`,
  },
  redirect: {
    text: "something answered with a redirect, which is never followed{http}",
    todo: `ask IT whether PAYDROP_BASE_URL is the service itself, and ${LOOK_UP}`,
  },
  html_answer: {
    text: "a web page answered instead of the service{http}",
    todo: `ask IT about a proxy or login page in between, and ${LOOK_UP}`,
  },
  certificate_refused: {
    text: "no safe connection (TLS) could be made: a certificate was refused, or none was shown; nothing was sent over it",
    todo: `ask IT to check PAYDROP_BASE_URL, its port and PAYDROP_CA_FILE, then ${AGAIN}`,
  },
  local_error: {
    text: "a request could not be prepared on this machine; it was not sent",
    todo: `check the keys with \`paydrop doctor\`, then ${AGAIN}`,
  },
  rate_limited: { text: "the service kept asking us to slow down", todo: `later, or with a lower --rate, ${AGAIN}` },
  unknown_in_a_row: {
    text: "{rows:row} in a row had no clear answer",
    todo: `look these rows up in the service's dashboard, then ${AGAIN}`,
  },
  same_refusal: {
    text: "{rows:row} in a row were refused for the same reason",
    todo: `read the reason in the results file. A wrong account: correct the rows in the retry file. No funds, or a key that was wrong: when it is mended, \`paydrop retry BATCH --rejected --by NAME --reason TEXT\`. For the rest ${AGAIN}`,
    isOfRest: true,
  },
  unreachable: {
    text: "the service could not be reached",
    todo: `when it is back (or the proxy, where HTTPS_PROXY is set), ${AGAIN}`,
  },
  signal: { text: "it was asked to stop", todo: AGAIN, isOfRest: true },
  folder_held: {
    text: "the folder is held: a file named STOP was put into it",
    todo: "a person lets it go on with `paydrop resume --inbox DIR --by NAME`",
    isOfRest: true,
  },
  work_failed: {
    text: "something else failed in the same run, and ended it",
    todo: `mend what was told of that, then ${AGAIN}`,
    isOfRest: true,
  },
  day_over_cap: {
    text: "with this batch the {operation} of today come to {sum}, {over} more than max_per_day ({most})",
    todo: "run the same file again tomorrow (a watched folder does it by itself), or have max_per_day raised in paydrop.toml",
  },
  paused: { text: "the batch was paused", todo: "go on with `paydrop resume`", isOfRest: true },
  cancelled: { text: "the batch was cancelled", todo: "what was not sent stays unsent", isOfRest: true },
} as const satisfies Readonly<Record<string, StopSentence>>;

export type StopCode = keyof typeof STOPS;

/** A stop as events and reports tell of it. `operation`: it says nothing of other operations. */
export interface Stop {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly operation?: string;
}

export function stopFor(code: StopCode, facts: Facts = {}, operation?: string): Stop {
  const { text, todo } = told(STOPS[code], facts);
  return { code, message: text, hint: todo, ...(operation === undefined ? {} : { operation }) };
}

/** Where no row is left to go, such a stop ended nothing, and is not told. */
export function isStopOfRest(code: string): boolean {
  return Object.hasOwn(STOPS, code) && "isOfRest" in STOPS[code as StopCode];
}
