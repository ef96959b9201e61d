import { AtOnce } from "./at-once.ts";
import { Clerk } from "./clerk.ts";
import { Desk } from "./desk.ts";
import { Elsewhere } from "./elsewhere.ts";
import { FolderActs } from "./folder-acts.ts";
import { MappingActs } from "./mapping-acts.ts";
import type { Paper } from "./office-files.ts";
import { People } from "./people.ts";
import { paise } from "./oracle.ts";
import type { TwoServices } from "./two-services.ts";
import { faultsWritten } from "./written-faults.ts";

const BACKED_UP_EVERY = 4;
/** What is written otherwise after the 20 days of `duplicate_days` is another payment (DESIGN §7). */
const YOUNG_DAYS = 18;
const LIVE_SHARE = 0.2;
/** Nobody is that unlucky. */
const ROUNDS_MAX = 16;

/** People, all with one folder of files and one state folder: what each of them does next is drawn by lot. */
export class Office {
  readonly #desk: Desk;
  readonly #clerk: Clerk;
  readonly #people: People;
  readonly #elsewhere: Elsewhere;
  readonly #folder: FolderActs;
  readonly #mapping: MappingActs;
  readonly #atOnce: AtOnce;

  constructor(seed: number, folder: string, services: TwoServices) {
    this.#desk = new Desk(seed, folder, services);
    this.#clerk = new Clerk(seed, this.#desk);
    this.#people = new People(this.#desk);
    this.#elsewhere = new Elsewhere(this.#desk);
    const release = (): Promise<void> => this.#people.release();
    this.#folder = new FolderActs(this.#desk, release);
    this.#mapping = new MappingActs(seed, this.#desk);
    this.#atOnce = new AtOnce(seed, this.#desk, release, () => this.#people.lookUp());
  }

  get done(): readonly string[] {
    return this.#desk.done;
  }

  get faults(): readonly string[] {
    return this.#desk.faults;
  }

  async act(number: number): Promise<void> {
    const desk = this.#desk;
    desk.begin(number);
    if (desk.house.perDay !== undefined && desk.dice() < 0.3) desk.letPass(1);
    if (number > 2 && desk.dice() < LIVE_SHARE) desk.environment = "live";
    const young = desk.papers.filter(({ day }) => desk.day - day < YOUNG_DAYS);
    if (number <= 2 || young.length === 0 || desk.dice() < 0.25) await this.#clerk.sendNew(number);
    else await desk.pick(desk.pick(this.#acts(number, desk.pick(young), desk.pick(young))))();
    desk.compare();
    if (number % BACKED_UP_EVERY === 1) this.#elsewhere.backUp();
  }

  /** By who does it: each of them has as much to do. */
  #acts(act: number, paper: Paper, other: Paper): (() => Promise<unknown>)[][] {
    const desk = this.#desk;
    const rows = desk.payments.rows();
    const files = this.#clerk.acts(act, paper, other);
    const decisions = this.#people.acts(rows);
    const folder = this.#folder.acts(paper, rows);
    const sendAll = async (): Promise<void> => {
      await desk.pick(files)();
      await desk.pick([() => desk.paydrop("run", desk.folder), ...decisions])();
    };
    return [
      ...[files, files, files, decisions, decisions, folder],
      this.#elsewhere.acts(act, paper, sendAll),
      this.#mapping.acts(act),
      this.#atOnce.acts(act, paper, other, rows),
    ];
  }

  /** Undisturbed, until every payment was made, refused or cancelled. Gives whether there was something left to do. */
  async seeThrough(round: number): Promise<boolean> {
    const desk = this.#desk;
    [desk.isDisturbed, desk.acceptsAddress] = [false, true];
    const open = this.#people.openRows();
    if (open.length === 0) return false;
    if (round > ROUNDS_MAX) desk.faults.push(`no end: ${open.map(({ name, state }) => `${name} ${state}`).join(", ")}`);
    if (desk.house.perDay !== undefined) desk.letPass(1);
    await this.#people.lookUp();
    const batches = new Map(this.#people.openRows().map((row) => [row.batch, row]));
    for (const { batch, environment, phase, isArchived } of batches.values()) {
      desk.environment = environment;
      if (isArchived) await desk.paydrop("archive", "--restore", batch);
      await desk.paydrop(this.#isTooMuch(batch) ? "cancel" : phase === "paused" ? "resume" : "retry", batch);
    }
    await this.#people.releaseSome(this.#people.openRows().filter(({ state }) => state === "held"));
    desk.compare();
    return true;
  }

  /** More than may go in a day, since rows of it were let go one after the other: no day is enough. */
  #isTooMuch(batch: string): boolean {
    const { house, payments } = this.#desk;
    const ready = payments.rows().filter((row) => row.batch === batch && row.state === "ready");
    const sum = ready.reduce((units, { amount }) => units + paise(amount), 0n);
    return house.perDay !== undefined && sum > paise(String(house.perDay));
  }

  /** What was written of each batch. Only a killed process, or one that archived it, may have left it behind. */
  async read(): Promise<void> {
    const { payments, folder, faults } = this.#desk;
    for (const rows of Map.groupBy(payments.rows(), (row) => row.batch).values()) {
      if (faultsWritten(folder, rows).length === 0) continue;
      const [{ batch, isArchived } = { batch: "", isArchived: 0 }] = rows;
      if (isArchived) await this.#desk.paydrop("archive", "--restore", batch);
      await this.#desk.paydrop("results", batch);
    }
    faults.push(...faultsWritten(folder, payments.rows()));
  }
}
