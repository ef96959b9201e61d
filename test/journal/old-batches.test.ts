import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { Seal } from "../../src/postgres/copies.ts";
import { claimsOf } from "../../src/postgres/claims.ts";
import { hostsOf } from "../../src/postgres/hosts.ts";
import { dropRecordings } from "../../src/postgres/recording.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import { batches, folders, sumsOfDay } from "../../src/postgres/batches.ts";
import { beginRun, endRun, facts, rows } from "../../src/postgres/rows.ts";
import { Postgres } from "../../src/postgres/postgres.ts";
import { Committer } from "../../src/postgres/shares.ts";
import type { BatchFilter, JournalStore } from "../../src/journal/store.ts";
import { journalPath } from "../../src/state-dir.ts";
import { endedInPostgres } from "../bench/ended-batches.ts";
import { Trust } from "../../src/postgres/trust.ts";
import { Witness } from "../../src/postgres/witness.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { describePostgres } from "../support/postgres.ts";
import { openTestJournal } from "./postgres-store.ts";
import { act, ASHA, NOW, opened, outcome } from "./stores.ts";
import { commitTo } from "../support/commit.ts";

const FOLDER = "/inbox/payouts";
const HELD = { environment: "test", states: ["held"], codes: ["open_elsewhere"] } as const;
/** What is asked every few seconds. */
const FILTERS: readonly BatchFilter[] = [
  { isUnfinished: true, rejectedFor: ["key_refused"], folders: [FOLDER], environment: "test" },
  { states: ["ready", "held", "unknown", "not_sent"] },
  { states: ["invalid", "rejected"], newest: 12 },
  { isPaused: true },
  { since: NOW, environment: "test" },
  { newest: 31 },
];
const STOPPING = outcome(2, "rejected", { stop: { code: "key_refused", all: true } as never });

describe("SQLite beside ended batches", () => {
  test("a run, and what is asked again and again → no statement walks through all batches, rows or acts", async () => {
    const folder = temporaryDirectory();
    const asked = vi.spyOn(DatabaseSync.prototype, "prepare");
    const store = await openJournal(folder, {});
    const id = await opened(store, "A", ["1", "2", "3"], { folder: FOLDER });
    asked.mockClear();
    await store.recover(ASHA);
    await askAgain(store);
    const run = await store.beginRun(id, ASHA, NOW);
    await commitTo(store, id, [], 2);
    await commitTo(store, id, [outcome(2)], 1);
    await store.endRun(run, { endedAt: NOW, exitCode: 0, requests: 2 });
    await store.move(id, [{ row: 4, to: "cancelled", from: ["ready"] }], act("cancel"));
    const all = new Set(asked.mock.calls.map(([sql]) => sql));
    expect(all.size).toBeGreaterThan(20);
    const database = new DatabaseSync(journalPath(folder), { readOnly: true });
    const walks = [...all].flatMap((sql) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
      return plan.filter(({ detail }) => isWalk(detail)).map(({ detail }) => `${detail}: ${sql}`);
    });
    database.close();
    await store.close();
    expect(walks).toEqual([]);
    // the plan of such a statement is made anew at each commit
    expect([...all].filter((sql) => /LIMIT \?/.test(sql))).toEqual([]);
  });
});

/** Through all of a large table, and not by an index that has only what has not ended. */
function isWalk(detail: string): boolean {
  const isOfFew = /INDEX batch(?:Uncounted|Owes|Phase)\b/.test(detail);
  return /^SCAN (?:batch|b|row|r|key|act|run)\b/.test(detail) && !isOfFew;
}

async function askAgain(store: JournalStore): Promise<void> {
  await store.facts(FOLDER);
  for (const filter of FILTERS) if (filter.newest === undefined || filter.states) await store.batches(filter);
  await store.rows(HELD);
  await store.sumsOfDay("A", NOW);
}

describePostgres("Postgres beside ended batches", () => {
  test("a run, and what is asked again and again → few rows of any table are read", async () => {
    const { store, postgres } = await openTestJournal();
    const client = await postgres.take();
    await endedInPostgres(client, 2_000, FOLDER);
    postgres.drop(client);
    const id = await opened(store, "A", ["1", "2", "3"], { folder: FOLDER });
    const destination = "http://127.0.0.1:7900";
    const trust = new Trust(postgres, new Witness(temporaryDirectory(), "journal"), "me");
    const committer = new Committer(postgres, "me", trust);
    const seal = new Seal(randomBytes(32));
    const together = { postgres, seal, committer, trust, me: "me", leases: new Set<string>() };
    const takeOver = () => postgres.query("SELECT take_over('{}', 0, interval '0')");
    const hosts = hostsOf(together);
    const claims = claimsOf(together);
    let run = 0;
    const claim = (me: string) =>
      postgres.query("SELECT claim_share($1, NULL, $2, 'test', 1, 9, interval '15 s')", me, destination);
    const works: Readonly<Record<string, () => Promise<unknown>>> = {
      facts: () => facts(postgres, FOLDER),
      ...Object.fromEntries(FILTERS.map((filter) => [JSON.stringify(filter), () => batches(postgres, filter)])),
      folders: () => folders(postgres),
      "held rows": () => rows(postgres, HELD),
      "the sums of a day": () => sumsOfDay(postgres, id, NOW - 1),
      "what is half written down": () => dropRecordings(postgres),
      "the begin of a run": async () => (run = await beginRun(postgres, id, ASHA, NOW)),
      "a commit": () => commitTo(store, id, [], 1),
      "a commit that stops all": () => commitTo(store, id, [STOPPING], 1),
      "who is here": () => hosts.all(),
      "shares that are open": async () => hosts.others?.open(destination, "test"),
      progress: () => claims.progress(id),
      "a claim": () => claim("other"),
      "a takeover": async () => {
        await postgres.query(
          "UPDATE share SET leaseUntil = clock_timestamp() - interval '1 s' WHERE owner IS NOT NULL",
        );
        await takeOver();
      },
      "the end of a run": () => endRun(postgres, run, { endedAt: NOW, exitCode: 0, requests: 1 }),
    };
    const read: Record<string, number> = {};
    for (const [name, work] of Object.entries(works)) read[name] = await readBy(postgres, work);
    committer.close();
    expect(Object.entries(read).filter(([, count]) => count > 150)).toEqual([]);
  });
});

/** Rows of all tables that are read by it. */
function readBy(postgres: Postgres, work: () => Promise<unknown>): Promise<number> {
  const sql =
    "SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int AS count FROM pg_stat_xact_user_tables";
  const counted = async (): Promise<number> => (await postgres.get<{ count: number }>(sql))?.count ?? 0;
  return postgres.write(async () => {
    // those of the session that nobody was told of yet are among them
    const before = await counted();
    await work();
    return (await counted()) - before;
  });
}
