import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { API_KEY, openDesk, transfersCsv } from "../support/desk.ts";
import type { Desk } from "../support/desk.ts";
import type { FaultServer, Received, Script } from "../support/fault-server.ts";
import { startProgram } from "../support/program.ts";
import * as wire from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

async function openWith(rows: number, script: Script): Promise<{ desk: Desk; server: FaultServer }> {
  const server = await startService(script);
  const desk = openDesk(server.url);
  desk.write("rows.csv", transfersCsv(rows));
  return { desk, server };
}

function bodies(requests: readonly Received[]): string[] {
  return requests.map((request) => request.body);
}

const GOOD_KEY: Script = (request) =>
  request.headers["x-api-key"] === API_KEY ? wire.answer(200) : wire.answer(401, { error: "who are you?" });

test("a wrong key costs one request of 1,000 rows; with the right one the same file sends all, each once", async () => {
  const { desk, server } = await openWith(1000, GOOD_KEY);
  desk.env["PAYDROP_API_KEY"] = "wrong-key-0123456789";
  const run = await desk.run("rows.csv");
  expect(server.requests).toHaveLength(1);
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 7, counts: { rejected: 1, not_sent: 999 } });
  expect(run.results[0]).toMatchObject({ result_status: "rejected", result_http_status: "401" });
  expect(run.stdout + run.stderr).toContain("did not accept our key");
  expect(run.stdout).toContain("999");

  const still = await desk.run("rows.csv");
  expect(still.code).toBe(7);
  expect(server.requests, "a run with the wrong key costs one request each time").toHaveLength(2);

  desk.env["PAYDROP_API_KEY"] = API_KEY;
  const mended = await desk.run("rows.csv");
  expect({ code: mended.code, counts: mended.counts }).toEqual({ code: 0, counts: { accepted: 1000 } });
  const sent = bodies(server.requests.slice(2));
  expect({ sent: sent.length, different: new Set(sent).size }).toEqual({ sent: 1000, different: 1000 });
  expect(mended.results[0]?.result_attempts).toBe("3");
});

test.each([404, 405, 410, 415])("%i, a wrong address, costs one request too", async (status) => {
  const { desk, server } = await openWith(50, () => wire.answer(status));
  const run = await desk.run("rows.csv");
  expect(server.requests).toHaveLength(1);
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 7, counts: { rejected: 1, not_sent: 49 } });
  expect(run.stdout + run.stderr).toContain("PAYDROP_BASE_URL");
  server.use(() => wire.answer(200));
  const mended = await desk.run("rows.csv");
  expect(mended.counts).toEqual({ accepted: 50 });
  expect(new Set(bodies(server.requests.slice(1))).size).toBe(50);
  expect(server.requests).toHaveLength(51);
});

test("a key that ends in mid-run: at most the rows in flight are refused, the rest goes later", async () => {
  const { desk, server } = await openWith(200, (request) => wire.answer(request.number <= 100 ? 200 : 401));
  const run = await desk.run("rows.csv", "--concurrency", "8");
  expect(run.code).toBe(7);
  expect(run.counts["accepted"]).toBe(100);
  expect(run.counts["rejected"]).toBeLessThanOrEqual(8);
  server.use(() => wire.answer(200));
  const before = server.requests.length;
  const mended = await desk.run("rows.csv");
  expect(mended.counts).toEqual({ accepted: 200 });
  expect(server.requests).toHaveLength(before + 100);
});

test("three unknown in a row stop the run, and nothing of them goes again", async () => {
  const { desk, server } = await openWith(100, (request) => wire.answer(request.number <= 20 ? 200 : 503));
  const run = await desk.run("rows.csv", "--concurrency", "1");
  expect({ code: run.code, counts: run.counts }).toEqual({
    code: 4,
    counts: { accepted: 20, unknown: 3, not_sent: 77 },
  });
  expect(server.requests).toHaveLength(23);
  server.use(() => wire.answer(200));
  const again = await desk.run("rows.csv");
  expect({ code: again.code, counts: again.counts }).toEqual({ code: 4, counts: { accepted: 97, unknown: 3 } });
  expect(new Set(bodies(server.requests)).size).toBe(server.requests.length);
});

test("a service that knows no answer but 500 costs three rows a run, one after the other", async () => {
  const { desk, server } = await openWith(100, () => wire.answer(500));
  const run = await desk.run("rows.csv");
  expect(run.counts).toEqual({ unknown: 3, not_sent: 97 });
  expect(server.requests).toHaveLength(3);
});

test.each([
  [500, 3],
  [401, 1],
  [302, 1],
])("files of one row each that are named together: %i costs %i rows, the others go with the next run", async (status, rows) => {
  const server = await startService(() => wire.answer(status, ""));
  const desk = openDesk(server.url);
  const names = ["a.csv", "b.csv", "c.csv", "d.csv", "e.csv"];
  for (const name of names) desk.write(name, `from_account,to_account,amount\nACC-1,${name},5.00\n`);
  const { code } = await desk.run("e.csv", ...names.slice(0, 4));
  expect([code, server.requests.length]).toEqual([status === 401 ? 7 : 4, rows]);
  expect(desk.results("e.csv")[0]?.result_status).toBe("not_sent");
  server.use(() => wire.answer(200));
  await desk.run("e.csv", ...names.slice(0, 4));
  expect(desk.results("e.csv")[0]?.result_status).toBe("accepted");
}); // prettier-ignore

test("ten refusals for the same reason stop the run", async () => {
  const { desk, server } = await openWith(100, (request) =>
    wire.answer(422, { error: "insufficient funds", request_id: `r-${request.number}-${crypto.randomUUID()}` }),
  );
  const run = await desk.run("rows.csv", "--concurrency", "1");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 7, counts: { rejected: 10, not_sent: 90 } });
  expect(server.requests).toHaveLength(10);
});

test("ten refusals for the same reason stop that file, and none of those that go beside it", async () => {
  const { desk, server } = await openWith(40, () => wire.answer(402, { error: "insufficient funds" }));
  server.use((request) => (request.body.includes("OTHER") ? wire.answer(200) : wire.answer(402, "no funds")));
  const other = desk.write("other.csv", "from_account,to_account,amount\nACC-1,OTHER-1,5.00\nACC-1,OTHER-2,5.00\n");
  const first = join(desk.folder, "rows.csv");
  await desk.inProcess((processor) =>
    processor.together(async () => {
      expect((await processor.processFile(first)).stop?.code).toBe("same_refusal");
      expect((await processor.processFile(other)).byStatus).toEqual({ accepted: { rows: 2, amount: "10.00" } });
    }),
  );
});

test("ten refusals for the same reason that are the whole file stop nothing: exit 3, and nobody is told of a rest", async () => {
  const { desk, server } = await openWith(10, () => wire.answer(402, { error: "insufficient funds" }));
  const run = await desk.run("rows.csv");
  expect([run.code, run.counts, server.requests.length]).toEqual([3, { rejected: 10 }, 10]);
  expect(run.stdout + run.stderr).not.toMatch(/stopped|rest/);
});

test("refusals of rows for their own sake do not stop the others", async () => {
  const { desk, server } = await openWith(60, (request) =>
    request.number % 2 === 0 ? wire.answer(422, { error: "no such account" }) : wire.answer(200),
  );
  const run = await desk.run("rows.csv");
  expect({ code: run.code, counts: run.counts }).toEqual({ code: 3, counts: { accepted: 30, rejected: 30 } });
  const again = await desk.run("rows.csv");
  expect(again.code).toBe(3);
  expect(server.requests, "a rejected row goes only in a corrected file").toHaveLength(60);
});

test.skipIf(!existsSync("/proc/self"))(
  "answers that came while the process was stopped, or its container frozen, are read before the time is over",
  async () => {
    const server = await startService(() => wire.answer(200));
    const desk = openDesk(server.url);
    desk.write("rows.csv", transfersCsv(9));
    const program = startProgram(["run", "--timeout", "3s", "rows.csv"], { env: desk.env, cwd: desk.folder });
    const standsStill = async (): Promise<void> => {
      program.child.kill("SIGSTOP");
      const status = (): string => readFileSync(`/proc/${program.pid}/status`, "utf8");
      await until("it stands still", () => /^State:\s+T/m.test(status()));
    };
    let stopped: Promise<void> | undefined;
    server.use(({ number }) => async (socket) => {
      if (number > 1) await (stopped ??= standsStill());
      await wire.answer(200)(socket);
    });
    await until("the second request", () => stopped !== undefined, { by: program.ended });
    await stopped;
    await sleep(3_500);
    program.child.kill("SIGCONT");
    expect(await program.ended).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(9);
  },
);
