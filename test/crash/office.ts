import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { FaultLabel } from "../../src/fault-point.ts";
import { AS_IT_WAS } from "../../src/journal/states.ts";
import { AES_IV, AES_KEY, API_KEY, share } from "../support/ledger-server.ts";
import { runProgram } from "../support/program.ts";
import { Breaches } from "./breaches.ts";
import type { Service } from "./lives.ts";
import { rowsOf, sha256Of, textOf, type Paper } from "./papers.ts";
import { foresee } from "./prediction.ts";

const CLOCK = fileURLToPath(new URL("./moved-clock.ts", import.meta.url));
const KILLED_SHARE = 0.35;
/** Where most hangs on it; points.test.ts is at every one. */
const KILLED_AT: readonly FaultLabel[] = [
  "answer.read",
  "send.before",
  "commit.after",
  "commit.before",
  "batch.opened",
];
/** Also: what a cancelled batch is asked for, a release without its sum, a retry file as it was. */
const EXITS = [0, 2, 3, 4, 5, 6, 7];

/** One row of a batch: what the journal has of it, and what its file said. */
export interface OfficeRow {
  /** `BATCH:NUMBER`. */
  readonly name: string;
  readonly batch: string;
  readonly number: number;
  readonly path: string;
  readonly phase: string;
  readonly state: string;
  readonly code: string | null;
  readonly period: string | null;
  readonly retryOf: string | null;
  readonly sentAt: number | null;
  readonly createdAt: number;
  readonly attempts: number;
  readonly marker: string;
  readonly payee: string;
  readonly amount: string;
  readonly reference: string;
}

/** What is on its way when nobody works on it counts as it will when that is found: unknown, after one try more. */
const ROWS = `SELECT b.id || ':' || r.row AS name, b.id AS batch, r.row AS number, b.folder || '/' || b.fileName AS path,
    b.phase, iif(r.state = 'ready' AND r.turn <= b.mark, 'unknown', r.state) AS state, r.code, r.period,
    r.retryBatch || ':' || r.retryRow AS retryOf, r.sentAt, b.createdAt,
    r.attempts + (r.state = 'ready' AND r.turn <= b.mark) AS attempts, b.sha256
  FROM row r JOIN batch b ON b.seq = r.batch WHERE b.phase <> 'recording' ORDER BY b.seq, r.row`;

/** A folder of files, a state folder, the program and a service: what was done there, and what was found wrong. */
export class Office {
  readonly done: string[] = [];
  readonly faults: string[] = [];
  readonly papers: Paper[] = [];
  readonly breaches = new Breaches();
  readonly folder: string;
  /** Commands are killed, where they get so far. */
  isDisturbed = true;
  day = 0;
  readonly #seed: number;
  readonly #service: Service;
  readonly #stateDir: string;
  readonly #concurrency: number;
  /** By the SHA-256 of a file: its rows. */
  readonly #files = new Map<string, ReturnType<typeof rowsOf>>();
  /** Payments whose amount was corrected. */
  readonly #corrected = new Set<string>();
  #before: readonly OfficeRow[] = [];
  #draws = 0;

  constructor(seed: number, folder: string, service: Service) {
    this.#seed = seed;
    this.#service = service;
    this.folder = join(folder, "files");
    this.#stateDir = join(folder, "state");
    this.#concurrency = 1 + (seed % 4);
    mkdirSync(this.folder);
  }

  dice(): number {
    return share(this.#seed, `draw ${(this.#draws += 1)}`);
  }

  pick<T>(from: readonly T[]): T {
    const one = from[Math.floor(this.dice() * from.length)];
    if (one === undefined) throw new Error("there is nothing to pick from");
    return one;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Lays a file down, over one of its name, and runs it. */
  async drop(paper: Paper, text = textOf(paper.rows), ...flags: readonly string[]): Promise<void> {
    writeFileSync(this.path(paper.name), text);
    this.#files.set(sha256Of(text), rowsOf(text));
    this.papers.push({ ...paper, rows: rowsOf(text) });
    await this.paydrop("run", ...flags, this.path(paper.name));
  }

  async paydrop(...operands: readonly string[]): Promise<string> {
    const isKilled = this.isDisturbed && this.dice() < KILLED_SHARE;
    const fault = `crash@${this.pick(KILLED_AT)}:${1 + Math.floor(this.dice() * 6)}`;
    const env = {
      ...{ PAYDROP_BASE_URL: this.#service.url, PAYDROP_STATE_DIR: this.#stateDir, PAYDROP_ENVIRONMENT: "test" },
      ...{ PAYDROP_API_KEY: API_KEY, PAYDROP_AES_KEY: AES_KEY, PAYDROP_AES_IV: AES_IV, PAYDROP_BY: "asha" },
      ...{ PAYDROP_TEST: "1", PAYDROP_TEST_DAYS_AHEAD: String(this.day) },
      ...{ PAYDROP_CONCURRENCY: String(this.#concurrency), ...(isKilled ? { PAYDROP_FAULT: fault } : {}) },
    };
    const { code, signal, stdout, stderr } = await runProgram(operands, { env, nodeArgs: ["--import", CLOCK] });
    const end = signal === undefined ? `exit ${code}` : `killed at ${fault}`;
    this.done.push(`day ${this.day}: paydrop ${operands.join(" ").replaceAll(`${this.folder}/`, "")} → ${end}`);
    if (signal === undefined ? !EXITS.includes(code ?? -1) : !isKilled) this.faults.push(`${end}\n${stdout}${stderr}`);
    this.look(signal === undefined ? 0 : this.#concurrency);
    return stdout + stderr;
  }

  /** At moments at which no process is at work. `mayBeUnknown`: rows that a kill may have cut off (I8). */
  look(mayBeUnknown = 0): void {
    const rows = this.rows();
    const isNew = new Map(
      [...Map.groupBy(rows, ({ batch }) => batch)].filter(
        ([batch]) => !this.#before.some((row) => row.batch === batch),
      ),
    );
    for (const [batch, own] of isNew) this.#compare(batch, own);
    this.faults.push(...this.breaches.look(rows, this.#service.lines(), mayBeUnknown));
    this.#before = rows;
  }

  #compare(batch: string, own: readonly OfficeRow[]): void {
    const [{ path, createdAt } = { path: "", createdAt: 0 }] = own;
    const valid = own.filter(({ state }) => state !== "invalid");
    const foreseen = foresee({ batch, path, at: createdAt, rows: valid }, this.#before);
    for (const { name, number, state, code } of valid) {
      // a row of a retry file that nobody changed stays what it was: it is judged by nobody, and does not go
      if (code === AS_IT_WAS) continue;
      const found = state === "held" || state === "duplicate" ? (code ?? "") : "goes";
      const expected = foreseen.get(number) ?? "";
      if (found !== expected) this.faults.push(`${name} is ${state}: ${found}, and by the rules: ${expected}`);
    }
  }

  rows(): readonly OfficeRow[] {
    const journal = join(this.#stateDir, "journal.db");
    if (!existsSync(journal)) return [];
    const database = new DatabaseSync(journal, { readOnly: true, timeout: 10_000 });
    try {
      return database
        .prepare(ROWS)
        .all()
        .map((row) => {
          const { sha256, ...known } = row as unknown as OfficeRow & { readonly sha256: string };
          const {
            marker = "",
            payee = "",
            amount = "",
            reference = "",
          } = this.#files.get(sha256)?.[known.number - 2] ?? {};
          return { ...known, marker, payee, amount, reference };
        });
    } finally {
      database.close();
    }
  }

  /** Whether the service carried the payment out, and the bank did not give it back. */
  isMade(marker: string): boolean {
    return this.breaches.made(marker, this.#service.lines()) > 0;
  }

  /** Nobody has this payment in another file, or by its old amount, any more. */
  forget(marker: string): void {
    const kept = this.papers.filter(({ rows }) => !rows.some((row) => row.marker === marker));
    this.papers.splice(0, this.papers.length, ...kept);
    this.#corrected.add(marker);
  }

  isForgotten({ marker, amount }: { readonly marker: string; readonly amount: string }): boolean {
    return this.#corrected.has(marker) && amount !== "9999.00";
  }

  /** Papers whose copies the rules still know by their days alone. */
  young(): readonly Paper[] {
    return this.papers.filter(({ day }) => this.day - day < 18);
  }
}
