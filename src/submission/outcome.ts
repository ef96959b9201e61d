import type { Answer, Answered } from "../client/answer.ts";
import type { StopCode } from "../events.ts";
import type { Reason } from "../reason.ts";

/** What an answer, or its absence, says of the row (DESIGN §8). */
export interface Outcome {
  readonly state: "accepted" | "rejected" | "unknown" | "not_sent";
  readonly reason: Reason;
  readonly httpStatus?: number;
  /** The row goes again by itself, a limited number of times: after a wait of our own, or as the service told. */
  readonly again?: "backoff" | "as_told";
  /** The run stops for a reason that the next row would meet as well. */
  readonly stop?: ReasonToStop;
}

/** A reason that is about more than the row itself. */
export type ReasonToStop = Extract<Reason, StopCode>;

/** Statuses that refuse a row for its own sake. This is convention, since §7 shows no error codes. */
const REFUSED = new Set([400, 402, 406, 411, 413, 414, 422, 431]);
const KEY_REFUSED = new Set([401, 403, 407]);
const ADDRESS_REFUSED = new Set([404, 405, 410, 415]);

/** The outcome table of DESIGN §8 as one pure function; whatever is not foreseen is unknown. */
export function outcomeOf(answer: Answer, choices: { readonly retry429: boolean }): Outcome {
  switch (answer.kind) {
    case "unsent":
      if (answer.cause === "unreachable") return { state: "not_sent", reason: "unreachable", again: "backoff" };
      return { state: "not_sent", reason: REASON_OF_UNSENT[answer.cause], stop: REASON_OF_UNSENT[answer.cause] };
    case "no_answer":
      return { state: "unknown", reason: REASON_OF_SILENCE[answer.cause] };
    case "answered":
      return { ...outcomeOfStatus(answer, choices.retry429), httpStatus: answer.status };
    default:
      return answer satisfies never;
  }
}

const REASON_OF_UNSENT = {
  certificate: "certificate_refused",
  no_tls: "no_tls",
  local: "local_error",
} as const satisfies Record<string, Reason>;

const REASON_OF_SILENCE = {
  timeout: "no_answer",
  broken: "connection_broken",
  malformed: "malformed_answer",
  aborted: "interrupted",
} as const satisfies Record<string, Reason>;

function outcomeOfStatus(answer: Answered, retry429: boolean): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return outcomeOfSuccess(answer);
  // commonly the answer to a POST that was processed (303); never followed, because the key would go along
  if (status >= 300 && status < 400) return { state: "unknown", reason: "redirect", stop: "redirect" };
  if (status >= 500) return { state: "unknown", reason: "service_fault" };
  const complete = answer.bodyEnd === "complete";
  if (status === 429) {
    // RFC 6585 §4 refuses for rate; the interface says nothing of it, hence a choice
    return retry429 && complete
      ? { state: "not_sent", reason: "rate_limited", again: "as_told" }
      : { state: "unknown", reason: "rate_limited_unclear" };
  }
  const listed = REFUSED.has(status) || KEY_REFUSED.has(status) || ADDRESS_REFUSED.has(status);
  if (listed && !complete) return { state: "unknown", reason: "incomplete_refusal" };
  if (REFUSED.has(status)) return { state: "rejected", reason: "refused" };
  if (KEY_REFUSED.has(status)) return { state: "rejected", reason: "key_refused", stop: "key_refused" };
  if (ADDRESS_REFUSED.has(status)) return { state: "rejected", reason: "address_refused", stop: "address_refused" };
  return { state: "unknown", reason: "unclear_refusal" };
}

/** §4: 200 means created, initiated, submitted. For payouts no status is shown: any 2xx counts (RFC 9110 §15.3). */
function outcomeOfSuccess(answer: Answered): Outcome {
  // a captive portal or proxy page answers 200 to everything: not the service
  if (isHtml(answer)) return { state: "unknown", reason: "html_answer", stop: "html_answer" };
  if (answer.bodyEnd !== "complete") return { state: "accepted", reason: "accepted_incomplete" };
  const isFailure = FAILURE_WORDS.test(answer.body) && speaksOfFailure(jsonOf(answer.body));
  return { state: "accepted", reason: isFailure ? "accepted_reports_failure" : "accepted" };
}

/** How a word for failure begins. */
const FAILURE = "fail|error|reject|declin";
const FAILED_STATUS = new RegExp(String.raw`^(?:${FAILURE}|[45]\d\d$)`, "i");
/** Without any of these nothing in a body `reportsFailure`, unless it is written in escapes: most are not parsed. */
const FAILURE_WORDS = new RegExp(String.raw`${FAILURE}|[45]\d\d|\de|false|\\`, "i");

/** Tags of web pages, without those that the XML of a service may have as well: `header`, `code`, `summary`. */
const HTML_TAGS = [
  ...["!doctype", "html", "head", "body", "frameset", "iframe", "title", "meta", "base", "link", "script", "noscript"],
  ...["style", "h[1-6]", "p", "div", "span", "center", "font", "a", "b", "i", "u", "em", "strong", "small", "br", "hr"],
  ...["img", "svg", "table", "form", "ul", "ol", "dl", "pre", "blockquote", "nav", "section", "article"],
].join("|");
/** A web page begins like this even where its server names no content type, or a wrong one. */
const HTML_BEGINS = new RegExp(String.raw`^\s*(?:<\?xml[^>]*>\s*)?<(?:!--|(?:${HTML_TAGS})(?:[\s/>]|$))`, "i");

/** The body counts more than the content type: by default some frameworks call JSON, or no body, a web page. */
function isHtml({ contentType, body, bodyEnd }: Answered): boolean {
  if (HTML_BEGINS.test(body)) return true;
  const isCalledSo = /^\s*(?:text\/html|application\/xhtml)/i.test(contentType);
  const isSomethingElse = bodyEnd === "complete" && (body.trim() === "" || jsonOf(body) !== undefined);
  return isCalledSo && !isSomethingElse;
}

/**
 * Whether the body of a 2xx speaks of a failure. §2.6 shows no response bodies, so such a row counts as accepted and is
 * not sent again; but people are told.
 */
function speaksOfFailure(answer: unknown, wrappers = 0): boolean {
  if (typeof answer !== "object" || answer === null || wrappers > WRAPPERS_MAX) return false;
  return Object.entries(answer).some(
    ([key, value]) => reportsFailure(key, value) || speaksOfFailure(value, wrappers + 1),
  );
}

/** Levels to look into: enough for `{"data": {"payout": {…}}}` with a list around it. */
const WRAPPERS_MAX = 3;

function reportsFailure(key: string, value: unknown): boolean {
  switch (key.toLowerCase()) {
    case "success":
    case "ok":
      return value === false || value === "false";
    case "status":
    case "state":
    case "statuscode":
    case "code":
      return FAILED_STATUS.test(String(value));
    case "error":
    case "errors":
      return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
    default:
      return false;
  }
}

/** undefined: the body is not JSON. */
function jsonOf(body: string): unknown {
  try {
    // trimmed, because a byte order mark is no JSON
    return JSON.parse(body.trim());
  } catch {
    return undefined;
  }
}
