import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/until.ts";
import type { Fault, Faults } from "./server-faults.ts";
import { ROLE, type Site } from "./site.ts";

const CLOCK = new URL("moved-clock.ts", import.meta.url).href;
const HINDI = "भुगतान स्वीकार";

const ofRole =
  (...settings: readonly string[]) =>
  async (site: Site): Promise<void> => {
    for (const setting of settings) await site.ask(`ALTER ROLE ${ROLE} SET ${setting}`);
  };

/** Two inboxes get the same payments at one moment: whichever is judged first, the other one waits with what it saw before. */
async function atOnce(site: Site): Promise<void> {
  const second = join(site.folder, "second");
  for (const inbox of [site.inbox, second]) {
    mkdirSync(inbox, { recursive: true });
    await site.keep(["watch", inbox]);
  }
  while (site.hosts.length < site.options.hosts) await site.keep(["work"]);
  const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 7210001";
  await untilHere(site);
  await site.as(async (client) => {
    await client.query("SELECT pg_advisory_lock(7210001)");
    site.putTwin(site.inbox);
    site.putTwin(second);
    await until(
      "both wait to be judged",
      async () => (await client.query(waiting)).rows.length >= 2 || site.hosts.some(({ ends }) => ends.length > 2),
    );
  });
}

async function untilHere(site: Site): Promise<void> {
  const count = async (): Promise<number> => {
    const [found] = await site
      .ask<{ hosts: number }>("SELECT count(*)::int AS hosts FROM paydrop.host")
      .catch(() => []);
    return found?.hosts ?? 0;
  };
  await until(
    "all hosts are here",
    async () => (await count()) >= site.options.hosts || site.hosts.some(({ ends }) => ends.length > 2),
  );
}

const isolated = (level: string): Fault => ({
  what: `the role's transactions are ${level}, and two inboxes get the same payments at one moment`,
  isHarmless: true,
  site: { refusesNone: true },
  before: ofRole(`default_transaction_isolation = '${level}'`),
  begin: atOnce,
  strike: () => Promise.resolve(),
});

/** A host whose clock is wrong gets the same payments in another file, after they went. */
const moved = (days: number): Fault => ({
  what: `the clock of a host is ${days} days off, and it gets payments that went already`,
  isHarmless: true,
  site: { refusesNone: true },
  async begin(site) {
    const second = join(site.folder, "second");
    mkdirSync(second);
    await site.keep(["watch", site.inbox]);
    await site.keep(["watch", second], { PAYDROP_TEST_DAYS_AHEAD: String(days) }, ["--import", CLOCK]);
    while (site.hosts.length < site.options.hosts) await site.keep(["work"]);
    await untilHere(site);
    site.putTwin(site.inbox);
  },
  async strike(site) {
    await until("the first file has gone", () => site.isOver());
    const second = join(site.folder, "second");
    site.putTwin(second);
    // it may judge nothing until its clock is set right
    await until("it is judged", () => site.isOver(), { withinMs: 5_000 }).catch(() => undefined);
    await site.hosts[1]?.end(10_000);
    await site.keep(["watch", second]);
  },
});

/** What the service says cannot be written in every encoding. */
const encoded = (encoding: string): Fault => ({
  what: `the role's client_encoding is ${encoding}, and the service answers in Hindi`,
  isHarmless: true,
  site: { words: HINDI, rows: 300 },
  before: ofRole(`client_encoding = '${encoding}'`),
  strike: () => Promise.resolve(),
});

/** Settings of a server, a database or a role, as somebody may have made them. */
export const FAULTS_OF_SETTINGS: Faults = {
  "repeatable read": isolated("repeatable read"),
  serializable: isolated("serializable"),
  "encoding LATIN1": encoded("LATIN1"),
  "encoding EUC_JP": encoded("EUC_JP"),
  "encoding SQL_ASCII": encoded("SQL_ASCII"),
  "database in LATIN1": {
    what: "the database is in LATIN1, and the service answers in Hindi",
    site: { encoding: "LATIN1", words: HINDI, rows: 300 },
    mayRefuse: true,
    strike: (site) => site.strike(() => Promise.resolve()),
  },
  "odd texts": {
    what: "the role writes dates, bytes and strings in its own way, and looks into another schema",
    isHarmless: true,
    site: { rows: 300 },
    before: ofRole(
      "datestyle = 'German, DMY'",
      "intervalstyle = 'sql_standard'",
      "bytea_output = 'escape'",
      "timezone = 'Asia/Kolkata'",
      "search_path = 'pg_catalog'",
      "extra_float_digits = '-15'",
    ),
    strike: () => Promise.resolve(),
  },
  "idle timeouts": {
    what: "the role's idle sessions and transactions are ended",
    isHarmless: true,
    before: ofRole("idle_session_timeout = '400ms'", "idle_in_transaction_session_timeout = '200ms'"),
    strike: () => Promise.resolve(),
  },
  "commits not durable": {
    what: "the role's synchronous_commit is off",
    mayRefuse: true,
    isHarmless: true,
    before: ofRole("synchronous_commit = off"),
    strike: () => Promise.resolve(),
  },
  "clock ahead": moved(30),
  "clock behind": moved(-30),
};
