import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { describePostgres, ownServer } from "../support/postgres.ts";
import { came, until } from "../support/until.ts";
import { comparable, Office, sendable, textOf } from "./office.ts";

// They wait for a lease (15 s) more than they compute: all at once.
describePostgres("what a host and its server can lose", () => {
  test.concurrent(
    "a host is killed in flight → another takes inbox and rows within a minute",
    async ({ expect, onTestFinished }) => {
      const office = await Office.open(onTestFinished, 20, { PAYDROP_CONCURRENCY: "24", PAYDROP_HOST_LANES: "8" });
      const first = office.start(["watch", office.inbox]);
      await office.untilHere(first);
      await until("it watches", async () => (await office.heldBy(first)).leases === 1, { by: first.ended });
      const others = [office.start(["watch", office.inbox]), office.start(["work"])] as const;
      for (const host of others) await office.untilHere(host);
      // slow until all of them send
      office.service.latencyMs = 150;
      const { path, plan } = office.put("killed", 5, 500);
      await office.untilSending(first, ...others);
      office.service.latencyMs = 20;

      const { lanes } = await office.heldBy(first);
      first.child.kill("SIGKILL");
      const killedAt = performance.now();
      const sentBefore = office.service.lines.length;
      await until("the others go on", () => office.service.lines.length > sentBefore + 2 * lanes);
      const wentOnMs = performance.now() - killedAt;
      await until("the inbox is taken over", async () => (await office.heldBy(others[0])).leases === 1);
      await until("its rows are taken over", async () => (await office.heldBy(first)).lanes === 0);
      expect(performance.now() - killedAt).toBeLessThan(60_000);
      expect(wentOnMs).toBeLessThan(15_000);

      await until("the results are there", () => /"phase": ?"ended"/.test(textOf(`${path}.summary.json`)));
      for (const { child, ended } of others) {
        child.kill("SIGTERM");
        expect((await ended).code).toBeOneOf([0, 4]);
      }
      expect(await office.differences(plan)).toEqual([]);
      expect((await office.unknown()).length).toBeLessThanOrEqual(lanes);
      expect(office.service.inFlightMax).toBeLessThanOrEqual(24);
      expect(textOf(`${path}.results.csv`).split("\r\n")).toHaveLength(1 + plan.length + 1);
    },
  );

  test.concurrent(
    "hosts are stopped or cut off and come back → they send nothing more",
    async ({ expect, onTestFinished }) => {
      // one lane, so one share, and one row in flight each
      const one = { PAYDROP_HOST_LANES: "1", PAYDROP_TIMEOUT: "60s" };
      const office = await Office.open(onTestFinished, 20, { PAYDROP_CONCURRENCY: "16" });
      const { path, plan } = office.put("stopped", 5, 300);
      const proxy = await office.proxy();
      // between its commit and the first byte of the row that this one let go
      const asleep = office.start(["work"], { ...one, PAYDROP_FAULT: "stop@send.before:30" });
      const stopped = office.start(["work"], one);
      const cutOff = office.start(["work"], { ...one, PAYDROP_JOURNAL_URL: proxy.url });
      for (const host of [asleep, stopped, cutOff]) await office.untilHere(host);
      // slow until all of them send
      office.service.latencyMs = 150;
      const conductor = office.start(["run", path], { PAYDROP_HOST_LANES: "8" });
      await office.untilSending(asleep, stopped, cutOff);
      office.service.latencyMs = 20;
      await until("it stopped itself", () => stateOf(asleep.pid) === "T");
      office.service.latencyMs = 2_000;
      await sleep(1_000);
      stopped.child.kill("SIGSTOP");
      proxy.cutOff();
      office.service.latencyMs = 20;

      await until("all three are taken over", async () => (await office.unknown()).length === 3);
      const unsent = (await office.unknown()).filter(({ row }) => !office.service.has(`stopped row ${row}`));
      expect(unsent).toHaveLength(1);
      const [{ batch, row } = { batch: "", row: 0 }] = unsent;
      // a person looked: it is not there; by the timeout that was set nothing of it can come any more
      await sleep(1_500);
      const word = ["--row", String(row), "--as", "not-done", "--by", "Asha", "--note", "not there"];
      const settled = await office.run(["settle", batch, ...word], { PAYDROP_TIMEOUT: "1s" });
      expect(settled.code, settled.stderr).toBe(0);
      await office.run(["retry", batch, "--by", "Asha"]);
      await until("it goes again", () => office.service.has(`stopped row ${row}`), { by: conductor.ended });

      asleep.child.kill("SIGCONT");
      stopped.child.kill("SIGCONT");
      proxy.forwardAgain();
      expect((await conductor.ended).code).toBe(4);
      await until("late answers are kept", async () => (await office.unknown()).every(({ late }) => late !== null));
      for (const { child, ended } of [asleep, stopped, cutOff]) {
        child.kill("SIGTERM");
        expect((await ended).code).toBe(0);
      }
      expect(await office.differences(plan)).toEqual([]);
      expect((await office.unknown()).map(({ late }) => late)).toEqual(
        Array(2).fill('accepted: HTTP 200: {"status_was":200}'),
      );
      expect(office.service.inFlightMax).toBeLessThanOrEqual(16);
    },
  );

  test.concurrent(
    "a host stands still while it records a file → another sends it, once",
    { tags: ["apart"] },
    async ({ expect, onTestFinished }) => {
      const office = await Office.open(onTestFinished, 20, {});
      const { path, plan } = office.put("recorded", 1, 60);
      const asleep = office.start(["run", path], { PAYDROP_FAULT: "stop@rows.recorded:1" });
      await until("it stopped itself", () => stateOf(asleep.pid) === "T");
      const other = office.start(["run", path]);
      expect((await other.ended).code).toBe(3);
      asleep.child.kill("SIGCONT");
      expect((await asleep.ended).code).toBe(75);
      expect(await office.differences(plan)).toEqual([]);
      expect((await office.states())["accepted"]).toBe(sendable(plan));
    },
  );

  test.concurrent(
    "Postgres loses an answer and stops hard → nothing is unknown, results as ever",
    { tags: ["apart"] },
    async ({ expect, onTestFinished }) => {
      const server = await ownServer({}, onTestFinished);
      const settings = { PAYDROP_CONCURRENCY: "16" };
      const office = await Office.open(onTestFinished, 20, settings, server.url);
      const { path, plan } = office.put("restart", 3, 500);
      const proxy = await office.proxy();
      // of the lanes of both only half: the other half is for the run, whose commit is swallowed
      const helper = office.start(["work"], { PAYDROP_HOST_LANES: "8" });
      await office.untilHere(helper);
      const swallowed = proxy.swallowCommit();
      // slow until both send
      office.service.latencyMs = 500;
      const conductor = office.start(["run", path], { PAYDROP_HOST_LANES: "8", PAYDROP_JOURNAL_URL: proxy.url });
      await came("a commit whose answer is swallowed", swallowed, { by: conductor.ended });
      await office.untilSending(helper);
      office.service.latencyMs = 20;
      await until("half has gone", () => office.service.lines.length > 600, { by: conductor.ended });
      server.stopHard();
      await sleep(1_000);
      server.start();
      const ended = await conductor.ended;
      expect(ended.code, ended.stderr).toBe(3);
      helper.child.kill("SIGTERM");
      expect((await helper.ended).code).toBe(0);
      expect(await office.differences(plan)).toEqual([]);
      expect((await office.states())["accepted"]).toBe(sendable(plan));

      const alone = join(office.folder, "alone");
      mkdirSync(alone);
      const same = office.put("restart", 3, 500, alone);
      await office.run(["run", same.path], { PAYDROP_JOURNAL_URL: "", PAYDROP_JOURNAL_KEY: "" });
      expect(comparable(`${path}.results.csv`)).toBe(comparable(`${same.path}.results.csv`));
    },
  );
});

/** `T`: stopped. */
function stateOf(pid: number): string | undefined {
  return /\) (\S) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
}
