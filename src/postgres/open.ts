import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { PaydropError } from "../errors.ts";
import { claimsOf, takeOver } from "./claims.ts";
import { Seal } from "./copies.ts";
import { bePresent, hostsOf } from "./hosts.ts";
import { Postgres, quoted, type PostgresOptions } from "./postgres.ts";
import { addAct, batches, folders, overlaps, sumsOfDay } from "./batches.ts";
import { copied, purge } from "./purge.ts";
import { dropRecordings, recordingOf } from "./recording.ts";
import { acts, beginRun, endRun, facts, heldFolders, holdFolder, move, rows, runs, sourceOf } from "./rows.ts";
import { FUNCTIONS, POSTGRES_SCHEMA, POSTGRES_VERSION, TABLES } from "./schema.ts";
import { compared } from "./compared.ts";
import { seen } from "./seen.ts";
import { keepsSessions } from "./server-session.ts";
import { checkServer } from "./same-server.ts";
import { stateIdOf } from "../sqlite/schema.ts";
import { Committer } from "./shares.ts";
import { MOVE_ROWS } from "../journal/states.ts";
import type { JournalStore, Kept, KeptKind, Who } from "../journal/store.ts";
import { Trust, trustServer } from "./trust.ts";
import { Witness } from "./witness.ts";

/** The calls of the store that need nothing but the server. */
const CALLS = {
  ...{ batches, folders, rows, seen, compared, overlaps, sumsOfDay, move, beginRun, endRun, runs, acts },
  ...{ sourceOf, heldFolders, holdFolder, keep, kept, purge, copied },
} as const satisfies Readonly<Record<string, Called>>;
type Called = (postgres: Postgres, ...values: never[]) => unknown;

export interface SharedOptions extends PostgresOptions {
  /** `PAYDROP_JOURNAL_KEY`: 32 bytes. */
  readonly journalKey: Buffer;
  /** Where it is noted what the server has confirmed. */
  readonly stateDir: string;
  /** Who accepts that the server has forgotten commits (I12). */
  readonly lossAcceptedBy?: Who | undefined;
  /** With it: rows that were rejected for one of these reasons are sent by the next run, and may have gone. */
  readonly rejectedFor?: readonly string[] | undefined;
}

const { version: VERSION } = createRequire(import.meta.url)("paydrop/package.json") as { version: string };
const MAKING_LOCK = 7_210_002;
const KEY_SECRET = "key secret";

/**
 * The journal that several hosts share (README §13); its tables are made where there are none. Rejects with PaydropError where
 * the server cannot be reached, could lose what it confirms, or has another key or version: nothing may be sent then.
 */
export async function openPostgres(options: SharedOptions): Promise<JournalStore> {
  const { isTrial = false, isSender = false, journalKey, lossAcceptedBy: who, rejectedFor = [] } = options;
  const postgres = await Postgres.open(options);
  if (isSender && !isTrial) postgres.sight.begin();
  try {
    const seal = new Seal(journalKey);
    await checkServer(postgres);
    if (isSender && !(await keepsSessions(postgres))) throw new PaydropError("server_pooled");
    await makeTables(postgres, seal);
    let identity = await identityOf(postgres, seal, serverIn(options.url));
    const me = `${hostname()}:${process.pid}:${randomBytes(3).toString("hex")}`;
    const witness = new Witness(options.stateDir, identity.stateId);
    const trust = new Trust(postgres, witness, me);
    if (isSender && !isTrial) await trust.look(who && { who, rejectedFor });
    const committer = new Committer(postgres, me, trust);
    const together = { postgres, seal, committer, me, trust, leases: new Set<string>() };
    const leave = isSender && !isTrial ? await bePresent(together, hostname(), VERSION) : undefined;
    // an earlier journal may have come here just then; it comes nowhere where somebody is present
    if (leave) identity = await identityOf(postgres, seal, serverIn(options.url));
    const calls = Object.entries<Called>(CALLS).map(([name, call]) => [
      name,
      (...values: never[]) => call(postgres, ...values),
    ]);
    return {
      ...(Object.fromEntries(calls) as Pick<JournalStore, keyof typeof CALLS>),
      ...recordingOf(postgres, me),
      facts: async (folder) => ({ ...(await facts(postgres, folder)), ...identity }),
      judging: (work) => postgres.judging(work),
      now: () => postgres.now(),
      async recover(who) {
        const unknown = await takeOver(postgres, who);
        await dropRecordings(postgres);
        return { unknown };
      },
      ...claimsOf(together),
      commit: (all) => committer.commit(all),
      backup: () => Promise.reject(new PaydropError("server_no_backup")),
      hosts: hostsOf(together),
      async close() {
        committer.close();
        await leave?.();
        witness.close();
        await postgres.close();
      },
    };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

/** What is kept beside payments (README §14), as JSON. */
async function keep(postgres: Postgres, ...[kind, name, value, act]: Parameters<JournalStore["keep"]>): Promise<void> {
  await postgres.write(async () => {
    const sql = `INSERT INTO kept (kind, name, value) VALUES ($1, $2, $3)
      ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value`;
    if (value) await postgres.query(sql, kind, name, JSON.stringify(value));
    else await postgres.query("DELETE FROM kept WHERE kind = $1 AND name = $2", kind, name);
    if (act) await addAct(postgres, act);
  });
}

function kept<T extends object>(postgres: Postgres, kind: KeptKind, name?: string): Promise<Kept<T>[]> {
  const sql = "SELECT name, value FROM kept WHERE kind = $1 AND ($2::text IS NULL OR name = $2) ORDER BY name";
  return postgres.query(sql, kind, name ?? null);
}

/** `pay-db.example/paydrop`, without user name and password. */
export function serverIn(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** One process makes the tables; all others find them. Gives whether it has made them. `secret`: of the keyed hashes. */
export async function makeTables(postgres: Postgres, seal: Seal, secret: Buffer = randomBytes(32)): Promise<boolean> {
  if (await isMade(postgres)) return false;
  const server = await checkServer(postgres);
  return postgres.write(async () => {
    if (await isMade(postgres, { isToWait: true })) return false;
    await postgres.query(`CREATE SCHEMA IF NOT EXISTS ${POSTGRES_SCHEMA}`);
    await postgres.query(quoted(`${TABLES} ${MOVE_ROWS} ${FUNCTIONS}`));
    const own = { version: String(POSTGRES_VERSION), fingerprint: seal.fingerprint, ...sealedSecret(seal, secret) };
    for (const [key, value] of Object.entries(own))
      await postgres.query("INSERT INTO meta (key, value) VALUES ($1, $2)", key, value);
    await trustServer(postgres, server);
    return true;
  });
}

/** `isToWait`: for whoever makes them now, to the end of the transaction. */
export async function isMade(postgres: Postgres, { isToWait = false } = {}): Promise<boolean> {
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
