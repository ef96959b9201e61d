import { existsSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { transfersCsv } from "../support/desk.ts";
import { answer, type FaultServer } from "../support/fault-server.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { openInboxDesk, type InboxDesk } from "./inbox-desk.ts";

const ROWS = 12;

interface Held {
  readonly server: FaultServer;
  readonly desk: InboxDesk;
  readonly batch: string;
  /** How many rows had gone. */
  readonly sent: number;
}

/** A folder that somebody stopped while rows of `p.csv` were on their way. */
async function stopped(): Promise<Held> {
  const server = await startService(() => async (socket) => {
    await sleep(80);
    await answer(200)(socket);
  });
  const desk = openInboxDesk(server.url, { PAYDROP_CONCURRENCY: "1" });
  writeFileSync(desk.path("p.csv"), transfersCsv(ROWS));
  const run = desk.call("run", "--inbox", desk.inbox);
  await until("two rows", () => server.requests.length >= 2);
  writeFileSync(desk.path("STOP"), "");
  expect((await run).code).toBe(7);
  expect(server.requests.length).toBeLessThan(ROWS);
  const { batch } = JSON.parse(desk.read("p.csv.summary.json")) as { batch: string };
  return { server, desk, batch, sent: server.requests.length };
}

test("who stopped a folder to correct a file is asked before the old rows go, and pays the corrected ones", async () => {
  const { server, desk, batch, sent } = await stopped();
  for (const name of desk.names().filter((one) => /^STOP - held|^p\.csv\.waiting\.txt$/.test(one))) {
    expect(desk.read(name)).toContain("What was taken goes as it was then.");
    expect(desk.read(name)).toContain(`paydrop cancel ${batch} --by NAME`);
  }
  const correct = transfersCsv(ROWS).split("\n").map((line, row) => (row > sent ? line.replace(/,1(\d\d)\./, ",9$1.") : line)).join("\n"); // prettier-ignore
  writeFileSync(desk.path("p.csv"), correct);
  const resume = ["resume", "--inbox", desk.inbox, "--by", "asha"];
  const asked = await desk.call(...resume);
  expect([asked.code, asked.stdout]).toEqual([2, ""]);
  expect(asked.stderr).toContain(`${ROWS - sent} rows, `);
  expect(asked.stderr).toContain(`of p.csv (batch ${batch})`);
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(7);
  expect(server.requests).toHaveLength(sent);

  expect((await desk.call("cancel", batch, "--by", "asha", "--reason", "wrong amounts")).code).toBe(0);
  expect((await desk.call(...resume)).code).toBe(0);
  await desk.call("run", "--inbox", desk.inbox);
  const amounts = server.requests.map(({ body }) => (JSON.parse(body) as { amount: number }).amount);
  expect(amounts).toHaveLength(ROWS);
  expect(amounts.slice(sent).every((amount) => amount > 900)).toBe(true);
});

test.each(["taken away", "changed, and said --as-taken"])(
  "the rest of a file that was %s goes as it was",
  async (how) => {
    const { server, desk, sent } = await stopped();
    const isGone = how === "taken away";
    if (isGone) rmSync(desk.path("p.csv"));
    else writeFileSync(desk.path("p.csv"), "from_account,to_account,amount\n");
    const flags = isGone ? [] : ["--as-taken"];
    const resumed = await desk.call("resume", "--inbox", desk.inbox, "--by", "asha", ...flags);
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain(`goes as it was taken: ${ROWS - sent} rows, `);
    await desk.call("run", "--inbox", desk.inbox);
    expect(server.requests).toHaveLength(ROWS);
    expect(existsSync(desk.path("STOP"))).toBe(false);
  },
);

test("of a folder that nothing holds that alone is told, whatever was changed in it", async () => {
  const server = await startService(() => answer(401));
  const desk = openInboxDesk(server.url);
  writeFileSync(desk.path("p.csv"), transfersCsv(2));
  expect((await desk.call("run", "--inbox", desk.inbox)).code).toBe(7);
  writeFileSync(desk.path("p.csv"), transfersCsv(3));
  const { code, stderr } = await desk.call("resume", "--inbox", desk.inbox, "--by", "asha");
  expect([code, stderr.split("\n")[0]]).toEqual([2, `paydrop: ${desk.inbox} is not held`]);
});
