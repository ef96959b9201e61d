import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Desk } from "./desk.ts";
import { mappedOf } from "./office-files.ts";
import type { Paper } from "./office-files.ts";
import { payrollFile } from "./payroll-file.ts";

const CONSTANTS = ["debit_account_id=ACC-OPS-01", "purpose=salary0"];

/** Files of another system: a mapping that a person confirmed, and changes later, it or its table. */
export class MappingActs {
  readonly #seed: number;
  readonly #desk: Desk;
  #constant = 0;
  #phone = 0;

  constructor(seed: number, desk: Desk) {
    [this.#seed, this.#desk] = [seed, desk];
  }

  acts(act: number, paper: Paper): (() => Promise<unknown>)[] {
    const desk = this.#desk;
    if (desk.readings.says === undefined) return [() => this.#confirm(act)];
    return [() => this.#change(act, paper), () => this.#change(act, paper)];
  }

  /** Nothing is read in another system's columns before. */
  async #confirm(act: number): Promise<void> {
    const desk = this.#desk;
    const name = `s${this.#seed}a${act}.csv`;
    const paper = { name, text: mappedOf(payrollFile(`s${this.#seed}a${act}`, 3, false).text), day: desk.day };
    desk.lay(paper);
    await desk.sendingNothing("nobody confirmed how it is read", [], () => desk.run(name));
    const said = ["--name", "hrms", "--operation", "payout", "--option", "B", "--unit", "rupees"];
    const code = await desk.start(["map", desk.path(name), "--write", ...said, "--const", ...CONSTANTS]);
    if (code !== 0) return;
    const table =
      '[[mapping.hrms.lookup]]\nfile = "employees.csv"\nby = "Emp No"\nkey = "No"\nfields = { mobile = "Phone" }\n';
    appendFileSync(desk.settings, `\n${table}`);
    this.#write();
    await desk.drop(paper);
  }

  /** What was begun goes on as it was read at first. */
  async #change(act: number, paper: Paper): Promise<void> {
    const desk = this.#desk;
    if (desk.dice() < 0.5) this.#constant = act;
    else this.#phone = act;
    this.#write();
    await desk.run(paper.name);
  }

  #write(): void {
    const desk = this.#desk;
    const phone = String(9_876_543_000 + this.#phone);
    const toml = readFileSync(desk.settings, "utf8").replace(/salary\d+/, `salary${this.#constant}`);
    writeFileSync(desk.settings, toml);
    writeFileSync(join(dirname(desk.settings), "employees.csv"), `No,Phone\nE1,${phone}\n`, { mode: 0o600 });
    desk.readings.says = `salary${this.#constant} ${phone}`;
  }
}
