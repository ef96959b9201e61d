import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Verdict } from "../../../checks/duplicates/duplicates.ts";
import type { BatchSeq } from "../../batch-record.ts";
import { holdReplacing } from "./in-place.ts";
import { numbersIn } from "../numbers.ts";
import { assertMove } from "../../state.ts";
import {
  copies,
  correcting,
  didNotGoIn,
  holdCorrected,
  holdNear,
  LET_GO_IN_PLACE,
  origins,
  repeated,
  REPEATING,
  tellLetGo,
} from "./near-rows.ts";

/** What equal rows of earlier batches are found by. */
interface NewRow {
  readonly core_key: Uint8Array;
  readonly reference_key: Uint8Array | null;
  readonly period: string | null;
}

/** Earlier batches that the judged batch repeats: by `seq`, or by id (`K7Q29F3M`) where only that is known. */
export class Repeats {
  /** It repeats a row of these. */
  readonly row = new Set<string>();
  /** It sends anew what did not go in these. */
  readonly anew = new Set<number>();
  /** It has the same payees and amounts as these. */
  readonly list = new Set<number>();
}

type How = keyof Repeats;

/** The rule of DESIGN §7 that looks at a whole file: near_duplicate. Called inside a transaction of the caller. */
export class NearDuplicates {
  readonly #repeated: StatementSync;
  readonly #repeating: StatementSync;
  readonly #copies: StatementSync;
  readonly #letGoInPlace: StatementSync;
  readonly #didNotGoIn: StatementSync;
  readonly #holdNear: StatementSync;
  readonly #origins: StatementSync;
  readonly #holdCorrected: StatementSync;
  readonly #correcting: StatementSync;
  readonly #hasReady: StatementSync;
  readonly #tellLetGo: StatementSync;
  readonly #holdReplacing: StatementSync;
  readonly #seqsOf: StatementSync;
  readonly #addRepeat: StatementSync;
  readonly #repeats: StatementSync;
  /** What was noted of the batch that is being judged. */
  #noted = new Repeats();

  /** `past`: name under which another journal is attached, whose batches all came earlier. */
  constructor(database: DatabaseSync, past?: string) {
    const earlier = past ?? "main";
    this.#holdReplacing = database.prepare(holdReplacing(past));
    this.#repeated = database.prepare(repeated(earlier, past === undefined ? "b.seq <> ?1" : "true"));
    this.#repeating = database.prepare(REPEATING);
    this.#copies = database.prepare(copies(earlier));
    this.#origins = database.prepare(origins(earlier));
    this.#correcting = database.prepare(correcting(earlier, past === undefined ? "k.batch <> ?2" : "?2 IS NOT NULL"));
    this.#holdCorrected = database.prepare(holdCorrected(earlier));
    this.#letGoInPlace = database.prepare(LET_GO_IN_PLACE);
    this.#didNotGoIn = database.prepare(didNotGoIn(earlier, past === undefined ? "batch < ?1" : "?1 IS NOT NULL"));
    this.#seqsOf = database.prepare(
      `SELECT seq FROM ${earlier}.batch WHERE id IN (SELECT value FROM json_each(?1)) AND ${past === undefined ? "seq <> ?2" : "?2 IS NOT NULL"}`,
    );
    this.#addRepeat = database.prepare("INSERT OR IGNORE INTO repeats (later, earlier, how) VALUES (?, ?, ?)");
    this.#repeats = database.prepare("SELECT earlier AS seq FROM repeats WHERE later = ? AND how = ?");
    this.#hasReady = database.prepare("SELECT 1 FROM row WHERE batch = ? AND state = 'ready' LIMIT 1");
    this.#holdNear = database.prepare(holdNear(earlier));
    this.#tellLetGo = database.prepare(tellLetGo(earlier, past === undefined ? "s.batch <> ?1" : "?1 IS NOT NULL"));
  }

  /** Begins a new batch: forgets what was noted of the one before. */
  judgesFromHere(): void {
    this.#noted = new Repeats();
  }

  /** Notes the earlier batches in which this payment did not go. Not called for a correction: `retry_of` ties that. */
  noteSentAnew(batchSeq: number, row: NewRow, sinceMs: number, noted = this.#noted): void {
    const { core_key, reference_key, period } = row;
    const batches = this.#didNotGoIn.all(batchSeq, core_key, reference_key, period, sinceMs);
    for (const seq of seqsIn(batches)) noted.anew.add(seq);
  }

  /**
   * Notes the batches of the rows that a verdict names: of the one that is repeated, of others that may be the same
   * payment, and of the rows that these correct.
   */
  noteRepeats(verdict: Verdict, noted = this.#noted): void {
    if (verdict.state === "ready" || verdict.other === undefined) return;
    const others = verdict.state === "held" ? (verdict.others ?? []) : [];
    for (const { sameBatch, batch, originBatch } of [verdict.other, ...others]) {
      if (!sameBatch) noted.row.add(batch).add(originBatch);
    }
  }

  noteAlike(seqs: readonly number[]): void {
    for (const seq of seqs) this.#noted.list.add(seq);
  }

  /**
   * DESIGN §7 near_duplicate: this file repeats rows of an earlier batch, and this row's payee has a row there with
   * another amount. That row was accepted or is unknown: perhaps its amount was edited after it had been sent. Or it
   * still goes by itself, and the old amount would go after the new one; not where both rows state their periods or
   * references, and other ones. To send a row anew that did not go is to repeat its batch too, within that row's period
   * or reference.
   */
  holdNearDuplicates(batch: BatchSeq, nowMs: number, noted = this.#noted): void {
    this.keep(batch, noted);
    if (!this.#hasReady.get(batch.seq)) return;
    assertMove("ready", "held");
    this.#holdReplacing.run(batch.seq, nowMs);
    const kept = [...this.#kept(batch, "row"), ...this.#kept(batch, "list")];
    const repeated = new Set([...seqsIn(this.#repeated.all(batch.seq)), ...kept]);
    this.#holdNearTo(batch, [...repeated], nowMs);
    for (const seq of this.#kept(batch, "anew")) this.#holdNearTo(batch, [seq], nowMs, { isSentAnew: true });
    // what retry files paid instead of rows of those batches; two retry files of one file are told apart row by row
    const corrections = seqsIn(this.#correcting.all(JSON.stringify([...repeated]), batch.seq));
    const others = corrections.filter((seq) => !repeated.has(seq));
    this.#holdNearTo(batch, others, nowMs, { isUntied: true });
    this.#holdCorrectedOtherwise(batch, nowMs);
  }

  /** Keeps this as long as the batch: only when its wait is over is a row compared with what its file repeats. */
  keep({ seq }: BatchSeq, { row, anew, list }: Repeats): void {
    const all: Readonly<Record<How, Iterable<number>>> = {
      row: seqsIn(this.#seqsOf.all(JSON.stringify([...row]), seq)),
      ...{ anew, list },
    };
    for (const [how, earlier] of Object.entries(all)) for (const one of earlier) this.#addRepeat.run(seq, one, how);
  }

  #kept({ seq }: BatchSeq, how: How): number[] {
    return seqsIn(this.#repeats.all(seq, how));
  }

  /**
   * Holds rows of a retry file as near duplicates where the file that they correct was also corrected as a whole and
   * dropped again, and the payment went in that copy with another amount.
   */
  #holdCorrectedOtherwise(batch: BatchSeq, nowMs: number): void {
    for (const origin of seqsIn(this.#origins.all(batch.seq))) {
      const copiedIn = seqsIn(this.#copies.all(origin));
      if (copiedIn.length === 0) continue;
      assertMove("ready", "held");
      this.#holdCorrected.run(batch.seq, origin, JSON.stringify(copiedIn), nowMs);
      this.tellLetGo(batch, nowMs);
    }
  }

  /** Holds near duplicates in a file that waited as a whole: a later file may have corrected it meanwhile, and gone. */
  holdNearToLater(batch: BatchSeq, nowMs: number): void {
    this.#holdNearTo(batch, seqsIn(this.#repeating.all(batch.seq)), nowMs);
  }

  /**
   * Holds near duplicates among rows that had an end and go again: a later file may have repeated this one since, with
   * those rows corrected.
   */
  holdNearToCopies(batch: BatchSeq, nowMs: number): void {
    this.#holdNearTo(batch, seqsIn(this.#copies.all(batch.seq)), nowMs);
  }

  /**
   * Holds near duplicates where a later file paid what was settled as not done: it may have resent some of it with
   * another amount.
   */
  holdNearToResent(batch: BatchSeq, nowMs: number): void {
    this.#holdNearTo(batch, seqsIn(this.#repeating.all(batch.seq)), nowMs, { isSentAnew: true });
  }

  /**
   * Holds rows that are about to go where another amount went in their place, by the word of a person who was told of
   * them: whoever corrects a file that could not go does not think of the old one, which goes by itself when resumed.
   */
  holdReplaced(batch: BatchSeq, nowMs: number): void {
    assertMove("ready", "held");
    this.#letGoInPlace.run(batch.seq, nowMs);
  }

  #holdNearTo(
    batch: BatchSeq,
    seqs: readonly number[],
    nowMs: number,
    { isSentAnew = false, isUntied = false }: { readonly isSentAnew?: boolean; readonly isUntied?: boolean } = {},
  ): void {
    if (seqs.length === 0) return;
    assertMove("ready", "held");
    this.#holdNear.run(batch.seq, JSON.stringify(seqs), nowMs, isSentAnew ? 1 : 0, isUntied ? 1 : 0);
    this.tellLetGo(batch, nowMs);
  }

  /**
   * Notes at rows that are held as near duplicates how many rows of other files a person let go although the same
   * earlier row held them: one of those may be the same payment. Gives the rows for which there are more than before.
   */
  tellLetGo(batch: BatchSeq, nowMs: number): number[] {
    return numbersIn(this.#tellLetGo, batch.seq, nowMs);
  }
}

function seqsIn(rows: readonly unknown[]): number[] {
  return (rows as readonly { seq: number }[]).map(({ seq }) => seq);
}
