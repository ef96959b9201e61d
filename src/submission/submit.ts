import type { Committed, Leaving, Share } from "../journal/store.ts";
import { stopFor, STOPS, type Stop, type StopCode } from "../messages/outcomes.ts";
import type { Committing, Ended } from "./commits.ts";
import { RowSender, type Submission } from "./send-row.ts";
import { Halt, type Shared } from "./shared.ts";

/** `requests`: those that may have left the machine; `letGo`: rows. */
export interface Submitted {
  readonly requests: number;
  readonly letGo: number;
  readonly stop?: Stop;
}

/**
 * Sends the ready rows of a share in the order of their turns, until none is left or something stops it (README §8).
 * Rejects only when the journal or the spool fails: then nothing more goes, and what came back is saved if possible.
 */
export function submit(parts: Submission): Promise<Submitted> {
  return parts.shared.together(() => new Run(parts).sendAll());
}

/** A share on its lanes. */
class Run implements Committing {
  readonly share: Share;
  readonly #parts: Submission;
  readonly #shared: Shared;
  readonly #halt: Halt;
  readonly #rows: RowSender;
  /** Lanes at work for this batch, and those that it asked for. */
  #lanes = 0;
  #asked = 0;
  /** Rows that were let go, and those of them whose outcome is not durable. */
  #letGo = 0;
  #onTheirWay = 0;
  /** The last commit that was asked for rows gave fewer. */
  #isDry = false;
  #isLost = false;
  readonly #end = Promise.withResolvers<undefined>();

  constructor(parts: Submission) {
    this.#parts = parts;
    this.share = parts.share;
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
    // such a share must not end with a word (I15)
    if (this.#onTheirWay !== 0 && !this.#isLost)
      throw new Error(`${this.#onTheirWay} rows are on their way at the end`);
    const stop = this.#halt.stop ?? this.#rows.rules.atEnd();
    return { requests: this.#rows.requests, letGo: this.#letGo, ...(stop ? { stop } : {}) };
  }

  /** While rows go alone one lane, after the turn that a lone row has among those of all batches; then all lanes. */
  #askForLanes(): void {
    if (this.#isOver()) {
      if (this.#lanes === 0) this.#end.resolve(undefined);
      return;
    }
    const { isAlone } = this.#rows;
    const onLane = (): Promise<void> => this.#shared.lanes(() => this.#lane());
    while (this.#lanes + this.#asked < (isAlone ? 1 : this.share.lanes)) {
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
      const row = outcome || isFree ? await this.#shared.commits.next(this, outcome, isFree) : undefined;
      if (isFree || isLast || this.#isOver()) return row;
      await this.#halt.wait(pace.delayMs());
    }
  }

  isStopping(): boolean {
    return this.#halt.isStopping();
  }

  heard({ leaving, phase, hold, stop, isLost }: Committed, ended: readonly Ended[], freeLanes: number): void {
    this.#onTheirWay += leaving.length - ended.length;
    this.#letGo += leaving.length;
    this.#isLost ||= isLost;
    // a row that stays ready may be left for the next commit
    const isReady = ended.some(({ outcome: { state } }) => state === "again");
    if (freeLanes > 0 || isReady) this.#isDry = leaving.length < freeLanes && !isReady;
    if (stop) this.#halt.stopFor(stop);
    else if (phase === "paused" || phase === "cancelled") this.#halt.stopFor(stopFor(phase));
    else if (hold) this.#halt.stopFor(stopFor(hold));
    this.told(ended);
    this.#askForLanes();
  }

  told(ended: readonly Ended[]): void {
    for (const one of ended) this.#rows.tellRow(one);
  }

  failed(error: unknown): void {
    this.#halt.fail(error);
  }

  #isOver(): boolean {
    return this.#isDry || this.#isLost || this.#halt.isStopping();
  }
}

/** Why a signal stops: its reason may be the code of a stop, else a person asked. */
export function stopOfSignal({ reason }: AbortSignal): Stop {
  return stopFor(typeof reason === "string" && Object.hasOwn(STOPS, reason) ? (reason as StopCode) : "signal");
}
