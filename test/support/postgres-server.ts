import { execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NEEDED = 15;
/** Below the ports that the system gives to connections: a server that begins again finds its own free. */
const PORTS = { first: 20_000, count: 12_000 };
const ROOM_NEEDED = 2 ** 31;
/** Of two programs that begin at once with one port the later tries another. */
const TRIES = 5;
/** The unit of /proc/…/stat. */
const TICK_MS = 10;

interface Installed {
  readonly bin: string;
  /** Root may not run a server: it is run by this user. */
  readonly user: { readonly uid?: number; readonly gid?: number };
}

/** The newest PostgreSQL of this machine, as Debian installs it or on PATH. */
export const INSTALLED: Installed | undefined = findInstalled();

/**
 * A folder for the servers of one command. When the command ends, however it ends, another process stops what still
 * runs there and removes it.
 */
export function serversFolder(parent: string = parentFolder()): { readonly folder: string; end(): Promise<void> } {
  const folder = mkdtempSync(join(parent, "paydrop-postgres-"));
  if (INSTALLED?.user.uid !== undefined) chownSync(folder, INSTALLED.user.uid, INSTALLED.user.gid ?? 0);
  // its stdin ends with this process; in a session of its own no Ctrl-C reaches it
  const cleaner = spawn("/bin/sh", ["-c", CLEAN_UP, "sh", folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  cleaner.unref();
  (cleaner.stdin as unknown as { unref(): void }).unref();
  return {
    folder,
    end: async () => {
      cleaner.ref();
      cleaner.stdin.end();
      await once(cleaner, "close");
    },
  };
}

const CLEAN_UP = `
cat > /dev/null
for pid in "$1"/*/data/postmaster.pid; do
  [ -f "$pid" ] && kill -CONT $(head -n 1 "$pid") && kill -QUIT $(head -n 1 "$pid")
done
for try in $(seq 100); do
  ls "$1"/*/data/postmaster.pid > /dev/null 2>&1 || break
  sleep 0.1
done
rm -rf "$1"`;

/** A PostgreSQL of its own, in a folder of its own, with the durability that it has by itself. */
export class PostgresServer {
  readonly #folder: string;
  readonly port: number;
  /** Of its first database. */
  readonly url: string;
  #stopped: readonly number[] = [];

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
    this.url = this.urlOf("postgres");
  }

  /** `folder` is not there yet. */
  static async create(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    mkdirSync(folder, { mode: 0o700 });
    const { user } = INSTALLED ?? {};
    if (user?.uid !== undefined) chownSync(folder, user.uid, user.gid ?? 0);
    // an order of words that is not that of bytes: what relies on the latter is seen
    const order = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-IN"];
    const data = join(folder, "data");
    program("initdb", ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--no-instructions", ...order]);
    for (let tries = 1; ; tries += 1) {
      const server = new PostgresServer(folder, await freePort());
      try {
        server.start(settings);
        return server;
      } catch (error) {
        if (tries === TRIES || !/Address already in use/.test(String(error))) throw error;
      }
    }
  }

  /** A twin with all that this one has; it does not run meanwhile. `isStandby`: it follows as its settings say. */
  async twin(folder: string, settings: Readonly<Record<string, string>>, isStandby = false): Promise<PostgresServer> {
    const { user } = INSTALLED ?? {};
    mkdirSync(folder, { mode: 0o700 });
    if (user?.uid !== undefined) chownSync(folder, user.uid, user.gid ?? 0);
    execFileSync("cp", ["-a", this.data, join(folder, "data")]);
    if (isStandby) writeFileSync(join(folder, "data/standby.signal"), "");
    const server = new PostgresServer(folder, await freePort());
    server.start(settings);
    return server;
  }

  get data(): string {
    return join(this.#folder, "data");
  }

  /** One of its own programs, with a connection to it where it takes one. */
  run(name: string, args: readonly string[]): void {
    const to = { PGHOST: "127.0.0.1", PGPORT: String(this.port), PGUSER: "postgres" };
    program(name, args, to);
  }

  urlOf(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Takes connections when it returns. Settings as of postgresql.conf. */
  start(settings: Readonly<Record<string, string>> = {}): void {
    const own = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_wal_size: "256MB",
      max_connections: "400",
    };
    const said = Object.entries({ port: this.port, ...own, ...settings }).map(
      ([name, value]) => `-c ${name}='${value}'`,
    );
    const log = join(this.#folder, "log");
    try {
      program("pg_ctl", ["-D", this.data, "-l", log, "-w", "-o", said.join(" "), "start"]);
    } catch (error) {
      throw new Error(`no Postgres began: ${readFileSync(log, "utf8").slice(-2000)}`, { cause: error });
    }
  }

  /** As a machine that loses its power: no transaction ends, no connection is told. */
  stopHard(): void {
    this.resume();
    if (this.#pid() !== undefined) program("pg_ctl", ["-D", this.data, "-m", "immediate", "-w", "stop"]);
  }

  /** Its connections stay open, and nothing answers. */
  pause(): void {
    const main = this.#pid();
    if (main === undefined) throw new Error("a server that does not run cannot be paused");
    // the first of them makes the others, so that it stops before they are counted
    process.kill(main, "SIGSTOP");
    const others = childrenOf(main);
    for (const pid of others) process.kill(pid, "SIGSTOP");
    this.#stopped = [...others, main];
  }

  resume(): void {
    for (const pid of this.#stopped) process.kill(pid, "SIGCONT");
    this.#stopped = [];
  }

  /** User and system time of all of its processes, also of those that have ended. */
  cpuMs(): number {
    const main = this.#pid();
    if (main === undefined) return NaN;
    const ofChildren = childrenOf(main).flatMap((pid) => ticksOf(pid).slice(0, 2));
    return [...ticksOf(main), ...ofChildren].reduce((sum, ticks) => sum + ticks * TICK_MS, 0);
  }

  remove(): void {
    this.stopHard();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #pid(): number | undefined {
    try {
      return Number(readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n")[0]);
    } catch {
      return undefined;
    }
  }
}

/** User and system time of a process, and of its children that have ended; nothing of one that is gone. */
function ticksOf(pid: number): number[] {
  try {
    // after the name: state, parent … utime, stime, cutime, cstime
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ").slice(11, 15).map(Number) ?? [];
  } catch {
    return [];
  }
}

function program(name: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): void {
  if (!INSTALLED) throw new Error("no Postgres is installed");
  const env = { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC", ...more };
  // what goes on running keeps no pipe of ours open
  const stdio = name !== "pg_ctl" ? ("pipe" as const) : ("ignore" as const);
  execFileSync(join(INSTALLED.bin, name), args, { ...INSTALLED.user, env, cwd: "/", stdio });
}

function findInstalled(): Installed | undefined {
  const versions = foldersIn("/usr/lib/postgresql").sort((a, b) => Number(b) - Number(a));
  const bins = versions.map((version) => join("/usr/lib/postgresql", version, "bin"));
  for (const bin of [...bins, ...(process.env["PATH"] ?? "").split(":")]) {
    const said = saidBy(join(bin, "initdb"), ["--version"]);
    if (Number(/(\d+)/.exec(said ?? "")?.[1] ?? 0) < NEEDED) continue;
    if (process.getuid?.() !== 0) return { bin, user: {} };
    for (const name of ["postgres", "nobody"]) {
      const [uid, gid] = [saidBy("id", ["-u", name]), saidBy("id", ["-g", name])];
      if (uid !== undefined && gid !== undefined) return { bin, user: { uid: Number(uid), gid: Number(gid) } };
    }
  }
  return undefined;
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function saidBy(command: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}

/** In memory where there is room: a commit that waits for a disk takes its time. */
function parentFolder(): string {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize >= ROOM_NEEDED ? "/dev/shm" : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    const listener = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      listener.once("error", () => resolve(false));
      listener.listen(port, "127.0.0.1", () => listener.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      // pid (name) state parent …
      return Number(/\) \S (\d+) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]) === parent;
    } catch {
      return false;
    }
  });
}
