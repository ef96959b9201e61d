import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getEventListeners, once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Client } from "undici";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Answer } from "../../src/client/answer.ts";
import { RestingConnections } from "../../src/client/connections.ts";
import { Exchange } from "../../src/client/exchange.ts";
import { ping } from "../../src/client/ping.ts";
import { createTransport } from "../../src/client/transport.ts";
import type { Transport, TransportOptions } from "../../src/client/transport.ts";
import { Secret } from "../../src/config/secret.ts";
import { PaydropError } from "../../src/errors.ts";
import { createCertificates } from "../support/certificates.ts";
import * as wire from "../support/fault-server.ts";
import type { FaultServerOptions, Script } from "../support/fault-server.ts";

const KEY = "pk_test_4f9a-not-for-logs";
const PATH = "/v1/banking/transfer";
const BODY = '{"amount":100.50}';
const HEAD_OF_MUCH = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function open(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({
    baseUrl,
    apiKey: new Secret(KEY),
    concurrency: 4,
    timeoutMs: 3_000,
    connectTimeoutMs: 500,
    reuseConnections: true,
    ...options,
  });
  cleanups.push(() => transport.close());
  return transport;
}

async function serve(script: Script, options: FaultServerOptions = {}) {
  const server = await wire.startFaultServer(script, options);
  cleanups.push(() => server.close());
  return server;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function detailOf(answer: Answer): string {
  return answer.kind === "answered" ? "" : answer.detail;
}

describe("what is sent", () => {
  test("a POST over HTTP/1.1 to base path and path, with exactly the two headers of §4", async () => {
    const server = await serve(() => wire.answer(200, { id: 7 }));
    const answer = await open(`${server.url}/api/`).post(PATH, BODY);
    expect(answer).toMatchObject({
      kind: "answered",
      status: 200,
      body: '{"id":7}',
      contentType: "application/json",
      bodyEnd: "complete",
    });
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

  test("a connection that rested while the machine slept is not used again: the other side may have closed it", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const opened: Client[] = [];
    const connections = new RestingConnections(1, () => {
      opened.push(new Client("http://127.0.0.1:9"));
      return opened.at(-1) as Client;
    });
    const first = connections.take();
    connections.rest(first);
    expect(connections.take()).toBe(first);
    connections.rest(first);
    vi.setSystemTime(Date.now() + 8_000);
    expect(connections.take()).not.toBe(first);
    expect(opened.map((client) => client.destroyed)).toEqual([true, false]);
  });

  test("connections are kept, and rest between two requests", async () => {
    const server = await serve(() => wire.answer(200));
    const transport = open(server.url, { concurrency: 2 });
    for (let n = 0; n < 60; n += 1) await Promise.all([transport.post(PATH, BODY), transport.post(PATH, BODY)]);
    expect(server.requests).toHaveLength(120);
    expect(server.connections).toBeLessThanOrEqual(64);
  });

  test("without reuse every request has its own connection", async () => {
    const server = await serve(() => wire.answer(200));
    const transport = open(server.url, { reuseConnections: false });
    // more than connections may rest
    for (let n = 0; n < 70; n += 1) await transport.post(PATH, BODY);
    expect(server.requests.map((request) => [request.connection, request.onConnection])).toEqual(
      Array.from({ length: 70 }, (_, n) => [n + 1, 1]),
    );
    expect(server.requests.every((request) => request.headers["connection"] === "close")).toBe(true);
  });

  test("a key that no header can carry is a local fault and nothing is sent", async () => {
    const server = await serve(() => wire.answer(200));
    const apiKey = new Secret("bad\nkey-value");
    const answer = await open(server.url, { apiKey }).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "local" });
    expect(detailOf(answer)).toContain("x-api-key");
    expect(detailOf(answer)).not.toContain("key-value");
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    ["ftp://example.com", "not an https address"],
    ["nonsense", "not an address"],
    ["http://api.example.com", "http only to this machine"],
    ["https://bob:hunter2@api.example.com", "without a user name or password"],
    ["https://:hunter2@api.example.com", "without a user name or password"],
    ["https://api.example.com/?key=1", "without ? or #"],
  ])("the base URL %s is refused before anything is sent", (baseUrl, said) => {
    const refusal = catchError(() => open(baseUrl));
    expect(refusal).toBeInstanceOf(PaydropError);
    expect(refusal).toMatchObject({ code: "config" });
    expect(refusal.message).toContain(said);
    expect(refusal.message).not.toContain("hunter2");
  });
});

describe("never on the wire", () => {
  test("a request that was written already, should it be begun on another connection", async () => {
    const server = await serve(({ number }) => (number === 2 ? wire.answer(200) : wire.silence()));
    const limits = { timeoutMs: 3_000, bodyTimeoutMs: 3_000, bodyBytesMax: 100, apiKey: KEY };
    await new Promise((resolve) => {
      const exchange = new Exchange(limits, undefined, resolve);
      for (const client of [new Client(server.url), new Client(server.url)]) {
        cleanups.push(() => client.destroy());
        client.dispatch({ path: PATH, method: "POST", body: BODY }, exchange);
      }
    });
    expect(server.requests.length).toBeLessThan(2);
  });

  test("connection refused", async () => {
    const answer = await open(`http://127.0.0.1:${await freePort()}`).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "unreachable" });
    expect(detailOf(answer)).toContain("ECONNREFUSED");
  });

  test("a host name that does not exist", async () => {
    const answer = await open("https://paydrop.invalid").post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "unreachable" });
    expect(detailOf(answer)).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  test("a TLS handshake that hangs ends with the connect timeout", async () => {
    const server = await serve(() => wire.answer(200), { onConnection: () => "hold" });
    const began = performance.now();
    const answer = await open(`https://localhost:${server.port}`).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "unreachable" });
    expect(performance.now() - began).toBeLessThan(2_500);
  });

  test("a connection that takes longer than the whole timeout is given up and not used afterwards", async () => {
    const server = await serve(() => wire.answer(200), { onConnection: () => "hold" });
    const transport = open(`https://localhost:${server.port}`, { timeoutMs: 150, connectTimeoutMs: 1_000 });
    const answer = await transport.post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "unreachable" });
    expect(detailOf(answer)).toContain("150 ms");
    expect(server.requests).toHaveLength(0);
  });

  test("a reset inside the TLS handshake", async () => {
    const server = await serve(() => wire.answer(200), {
      onConnection: (socket) => {
        socket.once("data", () => socket.resetAndDestroy());
        return "hold";
      },
    });
    const answer = await open(`https://localhost:${server.port}`).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "unreachable" });
    expect(detailOf(answer)).toContain("ECONNRESET");
  });

  test("a signal that is already aborted", async () => {
    const server = await serve(() => wire.answer(200));
    const answer = await open(server.url).post(PATH, BODY, { signal: AbortSignal.abort() });
    expect(answer).toMatchObject({ kind: "unsent", cause: "local" });
    expect(server.bytesReceived).toBe(0);
  });

  test("a row that is given up while it waits for a connection is not sent when one becomes free", async () => {
    const server = await serve(() => wire.inOrder(wire.pause(150), wire.answer(200)));
    const transport = open(server.url, { concurrency: 1 });
    const first = transport.post(PATH, BODY);
    const stop = new AbortController();
    const second = transport.post(PATH, BODY, { signal: stop.signal });
    stop.abort();
    expect(await second).toMatchObject({ kind: "unsent", cause: "local" });
    expect(await first).toMatchObject({ status: 200 });
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 200 });
    expect(server.requests).toHaveLength(2);
  });

  test("a connection that comes after the timeout is not written to", async () => {
    const certificates = createCertificates();
    const server = await serve(() => wire.answer(200), { tls: certificates.server });
    const doorkeeper = net.createServer((client) => {
      const upstream = net.connect(server.port, "127.0.0.1");
      upstream.on("error", () => client.destroy());
      client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
      setTimeout(() => client.pipe(upstream).pipe(client), 250);
    });
    doorkeeper.listen(0, "127.0.0.1");
    await once(doorkeeper, "listening");
    cleanups.push(() => new Promise((resolve) => doorkeeper.close(() => resolve())));
    const { port } = doorkeeper.address() as AddressInfo;
    const transport = open(`https://localhost:${port}`, { timeoutMs: 100, ca: certificates.ca });
    expect(await transport.post(PATH, BODY)).toMatchObject({ kind: "unsent", cause: "unreachable" });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(server.bytesReceived).toBe(0);
  });

  test("a transport that is closed", async () => {
    const server = await serve(() => wire.answer(200));
    const transport = open(server.url);
    await transport.close();
    expect(await transport.post(PATH, BODY)).toMatchObject({ kind: "unsent", cause: "local" });
  });
});

describe("TLS", () => {
  const certificates = createCertificates();
  const authority = { ca: certificates.ca };

  test("a certificate of the configured authority is accepted", async () => {
    const server = await serve(() => wire.answer(200), { tls: certificates.server });
    expect(await open(server.url, authority).post(PATH, BODY)).toMatchObject({ kind: "answered", status: 200 });
  });

  test.each([
    ["signed by itself", certificates.selfSigned, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["for another host", certificates.otherHost, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has expired", certificates.expired, "CERT_HAS_EXPIRED"],
  ])("a certificate %s: nothing is sent", async (_what, pair, code) => {
    const server = await serve(() => wire.answer(200), { tls: pair });
    const answer = await open(server.url, authority).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "certificate" });
    expect(detailOf(answer)).toContain(code);
    expect(server.bytesReceived).toBe(0);
  });

  test("a certificate of an unknown authority, also with NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
    const server = await serve(() => wire.answer(200), { tls: certificates.server });
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      expect(await open(server.url).post(PATH, BODY)).toMatchObject({ kind: "unsent", cause: "certificate" });
    } finally {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    }
    expect(server.bytesReceived).toBe(0);
  });

  test("a server that speaks only TLS 1.1", async () => {
    const old = {
      ...certificates.server,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "ALL:@SECLEVEL=0",
    } as const;
    const server = await serve(() => wire.answer(200), { tls: old });
    const answer = await open(server.url, authority).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "certificate" });
    expect(server.bytesReceived).toBe(0);
  });

  test("a client certificate is shown when there is one, and its lack under TLS 1.2 is proof that nothing left", async () => {
    const wantsClient = {
      ...certificates.server,
      ca: certificates.ca,
      requestCert: true,
      maxVersion: "TLSv1.2",
    } as const;
    const server = await serve(() => wire.answer(200), { tls: wantsClient });
    const mine = { ...authority, clientCert: certificates.client.cert, clientKey: certificates.client.key };
    expect(await open(server.url, mine).post(PATH, BODY)).toMatchObject({ kind: "answered", status: 200 });
    expect(await open(server.url, authority).post(PATH, BODY)).toMatchObject({ kind: "unsent" });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["of another certificate", certificates.server.key, /^the key of the client certificate is not right: .*mismatch/],
    ["that is empty", "", /^the key of the client certificate is not right: it is empty/],
    ["that is a path", "/etc/client.key", /^the key of the client certificate is not right/],
  ])("a client key %s is refused before anything connects, and not repeated", (_, clientKey, message) => {
    const call = () =>
      open("https://api.bank.example", { ...authority, clientCert: certificates.client.cert, clientKey });
    expect(call).toThrow(message);
    expect(call).not.toThrow(/PRIVATE KEY|client\.key/);
  });

  test("a server that prefers HTTP/2 is spoken to in HTTP/1.1", async () => {
    const server = http2.createSecureServer({ ...certificates.server, allowHTTP1: true }, (request, response) => {
      response.setHeader("content-type", "text/plain");
      response.end(request.httpVersion);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanups.push(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    expect(await open(`https://localhost:${port}`, authority).post(PATH, BODY)).toMatchObject({ body: "1.1" });
  });
});

describe("sent and not answered", () => {
  test("a server that never answers: the timeout is total", async () => {
    const server = await serve(() => wire.silence());
    const answer = await open(server.url, { timeoutMs: 300 }).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "no_answer", cause: "timeout" });
    expect(answer.durationMs).toBeGreaterThanOrEqual(299);
    expect(answer.durationMs).toBeLessThan(900);
    expect(server.requests).toHaveLength(1);
  });

  test("a head at one byte at a time does not stretch the timeout", async () => {
    const server = await serve(() => wire.slowly(wire.response(200), 50));
    const answer = await open(server.url, { timeoutMs: 400 }).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "no_answer", cause: "timeout" });
    expect(answer.durationMs).toBeLessThan(1_000);
  });

  test.each([
    ["a FIN instead of an answer", wire.close(), "broken"],
    ["a reset instead of an answer", wire.reset(), "broken"],
    ["half a head and then a FIN", wire.inOrder(wire.raw("HTTP/1.1 200 OK\r\ncontent-le"), wire.close()), "broken"],
    ["103 and then a FIN", wire.inOrder(wire.raw("HTTP/1.1 103 Early Hints\r\n\r\n"), wire.close()), "broken"],
    ["a status line of no protocol", wire.raw("HTTZ/1.1 200 OK\r\n\r\n"), "malformed"],
    ["binary garbage", wire.raw(Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])), "malformed"],
    [
      "two content lengths",
      wire.raw("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}!"),
      "malformed",
    ],
    ["a head without end", wire.raw(`HTTP/1.1 200 OK\r\nx-long: ${"a".repeat(40_000)}\r\n\r\n`), "malformed"],
  ])("%s", async (_what, reply, cause) => {
    const server = await serve(() => reply);
    const answer = await open(server.url).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "no_answer", cause });
    expect(detailOf(answer)).not.toContain(KEY);
    expect(detailOf(answer)).not.toContain("amount");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests).toHaveLength(1);
  });

  test("requests share one listener on their signal, which is gone with the last of them", async () => {
    const server = await serve(() => wire.answer(200));
    const { signal } = new AbortController();
    const transport = open(server.url);
    const posts = [transport.post(PATH, BODY, { signal }), transport.post(PATH, BODY, { signal })];
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await Promise.all(posts);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test("everybody who closes it waits for what is under way", async () => {
    const server = await serve(() => wire.silence());
    const transport = open(server.url, { timeoutMs: 300 });
    const post = transport.post(PATH, BODY);
    await Promise.all([transport.close(), transport.close()]);
    expect(await post).toMatchObject({ kind: "no_answer", cause: "timeout" });
  });

  test("a signal ends what is under way", async () => {
    const server = await serve(() => wire.silence());
    const transport = open(server.url);
    const stop = new AbortController();
    const posts = Array.from({ length: 4 }, () => transport.post(PATH, BODY, { signal: stop.signal }));
    while (server.requests.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    for (const answer of await Promise.all(posts))
      expect(answer).toMatchObject({ kind: "no_answer", cause: "aborted" });
  });
});

describe("answered", () => {
  test.each([200, 204, 400, 401, 422, 429, 500, 503])(
    "status %i comes back as it is, after one request",
    async (status) => {
      const server = await serve(() => wire.answer(status, status === 204 ? "" : { said: status }));
      expect(await open(server.url).post(PATH, BODY)).toMatchObject({ kind: "answered", status, bodyEnd: "complete" });
      expect(server.requests).toHaveLength(1);
    },
  );

  test.each([
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("a body that was compressed unasked (%s) is read", async (coding, compress) => {
    const bytes = compress('{"status":"FAILED"}');
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${bytes.length}\r\n\r\n`;
    const server = await serve(() => wire.raw(Buffer.concat([Buffer.from(head), bytes])));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ body: '{"status":"FAILED"}', bodyEnd: "complete" });
  });

  test("one that says so and is not, or would be too large, stays as it came", async () => {
    const large = gzipSync("a".repeat(100_000)).toString("latin1");
    for (const body of ["{}", large]) {
      const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
      const server = await serve(() => wire.raw(Buffer.from(head + body, "latin1")));
      const answer = await open(server.url).post(PATH, BODY);
      expect(answer).toMatchObject({ status: 200, body: Buffer.from(body, "latin1").toString(), bodyEnd: "complete" });
    }
  });

  test("an early hint before the answer is not the answer", async () => {
    const server = await serve(() => wire.raw(`HTTP/1.1 103 Early Hints\r\n\r\n${wire.response(402)}`));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ kind: "answered", status: 402 });
  });

  test("Retry-After is handed on as written", async () => {
    const server = await serve(() => wire.answer(429, "", { "retry-after": "2" }));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ status: 429, retryAfter: "2" });
  });

  test.each([301, 302, 303, 307, 308])("a %i is not followed: the other origin sees no byte", async (status) => {
    const other = await serve(() => wire.answer(200));
    const server = await serve(() => wire.redirect(status, `${other.url}/v1/elsewhere`));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ kind: "answered", status });
    expect(other.connections).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  test("a body that is cut keeps its status and says so", async () => {
    const server = await serve(() => wire.cutBody(422));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ status: 422, body: '{"a', bodyEnd: "cut" });
  });

  test("a body of no stated length ends with its connection: one that is reset is cut", async () => {
    const answering = Promise.withResolvers<net.Socket>();
    const server = await serve(() => (socket) => {
      answering.resolve(socket);
      socket.write("HTTP/1.1 429 Slow Down\r\nretry-after: 0\r\n\r\n{");
    });
    const onHead = (): void => void answering.promise.then((socket) => socket.resetAndDestroy());
    subscribe("undici:request:headers", onHead);
    const answer = await open(server.url).post(PATH, BODY);
    unsubscribe("undici:request:headers", onHead);
    expect(answer).toMatchObject({ kind: "answered", status: 429, bodyEnd: "cut" });
  });

  test("a body of no stated length is complete when its connection is closed", async () => {
    const server = await serve(() => wire.inOrder(wire.raw("HTTP/1.1 422 No\r\n\r\n{}"), wire.close()));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ status: 422, body: "{}", bodyEnd: "complete" });
  });

  test("a chunked body with a broken chunk is cut", async () => {
    const chunked = "HTTP/1.1 400 No\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\nZZ\r\n";
    const server = await serve(() => wire.raw(chunked));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ status: 400, body: "{}", bodyEnd: "cut" });
  });

  test("a body that stalls frees the lane in time and its connection is not used again", async () => {
    const server = await serve((request) => (request.number === 1 ? wire.stalledBody(200) : wire.answer(201)));
    const transport = open(server.url, { concurrency: 1, bodyTimeoutMs: 200 });
    const stalled = await transport.post(PATH, BODY);
    expect(stalled).toMatchObject({ status: 200, body: '{"a', bodyEnd: "stalled" });
    expect(stalled.durationMs).toBeLessThan(1_000);
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 201, bodyEnd: "complete" });
    expect(server.connections).toBe(2);
  });

  test("a body that may take long does not stretch the timeout, which is total", async () => {
    const server = await serve(() => wire.stalledBody(200));
    const answer = await open(server.url, { timeoutMs: 300, bodyTimeoutMs: 20_000 }).post(PATH, BODY);
    expect(answer).toMatchObject({ status: 200, bodyEnd: "stalled" });
    expect(answer.durationMs).toBeLessThan(10_000);
  });

  test.each([
    ["stalls", wire.stalledBody(200), "stalled"],
    ["is too long", wire.inOrder(wire.raw(HEAD_OF_MUCH), wire.raw("x".repeat(70 * 1024))), "too_large"],
  ])("the connection of a body that %s is closed at once", async (_what, reply, bodyEnd) => {
    const closed = Promise.withResolvers<undefined>();
    const server = await serve(() => (socket) => {
      socket.once("close", () => closed.resolve(undefined));
      return reply(socket);
    });
    expect(await open(server.url, { bodyTimeoutMs: 200 }).post(PATH, BODY)).toMatchObject({ status: 200, bodyEnd });
    await closed.promise;
  });

  test("who gives up on a body keeps the status that stands before it", async () => {
    const server = await serve(() => wire.stalledBody(200));
    const stop = new AbortController();
    const onHead = (): void => void setImmediate(() => stop.abort());
    subscribe("undici:request:headers", onHead);
    const answer = await open(server.url).post(PATH, BODY, { signal: stop.signal });
    unsubscribe("undici:request:headers", onHead);
    expect(answer).toMatchObject({ kind: "answered", status: 200, bodyEnd: "cut" });
  });

  test("a body at one byte at a time is stalled, however steady it is", async () => {
    const server = await serve(() => wire.slowly(wire.response(200, "x".repeat(2_000)), 1));
    const answer = await open(server.url, { bodyTimeoutMs: 300 }).post(PATH, BODY);
    expect(answer).toMatchObject({ status: 200, bodyEnd: "stalled" });
  });

  test.each([
    ["announced", (body: string) => wire.response(200, body)],
    [
      "chunked",
      (body: string) =>
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])("a body over 64 KiB (%s) is read up to there, and its connection is not used again", async (_how, bytes) => {
    const server = await serve((request) =>
      request.number === 1 ? wire.raw(bytes("y".repeat(3_000_000))) : wire.answer(201),
    );
    const transport = open(server.url, { concurrency: 1 });
    const answer = await transport.post(PATH, BODY);
    expect(answer).toMatchObject({ status: 200, bodyEnd: "too_large" });
    expect(answer.kind === "answered" && answer.body.length).toBe(65_536);
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 201 });
    expect(server.connections).toBe(2);
  });

  test("a FIN right after the answer hurts neither this row nor the next", async () => {
    const server = await serve(() => wire.inOrder(wire.answer(200), wire.close()));
    const transport = open(server.url, { concurrency: 1 });
    for (let n = 0; n < 20; n += 1) expect(await transport.post(PATH, BODY)).toMatchObject({ status: 200 });
    expect(server.requests).toHaveLength(20);
  });
});

describe("an answer belongs to its own request (I6)", () => {
  test("two answers in one write: the second is nobody's", async () => {
    const server = await serve((request) =>
      request.onConnection === 1 && request.number === 1
        ? wire.raw(wire.response(402) + wire.response(200))
        : wire.answer(402),
    );
    const transport = open(server.url, { concurrency: 1 });
    for (let n = 0; n < 100; n += 1) expect(await transport.post(PATH, BODY)).toMatchObject({ status: 402 });
    expect(server.requests.filter((request) => request.onConnection > 1)).not.toHaveLength(0);
  });

  test("bytes on an idle connection close it", async () => {
    const server = await serve((request) =>
      request.number === 1
        ? wire.inOrder(wire.answer(402), wire.pause(20), wire.raw(wire.response(200)))
        : wire.answer(402),
    );
    const transport = open(server.url, { concurrency: 1 });
    await transport.post(PATH, BODY);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 402 });
    expect(server.connections).toBe(2);
  });

  test("a stray answer up to 20 ms later never reaches the next row: its connection rests until then", async () => {
    const server = await serve((request) =>
      request.number % 2 === 1
        ? wire.inOrder(wire.answer(402), wire.pause(request.number % 21), wire.raw(wire.response(200)))
        : wire.inOrder(wire.pause(5), wire.answer(402)),
    );
    const transport = open(server.url, { concurrency: 1 });
    for (let n = 0; n < 120; n += 1) expect(await transport.post(PATH, BODY)).toMatchObject({ status: 402 });
  });

  test("with a connection for each request a stray answer never reaches the next row, whenever it comes", async () => {
    const server = await serve((request) =>
      request.number % 2 === 1
        ? wire.inOrder(wire.answer(402), wire.pause(request.number % 15), wire.raw(wire.response(200)))
        : wire.inOrder(wire.pause(5), wire.answer(402)),
    );
    const transport = open(server.url, { concurrency: 1, reuseConnections: false });
    for (let n = 0; n < 60; n += 1) expect(await transport.post(PATH, BODY)).toMatchObject({ status: 402 });
  });
});

describe("a proxy from the environment", () => {
  async function through(proxyUrl: string, options: Partial<TransportOptions> = {}): Promise<Answer> {
    process.env["HTTPS_PROXY"] = proxyUrl;
    try {
      return await open("https://payments.example", { useProxyFromEnvironment: true, ...options }).post(PATH, BODY);
    } finally {
      delete process.env["HTTPS_PROXY"];
    }
  }

  test.each([502, 407, 403])("CONNECT answered with %i: nothing was sent", async (status) => {
    const proxy = await serve(() => wire.answer(status));
    const answer = await through(`http://bob:hunter2@127.0.0.1:${proxy.port}`);
    expect(answer).toMatchObject({ kind: "unsent", cause: "unreachable" });
    expect(detailOf(answer)).toContain(String(status));
    expect(detailOf(answer)).not.toContain("hunter2");
    expect(proxy.requests[0]).toMatchObject({ method: "CONNECT", path: "payments.example:443" });
    expect(proxy.requests[0]?.head).not.toContain(KEY);
  });

  test.each([
    ["a proxy that refuses connections", async () => `http://127.0.0.1:${await freePort()}`],
    ["a proxy that closes", async () => (await serve(() => wire.close())).url],
    ["a proxy that resets", async () => (await serve(() => wire.reset())).url],
  ])("%s: nothing was sent", async (_what, url) => {
    expect(await through(await url())).toMatchObject({ kind: "unsent", cause: "unreachable" });
  });

  test("a proxy that never answers CONNECT ends with the timeout: nothing was sent", async () => {
    const proxy = await serve(() => wire.silence());
    expect(await through(proxy.url, { timeoutMs: 300 })).toMatchObject({ kind: "unsent", cause: "unreachable" });
  });

  test("a proxy with a certificate of an unknown authority, also with NODE_TLS_REJECT_UNAUTHORIZED=0: it sees no byte", async () => {
    const proxy = await serve(() => wire.answer(502), { tls: createCertificates().server });
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      expect(await through(proxy.url)).toMatchObject({ kind: "unsent" });
    } finally {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    }
    expect(proxy.bytesReceived).toBe(0);
  });

  function tunnelTo(service: wire.FaultServer): Promise<wire.FaultServer> {
    return serve((request) => (client) => {
      expect(request.method).toBe("CONNECT");
      client.removeAllListeners("data");
      client.write("HTTP/1.1 200 Connected\r\n\r\n");
      joined(client, service);
    });
  }

  /** SOCKS 5 without a password (RFC 1928): whatever address is asked for is the service. */
  async function socksTo(service: wire.FaultServer): Promise<string> {
    const proxy = net.createServer((client) => {
      client.once("data", () => {
        client.write(Uint8Array.of(5, 0));
        client.once("data", () => {
          client.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
          joined(client, service);
        });
      });
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    cleanups.push(() => Promise.resolve(void proxy.close()));
    return `socks5://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  }

  function joined(client: net.Socket, service: wire.FaultServer): void {
    const upstream = net.connect(service.port, "127.0.0.1");
    client.pipe(upstream).pipe(client);
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
  }

  function openThrough(proxyUrl: string, options: Partial<TransportOptions>): Transport {
    process.env["HTTPS_PROXY"] = proxyUrl;
    try {
      return open("https://elsewhere.example", { useProxyFromEnvironment: true, ...options });
    } finally {
      delete process.env["HTTPS_PROXY"];
    }
  }

  test("a stray answer through a tunnel never reaches the next row: its connection rests as well (I6)", async () => {
    const certificates = createCertificates();
    const service = await serve(
      (request) =>
        request.number % 2 === 1
          ? wire.inOrder(wire.answer(402), wire.pause(request.number % 21), wire.raw(wire.response(200)))
          : wire.inOrder(wire.pause(5), wire.answer(402)),
      { tls: certificates.otherHost },
    );
    for (const proxyUrl of [(await tunnelTo(service)).url, await socksTo(service)]) {
      const transport = openThrough(proxyUrl, { ca: certificates.ca, concurrency: 1 });
      for (let n = 0; n < 60; n += 1) expect(await transport.post(PATH, BODY)).toMatchObject({ status: 402 });
    }
  });

  test("without reuse every request has a tunnel of its own", async () => {
    const certificates = createCertificates();
    const service = await serve(() => wire.answer(200), { tls: certificates.otherHost });
    for (const proxyUrl of [(await tunnelTo(service)).url, await socksTo(service)]) {
      const transport = openThrough(proxyUrl, { ca: certificates.ca, concurrency: 1, reuseConnections: false });
      for (let n = 0; n < 3; n += 1) {
        expect(await transport.post(PATH, BODY)).toMatchObject({ status: 200 });
        // longer than a connection rests
        await new Promise((resolve) => setTimeout(resolve, 80));
      }
    }
    expect(service.requests.map((request) => request.onConnection)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test("a tunnel carries the request, and the certificate of the service is still checked", async () => {
    const certificates = createCertificates();
    const pair = certificates.otherHost;
    const service = await serve(() => wire.answer(200), { tls: pair });
    const proxy = await tunnelTo(service);
    expect(await through(proxy.url, { ca: certificates.ca })).toMatchObject({ kind: "unsent", cause: "certificate" });
    expect(service.requests).toHaveLength(0);

    const transport = openThrough(proxy.url, { ca: certificates.ca });
    expect(await transport.post(PATH, BODY)).toMatchObject({ kind: "answered", status: 200 });
    expect(service.requests[0]?.headers["x-api-key"]).toBe(KEY);
    expect(proxy.requests.every((request) => !request.head.includes(KEY))).toBe(true);
  });

  test.each(["127.0.0.1:3128", "http://bob:hunter2@:99999", "proxy.example:3128", "http://bob:%zz@proxy.example", " "])(
    "%s is no address of a proxy: that is said before anything is sent, and not repeated",
    (said) => {
      const error = catchError(() => {
        process.env["HTTPS_PROXY"] = said;
        try {
          open("https://payments.example", { useProxyFromEnvironment: true });
        } finally {
          delete process.env["HTTPS_PROXY"];
        }
      });
      expect(error).toMatchObject({ code: "config", message: "HTTPS_PROXY is not the address of a proxy" });
      expect(inspect(error)).not.toMatch(/hunter2|3128"/);
    },
  );

  test("a ping by what is no proxy is told, not thrown: the run has ended all the same", async () => {
    process.env["HTTPS_PROXY"] = "127.0.0.1:3128";
    try {
      expect(await ping("https://monitor.example", 0)).toContain("Invalid URL");
    } finally {
      delete process.env["HTTPS_PROXY"];
    }
  });

  test("an address on this machine never goes through it", async () => {
    const proxy = await serve(() => wire.answer(502));
    const server = await serve(() => wire.answer(200));
    process.env["HTTP_PROXY"] = proxy.url;
    try {
      const answer = await open(server.url, { useProxyFromEnvironment: true }).post(PATH, BODY);
      expect(answer).toMatchObject({ kind: "answered", status: 200 });
    } finally {
      delete process.env["HTTP_PROXY"];
    }
    expect(proxy.connections).toBe(0);
  });
});

function catchError(act: () => unknown): Error {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof Error) return thrown;
  }
  throw new Error("nothing was thrown");
}
