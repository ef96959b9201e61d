import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "vitest";
import { describeApart, ownServer } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { Office, sendable, textOf } from "./office.ts";

type Line = Readonly<Record<string, unknown>>;

describeApart("the journal's server is away", () => {
  test("it stops hard, comes back, and stands still → log, metrics, waiting.txt and status say so, and it goes on by itself", async ({
    expect,
    onTestFinished,
  }) => {
    const server = await ownServer({}, onTestFinished);
    const office = await Office.open(onTestFinished, 20, { PAYDROP_CONCURRENCY: "2" }, server.url);
    const [port, pinged] = [await freePort(), [] as string[]];
    const pings = createServer((request, response) => {
      pinged.push(request.url ?? "");
      response.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void pings.close());
    await until("the ping listens", () => pings.listening);
    const log = `${office.folder}/paydrop.log`;
    const stateDir = `${office.folder}/state`;
    const watch = office.start(["watch", office.inbox], {
      PAYDROP_STATE_DIR: stateDir,
      PAYDROP_LOG_FILE: log,
      PAYDROP_LOG_FORMAT: "json",
      PAYDROP_METRICS_PORT: String(port),
      PAYDROP_PING_URL: `http://127.0.0.1:${(pings.address() as AddressInfo).port}/beat`,
    });
    const logged = (code: string): Line[] =>
      textOf(log)
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line)
        .filter((line) => line["code"] === code);
    const metrics = async (): Promise<string> => {
      const page = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(5_000) });
      return page.text();
    };
    const status = () => office.run(["status", "--check"], { PAYDROP_STATE_DIR: stateDir });

    await until("it is well, and says so", () => pinged.includes("/beat"), { by: watch.ended });
    expect(await metrics()).toContain("paydrop_journal_up 1\n");
    office.service.latencyMs = 200;
    const going = office.put("going", 1, 60);
    await until("rows go", () => office.service.lines.length > 10, { by: watch.ended });

    server.stopHard();
    await until("the log says it", () => logged("server_gone").length === 1, { by: watch.ended, withinMs: 60_000 });
    expect(logged("server_gone")[0]).toMatchObject({
      level: "warn",
      msg: expect.stringMatching(/away since 20.*Z: .*goes on by itself/s) as unknown,
    });
    expect(await metrics()).toContain("paydrop_journal_up 0\n");
    const later = office.put("later", 1, 3);
    for (const { path } of [going, later])
      await until(
        "a clerk reads it",
        () =>
          /waits: paydrop cannot reach its database\.[^]*Sending has stopped since \d.* UTC\.[^]*by itself/.test(
            textOf(`${path}.waiting.txt`),
          ),
        { by: watch.ended, withinMs: 60_000 },
      );
    const away = await status();
    expect([away.code, away.stderr]).toEqual([
      74,
      expect.stringMatching(/cannot be reached[^]*sending has stopped since 20.*Z, and goes on by itself/),
    ]);

    server.start();
    await until("the log says that it is back", () => logged("server_back").length === 1, { by: watch.ended });
    // each of its parts waited with one session, not with one for every time that it asked
    const sessions = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'paydrop'";
    expect((await office.ask<{ count: number }>(sessions))[0]?.count).toBeLessThan(12);
    office.service.latencyMs = 20;
    for (const { path } of [going, later])
      await until("it has its end", () => /"phase": ?"ended"/.test(textOf(`${path}.summary.json`)), {
        by: watch.ended,
      });
    const isSaid = ({ path }: { readonly path: string }) => textOf(`${path}.waiting.txt`).includes("database");
    await until("nobody is told so any more", () => ![going, later].some(isSaid));
    expect(office.service.twice).toEqual([]);
    expect(await office.unknown()).toEqual([]);
    expect(office.service.lines).toHaveLength(sendable([...going.plan, ...later.plan]));
    const text = await metrics();
    expect(text).toContain("paydrop_journal_up 1\n");
    expect(text).toContain(`paydrop_rows_total{state="accepted"} ${office.service.lines.length}\n`);
    expect(text).toMatch(/paydrop_request_duration_seconds_bucket\{le="0.1"\} [1-9]/);
    expect((await status()).code).toBe(3);

    // connections stay open, and nothing answers: as when commits wait for a standby
    server.pause();
    await until("silence is told, too", () => logged("server_gone").length === 2, {
      by: watch.ended,
      withinMs: 60_000,
    });
    expect(await metrics()).toContain("paydrop_journal_up 0\n");
    server.resume();
    await until("it answers again", () => logged("server_back").length === 2, { by: watch.ended });
    watch.child.kill("SIGTERM");
    expect((await watch.ended).code).toBe(0);
    expect(pinged.at(-1)).toBe("/beat/0");
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await until("a port is free", () => server.listening);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
