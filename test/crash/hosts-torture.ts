/**
 * `npm run torture -- --hosts 3 --postgres --minutes 5`: hosts of one journal in Postgres, each of them a watch, a work or
 * a run by chance, are killed, stopped and continued at random moments, and their server is stopped hard now and then. The
 * service's own ledger is then compared with journal and results.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { PostgresServer, serversFolder } from "../support/postgres-server.ts";
import type { Rates } from "../support/ledger-server.ts";
import { batchIn, type Batch } from "./batch.ts";
import { REGULAR_EXITS, startLife, startService, type Life, type Service } from "./lives.ts";
import { judge, readLedger, type JournalRows } from "./oracle.ts";

export interface HostsTorture {
  readonly hosts: number;
  readonly minutes: number;
  readonly random: () => number;
  readonly rates: Rates;
  readonly onProgress: (line: string) => void;
}

interface Host {
  life: Life;
  lanes: number;
  isEnded: boolean;
  isStopped: boolean;
}

/** Another host has the batch; it is asked to end while Postgres is away. */
const HOST_EXITS: readonly number[] = [...REGULAR_EXITS, 75];
const CONCURRENCY = 24;
const LANES_MAX = 12;
const LEASE_MS = 15_000;
const CALM_RUNS_MAX = 8;

class Figures {
  rounds = 0;
  kills = 0;
  stops = 0;
  restarts = 0;
  rows = 0;
  requests = 0;
  twice = 0;
  lost = 0;
  wrong = 0;
  unknown = 0;
  unknownOfHosts = 0;
  unknownMax = 0;
  readonly faults: string[] = [];

  toString(): string {
    return (
      `rounds ${this.rounds}  kills ${this.kills}  stops ${this.stops}  Postgres stopped hard ${this.restarts}  rows ${this.rows}  ` +
      `requests ${this.requests}  twice ${this.twice}  lost ${this.lost}  wrong ${this.wrong}  ` +
      `unknown ${this.unknown} (${this.unknownOfHosts} by lost hosts, at most ${this.unknownMax})`
    );
  }
}

export async function hostsTorture(options: HostsTorture): Promise<Figures> {
  const figures = new Figures();
  const servers = serversFolder();
  const folder = mkdtempSync(join(tmpdir(), "paydrop-torture-"));
  const postgres = await PostgresServer.create(join(servers.folder, "torture"));
  const until = performance.now() + options.minutes * 60_000;
  try {
    while (performance.now() < until && figures.faults.length === 0) {
      figures.rounds += 1;
      await new Round(options, figures, postgres, join(folder, String(figures.rounds))).run();
      options.onProgress(String(figures));
    }
  } finally {
    if (figures.faults.length === 0) {
      postgres.remove();
      rmSync(folder, { recursive: true, force: true });
    } else figures.faults.push(`everything is kept in ${folder}`);
    await servers.end();
  }
  return figures;
}

/** Some files, one journal, one service, until all has come to its end. */
class Round {
  readonly #options: HostsTorture;
  readonly #figures: Figures;
  readonly #postgres: PostgresServer;
  readonly #folder: string;
  readonly #database: string;
  readonly #key = randomBytes(32).toString("hex");
  readonly #hosts: Host[] = [];
  #service: Service | undefined;
  #lives = 0;
  #unknownMax = 0;

  constructor(options: HostsTorture, figures: Figures, postgres: PostgresServer, folder: string) {
    this.#options = options;
    this.#figures = figures;
    this.#postgres = postgres;
    this.#folder = folder;
    this.#database = `round${figures.rounds}`;
  }

  async run(): Promise<void> {
    const { random, rates, hosts } = this.#options;
    mkdirSync(this.#folder, { recursive: true });
    await this.#ask(`CREATE DATABASE ${this.#database}`, "postgres");
    const seed = Math.floor(random() * 1e9);
    const ledger = join(this.#folder, "ledger.jsonl");
    this.#service = await startService({ ledger, seed, rates, latencyMs: 20, latencyMinMs: 20 });
    const name = `r${this.#figures.rounds}`;
    const inbox = [4_300, 900, 200].map((rows, at) => batchIn(this.#folder, `${name}i${at}`, rows));
    const own = [2_500].map((rows, at) => batchIn(join(this.#folder, "own"), `${name}o${at}`, rows));
    const batches = [...inbox, ...own];
    try {
      for (let at = 0; at < hosts; at += 1) this.#hosts[at] = this.#start(at, own);
      const untilMs = performance.now() + 60_000 + random() * 60_000;
      while (performance.now() < untilMs && !(await this.#isOver(batches))) {
        await sleep(200 + random() * 2_500);
        await this.#disturb(own);
      }
      await this.#calm(batches);
      await this.#judgeTakeovers();
      for (const batch of batches) await this.#judge(batch);
    } finally {
      for (const { life } of this.#hosts) life.child.kill("SIGKILL");
      await this.#service.close();
    }
  }

  /** One host dies, stands still, is asked to end, or begins anew; or the server of all dies. */
  async #disturb(own: readonly Batch[]): Promise<void> {
    const { random } = this.#options;
    const figures = this.#figures;
    const at = Math.floor(random() * this.#hosts.length);
    const host = this.#hosts[at];
    if (!host) return;
    for (const [slot, one] of this.#hosts.entries()) if (one.isEnded) this.#hosts[slot] = this.#start(slot, own);
    const dice = random();
    if (dice < 0.12) {
      figures.restarts += 1;
      this.#postgres.stopHard();
      await sleep(random() < 0.8 ? random() * 3_000 : 18_000);
      this.#postgres.start();
    } else if (dice < 0.5) {
      figures.kills += 1;
      this.#unknownMax += host.lanes;
      host.life.child.kill("SIGKILL");
    } else if (dice < 0.75 && !host.isStopped) {
      figures.stops += 1;
      this.#unknownMax += host.lanes;
      host.isStopped = true;
      host.life.child.kill("SIGSTOP");
      void sleep(random() < 0.5 ? random() * 6_000 : LEASE_MS + random() * 15_000).then(() => {
        host.isStopped = false;
        host.life.child.kill("SIGCONT");
      });
    } else if (dice < 0.85) host.life.child.kill("SIGTERM");
  }

  #start(slot: number, own: readonly Batch[]): Host {
    const { random } = this.#options;
    const lanes = 2 + Math.floor(random() * (LANES_MAX - 1));
    const dice = random();
    const batch = own[Math.floor(random() * own.length)];
    const operands =
      dice < 0.5 || !batch ? ["watch", join(this.#folder, "inbox")] : dice < 0.75 ? ["work"] : ["run", batch.path];
    const life = this.#life(operands, slot, lanes);
    const host: Host = { life, lanes, isEnded: false, isStopped: false };
    void life.ended.then(
      ({ code, output }) => {
        host.isEnded = true;
        if (code !== undefined && !HOST_EXITS.includes(code))
          this.#figures.faults.push(`${operands.join(" ")} ended with ${code}: ${output.slice(-400)}`);
      },
      (error: unknown) => {
        host.isEnded = true;
        // before it listened to signals
        if (!/^Error: ended by SIGTERM/.test(String(error))) this.#figures.faults.push(String(error));
      },
    );
    return host;
  }

  #life(operands: readonly string[], slot: number, lanes: number): Life {
    this.#lives += 1;
    const env = {
      PAYDROP_JOURNAL_URL: this.#postgres.urlOf(this.#database),
      PAYDROP_JOURNAL_KEY: this.#key,
      PAYDROP_CONCURRENCY: String(CONCURRENCY),
      PAYDROP_HOST_LANES: String(lanes),
      PAYDROP_SETTLE: "50ms",
      PAYDROP_QUIET: "1",
    };
    const stateDir = join(this.#folder, `state${slot}`);
    return startLife(operands, { stateDir, url: this.#service?.url ?? "", env, timeoutMs: 400_000 });
  }

  /** All come to their end; what is left goes undisturbed. */
  async #calm(batches: readonly Batch[]): Promise<void> {
    for (const host of this.#hosts) {
      host.life.child.kill("SIGCONT");
      host.life.child.kill("SIGTERM");
    }
    await Promise.all(this.#hosts.map(({ life }) => life.ended.catch(() => undefined)));
    const paths = batches.map(({ path }) => path);
    for (let run = 1; run <= CALM_RUNS_MAX; run += 1) {
      const { code, output } = await this.#life(["run", ...paths], 99, CONCURRENCY).ended;
      if (code === undefined || !HOST_EXITS.includes(code))
        throw new Error(`undisturbed, it ended with ${String(code)}: ${output}`);
      if (code !== 75 && (await this.#isOver(batches))) return;
      await sleep(2_000);
    }
    this.#figures.faults.push(`${CALM_RUNS_MAX} undisturbed runs did not bring it to its end`);
  }

  async #isOver(batches: readonly Batch[]): Promise<boolean> {
    const sql = `SELECT b."fileName", bool_or(r.state IN ('ready', 'not_sent')) OR bool_or(b."owesResults") AS goes FROM paydrop.batch b
      JOIN paydrop.rows r ON r.batch = b.seq GROUP BY b."fileName"`;
    const found = await this.#ask<{ goes: boolean }>(sql).catch(() => []);
    return found.length === batches.length && found.every(({ goes }) => !goes);
  }

  /** Each is one share of one lost host, which had no more rows on the wire than lanes. */
  async #judgeTakeovers(): Promise<void> {
    const sql = "SELECT batch, json_array_length(rows) AS rows FROM paydrop.act WHERE kind = 'recover'";
    for (const { batch, rows } of await this.#ask<{ batch: string; rows: number }>(sql))
      if (rows > LANES_MAX) this.#figures.faults.push(`${rows} rows of batch ${batch} unknown by one lost host`);
  }

  async #judge({ path, fileName, plan }: Batch): Promise<void> {
    const sql = `SELECT r.row, r.state, r.turn <= s.mark AS gone FROM paydrop.rows r JOIN paydrop.batch b ON b.seq = r.batch
      JOIN paydrop.share s ON s.batch = r.batch AND s.share = r.share WHERE b."fileName" = $1`;
    const rows = await this.#ask<{ row: number; state: string; gone: boolean }>(sql, this.#database, fileName);
    const journal: JournalRows = new Map(rows.map(({ row, state, gone }) => [row, { state, wasLetGo: gone }]));
    const ledger = readLedger(this.#service?.ledger ?? "");
    const verdict = judge(path, journal, plan, ledger);
    const figures = this.#figures;
    figures.rows += verdict.rows;
    figures.twice += verdict.double.length;
    figures.lost += verdict.lost.length;
    figures.wrong += verdict.wrong.length;
    figures.unknown += verdict.unknown;
    figures.unknownOfHosts += verdict.unknownOfKills;
    for (const { marker } of plan) figures.requests += ledger.get(marker)?.requests ?? 0;
    figures.faults.push(
      ...[...verdict.double, ...verdict.lost, ...verdict.wrong].map((text) => `${fileName}: ${text}`),
    );
    figures.unknownMax += this.#unknownMax;
    this.#unknownMax = 0;
    if (figures.unknownOfHosts > figures.unknownMax)
      figures.faults.push(`${figures.unknownOfHosts} unknown by lost hosts, at most ${figures.unknownMax} expected`);
  }

  async #ask<T extends object>(sql: string, database = this.#database, ...values: readonly unknown[]): Promise<T[]> {
    const client = new pg.Client(this.#postgres.urlOf(database));
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query<T>(sql, [...values])).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
