import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { SQLOutputValue } from "node:sqlite";
import { PaydropError } from "../errors.ts";
import { snapshotPath, spoolPath } from "../state-dir.ts";
import { keepCopy, keepPayloads, type Seal } from "./copies.ts";
import { batches as batchesIn, keepTallies } from "./batches.ts";
import { ENTER_KEYS, facts } from "./rows.ts";
import { SHARE_ROWS } from "../journal/states.ts";
import type { Postgres } from "./postgres.ts";
import { batches } from "../sqlite/batches.ts";
import type { Columns, Journal } from "../sqlite/store.ts";
import type { BatchRecord } from "../journal/store.ts";

/** The journal that is moved, with nothing on its way. */
export interface Source {
  readonly journal: Journal;
  readonly stateDir: string;
  /** The hashes of a batch's private copies. */
  readonly copiesOf: (batch: BatchRecord) => readonly string[];
}

/** As they are, with their ids: acts and runs keep their order. */
const WHOLE = ["act", "run", "source", "hold", "kept"];
const NUMBERED = [
  ["batch", "seq"],
  ["act", "id"],
  ["run", "id"],
] as const;

type Given = Readonly<Record<string, SQLOutputValue>>;

/** Everything, in the transaction of the caller; memory is that of a share, or of a piece of a file. */
export async function copyAll(from: Source, postgres: Postgres, seal: Seal): Promise<void> {
  const { journal, stateDir, copiesOf } = from;
  const table = new Tables(postgres);
  for (const name of WHOLE)
    for (const page of pagesOf(journal, `SELECT * FROM ${name}`)) await table.insert(name, page);
  const all = journal.all("SELECT * FROM batch ORDER BY seq");
  for (const batch of all) {
    const { mark: _mark, nextTurn: _nextTurn, letGo: _letGo, counted: _counted, tallies: _tallies, ...own } = batch;
    await table.insert("batch", [own]);
    await copyRows(journal, table, batch);
  }
  await postgres.query(`INSERT INTO past (folder, letGo, lastAt) SELECT b.folder, sum(s.letGo), max(s.lastAt)
    FROM share s JOIN batch b ON b.seq = s.batch GROUP BY b.folder`);
  // what was written in this transaction the planner does not know by itself
  await postgres.query("ANALYZE batch, share, rows");
  for (const { seq } of all) {
    await postgres.query(ENTER_KEYS, Number(seq));
    await keepTallies(postgres, Number(seq));
  }
  for (const [table, id] of NUMBERED)
    await postgres.query(`SELECT setval(pg_get_serial_sequence('${table}', '${id}'), max(${id})) FROM ${table}`);
  for (const batch of batches(journal, {})) {
    const copies = copiesOf(batch).map((sha256) => [sha256, snapshotPath(stateDir, sha256)] as const);
    // what was purged, or is lost, is missing there as it is here
    for (const [sha256, path] of copies) if (existsSync(path)) await keepCopy(postgres, seal, sha256, path);
    const spool = spoolPath(stateDir, batch.id);
    if (existsSync(spool)) await keepPayloads(postgres, seal, batch.id, spool);
  }
}

/**
 * In shares, as rows are recorded. The mark of a share is above all of its rows that are not ready, and below those that
 * are, in the order of their turns: nothing is on its way, and all that is ready may go. What was ever let go is counted
 * with the first share: of the others only the sum is asked for.
 */
async function copyRows(journal: Journal, table: Tables, { seq, letGo = 0 }: Columns): Promise<void> {
  let share = 0;
  for (const rows of pagesOf(journal, "SELECT * FROM row WHERE batch = ? ORDER BY row", Number(seq))) {
    const mark = rows.length;
    const ready = rows.filter(({ state }) => state === "ready");
    ready.sort((one, other) => Number(one["turn"]) - Number(other["turn"]));
    const turns = new Map(ready.map((row, at) => [row, mark + 1 + at]));
    const [firstRow, lastRow] = [rows[0], rows.at(-1)].map((row) => row?.["row"] ?? 0);
    const own = { batch: seq, share, mark, nextTurn: mark + ready.length + 1, firstRow, lastRow };
    const gone = share === 0 ? letGo : 0;
    await table.insert("share", [{ ...own, letGo: gone, counted: gone } as Given]);
    const given = rows.map((row, at) => ({ ...row, share, turn: turns.get(row) ?? at + 1 }));
    await table.insert("rows", given);
    share += 1;
  }
}

function* pagesOf(journal: Journal, sql: string, ...values: readonly number[]): Generator<Columns[]> {
  let page: Columns[] = [];
  for (const row of journal.database.prepare(sql).iterate(...values)) {
    page.push(row);
    if (page.length < SHARE_ROWS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Tables whose columns are named alike in both journals. */
class Tables {
  readonly #postgres: Postgres;
  readonly #types = new Map<string, ReadonlyMap<string, string>>();

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async insert(table: string, records: readonly Given[]): Promise<void> {
    const types = await this.#typesOf(table);
    const columns = Object.keys(records[0] ?? {});
    const names = columns.map((name) => `"${name}"`);
    // JSON comes as text: it shows what stood in cells, of which JSON in JSON takes any
    const taken = columns.map((name) => `"${name}"${types.get(name) === "json" ? "::json" : ""}`);
    const given = columns.map((name) => {
      const type = types.get(name);
      if (type === undefined) throw new Error(`the journal in Postgres has no column ${table}.${name}`);
      return `"${name}" ${type === "json" ? "text" : type}`;
    });
    const sql = `INSERT INTO ${table} (${names.join()}) OVERRIDING SYSTEM VALUE
      SELECT ${taken.join()} FROM json_to_recordset($1) AS x(${given.join()})`;
    await this.#postgres.query(sql, JSON.stringify(records));
  }

  async #typesOf(table: string): Promise<ReadonlyMap<string, string>> {
    const known = this.#types.get(table);
    if (known) return known;
    const sql =
      "SELECT attname AS name, atttypid::regtype::text AS type FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0";
    const found = await this.#postgres.query<{ name: string; type: string }>(sql, table);
    const types = new Map(found.map(({ name, type }) => [name, type]));
    this.#types.set(table, types);
    return types;
  }
}

/** Asked of both. */
const COUNTS = `SELECT count(*) AS rows, count(payment) AS payments, count(response) AS answers, count(settledBy) AS settled,
    coalesce(sum(attempts), 0) AS attempts, (SELECT count(*) FROM act) AS acts, (SELECT count(*) FROM run) AS runs,
    (SELECT count(*) FROM source) AS sources, (SELECT count(*) FROM hold) AS holds, (SELECT count(*) FROM kept) AS kept, (SELECT max(id) FROM act) AS lastAct,
    (SELECT max(id) FROM run) AS lastRun FROM `;
const SEEN =
  "SELECT count(*) AS rows FROM rows r JOIN key k ON k.key = r.payment AND k.batch = r.batch AND k.row = r.row";

/** Rows and sums of every batch by state, and how many there are of everything. Throws PaydropError where they differ. */
export async function assertCopied({ journal, stateDir: folder }: Source, postgres: Postgres, to: string) {
  const differ = (what: string): never => {
    throw new PaydropError("journal_copy_differs", { to, folder, what });
  };
  const copied = new Map((await batchesIn(postgres, {})).map((batch) => [batch.id, batch]));
  for (const batch of batches(journal, {}))
    if (!isDeepStrictEqual(copied.get(batch.id), batch)) differ(`batch ${batch.id}`);
  const [own] = journal.records<Record<string, number>>(`${COUNTS} row`);
  const there = await postgres.get<Record<string, number>>(`${COUNTS} rows`);
  for (const [name, count] of Object.entries(own ?? {})) if (there?.[name] !== count) differ(name);
  const seen = await postgres.get<{ rows: number }>(SEEN);
  if (seen?.rows !== own?.["payments"]) differ("what was seen");
  const letGo = journal.get("SELECT coalesce(sum(letGo), 0) AS letGo FROM batch")?.["letGo"];
  const known = await facts(postgres);
  if (letGo !== known.letGo) differ("rows that were let go");
}
