import { Seal } from "./copies.ts";
import { identityOf, isMade, serverIn } from "./open.ts";
import { ask, Postgres } from "./postgres.ts";
import { areSessions } from "./server-session.ts";
import { lossSeen } from "./trust.ts";

/** What a person must know of the server of a shared journal before it is trusted (README §13). */
export interface Looked {
  readonly server: string;
  readonly version: string;
  /** As sessions begin with them, and where that was said: `default`, `configuration file`, `database`, `user` … */
  readonly settings: readonly { readonly name: string; readonly value: string; readonly source: string }[];
  readonly isStandby: boolean;
  readonly standbys: number;
  /** `synchronous_standby_names`; empty: commits wait for none. */
  readonly synchronous: string;
  /** Its clock, and this host's at the same moment: milliseconds since 1970. */
  readonly at: number;
  readonly here: number;
  /** How it writes texts. */
  readonly encoding: string;
  /** Sessions that it has, or lets this role have, and those that are in use. */
  readonly sessionsMax: number;
  readonly sessions: number;
  /** Each connection keeps its session, as leases and locks need it. */
  readonly keepsSessions: boolean;
  /** Of the key: a journal is there, and is of this version and key. */
  readonly fingerprint: string;
  readonly isMade: boolean;
  /** What it does not know any more of what it had confirmed. */
  readonly loss: string | undefined;
}

const FACTS = `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS isStandby,
    (SELECT count(*) FROM pg_stat_replication) AS standbys, current_setting('synchronous_standby_names') AS synchronous,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at, current_setting('server_encoding') AS encoding,
    (SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int, nullif(d.datconnlimit, -1), nullif(r.rolconnlimit, -1))
      FROM pg_database d, pg_roles r WHERE d.datname = current_database() AND r.rolname = session_user) AS sessionsMax,
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS sessions`;
const SETTINGS = `SELECT name, reset_val AS value, source FROM pg_settings
  WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name`;

/** Makes no tables. Rejects with PaydropError where the server is away, or the journal is of another version or key. */
export async function lookAtServer({ url, journalKey }: { readonly url: string; readonly journalKey: Buffer }) {
  const postgres = await Postgres.open({ url, isLooking: true });
  try {
    const seal = new Seal(journalKey);
    const [one, other] = [await postgres.take(), await postgres.take()];
    const keepsSessions = await areSessions(one, other);
    // as it was before paydrop said how it works
    await one.query("RESET synchronous_commit");
    const { rows: settings } = (await ask(one, SETTINGS, [])) as { rows: Looked["settings"][number][] };
    postgres.drop(one);
    postgres.give(other);
    const began = Date.now();
    const [facts] =
      await postgres.query<Omit<Looked, "server" | "settings" | "here" | "keepsSessions" | "fingerprint" | "isMade">>(
        FACTS,
      );
    if (!facts) throw new Error("the server said nothing of itself");
    const here = (began + Date.now()) / 2;
    const isThere = await isMade(postgres);
    if (isThere) await identityOf(postgres, seal, serverIn(url));
    const own = {
      server: serverIn(url),
      keepsSessions,
      here,
      isMade: isThere,
      fingerprint: seal.fingerprint.slice(0, 8),
      loss: isThere && !facts.isStandby ? (await lossSeen(postgres))?.found : undefined,
    };
    return { ...facts, settings, ...own } satisfies Looked;
  } finally {
    await postgres.close();
  }
}
