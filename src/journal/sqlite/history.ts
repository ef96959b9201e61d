import type { DatabaseSync, StatementSync } from "node:sqlite";
import { mayHold, type Batches } from "./batches.ts";
import type { Act } from "../act-calls.ts";

interface ActColumns extends Omit<Act, "row"> {
  readonly row: number | null;
}

/** What was done with batches, and by whom. Every method that writes is called inside a transaction of its caller. */
export class History {
  readonly #database: DatabaseSync;
  readonly #batches: Batches;
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync, batches: Batches) {
    this.#database = database;
    this.#batches = batches;
    this.#insert = database.prepare("INSERT INTO act (batch, at, by, kind, row, note) VALUES (?, ?, ?, ?, ?, ?)");
  }

  add(batchId: string, act: Omit<Act, "at">, nowMs: number): void {
    this.#insert.run(this.#batches.seqOf(batchId).seq, nowMs, act.by, act.kind, act.row ?? null, act.note);
  }

  addForRows(batchId: string, rows: readonly number[], act: Omit<Act, "at">, nowMs: number): void {
    for (const row of rows) this.add(batchId, { ...act, row }, nowMs);
  }

  of(batchId: string): Act[] {
    const acts = this.#database.prepare("SELECT at, by, kind, row, note FROM act WHERE batch = ? ORDER BY id");
    const found = acts.iterate(this.#batches.seqOf(batchId).seq) as Iterable<unknown> as Iterable<ActColumns>;
    // a release of a whole file says the same of each row: once is enough in memory
    const texts = new Map<string, string>();
    const once = (text: string): string => texts.get(text) ?? (texts.set(text, text), text);
    const history: Act[] = [];
    for (const { at, by, kind, row, note } of found) {
      const act = { at, by: once(by), kind: once(kind), note: once(note) };
      history.push(row === null ? act : { ...act, row });
    }
    return history;
  }

  count(batchId: string): number {
    const acts = this.#database.prepare("SELECT count(*) AS count FROM act WHERE batch = ?");
    return (acts.get(this.#batches.seqOf(batchId).seq) as { count: number }).count;
  }

  handedOver(after: number): { lastAct: number; batches: string[] } {
    const last = this.#database.prepare("SELECT coalesce(max(id), 0) AS id FROM act").get() as { id: number };
    const rows = this.#database
      .prepare(
        `SELECT b.id, max(a.id) AS act FROM act a JOIN batch b ON b.seq = a.batch
         WHERE a.id > ? AND a.kind = 'handover' AND b.phase = 'open' AND ${mayHold("ready")}
         AND NOT EXISTS (SELECT 1 FROM act later WHERE later.batch = a.batch AND later.kind = 'stop' AND later.id > a.id)
         AND EXISTS (SELECT 1 FROM row r WHERE r.batch = b.seq AND r.state = 'ready') GROUP BY b.id ORDER BY act`,
      )
      .all(after) as { id: string }[];
    return { lastAct: last.id, batches: rows.map((row) => row.id) };
  }
}
