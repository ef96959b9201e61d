import { describe, expect, test } from "vitest";
import { causeOfUnsent, describeFailure } from "../../src/client/failure.ts";

describe("what a log may say of a failure", () => {
  test("not the API key, wherever it stands", () => {
    const error = new Error("header x-api-key: pk_live_1 was odd", { cause: new Error("pk_live_1") });
    expect(describeFailure(error, "pk_live_1")).toBe("header x-api-key: [secret] was odd; [secret]");
  });

  test("not the credentials of a proxy", () => {
    expect(describeFailure(new Error("cannot reach http://bob:hunter2@proxy:3128/"), "k-e-y")).toBe(
      "cannot reach http://proxy:3128/",
    );
  });

  test("every address that was tried, with its code, on one line of bounded length", () => {
    const attempts = ["::1", "127.0.0.1"].map((address) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}:1`), { code: "ECONNREFUSED" }),
    );
    const error = Object.assign(new AggregateError(attempts), { code: "ECONNREFUSED" });
    expect(describeFailure(error, "")).toBe(
      "ECONNREFUSED; connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1",
    );
    expect(describeFailure(new Error("a\nb\u001b[31m".repeat(100)), "")).toMatch(/^a\\nb\\u\{1b\}.{280,}…$/);
  });
});

describe("why nothing left", () => {
  test("a certificate behind a wrapping error is still a certificate", () => {
    const inner = Object.assign(new Error("no"), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    expect(causeOfUnsent(Object.assign(new Error("proxy"), { code: "UND_ERR_PRX_TLS", cause: inner }))).toBe(
      "certificate",
    );
  });

  test("anything unknown is unreachable, not a reason to stop", () => {
    expect(causeOfUnsent("?")).toBe("unreachable");
    expect(causeOfUnsent(Object.assign(new Error(""), { code: "ENETDOWN" }))).toBe("unreachable");
  });
});
