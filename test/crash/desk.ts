import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { FaultLabel } from "../../src/fault-point.ts";
import { share } from "./ledger-server.ts";
import { REGULAR_EXITS, runLife } from "./lives.ts";
import type { LifeOptions, Service } from "./lives.ts";
import { written } from "./office-files.ts";
import type { Paper } from "./office-files.ts";
import { readLedger } from "./oracle.ts";
import type { Ledger } from "./oracle.ts";
import { Payments } from "./payments.ts";

const KILLED_SHARE = 0.4;
/** Where most hangs on it; points.test.ts is at every one. */
const KILLED_AT: readonly FaultLabel[] = ["answer.read", "answer.read", "send.before", "commit.after"];
/** Also: what a cancelled or an archived batch is asked for, a retry file as it was, another process at work. */
const EXITS = [...REGULAR_EXITS, 2, 5, 75];
/** A journal that is older than the files. */
const OLDER_EXIT = 74;
const CLOCK = fileURLToPath(new URL("./moved-clock.ts", import.meta.url));
const DAY_MS = 86_400_000;

/** A folder of files, a state folder, and the program: what was done there, and what was found wrong. */
export class Desk {
  readonly done: string[] = [];
  readonly faults: string[] = [];
  readonly folder: string;
  readonly payments: Payments;
  readonly papers: Paper[] = [];
  /** Days after the first act. */
  day = 0;
  /** Two of five commands are killed, where they get so far. */
  isDisturbed = true;
  readonly #seed: number;
  readonly #service: Service;
  readonly #options: LifeOptions;
  readonly #backup: string;
  readonly #concurrency: number;
  #act = 0;
  #draws = 0;
  /** The journal is that of a backup. */
  #isOlder = false;
  /** By kills since the last look (I8). */
  #mayBeUnknown = 0;

  constructor(seed: number, folder: string, service: Service) {
    this.#seed = seed;
    this.folder = join(folder, "desk");
    mkdirSync(this.folder);
    this.#service = service;
    this.#concurrency = 1 + (seed % 4);
    const env = {
      ...{ PAYDROP_RETRY_FOR: "200ms", PAYDROP_SETTLE: "100ms", PAYDROP_BY: "asha" },
      PAYDROP_CONCURRENCY: String(this.#concurrency),
    };
    this.#options = { stateDir: join(folder, "state"), url: service.url, env, nodeArgs: ["--import", CLOCK] };
    this.#backup = join(folder, "backup");
    this.payments = new Payments(this.#options.stateDir);
  }

  begin(act: number): void {
    [this.#act, this.#draws] = [act, 0];
  }

  get ledger(): Ledger {
    return readLedger(this.#service.ledger);
  }

  get today(): string {
    return new Date(Date.now() + this.day * DAY_MS).toISOString().slice(0, 10);
  }

  /** Puts a file down, over one of its name, and runs it. */
  async drop(paper: Paper, ...flags: readonly string[]): Promise<void> {
    const file = written(paper.name, paper.text);
    writeFileSync(join(this.folder, paper.name), file.bytes);
    this.payments.know(file);
    this.papers.push(paper);
    await this.run(paper.name, ...flags);
  }

  async run(name: string, ...flags: readonly string[]): Promise<void> {
    await this.paydrop("run", ...flags, join(this.folder, name));
  }

  async paydrop(...operands: readonly string[]): Promise<void> {
    await this.start(operands);
  }

  async start(operands: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<void> {
    const fault = `crash@${this.pick(KILLED_AT)}:${1 + Math.floor(this.dice() * 3)}`;
    const isKilled = this.dice() < KILLED_SHARE && this.isDisturbed;
    const env = {
      ...{ ...this.#options.env, ...more, PAYDROP_TEST_DAYS_AHEAD: String(this.day) },
      ...(isKilled ? { PAYDROP_FAULT: fault } : {}),
    };
    const { code, output } = await runLife(operands, { ...this.#options, env });
    this.done.push(`act ${this.#act}, day ${this.day}: paydrop ${operands.join(" ")} → ${code ?? fault}`);
    if (code === undefined) this.#mayBeUnknown += this.#concurrency;
    else if (!EXITS.includes(code) && !(this.#isOlder && code === OLDER_EXIT))
      this.faults.push(`ended with ${code}\n${output}`);
  }

  /** Restored from a backup, it sends nothing where it does not know what was sent since (I12). */
  async withOlderJournal(work: () => Promise<void>): Promise<void> {
    const { stateDir } = this.#options;
    const newest = `${stateDir}.newest`;
    if (attemptsIn(this.#backup) === attemptsIn(stateDir)) return;
    renameSync(stateDir, newest);
    cpSync(this.#backup, stateDir, { recursive: true });
    const before = this.#service.lines().length;
    this.#isOlder = true;
    await work();
    this.#isOlder = false;
    if (this.#service.lines().length > before) this.faults.push("a journal that was older sent rows (I12)");
    rmSync(stateDir, { recursive: true });
    renameSync(newest, stateDir);
  }

  backUp(): void {
    rmSync(this.#backup, { recursive: true, force: true });
    cpSync(this.#options.stateDir, this.#backup, { recursive: true });
  }

  compare(): void {
    this.faults.push(...this.payments.faults(this.ledger, this.#mayBeUnknown));
    this.#mayBeUnknown = 0;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.dice() * from.length)] as T;
  }

  /** Between 0 and 1; of each act on its own, so that one that went another way does not change all that follow. */
  dice(): number {
    this.#draws += 1;
    return share(this.#seed, `act ${this.#act} draw ${this.#draws}`);
  }
}

function attemptsIn(stateDir: string): number {
  const database = new DatabaseSync(join(stateDir, "journal.db"), { timeout: 10_000 });
  try {
    return Number(database.prepare("SELECT coalesce(max(id), 0) AS last FROM attempt").get()?.["last"]);
  } finally {
    database.close();
  }
}
