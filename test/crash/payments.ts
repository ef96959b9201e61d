import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isClear, readResults, resultOf, sumFaults } from "./oracle.ts";
import type { Ledger } from "./oracle.ts";
import type { Written } from "./office-files.ts";

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
  /** Why it is in this state. */
  readonly code: string | null;
  /** The row that it repeats, as `BATCH:NUMBER`, and how many more. */
  readonly other: string | null;
  readonly more: number;
  readonly isArchived: 0 | 1;
  readonly sha256: string;
  readonly marker: string;
  readonly amount: string;
}

const MAY_BE_MADE = ["accepted", "settled_done", "unknown", "sending"];
const OPEN = ["unknown", "sending"];
/** I5: only a person's word changes them. */
const LASTING = ["accepted", "rejected", "unknown", "settled_done"];
const REFUSALS = [400, 401, 402, 422];

/** All batches of a state directory, seen as payments: a marker is one, however many rows of however many files have it. */
export class Payments {
  readonly #journal: string;
  /** By the SHA-256 of a file: what its rows are. */
  readonly #files = new Map<string, Written>();
  /** What people said of unknown rows, and of accepted ones that the bank gave back. */
  readonly #settled: { readonly row: PaymentRow; readonly isDone: boolean }[] = [];
  readonly #givenBack: string[] = [];
  #before = new Map<string, string>();

  constructor(stateDir: string) {
    this.#journal = join(stateDir, "journal.db");
  }

  know(file: Written): void {
    this.#files.set(file.sha256, file);
  }

  settle(row: PaymentRow, isDone: boolean): void {
    this.#settled.push({ row, isDone });
  }

  giveBack(row: PaymentRow): void {
    this.settle(row, false);
    this.#givenBack.push(row.marker);
  }

  /** What the service carried out, and the bank did not give back. */
  made(marker: string, ledger: Ledger): number {
    return (ledger.get(marker)?.executed ?? 0) - countOf(this.#givenBack, marker);
  }

  rows(): PaymentRow[] {
    const rows = this.#all(
      `SELECT b.id || ':' || r.number AS name, b.id AS batch, b.phase, b.sha256, b.file_name AS file, r.number, r.state,
         r.attempts, r.code, r.other_batch || ':' || r.other_row AS other, r.other_more AS more,
         b.archive IS NOT NULL AS isArchived
       FROM row r JOIN batch b ON b.seq = r.batch WHERE b.phase <> 'recording' ORDER BY b.seq, r.number`,
    ) as unknown as PaymentRow[];
    return rows.map((row) => {
      const { rows: known = [], firstRow = 0 } = this.#files.get(row.sha256) ?? {};
      const { narration: marker = "", amount = "" } = known[row.number - firstRow] ?? {};
      return { ...row, marker, amount };
    });
  }

  /**
   * Whatever is against DESIGN §3, by the service's ledger; for moments at which no process is at work. `mayBeUnknown`:
   * as many rows kills may have made unknown since the last look.
   */
  faults(ledger: Ledger, mayBeUnknown: number): string[] {
    const rows = this.rows();
    const faults: string[] = [];
    for (const [marker, { requests, executed, limited, statuses }] of ledger) {
      const made = this.made(marker, ledger);
      const own = rows.filter((row) => row.marker === marker);
      const fault = (text: string): unknown =>
        faults.push(`${marker}: ${text}; ${own.map(({ name, state }) => `${name} ${state}`).join(", ")}`);
      const refused = statuses.filter((status) => REFUSALS.includes(status ?? 0)).length;
      const notDone = this.#settled.filter(({ row, isDone }) => row.marker === marker && !isDone).length;
      const attempts = this.#attemptsOf(own);
      if (made > 1) fault(`made ${executed} times (I1)`);
      if (requests > 1 + limited + refused + notDone) fault(`${requests} requests (I1)`);
      if (requests > attempts.length) fault(`${requests} requests, ${attempts.length} attempts (I2)`);
      if (made > own.filter(({ state }) => MAY_BE_MADE.includes(state)).length) fault("made, and nobody is told");
      const isGiven = (status: number | null): boolean => countOf(attempts, status) <= countOf(statuses, status);
      if (!attempts.every((status) => status === null || isGiven(status))) fault(`answers ${attempts.join(" ")} (I6)`);
    }
    for (const { name, marker, state, phase } of rows) {
      const was = this.#before.get(name) ?? state;
      const isSettled = this.#settled.some(({ row }) => row.name === name);
      if (state === "accepted" && !ledger.get(marker)?.executed) faults.push(`${name} (${marker}) was never made`);
      if (state === "duplicate" && OF_MONTH.test(marker) && !ledger.get(marker)?.executed && phase !== "cancelled")
        faults.push(`${name} (${marker}) is a duplicate, and was never made`);
      if (was === state || !LASTING.includes(was) || isSettled) continue;
      faults.push(`${name} was ${was} and is ${state}, without anybody's word (I5)`);
    }
    const cutOff = rows.filter(({ name, state, marker }) => {
      const last = ledger.get(marker)?.statuses.at(-1);
      return OPEN.includes(state) && !OPEN.includes(this.#before.get(name) ?? "") && isClear(last);
    });
    if (cutOff.length > mayBeUnknown) faults.push(`no answer of ${cutOff.map(({ name }) => name).join(", ")} (I8)`);
    // what was refused for the key goes by itself
    this.#before = new Map(rows.map(({ name, state, code }) => [name, code === "key_refused" ? code : state]));
    return faults;
  }

  /** Of these rows' batches: where what paydrop wrote beside the file is not what the journal says (I3, I13). */
  faultsWritten(folder: string, rows: readonly PaymentRow[]): string[] {
    return [...Map.groupBy(rows, ({ batch }) => batch)].flatMap(([batch, own]) => {
      const path = join(folder, own[0]?.file ?? "");
      const isNewest = batchOfSummary(`${path}.summary.json`) === batch;
      const format = /\.(jsonl?|xlsx)$/.exec(path)?.[1] ?? "csv";
      const lines =
        format === "xlsx" ? undefined : readResults(`${path}.results${isNewest ? "" : `.${batch}`}.${format}`);
      const written = lines?.map((line) => COLUMNS.map((column) => line[column]).join(" ")).join("\n");
      const known = own.map((row) => [row.number, resultOf(row.state), row.marker, row.amount].join(" ")).join("\n");
      if (lines && written !== known) return [`results of ${batch}:\n${written}\nand not\n${known}`];
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

/** Such a payment has its period stated, and no twin. */
const OF_MONTH = / of \d{4}-\d\d/;
const COLUMNS = ["result_row", "result_status", "narration", "amount"];

function batchOfSummary(path: string): unknown {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { batch: unknown }).batch : undefined;
}

function countOf(all: readonly unknown[], one: unknown): number {
  return all.filter((other) => other === one).length;
}
