import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSpool } from "../../src/checks/spool.ts";
import type { JournalStore, Share } from "../../src/journal/store.ts";
import { openPostgres } from "../../src/postgres/open.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import { spoolPath } from "../../src/state-dir.ts";
import { describePostgres, freshDatabase } from "../support/postgres.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { act, ASHA, newRow, NOW, opened, outcome, statesOf } from "./stores.ts";

const ID = "K7Q29F3M";
const PAYLOAD = '{"amount":1.00}';
const WANTED = { batch: ID, rows: 3, destination: "http://127.0.0.1:7900", environment: "test" } as const;

/** Both engines let rows leave by the same calls: a share is claimed, its commits let rows go, and it ends (README §4). */
function leavesByShares(open: (stateDir: string) => Promise<JournalStore>): void {
  async function begun(): Promise<{ store: JournalStore; run: number; claim: () => Promise<Share | undefined> }> {
    const stateDir = temporaryDirectory();
    const store = await open(stateDir);
    onTestFinished(() => store.close());
    const path = spoolPath(stateDir, ID);
    mkdirSync(dirname(path), { recursive: true });
    const spool = createSpool(path);
    const rows = [1, 2, 3].map((row) => newRow(row, `${row}`, spool.add(PAYLOAD)));
    spool.close();
    await opened(store, ID, rows, { destination: WANTED.destination });
    await store.hosts.keepCopies(ID, new Map(), path);
    const run = await store.beginRun(ID, ASHA, NOW);
    return { store, run, claim: () => store.claim({ ...WANTED, lanes: 2, concurrency: 4 }) };
  }

  test("a batch with ready rows → one share, held once, and free again when it has ended", async () => {
    const { store, run, claim } = await begun();
    const share = (await claim()) as Share;
    expect(share).toMatchObject({ batch: ID, lanes: 2, isProven: false });
    expect(await claim()).toBeUndefined();
    expect(await store.progress(ID)).toMatchObject({ held: 1, letGo: 0, phase: "open" });
    const [first] = await store.commit([{ share, outcomes: [], freeLanes: 2 }]);
    expect(first).toMatchObject({ isLost: false, leaving: [{ row: 1 }, { row: 2 }] });
    expect(first?.leaving.map((row) => share.spool.read(row))).toEqual([PAYLOAD, PAYLOAD]);
    const outcomes = [outcome(1), outcome(2, "again")];
    expect(await store.commit([{ share, outcomes, freeLanes: 0 }])).toMatchObject([{ leaving: [] }]);
    await share.end();
    expect(await statesOf(store, ID)).toBe("1 accepted, 2 ready, 3 ready");
    expect(await store.progress(ID)).toMatchObject({ held: 0, letGo: 2, ready: 2 });
    const next = (await claim()) as Share;
    expect(await store.commit([{ share: next, outcomes: [], freeLanes: 2 }])).toMatchObject([
      { leaving: [{ row: 3 }, { row: 2 }] },
    ]);
    await store.commit([{ share: next, outcomes: [outcome(3), outcome(2)], freeLanes: 0 }]);
    await next.end();
    expect(await claim()).toBeUndefined();
    await store.endRun(run, { endedAt: NOW, exitCode: 0, requests: 3 });
    expect((await store.recover(ASHA)).unknown).toEqual([]);
  });

  test("a share that is left with a row on its way → no end and no later share gives that row a new turn", async () => {
    const { store, run, claim } = await begun();
    const share = (await claim()) as Share;
    await store.commit([{ share, outcomes: [], freeLanes: 1 }]);
    share.leave();
    await store.endRun(run, { endedAt: NOW, exitCode: 74, requests: 1 });
    expect(await statesOf(store, ID)).toBe("1 on its way, 2 ready, 3 ready");
    await store.beginRun(ID, ASHA, NOW);
    const next = await claim();
    const [committed] = next ? await store.commit([{ share: next, outcomes: [], freeLanes: 4 }]) : [];
    expect(committed?.leaving.map(({ row }) => row) ?? []).not.toContain(1);
  });

  test("a run that was asked to end after a later one began → that one goes on", async () => {
    const { store, run, claim } = await begun();
    const later = await store.beginRun(ID, ASHA, NOW);
    await store.stop(ID, run, { code: "signal" } as never);
    expect(await store.progress(ID)).toMatchObject({ run: later, ready: 3 });
    expect(await claim()).toBeDefined();
  });

  test.each<[string, (store: JournalStore) => Promise<unknown>, object]>([
    ["paused", (store) => store.setBatch(ID, { phase: "paused" }), { phase: "paused" }],
    [
      "in a held folder",
      (store) => store.holdFolder("/inbox", "stop_file", act("hold_folder")),
      { hold: "folder_held" },
    ],
    ["to be approved", (store) => store.setBatch(ID, { approvers: 1, approvedUntil: 0 }), { hold: "approval_wanted" }],
  ])("a batch that is %s → no share, and progress says why", async (_, change, why) => {
    const { store, claim } = await begun();
    await change(store);
    expect(await claim()).toBeUndefined();
    expect(await store.progress(ID)).toMatchObject({ held: 0, ready: 3, ...why });
  });
}

describe("SQLite", () => leavesByShares((stateDir) => openJournal(stateDir, { isSender: true })));

describePostgres("Postgres", () => {
  leavesByShares(async (stateDir) =>
    openPostgres({ url: await freshDatabase(), isSender: true, journalKey: randomBytes(32), stateDir }),
  );
});
