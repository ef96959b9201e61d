import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { PostgresServer, serversFolder } from "../support/postgres-server.ts";
import type { Bench } from "./bench.ts";
import { run } from "./child.ts";
import { figure, median, spread, table } from "./figures.ts";
import { endedInPostgres, endedInSqlite } from "./ended-batches.ts";
import { makeFile } from "./payment-files.ts";
import { emptyFolder, paydropCommand } from "./peers.ts";
import { type Service, withService } from "./service.ts";

const ROWS = 1_000;
const DELAY_MS = 20;
/** With old batches beside them rows may take so many times as long. */
const AIM = 1.2;

/** One command: from its start to its end, from the first request to the last answer, and what it and its server worked. */
interface OneRun {
  readonly wallMs: number;
  readonly sendingMs: number;
  readonly cpuMs: number;
}

interface Journal {
  readonly title: string;
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Of the server of this journal, so far. */
  readonly cpuMs: () => number;
  readonly runs: OneRun[];
}

/** 1,000 rows on a journal that is new, and on one with many batches that ended long ago, by turns; on both engines. */
export async function batches(bench: Bench): Promise<readonly (Pick<Journal, "title" | "runs"> & { ratio: number })[]> {
  chmodSync(bench.folder, 0o711);
  const servers = serversFolder(bench.folder);
  try {
    const server = await PostgresServer.create(join(servers.folder, "batches"));
    const pairs = [await onSqlite(bench), await onPostgres(bench, server)];
    for (let time = 1; time <= bench.repeat; time += 1) {
      for (const journal of pairs.flat()) {
        bench.progress(`${journal.title}: ${time} of ${bench.repeat}`);
        journal.runs.push(
          await withService({ delayMs: DELAY_MS }, (service) => measure(bench, journal, service, time)),
        );
      }
    }
    bench.say(`\n${figure(ROWS)} rows, answers of ${DELAY_MS} ms, beside ended batches\n\n${batchesTable(pairs)}`);
    return pairs.flatMap(([bare, old]) =>
      [bare, old].map(({ title, runs }) => ({ title, runs, ratio: ratio(bare, old) })),
    );
  } finally {
    await servers.end();
  }
}

type Pair = readonly [bare: Journal, old: Journal];

async function pairOf(
  bench: Bench,
  engine: string,
  settings: () => Promise<Journal["settings"]>,
  cpuMs: Journal["cpuMs"] = () => 0,
): Promise<Pair> {
  const titles = [`${engine}, new`, `${engine}, ${figure(bench.batches)} ended batches`] as const;
  const journals: Journal[] = [];
  for (const title of titles) {
    const journal = {
      title,
      folder: emptyFolder(bench.folder, "batches"),
      settings: await settings(),
      cpuMs,
      runs: [],
    };
    // makes its tables
    await withService({}, (service) => measure(bench, journal, service, 0));
    journals.push(journal);
  }
  return journals as unknown as Pair;
}

async function onSqlite(bench: Bench): Promise<Pair> {
  const pair = await pairOf(bench, "SQLite", () => Promise.resolve({}));
  bench.progress("SQLite: makes ended batches");
  const database = new DatabaseSync(join(pair[1].folder, "state", "journal.db"));
  endedInSqlite(database, bench.batches, join(pair[1].folder, "in"));
  database.close();
  return pair;
}

async function onPostgres(bench: Bench, server: PostgresServer): Promise<Pair> {
  const urls: string[] = [];
  const pair = await pairOf(
    bench,
    "Postgres",
    async () => {
      const name = `bench_${randomBytes(6).toString("hex")}`;
      await withClient(server.url, (client) => client.query(`CREATE DATABASE ${name}`));
      urls.push(server.urlOf(name));
      return { PAYDROP_JOURNAL_URL: server.urlOf(name), PAYDROP_JOURNAL_KEY: randomBytes(32).toString("hex") };
    },
    () => server.cpuMs(),
  );
  bench.progress("Postgres: makes ended batches");
  await withClient(urls[1] ?? "", (client) => endedInPostgres(client, bench.batches, join(pair[1].folder, "in")));
  return pair;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function measure(
  bench: Bench,
  { folder, settings, cpuMs: ofServer }: Journal,
  service: Service,
  series: number,
): Promise<OneRun> {
  // where the ended ones came from, too
  const inbox = join(folder, "in");
  mkdirSync(inbox, { recursive: true });
  const file = makeFile({ folder: inbox, kind: "transfers", rows: ROWS, series });
  const command = paydropCommand(bench.program, ["run", file, "--state-dir", join(folder, "state")], service.url, {
    ...settings,
    // the address of the service changes from one to the next
    PAYDROP_ENVIRONMENT: "test",
  });
  const before = ofServer();
  const { wallMs, cpuMs = NaN } = await run(command);
  const worked = cpuMs + ofServer() - before;
  const { requests, firstAt, lastAt } = await service.counts();
  if (requests !== ROWS) throw new Error(`${requests} requests for ${ROWS} rows`);
  return { wallMs, sendingMs: lastAt - firstAt, cpuMs: worked };
}

const middle = ({ runs }: Journal, of: (run: OneRun) => number): number => median(runs.map(of));
const ratio = (bare: Journal, old: Journal, of = (run: OneRun): number => run.wallMs): number =>
  middle(old, of) / middle(bare, of);

function batchesTable(pairs: readonly Pair[]): string {
  const lines = pairs.flatMap(([bare, old]) =>
    [bare, old].map((journal) => [
      journal.title,
      ...[(run: OneRun) => run.wallMs, (run: OneRun) => run.sendingMs, (run: OneRun) => run.cpuMs].map(
        (of) => `${figure(middle(journal, of) / 1000)} s`,
      ),
      spread(journal.runs.map(({ wallMs }) => wallMs)),
      ...(journal === old
        ? [`${figure(ratio(bare, old))} × (at most ${AIM})`, `${figure(ratio(bare, old, (run) => run.cpuMs))} ×`]
        : ["", ""]),
    ]),
  );
  return table(["", "start to exit", "sending", "CPU", "spread", "to a new one", "of CPU"], lines);
}
