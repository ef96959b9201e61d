import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { payrollFile, thinned, type PlannedRow } from "../crash/payroll-file.ts";
import { SHARE_ROWS } from "../../src/journal/states.ts";
import { AES_IV, AES_KEY, API_KEY } from "../support/ledger-server.ts";
import { freshDatabase } from "../support/postgres.ts";
import { runProgram, startProgram, type Program, type ProgramEnded } from "../support/program.ts";
import { until } from "../support/until.ts";
import { startProxy, type Proxy } from "./postgres-proxy.ts";
import { Service } from "./service.ts";

type AtTheEnd = (work: () => void | Promise<void>) => void;
type Env = Readonly<Record<string, string>>;

interface File {
  readonly path: string;
  readonly plan: readonly PlannedRow[];
}

/** Hosts of one journal, each a process with a state folder of its own, and the service that they send to. */
export class Office {
  readonly folder: string = mkdtempSync(join(tmpdir(), "paydrop-test-"));
  readonly inbox: string = join(this.folder, "inbox");
  readonly key: string = randomBytes(32).toString("hex");
  readonly database: string;
  readonly service: Service;
  readonly #atTheEnd: AtTheEnd;
  readonly #settings: Env;
  #hosts = 0;

  private constructor(atTheEnd: AtTheEnd, database: string, service: Service, settings: Env) {
    this.#atTheEnd = atTheEnd;
    this.database = database;
    this.service = service;
    this.#settings = settings;
    mkdirSync(this.inbox);
  }

  /** `settings`: of all hosts. */
  static async open(atTheEnd: AtTheEnd, latencyMs: number, settings: Env, database?: string): Promise<Office> {
    const service = await Service.start(latencyMs);
    const office = new Office(atTheEnd, database ?? (await freshDatabase(atTheEnd)), service, settings);
    atTheEnd(() => {
      service.close();
      rmSync(office.folder, { recursive: true, force: true });
    });
    return office;
  }

  /** Writes a payroll of so many shares, of which each has so many rows that go; all others are invalid, or held. */
  put(name: string, shares: number, goingOfShare: number, folder = this.inbox): File {
    const { text, plan } = thinned(payrollFile(name, shares * SHARE_ROWS), goingOfShare);
    const path = join(folder, `${name}.csv`);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    return { path, plan };
  }

  #env(env: Env): Env {
    this.#hosts += 1;
    const all = {
      PAYDROP_BASE_URL: this.service.url,
      PAYDROP_API_KEY: API_KEY,
      PAYDROP_AES_KEY: AES_KEY,
      PAYDROP_AES_IV: AES_IV,
      PAYDROP_ENVIRONMENT: "test",
      PAYDROP_TEST: "1",
      PAYDROP_QUIET: "1",
      PAYDROP_SETTLE: "50ms",
      PAYDROP_STATE_DIR: join(this.folder, `state${this.#hosts}`),
      PAYDROP_JOURNAL_URL: this.database,
      PAYDROP_JOURNAL_KEY: this.key,
      ...this.#settings,
      ...env,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  }

  /** `env`: what differs; an empty value is none. */
  start(operands: readonly string[], env: Env = {}): Program {
    const program = startProgram(operands, { env: this.#env(env) });
    this.#atTheEnd(() => void program.child.kill("SIGKILL"));
    return program;
  }

  run(operands: readonly string[], env: Env = {}): Promise<ProgramEnded> {
    return runProgram(operands, { env: this.#env(env) });
  }

  async proxy(): Promise<Proxy> {
    const proxy = await startProxy(this.database);
    this.#atTheEnd(() => proxy.close());
    return proxy;
  }

  /** Asks the journal itself. */
  async ask<T extends object>(sql: string, ...values: readonly unknown[]): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.database, options: "-c search_path=paydrop" });
    await client.connect();
    try {
      return (await client.query<T>(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** Lanes of the shares that the process holds; of the inboxes and batches it holds the number. */
  async heldBy({ pid }: Program): Promise<{ readonly lanes: number; readonly leases: number }> {
    const sql = `SELECT (SELECT coalesce(sum(lanes), 0)::int FROM share WHERE owner LIKE $1) AS lanes,
      (SELECT count(*)::int FROM lease WHERE owner LIKE $1 AND name LIKE 'inbox %') AS leases`;
    const [held] = await this.ask<{ lanes: number; leases: number }>(sql, `%:${pid}:%`);
    return held ?? { lanes: 0, leases: 0 };
  }

  /** Each of them has a share; until then the service takes its time, so that nobody is done before the others begin. */
  async untilSending(...programs: readonly Program[]): Promise<void> {
    const { latencyMs } = this.service;
    this.service.latencyMs = 500;
    for (const program of programs)
      await until("it holds a share", async () => (await this.heldBy(program)).lanes > 0, { by: program.ended });
    this.service.latencyMs = latencyMs;
  }

  /** Is here, by what it said itself to the others. */
  async untilHere(program: Program): Promise<void> {
    const sql = "SELECT 1 FROM host WHERE host LIKE $1";
    const isHere = async (): Promise<boolean> => {
      const [made] = await this.ask<{ made: string | null }>("SELECT to_regclass('paydrop.host') AS made");
      return made?.made != null && (await this.ask(sql, `%:${program.pid}:%`)).length > 0;
    };
    await until("the host is here", isHere, { by: program.ended });
  }

  /** How many rows are in which state. */
  async states(): Promise<Readonly<Record<string, number>>> {
    const found = await this.ask<{ state: string; rows: number }>(
      "SELECT state, count(*)::int AS rows FROM rows GROUP BY state",
    );
    return Object.fromEntries(found.map(({ state, rows }) => [state, rows]));
  }

  async unknown(): Promise<readonly { readonly row: number; readonly batch: string; readonly late: string | null }[]> {
    return this.ask(
      `SELECT b.id AS batch, r.row, r."lateAnswer" AS late FROM rows r JOIN batch b ON b.seq = r.batch
       WHERE r.state = 'unknown' ORDER BY r.row`,
    );
  }

  /**
   * What journal and service tell of the rows of a file that differ: nothing was carried out twice, and nothing that was
   * carried out is told as not gone.
   */
  async differences(plan: readonly PlannedRow[]): Promise<readonly string[]> {
    const rows = await this.ask<{ row: number; state: string }>("SELECT row, state FROM rows");
    const states = new Map(rows.map(({ row, state }) => [row, state]));
    const went = new Set(this.service.lines.map(({ marker }) => marker));
    const faults = this.service.twice.map((marker) => `${marker} went twice`);
    for (const { number, marker, kind } of plan) {
      const state = states.get(number) ?? "gone";
      const expected =
        kind === "sendable" ? (went.has(marker) ? ["accepted", "unknown"] : ["unknown"]) : ["invalid", "held"];
      if (!expected.includes(state)) faults.push(`${marker} is ${state}`);
    }
    return faults;
  }
}

export const sendable = (plan: readonly PlannedRow[]): number => plan.filter(({ kind }) => kind === "sendable").length;

export function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Results without what differs from run to run: the batch, times and durations. */
export function comparable(path: string): string {
  const text = textOf(path);
  const id = /,(\w{8})\r\n$/.exec(text)?.[1] ?? "none";
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z,\d+,/g, "TIME,DURATION,").replaceAll(id, "BATCH");
}
