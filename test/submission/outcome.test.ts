import { describe, expect, test } from "vitest";
import type { Answer, Answered } from "../../src/client/answer.ts";
import { outcomeOf, type Choices, type RowOutcome } from "../../src/submission/outcome.ts";

const CHOICES: Choices = { retry_429: true, doubtful_2xx: "unknown" };

function answered(status: number, over: Partial<Answered> = {}): Answer {
  const whole = { body: '{"ok":true}', contentType: "application/json", bodyEnd: "complete", durationMs: 5 } as const;
  return { kind: "answered", status, ...whole, ...over };
}

/** README §8. What stands in no list is unknown. */
function expected(status: number): Omit<RowOutcome, "httpStatus"> {
  if (status >= 200 && status < 300) return { state: "accepted", code: "accepted" };
  if (status === 402) return { state: "rejected", code: "no_funds" };
  if ([400, 406, 411, 413, 414, 422, 431].includes(status)) return { state: "rejected", code: "refused" };
  if ([401, 403, 407].includes(status)) return { state: "rejected", code: "key_refused", stop: "key_refused" };
  if ([404, 405, 410, 415].includes(status)) {
    return { state: "rejected", code: "address_refused", stop: "address_refused" };
  }
  if (status === 429) return { state: "not_sent", code: "rate_limited", again: "as_told" };
  if (status >= 300 && status < 400) return { state: "unknown", code: "redirect", stop: "redirect" };
  return { state: "unknown", code: status >= 500 ? "service_fault" : "unclear_refusal" };
}

const STATUSES = Array.from({ length: 900 }, (_, index) => index + 100);

test("every status with a complete answer is what the table says", () => {
  for (const status of STATUSES) {
    expect(outcomeOf(answered(status), CHOICES)).toEqual({ ...expected(status), httpStatus: status });
  }
});

test("with a body that did not end a 2xx is accepted, all else unknown", () => {
  for (const bodyEnd of ["cut", "stalled", "too_large"] as const) {
    for (const status of STATUSES) {
      const { state, again } = outcomeOf(answered(status, { bodyEnd }), CHOICES);
      expect([state, again]).toEqual([status >= 200 && status < 300 ? "accepted" : "unknown", undefined]);
    }
  }
});

test("retry_429 off: a 429 is unknown", () => {
  expect(outcomeOf(answered(429), { ...CHOICES, retry_429: false }).code).toBe("rate_limited_unclear");
});

test("what never left is not sent, what may have left and got no status is unknown", () => {
  const rest = { detail: "", durationMs: 1 };
  const of = (answer: Answer): unknown => {
    const { state, code, again, stop } = outcomeOf(answer, CHOICES);
    return [state, code, again ?? stop];
  };
  expect(of({ kind: "unsent", cause: "unreachable", ...rest })).toEqual(["not_sent", "unreachable", "backoff"]);
  for (const [cause, code] of [
    ["certificate", "certificate_refused"],
    ["local", "local_error"],
  ] as const) {
    expect(of({ kind: "unsent", cause, ...rest })).toEqual(["not_sent", code, code]);
  }
  for (const cause of ["timeout", "broken", "malformed", "aborted"] as const) {
    expect(of({ kind: "no_answer", cause, ...rest })).toEqual(["unknown", expect.any(String), undefined]);
  }
});

describe("a 2xx whose body is a web page stops the run", () => {
  test.each([
    ["<!doctype html><title>x", "application/json", true],
    ['<?xml version="1.0"?><html>', "", true],
    [" <h1>Sign in</h1>", "text/plain", true],
    ["Welcome", "text/html; charset=utf-8", true],
    ["", "text/html", false],
    ['{"ok":true}', "text/html", false],
    ["<response><code>0</code></response>", "application/xml", false],
  ])("%j as %s: %s", (body, contentType, isPage) => {
    const { code } = outcomeOf(answered(200, { body, contentType }), CHOICES);
    expect(code).toBe(isPage ? "html_answer" : "accepted");
  });
});

/** Bodies that people met behind a 200. */
const SAY_NO: readonly unknown[] = [
  { status: "ERROR", message: "Not enough available balance" },
  { status: "FAILED" },
  { status: "REVERSED" },
  { result: "declined" },
  { isSuccess: false },
  { message: "Insufficient funds" },
  { data: { status: "rejected" } },
  "Beneficiary not found",
  { success: false },
  { success: "false" },
  { ok: 0 },
  { status: false },
  { Status: "TXN_FAILED" },
  { txn_status: "cancelled" },
  { ack: "Failure" },
  { code: 422 },
  { statusCode: "500" },
  { error: "duplicate transaction" },
  { error: { code: "BAD_REQUEST", description: null } },
  { errors: [{ field: "ifsc" }] },
  { hasErrors: true },
  { failure_reason: "name mismatch" },
  { errorCode: "E101" },
  [{ payout: { state: "DENIED" } }],
  { message: "could not be processed" },
  { msg: "Duplicate request" },
  { Response: "FAILURE" },
  { status: "NACK" },
  { message: "Unauthorized" },
  { statusDesc: "FAILED" },
  { approved: false },
  { "payment-status": "Timed Out" },
  { RespMsg: "Beneficiary account is frozen" },
  { remark: "Daily limit exceeded" },
  { txnStatusDescription: "TXNFAILED" },
  { isAuthorised: "N" },
  { expired: true },
  { result: "notFound" },
  { data: '{"status":"FAILED"}' },
  { body: '[{"success":false}]' },
  'while(1);{"success":false}',
  "<Response><Status>FAILED</Status></Response>",
  '<ns:Ack code="00"><ns:Reason><![CDATA[Account closed]]></ns:Reason></ns:Ack>',
  "<r><data>{&quot;ok&quot;:false}</data></r>",
  '<string xmlns="http://tempuri.org/">{"success":false}</string>',
  "<r><Failure/></r>",
];
const UNREADABLE = [
  '{"status":"SUC',
  "[1,2",
  "<Response><Status>OK",
  "\u0000\u0001",
  "\uFFFD\uFFFDok",
  "[".repeat(60) + "]".repeat(60),
];
const SAY_YES: readonly unknown[] = [
  { error: null, status: "success" },
  { errors: [] },
  { status: "ok", message: "0 errors" },
  { status: "Queued", failure_reason: "" },
  { status: "PENDING_APPROVAL" },
  {},
  "",
  { error: {} },
  { error: false, errorCode: "00", errorMessage: "Success" },
  { error: { code: 0, message: "" } },
  { status: 200, code: "0" },
  { result: "NO_ERROR" },
  { message: "no duplicates, without errors; errors: 0" },
  { narration: "refund of a failed payment", notes: "cancelled order", name: "Errol Rejected" },
  { id: "err_500", amount: 422, number: 453 },
  { message: "Transfer initiated", eta: "T+1" },
  { message: "Accepted, within limit", state: "Kerala" },
  { branch: "Axis Bank Limited", unauthorized: false, approved: true },
  "<Response><Status>SUCCESS</Status><Errors>0</Errors><Narration>failed before</Narration></Response>",
  "OK",
  { request: '{"narration":"cancelled order"}' },
];

describe("a 2xx whose body speaks of failure is unknown", () => {
  const of = (body: unknown, choices = CHOICES): RowOutcome =>
    outcomeOf(answered(200, { body: typeof body === "string" ? body : JSON.stringify(body) }), choices);

  test.each(SAY_NO.map((body) => [JSON.stringify(body), body]))("%s", (_shown, body) => {
    expect(of(body)).toEqual({ state: "unknown", code: "doubtful", httpStatus: 200 });
    const accepted = { ...CHOICES, doubtful_2xx: "accepted" } as const;
    expect(of(body, accepted)).toEqual({ state: "accepted", code: "accepted_doubtful", httpStatus: 200 });
    if (typeof body !== "string") expect(of(JSON.stringify(body)).code).toBe("doubtful");
  });

  test.each(SAY_YES.map((body) => [JSON.stringify(body), body]))("accepted: %s", (_shown, body) => {
    expect(of(body).code).toBe("accepted");
    expect(of(JSON.stringify(body, undefined, 2)).code).toBe("accepted");
  });
});

describe("a 2xx that cannot be read is unknown", () => {
  test.each(UNREADABLE)("%j", (body) => {
    expect(outcomeOf(answered(200, { body }), CHOICES)).toMatchObject({ state: "unknown", code: "unreadable_answer" });
  });
});

describe("where it is known what yes looks like, any other 2xx is unknown", () => {
  const yes = { field: "data.Status", accepted: ["SUCCESS", "Pending"] };
  test.each([
    ['{"data":{"status":"success"},"message":"failed before"}', "accepted"],
    ['{"data":{"status":"PENDING"}}', "accepted"],
    ['{"data":{"status":"QUEUED"}}', "unknown"],
    ['{"status":"SUCCESS"}', "unknown"],
    ["<r><Status>SUCCESS</Status></r>", "accepted"],
    ["", "unknown"],
    ["OK", "unknown"],
  ])("%s → %s", (body, state) => {
    expect(outcomeOf(answered(200, { body }), CHOICES, yes).state).toBe(state);
    const doubtful = { ...CHOICES, doubtful_2xx: "accepted" } as const;
    expect(outcomeOf(answered(200, { body }), doubtful, yes).state).toBe(state);
  });
});

test("a refusal for want of funds needs no correction of the file", () => {
  const of = (body: string): string => outcomeOf(answered(400, { body }), CHOICES).code;
  for (const body of [
    '{"description":"Your account does not have enough balance to carry out the payout"}',
    "Insufficient funds",
    '{"error":"INSUFFICIENT_BALANCE"}',
    "balance is too low",
  ])
    expect(of(body), body).toBe("no_funds");
  for (const body of ["no such account", "Invalid IFSC", "amount exceeds the limit"]) expect(of(body)).toBe("refused");
});
