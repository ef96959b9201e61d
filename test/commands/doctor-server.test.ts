import { expect, test } from "vitest";
import type { Client } from "pg";
import * as doctor from "../../src/commands/doctor.ts";
import type { findingObject } from "../../src/messages/config.ts";
import { Postgres } from "../../src/postgres/postgres.ts";
import { areSessions } from "../../src/postgres/server-session.ts";
import { called } from "../support/calls.ts";
import { describePostgres, freshDatabase, ownServer } from "../support/postgres.ts";
import { JOURNAL_KEY, sharedDesk } from "../support/shared-desk.ts";
import { temporaryDirectory } from "../support/state-dir.ts";

type Finding = ReturnType<typeof findingObject>;

async function looked(url: string, key = JOURNAL_KEY) {
  const flags = { journal_url: url, state_dir: temporaryDirectory(), json: true, offline: true };
  const { stdout } = await called(doctor.run, { flags, env: { PAYDROP_JOURNAL_KEY: key } });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const ofService = ["PAYDROP_API_KEY", "PAYDROP_AES_KEY", "PAYDROP_AES_IV", "base URL", "state folder"];
  return findings.filter(({ what }) => !ofService.includes(what));
}

const bad = (findings: readonly Finding[]) => findings.filter(({ health }) => health !== "fine");

describePostgres("paydrop doctor on a shared journal", () => {
  test("an empty database → fine, and nothing is made in it", async () => {
    const url = await freshDatabase();
    const findings = await looked(url);
    expect(bad(findings)).toEqual([]);
    expect(findings.map(({ what }) => what)).toEqual([
      "journal server",
      "encoding",
      "fsync",
      "full_page_writes",
      "synchronous_commit",
      "standbys",
      "sessions",
      "connections",
      "server clock",
      "journal",
    ]);
    expect(findings.at(-1)?.found).toMatch(/^made by the first run, with key [0-9a-f]{8}$/);
    const postgres = await Postgres.open({ url });
    expect(await postgres.query("SELECT 1 FROM pg_namespace WHERE nspname = 'paydrop'")).toEqual([]);
    await postgres.close();
  });

  test("a journal → its version and key, and the clock against what it knows", async () => {
    const { url } = await sharedDesk();
    expect((await looked(url)).slice(-2)).toMatchObject([
      { what: "journal", health: "fine" },
      { what: "clock", health: "fine" },
    ]);
    expect(bad(await looked(url, "5f".repeat(32)))).toMatchObject([
      { what: "journal server", found: expect.stringContaining("another PAYDROP_JOURNAL_KEY") as string },
    ]);
  });

  test("a server that can lose commits → which setting, and who said it", async () => {
    const server = await ownServer({ fsync: "off" });
    const postgres = await Postgres.open({ url: server.url });
    await postgres.query("ALTER DATABASE postgres SET synchronous_commit = off");
    await postgres.close();
    expect(bad(await looked(server.url)).map(({ found }) => found.split(".")[0])).toEqual([
      "fsync = off, said by: command line",
      "synchronous_commit = off, said by: database",
    ]);
  });

  test("a standby in LATIN1 with few sessions → all of it is told", async () => {
    const server = await ownServer({ max_connections: "8" });
    const admin = await Postgres.open({ url: server.url });
    await admin.query("CREATE DATABASE old ENCODING 'LATIN1' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'");
    await admin.close();
    server.stopHard();
    server.startAsStandby({ max_connections: "8" });
    expect(bad(await looked(server.urlOf("old"))).map(({ what, found }) => `${what}: ${found}`)).toEqual([
      expect.stringContaining("journal server: this server is a standby"),
      expect.stringContaining("encoding: LATIN1"),
      expect.stringMatching(/^connections: \d of 5 are in use/),
    ]);
  });

  test("no server → says so", async () => {
    expect(bad(await looked("postgres://127.0.0.1:1/none"))).toMatchObject([
      { what: "journal server", health: "wrong" },
    ]);
  }, 20_000);
});

/** A connection that answers with these sessions, one query after the other. */
const connection = (...pids: readonly number[]) => {
  const all = [...pids];
  const query = (sql: string) => Promise.resolve({ rows: /pid/.test(sql) ? [{ pid: all.shift() }] : [] });
  return { query } as unknown as Client;
};

test("a pooler that changes sessions → is noticed", async () => {
  expect(await areSessions(connection(7, 7), connection(8))).toBe(true);
  expect(await areSessions(connection(7, 8), connection(7))).toBe(false);
  expect(await areSessions(connection(7, 9), connection(8))).toBe(false);
});
