import type { Desk } from "./desk.ts";
import type { Paper } from "./office-files.ts";
import type { PaymentRow } from "./payments.ts";
import { payrollFile } from "./payroll-file.ts";

/** Of a file that is still being sent when somebody says something of it. */
const ROWS = 12;
const PER_SECOND = "3";

/** More than one process with the same state folder. */
export class AtOnce {
  readonly #seed: number;
  readonly #desk: Desk;
  readonly #people: readonly (() => Promise<unknown>)[];

  /** `people`: what they may say while rows are on their way. */
  constructor(seed: number, desk: Desk, ...people: readonly (() => Promise<unknown>)[]) {
    [this.#seed, this.#desk, this.#people] = [seed, desk, people];
  }

  acts(act: number, paper: Paper, other: Paper, rows: readonly PaymentRow[]): (() => Promise<unknown>)[] {
    const desk = this.#desk;
    const batch = desk.pick([...rows.map((row) => row.batch), "none"]);
    const live = {
      PAYDROP_BASE_URL: desk.services.url("live"),
      PAYDROP_ENVIRONMENT: "live",
    };
    const sends = [
      () => desk.run(other.name),
      () => desk.run(paper.name),
      () => desk.paydrop("retry", batch),
      () => desk.paydrop("run", "--inbox", desk.folder),
      () => desk.start(["run", desk.path(paper.name)], live),
    ];
    return [
      () => Promise.all([desk.run(paper.name), desk.pick(sends)()]),
      () => Promise.all([desk.run(paper.name), desk.pick(sends)(), desk.pick(sends)()]),
      () => this.#meanwhile(act, desk.pick(["pause", "cancel"])),
      () => this.#meanwhile(act, desk.pick(["pause", "cancel"])),
      () => this.#sayMeanwhile(act),
    ];
  }

  /** Once that is said, only rows that are on their way arrive. */
  async #meanwhile(act: number, word: "pause" | "cancel"): Promise<void> {
    const desk = this.#desk;
    const { name, markers, run } = await this.#begin(act);
    const batch = desk.payments.rows().find(({ file }) => file === name)?.batch;
    if (batch !== undefined) {
      const isSaid = (await desk.start([word, batch])) === 0;
      const before = this.#arrived(markers);
      await run;
      const late = this.#arrived(markers) - before;
      if (isSaid && late > desk.concurrency) desk.faults.push(`after ${word} ${late} requests arrived`);
      if (word === "pause" && desk.dice() < 0.5) await desk.paydrop("resume", batch);
    }
    await run;
  }

  async #sayMeanwhile(act: number): Promise<void> {
    const { run } = await this.#begin(act);
    await this.#desk.pick(this.#people)();
    await run;
  }

  /** Until a row of a longer file is on its way. */
  async #begin(act: number): Promise<{ name: string; markers: ReadonlySet<string>; run: Promise<void> }> {
    const desk = this.#desk;
    const { text, plan } = payrollFile(`s${this.#seed}a${act}`, ROWS, false);
    const name = `s${this.#seed}a${act}.csv`;
    const arrives = desk.services.nextRequest(desk.environment);
    const run = desk.drop({ name, text, day: desk.day }, "--rate", PER_SECOND);
    await Promise.race([run, arrives]);
    return { name, markers: new Set(plan.map(({ marker }) => marker)), run };
  }

  #arrived(markers: ReadonlySet<string>): number {
    const { requests } = this.#desk.services;
    return requests.filter(({ marker, environment }) => markers.has(marker) && environment === this.#desk.environment)
      .length;
  }
}
