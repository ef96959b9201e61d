import { spawn, execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProxy, type Proxy } from "../hosts/postgres-proxy.ts";
import { INSTALLED, type PostgresServer } from "../support/postgres-server.ts";
import { until } from "../support/until.ts";
import type { Fault, Faults } from "./server-faults.ts";
import { ROLE, type Site } from "./site.ts";

interface Standby {
  readonly server: PostgresServer;
  /** Its way to the primary. */
  readonly wire: Proxy;
}

/** Follows the site's server from now on, by a way that can be cut. `names`: `synchronous_standby_names` of its own. */
async function standbyOf(site: Site, name: string, names = ""): Promise<Standby> {
  const primary = site.server;
  const wire = await startProxy(primary.url);
  site.atTheEnd(() => wire.close());
  const follows = `host=127.0.0.1 port=${new URL(wire.url).port} user=postgres application_name=${name}`;
  primary.stopHard();
  const server = await primary.twin(
    site.inServers(name),
    { primary_conninfo: follows, synchronous_standby_names: names },
    true,
  );
  site.servers.push(server);
  primary.start();
  await until(
    `${name} follows`,
    async () =>
      (await site.ask("SELECT 1 FROM pg_stat_replication WHERE application_name = $1", "postgres", name)).length > 0,
  );
  return { server, wire };
}

/** The first server is gone, and this one is it from now on. */
function promoted(site: Site, { server }: Pick<Standby, "server">): void {
  site.server.stopHard();
  server.run("pg_ctl", ["-D", server.data, "-w", "promote"]);
  site.server = server;
}

/** A program that takes its WAL: the least that a server waits for as for a standby. */
function receiver(site: Site): void {
  const folder = site.ownedByServer(site.inServers("wal"));
  const args = ["-D", folder, "-h", "127.0.0.1", "-p", String(site.server.port), "-U", "postgres", "--synchronous"];
  const child = spawn(join(INSTALLED?.bin ?? "", "pg_receivewal"), args, {
    ...INSTALLED?.user,
    cwd: "/",
    stdio: "ignore",
  });
  site.atTheEnd(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
}

const STANDBYS = new WeakMap<Site, Map<string, Standby>>();
const standby = (site: Site, name: string): Standby => {
  const found = STANDBYS.get(site)?.get(name);
  if (!found) throw new Error(`no standby ${name}`);
  return found;
};

/** `names`: of the primary; `own`: of each standby. */
const withStandbys =
  (names: string, own: string, ...all: readonly string[]) =>
  async (site: Site): Promise<void> => {
    STANDBYS.set(site, new Map());
    for (const name of all) STANDBYS.get(site)?.set(name, await standbyOf(site, name, own));
    if (names === "") return;
    await site.ask(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, "postgres");
    await site.ask("SELECT pg_reload_conf()", "postgres");
  };

/** It falls behind for a while, in which rows go. */
async function lags(site: Site, name: string): Promise<void> {
  standby(site, name).wire.cutOff();
  await site.untilMoreGo(site.between(10, 150));
}

/** A standby takes over from a server that is lost; `isLagging`: it has not all of it. */
const failover = (what: string, names: string, own: string, all: readonly string[], isLagging: boolean): Fault => ({
  what,
  ...(isLagging && { losesCommits: true }),
  before: withStandbys(names, own, ...all),
  strike: (site) =>
    site.strike(async () => {
      const name = all.at(-1) ?? "";
      if (isLagging) await lags(site, name);
      await site.away(async () => {
        promoted(site, standby(site, name));
        if (own !== "") receiver(site);
        await site.noteForgotten();
      });
    }),
});

/** A dump of some seconds ago. */
async function dumped(site: Site): Promise<string> {
  const file = join(site.ownedByServer(site.inServers("dump")), "dump");
  site.atTheEnd(() => rmSync(join(file, ".."), { recursive: true, force: true }));
  site.server.run("pg_dump", ["-Fc", "-f", file, site.database]);
  await site.untilMoreGo(site.between(10, 150));
  return file;
}

async function restored(site: Site, file: string, database: string): Promise<void> {
  await site.ask(`CREATE DATABASE ${database} OWNER ${ROLE}`, "postgres");
  site.server.run("pg_restore", ["-d", database, "--role", ROLE, "--no-owner", file]);
}

const ENDED = (database: string): string =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`;

/** Another server is at the same place, or the same one with other data. */
export const FAULTS_OF_SERVERS: Faults = {
  "standby lags": failover("a standby that lags takes over, and nobody waits for standbys", "", "", ["b"], true),
  "standby lags, own names": failover(
    "a standby that lags takes over; its own configuration names a standby that it waits for",
    "",
    "*",
    ["b"],
    true,
  ),
  "quorum's other member": failover(
    "one of two is waited for, and the other one takes over",
    "ANY 1 (a, b)",
    "*",
    ["a", "b"],
    true,
  ),
  "synchronous failover": failover("a standby that has all of it takes over", "b", "*", ["b"], false),
  "wait for standby cancelled": {
    what: "the wait for a standby that is away is cancelled, and then that standby takes over",
    losesCommits: true,
    before: withStandbys("b", "*", "b"),
    strike: (site) =>
      site.strike(async () => {
        const waiting = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        standby(site, "b").wire.cutOff();
        await site.again(1_500, 50, () => site.ask(waiting, "postgres"));
        await site.away(async () => {
          promoted(site, standby(site, "b"));
          receiver(site);
          await site.noteForgotten();
        });
      }),
  },
  "standby away": {
    what: "a standby that is waited for is away for some seconds",
    isHarmless: true,
    before: withStandbys("b", "", "b"),
    async strike(site) {
      standby(site, "b").wire.cutOff();
      await sleep(site.between(1_000, 4_000));
      standby(site, "b").wire.forwardAgain();
    },
  },
  "pointed at a standby": {
    what: "the address leads to a standby for some seconds",
    before: withStandbys("", "", "b"),
    strike: (site) =>
      site.strike(async () => {
        site.pointAll(standby(site, "b").server);
        await sleep(site.between(1_000, 4_000));
        site.pointAll();
      }),
  },
  "dump, other name": {
    what: "a dump of a moment ago is restored beside the journal, and hosts are pointed there",
    losesCommits: true,
    strike: (site) =>
      site.strike(async () => {
        await restored(site, await dumped(site), "other");
        await site.away(async () => {
          site.database = "other";
          await site.noteForgotten();
          for (const { pid } of site.hosts) if (pid > 0) process.kill(pid, "SIGKILL");
        });
      }),
  },
  "dump, same name": {
    what: "a dump of a moment ago takes the journal's place",
    losesCommits: true,
    strike: (site) =>
      site.strike(async () => {
        await restored(site, await dumped(site), "other");
        await site.away(async () => {
          await site.ask(`ALTER DATABASE ${site.database} ALLOW_CONNECTIONS false`, "postgres");
          await site.ask(ENDED(site.database), "postgres");
          await site.ask(`ALTER DATABASE ${site.database} RENAME TO old`, "postgres");
          await site.ask(`ALTER DATABASE other RENAME TO ${site.database}`, "postgres");
          await site.noteForgotten();
        });
      }),
  },
  "copy of the folder": {
    what: "a copy of the server's folder of a moment ago takes its place",
    losesCommits: true,
    strike: (site) =>
      site.strike(async () => {
        const copy = join(site.ownedByServer(site.inServers("copy")), "data");
        site.atTheEnd(() => rmSync(join(copy, ".."), { recursive: true, force: true }));
        site.server.stopHard();
        execFileSync("cp", ["-a", site.server.data, copy]);
        site.server.start();
        await site.untilMoreGo(site.between(10, 150));
        await site.away(async () => {
          site.server.stopHard();
          rmSync(site.server.data, { recursive: true });
          execFileSync("mv", [copy, site.server.data]);
          site.server.start();
          await site.noteForgotten();
        });
      }),
  },
  "stopped hard": {
    what: "the server loses its power and begins again",
    isHarmless: true,
    async strike(site) {
      site.server.stopHard();
      await sleep(site.between(0, 3_000));
      site.server.start();
    },
  },
  "backend killed": {
    what: "one of the server's processes is killed, and all of them begin anew",
    isHarmless: true,
    async strike(site) {
      const [found] = await site.ask<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE usename = '${ROLE}' LIMIT 1`,
      );
      if (found) process.kill(found.pid, "SIGKILL");
      await sleep(1_000);
    },
  },
  "stands still": {
    what: "the server stands still for some seconds",
    isHarmless: true,
    async strike(site) {
      site.server.pause();
      await sleep(site.between(500, 3_500));
      site.server.resume();
    },
  },
  "stands still for long": {
    what: "the server stands still for longer than a lease",
    async strike(site) {
      await site.strike(async () => {
        site.server.pause();
        await sleep(site.between(7_000, 9_000));
        site.server.resume();
      });
    },
  },
  "no connection left": {
    what: "the role may have three connections for a while",
    isHarmless: true,
    async strike(site) {
      await site.ask(`ALTER ROLE ${ROLE} CONNECTION LIMIT 3`);
      await site.ask(ENDED(site.database));
      await sleep(site.between(1_500, 3_500));
      await site.ask(`ALTER ROLE ${ROLE} CONNECTION LIMIT -1`);
    },
  },
};
