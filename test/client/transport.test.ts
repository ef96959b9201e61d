import { describe, expect, test } from "vitest";
import { Secret } from "../../src/config/secret.ts";
import { PaydropError } from "../../src/errors.ts";
import * as wire from "../support/fault-server.ts";
import { BODY, catchError, detailOf, KEY, open, PATH, serve } from "./opened.ts";
import { until } from "../support/until.ts";

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
    expect(server.requests.map((request) => request.headers["connection"])).toEqual(Array(70).fill("close"));
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
    let isClosed = false;
    const server = await serve((request) =>
      request.number === 1
        ? wire.inOrder(
            (socket) => void socket.once("close", () => (isClosed = true)),
            ...[wire.answer(402), wire.pause(20), wire.raw(wire.response(200))],
          )
        : wire.answer(402),
    );
    const transport = open(server.url, { concurrency: 1 });
    await transport.post(PATH, BODY);
    await until("the end of the connection", () => isClosed);
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
