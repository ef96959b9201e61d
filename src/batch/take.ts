import { compareControl } from "../checks/control.ts";
import type { JudgeRules } from "../checks/duplicates/duplicates.ts";
import { DAY_MS, isoDay } from "../day.ts";
import { defined } from "../defined.ts";
import { FileRefusedError } from "../errors.ts";
import type { Snapshot } from "../intake/snapshot.ts";
import { identityText, renumberedAs } from "../intake/source-file.ts";
import { assertFitName } from "../intake/unfit-name.ts";
import { archivedError } from "../journal/sqlite/archives.ts";
import { assertRoomForFile } from "../journal/sqlite/database/room.ts";
import type { BatchRecord, NewBatch } from "../journal/batch-record.ts";
import { isRetryAsWritten } from "../results/disk/own.ts";
import { laidThere, meetKnown, waitingFor } from "./alike.ts";
import { newBatchOf, recordRows } from "./record.ts";
import { openInput, statedControl, understand, type InputFile, type OpenedFile } from "../take-in.ts";
import { operationCorrected } from "./operation-corrected.ts";
import { Origins } from "./origins.ts";
import { compareEarlier } from "./other-places.ts";
import { assertCorrected } from "./assert-corrected.ts";
import { assertEnvironmentKept } from "./address.ts";
import type { Ground } from "./ground.ts";
import { NOTHING_TOLD, type Told } from "./send.ts";

interface Taken {
  readonly batch: BatchRecord;
  readonly resumed: boolean;
  readonly told: Told;
}

interface Recorded {
  readonly batch: NewBatch;
  readonly opened: OpenedFile;
  readonly origins: Origins;
  readonly rules: JudgeRules;
  /** The batches that this one replaces. */
  readonly waiting: readonly BatchRecord[];
}

/** Which batch a file is: one that is known, or a new one. */
export class BatchTaking {
  readonly #ground: Ground;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /**
   * The batch that these bytes are: one that is known, or a new one, read and checked to its last row (DESIGN §7).
   * `isNamed`: by a person, and not found in a folder.
   */
  async take(file: string, snapshot: Snapshot, isNamed: boolean): Promise<Taken> {
    const input = await openInput(file, snapshot, this.#ground.services);
    const { journal, config } = this.#ground;
    const { sha256, identity } = snapshot;
    // asked together: each question costs a change of threads
    const [isUntouched, ofBytes, taken, renumbered] = await Promise.all([
      isRetryAsWritten(file, sha256, journal),
      journal.batchesOfBytes(sha256, config.environment),
      journal.sourceBatch(file, identityText(identity)),
      journal.sourceRenumbered(file, ...renumberedAs(identity)),
    ]);
    const lyingThere = taken ?? renumbered;
    const talliesOf = (id: string) => journal.tallies(id);
    const batchOf = (id: string) => journal.batch(id);
    if (isUntouched) await assertCorrected(input, this.#ground.services, batchOf);
    const met = await meetKnown(input, { ofBytes, lyingThere, talliesOf }, config, this.#ground.now());
    const { meeting } = met;
    const waiting = await waitingFor(met, this.#waits());
    if (meeting.kind === "same") {
      if (meeting.batch.archive !== undefined) throw wasArchived(input.fileName, meeting.batch);
      await this.#assertTotals(input, meeting.batch);
      await this.#supersede(waiting, meeting.batch);
      return { batch: meeting.batch, resumed: true, told: NOTHING_TOLD };
    }

    assertFitName(input.fileName);
    await assertEnvironmentKept(this.#ground);
    const { losses, remarks } = isNamed ? await this.#ground.marks.compareFolder(file) : NOTHING_MET;
    const accepted = new Set(losses);
    const compare = async (one: BatchRecord): Promise<void> => {
      for (const loss of await compareEarlier(this.#ground, one, file)) accepted.add(loss);
    };
    for (const one of ofBytes) await compare(one);
    // only now: a known batch is read as it was then, whatever the settings say of such a file by now
    const understood = await understand(input, this.#ground.services, () =>
      operationCorrected(input.sheet, config, batchOf),
    );
    const opened = { ...understood, remarks: () => [...understood.remarks(), ...remarks] };
    await assertRoomForFile(config.stateDir, snapshot.sizeBytes);
    const batch = newBatchOf(opened, met, {
      environment: config.environment,
      destination: this.#ground.destination,
      nowMs: this.#ground.now(),
    });
    // a nightly run states today's month: a file corrected in place after the month's end would count as next month's
    const laidBefore = isNamed ? [] : await journal.laidBefore(batch);
    const before = isNamed ? undefined : await laidThere(met, file, (id) => journal.sourcesOf(id), talliesOf);
    const isHeld = meeting.kind === "again" || before !== undefined;
    const ofFile = isHeld ? { holdsWholeFile: true } : { replaces: waiting.map((one) => one.id), laidBefore };
    const origins = new Origins(journal, config, compare);
    const rules = { ...this.#ground.rules, ...ofFile };
    const recorded = await this.#record({ batch, opened, origins, rules, waiting: isHeld ? [] : waiting });
    await this.#ground.marks.note(recorded.batch, [...accepted]);
    return recorded;
  }

  #waits(): Parameters<typeof waitingFor>[1] {
    const { journal, config } = this.#ground;
    return {
      talliesOf: (id) => journal.tallies(id),
      asksMonth: (id) => journal.asksMonth(id),
      sinceMs: this.#ground.now() - config.duplicateDays * DAY_MS,
    };
  }

  /** Totals that are stated for a file that goes on must be right as well; what was required at first was met then. */
  async #assertTotals({ path, fileName, sheet }: InputFile, { id, rows, total }: BatchRecord): Promise<void> {
    try {
      const stated = await statedControl(path, sheet, this.#ground.config);
      const differing = compareControl(stated, { rows, total, unreadable: 0 }, false);
      if (differing.length > 0) throw new FileRefusedError(fileName, differing);
    } catch (error) {
      throw error instanceof FileRefusedError ? new FileRefusedError(error.file, error.faults, id) : error;
    }
  }

  /** Writes down all rows, or no batch. */
  async #record({ batch, opened, origins, rules, waiting }: Recorded): Promise<Taken> {
    const { journal, config } = this.#ground;
    try {
      const recording = { journal, batch, opened, origins, config };
      const { accounts, corrections } = await recordRows(recording, rules, this.#ground.now());
      const taken = await this.#ground.known(batch.id);
      await this.#supersede(waiting, taken);
      return { batch: taken, resumed: false, told: defined({ accounts, corrections }) };
    } catch (error) {
      await journal.dropBatch(batch.id);
      throw error;
    } finally {
      await origins.close();
    }
  }

  /** Cancels what waited for its period: a person has stated it, and the copy without one must not go as well. */
  async #supersede(waiting: readonly BatchRecord[], by: BatchRecord): Promise<void> {
    for (const batch of waiting) {
      // one that came later waits for a decision of its own
      if (batch.createdAt > by.createdAt) continue;
      const note = `the same file goes as batch ${by.id}, with its period stated`;
      await this.#ground.journal.setPhase(batch.id, "cancelled", { by: "paydrop", kind: "cancel", note });
    }
  }
}

const NOTHING_MET = { losses: [], remarks: [] };

function wasArchived(fileName: string, batch: BatchRecord): FileRefusedError {
  const { hint } = archivedError(batch);
  const message = `these rows were taken on ${isoDay(batch.createdAt)} as batch ${batch.id}, which is archived`;
  return new FileRefusedError(fileName, [{ code: "archived", message, hint }], batch.id);
}
