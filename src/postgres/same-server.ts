import { PaydropError } from "../errors.ts";
import { SERVER_FOUND } from "../messages/hosts.ts";
import type { Postgres } from "./postgres.ts";

const POSTGRES_MIN = 14;

/** Which server confirms commits: another one, or one that took over from it, may have forgotten rows that went (I12). */
export interface Server {
  readonly system: string;
  readonly timeline: number;
  /** By its own configuration, commits wait for a standby. */
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
  if (number < POSTGRES_MIN * 10_000)
    throw new PaydropError("server_too_old", { found: settings.get("server_version"), needed: POSTGRES_MIN });
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) {
    const todo = `Set ${name} = on in its configuration, for this database and this user, and restart it.`;
    if (settings.get(name) === "off") throw new PaydropError("server_unsafe", { found: `${name} = off`, todo });
  }
  return serverOf(postgres);
}

/** The timeline by what is written now: for a while after a standby took over its control file still names the old one. */
const SERVER = `SELECT system_identifier::text AS system, pg_is_in_recovery() AS standby,
  current_setting('synchronous_standby_names') <> '' AS isSynchronous,
  CASE WHEN NOT pg_is_in_recovery() THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline
  FROM pg_control_system()`;

export async function serverOf(postgres: Postgres): Promise<Server> {
  const found = await postgres.get<Server & { standby: boolean }>(SERVER);
  if (!found) throw new Error("the server said nothing of itself");
  const { standby, ...server } = found;
  if (standby) throw new PaydropError("server_away", { found: SERVER_FOUND.standby });
  return server;
}
