import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

declare module "vitest" {
  interface TestTags {
    need: NeedName;
  }
}

interface Need {
  /** `3 tests need …`. */
  readonly what: string;
  readonly how: string;
  /** Where it is; undefined where it is not. */
  readonly find: () => string | undefined;
}

export type NeedName = keyof typeof NEEDS;

const POSTGRES_NEEDED = 15;

/**
 * What a machine may lack. A test that needs it carries its name as a tag: where it is not here, the test is skipped, and
 * the last lines of the test command say what was left out. Nothing of it is looked for anywhere else.
 */
export const NEEDS = {
  postgres: packaged("postgresql", `PostgreSQL ${POSTGRES_NEEDED} or later`, findPostgres),
  chromium: packaged("chromium", "Chromium", () => file("/usr/bin/chromium")),
  nginx: packaged("nginx", "nginx", () => file("/usr/sbin/nginx")),
  caddy: packaged("caddy", "Caddy", () => file("/usr/bin/caddy")),
  pgbouncer: packaged("pgbouncer", "PgBouncer", () =>
    ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find((path) => file(path)),
  ),
  promtool: packaged("prometheus", "promtool", () => program("promtool", ["--version"])),
  bash: packaged("bash", "bash", () => program("bash", ["-c", "exit 0"])),
  openssl: packaged("openssl", "the command openssl", () => program("openssl", ["version"])),
  strace: packaged("strace", "strace, and the right to use it", () => program("strace", ["-o", "/dev/null", "true"])),
  yaml: packaged("python3-yaml", "Python with PyYAML", () => program("python3", ["-c", "import yaml"])),
  "full-disk": { what: "/dev/full", how: "run the tests on Linux", find: () => file("/dev/full") },
  mount: { what: "the right to mount", how: "run the tests as root, in a container with SYS_ADMIN", find: tryMount },
  apart: { what: "minutes of their own", how: "PAYDROP_APART=1 npm test", find: () => process.env["PAYDROP_APART"] },
  root: { what: "root", how: "run the tests as root", find: () => (isRoot() ? "/" : undefined) },
  users: {
    what: "root, and sources that other users may read",
    how: "run the tests as root, in such a folder",
    find: () => (isRoot() ? sourcesForAll() : undefined),
  },
  "no-root": { what: "a user who is not root", how: "run the tests as one", find: () => (isRoot() ? undefined : "/") },
} satisfies Readonly<Record<string, Need>>;

export function whereIs(name: NeedName): string | undefined {
  return NEEDS[name].find();
}

/** With `PAYDROP_TESTS_BARE=1` this machine pretends to have none of them: so `.ci/run` sees what others see. */
function packaged(name: string, what: string, find: Need["find"]): Need {
  return { what, how: `apt-get install ${name}`, find: () => (process.env["PAYDROP_TESTS_BARE"] ? undefined : find()) };
}

function file(path: string): string | undefined {
  return existsSync(path) ? path : undefined;
}

/** By its name, where it does what it is asked. */
function program(name: string, operands: readonly string[]): string | undefined {
  return spawnSync(name, operands, { stdio: "ignore", timeout: 30_000 }).status === 0 ? name : undefined;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Node and the program as somebody starts them who is in no group of ours. */
function sourcesForAll(): string | undefined {
  const launcher = join(import.meta.dirname, "../../src/bin.ts");
  const asks = ["-c", 'test -r "$1" && test -x "$2"', "sh", launcher, process.execPath];
  const { status } = spawnSync("sh", asks, { uid: 61_000, gid: 61_000, cwd: "/", stdio: "ignore", timeout: 30_000 });
  return status === 0 ? launcher : undefined;
}

/** The folder of its programs: of the newest that Debian installed, or on PATH. */
function findPostgres(): string | undefined {
  const packages = "/usr/lib/postgresql";
  const versions = existsSync(packages) ? readdirSync(packages).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(packages, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return folders.find((folder) => {
    if (!existsSync(join(folder, "initdb"))) return false;
    const { stdout } = spawnSync(join(folder, "initdb"), ["--version"], { encoding: "utf8", timeout: 30_000 });
    return Number(/\d+/.exec(stdout)?.[0] ?? 0) >= POSTGRES_NEEDED;
  });
}

/** An in-memory disk of a few megabytes is the only real full disk there is. */
function tryMount(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-disk-"));
  const isMounted = program("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", folder]) !== undefined;
  if (isMounted) program("umount", ["-l", folder]);
  rmdirSync(folder);
  return isMounted ? "mount" : undefined;
}
