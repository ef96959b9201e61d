import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FaultLabel } from "../../src/fault-point.ts";
import { houseOf } from "./house.ts";
import type { House } from "./house.ts";
import { share } from "./ledger-server.ts";
import { REGULAR_EXITS, runLife } from "./lives.ts";
import type { LifeOptions } from "./lives.ts";
import { written } from "./office-files.ts";
import type { Paper } from "./office-files.ts";
import type { Ledger } from "./oracle.ts";
import { PaymentFaults } from "./payment-faults.ts";
import { Payments } from "./payments.ts";
import { Readings } from "./readings.ts";
import type { Environment, TwoServices } from "./two-services.ts";

const KILLED_SHARE = 0.4;
/** Where most hangs on it; points.test.ts is at every one. */
const KILLED_AT: readonly FaultLabel[] = ["answer.read", "answer.read", "send.before", "commit.after"];
/**
 * Also: what a cancelled or an archived batch is asked for, a retry file as it was, another process at work, a batch of the
 * other environment.
 */
const EXITS = [...REGULAR_EXITS, 2, 5, 75, 78];
const CLOCK = fileURLToPath(new URL("./moved-clock.ts", import.meta.url));
/** The service refuses it. */
export const KEY_OF_LAST_YEAR = { PAYDROP_API_KEY: "key-of-last-year" };
const DAY_MS = 86_400_000;

/** A folder of files, a state folder, and the program: what was done there, and what was found wrong. */
export class Desk {
  readonly done: string[] = [];
  readonly faults: string[] = [];
  readonly folder: string;
  readonly stateDir: string;
  /** Of somebody else, who works with the same files. */
  readonly otherStateDir: string;
  readonly settings: string;
  readonly house: House;
  readonly services: TwoServices;
  readonly payments: Payments;
  readonly readings = new Readings();
  readonly papers: Paper[] = [];
  readonly concurrency: number;
  /** Where it sends to, unless something else is said. */
  environment: Environment = "test";
  /** Two of five commands are killed, where they get so far. */
  isDisturbed = true;
  /** Each of the two is the same service, whichever of its addresses a batch began with. */
  acceptsAddress = false;
  readonly #seed: number;
  readonly #options: LifeOptions;
  readonly #paymentFaults: PaymentFaults;
  /** Batches of which a person let rows go. */
  readonly #released = new Set<string>();
  #act = 0;
  #draws = 0;
  #day = 0;
  /** By kills since the last look (I8). */
  #mayBeUnknown = 0;
  #mayEndWith: readonly number[] = [];

  constructor(seed: number, folder: string, services: TwoServices) {
    this.#seed = seed;
    this.house = houseOf(seed);
    this.folder = join(folder, "desk");
    this.stateDir = join(folder, "state");
    this.otherStateDir = join(folder, "other-state");
    this.settings = join(folder, "paydrop.toml");
    mkdirSync(this.folder);
    writeFileSync(this.settings, this.house.toml, { mode: 0o600 });
    this.services = services;
    this.concurrency = 1 + (seed % 4);
    const env = {
      ...{ PAYDROP_RETRY_FOR: "200ms", PAYDROP_SETTLE: "100ms", PAYDROP_BY: "asha", PAYDROP_CONFIG: this.settings },
      ...{ PAYDROP_CONCURRENCY: String(this.concurrency), PAYDROP_TIME_ZONE: zoneWhereItIsNoon() },
    };
    this.#options = { stateDir: this.stateDir, url: "", env, nodeArgs: ["--import", CLOCK] };
    this.payments = new Payments(this.folder, this.stateDir);
    this.#paymentFaults = new PaymentFaults(this.payments);
  }

  begin(act: number): void {
    [this.#act, this.#draws, this.environment] = [act, 0, "test"];
  }

  get ledger(): Ledger {
    return this.services.ledger;
  }

  /** Days after the first act. */
  get day(): number {
    return this.#day;
  }

  letPass(days: number): void {
    this.#day += days;
    this.services.beginDay(this.#day);
  }

  get today(): string {
    return this.dateOf(this.day);
  }

  dateOf(day: number): string {
    return new Date(Date.now() + day * DAY_MS).toISOString().slice(0, 10);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Puts a file down, over one of its name, and runs it. */
  async drop(paper: Paper, ...flags: readonly string[]): Promise<void> {
    this.lay(paper);
    this.papers.push(paper);
    await this.run(paper.name, ...flags);
  }

  lay({ name, text }: Paper): void {
    const file = written(name, text);
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), file.bytes);
    if (this.house.isControlled) writeFileSync(this.path(`${name}.control`), file.control);
    this.payments.know(file);
    this.readings.know(file);
  }

  async run(name: string, ...flags: readonly string[]): Promise<void> {
    await this.paydrop("run", ...flags, this.path(name));
  }

  async paydrop(...operands: readonly string[]): Promise<void> {
    await this.start(operands);
  }

  /** Gives the exit code; undefined: it was killed. */
  async start(operands: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
    const fault = `crash@${this.pick(KILLED_AT)}:${1 + Math.floor(this.dice() * 3)}`;
    const isKilled = this.dice() < KILLED_SHARE && this.isDisturbed;
    const env = {
      ...{ PAYDROP_BASE_URL: this.services.url(this.environment), PAYDROP_ENVIRONMENT: this.environment },
      ...(this.acceptsAddress ? { PAYDROP_ACCEPT_DESTINATION: "true" } : {}),
      ...{ ...this.#options.env, ...more, PAYDROP_TEST_DAYS_AHEAD: String(this.day) },
      ...(isKilled ? { PAYDROP_FAULT: fault } : {}),
    };
    const { code, output } = await runLife(operands, { ...this.#options, env });
    const said = Object.entries(more).map(([name, value]) => `${name}=${value} `);
    const where = `act ${this.#act}, day ${this.day}, ${this.environment}`;
    this.done.push(`${where}: ${said.join("")}paydrop ${operands.join(" ")} → ${code ?? fault}`);
    if (operands[0] === "release") this.#released.add(operands[1] ?? "");
    if (code === undefined) this.#mayBeUnknown += this.concurrency;
    else if (![...EXITS, ...this.#mayEndWith].includes(code)) this.faults.push(`ended with ${code}\n${output}`);
    return code;
  }

  /** Where something must let nothing go, and may be told with an exit code of its own. */
  async sendingNothing(why: string, mayEndWith: readonly number[], work: () => Promise<unknown>): Promise<void> {
    const before = this.services.requests.length;
    await this.ending(mayEndWith, work);
    if (this.services.requests.length > before) this.faults.push(`${why}, and rows were sent`);
  }

  async ending(mayEndWith: readonly number[], work: () => Promise<unknown>): Promise<void> {
    this.#mayEndWith = mayEndWith;
    await work();
    this.#mayEndWith = [];
  }

  compare(): void {
    const { payments, services, ledger, otherStateDir } = this;
    const rows = payments.rows();
    const elsewhere = payments.rows(otherStateDir);
    const { requests } = services;
    this.faults.push(
      ...this.#paymentFaults.look(ledger, rows, elsewhere, this.#mayBeUnknown),
      ...this.house.faults({ rows, requests, released: this.#released }),
      ...this.readings.look([...rows, ...elsewhere], requests),
    );
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

/** No day ends but by `letPass`. */
function zoneWhereItIsNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  return `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
}
