import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Judge, JudgeRules } from "../checks/duplicates.ts";
import type { OperationName, PayoutOption } from "../operations/operation.ts";
import { Archives } from "./archives.ts";
import { Attempts } from "./attempts.ts";
import type { Ballast } from "./ballast.ts";
import { Batches } from "./batches.ts";
import { asJournalError, CommitGroup } from "./commit-group.ts";
import { DaySums } from "./day-sums.ts";
import { Decisions } from "./decisions.ts";
import { InboxHolds } from "./inbox-holds.ts";
import { PaymentKeys } from "./keys.ts";
import { KnownFiles } from "./known-files.ts";
import { Marks } from "./marks.ts";
import { openJournalFile, type OpenOptions, readIdentity } from "./open.ts";
import { Rows } from "./rows.ts";
import { SeenRows } from "./seen.ts";
import type { RowState } from "./state.ts";
import type {
  Act,
  AttemptEnd,
  BatchPhase,
  BatchRecord,
  DaySumOptions,
  Begun,
  Environment,
  InboxHold,
  JournalStore,
  Mark,
  NewBatch,
  NewRow,
  OpeningTotals,
  RowRecord,
  RowTexts,
  Tallies,
} from "./store.ts";
import { RowTallies } from "./tallies.ts";
import { Verdicts } from "./verdicts.ts";

const PAGE_ROWS = 1000;
const JUDGED_ROWS = 20_000;

/** The rules of DESIGN §7, which are not the journal's own, as it asks them. */
export type JudgeOf = (rules: JudgeRules) => Judge;

/** Opens the journal of a state directory; makes it when there is none. */
export function openSqliteJournal(
  stateDir: string,
  judgeOf: JudgeOf,
  now: () => number = Date.now,
  options: OpenOptions & { readonly ballast?: Ballast } = {},
): JournalStore {
  const database = openJournalFile(stateDir, options);
  const { stateId, hashKey } = readIdentity(database);
  for (const suffix of ["-wal", "-shm"]) makeFilePrivate(join(stateDir, `journal.db${suffix}`));
  return new SqliteJournal(database, stateId, judgeOf, new PaymentKeys(hashKey), now, undefined, options.ballast);
}

/**
 * A journal to throw away, in a directory of its own, that knows what the journal of `stateDir` has seen and changes
 * nothing there: what a check works on.
 */
export function openScratchJournal(
  scratchDir: string,
  stateDir: string,
  judgeOf: JudgeOf,
  now: () => number = Date.now,
): JournalStore {
  const database = openJournalFile(scratchDir);
  // nothing in it has to survive anything
  database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;");
  const path = join(stateDir, "journal.db");
  if (!existsSync(path)) {
    return new SqliteJournal(database, "", judgeOf, new PaymentKeys(readIdentity(database).hashKey), now);
  }
  database.exec(`ATTACH 'file:${encodeURI(path).replaceAll("'", "%27")}?mode=ro' AS past`);
  const { value } = database.prepare("SELECT value FROM past.meta WHERE key = 'hash_key'").get() as {
    value: Uint8Array;
  };
  return new SqliteJournal(database, "", judgeOf, new PaymentKeys(value), now, "past");
}

/** `JournalStore` on one SQLite file. SQL lives in the classes it is made of; here is what is one transaction. */
class SqliteJournal implements JournalStore {
  readonly stateId: string;
  readonly #database: DatabaseSync;
  readonly #group: CommitGroup;
  readonly #batches: Batches;
  readonly #archives: Archives;
  readonly #rows: Rows;
  readonly #seen: SeenRows;
  readonly #verdicts: Verdicts;
  readonly #tallies: RowTallies;
  readonly #attempts: Attempts;
  readonly #decisions: Decisions;
  readonly #marks: Marks;
  readonly #holds: InboxHolds;
  readonly #files: KnownFiles;
  readonly #judgeOf: JudgeOf;
  readonly #now: () => number;
  #rules: JudgeRules | undefined;
  #lastJudge: Judge | undefined;
  readonly #past: string | undefined;

  constructor(
    database: DatabaseSync,
    stateId: string,
    judgeOf: JudgeOf,
    keys: PaymentKeys,
    now: () => number,
    past?: string,
    ballast?: Ballast,
  ) {
    this.stateId = stateId;
    this.#database = database;
    this.#group = new CommitGroup(database, ballast);
    this.#marks = new Marks(database, stateId);
    this.#holds = new InboxHolds(database);
    this.#files = new KnownFiles(database);
    this.#batches = new Batches(database);
    this.#archives = new Archives(database);
    this.#rows = new Rows(database, keys, past);
    this.#seen = new SeenRows(database, past);
    this.#verdicts = new Verdicts(database, this.#seen);
    this.#tallies = new RowTallies(database);
    this.#attempts = new Attempts(database, this.#verdicts, () => this.#group.transaction);
    this.#decisions = new Decisions(database);
    this.#judgeOf = judgeOf;
    this.#now = now;
    this.#past = past;
  }

  batch(idOrPrefix: string): Promise<BatchRecord | undefined> {
    return this.#read(() => this.#batches.find(idOrPrefix));
  }

  batches(): Promise<readonly BatchRecord[]> {
    return this.#read(() => this.#batches.all());
  }

  batchesOfBytes(sha256: string, environment: Environment): Promise<readonly BatchRecord[]> {
    return this.#read(() => this.#batches.ofBytes(sha256, environment));
  }

  createBatch(batch: NewBatch): Promise<void> {
    return this.#group.run(() => {
      this.#batches.insert(batch);
      this.#attempts.judgedFromHere(this.#batches.seqOf(batch.id).seq);
    });
  }

  addRows(batchId: string, rows: readonly NewRow[]): Promise<void> {
    return this.#group.run(() => {
      const batch = this.#batches.seqOf(batchId);
      this.#rows.add(batch, rows, this.#now());
    });
  }

  async judgeRows(batchId: string, rules: JudgeRules): Promise<void> {
    const batch = this.#batches.seqOf(batchId);
    const lastNumber = this.#rows.lastNumber(batch.seq);
    const judge = this.#judgeOf(rules);
    // in pieces: other batches go on meanwhile, and what they change is seen when a row of this one begins
    for (const [from, to] of SeenRows.steps(lastNumber)) {
      await this.#group.run(() => this.#seen.enter(batch.seq, from, to));
    }
    for (let from = 0; from <= lastNumber; from += JUDGED_ROWS) {
      await this.#group.run(() =>
        this.#verdicts.judgeNew(batch, from, from + JUDGED_ROWS - 1, judge, this.#laterOfNow()),
      );
    }
  }

  openBatch(batchId: string, totals: OpeningTotals, allOrNothing = false): Promise<void> {
    return this.#group.run(() => {
      const batch = this.#batches.seqOf(batchId);
      this.#verdicts.holdNearDuplicates(batch, this.#now());
      if (allOrNothing) this.#decisions.holdAllOrNothing(batch, this.#now());
      this.#batches.open(batchId, totals);
      this.#attempts.changed(batch.seq);
    });
  }

  dropBatch(batchId: string): Promise<void> {
    return this.#group.run(() => this.#batches.drop(batchId));
  }

  async *rows(batchId: string, fromRow = 0): AsyncIterable<readonly RowRecord[]> {
    const { seq } = this.#batches.seqOf(batchId);
    let next = fromRow;
    for (;;) {
      const page = await this.#read(() => this.#rows.page(seq, next, PAGE_ROWS));
      if (page.length === 0) return;
      yield page;
      next = (page.at(-1)?.number ?? 0) + 1;
    }
  }

  async *readyRows(batchId: string, fromRow = 0): AsyncIterable<readonly number[]> {
    const { seq } = this.#batches.seqOf(batchId);
    let next = fromRow;
    for (;;) {
      const page = await this.#read(() => this.#rows.readyPage(seq, next, PAGE_ROWS));
      if (page.length === 0) return;
      yield page;
      next = (page.at(-1) ?? 0) + 1;
    }
  }

  operations(batchId: string): Promise<readonly { operation: OperationName; option?: PayoutOption }[]> {
    return this.#read(() => this.#rows.operations(this.#batches.seqOf(batchId).seq));
  }

  row(batchId: string, number: number): Promise<RowRecord | undefined> {
    return this.#read(() => this.#rows.one(this.#batches.seqOf(batchId).seq, number));
  }

  rowsIn(batchId: string, states: readonly RowState[]): Promise<readonly RowRecord[]> {
    return this.#read(() => this.#rows.inStates(this.#batches.seqOf(batchId).seq, states));
  }

  tallies(batchId: string): Promise<Tallies> {
    return this.#read(() => this.#tallies.of(this.#batches.seqOf(batchId).seq));
  }

  keepTallies(batchId: string): Promise<void> {
    return this.#group.run(() => this.#tallies.keep(this.#batches.seqOf(batchId).seq));
  }

  goneOrWaiting(day: DaySumOptions): Promise<ReadonlyMap<OperationName, bigint>> {
    return this.#read(() => new DaySums(this.#database, this.#past).of(day));
  }

  begin(batchId: string, row: number, rules: JudgeRules): Promise<Begun> {
    return this.#group.run(() =>
      this.#attempts.begin(this.#batches.seqOf(batchId), row, this.#judge(rules), this.#now()),
    );
  }

  end(attempt: number, end: AttemptEnd): Promise<void> {
    return this.#group.runToTheLast(() => this.#attempts.end(attempt, end, this.#now()));
  }

  recover(): Promise<number> {
    return this.#group.run(() => {
      for (const id of this.#batches.unopened()) this.#batches.drop(id);
      return this.#attempts.recover(this.#now());
    });
  }

  judgeAgain(batchId: string, rules: JudgeRules): Promise<void> {
    return this.#group.run(() =>
      this.#verdicts.judgeAgain(this.#batches.seqOf(batchId), this.#judge(rules), this.#laterOfNow()),
    );
  }

  makeReady(
    batchId: string,
    rows: readonly number[] | "all",
    from: readonly RowState[],
    reasons: readonly string[] = [],
  ): Promise<number> {
    return this.#group.run(() => {
      this.#archives.assertNotArchived(this.#batches.seqOf(batchId));
      this.#attempts.changed(this.#batches.seqOf(batchId).seq);
      return this.#decisions.makeReady(this.#batches.seqOf(batchId), rows, from, reasons, this.#now());
    });
  }

  setDestination(batchId: string, destination: string, act: Omit<Act, "at">): Promise<void> {
    return this.#group.run(() => {
      this.#batches.setDestination(batchId, destination);
      this.#batches.addAct(batchId, act, this.#now());
    });
  }

  setPhase(batchId: string, phase: Exclude<BatchPhase, "recording">, act: Omit<Act, "at">): Promise<void> {
    return this.#group.run(() => {
      this.#archives.assertNotArchived(this.#batches.seqOf(batchId));
      this.#attempts.changed(this.#batches.seqOf(batchId).seq);
      this.#batches.setPhase(batchId, phase);
      this.#batches.addAct(batchId, act, this.#now());
    });
  }

  settle(
    batchId: string,
    row: number,
    as: "settled_done" | "settled_not_done",
    act: Omit<Act, "at">,
    from?: RowState,
  ): Promise<void> {
    return this.#group.run(() => {
      this.#archives.assertNotArchived(this.#batches.seqOf(batchId));
      this.#attempts.changed(this.#batches.seqOf(batchId).seq);
      this.#decisions.settle(this.#batches.seqOf(batchId), row, as, act.by, this.#now(), from);
      this.#batches.addAct(batchId, { ...act, row }, this.#now());
    });
  }

  waitingFor(batchId: string, row: number): Promise<readonly string[]> {
    return this.#read(() => this.#decisions.waitingFor(this.#batches.seqOf(batchId), row));
  }

  release(batchId: string, rows: readonly number[] | "all", act: Omit<Act, "at">): Promise<readonly number[]> {
    return this.#group.run(() => {
      this.#batches.assertNotCancelled(batchId);
      this.#archives.assertNotArchived(this.#batches.seqOf(batchId));
      this.#attempts.changed(this.#batches.seqOf(batchId).seq);
      const released = this.#decisions.release(this.#batches.seqOf(batchId), rows, this.#now());
      for (const row of released) this.#batches.addAct(batchId, { ...act, row }, this.#now());
      return released;
    });
  }

  history(batchId: string): Promise<readonly Act[]> {
    return this.#read(() => this.#batches.history(batchId));
  }

  note(batchId: string, act: Omit<Act, "at">): Promise<void> {
    return this.#group.run(() => this.#batches.addAct(batchId, act, this.#now()));
  }

  handedOver(after: number): Promise<{ readonly lastAct: number; readonly batches: readonly string[] }> {
    return this.#read(() => this.#batches.handedOver(after));
  }

  oweResults(batchId: string, isOwed: boolean): Promise<void> {
    return this.#group.run(() => this.#batches.oweResults(batchId, isOwed));
  }

  unfinished(folders: readonly string[], reasons: readonly string[]): Promise<readonly string[]> {
    return this.#read(() => this.#batches.unfinished(folders, reasons));
  }

  inboxHold(folder: string): Promise<InboxHold | undefined> {
    return this.#read(() => this.#holds.of(folder));
  }

  holdInbox(folder: string, hold: InboxHold): Promise<void> {
    return this.#group.run(() => this.#holds.set(folder, hold));
  }

  liftInboxHold(folder: string, by: string): Promise<InboxHold | undefined> {
    return this.#group.run(() => this.#holds.lift(folder, by, this.#now()));
  }

  resting(beforeMs: number, reasons: readonly string[]): Promise<readonly BatchRecord[]> {
    return this.#read(() => this.#archives.resting(beforeMs, reasons));
  }

  moveOut(
    batchId: string,
    file: string,
    acts: number,
    reasons: readonly string[],
    act: Omit<Act, "at">,
  ): Promise<boolean> {
    return this.#group.run(() => {
      const isOut = this.#archives.moveOut(this.#batches.seqOf(batchId), file, acts, reasons);
      if (isOut) this.#batches.addAct(batchId, act, this.#now());
      return isOut;
    });
  }

  putBack(batchId: string, rows: readonly RowTexts[]): Promise<void> {
    return this.#group.run(() => this.#archives.putBack(this.#batches.seqOf(batchId), rows));
  }

  moveIn(batchId: string, act: Omit<Act, "at">): Promise<void> {
    return this.#group.run(() => {
      this.#archives.moveIn(this.#batches.seqOf(batchId));
      this.#batches.addAct(batchId, act, this.#now());
    });
  }

  mark(): Promise<Mark> {
    return this.#read(() => this.#marks.now());
  }

  knows(mark: Mark, place: string): Promise<boolean> {
    return this.#read(() => this.#marks.knows(mark, place));
  }

  acceptLoss(mark: Mark, place: string): Promise<void> {
    return this.#group.run(() => this.#marks.accept(mark, place));
  }

  sourceBatch(path: string, identity: string): Promise<string | undefined> {
    return this.#read(() => this.#files.sourceBatch(path, identity));
  }

  noteSource(path: string, identity: string, batchId: string): Promise<void> {
    return this.#group.run(() => this.#files.noteSource(path, identity, batchId));
  }

  written(path: string): Promise<string | undefined> {
    return this.#read(() => this.#files.written(path));
  }

  noteWritten(path: string, sha256: string): Promise<void> {
    return this.#group.run(() => this.#files.noteWritten(path, sha256));
  }

  async close(): Promise<void> {
    await this.#group.settled();
    if (this.#database.isOpen) this.#database.close();
  }

  /** One judge for the rules that come with every row. */
  #judge(rules: JudgeRules): Judge {
    if (this.#rules !== rules) this.#lastJudge = this.#judgeOf(rules);
    this.#rules = rules;
    return this.#lastJudge ?? this.#judgeOf(rules);
  }

  /** Windows in days count from the later of the clock and the journal's last time: a clock set back frees nothing. */
  #laterOfNow(): number {
    const row = this.#database
      .prepare(
        `SELECT max(coalesce((SELECT started_at FROM attempt ORDER BY id DESC LIMIT 1), 0),
                    coalesce((SELECT created_at FROM batch ORDER BY seq DESC LIMIT 1), 0)) AS latest`,
      )
      .get() as { latest: number };
    return Math.max(this.#now(), row.latest);
  }

  /** node:sqlite is synchronous; the interface is not, so that another engine fits. */
  #read<T>(read: () => T): Promise<T> {
    try {
      return Promise.resolve(read());
    } catch (error) {
      return Promise.reject(asJournalError(error));
    }
  }
}

function makeFilePrivate(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch {
    // there is none yet; SQLite gives it the mode of the journal itself
  }
}
