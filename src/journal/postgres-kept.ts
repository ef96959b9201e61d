import { addAct } from "./postgres-batches.ts";
import type { Postgres } from "./postgres.ts";
import type { JournalStore, Kept, KeptKind } from "./store.ts";

/** What is kept beside payments (DESIGN §14), as JSON. */
export async function keep(
  postgres: Postgres,
  ...[kind, name, value, act]: Parameters<JournalStore["keep"]>
): Promise<void> {
  await postgres.write(async () => {
    const sql = `INSERT INTO kept (kind, name, value) VALUES ($1, $2, $3)
      ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value`;
    if (value) await postgres.query(sql, kind, name, JSON.stringify(value));
    else await postgres.query("DELETE FROM kept WHERE kind = $1 AND name = $2", kind, name);
    if (act) await addAct(postgres, act);
  });
}

export function kept<T extends object>(postgres: Postgres, kind: KeptKind, name?: string): Promise<Kept<T>[]> {
  const sql = "SELECT name, value FROM kept WHERE kind = $1 AND ($2::text IS NULL OR name = $2) ORDER BY name";
  return postgres.query(sql, kind, name ?? null);
}
