import type { Client } from "pg";
import { PaydropError } from "../errors.ts";
import { addAct } from "./postgres-batches.ts";
import { ask, type Postgres } from "./postgres.ts";
import type { Who } from "./store.ts";

const POSTGRES_MIN = 14;

/** Which server confirms commits: another one, or one that took over from it, may have forgotten rows that went (I12). */
export interface Server {
  readonly system: string;
  readonly timeline: number;
  /** A standby takes over only with all that was confirmed. */
  readonly isSynchronous: boolean;
}

/** What a server must be for what it confirms to stay (I2); more is told by `paydrop doctor`. */
export async function checkServer(postgres: Postgres): Promise<Server> {
  const found = await postgres.query<{ name: string; reset: string }>(
    `SELECT name, reset_val AS reset FROM pg_settings
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

/** The timeline by what is written now: for a while after a standby took over its control file still names the old one. */
const SERVER = `SELECT system_identifier::text AS system, pg_is_in_recovery() AS standby,
  current_setting('synchronous_standby_names') <> '' AS isSynchronous,
  CASE WHEN NOT pg_is_in_recovery() THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline
  FROM pg_control_system()`;

async function serverOf(client: Client): Promise<Server> {
  const [{ standby, ...server }] = (await ask(client, SERVER, [])).rows as [Server & { standby: boolean }];
  const todo = "Name the primary server in PAYDROP_JOURNAL_URL.";
  if (standby) throw new PaydropError("server_unsafe", { found: "it is a standby", todo });
  return server;
}

/** After a connection was lost: another server may have taken the place of the one that confirmed our last commits. */
export async function assertSame(client: Client, known: Server): Promise<void> {
  const lost = lossOf(known, await serverOf(client));
  if (lost !== undefined) throw new PaydropError("server_lost_commit", { found: lost });
}

/** Of the journal: which server confirmed what is in it. */
export const serverMeta = ({ system, timeline }: Server) => ({ system, timeline: String(timeline) });

/**
 * The same after a restart of ours: the journal itself names its server. A person's word makes the new one its server, and
 * is an act. Every sender asks, one after the other.
 */
export function assertKnown(postgres: Postgres, server: Server, lossAcceptedBy: Who | undefined): Promise<void> {
  return postgres.write(async () => {
    const sql = "SELECT key, value FROM meta WHERE key IN ('system', 'timeline') ORDER BY key FOR UPDATE";
    const meta = new Map((await postgres.query<{ key: string; value: string }>(sql)).map(({ key, value }) => [key, value])); // prettier-ignore
    const [system = "", timeline] = [meta.get("system"), Number(meta.get("timeline"))];
    if (system === server.system && timeline === server.timeline) return;
    const found = lossOf({ system, timeline }, server);
    if (found !== undefined && !lossAcceptedBy) throw new PaydropError("server_lost_commit", { found });
    for (const [key, value] of Object.entries(serverMeta(server)))
      await postgres.query("UPDATE meta SET value = $2 WHERE key = $1", key, value);
    if (found !== undefined && lossAcceptedBy)
      await addAct(postgres, { ...lossAcceptedBy, at: postgres.now(), kind: "accept_lost_journal", note: found });
  });
}

/**
 * What the server has lost of what it had confirmed, as far as the journal tells; undefined: nothing, or a person has accepted
 * it. For whoever only looks: a sender is refused.
 */
export async function lossSeen(postgres: Postgres, server: Server): Promise<string | undefined> {
  const sql = "SELECT key, value FROM meta WHERE key IN ('system', 'timeline')";
  const found = await postgres.query<{ key: string; value: string }>(sql);
  const meta = new Map(found.map(({ key, value }) => [key, value]));
  return lossOf({ system: meta.get("system") ?? "", timeline: Number(meta.get("timeline")) }, server);
}

function lossOf(known: Pick<Server, "system" | "timeline">, found: Server): string | undefined {
  if (found.system !== known.system) return "it is another server";
  if (found.timeline === known.timeline || found.isSynchronous) return undefined;
  return `its timeline was ${known.timeline} and is ${found.timeline}`;
}
