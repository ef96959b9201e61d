import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Desk } from "./desk.ts";
import type { Paper } from "./office-files.ts";
import type { PaymentRow } from "./payments.ts";

const NOT_THERE = 2;
/** Results that the folder does not take lie in the state folder. */
const ELSEWHERE = 74;

/** The drop folder: it is swept, stopped, and goes away for a while. */
export class FolderActs {
  readonly #desk: Desk;
  readonly #release: () => Promise<void>;

  constructor(desk: Desk, release: () => Promise<void>) {
    [this.#desk, this.#release] = [desk, release];
  }

  acts(paper: Paper, rows: readonly PaymentRow[]): (() => Promise<unknown>)[] {
    const desk = this.#desk;
    const batch = desk.pick([...rows.map((row) => row.batch), "none"]);
    return [
      () => desk.paydrop("run", ...desk.pick([[], ["--inbox"]]), desk.folder),
      () => desk.paydrop("run", "--inbox", desk.folder),
      () => this.#stop(paper, batch),
      () => this.#goesAway(paper, batch),
      () => this.#goesAwayMeanwhile(paper),
    ];
  }

  /** Until a person says resume, nothing goes, whoever asks for it; taking STOP away changes nothing. */
  async #stop(paper: Paper, batch: string): Promise<void> {
    const desk = this.#desk;
    const sweep = (): Promise<void> => desk.paydrop("run", "--inbox", desk.folder);
    const asks = [
      sweep,
      () => desk.run(paper.name),
      () => desk.drop({ ...paper, name: "payouts/late.csv" }),
      () => desk.paydrop("retry", batch),
      () => desk.paydrop("resume", batch),
      this.#release,
    ];
    if (!existsSync(desk.path(".paydrop"))) await this.#undisturbed(sweep);
    const stop = desk.path(desk.pick(["STOP", "stop.txt", "payouts/STOP"]));
    mkdirSync(dirname(stop), { recursive: true });
    writeFileSync(stop, "");
    await desk.sendingNothing("the folder was stopped", [], async () => {
      await desk.pick(asks)();
      if (desk.dice() < 0.5) await sweep();
      await desk.pick(asks)();
      await desk.pick(asks)();
    });
    await this.#undisturbed(() => desk.start(["resume", "--inbox", desk.folder, "--by", "asha"]));
  }

  async #undisturbed(work: () => Promise<unknown>): Promise<void> {
    const { isDisturbed } = this.#desk;
    this.#desk.isDisturbed = false;
    await work();
    this.#desk.isDisturbed = isDisturbed;
  }

  /** Unmounted: the folder is not there, or an empty one is; what was begun, and what is retried, goes all the same. */
  async #goesAway(paper: Paper, batch: string): Promise<void> {
    const desk = this.#desk;
    const isEmptied = desk.dice() < 0.5;
    renameSync(desk.folder, `${desk.folder}.away`);
    if (isEmptied) mkdirSync(desk.folder);
    const ask = desk.pick([() => desk.run(paper.name), () => desk.paydrop("run", "--inbox", desk.folder)]);
    await desk.ending([NOT_THERE, ELSEWHERE], ask);
    await desk.ending([ELSEWHERE], () => desk.paydrop("retry", batch));
    rmSync(desk.folder, { recursive: true, force: true });
    renameSync(`${desk.folder}.away`, desk.folder);
  }

  async #goesAwayMeanwhile(paper: Paper): Promise<void> {
    const desk = this.#desk;
    await desk.ending([ELSEWHERE, NOT_THERE], async () => {
      const run = desk.run(paper.name);
      await Promise.race([run, desk.services.nextRequest(desk.environment)]);
      renameSync(desk.folder, `${desk.folder}.away`);
      await run;
      rmSync(desk.folder, { recursive: true, force: true });
      renameSync(`${desk.folder}.away`, desk.folder);
    });
  }
}
