import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Verdict } from "../../checks/duplicates/duplicates.ts";
import type { BatchSeq } from "../batch-record.ts";
import { numbersIn } from "../numbers.ts";
import { assertMove } from "../state.ts";
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

/** Of a batch that is judged: earlier batches (`seq`) that it repeats. `K7Q29F3M` stands for one where only that is known. */
export class Repeats {
  /** It repeats a row of them. */
  readonly row = new Set<string>();
  /** It sends anew what did not go there. */
  readonly anew = new Set<number>();
  /** It has the same payees and amounts. */
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
  readonly #seqsOf: StatementSync;
  readonly #addRepeat: StatementSync;
  readonly #repeats: StatementSync;
  /** Of the batch that is being judged. */
  #noted = new Repeats();

  /** `past`: name under which another journal is attached, whose batches all came earlier. */
  constructor(database: DatabaseSync, past?: string) {
    const earlier = past ?? "main";
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

  /** A batch is about to be judged: what another one sent anew is none of its business. */
  judgesFromHere(): void {
    this.#noted = new Repeats();
  }

  /** Not of a retry file: what it repeats is tied row by row, and what is added to it is another payment. */
  noteSentAnew(batchSeq: number, row: NewRow, sinceMs: number, noted = this.#noted): void {
    const { core_key, reference_key, period } = row;
    const batches = this.#didNotGoIn.all(batchSeq, core_key, reference_key, period, sinceMs);
    for (const seq of seqsIn(batches)) noted.anew.add(seq);
  }

  /** A row names one other that it repeats; others may be the same payment too, and each may correct a row of a file. */
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
   * DESIGN §7 near_duplicate: this file repeats rows of an earlier batch, and this row's beneficiary has an accepted or
   * unknown row there with another amount: perhaps an amount was edited after it had been sent. Or one that still goes
   * without a person's word about it, unless both state their periods or their references, and other ones: then the old
   * amount would go after the new one. A row that did not go and is sent anew repeats that batch too, in its own period
   * or by its own reference.
   */
  holdNearDuplicates(batch: BatchSeq, nowMs: number, noted = this.#noted): void {
    this.#keep(batch, noted);
    if (!this.#hasReady.get(batch.seq)) return;
    const repeated = [...new Set([...seqsIn(this.#repeated.all(batch.seq)), ...this.#kept(batch, "row")])];
    const lists = this.#kept(batch, "list");
    this.#holdNearTo(batch, repeated, nowMs);
    for (const seq of new Set([...this.#kept(batch, "anew"), ...lists]))
      this.#holdNearTo(batch, [seq], nowMs, { isSentAnew: true });
    // what a retry file paid instead of a row of theirs; two retry files of one file are told apart row by row
    const corrected = new Set([...repeated, ...lists]);
    const corrections = seqsIn(this.#correcting.all(JSON.stringify([...corrected]), batch.seq));
    const others = corrections.filter((seq) => !corrected.has(seq));
    this.#holdNearTo(batch, others, nowMs, { isUntied: true });
    this.#holdCorrectedOtherwise(batch, nowMs);
  }

  /** For as long as the batch: a row that waits is compared with the rows that its file repeats once its wait is over. */
  #keep({ seq }: BatchSeq, { row, anew, list }: Repeats): void {
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

  /** The same where a later file paid what was settled as not done: it may have resent some of it with another amount. */
  holdNearToResent(batch: BatchSeq, nowMs: number): void {
    this.#holdNearTo(batch, seqsIn(this.#repeating.all(batch.seq)), nowMs, { isSentAnew: true });
  }

  /**
   * Of rows that are about to go those in whose place another amount went, by the word of a person who was told of them:
   * whoever corrects a file that could not go does not think of the old one, which goes by itself when it is resumed.
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
   * earlier row held them: one of those may be the same payment. Gives the rows of which there are more than before.
   */
  tellLetGo(batch: BatchSeq, nowMs: number): number[] {
    return numbersIn(this.#tellLetGo, batch.seq, nowMs);
  }
}

function seqsIn(rows: readonly unknown[]): number[] {
  return (rows as readonly { seq: number }[]).map(({ seq }) => seq);
}
