import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Desk } from "./desk.ts";
import * as files from "./office-files.ts";
import type { Paper } from "./office-files.ts";
import { payrollFile } from "./payroll-file.ts";

/** Whoever has files: sends them, sends them again, copies, rewrites, corrects and merges them, and states a period. */
export class Clerk {
  readonly #seed: number;
  readonly #desk: Desk;

  constructor(seed: number, desk: Desk) {
    [this.#seed, this.#desk] = [seed, desk];
  }

  acts(act: number, paper: Paper, other: Paper): (() => Promise<unknown>)[] {
    const desk = this.#desk;
    const { text } = paper;
    const name = desk.pick([paper.name, `payroll-2026-11-${act}.csv`, `payouts/copy${act}.csv`]);
    const form = desk.pick(["json", "jsonl", "xlsx"]);
    // never a later month than the one it may have gone in: that would be another payment
    const month = desk.dateOf(paper.day).slice(0, 7);
    const again = (rewritten: string, ...flags: readonly string[]): Promise<void> =>
      desk.drop({ ...paper, name, text: rewritten }, ...flags);
    const merged = { name, text: text + files.rowsUnder(text, other.text), day: Math.min(paper.day, other.day) };
    return [
      () => desk.run(paper.name),
      () => again(text),
      () => again(text.replaceAll(",", ";")),
      () => again(text.toLowerCase()),
      () => again(files.withReferences(text)),
      () => again(files.fromAnotherAccount(text)),
      () => again(text, "--period", desk.pick([month, month.replace("-", "")])),
      () => again(files.mended(files.withoutFirstRow(text))),
      () => desk.drop({ ...paper, name: `payroll${act}.${form}` }),
      () => desk.drop(merged),
      () => again(files.mended(this.#retryText(paper))),
      () => this.#nextMonth(act, text),
      () => this.#later(),
    ];
  }

  /** Where control totals are asked for, one in three is forgotten at first, or is that of another file. */
  async sendNew(act: number): Promise<void> {
    const desk = this.#desk;
    const paper = this.#newPaper(act);
    desk.lay(paper);
    if (desk.house.isControlled && desk.dice() < 0.3) {
      writeFileSync(desk.path(`${paper.name}.control`), files.controlOf(["1.00"]));
      const flags = desk.pick([[], ["--inbox"]]);
      const path = flags.length === 0 ? desk.path(paper.name) : desk.folder;
      await desk.start(["run", ...flags, path]);
      const sent = desk.services.requests.find(({ marker }) => paper.text.includes(`,${marker},`));
      if (sent) desk.faults.push(`${sent.marker} was sent, and the control totals are others`);
    }
    await desk.drop(paper);
  }

  /** Now and then somebody is to be paid the same twice, or a branch code is mistyped. */
  #newPaper(act: number): Paper {
    const desk = this.#desk;
    const name = `s${this.#seed}a${act}`;
    const { text, plan } = payrollFile(name, 1 + Math.floor(desk.dice() * 8), false);
    const last = text.split("\r\n").at(-2) ?? "";
    const twice = last.replace(plan.at(-1)?.marker ?? "", `${name} ${files.ONCE_MORE}`);
    const whole = desk.dice() < 0.3 ? `${text}${twice}\r\n` : text;
    const typed = desk.dice() < 0.3 ? whole.replace("EXMB0100200", "EXMB01") : whole;
    const forms: [string, (text: string) => string][] = [
      [`${name}.csv`, String],
      [`${name}.csv`, String],
      [`payouts/${name}.csv`, String],
      [`transfers/${name}.csv`, files.transfersOf],
      ...(desk.readings.says === undefined ? [] : [[`${name}.csv`, files.mappedOf] satisfies [string, unknown]]),
    ];
    const [path, form] = desk.pick(forms);
    return { name: path, text: form(typed), day: desk.day };
  }

  #retryText({ name, text }: Paper): string {
    const path = this.#desk.path(`${name}.retry.csv`);
    return existsSync(path) ? readFileSync(path, "utf8") : text;
  }

  async #nextMonth(act: number, text: string): Promise<void> {
    const month = `20${30 + act}-05`;
    const paper = { name: `next${act}.csv`, text: files.ofMonth(month, files.mended(text)), day: this.#desk.day };
    await this.#desk.drop(paper, "--period", month);
  }

  /** Days pass, and a file that paydrop knows is found. */
  async #later(): Promise<void> {
    const desk = this.#desk;
    desk.letPass(desk.pick([1, 7, 25]));
    const known = new Set(desk.payments.rows().map(({ file }) => file));
    const found = desk.papers.filter(({ name }) => known.has(name));
    if (found.length > 0) await desk.drop(desk.pick(found));
  }
}
