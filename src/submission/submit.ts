import type { Leaving } from "../journal/store.ts";
import { stopFor, STOPS, type Stop, type StopCode } from "../messages/outcomes.ts";
import { RowSender, type Ended, type Submission } from "./send-row.ts";
import { Halt, type Shared } from "./shared.ts";

/** `requests`: those that may have left the machine. */
export interface Submitted {
  readonly requests: number;
  readonly stop?: Stop;
}

/**
 * Sends the ready rows of a batch in the order of their turns, until none is left or something stops it (DESIGN §8).
 * Rejects only when the journal or the spool fails: then nothing more goes, and what came back is saved if possible.
 */
export function submit(parts: Submission): Promise<Submitted> {
  return parts.shared.together(() => new Run(parts).sendAll());
}

/** A lane that waits for the next commit. */
interface Waiting {
  /** The outcome of its last row. */
  readonly ended: Ended | undefined;
  /** It takes a row from that commit. */
  readonly isFree: boolean;
  readonly resolve: (row: Leaving | undefined) => void;
}

/** A batch on its lanes. */
class Run {
  readonly #parts: Submission;
  readonly #shared: Shared;
  readonly #halt: Halt;
  readonly #rows: RowSender;
  /** Lanes at work for this batch, and those that it asked for. */
  #lanes = 0;
  #asked = 0;
  /** The last commit that was asked for rows gave fewer. */
  #isDry = false;
  #waiting: Waiting[] = [];
  #isCommitting = false;
  readonly #end = Promise.withResolvers<undefined>();

  constructor(parts: Submission) {
    this.#parts = parts;
    this.#shared = parts.shared;
    this.#halt = new Halt(parts.shared, () => this.#askForLanes());
    this.#rows = new RowSender(parts, this.#halt);
  }

  async sendAll(): Promise<Submitted> {
    const { soft } = this.#parts.signals;
    const onSoft = (): void => this.#halt.stopFor(stopOfSignal(soft));
    const look = (): void => void this.#halt.isStopping();
    this.#shared.going.add(look);
    soft.addEventListener("abort", onSoft);
    if (soft.aborted) onSoft();
    this.#askForLanes();
    await this.#end.promise;
    soft.removeEventListener("abort", onSoft);
    this.#shared.going.delete(look);
    if (this.#halt.failure) throw this.#halt.failure.error;
    const stop = this.#halt.stop ?? this.#rows.rules.atEnd();
    const { requests } = this.#rows;
    return stop ? { requests, stop } : { requests };
  }

  /** While rows go alone one lane, after the turn that a lone row has among those of all batches; then all lanes. */
  #askForLanes(): void {
    if (this.#isOver()) {
      if (this.#lanes === 0) this.#end.resolve(undefined);
      return;
    }
    const { isAlone } = this.#rows;
    const onLane = (): Promise<void> => this.#shared.lanes(() => this.#lane());
    const most = this.#parts.share?.lanes ?? this.#shared.concurrency;
    while (this.#lanes + this.#asked < (isAlone ? 1 : most)) {
      this.#asked += 1;
      void (isAlone ? this.#shared.alone(onLane) : onLane());
    }
  }

  /** A lane takes a row whose turn is durable (I2), sends it, and takes the next one when its outcome is durable. */
  async #lane(): Promise<void> {
    this.#asked -= 1;
    if (this.#isOver()) return;
    this.#lanes += 1;
    const alone = this.#rows.isAlone;
    try {
      let row = await this.#next();
      while (row) {
        const ended: Ended = await this.#rows.send(row, alone);
        row = await this.#next(ended, alone || this.#isForOthers());
      }
    } catch (error) {
      // nobody knows what became of the row: the next start makes it unknown (I4)
      this.#halt.fail(error);
    }
    this.#lanes -= 1;
    this.#askForLanes();
  }

  /** Others wait for a lane, and this batch has more than its share: a small file is not starved by a large one. */
  #isForOthers(): boolean {
    const { lanes, going, concurrency } = this.#shared;
    return lanes.pendingCount > this.#asked && this.#lanes > Math.floor(concurrency / going.size);
  }

  /** Makes the outcome durable, and gives the row that goes next on this lane. undefined: none, or the lane ends. */
  async #next(ended?: Ended, isLast = false): Promise<Leaving | undefined> {
    const { pace } = this.#shared;
    for (let outcome = ended; ; outcome = undefined) {
      const isFree = !isLast && !this.#halt.isStopping() && pace.start();
      const row = outcome || isFree ? await this.#commit(outcome, isFree) : undefined;
      if (isFree || isLast || this.#isOver()) return row;
      await this.#halt.wait(pace.delayMs());
    }
  }

  #commit(ended: Ended | undefined, isFree: boolean): Promise<Leaving | undefined> {
    const committed = new Promise<Leaving | undefined>((resolve) => this.#waiting.push({ ended, isFree, resolve }));
    if (!this.#isCommitting) void this.#commitAll();
    return committed;
  }

  /** Answers that were read at one moment share a commit, and so do those that come while one is made. */
  async #commitAll(): Promise<void> {
    this.#isCommitting = true;
    while (this.#waiting.length > 0) {
      await new Promise(setImmediate);
      const lanes = this.#waiting;
      this.#waiting = [];
      const leaving = (await this.#commitTogether(lanes)).values();
      for (const { isFree, resolve } of lanes) resolve(isFree ? leaving.next().value : undefined);
    }
    this.#isCommitting = false;
  }

  /** Outcomes in, and the turn mark up for as many rows as lanes are free, in one act (I2, I8). */
  async #commitTogether(lanes: readonly Waiting[]): Promise<readonly Leaving[]> {
    const { store, batch } = this.#parts;
    const ended = lanes.flatMap((lane) => lane.ended ?? []);
    const outcomes = ended.map(({ outcome }) => outcome);
    const free = this.#halt.isStopping() ? 0 : lanes.filter(({ isFree }) => isFree).length;
    if (outcomes.length + free === 0) return [];
    const told = (): void => ended.forEach((one) => this.#rows.tellRow(one));
    try {
      const { leaving, phase, hold, stop, isLost } = await store.commit(batch.id, outcomes, free);
      // a row that stays ready may be left for the next commit
      const isReady = outcomes.some(({ state }) => state === "again");
      if (free > 0 || isReady) this.#isDry = leaving.length < free && !isReady;
      if (isLost) this.#isDry = true;
      if (stop) this.#halt.stopFor(stop);
      else if (phase === "paused" || phase === "cancelled") this.#halt.stopFor(stopFor(phase));
      else if (hold) this.#halt.stopFor(stopFor(hold));
      told();
      this.#askForLanes();
      return leaving;
    } catch (error) {
      // perhaps it is durable all the same: what came back, and comes back yet, is saved if it can be, and nothing else (I15)
      this.#halt.fail(error);
      if (outcomes.length > 0) await store.commit(batch.id, outcomes, 0).then(told, () => undefined);
      return [];
    }
  }

  #isOver(): boolean {
    return this.#isDry || this.#halt.isStopping();
  }
}

/** Why a signal stops: its reason may be the code of a stop, else a person asked. */
export function stopOfSignal({ reason }: AbortSignal): Stop {
  return stopFor(typeof reason === "string" && Object.hasOwn(STOPS, reason) ? (reason as StopCode) : "signal");
}
