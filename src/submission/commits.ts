import type { Committed, JournalStore, Leaving, Outcome, Share } from "../journal/store.ts";

/** A row that was let go, and what came of it. */
export interface Ended {
  readonly row: Leaving;
  readonly outcome: Outcome;
  readonly alone: boolean;
}

/** What sends a share, as its commits see it. */
export interface Committing {
  readonly share: Share;
  /** Nothing new of it goes. */
  isStopping(): boolean;
  /** What is durable by now, and so may leave. `freeLanes`: those that it was asked for. */
  heard(committed: Committed, ended: readonly Ended[], freeLanes: number): void;
  /** Outcomes are durable, but nobody knows more. */
  told(ended: readonly Ended[]): void;
  failed(error: unknown): void;
}

/** A lane that waits for the next commit. */
interface Waiting {
  /** The outcome of its last row. */
  readonly ended: Ended | undefined;
  /** It takes a row from that commit. */
  readonly isFree: boolean;
  readonly resolve: (row: Leaving | undefined) => void;
}

/**
 * The commits of a process, one after the other: answers of all shares that were read at about one moment share one, and so
 * do those that come while it is made.
 */
export class Commits {
  readonly #store: Pick<JournalStore, "commit">;
  readonly #gatherMs: number;
  #waiting = new Map<Committing, Waiting[]>();
  /** Lanes that ever waited. */
  #came = 0;
  #isBusy = false;

  constructor(store: Pick<JournalStore, "commit">, gatherMs: number) {
    this.#store = store;
    this.#gatherMs = gatherMs;
  }

  /** Makes the outcome of a lane durable, and gives the row that goes next on it (I2). undefined: none. */
  next(of: Committing, ended: Ended | undefined, isFree: boolean): Promise<Leaving | undefined> {
    const { promise, resolve } = Promise.withResolvers<Leaving | undefined>();
    const lanes = this.#waiting.get(of) ?? [];
    lanes.push({ ended, isFree, resolve });
    this.#came += 1;
    this.#waiting.set(of, lanes);
    if (!this.#isBusy) void this.#commitAll();
    return promise;
  }

  async #commitAll(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.size > 0) {
      await this.#gather();
      // what came while one was made is asked for before the rows of that one leave: the two overlap
      for (let making = this.#begin(); making;) {
        const made = await making;
        if (this.#waiting.size > 0) await this.#gather();
        making = this.#begin();
        await this.#tell(made);
      }
    }
    this.#isBusy = false;
  }

  /** Asks for a commit of all that waits. undefined: nothing does. */
  #begin(): Promise<Made[]> | undefined {
    if (this.#waiting.size === 0) return undefined;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    return this.#commitTogether(Array.from(waiting, ([of, lanes]) => askedOf(of, lanes)));
  }

  /** Answers that are here by now; and as long as more come, `gatherMs` at most: one that comes alone waits for nobody. */
  async #gather(): Promise<void> {
    const untilMs = performance.now() + this.#gatherMs;
    for (let came = -1; came < this.#came;) {
      came = this.#came;
      await new Promise(setImmediate);
      if (performance.now() >= untilMs) return;
    }
  }

  /** Outcomes in, and marks up for as many rows as lanes are free, in one act (I2, I8). */
  async #commitTogether(all: readonly Asked[]): Promise<Made[]> {
    const asked = all.filter(({ outcomes, freeLanes }) => outcomes.length + freeLanes > 0);
    const committed = asked.length === 0 ? [] : await this.#commit(asked);
    const answers = new Map(asked.map((one, at) => [one, committed[at]]));
    return all.map((one) => ({ ...one, answer: answers.get(one) }));
  }

  /** A few rows leave at a time: between them the answers are read that have come. */
  async #tell(made: readonly Made[]): Promise<void> {
    let resolved = 0;
    for (const { of, ended, freeLanes, lanes, answer } of made) {
      try {
        if (answer) of.heard(answer, ended, freeLanes);
      } catch (error) {
        // of this share alone: the others wait for their commits
        of.failed(error);
      }
      const leaving = (answer?.leaving ?? []).values();
      for (const { isFree, resolve } of lanes) {
        resolve(isFree ? leaving.next().value : undefined);
        resolved += 1;
        if (resolved % LANES_AT_ONCE === 0) await new Promise(setImmediate);
      }
    }
  }

  async #commit(asked: readonly Asked[]): Promise<readonly Committed[]> {
    try {
      return await this.#store.commit(asked.map(({ share, outcomes, freeLanes }) => ({ share, outcomes, freeLanes })));
    } catch (error) {
      for (const { of } of asked) of.failed(error);
      // perhaps it is durable all the same: what came back, and comes back yet, is saved if it can be, and nothing else (I15)
      for (const { of, share, outcomes, ended } of asked) {
        const saved = outcomes.length > 0 && this.#store.commit([{ share, outcomes, freeLanes: 0 }]);
        if (saved) await saved.then(() => of.told(ended)).catch(() => undefined);
      }
      return [];
    }
  }
}

const LANES_AT_ONCE = 10;

type Asked = ReturnType<typeof askedOf>;
/** `answer`: missing where there was nothing to commit, or it failed. */
type Made = Asked & { readonly answer: Committed | undefined };

function askedOf(of: Committing, lanes: readonly Waiting[]) {
  const ended = lanes.flatMap((lane) => lane.ended ?? []);
  const outcomes = ended.map(({ outcome }) => outcome);
  const freeLanes = of.isStopping() ? 0 : lanes.filter(({ isFree }) => isFree).length;
  return { of, lanes, share: of.share, ended, outcomes, freeLanes };
}
