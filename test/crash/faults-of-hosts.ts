import { setTimeout as sleep } from "node:timers/promises";
import type { KeptHost } from "./kept-host.ts";
import type { Faults } from "./server-faults.ts";
import { SITE_LEASE_MS, type Site } from "./site.ts";

const one = (site: Site): KeptHost => site.hosts[Math.floor(site.random() * site.hosts.length)] as KeptHost;
const beyond = (site: Site): number => SITE_LEASE_MS + site.between(1_000, 2_500);

function signalled(hosts: readonly KeptHost[], signal: NodeJS.Signals): Promise<void> {
  for (const host of hosts) host.signal(signal);
  return Promise.resolve();
}

const killed = (site: Site, hosts: readonly KeptHost[]): Promise<void> =>
  site.strike(() => signalled(hosts, "SIGKILL"));

async function stopped(site: Site, ms: number): Promise<void> {
  const host = one(site);
  await site.strike(async () => {
    host.signal("SIGSTOP");
    await sleep(ms);
    host.signal("SIGCONT");
  });
}

async function cutOff(site: Site, ms: number): Promise<void> {
  const way = site.ways[Math.floor(site.random() * site.ways.length)];
  await site.strike(async () => {
    way?.cutOff();
    await sleep(ms);
    way?.forwardAgain();
  });
}

/** What happens to hosts and to their way to the server. */
export const FAULTS_OF_HOSTS: Faults = {
  "host killed": {
    what: "a host is killed",
    strike: (site) => killed(site, [one(site)]),
  },
  "all hosts killed": {
    what: "all hosts are killed",
    strike: (site) => killed(site, site.hosts),
  },
  "host stopped": { what: "a host stands still", strike: (site) => stopped(site, site.between(500, 3_000)) },
  "host stopped for long": {
    what: "a host stands still for longer than a lease",
    strike: (site) => stopped(site, beyond(site)),
  },
  "host asked to end": {
    what: "a host is asked to end and begins again",
    isHarmless: true,
    strike: (site) => signalled([one(site)], "SIGTERM"),
  },
  "asked to end, server still": {
    what: "the server stands still, and a host is asked to end",
    async strike(site) {
      const host = one(site);
      await site.strike(async () => {
        site.server.pause();
        const tookMs = await Promise.race([host.end(20_000), sleep(20_000, Infinity)]);
        site.server.resume();
        host.keep();
        if (tookMs > END_MS)
          site.notices.push(`a host (${host.operands[0] ?? ""}) did not end within ${END_MS / 1_000} s`);
      });
    },
  },
  "way cut off": {
    what: "a host has no way to the server for a while",
    strike: (site) => cutOff(site, site.between(500, 3_000)),
  },
  "way cut off for long": {
    what: "a host has no way to the server for longer than a lease",
    strike: (site) => cutOff(site, beyond(site)),
  },
  "all ways cut off": {
    what: "no host has a way to the server",
    async strike(site) {
      await site.strike(async () => {
        for (const way of site.ways) way.cutOff();
        await sleep(site.between(500, 9_000));
        for (const way of site.ways) way.forwardAgain();
      });
    },
  },
  "connections lost": {
    what: "all connections of hosts end, again and again",
    isHarmless: true,
    async strike(site) {
      for (let time = 0; time < 10; time += 1) {
        site.pointAll();
        await sleep(site.between(50, 500));
      }
    },
  },
  "answers swallowed": {
    what: "answers of commits are lost with their connections",
    isHarmless: true,
    async strike(site) {
      for (let time = 0; time < 4; time += 1)
        await Promise.race([Promise.all(site.ways.map((way) => way.swallowCommit())), sleep(site.between(300, 1_000))]);
    },
  },
};

const END_MS = 10_000;
