import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import type { Client } from "pg";
import { PaydropError } from "../errors.ts";
import { Seal } from "./copies.ts";
import { bePresent, hostsOf } from "./hosts.ts";
import { ask, Postgres, quoted, type PostgresOptions } from "./postgres.ts";
import * as batches from "./postgres-batches.ts";
import * as rows from "./postgres-rows.ts";
import { FUNCTIONS, POSTGRES_SCHEMA, POSTGRES_VERSION, TABLES } from "./postgres-schema.ts";
import { seen } from "./postgres-seen.ts";
import { stateIdOf } from "./schema.ts";
import { Committer, LEASE } from "./shares.ts";
import { MOVE_ROWS } from "./states.ts";
import type { JournalStore } from "./store.ts";

const { setBatch, dropBatch, batches: find, overlaps, sumsOfDay, purge } = batches;
const {
  addRows,
  endRows,
  rows: findRows,
  move,
  beginRun,
  endRun,
  runs,
  acts,
  sourceOf,
  heldFolders,
  holdFolder,
} = rows;
/** The calls of the store that need nothing but the server. */
const CALLS = {
  ...{ setBatch, dropBatch, batches: find, overlaps, sumsOfDay, purge, addRows, endRows, rows: findRows, move },
  ...{ seen, beginRun, endRun, runs, acts, sourceOf, heldFolders, holdFolder },
} as const satisfies Readonly<Record<string, Called>>;
type Called = (postgres: Postgres, ...values: never[]) => unknown;

export interface SharedOptions extends PostgresOptions {
  /** `PAYDROP_JOURNAL_KEY`: 32 bytes. */
  readonly journalKey: Buffer;
}

const { version: VERSION } = createRequire(import.meta.url)("paydrop/package.json") as { version: string };
const MAKING_LOCK = 7_210_002;
const POSTGRES_MIN = 14;
const KEY_SECRET = "key secret";

/**
 * The journal that several hosts share (DESIGN §13); its tables are made where there are none. Rejects with PaydropError where
 * the server cannot be reached, could lose what it confirms, or has another key or version: nothing may be sent then.
 */
export async function openPostgres(options: SharedOptions): Promise<JournalStore> {
  const { isTrial = false, isSender = false, journalKey } = options;
  const postgres = await Postgres.open(options);
  try {
    const seal = new Seal(journalKey);
    const server = await checkServer(postgres);
    await makeTables(postgres, seal);
    let identity = await identityOf(postgres, seal, serverIn(options.url));
    const me = `${hostname()}:${process.pid}:${randomBytes(3).toString("hex")}`;
    const committer = new Committer(postgres, me, (client) => assertSame(client, server));
    const together = { postgres, seal, committer, me };
    const leave = isSender && !isTrial ? await bePresent(together, hostname(), VERSION) : undefined;
    // an earlier journal may have come here just then; it comes nowhere where somebody is present
    if (leave) identity = await identityOf(postgres, seal, serverIn(options.url));
    const takeOver = (who: object): Promise<{ batch: string; row: number }[]> =>
      postgres.write(() =>
        postgres.query("SELECT * FROM take_over($1, $2, $3)", JSON.stringify(who), Date.now(), LEASE),
      );
    const store = Object.fromEntries(
      Object.entries<Called>(CALLS).map(([name, call]) => [name, (...values: never[]) => call(postgres, ...values)]),
    ) as unknown as Pick<JournalStore, keyof typeof CALLS>;
    return {
      ...store,
      addBatch: (batch) => batches.addBatch(postgres, batch, me),
      facts: async (folder) => ({ ...(await rows.facts(postgres, folder)), ...identity }),
      judging: (work) => postgres.judging(work),
      async recover(who) {
        const unknown = await takeOver(who);
        await batches.dropRecordings(postgres);
        return { unknown };
      },
      commit: () => Promise.reject(new Error("rows of a shared journal leave by shares")),
      backup: () => Promise.reject(new PaydropError("server_no_backup")),
      hosts: hostsOf(together, () => takeOver({ login: "paydrop", host: me })),
      async close() {
        committer.close();
        await leave?.();
        await postgres.close();
      },
    };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

/** `pay-db.example/paydrop`, without user name and password. */
export function serverIn(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

interface Server {
  readonly system: string;
  readonly timeline: number;
}

/** What a server must be for what it confirms to stay (I2); more is told by `paydrop doctor`. */
export async function checkServer(postgres: Postgres): Promise<Server> {
  const found = await postgres.query<{ name: string; setting: string; reset: string }>(
    `SELECT name, setting, reset_val AS reset FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'server_version', 'server_version_num')`,
  );
  const settings = new Map(found.map(({ name, reset }) => [name, reset]));
  const number = Number(settings.get("server_version_num"));
  if (number < POSTGRES_MIN * 10_000) throw new PaydropError("server_too_old", { found: settings.get("server_version"), needed: POSTGRES_MIN }); // prettier-ignore
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) {
    const todo = `Set ${name} = on in its configuration, for this database and this user, and restart it.`;
    if (settings.get(name) === "off") throw new PaydropError("server_unsafe", { found: `${name} = off`, todo });
  }
  const client = await postgres.take();
  try {
    return await serverOf(client);
  } finally {
    postgres.give(client);
  }
}

async function serverOf(client: Client): Promise<Server> {
  const sql = `SELECT system_identifier::text AS system, timeline_id AS timeline, pg_is_in_recovery() AS standby
    FROM pg_control_system(), pg_control_checkpoint()`;
  const { rows: found } = await ask(client, sql, []);
  const [{ standby, ...server }] = found as [Server & { standby: boolean }];
  const todo = "Name the primary server in PAYDROP_JOURNAL_URL.";
  if (standby) throw new PaydropError("server_unsafe", { found: "it is a standby", todo });
  return server;
}

/** After a connection was lost: another server may have taken the place of the one that confirmed our last commits (I12). */
async function assertSame(client: Client, server: Server): Promise<void> {
  const { system, timeline } = await serverOf(client);
  const names = await ask(client, "SHOW synchronous_standby_names", []);
  const isSynchronous = (names.rows[0] as Record<string, string>)["synchronous_standby_names"] !== "";
  if (system !== server.system) throw new PaydropError("server_lost_commit", { found: "it is another server" });
  if (timeline !== server.timeline && !isSynchronous)
    throw new PaydropError("server_lost_commit", { found: `its timeline was ${server.timeline} and is ${timeline}` });
}

/** One process makes the tables; all others find them. Gives whether it has made them. `secret`: of the keyed hashes. */
export async function makeTables(postgres: Postgres, seal: Seal, secret: Buffer = randomBytes(32)): Promise<boolean> {
  if (await isMade(postgres)) return false;
  return postgres.write(async () => {
    if (await isMade(postgres, true)) return false;
    await postgres.query(`CREATE SCHEMA IF NOT EXISTS ${POSTGRES_SCHEMA}`);
    await postgres.query(quoted(`${TABLES} ${MOVE_ROWS} ${FUNCTIONS}`));
    const meta = { version: String(POSTGRES_VERSION), fingerprint: seal.fingerprint, ...sealedSecret(seal, secret) };
    for (const [key, value] of Object.entries(meta))
      await postgres.query("INSERT INTO meta (key, value) VALUES ($1, $2)", key, value);
    return true;
  });
}

/** `isToWait`: for whoever makes them now, to the end of the transaction. */
export async function isMade(postgres: Postgres, isToWait = false): Promise<boolean> {
  if (isToWait) await postgres.query("SELECT pg_advisory_xact_lock($1)", MAKING_LOCK);
  const sql = "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'meta'";
  return (await postgres.get(sql, POSTGRES_SCHEMA)) !== undefined;
}

/** With the fingerprint of the key that the hashes are made with. Rejects with PaydropError for another key or version. */
export async function identityOf(postgres: Postgres, seal: Seal, server: string) {
  const found = await postgres.query<{ key: string; value: string }>("SELECT key, value FROM meta");
  const meta = new Map(found.map(({ key, value }) => [key, value]));
  const version = meta.get("version");
  if (version !== String(POSTGRES_VERSION))
    throw new PaydropError("journal_other_version", { server, version, own: POSTGRES_VERSION });
  if (meta.get("fingerprint") !== seal.fingerprint) throw new PaydropError("journal_other_key", { server });
  const keySecret = seal.open(Buffer.from(meta.get("keySecret") ?? "", "base64"), KEY_SECRET).toString("hex");
  return { keySecret, stateId: stateIdOf(keySecret) };
}

/** The secret of the keyed hashes lies in the database only sealed. */
export function sealedSecret(seal: Seal, secret: Buffer): Readonly<Record<"keySecret", string>> {
  return { keySecret: seal.close(secret, KEY_SECRET).toString("base64") };
}
