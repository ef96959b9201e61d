import { PAYEE_KEY, isSamePerson } from "../journal/row-keys.ts";
import { WENT } from "../journal/states.ts";
import type { Compared, JournalStore } from "../journal/store.ts";
import { batchOf } from "./batches.ts";
import { bool, byName, type Journal } from "./store.ts";

const PERSON = "own.employee, own.mobile, own.email, own.named";
/** The row of the other batch with the same payee or person: the same payment, or else one that is not in this batch. */
const THERE = `SELECT json_object('row', r.row, 'amount', r.amount) FROM key k CROSS JOIN row r ON r.batch = k.batch AND r.row = k.row
  WHERE k.batch = (SELECT seq FROM batch WHERE id = $other) AND k.key IN (own.payeeKey, ${PERSON})
    AND (r.payee = own.payee OR ${isSamePerson("own.")})
  ORDER BY coalesce(r.payment = own.payment, FALSE) DESC,
    EXISTS (SELECT 1 FROM key m WHERE m.key = r.payment AND m.batch = own.batch), r.row LIMIT 1`;
const BEFORE = `FROM key k CROSS JOIN batch b ON b.seq = k.batch CROSS JOIN row r ON r.batch = k.batch AND r.row = k.row`;
const WENT_BEFORE = `k.batch < own.batch AND b.environment = $environment AND b.phase <> 'recording' AND ${WENT}`;
const IS_PAYEE_KNOWN = `EXISTS (SELECT 1 ${BEFORE}
  WHERE k.key >= own.payee AND k.key < own.payee || '~' AND ${WENT_BEFORE})`;
const TO_PERSON = `SELECT json_object('last4', r.last4, 'isHere', json(${bool("r.payee = own.payee")})) ${BEFORE}
  WHERE k.key IN (${PERSON}) AND ${WENT_BEFORE} AND ${isSamePerson("own.")}
  ORDER BY r.payee = own.payee DESC, k.batch DESC, k.row DESC LIMIT 1`;
const COMPARED = `SELECT own.row, own.state, own.amount, own.last4, (${THERE}) AS there, ${bool(IS_PAYEE_KNOWN)} AS isPayeeKnown,
    (${TO_PERSON}) AS toPerson
  FROM (SELECT *, ${PAYEE_KEY} AS payeeKey FROM row WHERE batch = $own AND row > $after AND payment IS NOT NULL
    ORDER BY row LIMIT $limit) own ORDER BY own.row`;

/** A page of valid rows beside those of another batch, and beside all that went before. */
export function compared(
  journal: Journal,
  ...[id, { after, limit, other = "" }]: Parameters<JournalStore["compared"]>
): Compared[] {
  const { seq: own, environment } = batchOf(journal, id);
  return journal.records<Compared>(...byName(COMPARED, { own, environment, after, limit, other }));
}
