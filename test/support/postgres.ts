import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, inject, onTestFinished } from "vitest";
import { PostgresServer } from "./postgres-server.ts";
import { until } from "./until.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the servers of this command lie: `.config/set-up.ts`. */
    postgresFolder: string;
  }
}

/** `describe` for what needs a real PostgreSQL. */
export function describePostgres(name: string, tests: () => void): void {
  describe(name, { tags: ["postgres"] }, tests);
}

/** The same for what takes minutes of its own. */
export function describeApart(name: string, tests: () => void): void {
  describe(name, { tags: ["postgres", "apart"] }, tests);
}

/** Of a test that runs beside others of its file: its own one. */
type AtTheEnd = (work: () => void | Promise<void>) => void;

/** What an administrator may have set for a database: no session of ours takes it for granted. */
const HOSTILE = [
  "default_transaction_isolation = 'repeatable read'",
  "default_transaction_deferrable = on",
  "client_encoding = 'LATIN1'",
  "client_min_messages = 'error'",
  "search_path = 'public'",
  "TimeZone = 'Asia/Kolkata'",
  "DateStyle = 'German'",
  "IntervalStyle = 'sql_standard'",
  "bytea_output = 'escape'",
  "extra_float_digits = -15",
  "standard_conforming_strings = off",
];

/** The URL of a new and empty database, gone after the test together with whoever is still connected. */
export async function freshDatabase(atTheEnd: AtTheEnd = onTestFinished): Promise<string> {
  const server = await sharedServer();
  const name = `test_${randomBytes(6).toString("hex")}`;
  await execute(server, `CREATE DATABASE ${name}`);
  await execute(server, HOSTILE.map((said) => `ALTER DATABASE ${name} SET ${said}`).join("; "));
  atTheEnd(() => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return Object.assign(new URL(server), { pathname: name }).href;
}

/** A server of the test's own, to be stopped, paused and begun again. */
export async function ownServer(
  settings: Readonly<Record<string, string>> = {},
  atTheEnd: AtTheEnd = onTestFinished,
): Promise<PostgresServer> {
  const folder = join(inject("postgresFolder"), `own-${randomBytes(6).toString("hex")}`);
  const server = await PostgresServer.create(folder, settings);
  atTheEnd(() => server.remove());
  return server;
}

/** The one of this command; whoever asks first starts it. */
async function sharedServer(): Promise<string> {
  const folder = inject("postgresFolder");
  const [begun, told] = [join(folder, "begun"), join(folder, "url")];
  if (isFirst(begun)) {
    let text: string;
    try {
      text = (await PostgresServer.create(join(folder, "shared"))).url;
    } catch (error) {
      text = String(error);
    }
    writeFileSync(`${told}.new`, text);
    renameSync(`${told}.new`, told);
  }
  await until("the Postgres that another test file started", () => existsSync(told));
  const text = readFileSync(told, "utf8");
  if (!text.startsWith("postgres:")) throw new Error(text);
  return text;
}

function isFirst(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
