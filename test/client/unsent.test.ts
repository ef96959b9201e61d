import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { Client } from "undici";
import { describe, expect, test } from "vitest";
import { Exchange } from "../../src/client/exchange.ts";
import { createCertificates } from "../support/certificates.ts";
import * as wire from "../support/fault-server.ts";
import { BODY, cleanups, detailOf, freePort, KEY, open, PATH, serve } from "./opened.ts";
import { until } from "../support/until.ts";

describe("never on the wire", () => {
  test("a request that was written already, should it be begun on another connection", async () => {
    const server = await serve(({ number }) => (number === 2 ? wire.answer(200) : wire.silence()));
    const limits = {
      connectTimeoutMs: 500,
      timeoutMs: 3_000,
      bodyTimeoutMs: 3_000,
      bodyBytesMax: 100,
      isSecure: false,
      apiKey: KEY,
    };
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
    const answer = await open(`https://localhost:${server.port}`).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "unreachable" });
    expect(detailOf(answer)).toContain("Connect Timeout");
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
    let isClosed = false;
    const doorkeeper = net.createServer((client) => {
      const upstream = net.connect(server.port, "127.0.0.1");
      upstream.on("error", () => client.destroy());
      client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
      upstream.on("close", () => (isClosed = true));
      setTimeout(() => client.pipe(upstream).pipe(client), 250);
    });
    doorkeeper.listen(0, "127.0.0.1");
    await once(doorkeeper, "listening");
    cleanups.push(() => new Promise((resolve) => doorkeeper.close(() => resolve())));
    const { port } = doorkeeper.address() as AddressInfo;
    const transport = open(`https://localhost:${port}`, { timeoutMs: 100, ca: certificates.ca });
    expect(await transport.post(PATH, BODY)).toMatchObject({ kind: "unsent", cause: "unreachable" });
    await until("the end of the connection", () => isClosed);
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

  test("a port that speaks plain http is no certificate", async () => {
    const server = await serve(() => wire.answer(200), {
      onConnection: (socket) => {
        socket.once("data", () => socket.end(wire.response(400)));
        return "hold";
      },
    });
    const answer = await open(server.url.replace("http:", "https:"), authority).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "no_tls" });
    expect(server.requests).toHaveLength(0);
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
