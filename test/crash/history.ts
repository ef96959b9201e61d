/**
 * `npm run histories -- --histories 100 --acts 30 --seed 1`: what people do with files and rows, at random, against a
 * service that keeps its own ledger. They send, send again, copy, rewrite, correct and merge files, sweep the folder, state
 * a period, work with an older copy of the state folder, look unknown rows up, release, retry, pause and cancel; two of
 * five commands are killed, where they get so far. They look before they give their word, so no payment
 * may ever be made twice, and in the end none is forgotten. Exits 1, with the seed, on any breach of DESIGN §3.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import type { FaultLabel } from "../../src/fault-point.ts";
import { share } from "./ledger-server.ts";
import { REGULAR_EXITS, runLife, startService } from "./lives.ts";
import type { LifeOptions, Service } from "./lives.ts";
import { readLedger } from "./oracle.ts";
import { Payments } from "./payments.ts";
import type { PaymentRow } from "./payments.ts";
import { payrollFile } from "./payroll-file.ts";

const RATES = { acceptThenReset: 0.08, resetWithoutAccepting: 0.08, acceptThen504: 0.06, refuse: 0.1, slowDown: 0.1 };
const KILLED_SHARE = 0.4;
/** Where most hangs on it; points.test.ts is at every one. */
const KILLED_AT: readonly FaultLabel[] = ["answer.read", "answer.read", "send.before", "commit.after"];
/** Also: what a cancelled batch is asked for, a retry file as it was, another process at work. */
const EXITS = [...REGULAR_EXITS, 2, 5, 75];
const BACKED_UP_EVERY = 4;
/** A journal that is older than the files. */
const OLDER_EXIT = 74;
const THIS_MONTH = [new Date().toISOString().slice(0, 7), new Date().toISOString().slice(0, 7).replace("-", "")];
/** Nobody is that unlucky. */
const ROUNDS_MAX = 12;

type Saved = readonly [name: string, text: string];

/** What was found wrong, after all that was done before it; empty: nothing. */
export async function history(seed: number, acts: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "paydrop-history-"));
  const service = await startService({ ledger: join(folder, "ledger.jsonl"), seed, rates: RATES, latencyMs: 4 });
  const office = new Office(seed, folder, service);
  try {
    for (let act = 1; act <= acts && office.faults.length === 0; act += 1) await office.act(act);
    for (let round = 1; office.faults.length === 0 && (await office.seeThrough(round)); round += 1);
    if (office.faults.length === 0) await office.read();
  } finally {
    await service.close();
  }
  if (office.faults.length > 0) return [`seed ${seed}, kept in ${folder}`, ...office.done, ...office.faults];
  rmSync(folder, { recursive: true });
  return [];
}

class Office {
  readonly done: string[] = [];
  readonly faults: string[] = [];
  readonly #seed: number;
  readonly #desk: string;
  readonly #service: Service;
  readonly #options: LifeOptions;
  readonly #backup: string;
  readonly #payments: Payments;
  readonly #concurrency: number;
  readonly #saved: Saved[] = [];
  #act = 0;
  #draws = 0;
  #killedShare = KILLED_SHARE;
  /** The journal is that of a backup. */
  #isOlder = false;
  /** By kills since the last look (I8). */
  #mayBeUnknown = 0;

  constructor(seed: number, folder: string, service: Service) {
    this.#seed = seed;
    this.#desk = join(folder, "desk");
    mkdirSync(this.#desk);
    this.#service = service;
    this.#concurrency = 1 + (seed % 4);
    const env = {
      ...{ PAYDROP_RETRY_FOR: "200ms", PAYDROP_SETTLE: "100ms", PAYDROP_BY: "asha" },
      PAYDROP_CONCURRENCY: String(this.#concurrency),
    };
    this.#options = { stateDir: join(folder, "state"), url: service.url, env };
    this.#backup = join(folder, "backup");
    this.#payments = new Payments(this.#options.stateDir);
  }

  async act(number: number): Promise<void> {
    [this.#act, this.#draws] = [number, 0];
    if (number <= 2 || this.#dice() < 0.3) await this.#run(...this.#newFile());
    else await this.#pick(this.#acts(this.#pick(this.#saved), this.#pick(this.#saved)))();
    this.#compare();
    if (number % BACKED_UP_EVERY === 1) this.#backUp();
  }

  #acts([file, text]: Saved, [otherFile, otherText]: Saved): (() => Promise<unknown>)[] {
    const name = this.#pick([file, `payroll-2026-11-${this.#act}.csv`]);
    const retryFile = join(this.#desk, `${file}.retry.csv`);
    const batch = this.#pick([...this.#payments.rows().map((row) => row.batch), "none"]);
    return [
      () => this.#run(file),
      () => this.#run(name, text),
      () => this.#run(name, text.replaceAll(",", ";")),
      () => this.#run(name, text.toLowerCase()),
      () => this.#run(name, withReferences(text)),
      () => this.#run(name, text, "--period", this.#pick(THIS_MONTH)),
      () => this.#paydrop("run", this.#desk),
      () => this.#withOlderJournal(name, text, batch),
      () => this.#run(name, mended(withoutFirstRow(text))),
      () => this.#run(name, text + rowsUnder(headerOf(text), otherText)),
      () => this.#run(name, existsSync(retryFile) ? mended(readFileSync(retryFile, "utf8")) : text),
      () => this.#settle(),
      () => this.#release(),
      () => this.#paydrop("retry", batch),
      () => this.#paydrop(this.#pick(["pause", "resume", "resume", "cancel"]), batch),
      () =>
        Promise.all([this.#run(file), this.#pick([() => this.#run(otherFile), () => this.#paydrop("retry", batch)])()]),
    ];
  }

  /** Undisturbed, until every payment was made, refused or cancelled. Gives whether there was something left to do. */
  async seeThrough(round: number): Promise<boolean> {
    this.#killedShare = 0;
    const open = this.#openRows();
    if (open.length === 0) return false;
    if (round > ROUNDS_MAX) this.faults.push(`no end: ${open.map(({ name, state }) => `${name} ${state}`).join(", ")}`);
    await this.#settle();
    for (const { batch, phase } of new Map(this.#openRows().map((row) => [row.batch, row])).values()) {
      await this.#paydrop(phase === "paused" ? "resume" : "retry", batch);
    }
    await this.#release();
    this.#compare();
    return true;
  }

  /** What was written of each batch. Only a killed process may have left it behind. */
  async read(): Promise<void> {
    for (const rows of Map.groupBy(this.#payments.rows(), (row) => row.batch).values()) {
      if (this.#payments.faultsWritten(this.#desk, rows).length > 0)
        await this.#paydrop("results", rows[0]?.batch ?? "");
    }
    this.faults.push(...this.#payments.faultsWritten(this.#desk, this.#payments.rows()));
  }

  /** Rows that wait for a person or for a run, and whose payment was not made. */
  #openRows(): PaymentRow[] {
    const ledger = readLedger(this.#service.ledger);
    return this.#payments.rows().filter(({ state, phase, marker }) => {
      if (state === "unknown" || state === "sending") return true;
      if (phase === "cancelled" || ledger.get(marker)?.executed === 1) return false;
      return ["ready", "not_sent", "settled_not_done", "held"].includes(state);
    });
  }

  /** Now and then somebody is to be paid the same twice, or a branch code is mistyped. */
  #newFile(): Saved {
    const name = `s${this.#seed}a${this.#act}`;
    const { text, plan } = payrollFile(name, 1 + Math.floor(this.#dice() * 8), false);
    const twice =
      text
        .split("\r\n")
        .at(-2)
        ?.replace(plan.at(-1)?.marker ?? "", `${name} once more`) ?? "";
    const whole = this.#dice() < 0.3 ? `${text}${twice}\r\n` : text;
    return [`${name}.csv`, this.#dice() < 0.3 ? whole.replace("EXMB0100200", "EXMB01") : whole];
  }

  /** Restored from a backup, it sends nothing where it does not know what was sent since (I12). */
  async #withOlderJournal(name: string, text: string, batch: string): Promise<void> {
    const { stateDir } = this.#options;
    const newest = `${stateDir}.newest`;
    if (attemptsIn(this.#backup) === attemptsIn(stateDir)) return;
    renameSync(stateDir, newest);
    cpSync(this.#backup, stateDir, { recursive: true });
    const before = this.#service.lines().length;
    this.#isOlder = true;
    await this.#run(name, text);
    await this.#paydrop(
      ...this.#pick([
        ["retry", batch],
        ["run", this.#desk],
      ] as const),
    );
    this.#isOlder = false;
    if (this.#service.lines().length > before) this.faults.push("a journal that was older sent rows (I12)");
    rmSync(stateDir, { recursive: true });
    renameSync(newest, stateDir);
  }

  #backUp(): void {
    rmSync(this.#backup, { recursive: true, force: true });
    cpSync(this.#options.stateDir, this.#backup, { recursive: true });
  }

  async #run(name: string, text?: string, ...flags: readonly string[]): Promise<void> {
    const path = join(this.#desk, name);
    if (text !== undefined) {
      writeFileSync(path, text);
      this.#payments.know(text);
      this.#saved.push([name, text]);
    }
    await this.#paydrop("run", ...flags, path);
  }

  /** The list of unknown rows, filled in by what the service's ledger says. */
  async #settle(): Promise<void> {
    const list = ["batch,row,attempt,as,by,note"];
    for (const row of this.#payments.rows().filter(({ state }) => state === "unknown")) {
      const isDone = readLedger(this.#service.ledger).get(row.marker)?.executed === 1;
      list.push(`${row.batch},${row.number},${row.attempts},${isDone ? "done" : "not-done"},asha,looked up`);
      this.#payments.settle(row, isDone);
    }
    const path = join(this.#desk, "..", "unknown.csv");
    writeFileSync(path, list.join("\n"));
    if (list.length > 1) await this.#paydrop("settle", "--from", path);
  }

  /** Held rows of one batch whose payments were never made, one row for each. */
  async #release(): Promise<void> {
    const held = this.#openRows().filter(({ state }) => state === "held");
    if (held.length === 0) return;
    const { batch } = this.#pick(held);
    const rows = new Map(held.filter((row) => row.batch === batch).map((row) => [row.marker, String(row.number)]));
    await this.#paydrop("release", batch, "--row", ...rows.values(), "--reason", "never made");
  }

  async #paydrop(...operands: readonly string[]): Promise<void> {
    const fault = `crash@${this.#pick(KILLED_AT)}:${1 + Math.floor(this.#dice() * 3)}`;
    const env = { ...this.#options.env, ...(this.#dice() < this.#killedShare ? { PAYDROP_FAULT: fault } : {}) };
    const { code, output } = await runLife(operands, { ...this.#options, env });
    this.done.push(`act ${this.#act}: paydrop ${operands.join(" ")} → ${code ?? fault}`);
    if (code === undefined) this.#mayBeUnknown += this.#concurrency;
    else if (!EXITS.includes(code) && !(this.#isOlder && code === OLDER_EXIT))
      this.faults.push(`ended with ${code}\n${output}`);
  }

  #compare(): void {
    this.faults.push(...this.#payments.faults(readLedger(this.#service.ledger), this.#mayBeUnknown));
    this.#mayBeUnknown = 0;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#dice() * from.length)] as T;
  }

  /** Between 0 and 1; of each act on its own, so that one that went another way does not change all that follow. */
  #dice(): number {
    this.#draws += 1;
    return share(this.#seed, `act ${this.#act} draw ${this.#draws}`);
  }
}

/** Of each payment one of its own. */
function withReferences(text: string): string {
  const [header = "", ...lines] = text.trimEnd().split("\r\n");
  const narration = header.split(",").indexOf("narration");
  const rows = lines.map((line) => `${line},${line.split(",")[narration] ?? ""}`);
  return narration < 0 || header.includes("reference") ? text : [`${header},reference`, ...rows, ""].join("\r\n");
}

function attemptsIn(stateDir: string): number {
  const database = new DatabaseSync(join(stateDir, "journal.db"), { timeout: 10_000 });
  try {
    return Number(database.prepare("SELECT coalesce(max(id), 0) AS last FROM attempt").get()?.["last"]);
  } finally {
    database.close();
  }
}

function mended(text: string): string {
  return text.replaceAll(/EXMB01\b/g, "EXMB0100200");
}

function headerOf(text: string): string {
  return text.slice(0, text.indexOf("\r\n") + 2);
}

function rowsUnder(header: string, text: string): string {
  return text.startsWith(header) ? text.slice(header.length) : "";
}

/** The only one stays. */
function withoutFirstRow(text: string): string {
  const rows = text.slice(headerOf(text).length);
  return headerOf(text) + (rows.slice(rows.indexOf("\r\n") + 2) || rows);
}

async function main(): Promise<void> {
  const option = (value: string): { type: "string"; default: string } => ({ type: "string", default: value });
  const { values } = parseArgs({ options: { histories: option("20"), acts: option("30"), seed: option("1") } });
  for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.histories); seed += 1) {
    const faults = await history(seed, Number(values.acts));
    process.stdout.write(`seed ${seed}: ${faults.length === 0 ? "nothing found" : faults.join("\n")}\n`);
    if (faults.length > 0) process.exitCode = 1;
  }
}

if (process.argv[1] === import.meta.filename) await main();
