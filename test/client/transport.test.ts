import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { preflight } from "../../src/client/sender.ts";
import { Secret } from "../../src/config/secret.ts";
import { createCertificates, type Certificates } from "../support/certificates.ts";
import * as wire from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { BODY, detailOf, freePort, KEY, open, PATH } from "./opened.ts";

let certificates: Certificates;
beforeAll(() => {
  certificates = createCertificates();
});

afterEach(() => void vi.unstubAllEnvs());

describe("what is sent", () => {
  test("a POST over HTTP/1.1 with exactly the two headers of §4", async () => {
    const server = await startService();
    await open(`${server.url}/api/`).post(PATH, BODY);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", path: `/api${PATH}`, httpVersion: "1.1", body: BODY });
    expect(request?.headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      connection: "keep-alive",
      "content-type": "application/json",
      "x-api-key": KEY,
      "content-length": String(BODY.length),
    });
  });

  test("connections are kept, or with reuse off each request has its own", async () => {
    const server = await startService();
    const kept = open(server.url, { concurrency: 2 });
    for (let n = 0; n < 60; n += 1) await Promise.all([kept.post(PATH, BODY), kept.post(PATH, BODY)]);
    expect(server.connections).toBeLessThanOrEqual(64);
    const before = server.connections;
    const own = open(server.url, { reuse_connections: false });
    for (let n = 0; n < 70; n += 1) await own.post(PATH, BODY);
    expect(server.connections - before).toBe(70);
  });

  test("a server that prefers HTTP/2 is spoken to in HTTP/1.1", async () => {
    const server = http2.createSecureServer({ ...certificates.server, allowHTTP1: true }, (request, response) => {
      response.end(request.httpVersion);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { ca } = certificates;
    expect(await open(`https://localhost:${port}`, { ca }).post(PATH, BODY)).toMatchObject({ body: "1.1" });
  });
});

/** A server that answers whatever comes with 400, as web servers do where TLS comes to a port without it. */
async function plainHttp(): Promise<string> {
  const onConnection = (socket: Socket): undefined => void socket.once("data", () => socket.end(wire.response(400)));
  const { port } = await startService(() => wire.silence(), { onConnection });
  return `https://127.0.0.1:${port}`;
}

describe("proven unsent: no byte of the request left", () => {
  test("a key that no header can carry", async () => {
    const server = await startService();
    const answer = await open(server.url, { apiKey: new Secret("bad\nkey-value") }).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "local" });
    expect(detailOf(answer)).not.toContain("key-value");
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    ["a port where nothing listens", async () => `http://127.0.0.1:${await freePort()}`, "unreachable"],
    ["a name that does not exist", () => "https://nowhere.invalid", "unreachable"],
    ["plain http where TLS is spoken to", () => plainHttp(), "certificate"],
  ])("%s", async (_what, url, cause) => {
    expect(await open(await url()).post(PATH, BODY)).toMatchObject({ kind: "unsent", cause });
  });

  test.each([
    ["for another host", "otherHost", {}],
    ["that has expired", "expired", {}],
    ["that signed itself", "selfSigned", {}],
  ] as const)("a certificate %s: the key is not sent", async (_what, which, more) => {
    const server = await startService(() => wire.answer(200), { tls: certificates[which] });
    const transport = open(server.url, { ca: certificates.ca, ...more });
    expect(await transport.post(PATH, BODY)).toMatchObject({ kind: "unsent", cause: "certificate" });
    await expect(preflight(transport, server.url, 500)).rejects.toMatchObject({ reason: "not_reached" });
    expect([server.requests.length, server.bytesReceived]).toEqual([0, 0]);
  });

  test("a hung TLS handshake ends with the connect timeout", async () => {
    const server = await startService(() => wire.answer(200), { onConnection: () => "hold" });
    const url = server.url.replace("http:", "https:");
    expect(await open(url, { connect_timeout: 200 }).post(PATH, BODY)).toMatchObject({
      kind: "unsent",
      cause: "unreachable",
    });
  });

  test("a TLS handshake that ends after the row was given up: it is never written", async () => {
    const server = await startService(() => wire.answer(200), { tls: certificates.server });
    const slow = net.createServer((socket) => {
      const through = net.connect(server.port, "127.0.0.1");
      socket.on("error", () => through.destroy()).on("close", () => through.destroy());
      through.on("error", () => socket.destroy()).pipe(socket);
      setTimeout(() => socket.pipe(through), 400);
    });
    await once(slow.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void slow.close());
    const { port } = slow.address() as AddressInfo;
    const transport = open(`https://localhost:${port}`, { ca: certificates.ca, connect_timeout: 5_000 });
    expect(await transport.post(PATH, BODY, AbortSignal.timeout(50))).toMatchObject({ kind: "unsent" });
    await sleep(900);
    expect(server.requests).toEqual([]);
  });

  test.each([502, 407])("a proxy that answers CONNECT with %i", async (status) => {
    const proxy = await startService(() => wire.answer(status));
    vi.stubEnv("HTTPS_PROXY", `http://bob:hunter2@127.0.0.1:${proxy.port}`);
    const transport = open("https://payments.example");
    const answer = await transport.post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "unreachable" });
    expect(detailOf(answer)).toContain(String(status));
    expect(detailOf(answer)).not.toContain("hunter2");
    expect(proxy.requests[0]).toMatchObject({ method: "CONNECT", path: "payments.example:443" });
    expect(proxy.requests[0]?.head).not.toContain(KEY);
    await expect(preflight(transport, "https://payments.example", 500)).rejects.toThrow(String(status));
  });
});

describe("before anything connects", () => {
  const own = (clientKey?: string): object => ({
    clientCert: certificates.client.cert,
    ...(clientKey !== undefined && { clientKey }),
  });

  test.each([
    ["another certificate's key", () => own(certificates.server.key), /client_key_file cannot be used: .*mismatch/],
    ["an empty key", () => own(""), /client_key_file cannot be used/],
    ["no key at all", () => own(undefined), /belong together/],
    ["a path in place of a key", () => own("/etc/client.key"), /client_key_file cannot be used/],
    ["a CA that is a path", () => ({ ca: "/etc/ca.pem" }), /ca_file cannot be used/],
    ["what is no proxy", () => void vi.stubEnv("https_proxy", "bob:hunter2"), /is not the address of a proxy/],
  ])("%s is refused, and nothing secret is repeated", (_what, options, said) => {
    const call = (): unknown => open("https://api.bank.example", options());
    expect(call).toThrow(said);
    expect(call).toThrow(expect.objectContaining({ code: "config" }) as Error);
    expect(call).not.toThrow(/PRIVATE|hunter2|\/etc/);
  });
});

describe("preflight: a connection as a run makes it, and no byte of a request", () => {
  test("reached by plain http and by TLS", async () => {
    const plain = await startService();
    const { ca, server: pair } = certificates;
    const secured = await startService(() => wire.answer(200), { tls: pair });
    const address = `127.0.0.1:${plain.port}`;
    expect(await preflight(open(plain.url), plain.url, 500)).toMatchObject({ address });
    await preflight(open(secured.url, { ca }), secured.url, 500);
    expect([plain.bytesReceived, secured.bytesReceived]).toEqual([0, 0]);
  });

  test("a server that misses our certificate says so after the handshake", async () => {
    const { ca, server: pair, client } = certificates;
    const server = await startService(() => wire.answer(200), {
      tls: { ...pair, ca, requestCert: true, rejectUnauthorized: true },
    });
    await expect(preflight(open(server.url, { ca }), server.url, 500)).rejects.toMatchObject({ reason: "not_reached" });
    const own = { ca, clientCert: client.cert, clientKey: client.key };
    expect((await preflight(open(server.url, own), server.url, 500)).durationMs).toBeLessThan(500);
  });

  test("nothing there", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await expect(preflight(open(url), url, 500)).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe("an answer belongs to its own request (I6)", () => {
  test("two answers in one write: the second is nobody's", async () => {
    const server = await startService((request) =>
      request.number === 1 ? wire.raw(wire.response(402) + wire.response(200)) : wire.answer(402),
    );
    const transport = open(server.url, { concurrency: 1 });
    for (let n = 0; n < 100; n += 1) expect(await transport.post(PATH, BODY)).toMatchObject({ status: 402 });
    expect(server.requests.filter((request) => request.onConnection > 1)).not.toHaveLength(0);
  });

  test("bytes on an idle connection close it", async () => {
    let isClosed = false;
    const first = wire.inOrder(
      (socket) => void socket.once("close", () => (isClosed = true)),
      ...[wire.answer(402), wire.pause(20), wire.raw(wire.response(200))],
    );
    const server = await startService((request) => (request.number === 1 ? first : wire.answer(402)));
    const transport = open(server.url, { concurrency: 1 });
    await transport.post(PATH, BODY);
    await until("the end of the connection", () => isClosed);
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 402 });
    expect(server.connections).toBe(2);
  });

  test.each([true, false])(
    "a stray answer up to 20 ms later reaches no other row, reuse %s",
    async (reuse_connections) => {
      const server = await startService((request) =>
        request.number % 2 === 1
          ? wire.inOrder(wire.answer(402), wire.pause(request.number % 21), wire.raw(wire.response(200)))
          : wire.inOrder(wire.pause(5), wire.answer(402)),
      );
      const transport = open(server.url, { concurrency: 1, reuse_connections });
      for (let n = 0; n < 100; n += 1) expect(await transport.post(PATH, BODY)).toMatchObject({ status: 402 });
    },
  );
});
