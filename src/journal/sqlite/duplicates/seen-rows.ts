import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Seen } from "../../../checks/duplicates/seen.ts";
import { ELSEWHERE, ELSEWHERE_MAX, HERE } from "./seen-statements.ts";
import { asSeen, rowNameOf, type Keys, type SeenRow } from "./seen-row.ts";

/** The row that others are corrections of, by its name (`BATCH:ROW`): the judged row itself, or the one it corrects. */
interface Family {
  readonly name: string;
  readonly isItself: boolean;
}

/** Keys for which what was found is kept. */
const KEYS_KEPT_MAX = 64;

/** Rows of this and other batches that share a key with the one that is judged, or are tied to it (DESIGN §7). */
export class SeenRows {
  readonly #elsewhere: readonly StatementSync[];
  readonly #elsewhereInPeriod: readonly StatementSync[];
  readonly #ofEachElsewhere: readonly StatementSync[];
  readonly #unknownElsewhere: readonly StatementSync[];
  readonly #here: StatementSync;
  readonly #hereInPeriod: StatementSync;
  readonly #hereUnnamed: StatementSync;
  readonly #corrections: readonly StatementSync[];
  readonly #origin: readonly StatementSync[];
  readonly #correctionsHere: StatementSync;

  /** `past`: name under which another journal is attached, whose rows all count as elsewhere. */
  constructor(database: DatabaseSync, past?: string) {
    const all = (sqls: readonly string[]): StatementSync[] => sqls.map((sql) => database.prepare(sql));
    this.#elsewhere = all(ELSEWHERE.inTheWay(past));
    this.#elsewhereInPeriod = all(ELSEWHERE.inTheWayInPeriod(past));
    this.#ofEachElsewhere = all(ELSEWHERE.ofEachBatch(past));
    this.#unknownElsewhere = all(ELSEWHERE.unknown(past));
    this.#corrections = all(ELSEWHERE.corrections(past));
    this.#origin = all(ELSEWHERE.origin(past));
    this.#here = database.prepare(HERE.before);
    this.#hereInPeriod = database.prepare(HERE.beforeInPeriod);
    this.#hereUnnamed = database.prepare(HERE.unnamed);
    this.#correctionsHere = database.prepare(HERE.corrections);
  }

  /**
   * Gives a function that looks for rows of other batches by key, within one transaction. It keeps what it found: of
   * equal rows only the first one walks over the others, most of which may stand in nobody's way.
   */
  elsewhereOf(batchSeq: number): (keys: Keys) => Seen[] {
    const kept = new Map<string, SeenRow[]>();
    const inTheWay = (key: Uint8Array, period?: string | null): SeenRow[] =>
      found(kept, nameOf(key, period), () =>
        period === undefined
          ? this.#elsewhere.flatMap((statement) => all(statement, key, batchSeq))
          : this.#elsewhereInPeriod.flatMap((statement) => all(statement, key, batchSeq, period)),
      );
    // a row that states no reference, or is of the same month, may be the same payment, however many came after it
    const ofEach = ({ core }: Keys, hasReference: 0 | 1): SeenRow[] =>
      found(kept, `${nameOf(core)} ${hasReference}`, () =>
        this.#ofEachElsewhere.flatMap((statement) => all(statement, core, batchSeq, hasReference)),
      );
    return (keys) => {
      const rows = [...inTheWay(keys.core)];
      if (rows.length >= ELSEWHERE_MAX) {
        rows.push(...inTheWay(keys.core, keys.period), ...ofEach(keys, keys.reference === null ? 0 : 1));
        // an unknown row holds all others, however many came after it
        rows.push(...this.#unknownElsewhere.flatMap((statement) => all(statement, keys.core, batchSeq)));
      }
      if (keys.reference !== null) rows.push(...inTheWay(keys.reference));
      const once = new Map(rows.map((row) => [`${row.id}/${row.number}`, row]));
      return [...once.values()].map((row) => asSeen(row, keys, false));
    };
  }

  /**
   * The row that the judged one corrects in the end, if it corrects one, and the corrections of that row, or else of
   * its own; in its own batch only those that come before the row `before`.
   */
  family({ name, isItself }: Family, keys: Keys, batchSeq: number, before: number): Seen[] {
    const origin = rowNameOf(name);
    const elsewhere = this.#corrections.flatMap((statement) => all(statement, name, batchSeq));
    if (!isItself) elsewhere.push(...this.#origin.flatMap((statement) => all(statement, origin.batch, origin.row)));
    const here = isItself ? [] : all(this.#correctionsHere, name, batchSeq, before);
    return [...elsewhere.map((other) => asSeen(other, keys, false)), ...here.map((other) => asSeen(other, keys, true))];
  }

  /**
   * Rows of the same batch before the row `number` that it may repeat. With a reference: those with the same one, and
   * those without any that have its core fields. Without a reference: those with its core fields, of its own period if
   * there are such.
   */
  hereOf(batchSeq: number): (keys: Keys, number: number) => Seen[] {
    const unnamed = new Map<string, SeenRow[]>();
    const firstUnnamed = ({ core }: Keys): SeenRow[] =>
      found(unnamed, nameOf(core), () => all(this.#hereUnnamed, core, batchSeq));
    return (keys, number) => {
      const { core, reference, period } = keys;
      let rows: SeenRow[];
      if (reference === null) {
        rows = all(this.#hereInPeriod, core, batchSeq, number, period);
        if (rows.length === 0) rows = all(this.#here, core, batchSeq, number);
      } else {
        rows = [
          ...all(this.#here, reference, batchSeq, number),
          ...firstUnnamed(keys).filter((row) => row.number < number),
        ];
      }
      return rows.map((row) => asSeen(row, keys, true));
    };
  }
}

function nameOf(key: Uint8Array, period?: string | null): string {
  return `${Buffer.from(key).toString("base64")} ${period === undefined ? "" : JSON.stringify(period)}`;
}

/** Keeps what was found for the last keys that were looked for. */
function found(kept: Map<string, SeenRow[]>, name: string, look: () => SeenRow[]): SeenRow[] {
  let rows = kept.get(name);
  if (rows) return rows;
  rows = look();
  if (kept.size >= KEYS_KEPT_MAX) kept.clear();
  kept.set(name, rows);
  return rows;
}

function all(statement: StatementSync, ...values: (Uint8Array | number | string | null)[]): SeenRow[] {
  return statement.all(...values) as unknown as SeenRow[];
}
