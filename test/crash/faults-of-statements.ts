import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { canMount, smallDisk } from "../support/small-disk.ts";
import type { Faults } from "./server-faults.ts";
import { ROLE, type Site } from "./site.ts";

const TABLES = ["share", "rows"] as const;

/** Of hosts: what they do in the journal, and what waits for a lock there. */
const OURS = `datname = current_database() AND usename = '${ROLE}' AND pid <> pg_backend_pid()`;
const WAITING = `${OURS} AND wait_event_type = 'Lock' AND query LIKE '%commit_shares(%'`;
const ACTIVE = `${OURS} AND state = 'active'`;

/** A table of the journal is locked by somebody else for so long; `meanwhile` again and again. */
async function locked(
  site: Site,
  ms: number,
  meanwhile: (client: Client) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const table = TABLES[Math.floor(site.random() * TABLES.length)] ?? "share";
  await site.as(async (client) => {
    await client.query(`BEGIN; LOCK TABLE paydrop.${table} IN EXCLUSIVE MODE`);
    for (const until = performance.now() + ms; performance.now() < until; await sleep(50)) await meanwhile(client);
    await client.query("ROLLBACK");
  });
}

/** Again and again, to whatever of the hosts it finds. */
async function often(site: Site, ms: number, everyMs: number, sql: string): Promise<void> {
  await site.as(async (client) => {
    for (const until = performance.now() + ms; performance.now() < until; await sleep(site.random() * 2 * everyMs))
      await client.query(sql);
  });
}

/** For a while the database does something else than ever; its sessions know of it. */
async function altered(site: Site, ms: number, change: string, back: string, isForNewSessions = true): Promise<void> {
  await site.ask(change);
  if (isForNewSessions) await site.ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OURS}`);
  await sleep(ms);
  await site.ask(back);
  if (isForNewSessions) await site.ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OURS}`);
}

const ofRole =
  (setting: string, value: string) =>
  (site: Site): Promise<unknown> =>
    site.ask(`ALTER ROLE ${ROLE} SET ${setting} = '${value}'`);

/** Its database lies on a disk that has not much more room than it needs. */
async function onSmallDisk(site: Site): Promise<void> {
  const disk = smallDisk(DISK_KB, (work) => site.atTheEnd(work));
  site.atTheEnd(() => site.server.stopHard());
  const folder = site.ownedByServer(join(disk, "tablespace"));
  await site.ask(`CREATE TABLESPACE small LOCATION '${folder}'`, "postgres");
  await site.ask(`ALTER DATABASE ${site.database} SET TABLESPACE small`, "postgres");
  site.disk = disk;
}

async function filled(site: Site): Promise<void> {
  const file = join(site.disk, "filler");
  try {
    for (const until = performance.now() + site.between(1_500, 4_000); performance.now() < until; await sleep(100)) {
      const { bavail, bsize } = statfsSync(site.disk);
      writeFileSync(file, Buffer.alloc(bavail * bsize), { flag: "a" });
    }
  } finally {
    rmSync(file, { force: true });
  }
}

/** Its journal takes a third of it. */
const DISK_KB = 60_000;

const TRIGGER = `CREATE FUNCTION public.refuses() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN IF NEW.row % 7 = 0 THEN RAISE EXCEPTION 'an audit refuses'; END IF; RETURN NEW; END $$;
  CREATE TRIGGER audit BEFORE UPDATE ON paydrop.rows FOR EACH ROW EXECUTE FUNCTION public.refuses()`;

/** The server refuses a statement: nothing that was let go goes again by it. */
export const FAULTS_OF_STATEMENTS: Faults = {
  "commit cancelled": {
    what: "commits that wait for a lock are cancelled",
    strike: (site) =>
      site.strike(() =>
        locked(site, site.between(800, 2_500), (client) =>
          client.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${WAITING}`),
        ),
      ),
  },
  "commit terminated": {
    what: "sessions whose commit waits for a lock are ended",
    strike: (site) =>
      site.strike(() =>
        locked(site, site.between(800, 2_500), (client) =>
          client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${WAITING}`),
        ),
      ),
  },
  "anything cancelled": {
    what: "whatever hosts ask is cancelled now and then",
    strike: (site) =>
      site.strike(() => often(site, 3_000, 10, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${ACTIVE}`)),
  },
  "anything terminated": {
    what: "sessions of hosts are ended now and then",
    strike: (site) =>
      site.strike(() =>
        often(site, 3_000, 150, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ACTIVE}`),
      ),
  },
  "lock timeout": {
    what: "the role has a lock_timeout, and somebody locks a table",
    before: ofRole("lock_timeout", "200ms"),
    strike: (site) => site.strike(() => locked(site, site.between(500, 2_500))),
  },
  "statement timeout": {
    what: "the role has a statement_timeout, and somebody locks a table",
    before: ofRole("statement_timeout", "300ms"),
    strike: (site) => site.strike(() => locked(site, site.between(500, 2_500))),
  },
  "lock of a table": {
    what: "somebody locks a table and gives it back",
    isHarmless: true,
    strike: (site) => site.strike(() => locked(site, site.between(500, 3_000))),
  },
  "lock beyond the lease": {
    what: "somebody locks a table for longer than a lease",
    strike: (site) => site.strike(() => locked(site, 8_000)),
  },
  "trigger raises": {
    what: "a trigger of somebody else refuses rows for a while",
    strike: (site) =>
      site.strike(() =>
        altered(site, site.between(1_000, 3_000), TRIGGER, "DROP FUNCTION public.refuses() CASCADE", false),
      ),
  },
  "read only": {
    what: "the role may only read for a while",
    strike: (site) =>
      site.strike(() =>
        altered(
          site,
          site.between(1_000, 3_000),
          `ALTER ROLE ${ROLE} SET default_transaction_read_only = on`,
          `ALTER ROLE ${ROLE} RESET default_transaction_read_only`,
        ),
      ),
  },
  "rights taken": {
    what: "the role may not change shares for a while",
    strike: (site) =>
      site.strike(() =>
        altered(
          site,
          site.between(1_000, 3_000),
          `REVOKE UPDATE ON paydrop.share FROM ${ROLE}`,
          `GRANT UPDATE ON paydrop.share TO ${ROLE}`,
          false,
        ),
      ),
  },
  "tablespace full": {
    what: "the disk of the database is full for a while",
    lacks: () => (canMount ? undefined : "this user may not mount a small disk"),
    before: onSmallDisk,
    strike: (site) => site.strike(() => filled(site)),
  },
};
