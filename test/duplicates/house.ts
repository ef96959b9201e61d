import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PaymentsDigest } from "../../src/duplicates/keys.ts";
import { judgeBatch, judgeRows, judgeWaiting, type Became, type JudgingRules } from "../../src/journal/judge.ts";
import { openJournal } from "../../src/sqlite/open.ts";
import { askRelease, type Release } from "../../src/journal/release.ts";
import type { RowState } from "../../src/journal/states.ts";
import type { Act, JournalStore, NewRow, Outcome } from "../../src/journal/store.ts";
import { read } from "./situations.ts";
import { commitTo } from "../support/commit.ts";

const DAY = 86_400_000;
const RULES: JudgingRules = {
  duplicate_days: 20,
  allow_repeats: false,
  all_or_nothing: false,
  changed_account: "hold",
};

interface Drop {
  readonly name?: string;
  readonly period?: string;
  readonly rules?: Partial<JudgingRules>;
  /** It is judged so many times before it is opened. */
  readonly times?: number;
}

/** What the service answers to a row, by its number; `accepted` where nothing is said. */
type Answers = Readonly<Record<number, Outcome["state"]>>;

/** Opens the journal of a house; a test may put another engine here. */
export const engine: { open: (folder: string) => Promise<JournalStore> } = { open: openJournal };

/** A journal of its own, files in words (`situations.ts`), a service that answers as told, a clock that people put. */
export class House {
  readonly store: JournalStore;
  now: number = Date.UTC(2026, 10, 2, 9);
  readonly #folder: string;
  #batches = 0;

  private constructor(folder: string, store: JournalStore) {
    [this.#folder, this.store] = [folder, store];
  }

  static async open(): Promise<House> {
    const folder = mkdtempSync(join(tmpdir(), "paydrop-house-"));
    return new House(folder, await engine.open(folder));
  }

  async close(): Promise<void> {
    await this.store.close();
    rmSync(this.#folder, { recursive: true });
  }

  letPass(days: number): void {
    this.now += days * DAY;
  }

  /** Takes a file: its first row is row 2. `~` is an invalid row, `~asha` one whose payee can be read, `!…` not now. */
  async take(rows: readonly string[], drop: Drop = {}): Promise<string> {
    const { name = "payroll.csv", period } = drop;
    const id = `BATCH${String((this.#batches += 1)).padStart(3, "0")}`;
    const sha256 = createHash("sha256").update(rows.join("\n")).digest("hex");
    await this.store.addBatch({
      ...{ id, environment: "test", destination: "http://127.0.0.1:1", fileName: name, folder: "/inbox", sha256 },
      ...{
        format: "csv",
        sizeBytes: 1,
        reading: "{}",
        createdAt: this.now,
        ...(period === undefined ? {} : { period }),
      },
    });
    const written = rows.map((words, at) => newRow(at + 2, words, period));
    await this.store.addRows(id, written);
    const payments = new PaymentsDigest();
    for (const { payment } of written) if (payment) payments.add(payment);
    const totals = { rows: rows.length, total: "0.00", label: "payout", payments: payments.value(), remarks: [] };
    await this.store.endRows(id, totals);
    await this.store.judging(async () => {
      for (let time = 0; time < (drop.times ?? 1); time += 1) {
        await judgeBatch(this.store, { id }, { ...RULES, ...drop.rules }, this.now);
      }
      await this.store.setBatch(id, { phase: "open", source: { path: `/inbox/${name}`, identity: id } });
    });
    return id;
  }

  /** Sends what is ready; rows without an answer stay on their way. Gives the numbers of the rows that left. */
  async send(id: string, answers: Answers = {}): Promise<number[]> {
    const left: number[] = [];
    const run = await this.store.beginRun(id, { login: "asha", host: "desk" }, this.now);
    for (let outcomes: Outcome[] = []; ;) {
      const { leaving } = await commitTo(this.store, id, outcomes, 1000);
      if (leaving.length === 0) break;
      left.push(...leaving.map(({ row }) => row));
      outcomes = leaving.map(({ row }) => {
        const state = answers[row] ?? "accepted";
        return { row, state, code: state, tries: 1, sentAt: this.now, durationMs: 1 };
      });
    }
    await this.store.endRun(run, { endedAt: this.now, exitCode: 0, requests: left.length });
    return left;
  }

  /** A run that ends with a word before its first row left. */
  async stop(id: string): Promise<void> {
    const run = await this.store.beginRun(id, { login: "asha", host: "desk" }, this.now);
    const { leaving } = await commitTo(this.store, id, [], 1000);
    const again = leaving.map(({ row }) => ({ row, state: "again", code: "not_left", tries: 0 }) as const);
    if (again.length > 0) await commitTo(this.store, id, again, 0);
    await this.store.endRun(run, { endedAt: this.now, exitCode: 7, requests: 0 });
  }

  /** Takes a file and sends what is ready: what became of its rows. */
  async run(rows: readonly string[], drop: Drop & { readonly answers?: Answers } = {}): Promise<string> {
    const id = await this.take(rows, drop);
    await this.send(id, drop.answers);
    return id;
  }

  async settle(id: string, row: number, to: "settled_done" | "settled_not_done"): Promise<void> {
    await this.store.move(id, [{ row, to, from: ["unknown"] }], this.#act("settle"));
    await this.judgeWaiting(id);
  }

  async cancelHeld(id: string): Promise<void> {
    const held = await this.store.rows({ batch: id, states: ["held"] });
    const moves = held.map(({ row }) => ({ row, to: "cancelled" as const, from: ["held" as const] }));
    await this.store.move(id, moves, this.#act("cancel"));
    await this.judgeWaiting(id);
  }

  judgeWaiting(ended: string): Promise<ReadonlyMap<string, number>> {
    return this.store.judging(() => judgeWaiting(this.store, [ended], "test", RULES, this.now));
  }

  /** Rows in `from` go again, as by `paydrop retry` or the next run. */
  goAgain(id: string, rows: readonly number[], from: RowState, rules: Partial<JudgingRules> = {}): Promise<Became> {
    const how = { now: this.now, from: [from], act: this.#act("retry") };
    return this.store.judging(() => judgeRows(this.store, { id }, rows, { ...RULES, ...rules }, how));
  }

  /** Asks, and lets go what may go. */
  release(id: string, rows: readonly number[] | "all", rules: Partial<JudgingRules> = {}): Promise<Release> {
    // somebody else than who brought the file
    const act = { ...this.#act("release"), by: "meena" };
    return this.store.judging(async () => {
      const asked = await askRelease(this.store, { id }, rows, { rules: { ...RULES, ...rules }, now: this.now, act });
      await this.store.move(id, asked.moves, act);
      return asked;
    });
  }

  /** `2 accepted, 3 held maybe_paid+other_amount`: every row with its reasons; `of`: only these. */
  async rows(id: string, ...of: readonly number[]): Promise<string> {
    const rows = await this.store.rows({ batch: id, ...(of.length === 0 ? {} : { rows: of }) });
    const told = rows.map(({ row, state, reasons }) => {
      const isTold = state === "held" || state === "duplicate";
      return [row, state, isTold ? reasons.map(({ code }) => code).join("+") : ""].join(" ").trim();
    });
    return told.join(", ");
  }

  /** `2 ready, 8 held maybe_paid`. */
  async sums(id: string): Promise<string> {
    const rows = await this.store.rows({ batch: id });
    const groups = Map.groupBy(rows, ({ state, code = "" }) =>
      state === "held" || state === "duplicate" ? `${state} ${code}` : state,
    );
    return [...groups].map(([group, of]) => `${of.length} ${group}`).join(", ");
  }

  #act(kind: Act["kind"]): Act {
    return { kind, at: this.now, login: "asha", host: "desk", by: "asha" };
  }
}

function newRow(row: number, words: string, stated: string | undefined): NewRow {
  const none = { row, faults: [], notices: [] };
  if (words.startsWith("~")) {
    const [, payee = "", rest = ""] = /^~(\S*)(.*)$/.exec(words) ?? [];
    const { retryOf } = read(`x 0${rest}`);
    const { payee: hidden, zeros } = read(`${payee} 0`);
    const known = payee === "" ? {} : { payee: hidden, zeros };
    const given = { ...known, ...(retryOf ? { retryOf } : {}), ...(stated === undefined ? {} : { period: stated }) };
    return { ...none, state: "invalid", faults: [{ code: "field_empty" }], ...given };
  }
  const said = read(words.replace("!", ""));
  const period = said.period ?? stated;
  const valid = {
    ...said,
    ...(period === undefined ? {} : { period }),
    amount: /^\S+ (\S+)/.exec(words)?.[1] ?? "",
    last4: words.slice(0, 4),
  };
  const sent = { operation: "payout" as const, place: row * 100, size: 90, crc: row };
  if (!words.startsWith("!")) return { ...none, ...valid, ...sent, state: "ready" };
  return { ...none, ...valid, ...sent, state: "held", faults: [{ code: "not_now" }] };
}
