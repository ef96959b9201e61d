import { describe, expect, test } from "vitest";
import { openDesk, transfersCsv } from "../support/desk.ts";
import type { DeskRun } from "../support/desk.ts";
import type { FaultServer, Received, Reply, Script } from "../support/fault-server.ts";
import * as wire from "../support/fault-server.ts";
import { startService } from "../support/service.ts";

/** The how-manieth row of the file a request belongs to, from 1. */
function indexOf(request: Received): number {
  return Number((JSON.parse(request.body) as { to_account: string }).to_account.slice(5));
}

/** How many requests the server read of each row. */
function perRow(server: FaultServer): Map<number, number> {
  const counts = new Map<number, number>();
  for (const request of server.requests) counts.set(indexOf(request), (counts.get(indexOf(request)) ?? 0) + 1);
  return counts;
}

const HEAD_200 = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/** Every answer that does not stop the run: what the service does, and what the row must say afterwards. */
const ANSWERS: readonly (readonly [name: string, reply: Reply, status: string, http: string])[] = [
  ...[200, 201, 202, 204, 206, 226].map(
    (status) =>
      [`${status}`, wire.answer(status, status === 204 ? "" : { ok: true }), "accepted", `${status}`] as const,
  ),
  ["200 that speaks of a failure", wire.answer(200, { success: false }), "accepted", "200"],
  ["200 with a body that is cut", wire.inOrder(wire.cutBody(200)), "accepted", "200"],
  ["200 with a body that stalls", wire.stalledBody(200), "accepted", "200"],
  ["200 with a body at one byte at a time", slowBody(200), "accepted", "200"],
  ["200 with a body without end", endlessBody(200), "accepted", "200"],
  ["200 after an early hint", wire.raw(`HTTP/1.1 103 Early\r\n\r\n${wire.response(200)}`), "accepted", "200"],
  ...[400, 402, 406, 411, 413, 414, 422, 431].map(
    (status) => [`${status}`, wire.answer(status, { error: `reason ${"x".repeat(status % 7)}` }), "rejected", `${status}`] as const,
  ), // prettier-ignore
  ...[400, 401, 403, 404, 422, 429].map(
    (status) => [`${status} with a cut body`, wire.cutBody(status), "unknown", `${status}`] as const,
  ),
  ["422 with a body without end", endlessBody(422), "unknown", "422"],
  ...[408, 409, 412, 418, 421, 423, 424, 425, 426, 428, 451, 499].map(
    (status) => [`${status}`, wire.answer(status), "unknown", `${status}`] as const,
  ),
  ...[500, 501, 502, 503, 504, 507, 511, 599].map(
    (status) => [`${status}`, wire.answer(status, {}, { "retry-after": "0" }), "unknown", `${status}`] as const,
  ),
  ["503 and a reset", wire.inOrder(wire.answer(503), wire.reset()), "unknown", "503"],
  ["no answer", wire.silence(), "unknown", ""],
  ["a reset after the request was read", wire.reset(), "unknown", ""],
  ["a FIN instead of an answer", wire.close(), "unknown", ""],
  ["half a head, then a FIN", wire.inOrder(wire.raw("HTTP/1.1 200 OK\r\ncontent-ty"), wire.close()), "unknown", ""],
  ["half a status line, then a reset", wire.inOrder(wire.raw("HTTP/1.1 2"), wire.reset()), "unknown", ""],
  ["a head at one byte at a time", wire.slowly(wire.response(200), 100), "unknown", ""],
  ["a status line of another protocol", wire.raw("HTTPZ/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), "unknown", ""],
  ["no status", wire.raw("HTTP/1.1\r\ncontent-length: 0\r\n\r\n"), "unknown", ""],
  ["two Content-Lengths", wire.raw(`${HEAD_200}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`), "unknown", ""],
  ["an early hint, then a FIN", wire.inOrder(wire.raw("HTTP/1.1 103 Early\r\n\r\n"), wire.close()), "unknown", ""],
  ["101, then a FIN", wire.inOrder(wire.raw("HTTP/1.1 101 Switching\r\n\r\n"), wire.close()), "unknown", "101"],
  ["100, then a FIN", wire.inOrder(wire.raw("HTTP/1.1 100 Continue\r\n\r\n"), wire.close()), "unknown", ""],
  ["100, then a reset", wire.inOrder(wire.raw("HTTP/1.1 100 Continue\r\n\r\n"), wire.reset()), "unknown", ""],
];

function slowBody(status: number): Reply {
  return wire.slowly(`HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: 400\r\n\r\n{`, 1);
}

function endlessBody(status: number): Reply {
  return (socket) => {
    socket.write(`HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = `1000\r\n${"x".repeat(0x1000)}\r\n`;
    const more = (): void => {
      if (socket.destroyed) return;
      if (socket.write(chunk)) setImmediate(more);
      else socket.once("drain", more);
    };
    more();
  };
}

describe("one row after the other, with every answer there is between good ones", () => {
  // the odd rows are good, so that no stop rule ends the run
  const answersOf = (request: Received): Reply => {
    const index = indexOf(request);
    return index % 2 === 1 ? wire.answer(200) : (ANSWERS[index / 2 - 1]?.[1] ?? wire.answer(200));
  };

  test.each([["kept alive", "true"], ["of their own", "false"]])("connections %s", async (_how, reuse) => {
    const server = await startService(answersOf);
    const desk = openDesk(server.url, { PAYDROP_REUSE_CONNECTIONS: reuse });
    desk.write("all.csv", transfersCsv(2 * ANSWERS.length));
    const run = await desk.run("all.csv", "--concurrency", "1", "--timeout", "1s");
    expect({ code: run.code, rows: run.results.length }).toEqual({ code: 4, rows: 2 * ANSWERS.length });
    const told = ANSWERS.map(([name], at) => {
      const row = run.results[2 * at + 1];
      return [name, row?.result_status, row?.result_http_status, row?.result_attempts];
    });
    expect(told).toEqual(ANSWERS.map(([name, , status, http]) => [name, status, http, "1"]));
    for (const [at] of ANSWERS.entries()) {
      expect(run.results[2 * at]).toMatchObject({ result_status: "accepted", result_http_status: "200" });
    }
    expect([...perRow(server).values()]).toEqual(Array(2 * ANSWERS.length).fill(1));
    expect(server.requests).toHaveLength(2 * ANSWERS.length);

    const again = await desk.run("all.csv", "--concurrency", "1", "--timeout", "1s");
    expect(again.code).toBe(4);
    expect(server.requests, "an unknown row is never sent again by itself").toHaveLength(2 * ANSWERS.length);
  }); // prettier-ignore
});

/** Five rows, the fault on the first, and what a stopped run must have done. */
async function runStopped(script: Script, env: Record<string, string> = {}): Promise<{ run: DeskRun; server: FaultServer }> {
  const server = await startService(script);
  const desk = openDesk(server.url, env);
  desk.write("five.csv", transfersCsv(5));
  return { run: await desk.run("five.csv"), server };
} // prettier-ignore

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])("%i to another origin: it sees no byte, the run stops, the row is unknown", async (status) => {
    const elsewhere = await startService(() => wire.answer(200));
    const { run, server } = await runStopped(() => wire.redirect(status, `${elsewhere.url}/v1/banking/transfer`));
    expect({ bytes: elsewhere.bytesReceived, connections: elsewhere.connections }).toEqual({ bytes: 0, connections: 0 });
    expect(server.requests).toHaveLength(1);
    expect(run.code).toBe(4);
    expect(run.counts).toEqual({ unknown: 1, not_sent: 4 });
    expect(run.results[0]?.result_http_status).toBe(String(status));
    expect(run.stdout + run.stderr).toContain("redirect");
  }); // prettier-ignore

  test("300 and 304, which lead nowhere, stop the run as well", async () => {
    for (const status of [300, 304]) {
      const { run, server } = await runStopped(() => wire.answer(status, ""));
      expect({ requests: server.requests.length, counts: run.counts }).toEqual({
        requests: 1,
        counts: { unknown: 1, not_sent: 4 },
      });
    }
  });
});

test("a web page with 200 is not the service: the row is unknown, the run stops", async () => {
  const page = wire.answer(200, "<!doctype html><p>Sign in</p>", { "content-type": "text/html" });
  const { run, server } = await runStopped(() => page);
  expect({ requests: server.requests.length, code: run.code }).toEqual({ requests: 1, code: 4 });
  expect(run.counts).toEqual({ unknown: 1, not_sent: 4 });
});

test("a web page in mid-run leaves at most the rows in flight unknown", async () => {
  const page = wire.answer(200, "<html>", { "content-type": "text/html" });
  const server = await startService((request) => (indexOf(request) < 20 ? wire.answer(200) : page));
  const desk = openDesk(server.url);
  desk.write("many.csv", transfersCsv(200));
  const run = await desk.run("many.csv", "--concurrency", "4");
  expect(run.code).toBe(4);
  expect(run.counts["unknown"]).toBeGreaterThanOrEqual(1);
  expect(run.counts["unknown"]).toBeLessThanOrEqual(4);
  expect(run.counts["accepted"]).toBe(19);
  expect(server.requests).toHaveLength(19 + (run.counts["unknown"] ?? 0));
});

describe("connections that are kept", () => {
  test("one that the service closes just as the next row goes: each row once at most, and none accepted unseen", async () => {
    const server = await startService((request) => async (socket) => {
      socket.write(wire.response(200));
      await new Promise((resolve) => setTimeout(resolve, 20 + (request.number % 12)));
      if (request.number % 2 === 0) socket.end();
      else socket.resetAndDestroy();
    });
    const desk = openDesk(server.url);
    desk.write("paced.csv", transfersCsv(60));
    const run = await desk.run("paced.csv", "--rate", "40", "--concurrency", "1");
    const seen = perRow(server);
    for (const [at, row] of run.results.entries()) {
      const requests = seen.get(at + 1) ?? 0;
      expect({ at, requests, ok: requests <= 1 }).toMatchObject({ ok: true });
      if (row.result_status === "accepted") expect(requests).toBe(1);
      if (row.result_status === "not_sent") expect(requests).toBe(0);
    }
    expect(run.results).toHaveLength(60);
  });

  const straying = (delayMs: number): Script => (request) => async (socket) => {
    const isGood = indexOf(request) % 3 !== 0;
    const [own, stray] = [wire.response(isGood ? 200 : 400), wire.response(isGood ? 400 : 200)];
    if (delayMs === 0) {
      socket.write(own + stray);
      return;
    }
    socket.write(own);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (!socket.destroyed) socket.write(stray);
  }; // prettier-ignore

  test.each([0, 1, 5, 30])(
    "with one for each row a second answer after %i ms is never another row's status",
    async (delayMs) => {
      const server = await startService(straying(delayMs));
      const desk = openDesk(server.url, { PAYDROP_REUSE_CONNECTIONS: "false" });
      desk.write("stray.csv", transfersCsv(60));
      const run = await desk.run("stray.csv");
      const wrong = run.results.filter((row, at) => row.result_http_status !== ((at + 1) % 3 === 0 ? "400" : "200"));
      expect(wrong).toEqual([]);
      expect(server.requests).toHaveLength(60);
      expect(server.connections).toBe(60);
    },
  );

  test("kept ones: a second answer that lies there before the next request is nobody's", async () => {
    const server = await startService(straying(0));
    const desk = openDesk(server.url);
    desk.write("stray.csv", transfersCsv(60));
    const run = await desk.run("stray.csv");
    const wrong = run.results.filter((row, at) => row.result_http_status !== ((at + 1) % 3 === 0 ? "400" : "200"));
    expect(wrong).toEqual([]);
    expect(server.requests).toHaveLength(60);
  });
});
