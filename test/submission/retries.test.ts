import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createCertificates } from "../support/certificates.ts";
import { API_KEY, openDesk, transfersCsv, type Desk } from "../support/desk.ts";
import * as wire from "../support/fault-server.ts";
import { startProgram } from "../support/program.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = await wire.startFaultServer(() => wire.answer(200));
  await server.close();
  return server.port;
}

/** How many requests the summary says the last run made. */
function requestsToldOf(desk: Desk): unknown {
  return (JSON.parse(readFileSync(join(desk.folder, "rows.csv.summary.json"), "utf8")) as { requests: number })
    .requests;
}

test("a refused connection waits until the service is back: every row accepted once, none unknown", async () => {
  const port = await freePort();
  const desk = openDesk(`http://127.0.0.1:${port}`, { PAYDROP_RETRY_FOR: "60s" });
  desk.write("rows.csv", transfersCsv(40));
  const program = startProgram(["run", "rows.csv"], { env: desk.env, cwd: desk.folder });
  await until("waiting", () => program.stderr().includes("waiting"), { by: program.ended });
  await sleep(2000);
  const server = await startService(() => wire.answer(200), { port });
  const { code } = await program.ended;
  const rows = desk.results("rows.csv");
  expect(code).toBe(0);
  expect(rows.map((row) => row.result_status)).toEqual(Array(40).fill("accepted"));
  expect(server.requests).toHaveLength(40);
  expect(Number(rows[0]?.result_attempts)).toBeGreaterThan(1);
  // the whole run waited, not one row
  expect(rows.slice(1).map((row) => row.result_attempts)).toEqual(Array(39).fill("1"));
});

test("a service that goes away in mid-run: what was in flight is at most unknown, the rest goes later, each once", async () => {
  const held: (() => void)[] = [];
  const server = await wire.startFaultServer((request) =>
    request.number <= 10 ? wire.answer(200) : () => new Promise<void>((resolve) => held.push(resolve)),
  );
  const desk = openDesk(server.url, { PAYDROP_RETRY_FOR: "300ms" });
  desk.write("rows.csv", transfersCsv(60));
  const program = startProgram(["run", "rows.csv", "--concurrency", "2"], { env: desk.env, cwd: desk.folder });
  await until("two rows in flight", () => held.length === 2, { by: program.ended });
  const seen = server.requests.map((request) => request.body);
  await server.close();
  const { code } = await program.ended;
  const first = desk.results("rows.csv");
  const count = (status: string): number => first.filter((row) => row.result_status === status).length;
  expect({ code, accepted: count("accepted"), unknown: count("unknown"), not_sent: count("not_sent") }).toEqual({
    code: 4,
    accepted: 10,
    unknown: 2,
    not_sent: 48,
  });
  const back = await startService(() => wire.answer(200), { port: server.port });
  const again = await desk.run("rows.csv");
  expect(again.counts).toEqual({ accepted: 58, unknown: 2 });
  const all = [...seen, ...back.requests.map((request) => request.body)];
  expect(new Set(all).size).toBe(all.length);
}); // prettier-ignore

test("nobody there: bounded, every row not sent, exit 7, and the program ends", async () => {
  const desk = openDesk(`http://127.0.0.1:${await freePort()}`, { PAYDROP_RETRY_FOR: "300ms" });
  desk.write("rows.csv", transfersCsv(1000));
  const run = await desk.run("rows.csv");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 7, counts: { not_sent: 1000 } });
  expect(run.stdout + run.stderr).toContain("could not be reached");
  expect(requestsToldOf(desk)).toBe(0);
});

test("a host that does not exist, with fewer rows than the rule asks for, exits 7 as well", async () => {
  const desk = openDesk("https://nobody.invalid", { PAYDROP_RETRY_FOR: "300ms" });
  desk.write("rows.csv", transfersCsv(2));
  const run = await desk.run("rows.csv");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 7, counts: { not_sent: 2 } });
});

test("429 with Retry-After in seconds: the whole run waits, two attempts, each row carried out once", async () => {
  const at: number[] = [];
  const server = await startService((request) => {
    at.push(performance.now());
    return request.number === 10 ? wire.answer(429, {}, { "retry-after": "2" }) : wire.answer(200);
  });
  const desk = openDesk(server.url);
  desk.write("rows.csv", transfersCsv(60));
  const run = await desk.run("rows.csv", "--concurrency", "4");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 0, counts: { accepted: 60 } });
  expect(server.requests).toHaveLength(61);
  expect(run.results.filter((row) => row.result_attempts === "2")).toHaveLength(1);
  // at most the three others were on their way when it came; a slow machine makes the wait longer, never shorter
  const [refusedAt = 0, ...later] = at.slice(9);
  expect(later).toHaveLength(51);
  expect(later.filter((time) => time < refusedAt + 1900).length).toBeLessThanOrEqual(3);
});

test("a row that is refused for rate again and again waits on while others are taken", async () => {
  let refusals = 0;
  let taken = 0;
  let takenBefore = 0;
  const server = await startService((request) => {
    if (!request.body.includes("102.00") || refusals === 9) {
      return wire.inOrder(wire.pause(10), () => void (taken += 1), wire.answer(200));
    }
    refusals += 1;
    return async (socket) => {
      await until("another row that is taken", () => taken > takenBefore);
      takenBefore = taken;
      // by now the answer to the other row was read
      await sleep(50);
      socket.write(wire.response(429, {}, { "retry-after": "0" }));
    };
  });
  const desk = openDesk(server.url);
  desk.write("rows.csv", transfersCsv(300));
  const run = await desk.run("rows.csv", "--concurrency", "4");
  expect({ code: run.code, counts: run.counts, refusals }).toEqual({ code: 0, counts: { accepted: 300 }, refusals: 9 });
});

test("429 with Retry-After as a date", async () => {
  let told = 0;
  const at: number[] = [];
  const server = await startService((request) => {
    at.push(Date.now());
    if (request.number > 1) return wire.answer(200);
    told = Math.ceil(Date.now() / 1000) * 1000 + 1000;
    return wire.answer(429, {}, { "retry-after": new Date(told).toUTCString() });
  });
  const desk = openDesk(server.url);
  desk.write("rows.csv", transfersCsv(3));
  const run = await desk.run("rows.csv");
  expect(run.counts).toEqual({ accepted: 3 });
  expect(run.results[0]?.result_attempts).toBe("2");
  expect(at[1]).toBeGreaterThanOrEqual(told - 20);
  expect(server.requests).toHaveLength(4);
});

test("429 for ever: bounded, rows not sent, exit 7; later the same file sends each once", async () => {
  const server = await startService(() => wire.answer(429, {}, { "retry-after": "0" }));
  const desk = openDesk(server.url);
  desk.write("rows.csv", transfersCsv(20));
  const run = await desk.run("rows.csv");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 7, counts: { not_sent: 20 } });
  expect(server.requests).toHaveLength(6);
  expect(requestsToldOf(desk)).toBe(6);
  server.use(() => wire.answer(200));
  const again = await desk.run("rows.csv");
  expect({ code: again.code, counts: again.counts }).toEqual({ code: 0, counts: { accepted: 20 } });
  expect(server.requests).toHaveLength(26);
});

test("retry_429 = false: unknown after one request", async () => {
  const server = await startService((request) => (request.number === 1 ? wire.answer(429) : wire.answer(200)));
  const desk = openDesk(server.url, { PAYDROP_RETRY_429: "false" });
  desk.write("rows.csv", transfersCsv(3));
  const run = await desk.run("rows.csv");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 4, counts: { unknown: 1, accepted: 2 } });
  expect(server.requests).toHaveLength(3);
});

test("--rate holds at the service", async () => {
  const at: number[] = [];
  const server = await startService(() => {
    at.push(performance.now());
    return wire.answer(200);
  });
  const desk = openDesk(server.url);
  desk.write("rows.csv", transfersCsv(41));
  const run = await desk.run("rows.csv", "--rate", "40");
  expect(run.counts).toEqual({ accepted: 41 });
  // 40 intervals of 25 ms, less what a slow machine takes to notice the first one
  expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(500);
});

test("never more requests in flight than the concurrency, and the first row goes alone", async () => {
  let [inFlight, most] = [0, 0];
  let secondBeforeFirstAnswer = false;
  let firstAnswered = false;
  const server = await startService((request) => async (socket) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    if (request.number > 1 && !firstAnswered) secondBeforeFirstAnswer = true;
    await sleep(request.number === 1 ? 400 : 20);
    firstAnswered = true;
    inFlight -= 1;
    socket.write(wire.response(200));
  });
  const desk = openDesk(server.url);
  desk.write("rows.csv", transfersCsv(100));
  const run = await desk.run("rows.csv", "--concurrency", "6");
  expect(run.counts).toEqual({ accepted: 100 });
  expect({ most, secondBeforeFirstAnswer }).toEqual({ most: 6, secondBeforeFirstAnswer: false });
});

test("after an unknown first row the next one goes alone too; after a refusal the others follow", async () => {
  const open = new Map<number, number>();
  let inFlight = 0;
  const server = await startService((request) => async (socket) => {
    inFlight += 1;
    open.set(request.number, inFlight);
    await sleep(60);
    inFlight -= 1;
    socket.write(request.number <= 2 ? wire.response(500) : wire.response(request.number === 3 ? 422 : 200));
  });
  const desk = openDesk(server.url);
  desk.write("rows.csv", transfersCsv(30));
  const run = await desk.run("rows.csv", "--concurrency", "4");
  expect(run.counts).toEqual({ unknown: 2, rejected: 1, accepted: 27 });
  expect([1, 2, 3].map((number) => open.get(number))).toEqual([1, 1, 1]);
  expect(Math.max(...open.values())).toBe(4);
});

const certificates = createCertificates();

test.each([
  ["for another host", certificates.otherHost, {}],
  ["no longer valid", certificates.expired, {}],
  ["signed by itself", certificates.selfSigned, {}],
  ["of TLS 1.1", certificates.server, { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }],
] as const)("a certificate %s: nothing is sent, least of all the key, and the run stops", async (_how, pair, options) => {
  const server = await startService(() => wire.answer(200), { tls: { ...pair, ...options } });
  const desk = openDesk(server.url);
  desk.env["PAYDROP_CA_FILE"] = desk.write("ca.pem", certificates.ca);
  desk.write("rows.csv", transfersCsv(20));
  const run = await desk.run("rows.csv");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 7, counts: { not_sent: 20 } });
  expect({ requests: server.requests.length, bytes: server.bytesReceived }).toEqual({ requests: 0, bytes: 0 });
  expect(run.stdout + run.stderr).toContain("certificate");

  const good = await startService(() => wire.answer(200), { tls: certificates.server, port: 0 });
  const mended = await desk.run("rows.csv", "--base-url", good.url, "--accept-destination", "--by", "test");
  expect({ code: mended.code, counts: mended.counts }).toEqual({ code: 0, counts: { accepted: 20 } });
  expect(good.requests).toHaveLength(20);
}); // prettier-ignore

test("resets inside the TLS handshake are no requests: rows wait, and go when it stops", async () => {
  let left = 3;
  const server = await startService(() => wire.answer(200), {
    tls: certificates.server,
    onConnection: () => undefined,
  });
  const proxy = await startService(() => wire.silence(), {
    onConnection: (socket) => {
      if (left > 0) {
        left -= 1;
        // after the ClientHello
        socket.once("data", () => socket.resetAndDestroy());
        return "hold";
      }
      void import("node:net").then(({ connect }) => {
        const onward = connect(server.port, "127.0.0.1");
        socket.pipe(onward).pipe(socket);
        onward.on("error", () => socket.destroy());
        socket.on("close", () => onward.destroy());
      });
      return "hold";
    },
  });
  const desk = openDesk(`https://localhost:${proxy.port}`, { PAYDROP_RETRY_FOR: "30s" });
  desk.env["PAYDROP_CA_FILE"] = desk.write("ca.pem", certificates.ca);
  desk.write("rows.csv", transfersCsv(10));
  const run = await desk.run("rows.csv");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 0, counts: { accepted: 10 } });
  expect(server.requests).toHaveLength(10);
  expect(run.results[0]?.result_attempts).toBe("4");
  expect(server.requests.map((request) => request.headers["x-api-key"])).toEqual(Array(10).fill(API_KEY));
});

test("https to a port of plain http: nothing is sent, the run stops, and says that no TLS is spoken there", async () => {
  const server = await startService(() => wire.answer(200));
  const plain = await startService(() => wire.silence(), {
    onConnection: (socket) => {
      // as a server does to which a greeting of TLS is a broken request
      socket.once("data", () => socket.end(wire.response(400)));
      return "hold";
    },
  });
  const desk = openDesk(plain.url.replace("http:", "https:"));
  desk.write("rows.csv", transfersCsv(3));
  const run = await desk.run("rows.csv");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 7, counts: { not_sent: 3 } });
  expect(run.stdout + run.stderr).toContain("speaks no TLS (https)");
  expect(run.stdout + run.stderr).not.toContain("certificate");
  expect(run.results[0]?.result_message).toContain("speaks no TLS");
  expect(server.requests).toHaveLength(0);
  desk.env["PAYDROP_BASE_URL"] = server.url;
  const mended = await desk.run("rows.csv", "--accept-destination");
  expect({ code: mended.code, counts: mended.counts }).toEqual({ code: 0, counts: { accepted: 3 } });
  expect(server.requests).toHaveLength(3);
});

test("a proxy that is down is named, without its password", async () => {
  const server = await startService(() => wire.answer(200));
  const proxy = `127.0.0.1:${server.port}`;
  await server.close();
  const env = { PAYDROP_RETRY_FOR: "0s", HTTPS_PROXY: `http://bob:hunter2@${proxy}` };
  const desk = openDesk("https://payments.example", env);
  desk.write("rows.csv", transfersCsv(2));
  const run = await desk.run("rows.csv");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 7, counts: { not_sent: 2 } });
  expect(run.stdout + run.stderr).toContain(`the service could not be reached by the proxy ${proxy}`);
  expect(run.stdout + run.stderr).not.toMatch(/hunter2|bob/);
});
