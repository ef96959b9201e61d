import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Desk } from "./desk.ts";
import type { PaymentRow } from "./payments.ts";

const STILL_TO_GO: readonly string[] = ["ready", "not_sent", "settled_not_done"];

/** Whoever decides on rows: looks unknown ones up in the service's ledger, lets held ones go, archives. */
export class People {
  readonly #desk: Desk;
  /** Of unknown rows, filled in: whoever has one may hand it in late, or once more. */
  readonly #lists: string[] = [];

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  acts(rows: readonly PaymentRow[]): (() => Promise<unknown>)[] {
    const desk = this.#desk;
    const batch = desk.pick([...rows.map((row) => row.batch), "none"]);
    return [
      () => this.lookUp(),
      () => this.handIn(this.#lists.length > 0 ? desk.pick(this.#lists) : this.#list()),
      () => this.#handInTwice(),
      () => this.#giveBack(rows),
      () => this.release(),
      () => this.#archive(rows),
      () => desk.paydrop("retry", batch),
      () => desk.paydrop(desk.pick(["pause", "resume", "resume", "cancel"]), batch),
    ];
  }

  async lookUp(): Promise<void> {
    await this.handIn(this.#list());
  }

  async handIn(list: string): Promise<void> {
    const path = join(this.#desk.folder, "..", "unknown.csv");
    writeFileSync(path, list);
    if (list.includes("\n")) await this.#desk.paydrop("settle", "--from", path);
  }

  /** The second time it is old: what went again since is unknown by another attempt. */
  async #handInTwice(): Promise<void> {
    const unknown = this.#desk.payments.rows().filter(({ state }) => state === "unknown");
    const list = this.#list();
    await this.handIn(list);
    for (const { batch, environment } of new Map(unknown.map((row) => [row.batch, row])).values()) {
      this.#desk.environment = environment;
      await this.#desk.paydrop("retry", batch);
    }
    await this.handIn(list.replaceAll("looked up", "from my list"));
  }

  /** The list of unknown rows, filled in by what the service's ledger says. */
  #list(): string {
    const { payments, ledger } = this.#desk;
    const lines = payments
      .rows()
      .filter(({ state }) => state === "unknown")
      .map((row) => {
        const isDone = payments.made(row.payment, ledger) > 0;
        payments.settle(row, isDone);
        return `${row.batch},${row.number},${row.attempts},${isDone ? "done" : "not-done"},asha,looked up`;
      });
    const list = ["batch,row,attempt,as,by,note", ...lines].join("\n");
    this.#lists.push(list);
    return list;
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
  async release(): Promise<void> {
    const rows = this.#desk.payments.rows();
    const byName = new Map(rows.map((row) => [row.name, row]));
    const isOfAnother = ({ code, phase, other, more, payment }: PaymentRow): boolean =>
      code === "possible_duplicate" && phase === "open" && more === 0 && byName.get(other ?? "")?.payment !== payment;
    const believed = this.#desk.dice() < 0.5 ? rows.filter(isOfAnother) : [];
    await this.releaseSome(believed.length > 0 ? believed : this.openRows().filter(({ state }) => state === "held"));
  }

  /** Of one batch, a row for each payment. */
  async releaseSome(held: readonly PaymentRow[]): Promise<void> {
    const desk = this.#desk;
    if (held.length === 0) return;
    const { batch, environment } = desk.pick(held);
    desk.environment = environment;
    const ofBatch = desk.payments.rows().filter((row) => row.batch === batch);
    // the first of equal rows goes by itself, or by a retry
    const going = new Set(ofBatch.filter(({ state }) => STILL_TO_GO.includes(state)).map(({ payment }) => payment));
    const own = held.filter((row) => row.batch === batch && !going.has(row.payment));
    if (own.length === 0) return;
    const rows = new Map(own.map((row) => [row.payment, row.number]));
    const all = ofBatch.filter(({ state }) => state === "held");
    // what is not for a person to release stays held whoever says all
    const isAll = all.length === rows.size && all.every((row) => own.includes(row)) && desk.dice() < 0.5;
    const named = isAll
      ? ["--all"]
      : [
          "--row",
          ...desk
            .pick([rangesOf, String])([...rows.values()])
            .split(","),
        ];
    await desk.paydrop("release", batch, ...named, "--reason", "never made");
  }

  /** Rows that wait for a person or for a run, and whose payment was not made. */
  openRows(): PaymentRow[] {
    const { payments, ledger } = this.#desk;
    return payments.rows().filter(({ state, code, phase, payment }) => {
      if (state === "unknown" || state === "sending") return true;
      if (phase === "cancelled" || payments.made(payment, ledger) > 0) return false;
      return ["ready", "not_sent", "settled_not_done", "held"].includes(state) || code === "key_refused";
    });
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
}

/** `2-4,7`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(",");
}
