import pg from "pg";
import { test } from "vitest";
import { describePostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { Office, sendable, textOf } from "./office.ts";

/** What a server's administrator does to a commit that carries outcomes. */
interface Refusal {
  readonly first: string;
  /** Once, or until the host has ended; gives whether there was anything to do it to. */
  readonly again?: string;
  readonly undo: string;
}

/** Of this test's database: others of the same server are cancelled by their own. */
const COMMITS = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%commit_shares%' AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`;
const REFUSALS: readonly (readonly [string, Refusal, isOnce: boolean])[] = [
  [
    "cancelled as long as it waits for a lock",
    {
      first: "BEGIN; LOCK TABLE rows IN SHARE MODE",
      again: `SELECT pg_cancel_backend(pid) ${COMMITS}`,
      undo: "ROLLBACK",
    },
    false,
  ],
  [
    "cancelled once",
    {
      first: "BEGIN; LOCK TABLE rows IN SHARE MODE",
      again: `SELECT pg_cancel_backend(pid) ${COMMITS}`,
      undo: "ROLLBACK",
    },
    true,
  ],
  [
    "refused by a trigger",
    {
      first: `CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
        CREATE TRIGGER no BEFORE UPDATE ON rows FOR EACH ROW WHEN (NEW.state = 'accepted') EXECUTE FUNCTION no()`,
      undo: "DROP TRIGGER no ON rows",
    },
    false,
  ],
];

/** I15. All at a time, for each waits until a lease is over. */
describePostgres("the server refuses a commit", () => {
  test.concurrent.for(REFUSALS)("%s → nothing goes twice, and it is told", async ([, refusal, isOnce], context) => {
    const { expect, onTestFinished } = context;
    const office = await Office.open(onTestFinished, 20, { PAYDROP_CONCURRENCY: "8" });
    const { path, plan } = office.put("refused", 1, 200);
    const admin = new pg.Client({ connectionString: office.database, options: "-c search_path=paydrop" });
    const host = office.start(["run", path], { PAYDROP_QUIET: "" });
    await until("rows went", () => office.service.lines.length > 40, { by: host.ended });
    await admin.connect();
    await admin.query(refusal.first);
    const other = new pg.Client({ connectionString: office.database });
    await other.connect();
    let times = 0;
    let isGone = false;
    void host.ended.then(() => (isGone = true));
    await until("the commit is refused", async () => {
      if (refusal.again !== undefined) times += (await other.query(refusal.again)).rowCount ?? 0;
      return isGone || (isOnce && times > 0);
    });
    await admin.query(refusal.undo);
    await Promise.all([admin.end(), other.end()]);
    const ended = await host.ended;
    expect(ended.code, ended.stderr).toBe(74);
    const sent = office.service.lines.length;
    const shown = (await office.run(["status"], { PAYDROP_QUIET: "" })).stdout;
    expect(shown).toMatch(isOnce ? /accepted/ : /rows are on the way/);
    expect(textOf(`${path}.waiting.txt`)).not.toMatch(/not sent|twice/);

    const next = await office.run(["run", path]);
    expect(await office.differences(plan)).toEqual([]);
    const unknown = await office.unknown();
    expect(unknown.length).toBeLessThanOrEqual(isOnce ? 0 : 8);
    expect(next.code, next.stderr).toBe(isOnce ? 3 : 4);
    expect(office.service.lines).toHaveLength(sendable(plan));
    expect(office.service.lines.length).toBeGreaterThan(sent);
  });
});
