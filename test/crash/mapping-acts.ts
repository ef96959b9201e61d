import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { KEY_OF_LAST_YEAR } from "./desk.ts";
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

  acts(act: number): (() => Promise<unknown>)[] {
    return [() => (this.#desk.readings.says === undefined ? this.#confirm(act) : this.#change(act))];
  }

  /** Nothing is read in another system's columns before. */
  async #confirm(act: number): Promise<void> {
    const desk = this.#desk;
    const paper = this.#newPaper(act);
    const { name } = paper;
    desk.lay(paper);
    const before = desk.services.requests.length;
    await desk.run(name);
    // rows of another batch, which people let go, may have gone
    const sent = desk.services.requests
      .slice(before)
      .filter(({ marker }) => marker.startsWith(`s${this.#seed}a${act} `));
    if (sent.length > 0) desk.faults.push("nobody confirmed how it is read, and rows were sent");
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
  async #change(act: number): Promise<void> {
    const desk = this.#desk;
    const paper = this.#newPaper(act);
    desk.lay(paper);
    desk.papers.push(paper);
    await desk.start(["run", desk.path(paper.name)], KEY_OF_LAST_YEAR);
    desk.compare();
    if (desk.dice() < 0.5) this.#constant = act;
    else this.#phone = act;
    this.#write();
    await desk.run(paper.name);
  }

  #newPaper(act: number): Paper {
    const name = `s${this.#seed}a${act}`;
    return { name: `${name}.csv`, text: mappedOf(payrollFile(name, 3, false).text), day: this.#desk.day };
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
