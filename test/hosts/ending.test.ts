import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { test } from "vitest";
import { describePooled, startPooler } from "../support/pgbouncer.ts";
import { describeApart, describePostgres, freshDatabase, ownServer } from "../support/postgres.ts";
import type { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { Office, sendable, textOf } from "./office.ts";

const MOVED_CLOCK = `--import=${new URL("../crash/moved-clock.ts", import.meta.url).href}`;
/** Ten seconds (README §13), and what a busy machine takes besides. */
const ENDS_WITHIN_MS = 20_000;

/** Milliseconds from the signal to the end of the process. */
async function endedIn({ child, ended }: Program, signal: NodeJS.Signals = "SIGTERM") {
  const began = performance.now();
  child.kill(signal);
  const { code, stderr } = await ended;
  return { code, stderr, ms: performance.now() - began };
}

// They wait more than they compute: all at once.
describeApart("a host is asked to end, whatever the server does", () => {
  const ways = {
    "the server stands still": (office: Office, server: Awaited<ReturnType<typeof ownServer>>) => {
      server.pause();
      return Promise.resolve(async () => {
        server.resume();
        await sleep(0);
      });
    },
    "the server is away": (office: Office, server: Awaited<ReturnType<typeof ownServer>>) => {
      server.stopHard();
      return Promise.resolve(async () => {
        server.start();
        await sleep(0);
      });
    },
    "somebody has locked the tables": async (office: Office) => {
      const client = new pg.Client(office.database);
      await client.connect();
      await client.query("SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0");
      await client.query(
        "BEGIN ISOLATION LEVEL READ COMMITTED; LOCK TABLE paydrop.share, paydrop.batch IN ACCESS EXCLUSIVE MODE",
      );
      return () => client.end();
    },
  };

  test.concurrent.for(Object.keys(ways) as (keyof typeof ways)[])(
    "%s → it ends within ten seconds, and no row goes twice or is forgotten",
    async (way, { expect, onTestFinished }) => {
      const server = await ownServer({}, onTestFinished);
      const office = await Office.open(
        onTestFinished,
        20,
        { PAYDROP_CONCURRENCY: "16", PAYDROP_HOST_LANES: "8" },
        server.url,
      );
      const [watcher, helper] = [office.start(["watch", office.inbox]), office.start(["work"])] as const;
      for (const host of [watcher, helper]) await office.untilHere(host);
      office.service.latencyMs = 200;
      const { path, plan } = office.put("ends", 4, 150);
      await office.untilSending(watcher, helper);
      await sleep(500);
      const undo = await ways[way](office, server);
      await sleep(1_000);
      const ends = await Promise.all([endedIn(watcher), endedIn(helper)]);
      for (const { ms, code, stderr } of ends) {
        expect(ms, stderr).toBeLessThan(ENDS_WITHIN_MS);
        expect(code, stderr).toBe(74);
        expect(stderr).toContain("gave no answer, and this paydrop was asked to end");
      }
      await undo();
      // the leases of those that ended are over some time
      const other = office.start(["watch", office.inbox]);
      await until("all has its end", () => /"phase": ?"ended"/.test(textOf(`${path}.summary.json`)), {
        by: other.ended,
      });
      expect(await endedIn(other)).toMatchObject({ code: expect.toBeOneOf([0, 4]) as number });
      expect(await office.differences(plan)).toEqual([]);
      expect((await office.unknown()).length).toBeLessThanOrEqual(16);
    },
  );

  test.concurrent(
    "requests are on the wire → their answers are waited for, and the server with them",
    async ({ expect, onTestFinished }) => {
      const server = await ownServer({}, onTestFinished);
      const office = await Office.open(onTestFinished, 20, { PAYDROP_CONCURRENCY: "4" }, server.url);
      const { path, plan } = office.put("wire", 1, 200);
      const host = office.start(["run", path]);
      await until("it sends", () => office.service.lines.length > 20, { by: host.ended });
      office.service.latencyMs = 13_000;
      await sleep(1_000);
      const ending = endedIn(host);
      server.pause();
      // longer than it would wait otherwise, and shorter than its lease
      await sleep(9_000);
      expect(host.child.exitCode).toBeNull();
      server.resume();
      const { code, stderr } = await ending;
      expect(code, stderr).toBe(7);
      expect(await office.unknown()).toEqual([]);
      expect((await office.states())["accepted"]).toBe(office.service.lines.length);
      office.service.latencyMs = 20;
      expect((await office.run(["run", path])).code).toBe(3);
      expect(await office.differences(plan)).toEqual([]);
    },
  );

  test.concurrent(
    "its packets are swallowed, and it is asked twice → it ends at once",
    async ({ expect, onTestFinished }) => {
      const office = await Office.open(onTestFinished, 20, {});
      const proxy = await office.proxy();
      const host = office.start(["work"], { PAYDROP_JOURNAL_URL: proxy.url });
      await office.untilHere(host);
      proxy.cutOff();
      await sleep(1_000);
      host.child.kill("SIGTERM");
      await sleep(1_000);
      const { ms, code } = await endedIn(host);
      expect(ms).toBeLessThan(ENDS_WITHIN_MS / 2);
      expect(code).toBeOneOf([0, 4, 74]);
    },
  );

  test.concurrent(
    "the server is a standby from the first → it says that it waits, and ends at once",
    async ({ expect, onTestFinished }) => {
      const server = await ownServer({}, onTestFinished);
      server.stopHard();
      server.startAsStandby();
      const office = await Office.open(onTestFinished, 20, {}, server.url);
      const { path } = office.put("early", 1, 10);
      const programs = [office.start(["watch", office.inbox]), office.start(["work"]), office.start(["run", path])];
      for (const program of programs)
        await until("it says so", () => program.stderr().includes("is away since"), { by: program.ended });
      const ends = await Promise.all(programs.map((program) => endedIn(program)));
      expect(ends.map(({ code }) => code)).toEqual([0, 0, 7]);
      for (const { ms } of ends) expect(ms).toBeLessThan(ENDS_WITHIN_MS / 2);
      expect(ends[2]?.stderr).toContain("it is a standby just now");
    },
  );
});

describePostgres("a connection, and a clock, that is not as it seems", () => {
  test.concurrent(
    "the network forgets its connections → noticed before the lease is over, and nothing is unknown",
    async ({ expect, onTestFinished }) => {
      const office = await Office.open(onTestFinished, 20, { PAYDROP_CONCURRENCY: "8" });
      const { path, plan } = office.put("forgotten", 1, 300);
      const proxy = await office.proxy();
      const host = office.start(["run", path], { PAYDROP_JOURNAL_URL: proxy.url });
      await until("it sends", () => office.service.lines.length > 50, { by: host.ended });
      proxy.forget();
      expect((await host.ended).code).toBe(3);
      expect(await office.differences(plan)).toEqual([]);
      expect(await office.unknown()).toEqual([]);
    },
  );

  test.concurrent(
    "a host's clock is 30 days ahead → it takes no file, and says so; another one does",
    async ({ expect, onTestFinished }) => {
      const office = await Office.open(onTestFinished, 20, {});
      const { path, plan } = office.put("november", 1, 20);
      const ahead = office.start(["watch", office.inbox], { NODE_OPTIONS: MOVED_CLOCK, PAYDROP_TEST_DAYS_AHEAD: "30" });
      await until("it says so", () => ahead.stderr().includes("takes no files"), { by: ahead.ended });
      const refused = await office.run(["run", path], { NODE_OPTIONS: MOVED_CLOCK, PAYDROP_TEST_DAYS_AHEAD: "30" });
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("what is recent is told otherwise")]);
      expect(office.service.lines).toEqual([]);
      const right = office.start(["watch", office.inbox]);
      await until("all has its end", () => /"phase": ?"ended"/.test(textOf(`${path}.summary.json`)), {
        by: right.ended,
      });
      expect(await office.differences(plan)).toEqual([]);
      for (const host of [ahead, right]) expect((await endedIn(host)).code).toBe(0);
    },
  );

  test.concurrent(
    "a host's clock is ahead by less → all that it writes down is by the server's",
    async ({ expect, onTestFinished }) => {
      const office = await Office.open(onTestFinished, 20, {});
      const { path, plan } = office.put("ahead", 1, 20);
      const began = Date.now();
      const clock = { NODE_OPTIONS: MOVED_CLOCK, PAYDROP_TEST_DAYS_AHEAD: String(50 / 86_400) };
      expect((await office.run(["run", path], clock)).code).toBe(3);
      await office.run(["pause", "--by", "Asha", await batchOf(office)], clock);
      const [found] = await office.ask<
        Record<string, string>
      >(`SELECT (SELECT max("createdAt") FROM batch) AS "createdAt",
      (SELECT max("lastAt") FROM batch) AS "lastAt", (SELECT max("sentAt") FROM rows) AS "sentAt", (SELECT max("wentAt") FROM rows) AS "wentAt",
      (SELECT max("startedAt") FROM run) AS "startedAt", (SELECT max("endedAt") FROM run) AS "endedAt", (SELECT max(at) FROM act) AS at`);
      for (const [name, text] of Object.entries(found ?? {})) {
        const at = Number(text);
        expect(at, name).toBeLessThanOrEqual(Date.now());
        expect(at, name).toBeGreaterThan(began);
      }
      expect(await office.differences(plan)).toEqual([]);
    },
  );
});

describePooled("a pooler with few sessions", () => {
  test.concurrent(
    "three hosts and eight sessions → the batch ends, and so do they",
    async ({ expect, onTestFinished }) => {
      const database = await freshDatabase(onTestFinished);
      const pooled = await startPooler(database, "session", 8, onTestFinished);
      const office = await Office.open(
        onTestFinished,
        20,
        { PAYDROP_CONCURRENCY: "16", PAYDROP_HOST_LANES: "8", PAYDROP_JOURNAL_URL: pooled },
        database,
      );
      const { path, plan } = office.put("pooled", 3, 300);
      const hosts = [office.start(["watch", office.inbox]), office.start(["work"]), office.start(["work"])];
      await until("all has its end", () => /"phase": ?"ended"/.test(textOf(`${path}.summary.json`)), {
        by: hosts[0]?.ended as Program["ended"],
        withinMs: 120_000,
      });
      for (const { ms, code, stderr } of await Promise.all(hosts.map((host) => endedIn(host)))) {
        expect(ms).toBeLessThan(ENDS_WITHIN_MS);
        expect(code, stderr).toBeOneOf([0, 74]);
      }
      expect(await office.differences(plan)).toEqual([]);
      expect((await office.states())["accepted"]).toBe(sendable(plan));
    },
  );

  test.concurrent(
    "a host for which none is left → it says why it waits, and ends when it is asked to",
    async ({ expect, onTestFinished }) => {
      const database = await freshDatabase(onTestFinished);
      const pooled = await startPooler(database, "session", 1, onTestFinished);
      const office = await Office.open(onTestFinished, 20, { PAYDROP_JOURNAL_URL: pooled }, database);
      const host = office.start(["work"]);
      await until("it says so", () => host.stderr().includes("it has no more sessions"), { by: host.ended });
      const { ms, code } = await endedIn(host);
      expect(ms).toBeLessThan(ENDS_WITHIN_MS);
      expect(code).toBeOneOf([0, 74]);
    },
  );
});

async function batchOf(office: Office): Promise<string> {
  const [batch] = await office.ask<{ id: string }>("SELECT id FROM batch");
  return batch?.id ?? "";
}
