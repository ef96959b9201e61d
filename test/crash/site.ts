import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startProxy, type Proxy } from "../hosts/postgres-proxy.ts";
import { INSTALLED, type PostgresServer } from "../support/postgres-server.ts";
import { until } from "../support/until.ts";
import { KeptHost } from "./kept-host.ts";
import { startLife, startService, type Life, type LifeEnd, type Service } from "./lives.ts";
import type { JournalRows } from "./oracle.ts";
import type { PayrollFile } from "./payroll-file.ts";
import { dropped, journalOf, sharesOf, twinOf, type SiteFile } from "./site-files.ts";

export const SITE_LEASE_MS = 6_000;
export const CONCURRENCY = 12;
export const ROLE = "payer";
/** Its answers take between a half of it and all of it. */
export const LATENCY_MS = 100;

/** When something was done to the hosts or their server, by the wall clock. */
export interface Struck {
  readonly from: number;
  readonly to: number;
}

export interface SiteOptions {
  /** It does not run: the site's own server begins with all that it has. */
  readonly template: PostgresServer;
  /** Where servers lie. */
  readonly servers: string;
  readonly name: string;
  readonly hosts: number;
  readonly random: () => number;
  /** Rows of each file that go. */
  readonly rows: number;
  /** The service refuses no row. */
  readonly refusesNone?: true;
  /** Of the database. */
  readonly encoding?: string;
  readonly words?: string;
}

/** Hosts, each with a way of its own to their server, and the service that counts: all of them real processes. */
export class Site {
  readonly folder: string = mkdtempSync(join(tmpdir(), "paydrop-torture-"));
  readonly inbox: string = join(this.folder, "inbox");
  readonly files: SiteFile[] = [];
  readonly hosts: KeptHost[] = [];
  readonly ways: Proxy[] = [];
  readonly struck: Struck[] = [];
  /** Payments that had gone, and that the server did not know of when it came (back) to the hosts. */
  readonly forgotten = new Set<string>();
  /** What was found wrong on the way. */
  readonly notices: string[] = [];
  readonly servers: PostgresServer[] = [];
  readonly service: Service;
  readonly options: SiteOptions;
  readonly random: () => number;
  readonly #key: string = randomBytes(32).toString("hex");
  readonly #atTheEnd: (() => unknown)[] = [];
  isLooked = false;
  database = "paydrop";
  /** Where its database lies, if it is a small one. */
  disk = "";
  server: PostgresServer;

  private constructor(options: SiteOptions, server: PostgresServer, service: Service) {
    this.options = options;
    this.random = options.random;
    this.service = service;
    this.server = server;
    this.servers.push(server);
    mkdirSync(this.inbox);
  }

  static async open(options: SiteOptions): Promise<Site> {
    const { template, servers, name, random, encoding, words, refusesNone } = options;
    const server = await template.twin(join(servers, name), {});
    const ledger = join(mkdtempSync(join(tmpdir(), "paydrop-ledger-")), "ledger.jsonl");
    const seed = Math.floor(random() * 1e9);
    const latency = { latencyMs: LATENCY_MS, latencyMinMs: LATENCY_MS / 2 };
    const service = await startService({
      ledger,
      seed,
      rates: { refuse: refusesNone ? 0 : 0.02 },
      ...latency,
      ...(words && { words }),
    });
    const site = new Site(options, server, service);
    const kind =
      encoding === undefined ? "" : `ENCODING '${encoding}' LOCALE 'C' LOCALE_PROVIDER 'libc' TEMPLATE template0`;
    await site.ask(`CREATE ROLE ${ROLE} LOGIN`, "postgres");
    await site.ask(`CREATE DATABASE ${site.database} OWNER ${ROLE} ${kind}`, "postgres");
    return site;
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  /** About so often, for so long. */
  async again(ms: number, everyMs: number, work: () => Promise<unknown>): Promise<void> {
    const until = performance.now() + ms;
    while (performance.now() < until) {
      await work();
      await sleep(this.random() * 2 * everyMs);
    }
  }

  /** To be undone or ended with the site. */
  atTheEnd(work: () => unknown): void {
    this.#atTheEnd.unshift(work);
  }

  async close(isKept: boolean): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.end(0)));
    for (const work of this.#atTheEnd) await work();
    for (const way of this.ways) way.close();
    await this.service.close();
    for (const server of this.servers) server.remove();
    if (!isKept)
      for (const folder of [this.folder, join(this.service.ledger, "..")])
        rmSync(folder, { recursive: true, force: true });
  }

  /** A file that all hosts have something of. */
  put(): void {
    this.#drop(this.inbox, sharesOf(this.options.name, this.options.rows));
  }

  /** A file; every further one has the same payments. */
  putTwin(inbox: string): void {
    this.#drop(inbox, twinOf(this.options.name, this.options.rows, this.files.length > 0));
  }

  #drop(inbox: string, file: PayrollFile): void {
    this.files.push(dropped(inbox, `${this.options.name}n${this.files.length}.csv`, file));
  }

  /** One more host, kept alive. */
  async keep(
    operands: readonly string[],
    env: Readonly<Record<string, string>> = {},
    nodeArgs: readonly string[] = [],
  ): Promise<KeptHost> {
    const slot = this.ways.length;
    const way = await startProxy(this.server.urlOf(this.database));
    this.ways.push(way);
    const host = new KeptHost(operands, () =>
      this.#life(operands, slot, { ...env, PAYDROP_JOURNAL_URL: this.#urlBy(way) }, nodeArgs),
    );
    this.hosts.push(host);
    return host;
  }

  /** One command, which ends; past all ways. */
  command(operands: readonly string[]): Promise<LifeEnd> {
    return this.#life(operands, 99, { PAYDROP_JOURNAL_URL: this.urlOf() }).ended;
  }

  urlOf(role = ROLE): string {
    return Object.assign(new URL(this.server.urlOf(this.database)), { username: role }).href;
  }

  #urlBy(way: Proxy): string {
    return Object.assign(new URL(this.urlOf()), { port: new URL(way.url).port }).href;
  }

  #life(
    operands: readonly string[],
    slot: number,
    env: Readonly<Record<string, string>>,
    nodeArgs: readonly string[] = [],
  ): Life {
    const all = {
      PAYDROP_JOURNAL_KEY: this.#key,
      PAYDROP_CONCURRENCY: String(CONCURRENCY),
      PAYDROP_HOST_LANES: String((CONCURRENCY * 2) / 3),
      PAYDROP_TEST_LEASE_MS: String(SITE_LEASE_MS),
      PAYDROP_SETTLE: "50ms",
      PAYDROP_TIMEOUT: "5s",
      ...env,
    };
    return startLife(operands, {
      stateDir: join(this.folder, `state${slot}`),
      url: this.service.url,
      env: all,
      nodeArgs,
      timeoutMs: 300_000,
    });
  }

  /** Asks the server of now, as its administrator. */
  async ask<T extends object>(sql: string, database = this.database, ...values: readonly unknown[]): Promise<T[]> {
    return this.as((client) => client.query<T>(sql, [...values]).then(({ rows }) => rows), database);
  }

  /** Where all stands, for whoever looks why nothing goes on. */
  async standing(): Promise<string> {
    const all = `SELECT (SELECT json_agg(m) FROM paydrop.meta m WHERE key <> 'keySecret') AS meta,
      (SELECT json_agg(w) FROM paydrop.witness w) AS witnesses, (SELECT json_agg(h) FROM paydrop.host h) AS hosts,
      (SELECT json_agg(l) FROM paydrop.lease l) AS leases, (SELECT json_agg(b) FROM (SELECT id, phase, run, stop, isProven FROM paydrop.batch) b) AS batches,
      (SELECT json_agg(s) FROM (SELECT batch, share, epoch, owner, leaseUntil, lanes, mark FROM paydrop.share) s) AS shares,
      (SELECT json_agg(a) FROM (SELECT pid, state, wait_event, left(query, 80) AS query FROM pg_stat_activity WHERE datname = current_database()) a) AS sessions`;
    const found = await this.ask(all).catch((error: unknown) => [String(error)]);
    return `${JSON.stringify(found)} ${this.hosts.map((host) => host.heardSince(0).slice(-400)).join(" | ")}`;
  }

  /** A session of its administrator. */
  async as<T>(work: (client: pg.Client) => Promise<T>, database = this.database, server = this.server): Promise<T> {
    const client = new pg.Client({ connectionString: server.urlOf(database), connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** What is done in it explains rows that are unknown afterwards. */
  async strike(work: () => Promise<unknown>): Promise<void> {
    const from = Date.now();
    try {
      await work();
    } finally {
      this.struck.push({ from, to: Date.now() });
    }
  }

  /** Hosts reach no server meanwhile; then the one of that time. */
  async away(work: () => Promise<unknown>): Promise<void> {
    for (const way of this.ways) way.cutOff();
    await work();
    this.pointAll();
  }

  pointAll(server = this.server): void {
    for (const way of this.ways) {
      way.forwardAgain();
      way.pointTo(server.urlOf(this.database));
    }
  }

  /** A folder that a server may write to. */
  ownedByServer(folder: string): string {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    if (INSTALLED?.user.uid !== undefined) chownSync(folder, INSTALLED.user.uid, INSTALLED.user.gid ?? 0);
    return folder;
  }

  /** In the folder of the servers, and gone with them. */
  inServers(name: string): string {
    return join(this.options.servers, `${this.options.name}-${name}`);
  }

  /** Notes which rows this server takes for not gone though they went: the hosts do not reach it yet. */
  async noteForgotten(database = this.database, server = this.server): Promise<void> {
    const went = new Set(this.service.lines().map(({ marker }) => marker));
    for (const { fileName, plan } of this.files) {
      const rows = await this.as((client) => journalOf(client, fileName), database, server);
      for (const { number, marker } of plan) {
        const row = rows.get(number);
        if (went.has(marker) && (row === undefined || (row.state === "ready" && !row.wasLetGo)))
          this.forgotten.add(marker);
      }
    }
  }

  journal(fileName: string): Promise<JournalRows> {
    return this.as((client) => journalOf(client, fileName));
  }

  sendable(): number {
    return this.files.flatMap(({ plan }) => plan).filter(({ kind }) => kind === "sendable").length;
  }

  /** So many of the rows have gone; or the hosts end before anything goes: gives whether they send. */
  async untilGone(part: number): Promise<boolean> {
    const isRefused = (): boolean => this.hosts.length > 0 && this.hosts.every(({ ends }) => ends.length > 1);
    const count = (): number => (existsSync(this.service.ledger) ? statSync(this.service.ledger).size : 0);
    const wanted = Math.max(1, part * this.sendable()) * LINE_BYTES;
    await until(`${part} of the rows has gone`, () => count() >= wanted || isRefused());
    return count() > 0;
  }

  /** So many more rows go; where nothing goes any more it is given up. */
  async untilMoreGo(rows: number): Promise<void> {
    const before = this.service.lines().length;
    const isSo = (): boolean => this.service.lines().length >= before + rows;
    await until("more rows go", isSo, { withinMs: 10_000 }).catch(() => undefined);
  }

  /** Nothing of any file is left to be sent, or to be written beside it. */
  async isOver(): Promise<boolean> {
    const sql = `SELECT b."fileName", bool_or(r.state IN ('ready', 'not_sent')) OR bool_or(b."owesResults") OR bool_or(b.run IS NOT NULL) AS goes
      FROM paydrop.batch b JOIN paydrop.rows r ON r.batch = b.seq GROUP BY b."fileName"`;
    const found = await this.ask<{ goes: boolean }>(sql).catch(() => []);
    return found.length >= this.files.length && found.every(({ goes }) => !goes);
  }

  /** No row arrived for so long. */
  quietMs(): number {
    return existsSync(this.service.ledger) ? Date.now() - statSync(this.service.ledger).mtimeMs : Infinity;
  }
}

/** Of the ledger: about. */
const LINE_BYTES = 100;
