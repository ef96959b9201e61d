import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getEventListeners } from "node:events";
import net from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Answered } from "../../src/client/answer.ts";
import { createCertificates } from "../support/certificates.ts";
import * as wire from "../support/fault-server.ts";
import { BODY, detailOf, KEY, open, PATH, serve } from "./opened.ts";
import { until } from "../support/until.ts";

const HEAD_OF_MUCH = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n";

describe("sent and not answered", () => {
  test("a server that never answers: the timeout is total", async () => {
    const server = await serve(() => wire.silence());
    const answer = await open(server.url, { timeoutMs: 300 }).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "no_answer", cause: "timeout" });
    expect(answer.durationMs).toBeGreaterThanOrEqual(299);
    expect(server.requests).toHaveLength(1);
  });

  test("a head at one byte at a time does not stretch the timeout", async () => {
    // whole after five seconds
    const server = await serve(() => wire.slowly(wire.response(200), 50));
    const answer = await open(server.url, { timeoutMs: 400 }).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "no_answer", cause: "timeout" });
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
    const transport = open(server.url);
    const answer = await transport.post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "no_answer", cause });
    expect(detailOf(answer)).not.toContain(KEY);
    expect(detailOf(answer)).not.toContain("amount");
    const next = '{"amount":200.50}';
    await transport.post(PATH, next);
    expect(server.requests.map(({ body }) => body)).toEqual([BODY, next]);
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
    await until("four requests", () => server.requests.length === 4);
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

  function served(coding: string, bytes: Uint8Array): Promise<wire.FaultServer> {
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${bytes.length}\r\n\r\n`;
    return serve(() => wire.raw(Buffer.concat([Buffer.from(head), bytes])));
  }

  test.each<readonly [string, (text: string) => Buffer]>([
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["gzip, br", (text) => brotliCompressSync(gzipSync(text))],
    ["identity,gzip\r\ncontent-encoding: deflate", (text) => deflateSync(gzipSync(text))],
  ])("a body that was compressed unasked (%s) is read, and of a large one the beginning", async (coding, compress) => {
    const said = '{"status":"FAILED"}';
    const small = await served(coding, compress(said));
    expect(await open(small.url).post(PATH, BODY)).toMatchObject({ body: said, bodyEnd: "complete" });
    const page = `<!doctype html>${"<script>1</script>".repeat(400_000)}`;
    const large = await served(coding, compress(page));
    const answer = (await open(large.url).post(PATH, BODY)) as Answered;
    expect(answer.bodyEnd).toBe("complete");
    // brotli writes the rest of such a page in two bytes
    expect(answer.body.length).toSatisfy((length) => length > (coding.includes("br") ? 20 : 65_000));
    expect(page.startsWith(answer.body)).toBe(true);
  });

  test("of a compressed body that is cut the beginning is read", async () => {
    const whole = gzipSync(`<!doctype html>${randomBytes(9_000).toString("base64")}`);
    const server = await served("gzip", whole.subarray(0, 6_000));
    const answer = (await open(server.url).post(PATH, BODY)) as Answered;
    expect(answer.body).toMatch(/^<!doctype html>[\w+/]{1000}/);
  });

  test.each(["gzip", "br", "zstd", "deflate", "compress", "aes128gcm, gzip", "gzip,gzip,gzip,gzip,gzip"])(
    "one that says that it is %s and is not stays as it came",
    async (coding) => {
      const server = await served(coding, Buffer.from('{"ok":1}'));
      expect(await open(server.url).post(PATH, BODY)).toMatchObject({ body: '{"ok":1}', bodyEnd: "complete" });
    },
  );

  test("a body with a byte order mark of UTF-16 is read", async () => {
    const page = Buffer.from("\ufeff<html>\u20b9", "utf16le");
    for (const bytes of [page, Buffer.from(page).swap16()]) {
      const server = await served("identity", bytes);
      expect(await open(server.url).post(PATH, BODY)).toMatchObject({ body: "<html>\u20b9" });
    }
  });

  test("an early hint before the answer is not the answer", async () => {
    const server = await serve(() => wire.raw(`HTTP/1.1 103 Early Hints\r\n\r\n${wire.response(402)}`));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ kind: "answered", status: 402 });
  });

  test.each([
    ["as it should be said", "upgrade: h2c\r\nconnection: upgrade\r\n"],
    ["and no more", ""],
  ])("a 101 that nobody asked for is the status of its row: %s", async (_how, more) => {
    const server = await serve(() => wire.inOrder(wire.raw(`HTTP/1.1 101 Switching\r\n${more}\r\n`), wire.close()));
    const transport = open(server.url);
    expect(await transport.post(PATH, BODY)).toMatchObject({ kind: "answered", status: 101, bodyEnd: "cut" });
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 101 });
    expect(server.requests).toHaveLength(2);
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

  test("over TLS a refusal of no stated length is cut: nobody knows whether its end is the end", async () => {
    const { ca, server: pair } = createCertificates();
    for (const [status, bodyEnd] of [[422, "cut"] as const, [429, "cut"] as const, [200, "complete"] as const]) {
      const reply = wire.inOrder(wire.raw(`HTTP/1.1 ${status} X\r\n\r\n{}`), wire.close());
      const server = await serve(() => reply, { tls: pair });
      expect(await open(server.url, { ca }).post(PATH, BODY)).toMatchObject({ status, body: "{}", bodyEnd });
    }
    for (const reply of [wire.answer(422), wire.raw("HTTP/1.1 422 X\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n")]) {
      const server = await serve(() => reply, { tls: pair });
      expect(await open(server.url, { ca }).post(PATH, BODY)).toMatchObject({ status: 422, bodyEnd: "complete" });
    }
  });

  test("a chunked body with a broken chunk is cut", async () => {
    const chunked = "HTTP/1.1 400 No\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\nZZ\r\n";
    const server = await serve(() => wire.raw(chunked));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ status: 400, body: "{}", bodyEnd: "cut" });
  });

  test("a body that stalls frees the lane in time and its connection is not used again", async () => {
    const server = await serve((request) => (request.number === 1 ? wire.stalledBody(200) : wire.answer(201)));
    const transport = open(server.url, { concurrency: 1, bodyTimeoutMs: 200, timeoutMs: 3_600_000 });
    const stalled = await transport.post(PATH, BODY);
    expect(stalled).toMatchObject({ status: 200, body: '{"a', bodyEnd: "stalled" });
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 201, bodyEnd: "complete" });
    expect(server.connections).toBe(2);
  });

  test("a body that may take long does not stretch the timeout, which is total", async () => {
    const server = await serve(() => wire.stalledBody(200));
    const answer = await open(server.url, { timeoutMs: 300, bodyTimeoutMs: 3_600_000 }).post(PATH, BODY);
    expect(answer).toMatchObject({ status: 200, bodyEnd: "stalled" });
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
    expect(answer.kind === "answered" && answer.body).toMatch(/^y{65000,65536}$/);
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 201 });
    expect(server.connections).toBe(2);
  });

  test("half a key where a large body is cut off is not handed on, and no key before it", async () => {
    for (const shown of [1, 10, KEY.length - 1, KEY.length]) {
      const begin = `${KEY} `;
      const filling = " ".repeat(64 * 1024 - begin.length - shown);
      const server = await serve(() => wire.answer(402, `${begin}${filling}${KEY}, and more`));
      const answer = (await open(server.url).post(PATH, BODY)) as Answered;
      expect(answer.bodyEnd).toBe("too_large");
      expect(answer.body.trim()).toBe("[secret]");
    }
  });

  test("a FIN right after the answer hurts neither this row nor the next", async () => {
    const server = await serve(() => wire.inOrder(wire.answer(200), wire.close()));
    const transport = open(server.url, { concurrency: 1 });
    for (let n = 0; n < 20; n += 1) expect(await transport.post(PATH, BODY)).toMatchObject({ status: 200 });
    expect(server.requests).toHaveLength(20);
  });
});
