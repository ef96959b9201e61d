import type { Answer, Answered } from "../client/answer.ts";
import type { Config, Yes } from "../config/schema.ts";
import type { Outcome } from "../journal/store.ts";
import type { OutcomeCode, StopCode } from "../messages/outcomes.ts";
import { jsonOf, saysYes, verdictOf } from "./verdict.ts";

/** What an answer, or its absence, says of the row (README §8). */
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

/**
 * The outcome table of README §8 as one pure function; whatever is not foreseen is unknown. `yes`: what an answer looks like
 * that takes a row of this operation.
 */
export function outcomeOf(answer: Answer, choices: Choices, yes?: Yes): RowOutcome {
  switch (answer.kind) {
    case "unsent":
      if (answer.cause === "unreachable") return { state: "not_sent", code: "unreachable", again: "backoff" };
      return { state: "not_sent", code: UNSENT[answer.cause], stop: UNSENT[answer.cause] };
    case "no_answer":
      return { state: "unknown", code: SILENCE[answer.cause] };
    case "answered":
      return { ...outcomeOfStatus(answer, choices, yes), httpStatus: answer.status };
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

function outcomeOfStatus(answer: Answered, choices: Choices, yes: Yes | undefined): RowOutcome {
  const { status, bodyEnd } = answer;
  if (status >= 200 && status < 300) return outcomeOfSuccess(answer, choices, yes);
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
function outcomeOfSuccess(answer: Answered, { doubtful_2xx: doubtful }: Choices, yes: Yes | undefined): RowOutcome {
  // a captive portal or proxy page answers 200 to everything: not the service
  if (isHtml(answer)) return { state: "unknown", code: "html_answer", stop: "html_answer" };
  // where it is known what yes looks like, whatever is not that is unknown
  if (yes)
    return saysYes(answer.body, yes) ? { state: "accepted", code: "accepted" } : { state: "unknown", code: "no_yes" };
  if (answer.bodyEnd !== "complete") return { state: "accepted", code: "accepted_incomplete" };
  const verdict = verdictOf(answer.body);
  if (verdict === "nothing_against") return { state: "accepted", code: "accepted" };
  if (doubtful === "accepted") return { state: "accepted", code: "accepted_doubtful" };
  return { state: "unknown", code: verdict === "says_no" ? "doubtful" : "unreadable_answer" };
}

/** A web page begins like this even where its server names no content type, or a wrong one; the XML of a service not. */
const FIRST_TAG = /^\s*(?:<\?xml[^>]*>\s*)?<(?:(!)|([a-z]+[1-6]?)[\s/>])/i;
const HTML_TAGS: ReadonlySet<string> = new Set([
  ...["html", "head", "body", "title", "meta", "link", "script", "style", "h1", "h2", "h3", "h4", "h5", "h6"],
  ...["p", "div", "span", "center", "img", "table", "form"],
]);

/** The body counts more than the content type: by default some frameworks call JSON, or no body, a web page. */
function isHtml({ contentType, body, bodyEnd }: Answered): boolean {
  const [, declaration, tag = ""] = FIRST_TAG.exec(body) ?? [];
  if (declaration !== undefined || HTML_TAGS.has(tag.toLowerCase())) return true;
  const isCalledSo = /^\s*(?:text\/html|application\/xhtml)/i.test(contentType);
  return isCalledSo && !(bodyEnd === "complete" && (body.trim() === "" || jsonOf(body) !== undefined));
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
