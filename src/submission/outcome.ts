import type { Answer, Answered } from "../client/answer.ts";
import type { Config } from "../config/schema.ts";
import type { Outcome } from "../journal/store.ts";
import type { OutcomeCode, StopCode } from "../messages/outcomes.ts";

/** What an answer, or its absence, says of the row (DESIGN §8). */
export interface RowOutcome {
  readonly state: "accepted" | "rejected" | "unknown" | "not_sent";
  readonly code: OutcomeCode;
  readonly httpStatus?: number | undefined;
  /** The row goes again by itself, a limited number of times: after a wait of our own, or as the service told. */
  readonly again?: "backoff" | "as_told";
  /** The run stops for a reason that the next row would meet as well. */
  readonly stop?: StopCode;
}

export type Choices = Pick<Config, "retry_429" | "doubtful_2xx">;

/** Statuses that refuse a row for its own sake, or for the key or the address. Convention: §7 shows no error codes. */
const REFUSALS: readonly (readonly ["refused" | "key_refused" | "address_refused", readonly number[]])[] = [
  ["refused", [400, 402, 406, 411, 413, 414, 422, 431]],
  ["key_refused", [401, 403, 407]],
  ["address_refused", [404, 405, 410, 415]],
];

/** The outcome table of DESIGN §8 as one pure function; whatever is not foreseen is unknown. */
export function outcomeOf(answer: Answer, choices: Choices): RowOutcome {
  switch (answer.kind) {
    case "unsent":
      if (answer.cause === "unreachable") return { state: "not_sent", code: "unreachable", again: "backoff" };
      return { state: "not_sent", code: UNSENT[answer.cause], stop: UNSENT[answer.cause] };
    case "no_answer":
      return { state: "unknown", code: SILENCE[answer.cause] };
    case "answered":
      return { ...outcomeOfStatus(answer, choices), httpStatus: answer.status };
    default:
      return answer satisfies never;
  }
}

const UNSENT = { certificate: "certificate_refused", local: "local_error", too_late: "local_error" } as const;
const SILENCE = {
  timeout: "no_answer",
  broken: "connection_broken",
  malformed: "malformed_answer",
  aborted: "interrupted",
} as const;

function outcomeOfStatus(answer: Answered, choices: Choices): RowOutcome {
  const { status, bodyEnd } = answer;
  if (status >= 200 && status < 300) return outcomeOfSuccess(answer, choices);
  // commonly the answer to a POST that was processed (303); never followed, because the key would go along
  if (status >= 300 && status < 400) return { state: "unknown", code: "redirect", stop: "redirect" };
  if (status >= 500) return { state: "unknown", code: "service_fault" };
  const isComplete = bodyEnd === "complete";
  // RFC 6585 §4 refuses for rate; the interface says nothing of it, hence a choice
  if (status === 429 && choices.retry_429 && isComplete) {
    return { state: "not_sent", code: "rate_limited", again: "as_told" };
  }
  if (status === 429) return { state: "unknown", code: "rate_limited_unclear" };
  const [code] = REFUSALS.find(([, statuses]) => statuses.includes(status)) ?? [];
  if (code === undefined) return { state: "unknown", code: "unclear_refusal" };
  if (!isComplete) return { state: "unknown", code: "incomplete_refusal" };
  if (code !== "refused") return { state: "rejected", code, stop: code };
  return { state: "rejected", code: status === 402 || NO_FUNDS.test(answer.body) ? "no_funds" : code };
}

/** Then nothing is to be corrected in the file. */
const NO_FUNDS = new RegExp(
  String.raw`\b(?:insufficient|inadequate|not[\W_]+(?:have[\W_]+)?(?:enough|sufficient)|low|no)[\W_]+(?:[a-z]+[\W_]+){0,3}(?:funds?|balance)\b|` +
    String.raw`\b(?:funds?|balance)[\W_]+(?:[a-z]+[\W_]+){0,3}(?:insufficient|inadequate|low|exceeded)\b`,
  "i",
);

/** §4: 200 means created, initiated, submitted. For payouts no status is shown: any 2xx counts (RFC 9110 §15.3). */
function outcomeOfSuccess(answer: Answered, { doubtful_2xx: doubtful }: Choices): RowOutcome {
  // a captive portal or proxy page answers 200 to everything: not the service
  if (isHtml(answer)) return { state: "unknown", code: "html_answer", stop: "html_answer" };
  if (answer.bodyEnd !== "complete") return { state: "accepted", code: "accepted_incomplete" };
  if (!speaksOfFailure(answer.body)) return { state: "accepted", code: "accepted" };
  return doubtful === "accepted"
    ? { state: "accepted", code: "accepted_doubtful" }
    : { state: "unknown", code: "doubtful" };
}

/** A web page begins like this even where its server names no content type, or a wrong one; the XML of a service not. */
const HTML_BEGINS =
  /^\s*(?:<\?xml[^>]*>\s*)?<(?:!|(?:html|head|body|title|meta|link|script|style|h[1-6]|p|div|span|center|img|table|form)[\s/>])/i;

/** The body counts more than the content type: by default some frameworks call JSON, or no body, a web page. */
function isHtml({ contentType, body, bodyEnd }: Answered): boolean {
  if (HTML_BEGINS.test(body)) return true;
  const isCalledSo = /^\s*(?:text\/html|application\/xhtml)/i.test(contentType);
  return isCalledSo && !(bodyEnd === "complete" && (body.trim() === "" || jsonOf(body) !== undefined));
}

/** Words that say no, in any form in which services write them; not `0 errors`, `no duplicates`, `errors: 0`. */
const NO = new RegExp(
  String.raw`(?<!\b(?:no|0|zero|without|not|non)[\s_-]+)(?<![a-z])(?:` +
    "fail(?:ed|ures?|s)?|errors?|rejected|declined|reversed|cancell?ed|denied|refused|invalid|insufficient|inadequate|" +
    "duplicated?|unsuccessful|aborted|nok|ko|cannot|unable|" +
    String.raw`not[\s_-]*(?:found|enough|allowed|accepted|permitted|processed|available)|(?:could|can|did)[\s_-]*n[o']t` +
    String.raw`)(?![a-z])(?!\s*[:=]\s*(?:0|none|null|false)\b)`,
  "i",
);
/** Without any of these nothing in a body says no, unless it is written in escapes: most are not looked at further. */
const MAY_SAY_NO =
  /fail|err|reject|declin|revers|cancel|denied|refus|invalid|insuff|inadeq|duplicate|unsucc|abort|nok|ko|not|could|can|did|unable|[45]\d\d|:\s*0\b|false|\\/i;

const VERDICTS = /^(?:is|was|has)?(?:success|successful|succeeded|ok|valid|accepted)$/;
const STATES =
  /^(?:\w*(?:status|state|result|outcome|ack|acknowledgement)|(?:\w*(?:status|response|result)|resp|ret|rc)?code)$/;
const TEXTS = /^(?:\w*message|msg|description|details?|reason|text|title|info)$/;
const FAILURES =
  /^(?:is|was|has)?\w*(?:errors?|fail(?:ed|ures?)|fault|exception|rejected|declined)(?:code|reason|message|description|text)?s?$/;
/** A code of an error that says that there is none. */
const NOTHING = /^(?:0*|""|null|none|nil|na|n\/a|false|no|ok|success(?:ful)?)$/i;

/** Whether the body of a 2xx says that it did not work. §2.6 shows no response bodies: then nobody knows. */
function speaksOfFailure(body: string): boolean {
  if (!MAY_SAY_NO.test(body)) return false;
  const read = jsonOf(body);
  // a plain text is a message; XML is not looked into
  if (read === undefined) return !/^\s*</.test(body) && NO.test(body);
  return saysNo("message", read, 0);
}

/** Levels to look into: enough for `{"data": {"payout": {…}}}` with a list around it. */
const WRAPPERS_MAX = 4;

function saysNo(key: string, value: unknown, wrappers: number): boolean {
  const name = key.toLowerCase().replaceAll(/[_\s-]/g, "");
  const isFailure = FAILURES.test(name);
  if (typeof value === "object" && value !== null) {
    if (wrappers >= WRAPPERS_MAX) return false;
    const keepsName = isFailure || Array.isArray(value);
    return Object.entries(value).some(([part, one]) => saysNo(keepsName ? key : part, one, wrappers + 1));
  }
  const said = typeof value === "string" ? value.trim() : JSON.stringify(value ?? "");
  if (isFailure) return !NOTHING.test(said);
  if (VERDICTS.test(name)) return /^(?:false|no?|0)$/i.test(said) || NO.test(said);
  if (STATES.test(name)) return value === false || /^[45]\d\d$/.test(said) || NO.test(said);
  return TEXTS.test(name) && NO.test(said);
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

/** What is told while rows go: parts of `RunEvent`. `alone`: no other row went beside it. Times are since 1970. */
export type SendingEvent =
  | (Pick<Outcome, "row" | "httpStatus" | "sentAt" | "durationMs"> & {
      readonly type: "row";
      readonly batch: string;
      readonly status: Exclude<Outcome["state"], "again">;
      readonly reason: string;
      readonly amount: string;
      readonly attempts: number;
      readonly alone: boolean;
    })
  | { readonly type: "waiting"; readonly batch: string; readonly reason: string; readonly waitMs: number };
