import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { tomlAt } from "../support/mappings.ts";
import { temporaryDirectory } from "../support/state-dir.ts";
import { runLife, startService } from "./lives.ts";
import type { LifeOptions, Service } from "./lives.ts";
import type { Seen } from "./watch-order.ts";

const ROWS = 30;
const FLAGS = ["run", "--quiet", "--concurrency", "4"];
const SQLITE_FULL_SYNC = 2;

/**
 * Transfers go in clear: who looks at the bytes of a request sees whose it is. The account names the row. A column of the
 * file's own makes it as large as wanted: the journal of a large file has a thread of its own.
 */
function transfersIn(folder: string, bytesPerRow: number): string {
  const path = join(folder, "transfers.csv");
  const own = "x".repeat(bytesPerRow);
  const lines = Array.from({ length: ROWS }, (_, index) => `ACC-OPS-01,ROW-${index + 2},${100 + index}.50,${own}`);
  writeFileSync(path, `from_account,to_account,amount,remarks of ours\n${lines.join("\n")}\n`);
  return path;
}

/** A mapping that the file is read by: its private copy is needed as long as the file's own. */
function mappingIn(folder: string): string {
  const names = ["from_account", "to_account", "amount"];
  const text = [
    "[mapping.bank]",
    'operation = "transfer"',
    'amount_unit = "rupees"',
    `header = ${JSON.stringify([...names, "remarks of ours"])}`,
    "[mapping.bank.columns]",
    ...names.map((name) => `${name} = "${name}"`),
    "",
  ];
  return tomlAt(join(folder, "paydrop.toml"), text.join("\n"));
}

const JOURNALS = [
  ["the journal of a small file", 10],
  ["the journal in a thread of its own", 4_000],
] as const;

async function serve(folder: string): Promise<Service> {
  const service = await startService({ ledger: join(folder, "ledger.jsonl"), seed: 1, rates: {}, latencyMs: 0 });
  onTestFinished(() => service.close());
  return service;
}

const ALL_ROWS = Array.from({ length: ROWS }, (_, index) => `ROW-${index + 2}`);

test.each(JOURNALS)(
  "before the first byte of a row its attempt is committed and synced, %s",
  async (_, bytesPerRow) => {
    const folder = temporaryDirectory();
    const service = await serve(folder);
    const seenFile = join(folder, "seen.jsonl");
    const end = await runLife([...FLAGS, transfersIn(folder, bytesPerRow)], {
      stateDir: join(folder, "state"),
      url: service.url,
      env: { WATCH_ORDER_FILE: seenFile },
      nodeArgs: ["--import", fileURLToPath(new URL("./watch-order.ts", import.meta.url))],
    });
    expect(end.code, end.output).toBe(0);
    const lines = readFileSync(seenFile, "utf8").trimEnd().split("\n");
    const seen = lines.map((line) => JSON.parse(line) as Seen);

    const commits = seen.filter((one) => one.kind === "commit");
    expect(commits.length).toBeGreaterThan(ROWS / 4);
    for (const one of commits) expect(one).toMatchObject({ synchronous: SQLITE_FULL_SYNC, journalMode: "wal" });
    const requests = seen.filter((one) => one.kind === "request");
    expect(requests.map((one) => one.account).sort()).toEqual([...ALL_ROWS].sort());
    expect(requests.filter((one) => one.attempts !== 1)).toEqual([]);
    expect(service.lines().map((line) => line.marker).sort()).toEqual([...ALL_ROWS].sort()); // prettier-ignore
  },
);

const hasStrace = spawnSync("strace", ["-f", "-o", "/dev/null", "true"]).status === 0;
if (!hasStrace)
  process.stderr.write(
    "NOT CHECKED: strace is not on this machine, by which what is on the disk before the first byte of a row is looked at\n",
  );

test.skipIf(!hasStrace).each([...JOURNALS, ["that of a file which is read by a mapping", 10, mappingIn] as const])(
  "were the power cut just before the first byte of any row, the disk would hold its attempt, %s",
  async (_, bytesPerRow, configIn?: typeof mappingIn) => {
    const folder = temporaryDirectory();
    const service = await serve(folder);
    const trace = join(folder, "trace");
    const options: LifeOptions = { stateDir: join(folder, "state"), url: service.url, under: strace(trace) };
    const more = configIn ? ["--config", configIn(folder)] : [];
    const end = await runLife([...FLAGS, ...more, transfersIn(folder, bytesPerRow)], options);
    expect(end.code, end.output).toBe(0);

    const disk = new SyncedFiles();
    const missing: string[] = [];
    const renamed: string[] = [];
    const sent: string[] = [];
    // a new name is on the disk when its folder is
    const folders = new Set<string>();
    for (const call of callsIn(readFileSync(trace, "latin1"))) {
      disk.take(call);
      // the files out get their names only when all of their bytes are on the disk
      if (call.name === "rename" && !disk.isSynced(call.path)) missing.push(call.path);
      if (call.name === "rename") renamed.push(call.path);
      if (call.name === "rename" && call.path.startsWith(folder)) folders.add(dirname(call.path));
      else if (call.name === "fsync") folders.delete(call.path);
      const account = /"to_account":"(ROW-\d+)"/.exec(call.bytes.toString("latin1"))?.[1];
      if (account === undefined || !call.path.includes("socket:")) continue;
      // the private copies of the file and its mapping, and the mark beside the file; later the mark may just be on its way again
      if (sent.length === 0) missing.push(...folders);
      sent.push(account);
      const held = disk.attemptsAfterPowerCut(join(folder, `cut ${account}`), join(folder, "state"));
      if (!held.includes(Number(account.slice(4)))) missing.push(account);
    }
    expect(sent.sort()).toEqual([...ALL_ROWS].sort());
    expect([...missing, ...folders]).toEqual([]);
    expect(renamed.filter((path) => path.endsWith(".tmp")).length).toBeGreaterThan(1);
  },
);

function strace(trace: string): string[] {
  const calls = "trace=write,writev,sendto,sendmsg,pwrite64,ftruncate,fsync,fdatasync,rename";
  return ["strace", "-f", "-y", "-xx", "-s", "1000000", "-e", calls, "-e", "signal=none", "-o", trace];
}

/** One system call that ended well. */
interface SystemCall {
  readonly name: string;
  readonly path: string;
  readonly bytes: Buffer;
  /** The last number: where it was written, or the length that was left. */
  readonly number: number;
}

/** `123 pwrite64(20<\x2f…>, "\x00…", 4096, 56) = 4096`; calls of other threads may cut one in two. */
function* callsIn(trace: string): Generator<SystemCall> {
  const begun = new Map<string, string>();
  for (const line of trace.split("\n")) {
    const [, pid = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith("<unfinished ...>")) {
      begun.set(pid, rest.slice(0, -"<unfinished ...>".length));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1];
    const whole = resumed === undefined ? rest : `${begun.get(pid) ?? ""}${resumed}`;
    const from = /^rename\("([^"]*)", .*\) += 0/.exec(whole)?.[1];
    if (from !== undefined) {
      yield { name: "rename", path: unescaped(from).toString("latin1"), bytes: Buffer.alloc(0), number: 0 };
      continue;
    }
    const [, name = "", path = "", args = ""] = /^(\w+)\(\d+<([^>]*)>(.*)\) += \d+/.exec(whole) ?? [];
    if (name === "") continue;
    const texts = [...args.matchAll(/"([^"]*)"/g)].map(([, text = ""]) => unescaped(text));
    const number = Number(/, (\d+) *$/.exec(args)?.[1] ?? "0");
    yield { name, path: unescaped(path).toString("latin1"), bytes: Buffer.concat(texts), number };
  }
}

function unescaped(text: string): Buffer {
  return text.includes("\\x") ? Buffer.from(text.replaceAll("\\x", ""), "hex") : Buffer.from(text, "latin1");
}

/** What was written to files, and what of it had been synced. */
class SyncedFiles {
  readonly #written = new Map<string, Buffer>();
  readonly #synced = new Map<string, Buffer>();
  readonly #dirty = new Set<string>();

  take({ name, path, bytes, number }: SystemCall): void {
    if (name === "rename" || path.includes("socket:")) return;
    if (name === "fsync" || name === "fdatasync") this.#dirty.delete(path);
    else this.#dirty.add(path);
    if (!path.includes("journal.db")) return;
    const before = this.#written.get(path) ?? Buffer.alloc(0);
    if (name === "pwrite64") {
      const after = Buffer.alloc(Math.max(before.length, number + bytes.length));
      before.copy(after);
      bytes.copy(after, number);
      this.#written.set(path, after);
    } else if (name === "ftruncate") this.#written.set(path, before.subarray(0, number));
    else if (name === "fsync" || name === "fdatasync") this.#synced.set(path, before);
  }

  isSynced(path: string): boolean {
    return !this.#dirty.has(path);
  }

  /** Row numbers of the attempts that SQLite finds when it opens what had been synced, and nothing else. */
  attemptsAfterPowerCut(folder: string, stateDir: string): number[] {
    mkdirSync(folder);
    for (const name of ["journal.db", "journal.db-wal"]) {
      const bytes = this.#synced.get(join(stateDir, name));
      if (bytes) writeFileSync(join(folder, name), bytes);
    }
    if (!existsSync(join(folder, "journal.db"))) return [];
    const database = new DatabaseSync(join(folder, "journal.db"));
    try {
      const rows = database.prepare("SELECT row FROM attempt").all() as { row: number }[];
      return rows.map(({ row }) => row);
    } finally {
      database.close();
      rmSync(folder, { recursive: true });
    }
  }
}
