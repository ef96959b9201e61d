import dns from "node:dns";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { causeOfUnsent, describeFailure } from "../../src/client/failure.ts";
import { preflight } from "../../src/client/preflight.ts";

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
    const itself = new Error("round and round");
    itself.cause = itself;
    expect(describeFailure(itself, "")).toBe("round and round");
    expect(describeFailure(new Error("a\nb\u001b[31m".repeat(100)), "")).toMatch(/^a\\nb\\u\{1b\}.{280,}…$/);
  });
});

test("of a host none of whose addresses answers, each address is told", async () => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const both = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  vi.spyOn(dns, "lookup").mockImplementation(((
    _host: string,
    _options: unknown,
    found: (...all: unknown[]) => void,
  ) => {
    setImmediate(found, null, both);
  }) as typeof dns.lookup);
  onTestFinished(() => void vi.restoreAllMocks());
  const looked = await preflight({ baseUrl: `http://localhost:${port}`, connectTimeoutMs: 5_000, env: {} });
  const refused = both.map(({ address }) => `connect ECONNREFUSED ${address}:${port}`);
  expect(looked).toMatchObject({ kind: "failed", message: ["ECONNREFUSED", ...refused].join("; ") });
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
