import type { Answer, Answered } from "../client/answer.ts";
import type { StopCode } from "../events.ts";
import type { Reason } from "../reason.ts";

/** What an answer, or its absence, says of the row (DESIGN §8). */
export interface Outcome {
  readonly state: "accepted" | "rejected" | "unknown" | "not_sent";
  readonly reason: Reason;
  readonly httpStatus?: number;
  /** The row goes again by itself, bounded: after a wait of our own, or as the service told. */
  readonly again?: "backoff" | "as_told";
  /** Something that the next row would meet as well: the run stops. */
  readonly stop?: ReasonToStop;
}

/** A reason that is about more than the row itself. */
export type ReasonToStop = Extract<Reason, StopCode>;

/** Refused for their own sake. Convention, since §7 shows no error codes. */
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
  // commonly the answer to a POST that was processed (303); never followed, the key would go along
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

/** §4: 200 means created, initiated, submitted; for payouts the status is not shown, any 2xx is taken (RFC 9110 §15.3). */
function outcomeOfSuccess(answer: Answered): Outcome {
  // a captive portal or proxy page answers 200 to everything: not the service
  if (isHtml(answer)) return { state: "unknown", reason: "html_answer", stop: "html_answer" };
  if (answer.bodyEnd !== "complete") return { state: "accepted", reason: "accepted_incomplete" };
  return { state: "accepted", reason: speaksOfFailure(jsonOf(answer.body)) ? "accepted_reports_failure" : "accepted" };
}

/** Not those that are as likely in the XML of a service, such as `header`, `code` or `summary`. */
const HTML_TAGS = [
  ...["!doctype", "html", "head", "body", "frameset", "iframe", "title", "meta", "base", "link", "script", "noscript"],
  ...["style", "h[1-6]", "p", "div", "span", "center", "font", "a", "b", "i", "u", "em", "strong", "small", "br", "hr"],
  ...["img", "svg", "table", "form", "ul", "ol", "dl", "pre", "blockquote", "nav", "section", "article"],
].join("|");
/** A page whose server names no type, or a wrong one, begins like this too. */
const HTML_BEGINS = new RegExp(String.raw`^\s*(?:<\?xml[^>]*>\s*)?<(?:!--|(?:${HTML_TAGS})(?:[\s/>]|$))`, "i");

/** By what it is before what it is called: frameworks that are told no type call JSON a web page, and no body at all. */
function isHtml({ contentType, body, bodyEnd }: Answered): boolean {
  if (HTML_BEGINS.test(body)) return true;
  const isCalledSo = /^\s*(?:text\/html|application\/xhtml)/i.test(contentType);
  const isSomethingElse = bodyEnd === "complete" && (body.trim() === "" || jsonOf(body) !== undefined);
  return isCalledSo && !isSomethingElse;
}

/** §2.6 shows no response bodies: such a row is never sent again for it, and never hidden either. */
function speaksOfFailure(answer: unknown, wrappers = 0): boolean {
  if (typeof answer !== "object" || answer === null || wrappers > WRAPPERS_MAX) return false;
  return Object.entries(answer).some(
    ([key, value]) => reportsFailure(key, value) || speaksOfFailure(value, wrappers + 1),
  );
}

/** `{"data": {"payout": {…}}}`, and a list around it. */
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
      return /^(?:fail|error|reject|declin|[45]\d\d$)/i.test(String(value));
    case "error":
    case "errors":
      return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
    default:
      return false;
  }
}

/** undefined: it is none. */
function jsonOf(body: string): unknown {
  try {
    // trimmed, because a byte order mark is no JSON
    return JSON.parse(body.trim());
  } catch {
    return undefined;
  }
}
