import { once } from "node:events";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { Answer } from "../../src/client/answer.ts";
import { ping } from "../../src/client/ping.ts";
import type { Transport, TransportOptions } from "../../src/client/transport.ts";
import { createCertificates } from "../support/certificates.ts";
import * as wire from "../support/fault-server.ts";
import { BODY, catchError, cleanups, detailOf, freePort, KEY, open, PATH, serve } from "./opened.ts";

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

  test("a proxy that never answers CONNECT costs the connect timeout, and the next request has another connection", async () => {
    const certificates = createCertificates();
    const service = await serve(() => wire.answer(200), { tls: certificates.otherHost });
    const closed = Promise.withResolvers();
    const silent: wire.Reply = (client) => void client.once("close", closed.resolve);
    const proxy = await serve(({ number }) => (number === 1 ? silent : tunnel(service)));
    const transport = openThrough(proxy.url, { ca: certificates.ca, concurrency: 1, timeoutMs: 30_000 });
    const answer = await transport.post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "unsent", cause: "unreachable" });
    expect(detailOf(answer)).toMatch(/^no connection within \d+ ms$/);
    expect(answer.durationMs).toBeLessThan(5_000);
    expect(service.requests).toHaveLength(0);
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 200 });
    await closed.promise;
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

  function tunnelTo(service: wire.FaultServer, resetAfterMs?: number): Promise<wire.FaultServer> {
    return serve((request) => {
      expect(request.method).toBe("CONNECT");
      return tunnel(service, resetAfterMs);
    });
  }

  function tunnel(service: wire.FaultServer, resetAfterMs?: number): wire.Reply {
    return (client) => {
      client.removeAllListeners("data");
      client.write("HTTP/1.1 200 Connected\r\n\r\n");
      joined(client, service, resetAfterMs);
    };
  }

  /** SOCKS 5 without a password (RFC 1928): whatever address is asked for is the service. */
  async function socksTo(service: wire.FaultServer, resetAfterMs?: number): Promise<string> {
    const proxy = net.createServer((client) => {
      client.once("data", () => {
        client.write(Uint8Array.of(5, 0));
        client.once("data", () => {
          client.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
          joined(client, service, resetAfterMs);
        });
      });
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    cleanups.push(() => Promise.resolve(void proxy.close()));
    return `socks5://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  }

  function joined(client: net.Socket, service: wire.FaultServer, resetAfterMs?: number): void {
    if (resetAfterMs !== undefined) setTimeout(() => client.resetAndDestroy(), resetAfterMs);
    const upstream = net.connect(service.port, "127.0.0.1");
    client.pipe(upstream).pipe(client);
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
  }

  test("a refusal of no stated length that is cut by a reset is cut, also through a tunnel", async () => {
    const certificates = createCertificates();
    const service = await serve(() => wire.raw("HTTP/1.1 400 No\r\n\r\n{"), { tls: certificates.otherHost });
    for (const proxyUrl of [(await tunnelTo(service, 300)).url, await socksTo(service, 300)]) {
      const answer = await openThrough(proxyUrl, { ca: certificates.ca }).post(PATH, BODY);
      expect(answer).toMatchObject({ status: 400, body: "{", bodyEnd: "cut" });
      expect(answer.durationMs).toBeLessThan(3_000);
    }
  });

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
