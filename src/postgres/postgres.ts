import { AsyncLocalStorage } from "node:async_hooks";
import pLimit from "p-limit";
import type { Client, QueryResult } from "pg";
import { PaydropError } from "../errors.ts";
import { createByName } from "../journal/states.ts";
import { ask, asking, CLIENT, failureOf, isConnectionLost } from "./server-session.ts";
import { Sessions, type Waiting } from "./sessions.ts";
import { Sight } from "./sight.ts";

export { ask, failureOf, isConnectionLost, quoted } from "./server-session.ts";

/** Of a process that sends: it waits for a server that is away, and goes on by itself. */
export interface PostgresOptions {
  readonly url: string;
  readonly isSender?: boolean;
  /** All of it is one transaction that is never committed: for whoever only asks what would be. */
  readonly isTrial?: boolean;
  /** A server that the journal cannot be in is looked at all the same. */
  readonly isLooking?: boolean;
  readonly waiting?: Waiting | undefined;
}

type Value = string | number | boolean | bigint | null | Buffer | readonly (string | number)[];

/** SQL and its values by name, for each call: `postgres.query(...byName("… = $seq", { seq }))`. */
export const byName = createByName("$");

interface Session {
  readonly client: Client;
  /** Inside `judging`: its one transaction. */
  readonly isJudging: boolean;
}

const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
const JUDGING_LOCK = 7_210_001;
/** Who is further away from the server's clock judges nothing. */
const CLOCK_SLACK_MS = 60_000;
/** What runs beside the journal has so many sessions at most. */
const BESIDE_MAX = 2;

/**
 * The sessions of one process with the journal's server. Names in camelCase are quoted, so that columns are named as the
 * properties of `store.ts`. Whatever calls it within `write` or `judging` is part of that transaction.
 */
export class Postgres {
  readonly sight: Sight;
  readonly #options: PostgresOptions;
  readonly #sessions: Sessions;
  readonly #session = new AsyncLocalStorage<Session>();
  /** One session is enough to wait for those of other processes. */
  readonly #judges = pLimit(1);
  readonly #beside = pLimit(BESIDE_MAX);
  #trial: Session | undefined;

  private constructor(options: PostgresOptions, makeClient: (url: string) => Client) {
    const { url, isSender = false, isLooking = false, waiting } = options;
    this.#options = options;
    this.sight = waiting?.sight ?? new Sight();
    const own = { isPatient: isSender, ...waiting, sight: this.sight };
    this.#sessions = new Sessions({ ...own, isLooking, makeClient: () => makeClient(url) });
  }

  /** `pg` is loaded here, and only here. Rejects with PaydropError where there is no server, or no database. */
  static async open(options: PostgresOptions): Promise<Postgres> {
    const { default: pg } = await import("pg");
    // counts and sequence numbers are no larger than what a number holds
    pg.types.setTypeParser(pg.types.builtins.INT8, Number);
    const postgres = new Postgres(options, (url) => new pg.Client({ ...CLIENT, connectionString: url }));
    if (options.isTrial !== true) return postgres;
    const client = await postgres.take();
    await ask(client, `${BEGIN}; SET LOCAL idle_in_transaction_session_timeout = 0`, []);
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
        if (this.#sessions.end) throw this.#sessions.end;
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
    return this.#judges(() => this.#transaction(true, work));
  }

  /** SQL of others, in a session as the journal's own. Whatever fails there leaves nothing behind. */
  beside(text: string, values?: unknown[]): Promise<QueryResult> {
    return this.#beside(async () => {
      const client = await this.take();
      try {
        const found = await asking(client, { text, ...(values && { values }) });
        this.give(client);
        return found;
      } catch (error) {
        this.drop(client);
        throw this.#sessions.end ?? error;
      }
    });
  }

  /** Milliseconds since 1970, by the server's clock. */
  now(): number {
    return this.#sessions.now();
  }

  /** Once more: a clock drifts, is set, and stands still while a machine sleeps. */
  async lookAtClock(): Promise<void> {
    const client = await this.take();
    await this.#sessions.lookAtClock(client).finally(() => this.give(client));
  }

  /** What time it is here and there, where that differs by more than may be. */
  get clockApart(): { readonly now: string; readonly server: string } | undefined {
    const [here, there] = [Date.now(), this.now()];
    if (Math.abs(here - there) <= CLOCK_SLACK_MS) return undefined;
    return { now: new Date(here).toISOString(), server: new Date(there).toISOString() };
  }

  async #transaction<T>(isJudging: boolean, work: () => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.take();
      let isCommitting = false;
      try {
        await ask(client, BEGIN, []);
        if (isJudging) await this.#beginJudging(client);
        const result = await this.#session.run({ client, isJudging }, work);
        isCommitting = true;
        await durably(client, () => ask(client, "COMMIT", []));
        this.give(client);
        return result;
      } catch (error) {
        const isLost = isConnectionLost(error) && (await this.#isLost(client));
        if (isLost) this.drop(client);
        else
          await ask(client, "ROLLBACK", []).then(
            () => this.give(client),
            () => this.drop(client),
          );
        // before its commit nothing of it was done: a sender does it anew; a commit whose answer is lost may be durable
        if (!isLost || isCommitting || !this.#options.isSender || this.#sessions.end)
          throw (isLost && this.#sessions.end) || failureOf(error);
      }
    }
  }

  /** The lock first, in a statement of its own: what is looked at from here on was committed before (I14). */
  async #beginJudging(client: Client): Promise<void> {
    await ask(client, "SELECT pg_advisory_xact_lock($1)", [JUDGING_LOCK]);
    await this.#sessions.lookAtClock(client);
    const apart = this.clockApart;
    if (apart) throw new PaydropError("clock_apart", apart);
  }

  /** Files that are not there fail with the same codes as servers. */
  #isLost(client: Client): Promise<boolean> {
    return ask(client, "SELECT 1", []).then(
      () => false,
      (error: unknown) => isConnectionLost(error),
    );
  }

  /** A session of one's own; waits while the server is away. To be given back, or dropped. */
  take(): Promise<Client> {
    return this.#sessions.take();
  }

  give(client: Client): void {
    this.#sessions.give(client);
  }

  drop(client: Client): void {
    this.#sessions.drop(client);
  }

  close(): Promise<void> {
    this.sight.close();
    return this.#sessions.close();
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
