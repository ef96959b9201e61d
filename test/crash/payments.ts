import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parse } from "csv-parse/sync";
import { isClear, readResults, resultOf, sumFaults } from "./oracle.ts";
import type { Ledger } from "./oracle.ts";

/** One row of a batch, as the journal has it, and the payment that it is meant to be. */
export interface PaymentRow {
  /** `BATCH:NUMBER`. */
  readonly name: string;
  readonly batch: string;
  readonly phase: string;
  readonly file: string;
  readonly number: number;
  readonly state: string;
  readonly attempts: number;
  readonly marker: string;
  readonly amount: string;
}

const MAY_BE_MADE = ["accepted", "settled_done", "unknown", "sending"];
const OPEN = ["unknown", "sending"];
/** I5: only a person's word changes them. */
const LASTING = ["accepted", "rejected", "unknown", "settled_done"];
const REFUSALS = [400, 402, 422];

/** All batches of a state directory, seen as payments: a marker is one, however many rows of however many files have it. */
export class Payments {
  readonly #journal: string;
  /** By the SHA-256 of a file: what its rows are. */
  readonly #files = new Map<string, readonly Pick<PaymentRow, "marker" | "amount">[]>();
  /** What people said of unknown rows. */
  readonly #settled: { readonly row: PaymentRow; readonly isDone: boolean }[] = [];
  #before = new Map<string, string>();

  constructor(stateDir: string) {
    this.#journal = join(stateDir, "journal.db");
  }

  know(text: string): void {
    const rows: Record<string, string>[] = parse(text, { bom: true, columns: true, delimiter: [",", ";"] });
    const known = rows.map((row) => ({ marker: row["narration"] ?? "", amount: row["amount"] ?? "" }));
    this.#files.set(createHash("sha256").update(text).digest("hex"), known);
  }

  settle(row: PaymentRow, isDone: boolean): void {
    this.#settled.push({ row, isDone });
  }

  rows(): PaymentRow[] {
    const rows = this.#all(
      `SELECT b.id || ':' || r.number AS name, b.id AS batch, b.phase, b.sha256, b.file_name AS file, r.number, r.state,
         r.attempts
       FROM row r JOIN batch b ON b.seq = r.batch WHERE b.phase <> 'recording' ORDER BY b.seq, r.number`,
    ) as unknown as (PaymentRow & { sha256: string })[];
    return rows.map((row) => ({ ...row, ...(this.#files.get(row.sha256)?.[row.number - 2] as PaymentRow) }));
  }

  /**
   * Whatever is against DESIGN §3, by the service's ledger; for moments at which no process is at work. `mayBeUnknown`:
   * as many rows kills may have made unknown since the last look.
   */
  faults(ledger: Ledger, mayBeUnknown: number): string[] {
    const rows = this.rows();
    const faults: string[] = [];
    for (const [marker, { requests, executed, limited, statuses }] of ledger) {
      const own = rows.filter((row) => row.marker === marker);
      const fault = (text: string): unknown =>
        faults.push(`${marker}: ${text}; ${own.map(({ name, state }) => `${name} ${state}`).join(", ")}`);
      const refused = statuses.filter((status) => REFUSALS.includes(status ?? 0)).length;
      const notDone = this.#settled.filter(({ row, isDone }) => row.marker === marker && !isDone).length;
      const attempts = this.#attemptsOf(own);
      if (executed > 1) fault(`made ${executed} times (I1)`);
      if (requests > 1 + limited + refused + notDone) fault(`${requests} requests (I1)`);
      if (requests > attempts.length) fault(`${requests} requests, ${attempts.length} attempts (I2)`);
      if (executed > own.filter(({ state }) => MAY_BE_MADE.includes(state)).length) fault("made, and nobody is told");
      const isGiven = (status: number | null): boolean => countOf(attempts, status) <= countOf(statuses, status);
      if (!attempts.every((status) => status === null || isGiven(status))) fault(`answers ${attempts.join(" ")} (I6)`);
    }
    for (const { name, marker, state } of rows) {
      const was = this.#before.get(name) ?? state;
      const isSettled = this.#settled.some(({ row }) => row.name === name);
      if (state === "accepted" && ledger.get(marker)?.executed !== 1) faults.push(`${name} (${marker}) was never made`);
      if (was === state || !LASTING.includes(was) || (was === "unknown" && isSettled)) continue;
      faults.push(`${name} was ${was} and is ${state}, without anybody's word (I5)`);
    }
    const cutOff = rows.filter(({ name, state, marker }) => {
      const last = ledger.get(marker)?.statuses.at(-1);
      return OPEN.includes(state) && !OPEN.includes(this.#before.get(name) ?? "") && isClear(last);
    });
    if (cutOff.length > mayBeUnknown) faults.push(`no answer of ${cutOff.map(({ name }) => name).join(", ")} (I8)`);
    this.#before = new Map(rows.map(({ name, state }) => [name, state]));
    return faults;
  }

  /** Of these rows' batches: where what paydrop wrote beside the file is not what the journal says (I3, I13). */
  faultsWritten(folder: string, rows: readonly PaymentRow[]): string[] {
    return [...Map.groupBy(rows, ({ batch }) => batch)].flatMap(([batch, own]) => {
      const path = join(folder, own[0]?.file ?? "");
      const isNewest = readResults(`${path}.results.csv`)[0]?.["result_batch"] === batch;
      const lines = readResults(`${path}.results${isNewest ? "" : `.${batch}`}.csv`);
      const written = lines.map((line) => COLUMNS.map((column) => line[column]).join(" ")).join("\n");
      const known = own.map((row) => [row.number, resultOf(row.state), row.marker, row.amount].join(" ")).join("\n");
      if (written !== known) return [`results of ${batch}:\n${written}\nand not\n${known}`];
      const counted = own.map(({ state, amount }) => ({ status: resultOf(state) ?? "", amount }));
      return sumFaults(`${path}.summary${isNewest ? "" : `.${batch}`}.json`, counted);
    });
  }

  /** The status of each; null: no status line came. */
  #attemptsOf(rows: readonly PaymentRow[]): (number | null)[] {
    const all = `SELECT http_status AS status FROM attempt a JOIN batch b ON b.seq = a.batch
      WHERE b.id || ':' || a.row IN (SELECT value FROM json_each(?))`;
    const attempts = this.#all(all, JSON.stringify(rows.map(({ name }) => name)));
    return attempts.map(({ status }) => status as number | null);
  }

  #all(sql: string, ...values: readonly string[]): Record<string, unknown>[] {
    if (!existsSync(this.#journal)) return [];
    const database = new DatabaseSync(this.#journal, { readOnly: true, timeout: 10_000 });
    try {
      return database.prepare(sql).all(...values);
    } finally {
      database.close();
    }
  }
}

const COLUMNS = ["result_row", "result_status", "narration", "amount"];

function countOf(all: readonly unknown[], one: unknown): number {
  return all.filter((other) => other === one).length;
}
