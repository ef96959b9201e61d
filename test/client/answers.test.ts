import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Answered } from "../../src/client/answer.ts";
import * as wire from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { BODY, detailOf, KEY, open, PATH } from "./opened.ts";

const LONG_HEAD = `HTTP/1.1 200 OK\r\nx-long: ${"a".repeat(40_000)}\r\n\r\n`;
const TWO_LENGTHS = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}!";
const BROKEN_CHUNK = "HTTP/1.1 400 No\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\nZZ\r\n";

describe("sent and not answered: unknown, and the connection is not used again", () => {
  test.each([
    ["a FIN", wire.close(), "broken"],
    ["a reset", wire.reset(), "broken"],
    ["half a head and a FIN", wire.inOrder(wire.raw("HTTP/1.1 200 OK\r\ncontent-le"), wire.close()), "broken"],
    ["101 unasked", wire.inOrder(wire.raw("HTTP/1.1 101 S\r\nupgrade: h2c\r\n\r\n"), wire.close()), "broken"],
    ["103 and a FIN", wire.inOrder(wire.raw("HTTP/1.1 103 Early Hints\r\n\r\n"), wire.close()), "broken"],
    ["a status line of no protocol", wire.raw("HTTZ/1.1 200 OK\r\n\r\n"), "malformed"],
    ["binary garbage", wire.raw(Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])), "malformed"],
    ["two content lengths", wire.raw(TWO_LENGTHS), "malformed"],
    ["a head without end", wire.raw(LONG_HEAD), "malformed"],
    ["silence", wire.silence(), "timeout"],
    ["a head at one byte at a time", wire.slowly(wire.response(200), 50), "timeout"],
  ])("%s", async (_what, reply, cause) => {
    const server = await startService(() => reply);
    const transport = open(server.url, { timeout: 400 });
    const answer = await transport.post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "no_answer", cause });
    expect(detailOf(answer)).not.toMatch(/amount|pk_test/);
    await transport.post(PATH, "{}");
    expect(server.requests.map(({ body }) => body)).toEqual([BODY, "{}"]);
    expect(server.connections).toBe(2);
  });

  test("a signal ends what is under way", async () => {
    const server = await startService(() => wire.silence());
    const transport = open(server.url);
    const stop = new AbortController();
    const posts = Array.from({ length: 4 }, () => transport.post(PATH, BODY, stop.signal));
    await until("four requests", () => server.requests.length === 4);
    stop.abort();
    for (const answer of await Promise.all(posts)) {
      expect(answer).toMatchObject({ kind: "no_answer", cause: "aborted" });
    }
    expect(await transport.post(PATH, BODY, stop.signal)).toMatchObject({ kind: "unsent", cause: "local" });
    expect(server.requests).toHaveLength(4);
  });

  test("who closes waits for what is under way", async () => {
    const server = await startService(() => wire.silence());
    const transport = open(server.url, { timeout: 300 });
    const post = transport.post(PATH, BODY);
    await Promise.all([transport.close(), transport.close()]);
    expect(await post).toMatchObject({ kind: "no_answer", cause: "timeout" });
  });
});

describe("answered: the status of this very request", () => {
  test.each([200, 204, 301, 307, 400, 401, 422, 429, 500, 503])("%i, after one request", async (status) => {
    const other = await startService();
    const headers = { location: `${other.url}/v1/elsewhere`, "retry-after": "2" };
    const server = await startService(() => wire.answer(status, status === 204 ? "" : { said: status }, headers));
    const answer = await open(server.url).post(PATH, BODY);
    expect(answer).toMatchObject({ kind: "answered", status, bodyEnd: "complete", retryAfter: "2" });
    expect([server.requests.length, other.connections]).toEqual([1, 0]);
  });

  test.each([
    ["early hints before it", wire.raw(`HTTP/1.1 103 Early\r\n\r\n${wire.response(402)}`), 402, "complete"],
    ["a cut body", wire.cutBody(422), 422, "cut"],
    ["a broken chunk", wire.raw(BROKEN_CHUNK), 400, "cut"],
    ["no length, then a FIN", wire.inOrder(wire.raw("HTTP/1.1 200 OK\r\n\r\n{}"), wire.close()), 200, "complete"],
    ["a refusal like that", wire.inOrder(wire.raw("HTTP/1.1 422 No\r\n\r\n{}"), wire.close()), 422, "cut"],
    ["a body that stalls", wire.stalledBody(200), 200, "stalled"],
    ["a body at one byte at a time", wire.slowly(wire.response(200, "x".repeat(2_000)), 1), 200, "stalled"],
    ["a body over 64 KiB", wire.answer(200, "y".repeat(3_000_000)), 200, "too_large"],
  ])("%s", async (_what, reply, status, bodyEnd) => {
    const server = await startService((request) => (request.number === 1 ? reply : wire.answer(201)));
    const transport = open(server.url, { bodyTimeoutMs: 300, concurrency: 1 });
    const answer = (await transport.post(PATH, BODY)) as Answered;
    expect(answer).toMatchObject({ kind: "answered", status, bodyEnd });
    expect(answer.body.length).toBeLessThanOrEqual(64 * 1024);
    expect(await transport.post(PATH, BODY)).toMatchObject({ status: 201, bodyEnd: "complete" });
    if (bodyEnd !== "complete") expect(server.connections).toBe(2);
  });

  const failed = '{"status":"FAILED"}';
  test.each([
    ["gzip", gzipSync(failed), failed, "complete"],
    ["deflate", deflateSync(failed), failed, "complete"],
    ["BR", brotliCompressSync(failed), failed, "complete"],
    ["gzip", gzipSync("0".repeat(100_000)), "", "cut"],
    ["gzip", Buffer.from("no gzip"), "", "cut"],
    ["aes128gcm", Buffer.from(failed), "", "cut"],
  ])("a body compressed unasked, %s → read, or taken as cut", async (coding, bytes, body, bodyEnd) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${bytes.length}\r\n\r\n`;
    const server = await startService(() => wire.raw(Buffer.concat([Buffer.from(head), bytes])));
    expect(await open(server.url).post(PATH, BODY)).toMatchObject({ status: 200, body, bodyEnd });
  });

  test("half a key where a large body is cut off is not handed on", async () => {
    for (const shown of [1, 10, KEY.length]) {
      const filling = " ".repeat(64 * 1024 - shown);
      const server = await startService(() => wire.answer(402, `${filling}${KEY}, and more`));
      const { body } = (await open(server.url).post(PATH, BODY)) as Answered;
      expect(body.trim()).toBe("");
    }
  });
});
