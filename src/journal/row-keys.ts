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

/** What a key is of, and the SQL of it; null: the row has none. */
const ROW_KEYS = {
  payment: "payment",
  reference: "CASE WHEN payment IS NOT NULL THEN reference END",
  payee: PAYEE_KEY,
  amount: AMOUNT_KEY,
  last4: "':' || last4",
  employee: "employee",
  mobile: "mobile",
  email: "email",
  // who has a mobile of their own is known by that
  named: `CASE WHEN mobile IS NULL THEN ${NAMED} END`,
  /** It is only looked up: elsewhere the mobile may be shared. */
  alsoNamed: `CASE WHEN mobile IS NOT NULL THEN ${NAMED} END`,
};
type Kind = keyof typeof ROW_KEYS;
const KINDS = Object.keys(ROW_KEYS) as readonly Kind[];
/** SQL: the number by which a kind is told in `ofRows`. */
export const kindOf = (kind: Kind): number => KINDS.indexOf(kind);

/** SQL: all that the rows of a batch that `among` chooses are looked up by, each with its `kind`. One look at each row. */
export function ofRows(table: "row" | "rows", among: string, kinds: readonly Kind[] = KINDS): string {
  const key = `CASE kind ${kinds.map((kind) => `WHEN ${kindOf(kind)} THEN ${ROW_KEYS[kind]}`).join(" ")} END`;
  // a payment says whether its row states a reference
  return `WITH kinds(kind) AS (VALUES ${kinds.map((kind) => `(${kindOf(kind)})`).join()})
    SELECT key, batch, row, isNamed, kind FROM (
      SELECT ${key} AS key, batch, row, kind = ${kindOf("payment")} AND reference IS NOT NULL AS isNamed, kind
      FROM ${table} CROSS JOIN kinds WHERE ${among}
    ) found WHERE key IS NOT NULL`;
}

const ENTERED = KINDS.filter((kind) => kind !== "alsoNamed");
/** SQL: all keys of these rows as the table `key` has them. */
export const keysOf = (table: "row" | "rows", among: string): string =>
  `SELECT key, batch, row, isNamed FROM (${ofRows(table, among, ENTERED)}) own`;

/** The columns by which a person is known who is the only one to have them. */
export const OWN_TO_ONE = ["employee", "mobile", "email"] as const;

/**
 * SQL: each of these columns, and the values of it that several people of the batch `own` have. `among`: which ones can be,
 * where that is known.
 */
export const sharedInFile = (
  table: "row" | "rows",
  own: string,
  among?: string,
): readonly (readonly [column: string, shared: string])[] =>
  OWN_TO_ONE.map((column) => [
    column,
    `SELECT ${column} FROM ${table} WHERE batch = ${own} AND ${column} ${among ? `IN (${among})` : "IS NOT NULL"} GROUP BY ${column}
      HAVING count(DISTINCT coalesce(substr(named, 1, ${NAME_CHARACTERS}), payee)) > 1`,
  ]);
