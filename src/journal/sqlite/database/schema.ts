import { DatabaseSync } from "node:sqlite";
import { PaydropError } from "../../../errors.ts";
import { DamageError, sqliteCodeOf } from "./damage.ts";
import { MIGRATIONS } from "./migrations.ts";

/** Brings a journal to the newest schema, wholly or not at all. Throws PaydropError `journal` for a newer one's. */
export function migrate(database: DatabaseSync): void {
  if (versionOf(database) === MIGRATIONS.length) return;
  database.exec("BEGIN IMMEDIATE");
  // asked again: another process may have come first
  const version = versionOf(database);
  const steps = MIGRATIONS.slice(version);
  try {
    database.exec(`${steps.join(" ")} PRAGMA user_version = ${MIGRATIONS.length}; COMMIT;`);
  } catch (error) {
    // a value does not fit its column: the tables are others than the migration knows
    if (((sqliteCodeOf(error) ?? 0) & 0xff) !== SQLITE_CONSTRAINT) throw error;
    throw new DamageError(
      `its tables are not those of schema ${version}, as builds before the first release made them`,
    );
  }
}

const SQLITE_CONSTRAINT = 19;

export function hasTables(database: DatabaseSync): boolean {
  return versionOf(database) > 0;
}

/** Whether an earlier build made the journal; a file without tables was made by none. Throws for a newer one's. */
export function isOfEarlierBuild(database: DatabaseSync): boolean {
  const version = versionOf(database);
  return version > 0 && version < MIGRATIONS.length;
}

function versionOf(database: DatabaseSync): number {
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version < 0) throw new DamageError(`the schema version ${version} cannot be`);
  if (version <= MIGRATIONS.length) return version;
  throw new PaydropError(
    "journal",
    `the journal was written by a newer paydrop (schema ${version}, this one knows ${MIGRATIONS.length})`,
    "use the newer paydrop; nothing was sent",
  );
}

/** Whether tables, indexes and triggers are there as the migrations word them: a changed byte could loosen a rule. */
export function hasSchema(database: DatabaseSync): boolean {
  const model = new DatabaseSync(":memory:");
  try {
    migrate(model);
    const found = new Map(schemaOf(database));
    return schemaOf(model).every(([name, sql]) => found.get(name) === sql);
  } finally {
    model.close();
  }
}

function schemaOf(database: DatabaseSync): [name: string, sql: string][] {
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").all();
  return rows.map((row) => [String(row["name"]), String(row["sql"])]);
}
