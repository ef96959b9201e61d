import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import type { Sender } from "../client/sender.ts";
import type { Config } from "../config/schema.ts";
import type { JournalStore } from "../journal/store.ts";
import { stopFor, type Stop, type StopCode } from "../messages/outcomes.ts";
import { operationNamed, type OperationName } from "../operations/index.ts";
import { Commits } from "./commits.ts";
import type { RowOutcome } from "./outcome.ts";
import { Pace } from "./pace.ts";

interface SharedParts {
  readonly store: Pick<JournalStore, "commit">;
  readonly openSender: () => Promise<Sender>;
  readonly pace?: Pace;
  readonly gatherMs?: number;
}

/** What the batches of one process share: lanes, pace, commits, what stops them, and the sender. */
export class Shared {
  readonly concurrency: number;
  /** Who asks first gets the next lane (I8). */
  readonly lanes: LimitFunction;
  /** One batch at a time sends a row alone: a wrong key costs one row, not one of each file. */
  readonly alone: LimitFunction = pLimit(1);
  readonly pace: Pace;
  readonly commits: Commits;
  /** A hundred files of one row each are no better than one of a hundred. */
  readonly unknowns: UnknownsInARow = new UnknownsInARow();
  readonly lastRows: LastRows = new LastRows();
  /** What each batch that sends now does when another one stops. */
  readonly going: Set<() => void> = new Set();
  /** Requests whose answers are waited for. */
  onTheWire = 0;
  readonly #open: () => Promise<Sender>;
  readonly #stopsOfOne = new Map<string, Stop>();
  #stopOfAll: Stop | undefined;
  #sender: Promise<Sender> | undefined;
  #working = 0;

  /** `gatherMs`: so long answers are gathered for one commit; 0: as they come. */
  constructor(
    { concurrency, rate }: Pick<Config, "concurrency" | "rate">,
    { store, openSender, pace = new Pace(rate), gatherMs = 0 }: SharedParts,
  ) {
    this.concurrency = concurrency;
    this.lanes = pLimit(concurrency);
    this.pace = pace;
    this.commits = new Commits(store, gatherMs);
    this.#open = openSender;
  }

  /**
   * One sender for all batches: the next file finds the connections of the one before it. To be asked for within `together`:
   * after the last one it is closed. Rejects as `openSender`.
   */
  sender(): Promise<Sender> {
    return (this.#sender ??= this.#open());
  }

  /** What the service said to one batch stops those beside it and behind it, until no work is left. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
      if (this.#working === 0) {
        this.#stopOfAll = undefined;
        this.#stopsOfOne.clear();
        await this.close();
      }
    }
  }

  /** Notes why a batch stopped, where that is about the others as well. Gives whether it is about all of them. */
  stopped(stop: Stop): boolean {
    // the others send to the same service; but refusals that are all the same are about the one file
    if (stop.code === "same_refusal") return false;
    if (stop.operation === undefined) this.#stopOfAll ??= stop;
    else if (!this.#stopsOfOne.has(stop.operation)) this.#stopsOfOne.set(stop.operation, stop);
    for (const look of this.going) look();
    return stop.operation === undefined;
  }

  /** Why no row goes now, or none of this operation. */
  stopOf(operation?: string): Stop | undefined {
    return this.#stopOfAll ?? (operation === undefined ? undefined : this.#stopsOfOne.get(operation));
  }

  /** Closes the connections; whoever sends again opens others. */
  async close(): Promise<void> {
    const sender = this.#sender;
    this.#sender = undefined;
    // whoever asked for one that could not be opened knows of it
    await (await sender?.catch(() => undefined))?.close();
  }
}

const UNKNOWN_MAX = 3;
const LAST_ROWS = 50;
const UNKNOWN_OF_LAST = LAST_ROWS / 5;
const IDENTICAL_REFUSALS_MAX = 10;
const UNREACHABLE_ROWS_MAX = 5;
/** Statuses of one endpoint that say nothing of the others. A refused key (401) or proxy (407) stops them all. */
const OF_ONE_ENDPOINT: readonly number[] = [403, 404, 405, 410, 415];

/** Counts rows in a row without a clear answer. It begins anew at a clear one, and when there are enough to stop. */
export class UnknownsInARow {
  #count = 0;

  areTooMany({ state }: RowOutcome): boolean {
    this.#count = state === "unknown" ? this.#count + 1 : 0;
    if (this.#count < UNKNOWN_MAX) return false;
    this.#count = 0;
    return true;
  }
}

/** The last rows of all batches: a fifth of them without a clear answer is too many, wherever they stand. */
export class LastRows {
  #rows = 0;
  /** Which of them were: the `#rows` at each. */
  #unknown: number[] = [];

  areMany({ state }: RowOutcome): boolean {
    this.#rows += 1;
    if (state !== "unknown") return false;
    this.#unknown = [...this.#unknown, this.#rows].filter((row) => row > this.#rows - LAST_ROWS);
    if (this.#unknown.length < UNKNOWN_OF_LAST) return false;
    this.#unknown = [];
    return true;
  }
}

/** When a run stops before its last row (README §8). It only ever stops: a person or the next run goes on. */
export class StopRules {
  readonly #unknowns = new UnknownsInARow();
  readonly #unknownsOfAll: UnknownsInARow;
  readonly #lastRows: LastRows;
  #unreachable = 0;
  #refusals = 0;
  #lastRefusal = "";

  constructor({ unknowns, lastRows }: Pick<Shared, "unknowns" | "lastRows">) {
    this.#unknownsOfAll = unknowns;
    this.#lastRows = lastRows;
  }

  /**
   * Looks at the final outcome of a row, and gives the stop if there is to be one. To be called in the order in which
   * outcomes come in. `body`: the answer, to tell refusals apart.
   */
  observe(outcome: RowOutcome, operation: OperationName, body: string): Stop | undefined {
    const { code, stop, httpStatus } = outcome;
    const areTooMany = [this.#unknowns.areTooMany(outcome), this.#unknownsOfAll.areTooMany(outcome)].includes(true);
    const areMany = this.#lastRows.areMany(outcome);
    this.#unreachable = code === "unreachable" ? this.#unreachable + 1 : 0;
    const isRefusal = code === "refused" || code === "no_funds";
    const refusal = isRefusal ? `${httpStatus ?? ""} ${withoutIds(body)}` : "";
    this.#refusals = refusal !== "" && refusal === this.#lastRefusal ? this.#refusals + 1 : 1;
    this.#lastRefusal = refusal;

    if (stop !== undefined) return stopOf(stop, operation, httpStatus);
    if (code === "rate_limited") return stopFor("rate_limited");
    if (areTooMany) return stopFor("unknown_in_a_row", { rows: UNKNOWN_MAX });
    if (areMany) return stopFor("many_unknown", { rows: UNKNOWN_OF_LAST, of: LAST_ROWS });
    if (this.#refusals >= IDENTICAL_REFUSALS_MAX) return stopFor("same_refusal", { rows: IDENTICAL_REFUSALS_MAX });
    return this.#unreachable >= UNREACHABLE_ROWS_MAX ? this.atEnd() : undefined;
  }

  /** To be called after the last row: a file too short for the rules above still tells that nobody answered. */
  atEnd(): Stop | undefined {
    return this.#unreachable > 0 ? stopFor("unreachable") : undefined;
  }
}

/** What ends a run before its last row: a stop, or a failure of the journal or the spool. */
export class Halt {
  /** The first of each. */
  stop: Stop | undefined;
  failure: { readonly error: unknown } | undefined;
  readonly #shared: Shared;
  readonly #halted: () => void;
  readonly #waits = new AbortController();

  constructor(shared: Shared, halted: () => void) {
    this.#shared = shared;
    this.#halted = halted;
    setMaxListeners(0, this.#waits.signal);
  }

  /** Nothing new goes, or no row of this operation. */
  isStopping(operation?: string): boolean {
    const stop = this.stop ?? this.#shared.stopOf(operation);
    if (stop) this.stopFor(stop);
    return stop !== undefined || this.failure !== undefined;
  }

  stopFor(stop: Stop): void {
    if (this.stop) return;
    this.stop = stop;
    this.#halt();
  }

  fail(error: unknown): void {
    this.failure ??= { error };
    this.#halt();
  }

  #halt(): void {
    this.#waits.abort();
    this.#halted();
  }

  /** Ends early when the run stops. */
  async wait(ms: number): Promise<void> {
    await sleep(Math.ceil(ms), undefined, { signal: this.#waits.signal }).catch(() => undefined);
  }
}

/** Such a stop is for rows of this operation only, where the answer says nothing of other endpoints. */
function stopOf(code: StopCode, operation: OperationName, status: number | undefined): Stop {
  const http = status === undefined ? "" : ` (HTTP ${status})`;
  if (!OF_ONE_ENDPOINT.includes(status ?? 0)) return stopFor(code, { http });
  return stopFor(code, { http, for: ` for ${operationNamed(operation).folder}` }, operation);
}

/** Request ids, times and amounts differ from answer to answer; the reason does not. */
function withoutIds(text: string): string {
  return text.slice(0, 1000).replace(/[\w-]+/g, (word) => (/\d/.test(word) ? "#" : word));
}
