import type { Stop, StopCode } from "../events.ts";
import type { Operation } from "../operations/operation.ts";
import type { Outcome, ReasonToStop } from "./outcome.ts";

const UNKNOWN_MAX = 3;
const IDENTICAL_REFUSALS_MAX = 10;
const UNREACHABLE_ROWS_MAX = 5;

/** Counts rows in a row without a clear answer. It begins anew at a clear one, and when there are enough to stop. */
export class UnknownsInARow {
  #count = 0;

  areTooMany(outcome: Outcome): boolean {
    this.#count = outcome.state === "unknown" ? this.#count + 1 : 0;
    if (this.#count < UNKNOWN_MAX) return false;
    this.#count = 0;
    return true;
  }
}

/** When a run stops before its last row (DESIGN §8). It only ever stops: a person or the next run goes on. */
export class StopRules {
  readonly #unknowns = new UnknownsInARow();
  readonly #unknownsOfAll: UnknownsInARow;
  #unreachable = 0;
  #refusals = 0;
  #lastRefusal = "";

  /** `unknownsOfAll` counts over all batches: a hundred files of one row each are no better than one of a hundred. */
  constructor(unknownsOfAll: UnknownsInARow) {
    this.#unknownsOfAll = unknownsOfAll;
  }

  /**
   * Looks at the final outcome of a row, and gives the stop if there is to be one. To be called in the order in which
   * outcomes come in. `text`: the answer, to tell refusals apart.
   */
  observe(outcome: Outcome, text: string): Stop | undefined {
    const areTooMany = this.#unknowns.areTooMany(outcome);
    const areTooManyOfAll = this.#unknownsOfAll.areTooMany(outcome);
    this.#unreachable = outcome.reason === "unreachable" ? this.#unreachable + 1 : 0;
    const refusal = outcome.reason === "refused" ? `${outcome.httpStatus ?? ""} ${withoutIds(text)}` : "";
    this.#refusals = refusal !== "" && refusal === this.#lastRefusal ? this.#refusals + 1 : 1;
    this.#lastRefusal = refusal;

    if (outcome.stop !== undefined) return stopFor(outcome.stop, outcome.httpStatus);
    if (outcome.reason === "rate_limited") return STOPS.rate_limited;
    if (areTooMany || areTooManyOfAll) return STOPS.unknown_in_a_row;
    if (this.#refusals >= IDENTICAL_REFUSALS_MAX) return STOPS.same_refusal;
    if (this.#unreachable >= UNREACHABLE_ROWS_MAX) return STOPS.unreachable;
    return undefined;
  }

  /** To be called after the last row: a file too short for the rules above still tells that nobody answered. */
  atEnd(): Stop | undefined {
    return this.#unreachable > 0 ? STOPS.unreachable : undefined;
  }
}

/** Statuses of one endpoint that say nothing of the others. A refused key (401) or proxy (407) stops them all. */
const OF_ONE_ENDPOINT: readonly number[] = [403, 404, 405, 410, 415];

/** Gives `stop` as one for rows of this operation only, where the answer says nothing of other endpoints. */
export function stopOfEndpoint(stop: Stop, { stop: why, httpStatus = 0 }: Outcome, operation: Operation): Stop {
  if (why === undefined || !OF_ONE_ENDPOINT.includes(httpStatus)) return stop;
  const message = stop.message.replace(/\)$/, ` for ${operation.folder})`);
  return { ...stop, message, operation: operation.name };
}

/** Request ids, times and amounts differ from answer to answer; the reason does not. */
function withoutIds(text: string): string {
  return text.slice(0, 1000).replace(/[\w-]+/g, (word) => (/\d/.test(word) ? "#" : word));
}

function stopFor(reason: ReasonToStop, status: number | undefined): Stop {
  const stop: Stop = STOPS[reason];
  return status === undefined ? stop : { ...stop, message: `${stop.message} (HTTP ${status})` };
}

/** `folder_held` is left out: its words name the folder, so `held-folder.ts` makes that stop. */
type Stops = { readonly [Code in Exclude<StopCode, "folder_held">]: Stop & { readonly code: Code } };

/** Why runs stop, in words for a person. */
export const STOPS: Stops = {
  key_refused: {
    code: "key_refused",
    message: "the service did not accept our key",
    hint: "ask IT to check PAYDROP_API_KEY, then run the same file again: the rest goes, nothing goes twice",
  },
  address_refused: {
    code: "address_refused",
    message: "the service does not know this address",
    hint: "check PAYDROP_BASE_URL, then run the same file again, with --accept-destination where it was wrong: the rest goes, nothing goes twice",
  },
  redirect: {
    code: "redirect",
    message: "something answered with a redirect, which is never followed",
    hint: "ask IT whether PAYDROP_BASE_URL is the service itself, and look the unknown row up in its dashboard",
  },
  html_answer: {
    code: "html_answer",
    message: "a web page answered instead of the service",
    hint: "ask IT about a proxy or login page in between, and look the unknown row up in the service's dashboard",
  },
  certificate_refused: {
    code: "certificate_refused",
    message: "the certificate of the service was refused; nothing was sent over that connection",
    hint: "ask IT to check PAYDROP_BASE_URL and PAYDROP_CA_FILE, then run the same file again",
  },
  no_tls: {
    code: "no_tls",
    message: "what answers at the address of the service speaks no TLS (https); nothing was sent there",
    hint: "ask IT to check PAYDROP_BASE_URL and its port, and HTTPS_PROXY where it is set, then run the same file again",
  },
  local_error: {
    code: "local_error",
    message: "a request could not be prepared on this machine; it was not sent",
    hint: "check the AES key, the IV and the API key with `paydrop doctor`, then run the same file again",
  },
  rate_limited: {
    code: "rate_limited",
    message: "the service kept asking us to slow down",
    hint: "run the same file again later, or with a lower --rate",
  },
  unknown_in_a_row: {
    code: "unknown_in_a_row",
    message: `${UNKNOWN_MAX} rows in a row had no clear answer`,
    hint: "look these rows up in the service's dashboard before you run the file again",
  },
  same_refusal: {
    code: "same_refusal",
    message: `${IDENTICAL_REFUSALS_MAX} rows in a row were refused for the same reason`,
    hint: "read the reason in the results file (no funds? a wrong account?), mend it, then run the same file again for the rest; the refused rows go by the retry file",
  },
  unreachable: {
    code: "unreachable",
    message: "the service could not be reached",
    hint: "run the same file again when the service is back: the rest goes, nothing goes twice",
  },
  signal: {
    code: "signal",
    message: "it was asked to stop",
    hint: "run the same file again: the rest goes, nothing goes twice",
  },
  stop_file: {
    code: "stop_file",
    message: "a file named STOP was put into the folder",
    hint: "a person lets it go on with `paydrop resume --inbox DIR --by NAME`",
  },
  work_failed: {
    code: "work_failed",
    message: "something else failed in the same run, and ended it",
    hint: "mend what was told of that, then run the same file again: the rest goes, nothing goes twice",
  },
  day_over_cap: {
    code: "day_over_cap",
    message: "with this batch the day would come to more than max_per_day",
    hint: "run the same file again tomorrow (a watched folder does it by itself), or have max_per_day raised in paydrop.toml: nothing goes twice",
  },
  reads_otherwise: {
    code: "reads_otherwise",
    message: "rows that were ready are refused by this version of paydrop",
    hint: "cancel what is left of the batch, and send those rows in a corrected file: the others went",
  },
  paused: {
    code: "paused",
    message: "the batch was paused",
    hint: "go on with `paydrop resume`",
  },
  cancelled: {
    code: "cancelled",
    message: "the batch was cancelled",
    hint: "what was not sent stays unsent",
  },
};

/** A signal means that a person asks to stop, unless its reason names a STOP file or says that something else failed. */
export function stopOfSignal({ reason }: AbortSignal): Stop {
  return [STOPS.work_failed, STOPS.stop_file].find((stop) => stop === reason) ?? STOPS.signal;
}
