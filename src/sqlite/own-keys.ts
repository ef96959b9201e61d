import { KEY_CHARACTERS } from "../duplicates/keys.ts";
import { kindOf, OWN_TO_ONE, ofRows, sharedInFile } from "../journal/row-keys.ts";
import type { Journal } from "./store.ts";

/*
 * The keys of a batch, sorted, in a table that only this connection sees. What is asked of them in this order is read page by
 * page, where each row by itself would look all over a large journal.
 */

const MAKE = `CREATE TEMP TABLE IF NOT EXISTS own (key TEXT NOT NULL, batch INTEGER NOT NULL, row INTEGER NOT NULL,
  isNamed INTEGER NOT NULL, kind INTEGER NOT NULL) STRICT`;
const FILL = `INSERT INTO temp.own (key, batch, row, isNamed, kind)
  SELECT key, batch, row, isNamed, kind FROM (${ofRows("row", "batch = ?1")}) ORDER BY 1, 2, 3`;
const ENTER = `INSERT INTO key (key, batch, row, isNamed)
  SELECT key, batch, row, isNamed FROM temp.own WHERE kind <> ${kindOf("alsoNamed")} ORDER BY own.rowid`;

/** Keys of people that stand in several rows: side by side, as they are sorted. */
const TWICE = `SELECT DISTINCT one.key FROM temp.own one CROSS JOIN temp.own next ON next.rowid = one.rowid + 1
  WHERE one.kind IN (${OWN_TO_ONE.map(kindOf).join()}) AND next.key = one.key`;
const NOBODYS = sharedInFile("row", "?1", "SELECT value FROM json_each(?2)").map(
  ([column, shared]) => `UPDATE row SET ${column} = NULL WHERE batch = ?1 AND ${column} IN (${shared})`,
);

/**
 * Enters the keys of a batch that is written down. What several people of it have is nobody's, and goes. Inside a
 * transaction.
 */
export function enterKeys(journal: Journal, seq: number): void {
  sortKeys(journal, seq);
  const twice = JSON.stringify(journal.all(TWICE).map(({ key }) => key));
  const gone = twice === "[]" ? [] : NOBODYS.map((sql) => journal.run(sql, seq, twice));
  if (gone.some((rows) => rows > 0)) sortKeys(journal, seq);
  journal.run(ENTER);
}

function sortKeys(journal: Journal, seq: number): void {
  journal.run(MAKE);
  journal.run("DELETE FROM temp.own");
  journal.run(FILL, seq);
}

const isMet = (where: string): string => `EXISTS (SELECT 1 FROM key k WHERE k.key = o.key AND k.batch ${where})`;
const IN_OTHERS = `${isMet("< o.batch")} OR ${isMet("> o.batch")}`;
/** The key of a payee begins with that of its one spelling. */
const PAYEE = `substr(o.key, 1, ${KEY_CHARACTERS})`;
/** The row of the key `o` may be tied to another one by it. */
const IS_TIED = `CASE o.kind
    WHEN ${kindOf("amount")} THEN FALSE WHEN ${kindOf("last4")} THEN FALSE
    WHEN ${kindOf("payee")} THEN EXISTS (SELECT 1 FROM key k WHERE k.key >= ${PAYEE} AND k.key < o.key)
      OR EXISTS (SELECT 1 FROM key k WHERE k.key > o.key AND k.key < ${PAYEE} || '~')
    WHEN ${kindOf("payment")} THEN ${IN_OTHERS} OR ${isMet("= o.batch AND k.row < o.row")}
    WHEN ${kindOf("reference")} THEN ${IN_OTHERS} OR ${isMet("= o.batch AND k.row < o.row")}
    ELSE ${IN_OTHERS} END`;
const MAKE_TIED = `CREATE TEMP TABLE IF NOT EXISTS tied (batch INTEGER NOT NULL, row INTEGER NOT NULL,
  PRIMARY KEY (batch, row)) STRICT, WITHOUT ROWID`;
const FIND_TIED = `INSERT OR IGNORE INTO temp.tied (batch, row) SELECT o.batch, o.row FROM temp.own o WHERE ${IS_TIED}`;
/** Those that wait, and those that correct one, or are corrected. */
const FIND_OTHERS = `INSERT OR IGNORE INTO temp.tied (batch, row)
  SELECT batch, row FROM row WHERE batch = ?1 AND (state <> 'ready' OR retryBatch IS NOT NULL) UNION ALL
  SELECT ?1, retryRow FROM row WHERE retryBatch = ?2 UNION ALL
  SELECT ?1, value FROM json_each(?3)`;

/**
 * Finds all rows of a batch that anything may tie to another row, into the table `tied`; `more`: rows that are known to be.
 * Looked for once for all pages, of which `isFirst` is the first: what others write down meanwhile is opened by nobody while
 * this batch is judged (I14).
 */
export function findTied(
  journal: Journal,
  { seq, id }: { readonly seq: number; readonly id: string },
  more: readonly number[],
  isFirst: boolean,
): void {
  journal.run(MAKE);
  journal.run(MAKE_TIED);
  if (!isFirst && journal.get("SELECT 1 FROM temp.tied WHERE batch = ?", seq)) return;
  const sorted = journal.get("SELECT batch FROM temp.own LIMIT 1");
  if (Number(sorted?.["batch"]) !== seq) sortKeys(journal, seq);
  journal.run("DELETE FROM temp.tied");
  journal.run(FIND_TIED);
  journal.run(FIND_OTHERS, seq, id, JSON.stringify(more));
  journal.run("DELETE FROM temp.own");
}
