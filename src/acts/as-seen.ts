import { createHash } from "node:crypto";
import { PaydropError } from "../errors.ts";
import type { RowRecord } from "../journal/store.ts";
import { STATUSES } from "../messages/statuses.ts";
import { statusOf } from "../results/totals.ts";

/**
 * A row as a page shows it: each page on which people decide carries it, and what they say there counts for nothing else. A
 * row that went again has one more attempt; one that is held for another reason says so.
 */
export function seenOf({ row, state, attempts, code, reasons }: RowRecord): string {
  const shown = JSON.stringify([state, attempts, code ?? "", reasons]);
  return `${row}:${createHash("sha256").update(shown).digest("base64url").slice(0, 16)}`;
}

/** What a page showed of its rows; undefined of whoever types a command, and has seen no page. */
export type Seen = readonly string[] | undefined;

/** Those of the rows that are not what the page showed. */
export function changedSince(seen: Seen, rows: readonly RowRecord[]): readonly RowRecord[] {
  if (seen === undefined) return [];
  const shown = new Set(seen);
  return rows.filter((record) => !shown.has(seenOf(record)));
}

/** Throws PaydropError `usage`, which says what the first of them is by now. */
export function assertAsSeen(seen: Seen, rows: readonly RowRecord[]): void {
  const [changed] = changedSince(seen, rows);
  if (!changed) return;
  const { batch, row } = changed;
  const state = changed.onItsWay ? "on its way" : STATUSES[statusOf(changed)].word;
  throw new PaydropError("row_changed", { batch, row, state });
}
