import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { whereIs } from "../support/needs.ts";
import { smallDisk } from "../support/small-disk.ts";
import type { Faults } from "./server-faults.ts";
import { ROLE, type Site } from "./site.ts";

const TABLES = ["share", "rows"] as const;

/** Of hosts: what they do in the journal, and what waits for a lock there. */
const OURS = `datname = current_database() AND usename = '${ROLE}' AND pid <> pg_backend_pid()`;
const WAITING = `FROM pg_stat_activity WHERE ${OURS} AND wait_event_type = 'Lock' AND query LIKE '%commit_shares(%'`;
const ACTIVE = `FROM pg_stat_activity WHERE ${OURS} AND state = 'active'`;
const ENDS_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OURS}`;

/** A table of the journal is locked by somebody else for so long; `meanwhile` again and again. */
async function locked(site: Site, least: number, most: number, meanwhile = "SELECT 1"): Promise<void> {
  const table = TABLES[Math.floor(site.random() * TABLES.length)] ?? "share";
  await site.strike(() =>
    site.as(async (client) => {
      await client.query(`BEGIN; LOCK TABLE paydrop.${table} IN EXCLUSIVE MODE`);
      await site.again(site.between(least, most), 50, () => client.query(meanwhile));
      await client.query("ROLLBACK");
    }),
  );
}

/** To whatever of the hosts it finds. */
function often(site: Site, ms: number, everyMs: number, sql: string): Promise<void> {
  return site.strike(() => site.as((client) => site.again(ms, everyMs, () => client.query(sql))));
}

/** For a while the database does something else than ever. `sessions`: begin anew, so that they know of it. */
async function altered(site: Site, change: string, back: string, sessions = ""): Promise<void> {
  await site.strike(async () => {
    await site.ask(change);
    await site.ask(sessions);
    await sleep(site.between(1_000, 3_000));
    await site.ask(back);
    await site.ask(sessions);
  });
}

const ofRole =
  (setting: string, value: string) =>
  (site: Site): Promise<unknown> =>
    site.ask(`ALTER ROLE ${ROLE} SET ${setting} = '${value}'`);

/** Its database lies on a disk that has not much more room than it needs. */
async function onSmallDisk(site: Site): Promise<void> {
  const disk = smallDisk(DISK_KB, (work) => {
    site.atTheEnd(work);
  });
  site.atTheEnd(() => {
    site.server.stopHard();
  });
  const folder = site.ownedByServer(join(disk, "tablespace"));
  await site.ask(`CREATE TABLESPACE small LOCATION '${folder}'`, "postgres");
  await site.ask(`ALTER DATABASE ${site.database} SET TABLESPACE small`, "postgres");
  site.disk = disk;
}

async function filled(site: Site): Promise<void> {
  const file = join(site.disk, "filler");
  const fill = (): Promise<void> => {
    const { bavail, bsize } = statfsSync(site.disk);
    writeFileSync(file, Buffer.alloc(bavail * bsize), { flag: "a" });
    return Promise.resolve();
  };
  await site.again(site.between(1_500, 4_000), 50, fill).finally(() => {
    rmSync(file, { force: true });
  });
}

/** Its journal takes a third of it. */
const DISK_KB = 60_000;

/** Some outcomes are refused, and nothing else is. */
const TRIGGER = `CREATE FUNCTION public.refuses() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN IF NEW.row % 7 = 0 AND NEW.state <> OLD.state THEN RAISE EXCEPTION 'an audit refuses'; END IF; RETURN NEW; END $$;
  CREATE TRIGGER audit BEFORE UPDATE ON paydrop.rows FOR EACH ROW EXECUTE FUNCTION public.refuses()`;

/** The server refuses a statement: nothing that was let go goes again by it. */
export const FAULTS_OF_STATEMENTS: Faults = {
  "commit cancelled": {
    what: "commits that wait for a lock are cancelled",
    strike: (site) => locked(site, 800, 2_500, `SELECT pg_cancel_backend(pid) ${WAITING}`),
  },
  "commit terminated": {
    what: "sessions whose commit waits for a lock are ended",
    strike: (site) => locked(site, 800, 2_500, `SELECT pg_terminate_backend(pid) ${WAITING}`),
  },
  "anything cancelled": {
    what: "whatever hosts ask is cancelled now and then",
    strike: (site) => often(site, 3_000, 60, `SELECT pg_cancel_backend(pid) ${ACTIVE}`),
  },
  "anything terminated": {
    what: "sessions of hosts are ended now and then",
    strike: (site) => often(site, 3_000, 150, `SELECT pg_terminate_backend(pid) ${ACTIVE}`),
  },
  "lock timeout": {
    what: "the role has a lock_timeout, and somebody locks a table",
    before: ofRole("lock_timeout", "600ms"),
    strike: (site) => locked(site, 700, 1_300),
  },
  "statement timeout": {
    what: "the role has a statement_timeout, and somebody locks a table",
    before: ofRole("statement_timeout", "600ms"),
    strike: (site) => locked(site, 700, 1_300),
  },
  "lock of a table": {
    what: "somebody locks a table and gives it back",
    isHarmless: true,
    strike: (site) => locked(site, 500, 3_000),
  },
  "lock beyond the lease": {
    what: "somebody locks a table for longer than a lease",
    strike: (site) => locked(site, 7_500, 9_000),
  },
  "trigger raises": {
    what: "a trigger of somebody else refuses outcomes for a while",
    strike: (site) => altered(site, TRIGGER, "DROP FUNCTION public.refuses() CASCADE"),
  },
  "read only": {
    what: "the role may only read for a while",
    strike: (site) =>
      altered(
        site,
        `ALTER ROLE ${ROLE} SET default_transaction_read_only = on`,
        `ALTER ROLE ${ROLE} RESET default_transaction_read_only`,
        ENDS_SESSIONS,
      ),
  },
  "rights taken": {
    what: "the role may not change rows for a while",
    strike: (site) =>
      altered(site, `REVOKE UPDATE ON paydrop.rows FROM ${ROLE}`, `GRANT UPDATE ON paydrop.rows TO ${ROLE}`),
  },
  "tablespace full": {
    what: "the disk of the database is full for a while",
    lacks: () => (whereIs("mount") ? undefined : "this user may not mount a small disk"),
    before: onSmallDisk,
    strike: (site) => site.strike(() => filled(site)),
  },
};
