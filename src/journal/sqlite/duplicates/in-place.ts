import { mayBePaid, STILL_GOES } from "../../state.ts";
import { mayHold } from "../batches.ts";
import { payeeOf, plainAmountOf } from "./near-rows.ts";

/**
 * SQL: the earlier batches `b` whose file lay where that of `?1` (`m`) lies: it was taken from there, or the newest file
 * that was taken from there had its bytes. `past`: name under which another journal is attached, whose batches all came
 * earlier.
 */
export function thereBefore(past?: string): string {
  const schema = past ?? "main";
  return `main.batch m JOIN ${schema}.batch b ON b.environment = m.environment AND ((b.folder = m.folder AND b.file_name = m.file_name)
      OR b.id = (SELECT s.batch FROM ${schema}.source s WHERE s.path = rtrim(m.folder, '/') || '/' || m.file_name))
    WHERE m.seq = ?1 AND ${past === undefined ? "b.seq < ?1" : "?1 IS NOT NULL"}`;
}

/** A row that went since is looked for in so many batches of a place: whoever corrects a file corrects one of the last. */
const NEWEST = 4;

/**
 * Files that were corrected where they lie before all of them went: the rest of what lay there still goes by itself, or
 * went since, and the correction would go as well. Holds ready rows of `?1` that have the payee, or the number and the
 * amount, of a row of a file which lay there before, and that is in this one no more: one that still goes, or went when
 * this file lay there already. Rows with other periods or references are other payments. `?2`: now.
 *
 * For each payee and period one such row will do, with and without a reference: not every pair is compared.
 */
export const holdReplacing = (past?: string): string => `
  WITH there AS MATERIALIZED (
    SELECT b.seq, b.id, m.laid_at, row_number() OVER (ORDER BY b.seq DESC) <= ${NEWEST} AS is_new,
      b.phase IN ('open', 'paused') AND ${mayHold("ready", "not_sent", "rejected")} AS is_open
    FROM ${thereBefore(past)} AND b.sha256 <> m.sha256
  ), open AS MATERIALIZED (
    SELECT r.number, ${payeeOf("r")} AS payee, ${plainAmountOf("r")} AS amount, r.operation, r.period, r.reference_key, e.id
    FROM (SELECT * FROM there WHERE is_open OR is_new) e CROSS JOIN ${past ?? "main"}.row r ON r.batch = e.seq
    WHERE ((e.is_open AND ${STILL_GOES}) OR (r.changed_at >= e.laid_at AND ${mayBePaid("r")})) AND r.core_key IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM main.seen s WHERE s.key = r.core_key AND s.batch = ?1)
  ), payees AS MATERIALIZED (
    SELECT payee, period, reference_key IS NULL AS is_unnamed, min(number) AS number, id FROM open GROUP BY 1, 2, 3
  ), going AS MATERIALIZED (
    SELECT n.number, ${plainAmountOf("n")} AS amount, n.operation, n.period, n.reference_key, n.beneficiary_key,
      n.account_key FROM row n
    WHERE n.batch = ?1 AND n.state = 'ready' AND n.released = 0 AND n.family IS NULL AND EXISTS (SELECT 1 FROM open)
  ), mine AS MATERIALIZED (
    SELECT number, period, reference_key, beneficiary_key AS payee FROM going
    UNION ALL SELECT number, period, reference_key, account_key FROM going WHERE account_key IS NOT NULL
  ), near AS (
    SELECT n.number, p.number AS other_row, p.id FROM mine n JOIN payees p ON p.payee = n.payee
      AND coalesce(n.period = p.period, 1) AND (n.reference_key IS NULL OR p.is_unnamed)
    UNION ALL
    SELECT n.number, o.number, o.id FROM going n JOIN open o ON o.number = n.number AND o.operation = n.operation AND o.amount = n.amount
      AND coalesce(n.period = o.period, 1) AND coalesce(n.reference_key = o.reference_key, 1)
  ), nearest AS MATERIALIZED (SELECT number, min(other_row) AS other_row, id FROM near GROUP BY number)
  UPDATE row SET state = 'held', code = 'near_duplicate', changed_at = ?2, other_batch = nearest.id,
    other_row = nearest.other_row, other_at = NULL
  FROM nearest WHERE row.batch = ?1 AND row.number = nearest.number`;
