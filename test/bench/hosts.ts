import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { PostgresServer, serversFolder } from "../support/postgres-server.ts";
import { until } from "../support/until.ts";
import type { Bench } from "./bench.ts";
import { start } from "./child.ts";
import { figure, median, spread, table } from "./figures.ts";
import { makeFile } from "./payment-files.ts";
import { clear, emptyFolder, paydropCommand } from "./peers.ts";
import { type Service, withService } from "./service.ts";

const LANES_OF_HOST = 64;
const DELAY_MS = 20;
/** What must be reached: two hosts of one, and one host of the same on a journal in a file. */
const AIMS = { two: 1.8, server: 0.8 } as const;
/** So long the queue of the other hosts may take to begin. */
const SETTLED_MS = 2_000;

/** One repetition. */
interface HostsRun {
  /** From the first request to the last answer. */
  readonly rowsPerSecond: number;
  /** From the start of the command to the first request, and from the last answer to its end. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Of all hosts. */
  readonly cpuMsPerRow: number;
  readonly server?: ServerRun;
}

interface ServerRun {
  readonly cpuMsPerRow: number;
  /** Calls that bring outcomes in and let rows go, of all hosts. */
  readonly commitsPerSecond: number;
  readonly rowsPerCommit: number;
}

interface Case {
  readonly title: string;
  readonly hosts: number;
  readonly isShared: boolean;
  readonly runs: HostsRun[];
}

/**
 * One file sent by several hosts that share a journal in Postgres, and by one host with its journal in a file. Service,
 * Postgres and hosts share this machine: where its cores are busy, that is the limit, and not the hosts.
 */
export async function hosts(bench: Bench): Promise<readonly Case[]> {
  const cases: readonly Case[] = [
    { title: "1 host, SQLite", hosts: 1, isShared: false, runs: [] },
    ...bench.hosts.map((count) => ({
      ...{ title: `${count} host${count === 1 ? "" : "s"}, Postgres`, hosts: count, isShared: true, runs: [] },
    })),
  ];
  // the server's user must come through to a folder in it
  chmodSync(bench.folder, 0o711);
  const servers = serversFolder(bench.folder);
  try {
    const server = await PostgresServer.create(join(servers.folder, "hosts"), { track_functions: "all" });
    for (let time = 1; time <= bench.repeat; time += 1) {
      for (const one of cases) {
        bench.progress(`${one.title}: ${time} of ${bench.repeat}`);
        one.runs.push(await withService({ delayMs: DELAY_MS }, (service) => measure(bench, one, server, service)));
      }
    }
  } finally {
    await servers.end();
  }
  const lanes = `${LANES_OF_HOST} lanes a host, answers of ${DELAY_MS} ms`;
  bench.say(`\nMany hosts, transfers, ${figure(bench.rows)} rows, ${lanes}\n\n${hostsTable(cases)}`);
  return cases;
}

async function measure(bench: Bench, { hosts, isShared }: Case, server: PostgresServer, service: Service) {
  const { rows, program } = bench;
  const folder = emptyFolder(bench.folder, "hosts");
  const database = isShared ? await Database.make(server) : undefined;
  const lanes = { PAYDROP_CONCURRENCY: String(LANES_OF_HOST * hosts), PAYDROP_HOST_LANES: String(LANES_OF_HOST) };
  const begin = (name: string, ...operands: string[]) =>
    start(
      paydropCommand(program, [...operands, "--state-dir", join(folder, name)], service.url, {
        ...lanes,
        ...database?.settings,
      }),
    );
  try {
    const file = makeFile({ folder, kind: "transfers", rows });
    const others = Array.from({ length: hosts - 1 }, (_, at) => begin(`other-${at}`, "work"));
    if (others.length > 0) await database?.untilPresent(others.length);
    const before = database && (await database.counts());
    const conductor = begin("conductor", "run", file);
    const run = await conductor.ended;
    const after = database && (await database.counts());
    let { cpuMs: cpuMsOfAll = NaN } = run;
    // one after the other: what is counted for one that ends is what all have used that ended since it began
    for (const { child, ended } of others.toReversed()) {
      child.kill("SIGTERM");
      cpuMsOfAll = (await ended).cpuMs ?? NaN;
    }
    const { requests, firstAt, lastAt } = await service.counts();
    if (run.code !== 0 || requests !== rows)
      throw new Error(`${requests} requests for ${rows} rows, exit ${String(run.code)}\n${run.stderr}`);
    const seconds = (lastAt - firstAt) / 1000;
    return {
      ...{ rowsPerSecond: rows / seconds, beforeMs: firstAt - run.startedAt, afterMs: run.endedAt - lastAt },
      cpuMsPerRow: cpuMsOfAll / rows,
      ...(before && after && { server: serverRun(before, after, rows, seconds) }),
    };
  } finally {
    await database?.remove();
    clear(folder);
  }
}

function serverRun(before: Counts, after: Counts, rows: number, seconds: number): ServerRun {
  const commits = after.commits - before.commits;
  const cpuMsPerRow = (after.cpuMs - before.cpuMs) / rows;
  return { cpuMsPerRow, commitsPerSecond: commits / seconds, rowsPerCommit: rows / commits };
}

interface Counts {
  readonly cpuMs: number;
  readonly commits: number;
}

/** A database for one repetition, and what its server did for it. */
class Database {
  readonly settings: Readonly<Record<string, string>>;
  readonly #name = `bench_${randomBytes(6).toString("hex")}`;
  readonly #server: PostgresServer;
  readonly #client: pg.Client;
  readonly #root: pg.Client;

  private constructor(server: PostgresServer) {
    const url = server.urlOf(this.#name);
    this.#server = server;
    this.#root = new pg.Client(server.url);
    this.#client = new pg.Client(url);
    this.settings = { PAYDROP_JOURNAL_URL: url, PAYDROP_JOURNAL_KEY: randomBytes(32).toString("hex") };
  }

  static async make(server: PostgresServer): Promise<Database> {
    const database = new Database(server);
    await database.#root.connect();
    await database.#root.query(`CREATE DATABASE ${database.#name}`);
    await database.#client.connect();
    return database;
  }

  /** So many hosts are there, and wait for work. */
  async untilPresent(hosts: number): Promise<void> {
    const sql = "SELECT count(*)::int AS there FROM paydrop.host, paydrop_jobs.queue WHERE queue.name = 'shares'";
    const present = async (): Promise<boolean> => {
      // the tables come with the first of them
      const { rows } = await this.#client.query(sql).catch(() => ({ rows: [] }));
      return (rows as { there: number }[])[0]?.there === hosts;
    };
    await until(`${hosts} hosts that wait for work`, present);
    await sleep(SETTLED_MS);
  }

  async counts(): Promise<Counts> {
    // a session tells its counts within a second of its last statement
    await sleep(1_000);
    const sql = "SELECT calls::int AS commits FROM pg_stat_user_functions WHERE funcname = 'commit_shares'";
    const { rows } = await this.#client.query<{ commits: number }>(sql);
    return { cpuMs: this.#server.cpuMs(), commits: rows[0]?.commits ?? 0 };
  }

  async remove(): Promise<void> {
    await this.#client.end();
    await this.#root.query(`DROP DATABASE ${this.#name} WITH (FORCE)`);
    await this.#root.end();
  }
}

/** At most 100 columns wide. */
function hostsTable(cases: readonly Case[]): string {
  const middle = ({ runs }: Case, figureOf: (run: HostsRun) => number): number => median(runs.map(figureOf));
  const rate = (one: Case | undefined): number => (one ? middle(one, (run) => run.rowsPerSecond) : NaN);
  const single = cases.find(({ hosts, isShared }) => isShared && hosts === 1);
  const header = [
    "",
    "rows/s",
    "spread",
    "to 1 host",
    "first row",
    "after last",
    "CPU ms/row",
    "Postgres",
    "commits/s",
    "rows each",
  ];
  const lines = cases.map((one) => {
    const rates = one.runs.map((run) => run.rowsPerSecond);
    const ratio = one.isShared && one !== single ? `${figure(rate(one) / rate(single))} ×` : "";
    const ofServer = (figureOf: (run: ServerRun) => number): string =>
      one.isShared ? figure(middle(one, ({ server }) => (server ? figureOf(server) : NaN))) : "";
    return [
      ...[one.title, figure(Math.round(rate(one))), spread(rates), ratio],
      ...[middle(one, (run) => run.beforeMs), middle(one, (run) => run.afterMs)].map((ms) => `${figure(ms / 1000)} s`),
      figure(middle(one, (run) => run.cpuMsPerRow)),
      ofServer((run) => run.cpuMsPerRow),
      ofServer((run) => Math.round(run.commitsPerSecond)),
      ofServer((run) => run.rowsPerCommit),
    ];
  });
  const [file] = cases;
  const two = cases.find(({ hosts, isShared }) => isShared && hosts === 2);
  const ofOne = `two hosts of one: ${figure(rate(two) / rate(single))} (at least ${AIMS.two})`;
  const ofFile = `one on Postgres of one on SQLite: ${figure(rate(single) / rate(file))} (at least ${AIMS.server})`;
  return `${table(header, lines)}\n\n${ofOne}; ${ofFile}`;
}
