import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { describeApart } from "../support/postgres.ts";
import { came, until } from "../support/until.ts";
import { Office, sendable } from "./office.ts";

describeApart("what holds for all hosts together", () => {
  test.concurrent("two hosts send → concurrency and rate are those of both", async ({ expect, onTestFinished }) => {
    const rate = 200;
    const settings = { PAYDROP_CONCURRENCY: "12", PAYDROP_RATE: String(rate) };
    const office = await Office.open(onTestFinished, 20, settings);
    const { service } = office;
    const helper = office.start(["work"], { PAYDROP_HOST_LANES: "6" });
    await office.untilHere(helper);
    const { path, plan } = office.put("limits", 3, 400);
    const conductor = office.start(["run", path], { PAYDROP_HOST_LANES: "10" });
    await office.untilSending(helper);
    expect((await conductor.ended).code).toBe(3);
    expect(await office.differences(plan)).toEqual([]);
    expect(service.lines).toHaveLength(sendable(plan));
    expect(service.inFlightMax).toBeLessThanOrEqual(12);
    // in any second; each host may be late with one lot (a tenth of a second) that it had reserved
    const worst = Math.max(
      ...service.lines.map(({ at }) => service.lines.filter((one) => one.at >= at && one.at < at + 1_000).length),
    );
    expect(worst).toBeLessThanOrEqual(rate * 1.2 + 1);
  });

  test.concurrent(
    "the last host is asked to end after another died → it ends when that lease is over",
    async ({ expect, onTestFinished }) => {
      const office = await Office.open(onTestFinished, 20, { PAYDROP_CONCURRENCY: "16", PAYDROP_HOST_LANES: "8" });
      const helper = office.start(["work"]);
      await office.untilHere(helper);
      office.service.latencyMs = 150;
      const { path } = office.put("ending", 5, 500);
      const conductor = office.start(["run", path]);
      await office.untilSending(conductor, helper);
      helper.child.kill("SIGKILL");
      conductor.child.kill("SIGTERM");
      const ended = await came("the end of the last host", conductor.ended, { withinMs: 90_000 });
      expect(ended.code, ended.stderr).toBeOneOf([4, 7]);
    },
  );

  test.concurrent(
    "a wrong API key, another journal key, another version → one row in all",
    async ({ expect, onTestFinished }) => {
      const office = await Office.open(onTestFinished, 20, { PAYDROP_CONCURRENCY: "16" });
      const wrong = { PAYDROP_API_KEY: "another-key" };
      const helpers = [office.start(["work"], wrong), office.start(["work"], wrong)];
      for (const helper of helpers) await office.untilHere(helper);
      const { path } = office.put("wrong", 3, 100);
      expect((await office.run(["run", path], wrong)).code).toBe(7);
      // the others look for shares twice a second
      await sleep(1_500);
      expect(office.service.lines.map(({ status }) => status)).toEqual([401]);

      const other = await office.run(["run", path], { PAYDROP_JOURNAL_KEY: "ab".repeat(32) });
      expect([other.code, other.stderr]).toEqual([78, expect.stringContaining("another PAYDROP_JOURNAL_KEY")]);
      await office.ask("UPDATE meta SET value = '99' WHERE key = 'version'");
      const later = await office.run(["run", path]);
      expect([later.code, later.stderr]).toEqual([78, expect.stringContaining("is of version 99")]);
      await office.ask("UPDATE meta SET value = '1' WHERE key = 'version'");
      expect(office.service.lines).toHaveLength(1);

      // the server was restored, or a standby took over that may not have all
      await office.ask("UPDATE meta SET value = '77' WHERE key = 'timeline'");
      const lost = await office.run(["run", path]);
      expect([lost.code, lost.stderr]).toEqual([74, expect.stringContaining("its timeline was 77")]);
      await office.ask("UPDATE meta SET value = '1' WHERE key = 'system'");
      expect((await office.run(["run", path])).code).toBe(74);
      expect(office.service.lines).toHaveLength(1);
      for (const { child } of helpers) child.kill("SIGTERM");
      const accepted = await office.run(["run", path, "--accept-lost-journal", "--by", "Asha"]);
      // whatever could go by itself may have gone
      expect(accepted.code, accepted.stderr).toBe(4);
      expect(office.service.lines).toHaveLength(1);
      const acts = await office.ask("SELECT by, note FROM act WHERE kind = 'accept_lost_journal'");
      expect(acts).toEqual([{ by: "Asha", note: "it is another server" }]);
      expect((await office.run(["run", path])).code).toBe(4);
    },
  );

  test.concurrent(
    "paused, cancelled, STOP, refused by the service → the other host sends nothing more",
    async ({ expect, onTestFinished }) => {
      const office = await Office.open(onTestFinished, 20, { PAYDROP_CONCURRENCY: "12", PAYDROP_HOST_LANES: "4" });
      const { service } = office;
      const hosts = [office.start(["watch", office.inbox]), office.start(["work"])] as const;
      for (const host of hosts) await office.untilHere(host);
      office.put("stops", 6, 400);
      const bothSend = async (): Promise<void> => office.untilSending(...hosts);
      /** Rows that were let go before may arrive yet. */
      const isQuiet = async (): Promise<void> => {
        await until("shares are given back", async () =>
          (await Promise.all(hosts.map((host) => office.heldBy(host)))).every(({ lanes }) => lanes === 0),
        );
        const { length } = service.lines;
        await sleep(1_000);
        expect(service.lines).toHaveLength(length);
      };
      const act = async (...operands: readonly string[]): Promise<void> => {
        const { code, stderr } = await office.run([...operands, "--by", "Asha"]);
        expect(code, stderr).toBeOneOf([0, 7]);
      };
      await bothSend();
      const [{ id } = { id: "" }] = await office.ask<{ id: string }>("SELECT id FROM batch");
      await act("pause", id);
      const sent = service.lines.length;
      await isQuiet();
      expect(service.lines.length).toBeLessThanOrEqual(sent + 8);

      const resumed = office.start(["resume", id, "--by", "Asha"]);
      await bothSend();
      const stop = join(office.inbox, "STOP");
      writeFileSync(stop, "");
      await isQuiet();

      await resumed.ended;
      await act("resume", "--inbox", office.inbox);
      await bothSend();
      service.status = 403;
      await until("the service refused", () => service.lines.at(-1)?.status === 403);
      await isQuiet();
      expect(service.lines.filter(({ status }) => status === 403).length).toBeLessThanOrEqual(8);
      await act("cancel", id, "--reason", "wrong month");
      service.status = 200;
      await isQuiet();
      expect(service.twice).toEqual([]);
    },
  );
});
