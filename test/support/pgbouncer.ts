import { spawn } from "node:child_process";
import { mkdtempSync, chmodSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe } from "vitest";
import { whereIs } from "./needs.ts";
import { INSTALLED } from "./postgres-server.ts";
import { until } from "./until.ts";

const PROGRAM = whereIs("pgbouncer");

/** `describe` for what needs a real PgBouncer in front of a real PostgreSQL. */
export function describePooled(name: string, tests: () => void): void {
  describe(name, { tags: ["postgres", "pgbouncer"] }, tests);
}

/** A pooler with so many sessions; gives the same database by this way. */
export async function startPooler(
  to: string,
  mode: "session" | "transaction" | "statement",
  size: number,
  atTheEnd: (work: () => void) => void,
): Promise<string> {
  const server = new URL(to);
  const folder = mkdtempSync(join(tmpdir(), "paydrop-pooler-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 200
`.replace("* = host", `${server.pathname.slice(1)} = user=postgres host`),
  );
  const pooler = spawn(PROGRAM ?? "", ["-q", settings], {
    ...INSTALLED?.user,
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  pooler.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()));
  atTheEnd(() => {
    pooler.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const url = Object.assign(new URL(to), { port: String(port) }).href;
  await until(`PgBouncer ${said}`, () => answers(url));
  return url;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as { port: number };
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
