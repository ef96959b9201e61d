import type { Client, QueryResult } from "pg";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { SERVER_FOUND } from "../messages/hosts.ts";
import { POSTGRES_SCHEMA } from "./schema.ts";

/**
 * What each session says for itself, whatever the server, the database and the role say: any of them may have been set, and
 * the wrong ones pay twice. A server that does not know one of them yet does not need it.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  // each statement sees what was committed before it began (I14)
  default_transaction_isolation: "read committed",
  default_transaction_read_only: "off",
  default_transaction_deferrable: "off",
  synchronous_commit: "on",
  // that a wait for a standby was cancelled is told by a warning, and by nothing else
  client_min_messages: "warning",
  client_encoding: "UTF8",
  search_path: POSTGRES_SCHEMA,
  // how long anything may take is said by who asks
  statement_timeout: "0",
  lock_timeout: "0",
  transaction_timeout: "0",
  idle_session_timeout: "0",
  // a process that is stopped in the middle keeps nobody waiting for ever
  idle_in_transaction_session_timeout: "60s",
  // how values are written and read
  TimeZone: "UTC",
  DateStyle: "ISO, YMD",
  IntervalStyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  transform_null_equals: "off",
  // to compile a statement takes longer than any of them; and rows of a batch that the planner does not know yet are to
  // come in the order of an index, page by page, and not all of them for each page
  jit: "off",
  enable_bitmapscan: "off",
};
const SAID = Object.entries(SETTINGS).map(([name, value]) => `('${name}', '${value}')`);
const SET = `SET statement_timeout = 0; SELECT set_config(s.name, said.value, false)
  FROM pg_settings s JOIN (VALUES ${SAID.join()}) AS said(name, value) ON said.name = s.name; SELECT pg_backend_pid() AS pid`;
const LOOK = `SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS standby, current_setting('server_encoding') AS encoding,
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at`;

/** So long the server may take to take a connection, and to give it a session: a pooler keeps it waiting where none is free. */
const CONNECT_MS = 5_000;
const SESSION_MS = 10_000;
/** The system asks so soon whether the other side of a connection is still there. */
const KEEP_ALIVE_MS = 10_000;

export const CLIENT = {
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  application_name: "paydrop",
} as const;

/** The server's clock, told by this machine's monotonic one. */
export interface ClockLook {
  readonly at: number;
  readonly heardAt: number;
}

export interface Session {
  /** Of the process that serves it. */
  readonly pid: number;
  readonly clock: ClockLook;
}

interface Look {
  readonly pid: number;
  readonly standby: boolean;
  readonly encoding: string;
  readonly at: number;
}

/**
 * Connects, and makes the session what the journal relies on. Rejects with PaydropError where that cannot be. `isLooking`:
 * nothing is written, and whoever looks tells what is wrong.
 */
export async function begin(client: Client, isLooking: boolean): Promise<Session> {
  try {
    await client.connect();
    // several statements give several results
    const results = [await within(SESSION_MS, client.query<{ pid: number }>(SET))].flat();
    const { clock, ...look } = await lookBy(client);
    if (!isLooking) assertUsable(look, results.at(-1)?.rows[0]?.pid);
    return { pid: look.pid, clock };
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  }
}

/** What the server says of itself just now. */
export async function lookBy(client: Client): Promise<Look & Pick<Session, "clock">> {
  const askedAt = performance.now();
  const { rows } = await within(SESSION_MS, ask(client, LOOK, []));
  const look = rows[0] as Look;
  return { ...look, clock: { at: look.at, heardAt: (askedAt + performance.now()) / 2 } };
}

function assertUsable({ pid, standby, encoding }: Omit<Look, "at">, pidBefore: number | undefined): void {
  // it may be made the primary, or the name may lead to that one soon
  if (standby) throw new PaydropError("server_away", { found: SERVER_FOUND.standby });
  if (encoding !== "UTF8") throw new PaydropError("server_encoding", { found: encoding });
  if (pid !== pidBefore) throw new PaydropError("server_pooled");
}

const SESSION_ROUNDS = 3;

/** Whether each connection keeps its session, as locks, settings and transactions need it. Asked more than once: others ask, too. */
export async function keepsSessions(sessions: {
  take(): Promise<Client>;
  give(client: Client): void;
  drop(client: Client): void;
}): Promise<boolean> {
  const [one, other] = [await sessions.take(), await sessions.take()];
  let areKept = false;
  try {
    for (let round = 0; round < SESSION_ROUNDS; round += 1) if (!(await areSessions(one, other))) return false;
    return (areKept = true);
  } catch (error) {
    // PgBouncer takes no transaction at all with `pool_mode = statement`
    if (/pooling mode/.test(messageOf(error))) return false;
    throw failureOf(error);
  } finally {
    for (const client of [one, other])
      if (areKept) sessions.give(client);
      else sessions.drop(client);
  }
}

/** A pooler that changes sessions gives a transaction of one connection the session of another, or a new one meanwhile. */
export async function areSessions(one: Pick<Client, "query">, other: Pick<Client, "query">): Promise<boolean> {
  const pidOf = async (client: Pick<Client, "query">): Promise<number> => {
    const { rows } = await within(SESSION_MS, client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid"));
    return rows[0]?.pid ?? 0;
  };
  const first = await pidOf(one);
  await other.query("BEGIN");
  const second = await pidOf(other);
  const again = await pidOf(one);
  await other.query("COMMIT");
  return first === again && first !== second;
}

/** Rejects as where the server is away; the connection is of no use then. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PaydropError("server_away", { found: SERVER_FOUND.silent })), ms);
  });
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The SQL with its camelCase names quoted; made once for each text. */
const prepared = new Map<string, string>();
export function quoted(sql: string): string {
  let text = prepared.get(sql);
  if (text === undefined) prepared.set(sql, (text = sql.replace(/(?<!["'\w])[a-z]+[A-Z]\w*(?!["'\w])/g, '"$&"')));
  return text;
}

/** What is asked on a connection and has no answer yet, since then (monotonic). */
interface Pending {
  readonly since: number;
}
const pending = new WeakMap<Client, Pending>();

export const pendingOn = (client: Client): Pending | undefined => pending.get(client);

/** Asks with values as `$1`, `$2` …; lists become arrays. `name`: the server keeps the statement for the next time. */
export function ask(client: Client, sql: string, values: readonly unknown[], name?: string): Promise<QueryResult> {
  return asking(client, { text: quoted(sql), values: values as unknown[], ...(name !== undefined && { name }) });
}

/** The same with SQL that is not ours. */
export async function asking(client: Client, query: { text: string; values?: unknown[] }): Promise<QueryResult> {
  const call = { since: performance.now() };
  pending.set(client, call);
  try {
    return await client.query(query);
  } finally {
    if (pending.get(client) === call) pending.delete(client);
  }
}

const OF_NETWORK: readonly string[] = [
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ENOENT", "ENOTFOUND", "EAI_AGAIN"],
  ...["EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN"],
];

/** What `pg` itself says begins so. */
const OF_CLIENT = [
  "Connection terminated",
  "timeout expired",
  "Client has encountered a connection error",
  "Client was closed",
];

/**
 * The server is away, ends, or begins, has no session left, or ended this one: what was asked may have been done, or not.
 */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof PaydropError) return error.reason === "server_away";
  const code = systemCodeOf(error) ?? "";
  if (/^(?:08|57P0[1235]$|25P0[34]$|53300$)/.test(code) || OF_NETWORK.includes(code)) return true;
  const message = messageOf(error);
  return OF_CLIENT.some((begins) => message.startsWith(begins));
}

/** What a person is told of an error of the server. Its text may hold values, but the journal has no bank data in clear (I10). */
export function failureOf(error: unknown): unknown {
  if (error instanceof PaydropError) return error;
  if (isConnectionLost(error)) return new PaydropError("server_away", { found: messageOf(error) }, { cause: error });
  const isOfServer = typeof (error as { severity?: unknown } | null)?.severity === "string";
  return isOfServer ? new PaydropError("server_refused", { found: messageOf(error) }, { cause: error }) : error;
}
