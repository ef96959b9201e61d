import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Seen } from "../checks/duplicates.ts";
import type { RowState } from "./state.ts";
import type { BatchPhase } from "./store.ts";

/** The keys of the row that is judged. */
export interface Keys {
  readonly payment: Uint8Array;
  readonly core: Uint8Array;
  readonly byReference: boolean;
  readonly period?: string;
}

interface SeenRow {
  readonly number: number;
  readonly state: RowState;
  readonly code: string | null;
  readonly keyed_by_reference: number;
  readonly payment_key: Uint8Array;
  readonly core_key: Uint8Array;
  readonly period: string | null;
  readonly changed_at: number;
  readonly id: string;
  readonly guessed_period: string | null;
  readonly phase: BatchPhase;
}

/** More equal payments than this in other batches say nothing new. */
const ELSEWHERE_MAX = 64;
const HERE_MAX = 8;

const COLUMNS = `r.number, r.state, r.code, r.keyed_by_reference, r.payment_key, r.core_key, r.period, r.changed_at,
  b.id, b.guessed_period, b.phase`;
// rejected, invalid, not_sent, duplicate and settled_not_done rows stand in nobody's way
const IN_THE_WAY = `r.state IN ('accepted', 'settled_done', 'unknown', 'sending', 'ready', 'held')`;

// what a cancelled batch did not send must not crowd out what it did
const NOT_CANCELLED = `NOT (b.phase = 'cancelled' AND r.state IN ('ready', 'held'))`;

/** Looks up the rows that share a key with the one that is judged (DESIGN §7). */
export class SeenRows {
  readonly #byCore: readonly StatementSync[];
  readonly #byPayment: readonly StatementSync[];
  readonly #hereByCore: StatementSync;
  readonly #hereByPeriod: StatementSync;
  readonly #hereByPayment: StatementSync;

  /** `past`: name under which another journal is attached, whose rows all count as elsewhere. */
  constructor(database: DatabaseSync, past?: string) {
    const from = (schema: string): string =>
      `SELECT ${COLUMNS} FROM ${schema}.row r JOIN ${schema}.batch b ON b.seq = r.batch`;
    const elsewhere = (schema: string, key: string): StatementSync =>
      database.prepare(
        `${from(schema)} WHERE r.${key} = ? AND ${schema === "main" ? "r.batch <> ?" : "? IS NOT NULL"}
         AND b.phase <> 'recording' AND ${IN_THE_WAY} AND ${NOT_CANCELLED} ORDER BY r.batch DESC LIMIT ${ELSEWHERE_MAX}`,
      );
    const schemas = past === undefined ? ["main"] : ["main", past];
    this.#byCore = schemas.map((schema) => elsewhere(schema, "core_key"));
    this.#byPayment = schemas.map((schema) => elsewhere(schema, "payment_key"));
    const here = `AND r.batch = ? AND r.state <> 'invalid' ORDER BY r.number LIMIT ${HERE_MAX}`;
    this.#hereByCore = database.prepare(`${from("main")} WHERE r.core_key = ? ${here}`);
    this.#hereByPeriod = database.prepare(`${from("main")} WHERE r.core_key = ? AND r.period IS ? ${here}`);
    this.#hereByPayment = database.prepare(`${from("main")} WHERE r.payment_key = ? ${here}`);
  }

  /** In other batches. */
  elsewhere(keys: Keys, batchSeq: number): Seen[] {
    const find = (statements: readonly StatementSync[], key: Uint8Array): SeenRow[] =>
      statements.flatMap((statement) => statement.all(key, batchSeq) as unknown as SeenRow[]);
    const rows = find(this.#byCore, keys.core);
    const known = new Set(rows.map((row) => `${row.id}/${row.number}`));
    for (const row of find(this.#byPayment, keys.payment)) {
      if (!known.has(`${row.id}/${row.number}`)) rows.push(row);
    }
    return rows.map((row) => asSeen(row, keys, false));
  }

  /** Earlier rows of the same batch: a row with a reference repeats only that, any other one repeats its core fields. */
  here(keys: Keys, batchSeq: number): Seen[] {
    let rows = keys.byReference
      ? this.#hereByPayment.all(keys.payment, batchSeq)
      : this.#hereByPeriod.all(keys.core, keys.period ?? null, batchSeq);
    if (rows.length === 0 && !keys.byReference) rows = this.#hereByCore.all(keys.core, batchSeq);
    return (rows as unknown as SeenRow[]).map((row) => asSeen(row, keys, true));
  }
}

function asSeen(row: SeenRow, keys: Keys, sameBatch: boolean): Seen {
  const sameKey = Buffer.compare(row.payment_key, keys.payment) === 0;
  const standing = standingOf(row);
  return {
    batch: row.id,
    row: row.number,
    sameBatch,
    sameKey,
    sameCore: Buffer.compare(row.core_key, keys.core) === 0,
    sameReference: sameKey && keys.byReference,
    standing,
    hasReference: row.keyed_by_reference === 1,
    ...(row.period === null ? {} : { period: row.period }),
    ...(row.guessed_period === null ? {} : { guessedPeriod: row.guessed_period }),
    ...(standing === "accepted" ? { acceptedAt: row.changed_at } : {}),
  };
}

function standingOf({ state, phase, code }: SeenRow): Seen["standing"] {
  switch (state) {
    case "accepted":
    case "settled_done":
      return "accepted";
    case "unknown":
    case "sending":
      return "open";
    case "ready":
      return phase === "cancelled" ? "ended" : "open";
    case "held":
      // a file held as a whole waits for its correction: it must not stand in the way of it
      return phase === "cancelled" || code === "all_or_nothing" ? "ended" : "held";
    case "rejected":
    case "not_sent":
    case "invalid":
    case "duplicate":
    case "settled_not_done":
      return "ended";
    default:
      return state satisfies never;
  }
}
