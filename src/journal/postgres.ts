import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, QueryResult } from "pg";
import { messageOf, PaydropError, systemCodeOf } from "../errors.ts";
import { POSTGRES_SCHEMA } from "./postgres-schema.ts";

/** Of a process that sends: it waits for a server that is away, and goes on by itself. */
export interface PostgresOptions {
  readonly url: string;
  readonly isSender?: boolean;
  /** All of it is one transaction that is never committed: for whoever only asks what would be. */
  readonly isTrial?: boolean;
}

type Value = string | number | boolean | bigint | null | Buffer | readonly (string | number)[];

interface Session {
  readonly client: Client;
  /** Inside `judging`: its one transaction. */
  readonly isJudging: boolean;
}

const IDLE_SESSIONS_MAX = 4;
const CONNECT_TIMEOUT_MS = 5_000;
/** So long a command waits for a server that is away; a sender waits until somebody ends it. */
const AWAY_MS = 10_000;
const AWAY_OF_SENDER_MS = 24 * 3_600_000;
const JUDGING_LOCK = 7_210_001;

/**
 * The sessions of one process with the journal's server. Names in camelCase are quoted, so that columns are named as the
 * properties of `store.ts`. Whatever calls it within `write` or `judging` is part of that transaction.
 */
export class Postgres {
  readonly #options: PostgresOptions;
  readonly #makeClient: (url: string) => Client;
  readonly #idle: Client[] = [];
  readonly #open = new Set<Client>();
  readonly #session = new AsyncLocalStorage<Session>();
  #trial: Session | undefined;
  #isClosed = false;

  private constructor(options: PostgresOptions, makeClient: (url: string) => Client) {
    this.#options = options;
    this.#makeClient = makeClient;
  }

  /** `pg` is loaded here, and only here. Rejects with PaydropError where there is no server, or no database. */
  static async open(options: PostgresOptions): Promise<Postgres> {
    const { default: pg } = await import("pg");
    // counts and sequence numbers are no larger than what a number holds
    pg.types.setTypeParser(pg.types.builtins.INT8, Number);
    const common = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true, application_name: "paydrop" };
    const postgres = new Postgres(options, (url) => new pg.Client({ ...common, connectionString: url }));
    if (options.isTrial !== true) return postgres;
    const client = await postgres.take();
    await ask(client, "BEGIN", []);
    postgres.#trial = { client, isJudging: false };
    return postgres;
  }

  get isJudging(): boolean {
    return this.#current?.isJudging === true;
  }

  get #current(): Session | undefined {
    return this.#session.getStore() ?? this.#trial;
  }

  /** Rows as records: what is null is left out. Outside of a transaction a lost connection is tried again: only for reading. */
  async query<T>(sql: string, ...values: readonly Value[]): Promise<T[]> {
    const session = this.#current;
    if (session) return recordsOf<T>(await ask(session.client, sql, values));
    for (;;) {
      const client = await this.take();
      try {
        const found = await ask(client, sql, values);
        this.give(client);
        return recordsOf<T>(found);
      } catch (error) {
        if (!isConnectionLost(error)) {
          this.give(client);
          throw failureOf(error);
        }
        this.drop(client);
      }
    }
  }

  async get<T>(sql: string, ...values: readonly Value[]): Promise<T | undefined> {
    return (await this.query<T>(sql, ...values))[0];
  }

  /** All or nothing; when it resolves, it is durable. Within another transaction it is a part of that one. */
  write<T>(work: () => Promise<T>): Promise<T> {
    const session = this.#current;
    return session ? inSavepoint(session.client, work) : this.#transaction(false, work);
  }

  /** I14: one transaction that no other such one overlaps, over all hosts. */
  judging<T>(work: () => Promise<T>): Promise<T> {
    if (this.#trial) return this.#session.run({ ...this.#trial, isJudging: true }, work);
    if (this.#session.getStore()) throw new Error("judging inside judging would wait for itself");
    return this.#transaction(true, work);
  }

  async #transaction<T>(isJudging: boolean, work: () => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.take();
      let isCommitting = false;
      try {
        await ask(client, "BEGIN", []);
        // a process that is stopped in the middle keeps nobody waiting for ever
        if (isJudging) {
          await ask(client, "SET LOCAL idle_in_transaction_session_timeout = '60s'", []);
          await ask(client, "SELECT pg_advisory_xact_lock($1)", [JUDGING_LOCK]);
        }
        const result = await this.#session.run({ client, isJudging }, work);
        isCommitting = true;
        await durably(client, () => ask(client, "COMMIT", []));
        this.give(client);
        return result;
      } catch (error) {
        const isLost = isConnectionLost(error) && (await this.#isLost(client));
        if (isLost) this.drop(client);
        else await ask(client, "ROLLBACK", []).then(() => this.give(client), () => this.drop(client)); // prettier-ignore
        // before its commit nothing of it was done: a sender does it anew; a commit whose answer is lost may be durable
        if (!isLost || isCommitting || !this.#options.isSender || this.#isClosed) throw failureOf(error);
      }
    }
  }

  /** Files that are not there fail with the same codes as servers. */
  #isLost(client: Client): Promise<boolean> {
    return ask(client, "SELECT 1", []).then(() => false, (error: unknown) => isConnectionLost(error)); // prettier-ignore
  }

  /** A session of one's own; waits while the server is away. To be given back, or dropped. */
  async take(): Promise<Client> {
    const until = performance.now() + (this.#options.isSender ? AWAY_OF_SENDER_MS : AWAY_MS);
    for (let waitMs = 100; ; waitMs = Math.min(2 * waitMs, 5_000)) {
      if (this.#isClosed) throw new PaydropError("server_away", { found: "the journal was closed" });
      const idle = this.#idle.pop();
      if (idle) return idle;
      try {
        return await this.#connect();
      } catch (error) {
        if (!isConnectionLost(error) || performance.now() + waitMs > until) throw failureOf(error);
        await sleep(waitMs);
      }
    }
  }

  give(client: Client): void {
    if (!this.#open.has(client)) return;
    if (this.#isClosed || this.#idle.length >= IDLE_SESSIONS_MAX) this.drop(client);
    else this.#idle.push(client);
  }

  async #connect(): Promise<Client> {
    const client = this.#makeClient(this.#options.url);
    // told by the query that meets it; an idle one is dropped
    client.on("error", () => this.drop(client));
    await client.connect();
    this.#open.add(client);
    try {
      // to compile a statement takes longer than any of them; and rows of a batch that the planner does not know yet are to
      // come in the order of an index, page by page, and not all of them for each page
      const planning = "SET jit = off; SET enable_bitmapscan = off";
      const settings = `SET synchronous_commit = on; SET statement_timeout = 0; ${planning}`;
      await client.query(`SET search_path = ${POSTGRES_SCHEMA}; ${settings}`);
    } catch (error) {
      this.drop(client);
      throw error;
    }
    return client;
  }

  drop(client: Client): void {
    this.#open.delete(client);
    const at = this.#idle.indexOf(client);
    if (at >= 0) this.#idle.splice(at, 1);
    void client.end().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((client) => client.end().catch(() => undefined)));
    this.#open.clear();
  }
}

/**
 * With a synchronous standby a commit whose wait was cancelled is answered like any other, but for a warning: what was
 * committed may be lost with this server (I2).
 */
export async function durably<T>(client: Client, work: () => Promise<T>): Promise<T> {
  let warning: string | undefined;
  // whatever its language: no other warning of this kind comes with what is asked here
  const onNotice = ({ code, message = "" }: { code?: string | undefined; message?: string | undefined }): void => {
    if (code === "01000") warning = message;
  };
  client.on("notice", onNotice);
  try {
    const result = await work();
    if (warning !== undefined) throw new PaydropError("server_lost_commit", { found: warning });
    return result;
  } finally {
    client.off("notice", onNotice);
  }
}

/** The SQL with its camelCase names quoted; made once for each text. */
const prepared = new Map<string, string>();
export function quoted(sql: string): string {
  let text = prepared.get(sql);
  if (text === undefined) prepared.set(sql, (text = sql.replace(/(?<!["'\w])[a-z]+[A-Z]\w*(?!["'\w])/g, '"$&"')));
  return text;
}

/** Asks with values as `$1`, `$2` …; lists become arrays. `name`: the server keeps the statement for the next time. */
export function ask(client: Client, sql: string, values: readonly unknown[], name?: string): Promise<QueryResult> {
  return client.query({ text: quoted(sql), values: values as unknown[], ...(name !== undefined && { name }) });
}

/** Of several statements: nothing. */
function recordsOf<T>({ rows = [] }: Partial<QueryResult>): T[] {
  return (rows as Record<string, unknown>[]).map((row) => {
    const record: Record<string, unknown> = {};
    for (const name in row) if (row[name] !== null) record[name] = row[name];
    return record as T;
  });
}

async function inSavepoint<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await ask(client, "SAVEPOINT part", []);
  try {
    const result = await work();
    await ask(client, "RELEASE SAVEPOINT part", []);
    return result;
  } catch (error) {
    if (!isConnectionLost(error)) await ask(client, "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part", []);
    throw error;
  }
}

/** The server is away, ends, or begins: what was asked may have been done, or not. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof PaydropError) return error.reason === "server_away";
  const code = systemCodeOf(error) ?? "";
  if (/^(?:08|57P0[123]$|53300$)/.test(code)) return true;
  if (["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENOENT"].includes(code))
    return true;
  return /^(?:Connection terminated|timeout expired|Client has encountered a connection error|Client was closed)/.test(
    messageOf(error),
  );
}

/** What a person is told of an error of the server. Its text may hold values, but the journal has no bank data in clear (I10). */
export function failureOf(error: unknown): unknown {
  if (error instanceof PaydropError) return error;
  if (isConnectionLost(error)) return new PaydropError("server_away", { found: messageOf(error) }, { cause: error });
  const isOfServer = typeof (error as { severity?: unknown } | null)?.severity === "string";
  return isOfServer ? new PaydropError("server_refused", { found: messageOf(error) }, { cause: error }) : error;
}
