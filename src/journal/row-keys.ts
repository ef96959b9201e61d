import { NAME_CHARACTERS } from "../duplicates/keys.ts";

/*
 * SQL of what a row is found by, for both engines: each is entered in the table `key`, in one go when all rows of a batch are
 * written down.
 */

/**
 * SQL: the key of the payee of a row as it is written there, with the zeros in front: those of one payee stand side by side,
 * a search away from others.
 */
export const PAYEE_KEY = "payee || CASE WHEN zeros > 0 THEN '+' || zeros ELSE '' END || coalesce('.' || payeeAs, '')";
/** SQL: the payee of the row `r` stands somewhere written in another way. */
export const IS_WRITTEN_OTHERWISE = `(EXISTS (SELECT 1 FROM key k WHERE k.key >= r.payee AND k.key < ${PAYEE_KEY})
  OR EXISTS (SELECT 1 FROM key k WHERE k.key > ${PAYEE_KEY} AND k.key < r.payee || '~'))`;

/** A search finds rows by these texts; no hash begins like them. */
export const amountKey = (amount: string): string => `=${amount}`;
export const last4Key = (last4: string): string => `:${last4}`;
const AMOUNT_KEY = "'=' || CASE WHEN amount LIKE '%.%' THEN rtrim(rtrim(amount, '0'), '.') ELSE amount END";

/** SQL: name and mobile of a row, where both are there. */
export const NAMED = `CASE WHEN length(named) > ${NAME_CHARACTERS} THEN named END`;

/** SQL: by one of the keys of the person of the row `r` something is there. */
export const byPerson = (isThere: (key: string) => string): string =>
  `(${["employee", "mobile", "email", "named"].map((key) => `r.${key} IS NOT NULL AND ${isThere(`r.${key}`)}`).join(" OR ")})`;
/** SQL: the row `r` speaks of a person of whom rows of other batches speak. */
export const IS_PERSON_KNOWN: string = byPerson(
  (key) => `EXISTS (SELECT 1 FROM key k WHERE k.key = ${key} AND k.batch <> r.batch)`,
);
/**
 * SQL: a row that is found by a key of the person `of` speaks of nobody else, and pays in the same way. `of` and `found` stand
 * before the names of their values.
 */
export const isSamePerson = (of: string, found = "r."): string => `${found}operation = ${of}operation
  AND coalesce(${found}option, '') = coalesce(${of}option, '') AND coalesce(${found}employee = ${of}employee, TRUE)`;

interface RowKey {
  readonly key: string;
  /** A payment whose row states a reference. */
  readonly isNamed?: string;
  readonly only: string;
}

const ROW_KEYS: readonly RowKey[] = [
  { key: "payment", isNamed: "reference IS NOT NULL", only: "payment IS NOT NULL" },
  { key: "reference", only: "payment IS NOT NULL AND reference IS NOT NULL" },
  { key: PAYEE_KEY, only: "payee IS NOT NULL" },
  { key: AMOUNT_KEY, only: "amount IS NOT NULL" },
  { key: "':' || last4", only: "last4 IS NOT NULL" },
  { key: "employee", only: "employee IS NOT NULL" },
  { key: "mobile", only: "mobile IS NOT NULL" },
  { key: "email", only: "email IS NOT NULL" },
  // who has a mobile of their own is known by that
  { key: "named", only: `mobile IS NULL AND length(named) > ${NAME_CHARACTERS}` },
];

/** SQL: all keys of the rows of a batch that `among` chooses, as the table has them. */
export const keysOf = (table: "row" | "rows", among: string): string =>
  ROW_KEYS.map(
    ({ key, isNamed = "FALSE", only }) =>
      `SELECT ${key} AS key, batch, row, ${isNamed} FROM ${table} WHERE ${among} AND ${only}`,
  ).join(" UNION ALL ");

/** SQL: each column by which a person is known, and the values of it that several people of the batch `own` have. */
export const sharedInFile = (
  table: "row" | "rows",
  own: string,
): readonly (readonly [column: string, shared: string])[] =>
  ["employee", "mobile", "email"].map((column) => [
    column,
    `SELECT ${column} FROM ${table} WHERE batch = ${own} AND ${column} IS NOT NULL GROUP BY ${column}
      HAVING count(DISTINCT coalesce(substr(named, 1, ${NAME_CHARACTERS}), payee)) > 1`,
  ]);
