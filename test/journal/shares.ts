import type { Client } from "pg";
import { onTestFinished } from "vitest";
import { FUNCTIONS, POSTGRES_SCHEMA, TABLES } from "../../src/postgres/schema.ts";
import { ask, Postgres } from "../../src/postgres/postgres.ts";
import { serverOf } from "../../src/postgres/same-server.ts";
import { MOVE_ROWS, ON_ITS_WAY } from "../../src/journal/states.ts";
import { trustServer } from "../../src/postgres/trust.ts";
import { until } from "../support/until.ts";

/** No lease is over by itself while a test looks on. */
const LEASE = "1 hour";
export const HERE = "http://127.0.0.1:7900";

/** A share as its holder knows it. */
export interface Held {
  readonly me: string;
  readonly id: string;
  readonly batch: number;
  readonly share: number;
  readonly epoch: number;
  readonly lanes: number;
  readonly proven: boolean;
}

/** Of a row that is on its way. */
export interface Outcome {
  readonly row: number;
  readonly to: "accepted" | "rejected" | "ready";
  readonly stop?: { readonly code: string; readonly all: boolean };
}

export interface Answer {
  readonly share: number;
  readonly phase: string;
  readonly held: boolean;
  readonly stop: unknown;
  readonly leaving: readonly { readonly row: number }[];
}

/** Shares of batches in a database, and the functions that hosts call. */
export class Shares {
  readonly #postgres: Postgres;
  readonly #client: Client;

  private constructor(postgres: Postgres, client: Client) {
    this.#postgres = postgres;
    this.#client = client;
  }

  /** `change`: of the SQL of the functions, for one with a mistake. */
  static async create(url: string, change: (sql: string) => string = (sql) => sql): Promise<Shares> {
    const postgres = await Postgres.open({ url, isSender: false });
    onTestFinished(() => postgres.close());
    const client = await postgres.take();
    await ask(client, `CREATE SCHEMA ${POSTGRES_SCHEMA}; ${TABLES} ${change(MOVE_ROWS + FUNCTIONS)}`, []);
    await ask(client, "INSERT INTO meta VALUES ('fingerprint', '')", []);
    await trustServer(postgres, await serverOf(postgres));
    return new Shares(postgres, client);
  }

  /** The same by a connection of its own: another host, or a person. */
  async another(): Promise<Shares> {
    return new Shares(this.#postgres, await this.#postgres.take());
  }

  async ask<T>(sql: string, ...values: readonly unknown[]): Promise<T[]> {
    return (await ask(this.#client, sql, values)).rows as T[];
  }

  /** A batch that is being sent; its rows are numbered through, in shares of `rows` each. */
  async batch(id: string, rows: number, shares = 1, destination = HERE): Promise<number> {
    const sql = `INSERT INTO batch (id, environment, destination, fileName, folder, format, sha256, sizeBytes, reading,
        createdAt, phase, lastAt, run)
      VALUES ($1, 'test', $2, 'payroll.csv', '/inbox/payouts', 'csv', $1, 1, '{}', 1, 'open', 1, 1) RETURNING seq`;
    const [made] = await this.ask<{ seq: number }>(sql, id, destination);
    const seq = made?.seq ?? 0;
    await this.ask(
      "INSERT INTO share (batch, share, nextTurn) SELECT $1, n, $3 FROM generate_series(0, $2 - 1) n",
      seq,
      shares,
      rows + 1,
    );
    const all = `INSERT INTO rows (batch, row, share, state, turn, payment, place)
      SELECT $1, s * $3 + n, s, 'ready', n, 'p' || n, 0 FROM generate_series(0, $2 - 1) s, generate_series(1, $3) n`;
    await this.ask(all, seq, shares, rows);
    return seq;
  }

  async claim(
    me: string,
    which: {
      readonly batch?: string;
      readonly here?: string;
      readonly lanes?: number;
      readonly concurrency?: number;
    } = {},
  ): Promise<Held | undefined> {
    const { batch = null, here = HERE, lanes = 1, concurrency = 100 } = which;
    const sql = "SELECT claim_share($1, $2, $3, 'test', $4, $5, $6) AS held";
    const [answer] = await this.ask<{ held: Held | null }>(sql, me, batch, here, lanes, concurrency, LEASE);
    return answer?.held ? { ...answer.held, me } : undefined;
  }

  /** undefined: it is another host's by now. */
  async commit(held: Held, no: number, outcomes: readonly Outcome[], free: number): Promise<Answer | undefined> {
    return (await this.commitAll([{ held, no, outcomes, free }]))[0];
  }

  /** Several shares of one host in one act. */
  async commitAll(
    all: readonly { readonly held: Held; no: number; free: number; outcomes: readonly Outcome[] }[],
  ): Promise<Answer[]> {
    const wanted = all.map(({ held: { batch, share, epoch }, no, free }) => ({ batch, share, epoch, no, free }));
    const answered = { from: ["ready"], onItsWay: true, code: "http_200", tries: 1, httpStatus: 200, sentAt: 1 };
    const changes = all.flatMap(({ held: { batch, share }, outcomes }) =>
      outcomes.map((outcome) => ({ batch, share, ...answered, ...outcome })),
    );
    const sql = "SELECT commit_shares($1, $2, $3, $4) AS answer";
    const values = [JSON.stringify(wanted), JSON.stringify(changes), all[0]?.held.me, LEASE];
    return (await this.ask<{ answer: Answer[] }>(sql, ...values))[0]?.answer ?? [];
  }

  async end({ batch, share, epoch, me }: Held): Promise<boolean> {
    const [answer] = await this.ask<{ ended: boolean }>(
      "SELECT end_share($1, $2, $3, $4) AS ended",
      batch,
      share,
      epoch,
      me,
    );
    return answer?.ended === true;
  }

  async leaseIsOver({ batch, share }: Pick<Held, "batch" | "share">): Promise<void> {
    const sql = "UPDATE share SET leaseUntil = clock_timestamp() - interval '1 ms' WHERE batch = $1 AND share = $2";
    await this.ask(sql, batch, share);
  }

  takeOver(): Promise<{ batch: string; row: number }[]> {
    return this.ask("SELECT batch, row FROM take_over($1, 1, '0 s')", JSON.stringify({ login: "asha", host: "pay1" }));
  }

  /** A person, or the judge: rows that are not on their way, or unknown. Gives those that were moved. */
  async move(batch: number, rows: readonly number[], from: readonly string[], to: string): Promise<number[]> {
    const moves = rows.map((row) => ({ row, from, to, onItsWay: false }));
    const moved = await this.ask<{ row: number }>("SELECT row FROM move_rows($1, $2)", batch, JSON.stringify(moves));
    return moved.map(({ row }) => row);
  }

  /** `2 ready, 3 on its way, 4 accepted`. */
  async states(batch: number): Promise<string> {
    const sql = `SELECT string_agg(r.row || ' ' || CASE WHEN ${ON_ITS_WAY} THEN 'on its way' ELSE r.state END, ', ' ORDER BY r.row)
      AS states FROM rows r JOIN share b ON b.batch = r.batch AND b.share = r.share WHERE r.batch = $1`;
    return (await this.ask<{ states: string }>(sql, batch))[0]?.states ?? "";
  }

  /** What `waiting` is asked, while this one holds what it waits for, and ends its transaction then. */
  async endsBefore<T>(waiting: readonly Shares[], asked: () => Promise<T>): Promise<T> {
    const pids: number[] = [];
    for (const one of waiting)
      pids.push(...(await one.ask<{ pid: number }>("SELECT pg_backend_pid() AS pid")).map(({ pid }) => pid));
    const answer = asked();
    const sql = "SELECT DISTINCT pid FROM pg_locks WHERE pid = ANY($1) AND NOT granted";
    await until("they wait", async () => (await this.ask(sql, pids)).length === pids.length);
    await this.ask("COMMIT");
    return answer;
  }
}
