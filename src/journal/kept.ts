import { addAct } from "./sqlite-batches.ts";
import type { Journal } from "./sqlite.ts";
import type { JournalStore, Kept } from "./store.ts";

/** What is kept beside payments (DESIGN §14), as JSON. */
export function keep(journal: Journal, ...[kind, name, value, act]: Parameters<JournalStore["keep"]>): void {
  journal.write(() => {
    journal.run("DELETE FROM kept WHERE kind = ? AND name = ?", kind, name);
    if (value) journal.insert("kept", COLUMNS, { kind, name, value: JSON.stringify(value) });
    if (act) addAct(journal, act);
  });
}

const COLUMNS = ["kind", "name", "value"];

export function kept(journal: Journal, ...[kind, name]: Parameters<JournalStore["kept"]>): Kept<object>[] {
  const sql = "SELECT name, value FROM kept WHERE kind = ?1 AND (?2 IS NULL OR name = ?2) ORDER BY name";
  const found = journal.all(sql, kind, name ?? null);
  return found.map((row) => ({ name: String(row["name"]), value: JSON.parse(String(row["value"])) as object }));
}
