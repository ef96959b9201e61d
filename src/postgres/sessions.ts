import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { messageOf, PaydropError } from "../errors.ts";
import { SERVER_FOUND } from "../messages/hosts.ts";
import type { Sight } from "./sight.ts";
import { ask, begin, failureOf, isConnectionLost, lookBy, pendingOn, type ClockLook } from "./server-session.ts";

/** What a process is about that waits for a server. */
export interface Waiting {
  /** Asked to end: what the server leaves without an answer then is given up. */
  readonly signals?: { readonly soft: AbortSignal; readonly hard: AbortSignal } | undefined;
  /** Requests are on the wire: what becomes of them is waited for, and the server with it. */
  readonly isBusy?: () => boolean;
  /** It waits as long as the server is away, and not for ten seconds only. */
  readonly isPatient?: boolean;
  /** Is told of every answer, and of each failure to reach the server. */
  readonly sight?: Sight | undefined;
}

interface Options extends Waiting {
  readonly makeClient: () => Client;
  readonly isLooking: boolean;
}

const IDLE_SESSIONS_MAX = 4;
/** So long a session may be of no use before others can have it. */
const IDLE_MS = 10_000;
const AWAY_MS = 10_000;
const WATCHED_EVERY_MS = 500;
/** What has no answer after so long may have been sent into a connection that is dead. */
const SUSPECT_MS = 5_000;
/** So long a server is waited for after this process was asked to end, once, and twice. */
const ENDING_MS = 6_000;
const ENDING_AT_ONCE_MS = 1_000;
const GOODBYE_MS = 1_000;

/** The sessions of one process with the journal's server: as few as it needs just now, and none that is dead. */
export class Sessions {
  readonly #options: Options;
  readonly #open = new Map<Client, { readonly pid: number }>();
  /** They have no answer yet. */
  readonly #beginning = new Set<Client>();
  #idle: { readonly client: Client; readonly since: number }[] = [];
  #waiting: { readonly since: number; readonly got: PromiseWithResolvers<Client> }[] = [];
  #connecting = 0;
  #clock: ClockLook | undefined;
  /** Why it cannot be asked just now. */
  #away: string | undefined;
  /** Why nothing is asked any more. */
  #end: readonly ["server_given_up" | "server_not_awaited", found: string] | undefined;
  #isLookingFor = false;
  #quietSince = 0;
  #answeredAt = 0;
  #watchedAt: number = performance.now();
  /** So long this process itself stood still since it was asked to end: that is not the server's silence. */
  #stoodStillMs = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(options: Options) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#watch(), WATCHED_EVERY_MS).unref();
  }

  /** Why nothing is asked any more: a new error for each, as whoever catches one may add to it. */
  get end(): PaydropError | undefined {
    return this.#end && new PaydropError(this.#end[0], { found: this.#end[1] });
  }

  /** Milliseconds since 1970, by the server's clock. */
  now(): number {
    if (!this.#clock) throw new Error("the server was never asked what time it is");
    return Math.round(this.#clock.at + performance.now() - this.#clock.heardAt);
  }

  async lookAtClock(client: Client): Promise<void> {
    this.#clock = (await lookBy(client)).clock;
  }

  /** A session of one's own; waits while there is none. To be given back, or dropped. */
  async take(): Promise<Client> {
    if (this.end) throw this.end;
    const idle = this.#idle.pop();
    if (idle) return idle.client;
    const asked = { since: performance.now(), got: Promise.withResolvers<Client>() };
    this.#waiting.push(asked);
    if (this.#waiting.length > this.#connecting) void this.#connect();
    if (this.#options.isPatient) return asked.got.promise;
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((one) => one !== asked);
      asked.got.reject(new PaydropError("server_away", { found: this.#away ?? SERVER_FOUND.silent }));
    }, AWAY_MS);
    return asked.got.promise.finally(() => clearTimeout(timer));
  }

  give(client: Client): void {
    if (!this.#open.has(client)) return;
    this.#options.sight?.answered();
    this.#answeredAt = performance.now();
    const next = this.#end ? undefined : this.#waiting.shift();
    if (next) next.got.resolve(client);
    else if (this.#end || this.#idle.length >= IDLE_SESSIONS_MAX) this.drop(client);
    else this.#idle.push({ client, since: performance.now() });
  }

  drop(client: Client): void {
    this.#open.delete(client);
    this.#idle = this.#idle.filter((one) => one.client !== client);
    void goodbye(client);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#refuse("server_given_up", SERVER_FOUND.closed);
    const open = [...this.#open.keys()];
    this.#open.clear();
    await Promise.all(open.map(goodbye));
  }

  /** For whoever waits, until nobody does; while the server is away one asks for all. */
  async #connect(): Promise<void> {
    this.#connecting += 1;
    for (
      let waitMs = 100;
      this.#waiting.length >= this.#connecting && !this.#end;
      waitMs = Math.min(2 * waitMs, 5_000)
    ) {
      try {
        this.give(await this.#session());
        waitMs = 50;
        if (this.#waiting.length > this.#connecting) void this.#connect();
      } catch (error) {
        if (!isConnectionLost(error)) {
          for (const { got } of this.#waiting.splice(0)) got.reject(failureOf(error));
          break;
        }
        if (this.#connecting > 1) break;
        await sleep(waitMs, undefined, { signal: this.#options.signals?.soft }).catch(() => sleep(waitMs / 10));
      }
    }
    this.#connecting -= 1;
  }

  async #session(): Promise<Client> {
    const client = this.#options.makeClient();
    // told by the query that meets it; an idle one is dropped
    client.on("error", () => this.drop(client));
    this.#beginning.add(client);
    try {
      const { pid, clock } = await begin(client, this.#options.isLooking);
      if (this.end) throw this.end;
      this.#clock = clock;
      this.#open.set(client, { pid });
      this.#away = undefined;
      return client;
    } catch (error) {
      client.connection.stream.destroy();
      if (isConnectionLost(error)) {
        this.#away = error instanceof PaydropError ? String(error.facts["found"]) : messageOf(error);
        this.#options.sight?.failed(new Error(this.#away));
      }
      throw error;
    } finally {
      this.#beginning.delete(client);
    }
  }

  async #watch(): Promise<void> {
    const now = performance.now();
    for (const { client } of this.#idle.filter(({ since }) => now - since > IDLE_MS)) this.drop(client);
    const asked = [...this.#open.keys()].flatMap((client) => pendingOn(client)?.since ?? []);
    this.#giveUp(now, Math.min(...asked, ...this.#waiting.map(({ since }) => since)));
    const isSuspect = now - Math.min(...asked) > SUSPECT_MS;
    if (this.#isLookingFor || this.#end || !(isSuspect || (this.#away && this.#connecting === 0))) return;
    this.#isLookingFor = true;
    await this.#lookForDead().catch(() => undefined);
    this.#isLookingFor = false;
  }

  /** Whatever the server does: nobody waits for it who was asked to end. Nothing is freed by that (I15). */
  #giveUp(now: number, oldest: number): void {
    const { signals, isBusy = () => false } = this.#options;
    if (!signals?.soft.aborted || (isBusy() && !signals.hard.aborted))
      [this.#quietSince, this.#stoodStillMs] = [now, 0];
    this.#stoodStillMs += Math.max(0, now - this.#watchedAt - 2 * WATCHED_EVERY_MS);
    this.#watchedAt = now;
    // who asks again after a connection was lost has waited since the last answer
    const since = Math.max(Math.min(oldest, this.#answeredAt), this.#quietSince);
    // before the first answer there is nothing to be lost
    const limitMs = !this.#clock ? 0 : signals?.hard.aborted ? ENDING_AT_ONCE_MS : ENDING_MS;
    if (!signals?.soft.aborted || this.#end || oldest === Infinity || now - since < limitMs + this.#stoodStillMs)
      return;
    this.#refuse(this.#clock ? "server_given_up" : "server_not_awaited", this.#away ?? SERVER_FOUND.silent);
    for (const client of [...this.#open.keys(), ...this.#beginning]) client.connection.stream.destroy();
  }

  #refuse(why: "server_given_up" | "server_not_awaited", found: string): void {
    this.#end ??= [why, found];
    for (const { got } of this.#waiting.splice(0)) got.reject(this.end);
  }

  /** A network that was cut tells nobody: what the server itself does not know of went nowhere, or its answer did. */
  async #lookForDead(): Promise<void> {
    const suspects = [...this.#open].flatMap(([client, { pid }]) => {
      const call = pendingOn(client);
      return call && performance.now() - call.since > SUSPECT_MS ? [{ client, pid, call }] : [];
    });
    const asking = await this.#session();
    try {
      const sql = "SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state IN ('active', 'disabled')";
      const { rows } = await ask(asking, sql, [suspects.map(({ pid }) => pid)]);
      const atWork = new Set((rows as { pid: number }[]).map(({ pid }) => pid));
      // an answer may be on its way just now
      await sleep(GOODBYE_MS);
      for (const { client, pid, call } of suspects)
        if (!atWork.has(pid) && pendingOn(client) === call) client.connection.stream.destroy();
    } finally {
      this.give(asking);
    }
  }
}

/** A server that does not hear it keeps nobody. */
async function goodbye(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}
