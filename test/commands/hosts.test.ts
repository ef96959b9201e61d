import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { backup, purge } from "../../src/commands/backup-purge.ts";
import * as results from "../../src/commands/results-report.ts";
import * as settle from "../../src/commands/settle.ts";
import * as status from "../../src/commands/status.ts";
import { isoDay } from "../../src/day.ts";
import { snapshotPath } from "../../src/state-dir.ts";
import { called } from "../support/calls.ts";
import { jsonLines } from "../support/call.ts";
import { transfers } from "../support/desk.ts";
import { describePostgres } from "../support/postgres.ts";
import { loseHost, sharedDesk } from "../support/shared-desk.ts";

describePostgres("rows of a lost host", () => {
  test("settled as not done before its timeout is over → refused; as done → taken", async () => {
    const made = await sharedDesk();
    const { desk, shape } = made;
    const { batch } = await loseHost(made);
    const said = { by: "asha", note: "no entry", row: ["3"] };
    const early = await called(settle.run, shape([batch], { ...said, as: "not-done" }));
    expect(early).toMatchObject({ code: 2, stdout: "" });
    expect(early.stderr).toMatch(
      /the host that sent row 3 of batch \w{8} was lost, and its request may still arrive until \d{4}-.*Z\n/,
    );
    const list = join(desk.folder, "list.csv");
    writeFileSync(list, `batch,row,as,by,note\n${batch},4,done,asha,seen\n${batch},3,not-done,asha,no entry\n`);
    expect(await called(settle.run, shape([], { from: list }))).toMatchObject({ code: 2, stdout: "" });
    expect(await desk.store.rows({ batch, states: ["unknown"] })).toHaveLength(2);

    expect(await called(settle.run, shape([batch], { ...said, as: "done" }))).toMatchObject({ code: 0 });
    // whoever changes this word meanwhile waits as well
    const other = await called(settle.run, shape([batch], { ...said, as: "not-done", total: "2.00" }));
    expect(other).toMatchObject({ code: 2, stdout: "" });
    expect(other.stderr).toContain("its request may still arrive until");
    await made.postgres.query("UPDATE share SET takenOverAt = takenOverAt - interval '121 s'");
    const late = await called(settle.run, shape([batch], { ...said, row: ["4"], as: "not-done" }));
    expect(late).toMatchObject({ code: 0, stderr: "" });
    expect(await desk.store.rows({ batch, states: ["settled_not_done"] })).toMatchObject([{ row: 4 }]);
  });

  test("its answer came late → shown to whoever settles, gone when the row goes again", async () => {
    const made = await sharedDesk();
    const { desk, shape } = made;
    const { batch, store, share } = await loseHost(made);
    const heard = { tries: 1, httpStatus: 200, response: '{"id":"T-7"}' };
    const row = { row: 3, state: "accepted", code: "accepted", ...heard } as const;
    const lost = [{ isLost: true, leaving: [] }];
    expect(await store.commit([{ share, outcomes: [row], freeLanes: 1 }])).toMatchObject(lost);

    const text = await called(status.run, shape([], { unknown: true }));
    expect(text.stdout).toContain(`Its host heard afterwards: "accepted: HTTP 200: {'id':'T-7'}"`);
    const json = await called(status.run, shape([], { unknown: true, json: true }));
    const lateAnswer = "accepted: HTTP 200: {'id':'T-7'}";
    expect(jsonLines(json.stdout)[0]).toMatchObject({
      row: 3,
      what_happened: expect.stringContaining(lateAnswer) as unknown,
    });
    const csv = await called(status.run, shape([], { unknown: true, csv: true }));
    const [header = [], first = []] = parse(csv.stdout, { bom: true });
    expect(first[header.indexOf("what_happened")]).toContain(lateAnswer);

    await called(results.results, shape([batch]));
    expect(desk.read("pay.csv.results.csv")).toContain("Its host heard afterwards: ");
    await called(results.report, shape([batch]));
    expect(desk.read("pay.csv.report.html")).toContain("Its host heard afterwards: ");

    await made.postgres.query("UPDATE share SET takenOverAt = takenOverAt - interval '121 s'");
    await called(settle.run, shape([batch], { row: ["3"], as: "not-done", by: "asha", note: "no entry" }));
    await desk.store.judging(() =>
      desk.store.move(batch, [{ row: 3, from: ["settled_not_done"], to: "ready" }], desk.act("retry")),
    );
    expect((await desk.store.rows({ batch, rows: [3] }))[0]).not.toHaveProperty("lateAnswer");
  });
});

describePostgres("paydrop status with hosts", () => {
  test("hosts that share the journal → what each holds, and which is silent", async () => {
    const made = await sharedDesk();
    const { desk, shape, postgres } = made;
    const { batch } = await desk.run("pay.csv", transfers(["ACC-1", "1.00"], ["ACC-2", "2.00"]), () => 401);
    const { hosts } = desk.store;
    await hosts.lease("inbox /srv/pune/inbox");
    await hosts.lease(`batch ${batch}`);
    await desk.store.beginRun(batch, { login: "asha", host: "pay1" }, desk.now);
    const { base_url: destination = "", environment } = desk.config;
    await desk.store.claim({ batch, rows: 2, destination, environment, lanes: 4, concurrency: 8 });
    const text = (await called(status.run, shape([]))).stdout;
    const at = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
    const holds = `  sends batch ${batch}: 1 share, 4 lanes, since ${at}\n  conducts the run of batch ${batch}\n  watches /srv/pune/inbox\n`;
    expect(text).toMatch(new RegExp(`host ${hosts.me}   version \\S+   here since ${at}\n${holds}`));
    await postgres.query("UPDATE host SET seenAt = seenAt - interval '31 s'");
    expect((await called(status.run, shape([]))).stdout).toMatch(
      / {2}not seen since .*: what it holds goes to the other hosts/,
    );
    const lines = jsonLines((await called(status.run, shape([], { json: true }))).stdout);
    expect(lines.find(({ type }) => type === "host")).toMatchObject({
      ...{ host: hosts.me, silent: true, conducts: [batch], inboxes: ["/srv/pune/inbox"] },
      holds: [{ batch, shares: [0], lanes: 4 }],
    });
  });
});

describePostgres("purge and backup of a shared journal", () => {
  test("an ended batch → its pieces and payloads go, those of others stay", async () => {
    const { desk, shape, postgres } = await sharedDesk();
    const ended = await desk.run("old.csv", transfers(["ACC-1", "1.00"]));
    const open = await desk.run("open.csv", transfers(["ACC-2", "2.00"]), () => 401);
    const left = async () => ({
      pieces: (await postgres.query<{ sha256: string }>("SELECT sha256 FROM piece")).map(({ sha256 }) => sha256),
      payloads: await postgres.query(
        "SELECT b.id FROM share s JOIN batch b ON b.seq = s.batch WHERE payloads IS NOT NULL",
      ),
    });
    expect(await left()).toMatchObject({ payloads: [{ id: ended.batch }, { id: open.batch }] });
    // what another paydrop of this host takes just now
    const taken = snapshotPath(desk.config.state_dir, "0".repeat(64));
    writeFileSync(taken, "being taken");
    await postgres.query("UPDATE rows SET state = 'ready', turn = 2 WHERE batch = 2");
    await postgres.query("UPDATE share SET nextTurn = 3, tallies = NULL WHERE batch = 2");
    await postgres.query("UPDATE share SET lastAt = 1");
    await postgres.query("UPDATE batch SET lastAt = 1");
    const purged = () => called(purge, shape([], { before: isoDay(Date.now()) }));
    for (const told of [await purged(), await purged()]) expect(told).toMatchObject({ code: 0, stderr: "" });
    const [{ sha256 } = { sha256: "" }] = await desk.store.batches({ id: open.batch });
    expect(await left()).toEqual({ pieces: [sha256], payloads: [{ id: open.batch }] });
    expect(readdirSync(dirname(taken)).sort()).toEqual(["0".repeat(64), sha256, `${open.batch}.spool`].sort());
    expect((await desk.store.acts({ batch: ended.batch })).filter(({ kind }) => kind === "purge")).toHaveLength(1);
  });

  test("backup → says what to do instead, and makes no folder", async () => {
    const { desk, shape } = await sharedDesk();
    const folder = join(desk.folder, "backup");
    const told = await called(backup, shape([folder]));
    expect(told).toMatchObject({ code: 74, stdout: "" });
    expect(told.stderr).toContain("pg_dump");
    expect(existsSync(folder)).toBe(false);
  });
});
