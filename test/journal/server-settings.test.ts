import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import pg from "pg";
import { openPostgres } from "../../src/postgres/open.ts";
import { Postgres } from "../../src/postgres/postgres.ts";
import { Sight } from "../../src/postgres/sight.ts";
import { describePooled, startPooler } from "../support/pgbouncer.ts";
import { describePostgres, freshDatabase, ownServer } from "../support/postgres.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { until } from "../support/until.ts";

async function opened(url: string, isSender = true): Promise<Postgres> {
  const postgres = await Postgres.open({ url, isSender });
  onTestFinished(() => postgres.close());
  return postgres;
}

async function plainly(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows as unknown[])
    .finally(() => client.end());
}

const sender = (url: string) =>
  openPostgres({ stateDir: temporaryDirectory(), url, isSender: true, journalKey: randomBytes(32) });

describePostgres("settings of the server, the database and the role", () => {
  test("every one of them is wrong → each session says its own", async () => {
    const url = await freshDatabase();
    const role = `role_${randomBytes(4).toString("hex")}`;
    const wrong = [
      "default_transaction_read_only = on",
      "lock_timeout = '20ms'",
      "statement_timeout = '50ms'",
      "idle_session_timeout = '50ms'",
      "idle_in_transaction_session_timeout = '50ms'",
    ];
    await plainly(
      url,
      `CREATE ROLE ${role} LOGIN SUPERUSER; ${wrong.map((said) => `ALTER ROLE ${role} SET ${said}`).join("; ")}`,
    );
    const postgres = await opened(Object.assign(new URL(url), { username: role }).href);
    await postgres.write(async () => {
      const [now] =
        await postgres.query(`SELECT current_setting('transaction_isolation') AS isolation, current_setting('lock_timeout') AS lock,
        current_setting('client_encoding') AS encoding, current_setting('search_path') AS path, current_setting('TimeZone') AS zone,
        1.5::float8 * 3 AS number, '\\x00ff'::bytea AS bytes, '15000 ms'::interval::text AS lease, pg_sleep(0.1)::text AS slept`);
      expect(now).toEqual({
        ...{ isolation: "read committed", lock: "0", encoding: "UTF8", path: "paydrop", zone: "UTC", slept: "" },
        ...{ number: 4.5, bytes: Buffer.from([0, 255]), lease: "00:00:15" },
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      await postgres.query("CREATE TABLE public.note (text text); INSERT INTO public.note VALUES ('हिन्दी')");
    });
    // longer than its role lets a session be idle
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await postgres.query("SELECT text FROM public.note")).toEqual([{ text: "हिन्दी" }]);
  });

  test("one judges while another waits to → what was judged meanwhile is seen", async () => {
    const url = await freshDatabase();
    const [one, other] = [await opened(url), await opened(url)];
    await one.query("CREATE TABLE public.payment (key text)");
    const isKnown = async (postgres: Postgres): Promise<boolean> =>
      (await postgres.get("SELECT 1 FROM public.payment WHERE key = 'the same'")) !== undefined;
    const judge = (postgres: Postgres, meanwhile: () => Promise<unknown>): Promise<boolean> =>
      postgres.judging(async () => {
        const known = await isKnown(postgres);
        if (!known) await postgres.query("INSERT INTO public.payment VALUES ('the same')");
        await meanwhile();
        return known;
      });
    const waits =
      "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let later: Promise<boolean> | undefined;
    const first = await judge(one, async () => {
      later = judge(other, () => Promise.resolve());
      await until("the other waits", async () => (await plainly(url, waits)).length > 0);
    });
    expect([first, await later]).toEqual([false, true]);
  });

  test("a wait for a standby is cancelled, and warnings are not wanted → the commit is not believed", async () => {
    const server = await ownServer();
    await plainly(server.url, "ALTER DATABASE postgres SET client_min_messages = 'error'");
    const postgres = await opened(server.url);
    await postgres.query("CREATE TABLE public.went (row int)");
    await plainly(server.url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await plainly(server.url, "SELECT pg_reload_conf()");
    await until("the server wants a standby", async () => {
      const [found] = (await plainly(server.url, "SHOW synchronous_standby_names")) as {
        synchronous_standby_names: string;
      }[];
      return found?.synchronous_standby_names === "nobody";
    });
    const writing = postgres.write(() => postgres.query("INSERT INTO public.went VALUES (1)"));
    const refused = expect(writing).rejects.toMatchObject({ reason: "server_lost_commit" });
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    await until("the commit waits", async () => (await plainly(server.url, cancel)).length > 0);
    await refused;
  });

  test("a database in LATIN1 → nothing is sent by it", async () => {
    const url = await freshDatabase();
    const name = `latin1_${randomBytes(4).toString("hex")}`;
    await plainly(url, `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'`);
    onTestFinished(() => plainly(url, `DROP DATABASE ${name} WITH (FORCE)`).then(() => undefined));
    const latin1 = Object.assign(new URL(url), { pathname: name }).href;
    await expect(sender(latin1)).rejects.toMatchObject({
      reason: "server_encoding",
      message: expect.stringContaining("LATIN1") as string,
    });
  });

  test("a standby → waited for, and gone on with when it is the primary", async () => {
    const server = await ownServer();
    server.stopHard();
    server.startAsStandby();
    const told: string[] = [];
    const sight = new Sight(({ code, found }) => void told.push(`${code}: ${found}`));
    const waiting = { isPatient: true, sight };
    const opening = openPostgres({
      stateDir: temporaryDirectory(),
      url: server.url,
      isSender: true,
      journalKey: randomBytes(32),
      waiting,
    });
    await until("it says that it waits", () => told.length > 0);
    await plainly(server.url, "SELECT pg_promote()");
    const store = await opening;
    expect(told.map((one) => one.split(":")[0])).toEqual(["server_gone", "server_back"]);
    expect(told[0]).toContain("it is a standby just now");
    await store.close();
    // a person's act says so instead
    server.stopHard();
    server.startAsStandby();
    const act = openPostgres({ stateDir: temporaryDirectory(), url: server.url, journalKey: randomBytes(32) });
    await expect(act).rejects.toMatchObject({ reason: "server_away", facts: { found: "it is a standby just now" } });
  }, 120_000);

  test("a role that may have one connection → it waits for itself not at all", async () => {
    const url = await freshDatabase();
    const role = `role_${randomBytes(4).toString("hex")}`;
    await plainly(url, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 1`);
    const postgres = await Postgres.open({ url: Object.assign(new URL(url), { username: role }).href });
    onTestFinished(() => postgres.close());
    const all = Array.from({ length: 20 }, (_, at) => postgres.query("SELECT $1::int AS at", at));
    expect(await Promise.all(all)).toHaveLength(20);
  });
});

describePooled("a pooler before the server", () => {
  test.each(["transaction", "statement"] as const)("%s mode → nothing is sent by it", async (mode) => {
    const url = await startPooler(await freshDatabase(), mode, 20, onTestFinished);
    await expect(sender(url)).rejects.toMatchObject({ reason: "server_pooled" });
  });

  test("session mode → as without it", async () => {
    const url = await startPooler(await freshDatabase(), "session", 20, onTestFinished);
    const store = await sender(url);
    expect(await store.judging(() => store.batches({}))).toEqual([]);
    await store.close();
  });
});

describePostgres("time and version", () => {
  test("another version of paydrop is at work → this host does not begin", async () => {
    const url = await freshDatabase();
    const journalKey = randomBytes(32);
    const store = await openPostgres({ stateDir: temporaryDirectory(), url, isSender: true, journalKey });
    onTestFinished(() => store.close());
    const postgres = await opened(url);
    await postgres.query("UPDATE host SET version = '0.0.9', name = 'pay7'");
    const other = openPostgres({ stateDir: temporaryDirectory(), url, isSender: true, journalKey });
    await expect(other).rejects.toMatchObject({ reason: "host_other_version", facts: { host: "pay7" } });
    expect(await postgres.query("SELECT count(*) FROM host")).toEqual([{ count: 1 }]);
  });
});
