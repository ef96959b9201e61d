import { PAYEE_KEY, isSamePerson } from "../journal/row-keys.ts";
import { WENT_OF_SHARE } from "../journal/states.ts";
import type { Compared, JournalStore } from "../journal/store.ts";
import { batchOf } from "./batches.ts";
import { byName, type Postgres } from "./postgres.ts";

/** Each key is looked up by itself (`OFFSET 0` keeps it so), whatever the planner knows of a new batch. */
const byKeys = (keys: readonly string[], only: string): string =>
  keys.map((key) => `SELECT k.batch, k.row FROM key k WHERE k.key = own.${key} AND ${only}`).join(" UNION ");
const PERSON = ["employee", "mobile", "email", "named"];
const ROW = "CROSS JOIN LATERAL (SELECT r.* FROM rows r WHERE r.batch = k.batch AND r.row = k.row OFFSET 0) r";
/** The row of the other batch with the same payee or person: the same payment, or else one that is not in this batch. */
const THERE = `SELECT json_build_object('row', r.row, 'amount', r.amount)
  FROM (${byKeys(["payeeKey", ...PERSON], "k.batch = (SELECT seq FROM batch WHERE id = $other)")} OFFSET 0) k ${ROW}
  WHERE r.payee = own.payee OR ${isSamePerson("own.")}
  ORDER BY coalesce(r.payment = own.payment, FALSE) DESC,
    EXISTS (SELECT 1 FROM key m WHERE m.key = r.payment AND m.batch = own.batch), r.row LIMIT 1`;
const BEFORE = `CROSS JOIN LATERAL (SELECT b.* FROM batch b WHERE b.seq = k.batch OFFSET 0) b ${ROW}
  CROSS JOIN LATERAL (SELECT s.mark FROM share s WHERE s.batch = r.batch AND s.share = r.share OFFSET 0) s
  WHERE b.environment = $environment AND b.phase <> 'recording' AND ${WENT_OF_SHARE}`;
const IS_PAYEE_KNOWN = `EXISTS (SELECT 1 FROM (SELECT k.batch, k.row FROM key k
    WHERE k.key >= own.payee AND k.key < own.payee || '~' AND k.batch < own.batch OFFSET 0) k ${BEFORE})`;
const TO_PERSON = `SELECT json_build_object('last4', r.last4, 'isHere', r.payee = own.payee)
  FROM (${byKeys(PERSON, "k.batch < own.batch")} OFFSET 0) k ${BEFORE} AND ${isSamePerson("own.")}
  ORDER BY r.payee = own.payee DESC, k.batch DESC, k.row DESC LIMIT 1`;
const COMPARED = `SELECT own.row, own.state, own.amount, own.last4, (${THERE}) AS there, ${IS_PAYEE_KNOWN} AS isPayeeKnown,
    (${TO_PERSON}) AS toPerson
  FROM (SELECT *, ${PAYEE_KEY} AS payeeKey FROM rows WHERE batch = $own AND row > $after AND payment IS NOT NULL
    ORDER BY row LIMIT $limit) own ORDER BY own.row`;

/** A page of valid rows beside those of another batch, and beside all that went before. */
export async function compared(
  postgres: Postgres,
  ...[id, { after, limit, other = "" }]: Parameters<JournalStore["compared"]>
): Promise<Compared[]> {
  const { seq: own, environment } = await batchOf(postgres, id);
  return postgres.query<Compared>(...byName(COMPARED, { own, environment, after, limit, other }));
}
