/** The story of a batch: intake → reader → checks → journal → submission → results. */
import { dirname, join, resolve } from "node:path";
import { PaydropError } from "../errors.ts";
import type { BatchReport, Stop } from "../events.ts";
import { inboxFolders } from "../intake/inbox-folders.ts";
import { identityText } from "../intake/source-file.ts";
import type { BatchRecord } from "../journal/batch-record.ts";
import type { InstanceLock } from "../journal/sqlite/database/lock.ts";
import type { JournalStore } from "../journal/store.ts";
import type { OperationName } from "../operations/operation.ts";
import type { Processor, Services } from "../processor.ts";
import { renewOpenAnswer } from "../results/answers/open-answer.ts";
import type { InboxKeeper } from "../results/marks/inbox-marks.ts";
import type { Report } from "../results/report/report.ts";
import type { Submitted } from "../submission/submit.ts";
import { assertAddressKept, keepAddress } from "./address.ts";
import { copyOf } from "./copy.ts";
import { Ground } from "./ground.ts";
import { HandOver } from "./hand-over.ts";
import { compareOther, compareOwn, isAnyLeft, NOTHING_LOST } from "./other-places.ts";
import { BatchReporting, isOwed, WRITE_TIMES_MAX } from "./report.ts";
import { BatchSending, NOTHING_TOLD, type Told } from "./send.ts";
import { BatchTaking } from "./take.ts";
import { Turns } from "./turns.ts";

export class BatchWork implements Processor {
  readonly journal: JournalStore;
  readonly #ground: Ground;
  readonly #lock: InstanceLock | undefined;
  readonly #taking: BatchTaking;
  readonly #sending: BatchSending;
  readonly #reporting: BatchReporting;
  readonly #handOver: HandOver;
  readonly #turns = new Turns();

  constructor(services: Services, journal: JournalStore, lock: InstanceLock | undefined) {
    this.journal = journal;
    this.#lock = lock;
    this.#ground = new Ground(services, journal, lock !== undefined);
    this.#taking = new BatchTaking(this.#ground);
    this.#sending = new BatchSending(this.#ground);
    this.#reporting = new BatchReporting(this.#ground);
    this.#handOver = new HandOver(this.#ground);
  }

  processFile(path: string, foundSha256?: string): Promise<BatchReport> {
    return this.#sending.together(() => this.#processFile(path, foundSha256));
  }

  async #processFile(path: string, foundSha256?: string): Promise<BatchReport> {
    this.#ground.state?.assert();
    const start = this.#ground.beginNow();
    const file = resolve(path);
    const isNamed = foundSha256 === undefined;
    const copying = copyOf(this.#ground, path, foundSha256);
    // awaited below, when its turn has come
    copying.catch(() => undefined);
    // files are taken in one at a time, in the order of the calls and not of the copies: two may hold the same
    // payments, or be the same, and the second must find what became of the first
    const { batch, resumed, told } = await this.#turns.take(TAKING, async () =>
      this.#taking.take(file, (await copying).snapshot, isNamed),
    );
    const { snapshot, modeBefore, folderBefore, losses } = await copying;
    return this.#inTurn(batch.id, async () => {
      const goes = () => isAnyLeft(this.#ground, batch);
      const { known, unread } = resumed ? await compareOther(this.#ground, batch, file, goes) : NOTHING_LOST;
      await this.#ground.marks.note(batch, [...losses, ...known, ...unread]);
      // results that lie there would be wrong if this were cut off
      if (resumed) await this.journal.oweResults(batch.id, true);
      if (resumed) await this.#wake(batch.id);
      const submitted = await this.#send(batch, resumed, told, file);
      const lay = { file, modeBefore, folderBefore };
      const report = await this.#reporting.write(batch, { submitted, ...start, ...lay, isFirst: !resumed });
      // also of a file that a person named: it may lie in a drop folder, and a monitor tells of it anywhere else
      const owes = await isOwed(report);
      // in one commit
      await Promise.all([
        this.journal.noteSource(file, identityText(snapshot.identity), batch.id),
        this.journal.keepTallies(batch.id),
        this.journal.oweResults(batch.id, owes),
      ]);
      const hadNothing = resumed && submitted.requests === 0 && !submitted.stop && !report.byStatus.not_sent;
      return hadNothing ? { ...report, sentBefore: batch.createdAt } : report;
    });
  }

  together<T>(work: () => Promise<T>): Promise<T> {
    return this.#sending.together(work);
  }

  tryAgain(operation: OperationName): void {
    this.#sending.tryAgain(operation);
  }

  async takeUp(batchId: string): Promise<BatchReport> {
    const { id } = await this.#ground.known(batchId);
    return this.#sending.together(() => this.#inTurn(id, () => this.#goOn(id, () => this.#wake(id))));
  }

  /** The file could be read when it was taken: where that fails now, a damage of the private copy is told instead. */
  #inTurn<T>(batchId: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(batchId, async () => {
      try {
        return await work();
      } catch (error) {
        const isOfReading = !(error instanceof PaydropError) || error.code === "file_refused";
        if (isOfReading) await this.#ground.assertWhole(await this.#ground.known(batchId));
        throw error;
      }
    });
  }

  /** Makes ready what may go again. What was cancelled does not go on: its rows stay what they are (I5). */
  async #wake(batchId: string): Promise<void> {
    if ((await this.#ground.known(batchId)).phase === "cancelled") return;
    await this.journal.makeReady(batchId, "all", ["not_sent", "rejected"]);
    await this.journal.judgeAgain(batchId, this.#ground.rules);
  }

  async goOn(batchId: string): Promise<BatchReport> {
    const { id } = await this.#ground.known(batchId);
    return this.#sending.together(() => this.#inTurn(id, () => this.#goOn(id)));
  }

  /** `wake`: makes ready what goes, where that is still to be done. */
  async #goOn(batchId: string, wake?: () => Promise<void>): Promise<BatchReport> {
    this.#ground.state?.assert();
    const start = this.#ground.beginNow();
    const { batch, file } = await this.#knownWhole(batchId, (known) => isAnyLeft(this.#ground, known));
    await wake?.();
    await this.journal.oweResults(batch.id, true);
    const submitted = await this.#send(batch, true, NOTHING_TOLD, file);
    const report: BatchReport = {
      ...(await this.#reporting.write(batch, { submitted, ...start, file })),
      isById: true,
    };
    const owes = await isOwed(report);
    await Promise.all([this.journal.oweResults(batch.id, owes), this.journal.keepTallies(batch.id)]);
    await renewOpenAnswer(report);
    return report;
  }

  /**
   * The batch, whose private copy must be whole, and its file. Notes what a person accepts as unknown to the journal.
   * `goes`: whether rows of it may go then.
   */
  async #knownWhole(
    batchId: string,
    goes: (batch: BatchRecord) => Promise<boolean> | boolean,
  ): Promise<{ readonly batch: BatchRecord; readonly file: string }> {
    const batch = await this.#ground.known(batchId);
    const file = join(batch.folder, batch.fileName);
    await this.#ground.marks.note(batch, await this.#compareMarks(batch, file, () => goes(batch)));
    await this.#ground.assertWhole(batch);
    return { batch, file };
  }

  /** Beside the file of a batch, and at its other places. Notes what a person accepts; gives places that could not be read: said for this process alone. */
  async #compareMarks(
    batch: BatchRecord,
    file: string,
    goes: () => Promise<boolean> | boolean,
  ): Promise<readonly string[]> {
    const own = await compareOwn(this.#ground, batch, file);
    const { known, unread } = await compareOther(this.#ground, batch, file, goes);
    await this.#ground.marks.note(batch, [...own, ...known]);
    return unread;
  }

  async writeResultsAgain(batchId: string): Promise<BatchReport> {
    const { batch, file } = await this.#knownWhole(batchId, () => false);
    // another process may be sending this batch: it writes them once more at its end
    for (let times = 1; ; times += 1) {
      const before = await this.journal.tallies(batch.id);
      const writing = { submitted: { requests: 0 }, ...this.#ground.beginNow(), file, staysAside: true };
      const report: BatchReport = { ...(await this.#reporting.write(batch, writing)), isById: true };
      const isSame = JSON.stringify(before) === JSON.stringify(await this.journal.tallies(batch.id));
      if (!isSame && times < WRITE_TIMES_MAX) continue;
      // while a batch has rows to send, its results stay owed
      const isGoing = before.sending !== undefined || (before.ready !== undefined && batch.phase === "open");
      const isLast = !isGoing && report.files.elsewhere === undefined;
      if (isLast) await this.journal.oweResults(batch.id, false);
      await this.journal.keepTallies(batch.id);
      // where the folder is held, a run of the file would not let it go
      const stop = await this.heldFolder(batch.id);
      await renewOpenAnswer(stop === undefined ? report : { ...report, stop });
      return report;
    }
  }

  handedOver(): Promise<readonly string[]> {
    return this.#handOver.taken();
  }

  async whyNotTaken(batchId: string): Promise<string | undefined> {
    const batch = await this.#ground.known(batchId);
    // it makes the same comparison, and would leave the rows as they are
    const [unread] = await this.#compareMarks(batch, join(batch.folder, batch.fileName), () => true);
    if (unread !== undefined) return `${unread}, and nobody said to it that it goes all the same`;
    return this.#handOver.whyNotTaken(batchId);
  }

  async keepAddress(batchId: string): Promise<void> {
    await keepAddress(this.#ground, await this.#ground.known(batchId));
  }

  /** What was begun in another environment goes on only there. */
  async unfinished(folders: readonly string[]): Promise<readonly string[]> {
    const { environment } = this.#ground.config;
    const batches = await this.journal.unfinished(folders);
    const known = await Promise.all(batches.map((id) => this.#ground.known(id)));
    return known.filter((batch) => batch.environment === environment).map(({ id }) => id);
  }

  async assertMayGo(batchId: string): Promise<void> {
    const batch = await this.#ground.known(batchId);
    await assertAddressKept(this.#ground, batch);
    await this.#ground.assertWhole(batch);
  }

  async heldFolder(batchId: string): Promise<Stop | undefined> {
    const { folder } = await this.#ground.known(batchId);
    return this.#ground.heldFolder([folder]);
  }

  /** Rows of a held folder stay ready until a person says resume, whoever let them go. */
  async #send(batch: BatchRecord, resumed: boolean, told: Told, file: string): Promise<Submitted> {
    const stop = await this.#ground.heldFolder([batch.folder, dirname(file)]);
    const isOpen = stop === undefined || !(await this.journal.tallies(batch.id)).ready;
    return isOpen ? this.#sending.send({ batch, resumed, told, file }) : { requests: 0, stop };
  }

  report(batchId: string): Promise<Report> {
    return this.#reporting.collect(batchId);
  }

  async keepInbox(folder: string): Promise<InboxKeeper> {
    return this.#ground.marks.keepInbox(folder, await inboxFolders(folder));
  }

  async close(): Promise<void> {
    await this.#sending.close();
    await this.journal.close();
    this.#lock?.release();
  }
}

/** The turn of files that are taken in: no batch has this id. */
const TAKING = "taking";
