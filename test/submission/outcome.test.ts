import { describe, expect, test } from "vitest";
import type { Answer, Answered } from "../../src/client/answer.ts";
import type { Outcome } from "../../src/submission/outcome.ts";
import { outcomeOf } from "../../src/submission/outcome.ts";

function answered(status: number, over: Partial<Answered> = {}): Answer {
  const whole = { body: '{"ok":true}', contentType: "application/json", bodyEnd: "complete", durationMs: 5 } as const;
  return { kind: "answered", status, ...whole, ...over };
}

function of(answer: Answer, retry429 = true): Outcome {
  return outcomeOf(answer, { retry429 });
}

/** DESIGN §8, every status there is. What stands in no list is unknown. */
function expected(status: number): Omit<Outcome, "httpStatus"> {
  if (status >= 200 && status < 300) return { state: "accepted", reason: "accepted" };
  if ([400, 402, 406, 411, 413, 414, 422, 431].includes(status)) return { state: "rejected", reason: "refused" };
  if ([401, 403, 407].includes(status)) return { state: "rejected", reason: "key_refused", stop: "key_refused" };
  if ([404, 405, 410, 415].includes(status)) {
    return { state: "rejected", reason: "address_refused", stop: "address_refused" };
  }
  if (status === 429) return { state: "not_sent", reason: "rate_limited", again: "as_told" };
  if (status >= 300 && status < 400) return { state: "unknown", reason: "redirect", stop: "redirect" };
  return { state: "unknown", reason: status >= 500 ? "service_fault" : "unclear_refusal" };
}

const STATUSES = Array.from({ length: 900 }, (_, index) => index + 100);

describe("a complete answer", () => {
  test.each(STATUSES)("%i", (status) => {
    expect(of(answered(status))).toEqual({ ...expected(status), httpStatus: status });
  });

  test.each([408, 409, 412, 418, 421, 423, 424, 425, 428, 451])("%i is no clear refusal", (status) => {
    expect(of(answered(status)).state).toBe("unknown");
  });

  test("only 429 and what never left go again by themselves", () => {
    expect(STATUSES.filter((status) => of(answered(status)).again !== undefined)).toEqual([429]);
  });

  test("429 is unknown when the choice says so", () => {
    expect(of(answered(429), false)).toEqual({ state: "unknown", reason: "rate_limited_unclear", httpStatus: 429 });
  });
});

const ends = ["cut", "stalled", "too_large"] as const;

describe("an answer whose body did not end as announced", () => {
  test.each(ends)("%s: a 2xx is accepted, and noted", (bodyEnd) => {
    expect(of(answered(200, { bodyEnd }))).toEqual({
      state: "accepted",
      reason: "accepted_incomplete",
      httpStatus: 200,
    });
  });

  test.each(ends)("%s: everything else is unknown, whatever its status", (bodyEnd) => {
    for (const status of STATUSES.filter((one) => one < 200 || one >= 300)) {
      const { state, again } = of(answered(status, { bodyEnd }));
      expect({ status, state, again }).toEqual({ status, state: "unknown", again: undefined });
    }
  });

  test.each(ends)("%s: a redirect still stops the run", (bodyEnd) => {
    expect(of(answered(307, { bodyEnd })).stop).toBe("redirect");
  });
});

describe("2xx with a web page is not the service", () => {
  test.each([
    ["text/html", "<p>Sign in</p>"],
    ["TEXT/HTML; charset=utf-8", "Sign in"],
    [" application/xhtml+xml", "<x/>"],
    ["", "<!DOCTYPE html><html>"],
    ["application/json", "\r\n  <html><body>Sign in</body></html>"],
    ["text/plain", "\ufeff<!doctype html>"],
    ["text/plain", "<!-- portal --><html>"],
    ["text/plain", "<head><title>Sign in</title>"],
    ["", "<title>Sign in</title><form>"],
    ["", "<script>location = '/login'</script>"],
    ["application/json", '<meta http-equiv="refresh" content="0; url=/login">'],
    ["", '<?xml version="1.0"?>\n<!DOCTYPE html><html>'],
    ["", "<p>Sign in"],
    ["text/plain", '<form action="/login">'],
    ["", "<br/>Sign in"],
    ["", "<A HREF='/login'>"],
    ["", "<h2>Sign in</h2>"],
    ["", '<link rel="stylesheet"'],
    ["application/json", "\n<table\n>"],
    ["", "<noscript><iframe>"],
    ["", "<frameset"],
    ["", "<center><font size=7>"],
    ["", "<body"],
  ])("%j %j", (contentType, body) => {
    for (const bodyEnd of ["complete", "cut", "stalled", "too_large"] as const) {
      expect(of(answered(200, { contentType, body, bodyEnd }))).toEqual({
        state: "unknown",
        reason: "html_answer",
        stop: "html_answer",
        httpStatus: 200,
      });
    }
  });
});

describe("2xx with what a service may say instead of JSON", () => {
  test.each([
    "OK",
    "<ok/>",
    "<response><p>done</p></response>",
    '<?xml version="1.0"?><payment/>',
    "<pay-out>",
    "<a-1>",
    "<p:done/>",
    "1 < 2",
  ])("%j is the service", (body) => {
    for (const contentType of ["", "text/plain", "application/xml"]) {
      expect(of(answered(200, { contentType, body }))).toMatchObject({ state: "accepted", reason: "accepted" });
    }
  });
});

describe("2xx with JSON or no body, which the service calls a web page", () => {
  test.each(['{"ok":true}', "\ufeff[]", "null", "", " \r\n"])("%j is the service", (body) => {
    const answer = answered(200, { contentType: "text/html; charset=UTF-8", body });
    expect(of(answer)).toEqual({ state: "accepted", reason: "accepted", httpStatus: 200 });
  });

  test.each(ends)("%s: nobody knows what it was", (bodyEnd) => {
    for (const body of ["", '{"ok":', "{}"]) {
      const answer = answered(200, { contentType: "text/html", body, bodyEnd });
      expect(of(answer)).toMatchObject({ state: "unknown", stop: "html_answer" });
    }
  });
});

describe("2xx with a body", () => {
  test.each([
    '{"success":false}',
    '{"status":"FAILED"}',
    '{"status":"failure"}',
    '{"status":"rejected"}',
    '{"status":"declined"}',
    '{"error":"no funds"}',
    '{"error":{"code":7}}',
    '\ufeff{"success":false}',
    '[{"status":"FAILED"}]',
    '{"success":"false"}',
    '{"ok":false}',
    '{"state":"FAILED"}',
    '{"status":400,"message":"Bad Request"}',
    '{"statusCode":"422"}',
    '{"code":500}',
    '{"errors":["no such account"]}',
    '{"status":"OK","data":{"payout":{"Status":"Failed"}}}',
    '{"status":"\\u0066ailed"}',
    '{"code":4e2}',
  ])("%s is accepted, and the remark is not hidden", (body) => {
    expect(of(answered(200, { body }))).toMatchObject({ state: "accepted", reason: "accepted_reports_failure" });
  });

  test.each([
    ...["", "ok", "{", "[]", "null", "1", '{"error":null}', '{"error":""}', '{"error":false}', '{"status":"ok"}'],
    ...['{"errors":[]}', '{"error":{}}', '{"error":0}', '{"status":200,"code":"00"}', '{"data":{"success":true}}'],
    `${'{"data":'.repeat(9_000)}{"status":"FAILED"}${"}".repeat(9_000)}`,
  ])("%j says nothing of a failure", (body) =>
    expect(of(answered(200, { body }))).toMatchObject({ state: "accepted", reason: "accepted" }),
  );
});

describe("no answer", () => {
  test.each([
    ["timeout", "no_answer"],
    ["broken", "connection_broken"],
    ["malformed", "malformed_answer"],
    ["aborted", "interrupted"],
  ] as const)("%s is unknown and goes not again", (cause, reason) => {
    expect(of({ kind: "no_answer", cause, detail: "", durationMs: 1 })).toEqual({ state: "unknown", reason });
  });
});

describe("never on the wire", () => {
  test("unreachable goes again after a wait", () => {
    const outcome = of({ kind: "unsent", cause: "unreachable", detail: "", durationMs: 1 });
    expect(outcome).toEqual({ state: "not_sent", reason: "unreachable", again: "backoff" });
  });

  test.each([
    ["certificate", "certificate_refused"],
    ["no_tls", "no_tls"],
    ["local", "local_error"],
  ] as const)("%s stops the run", (cause, reason) => {
    const outcome = of({ kind: "unsent", cause, detail: "", durationMs: 1 });
    expect(outcome).toEqual({ state: "not_sent", reason, stop: reason });
  });
});
