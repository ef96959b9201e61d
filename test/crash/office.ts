import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Desk } from "./desk.ts";
import type { Service } from "./lives.ts";
import * as files from "./office-files.ts";
import type { Paper } from "./office-files.ts";
import type { PaymentRow } from "./payments.ts";
import { payrollFile } from "./payroll-file.ts";

const BACKED_UP_EVERY = 4;
/** What is written otherwise after the 20 days of `duplicate_days` is another payment (DESIGN §7). */
const YOUNG_DAYS = 18;
const WRONG_KEY = { PAYDROP_API_KEY: "key-of-last-year" };
/** Nobody is that unlucky. */
const ROUNDS_MAX = 12;

/**
 * People who send files, send them again, copy, rewrite, correct and merge them, sweep the folder, state a period, let days
 * pass, archive, work with an older copy of the state folder, look unknown rows up, release, retry, pause and cancel.
 */
export class Office {
  readonly #seed: number;
  readonly #desk: Desk;

  constructor(seed: number, folder: string, service: Service) {
    this.#seed = seed;
    this.#desk = new Desk(seed, folder, service);
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
    const young = desk.papers.filter(({ day }) => desk.day - day < YOUNG_DAYS);
    if (number <= 2 || young.length === 0 || desk.dice() < 0.3) await desk.drop(this.#newPaper(number));
    else await desk.pick(this.#acts(number, desk.pick(young), desk.pick(young)))();
    desk.compare();
    if (number % BACKED_UP_EVERY === 1) desk.backUp();
  }

  #acts(act: number, paper: Paper, other: Paper): (() => Promise<unknown>)[] {
    const desk = this.#desk;
    const { text } = paper;
    const name = desk.pick([paper.name, `payroll-2026-11-${act}.csv`]);
    const form = desk.pick(["json", "jsonl", "xlsx"]);
    const rows = desk.payments.rows();
    const batch = desk.pick([...rows.map((row) => row.batch), "none"]);
    const again = (rewritten: string, ...flags: readonly string[]): Promise<void> =>
      desk.drop({ ...paper, name, text: rewritten }, ...flags);
    const merged = { name, text: text + files.rowsUnder(text, other.text), day: Math.min(paper.day, other.day) };
    return [
      () => desk.run(paper.name),
      () => again(text),
      () => again(text.replaceAll(",", ";")),
      () => again(text.toLowerCase()),
      () => again(files.withReferences(text)),
      () => again(text, "--period", desk.pick([desk.today.slice(0, 7), desk.today.slice(0, 7).replace("-", "")])),
      () => again(files.mended(files.withoutFirstRow(text))),
      () => desk.drop({ ...paper, name: `payroll${act}.${form}` }),
      () => desk.drop(merged),
      () => again(files.mended(this.#retryText(paper))),
      () => this.#nextMonth(act, text),
      () => this.#later(),
      () => desk.paydrop("run", desk.folder),
      () => desk.start(["run", join(desk.folder, paper.name)], WRONG_KEY),
      () => desk.withOlderJournal(() => this.#sendAll({ ...paper, name }, batch)),
      () => this.#archive(rows),
      () => this.#lookUp(),
      () => this.#giveBack(rows),
      () => this.#release(rows),
      () => desk.paydrop("retry", batch),
      () => desk.paydrop(desk.pick(["pause", "resume", "resume", "cancel"]), batch),
      () => {
        const beside = desk.pick([() => desk.run(other.name), () => desk.paydrop("retry", batch)]);
        return Promise.all([desk.run(paper.name), beside()]);
      },
    ];
  }

  /** Undisturbed, until every payment was made, refused or cancelled. Gives whether there was something left to do. */
  async seeThrough(round: number): Promise<boolean> {
    const desk = this.#desk;
    desk.isDisturbed = false;
    const open = this.#openRows();
    if (open.length === 0) return false;
    if (round > ROUNDS_MAX) desk.faults.push(`no end: ${open.map(({ name, state }) => `${name} ${state}`).join(", ")}`);
    await this.#lookUp();
    for (const { batch, phase, isArchived } of new Map(this.#openRows().map((row) => [row.batch, row])).values()) {
      if (isArchived) await desk.paydrop("archive", "--restore", batch);
      await desk.paydrop(phase === "paused" ? "resume" : "retry", batch);
    }
    await this.#releaseSome(this.#openRows().filter(({ state }) => state === "held"));
    desk.compare();
    return true;
  }

  /** What was written of each batch. Only a killed process, or one that archived it, may have left it behind. */
  async read(): Promise<void> {
    const { payments, folder, faults } = this.#desk;
    for (const rows of Map.groupBy(payments.rows(), (row) => row.batch).values()) {
      if (payments.faultsWritten(folder, rows).length === 0) continue;
      const [{ batch, isArchived } = { batch: "", isArchived: 0 }] = rows;
      if (isArchived) await this.#desk.paydrop("archive", "--restore", batch);
      await this.#desk.paydrop("results", batch);
    }
    faults.push(...payments.faultsWritten(folder, payments.rows()));
  }

  /** Rows that wait for a person or for a run, and whose payment was not made. */
  #openRows(): PaymentRow[] {
    const { payments, ledger } = this.#desk;
    return payments.rows().filter(({ state, code, phase, marker }) => {
      if (state === "unknown" || state === "sending") return true;
      if (phase === "cancelled" || payments.made(marker, ledger) > 0) return false;
      return ["ready", "not_sent", "settled_not_done", "held"].includes(state) || code === "key_refused";
    });
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
    return { name: `${name}.csv`, text: typed, day: desk.day };
  }

  #retryText({ name, text }: Paper): string {
    const path = join(this.#desk.folder, `${name}.retry.csv`);
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
    desk.day += desk.pick([1, 7, 25]);
    const known = new Set(desk.payments.rows().map(({ file }) => file));
    await desk.drop(desk.pick(desk.papers.filter(({ name }) => known.has(name))));
  }

  async #sendAll(paper: Paper, batch: string): Promise<void> {
    await this.#desk.drop(paper);
    await this.#desk.paydrop(...this.#desk.pick([["retry", batch] as const, ["run", this.#desk.folder] as const]));
  }

  /** What is old goes into the archive, or something comes back. */
  async #archive(rows: readonly PaymentRow[]): Promise<void> {
    const archived = rows.filter(({ isArchived }) => isArchived);
    const isBack = archived.length > 0 && this.#desk.dice() < 0.5;
    await this.#desk.paydrop(
      "archive",
      ...(isBack ? ["--restore", this.#desk.pick(archived).batch] : ["--before", this.#desk.today]),
    );
  }

  /** The list of unknown rows, filled in by what the service's ledger says. */
  async #lookUp(): Promise<void> {
    const { payments, ledger, folder } = this.#desk;
    const list = ["batch,row,attempt,as,by,note"];
    for (const row of payments.rows().filter(({ state }) => state === "unknown")) {
      const isDone = payments.made(row.marker, ledger) > 0;
      list.push(`${row.batch},${row.number},${row.attempts},${isDone ? "done" : "not-done"},asha,looked up`);
      payments.settle(row, isDone);
    }
    const path = join(folder, "..", "unknown.csv");
    writeFileSync(path, list.join("\n"));
    if (list.length > 1) await this.#desk.paydrop("settle", "--from", path);
  }

  /** The bank gave an accepted payment back: it is to be made once more. */
  async #giveBack(rows: readonly PaymentRow[]): Promise<void> {
    const desk = this.#desk;
    const accepted = rows.filter(({ state }) => state === "accepted");
    if (accepted.length === 0) return;
    const row = desk.pick(accepted);
    await desk.paydrop("settle", row.batch, "--row", String(row.number), "--as", "not-done", "--note", "given back");
    const now = desk.payments.rows().find(({ name }) => name === row.name);
    if (now?.state === "settled_not_done") desk.payments.giveBack(row);
  }

  /** Half the people ask the service whether it was made; the others believe what they are told of a held row. */
  async #release(rows: readonly PaymentRow[]): Promise<void> {
    const markers = new Map(rows.map(({ name, marker }) => [name, marker]));
    const isOfAnother = ({ code, phase, other, more, marker }: PaymentRow): boolean =>
      code === "possible_duplicate" && phase === "open" && more === 0 && markers.get(other ?? "") !== marker;
    const believed = this.#desk.dice() < 0.5 ? rows.filter(isOfAnother) : [];
    await this.#releaseSome(believed.length > 0 ? believed : this.#openRows().filter(({ state }) => state === "held"));
  }

  /** Of one batch, a row for each payment. */
  async #releaseSome(held: readonly PaymentRow[]): Promise<void> {
    if (held.length === 0) return;
    const { batch } = this.#desk.pick(held);
    const rows = new Map(held.filter((row) => row.batch === batch).map((row) => [row.marker, String(row.number)]));
    await this.#desk.paydrop("release", batch, "--row", ...rows.values(), "--reason", "never made");
  }
}
