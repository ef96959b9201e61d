import { execFileSync } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { loadSettings } from "../../src/config/load.ts";
import type { Config } from "../../src/config/schema.ts";
import type { JournalStore, NewRow } from "../../src/journal/store.ts";
import { openJournalOf } from "../../src/open-journal.ts";
import { find as findRows, type FoundRow } from "../../src/results/find.ts";
import type { Sought } from "../../src/results/sought.ts";
import { journalPath } from "../../src/state-dir.ts";
import { PostgresServer, serversFolder } from "../support/postgres-server.ts";
import type { Bench } from "./bench.ts";
import { run } from "./child.ts";
import { figure, median, megabytes, table } from "./figures.ts";
import {
  BATCH_ROWS,
  COMMON_AMOUNT,
  fillPostgres,
  fillSqlite,
  LAST4,
  RARE_AMOUNT,
  type Filled,
} from "./large-journal.ts";
import { clear, emptyFolder, paydropCommand } from "./peers.ts";
import { withService } from "./service.ts";

const AIM_S = 1;
/** Files that are really sent beside the rows that were there, by the same people each time. */
const FILES = 10;
/** So many rows the desk shows. */
const SHOWN = 200;

interface Question {
  readonly title: string;
  readonly sought: Sought;
  /** Only so many are asked for. */
  readonly first?: number;
}

const QUESTIONS: readonly Question[] = [
  { title: "reference", sought: { text: "REF-7-4321" } },
  { title: "account", sought: { text: accountOf(4321) } },
  { title: "last four", sought: { text: LAST4 }, first: SHOWN },
  { title: "last four, all", sought: { text: LAST4 } },
  { title: "rare amount", sought: { amount: RARE_AMOUNT } },
  { title: "common amount", sought: { amount: COMMON_AMOUNT }, first: SHOWN },
  { title: "common amount, all", sought: { amount: COMMON_AMOUNT } },
];

interface Engine {
  readonly title: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly fill: (store: JournalStore, stateDir: string, copy: string) => Promise<Filled>;
  /** What stands in rows of a batch. */
  readonly people: () => Promise<readonly Person[]>;
  /** Its next question finds no page in memory. */
  readonly forget: () => void;
}

type Person = Required<Pick<NewRow, "payee" | "zeros" | "last4" | "employee" | "mobile" | "named">>;
const PEOPLE = `SELECT payee, zeros, last4, employee, mobile, named FROM`;

interface Answer {
  readonly title: string;
  readonly found: number;
  readonly seconds: number;
  /** With nothing in memory; NaN where that cannot be had. */
  readonly coldSeconds: number;
  /** Of the command; NaN where only the first rows are asked for. */
  readonly commandSeconds: number;
}

interface Found extends Filled {
  readonly title: string;
  readonly answers: readonly Answer[];
  /** A file of 10,000 rows that is sent beside all others. */
  readonly runSeconds: number;
  /** Rows written down and looked at a second: of people who are known, and of nobody. */
  readonly recorded: Readonly<
    Record<"known" | "nobody", { readonly recordSeconds: number; readonly seenSeconds: number }>
  >;
}

/** `paydrop find` beside so many rows in the journal, and what one more file costs there; on both engines. */
export async function find(bench: Bench): Promise<readonly Found[]> {
  chmodSync(bench.folder, 0o711);
  const found = [await measure(bench, onSqlite(bench))];
  const servers = serversFolder(bench.folder);
  try {
    const server = await PostgresServer.create(join(servers.folder, "find"), FILLING);
    found.push(await measure(bench, onPostgres(bench, server)));
  } finally {
    await servers.end();
  }
  return found;
}

/** What only filling needs. */
const FILLING = { wal_level: "minimal", max_wal_senders: "0", max_wal_size: "8GB" };

function onSqlite(bench: Bench): Engine {
  const folder = emptyFolder(bench.folder, "find");
  return {
    title: "SQLite",
    folder,
    env: {},
    fill: (store, stateDir, copy) => fillSqlite(store, stateDir, bench.rows, () => copy),
    people: () => {
      const database = new DatabaseSync(journalPath(join(folder, "state")));
      const people = database.prepare(`${PEOPLE} row WHERE batch = 3`).all() as unknown as Person[];
      database.close();
      return Promise.resolve(people);
    },
    forget: dropCaches,
  };
}

function onPostgres(bench: Bench, server: PostgresServer): Engine {
  const withClient = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client(server.url);
    await client.connect();
    return work(client).finally(() => client.end());
  };
  const forget = (): void => {
    server.stopHard();
    dropCaches();
    server.start();
  };
  return {
    title: "Postgres",
    folder: emptyFolder(bench.folder, "find"),
    env: { PAYDROP_JOURNAL_URL: server.url, PAYDROP_JOURNAL_KEY: randomBytes(32).toString("hex") },
    fill: async (store, stateDir, copy) => {
      const filled = await withClient((client) => fillPostgres(client, store, stateDir, bench.rows, () => copy));
      forget();
      return filled;
    },
    people: () =>
      withClient(async (client) => (await client.query<Person>(`${PEOPLE} paydrop.rows WHERE batch = 3`)).rows),
    forget,
  };
}

/** Pages of files; others of the machine lose theirs, too. */
function dropCaches(): void {
  execFileSync("sync");
  try {
    writeFileSync("/proc/sys/vm/drop_caches", "1");
  } catch {
    // only root may
  }
}

/** The journal is gone afterwards: it is large. */
async function measure(bench: Bench, engine: Engine): Promise<Found> {
  const found = await measureIn(bench, engine);
  clear(engine.folder);
  bench.say(`\n${found.title}, ${figure(bench.rows)} rows in the journal\n\n${foundTable(found)}`);
  return found;
}

async function measureIn(bench: Bench, engine: Engine): Promise<Found> {
  const { title, folder } = engine;
  const stateDir = join(folder, "state");
  const settings = loadSettings({ flags: { state_dir: stateDir, environment: "test" }, env: { ...engine.env } });
  const { config } = settings;
  const open = (): Promise<JournalStore> => openJournalOf(config);
  bench.progress(`${title}: fills the journal`);
  const copy = writeFile(join(folder, "copy"), 0);
  const filled = await engine.fill(await open(), stateDir, copy);
  bench.progress(`${title}: sends files`);
  const runMs = await withService({}, async ({ url }) => {
    const times: number[] = [];
    for (let nth = 1; nth <= FILES; nth += 1) {
      const path = writeFile(join(folder, "in"), nth);
      times.push((await run(commandOf(bench, engine, ["run", path], url))).wallMs);
    }
    return times;
  });
  const answers: Answer[] = [];
  for (const question of QUESTIONS) answers.push(await ask(bench, engine, config, question));
  const store = await open();
  try {
    const people = await engine.people();
    const known = await record(store, people, "known");
    const nobody = await record(
      store,
      people.map(({ employee: _, mobile: __, named: ___, ...row }) => row),
      "nobody",
    );
    return { title, ...filled, answers, runSeconds: median(runMs) / 1000, recorded: { known, nobody } };
  } finally {
    await store.close();
  }
}

const commandOf = (bench: Bench, { folder, env }: Engine, operands: readonly string[], url: string) =>
  paydropCommand(bench.program, [...operands, "--state-dir", join(folder, "state")], url, {
    ...env,
    PAYDROP_ENVIRONMENT: "test",
  });

async function ask(bench: Bench, engine: Engine, config: Config, question: Question): Promise<Answer> {
  const { title, sought, first = Infinity } = question;
  bench.progress(`${engine.title}: finds ${title}`);
  const timed = async (): Promise<{ found: number; ms: number }> => {
    const store = await openJournalOf(config);
    const began = performance.now();
    const rows: FoundRow[] = [];
    for await (const row of findRows({ config, store }, sought)) if (rows.push(row) === first) break;
    const ms = performance.now() - began;
    await store.close();
    return { found: rows.length, ms };
  };
  engine.forget();
  const cold = await timed();
  const warm: number[] = [];
  for (let time = 1; time <= bench.repeat; time += 1) warm.push((await timed()).ms);
  const said = sought.text === undefined ? ["--amount", sought.amount ?? ""] : [sought.text];
  const command = commandOf(bench, engine, ["find", ...said, "--csv"], "http://127.0.0.1:9");
  const commandMs = first === Infinity ? (await run(command)).wallMs : NaN;
  return {
    ...{ title, found: cold.found, coldSeconds: cold.ms / 1000 },
    ...{ seconds: median(warm) / 1000, commandSeconds: commandMs / 1000 },
  };
}

/** Another payment to each of these people. */
async function record(store: JournalStore, people: readonly Partial<Person>[], name: string) {
  const id = name.toUpperCase().padEnd(8, "0");
  const rows = people.map((person, at): NewRow => ({
    ...{ row: at + 2, state: "ready", operation: "payout", option: "B", amount: "99999.00", faults: [], notices: [] },
    ...{
      payment: keyOf(`payment ${name} ${at}`),
      reference: keyOf(`reference ${name} ${at}`),
      place: at * 300,
      size: 299,
      crc: at,
    },
    ...person,
  }));
  await store.addBatch({
    ...{
      id,
      environment: "test",
      destination: "http://127.0.0.1:7900",
      fileName: `${name}.csv`,
      folder: "/in",
      format: "csv",
    },
    ...{ sha256: hash("sha256", id), sizeBytes: 1, reading: "{}", createdAt: Date.now() },
  });
  const began = performance.now();
  for (let from = 0; from < rows.length; from += 1000) await store.addRows(id, rows.slice(from, from + 1000));
  const totals = { rows: rows.length, total: "1.00", label: "payout, option B", payments: keyOf(id), remarks: [] };
  await store.endRows(id, totals);
  const recordedAt = performance.now();
  for (let after = 0; after < rows.length + 1;) {
    const page = await store.seen(id, { after, limit: 1000, isConcerned: true }, []);
    after = page.length < 1000 ? Infinity : (page.at(-1)?.row.row ?? Infinity);
  }
  const seenAt = performance.now();
  await store.dropBatch(id);
  return { recordSeconds: (recordedAt - began) / 1000, seenSeconds: (seenAt - recordedAt) / 1000 };
}

const keyOf = (text: string): string => hash("sha256", text, "base64url").slice(0, 22);

function accountOf(nth: number): string {
  return `009${String(nth).padStart(12, "7")}`;
}

/** The same people each time, with an amount of its own. Gives the path. */
function writeFile(folder: string, nth: number): string {
  mkdirSync(folder, { recursive: true });
  const header = `employee_no,debit_account_id,name,mobile,email,bank_id,bank_acc_num,ifsc_code,bank_owner_name,amount,payment_mode,reference`;
  const rows = Array.from({ length: BATCH_ROWS }, (_, at) => {
    const name = `Asha Verma ${"ABCDEFGHIJ".at(at % 10)}`;
    const contact = `98${String(at).padStart(8, "5")},asha.${at}@example.com`;
    return `E${at},ACC-OPS-01,${name},${contact},EXMB,${accountOf(at)},EXMB0000001,${name},${40_000 + nth * 7}.${10 + nth},NEFT,REF-${nth}-${at}`;
  });
  const path = join(folder, `payroll-${nth}.csv`);
  writeFileSync(path, `${[header, ...rows].join("\n")}\n`);
  return path;
}

function foundTable({ answers, rowsPerSecond, bytes, keyBytes, runSeconds, recorded }: Found): string {
  const lines = answers.map(({ title, found, seconds, coldSeconds, commandSeconds }) => [
    title,
    ...[figure(found), `${figure(seconds)} s`, `${figure(coldSeconds)} s`, `${figure(commandSeconds)} s`],
    title === "common amount, all" ? "" : `at most ${AIM_S} s`,
  ]);
  const { known, nobody } = recorded;
  return `${table(["", "rows", "find", "nothing in memory", "command", ""], lines)}

filled with ${figure(Math.round(rowsPerSecond))} rows/s; ${megabytes(bytes)}, of it keys ${megabytes(keyBytes)} (${Math.round((keyBytes / bytes) * 100)} %)
one more file of ${figure(BATCH_ROWS)} rows: sent in ${figure(runSeconds)} s
people who are known: written down in ${figure(known.recordSeconds)} s, looked at in ${figure(known.seenSeconds)} s
nobody who is known: ${figure(nobody.recordSeconds)} s, ${figure(nobody.seenSeconds)} s`;
}
